"""Cases of dataframe/concat."""

from tests.cases import cases

# fmt: off
cases(
    "concat",
    "md.concat([df, dl])", "md.concat([df, dl], ignore_index=True)", "md.concat([df, right])", "md.concat([df, right], join='inner')",
    "md.concat([right, df], sort=True)", "md.concat([s, si])", "md.concat([s, sl], ignore_index=True)", "md.concat([df, dl], keys=['a', 'b'])",
    "md.concat({'a': num, 'b': df})", "md.concat([df, dl], keys=['a', 'b'], names=['from', 'row'])", "md.concat([df, s])", "md.concat([df, None, e])",
    "md.concat([df, dl], verify_integrity=True)", "md.concat([num, df[['s']]], axis=1)", "md.concat([s, si, st], axis=1)",
    "md.concat([num, right], axis=1)", "md.concat([num, right], axis=1, join='inner')", "md.concat([s, si], axis=1, keys=['a', 'b'])",
    "md.concat([num, df], axis=1, ignore_index=True)", "md.concat([])", "md.concat([None])", "md.concat(df)", "md.concat([df, df], join='nope')",
    "md.concat([df], axis=2)", "md.concat([df, dl], keys=['a'])", "md.concat([dn, dn])", "md.concat([dn[['q', 'c']], df[['k', 's']]])",
    "md.concat([df, dl])[['v']].sum()", "md.concat([df, 3])", "md.concat([sc, st])", "md.concat([sq, si])",
)
