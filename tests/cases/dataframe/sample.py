"""Cases of dataframe/sample."""

from tests.cases import cases

# fmt: off
cases(
    "frame.sample",
    "df.sample(3, random_state=1)", "df.sample(frac=0.5, random_state=2)", "df.sample(n=20, replace=True, random_state=3)", "df.sample(n=20)",
    "s.sample(n=4, random_state=5, ignore_index=True)", "df.sample(n=2, weights=[0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], random_state=1)",
    "num[['k']].sample(n=2, weights='k', random_state=1)", "df.sample(n=2, axis=1, random_state=4)", "df.sample(n=1, frac=1)", "df.sample(n=-1)",
    "df.sample(3, random_state=np.array([1, 2, 3]))", "df[df.k > 1].sample(3, random_state=np.random.RandomState(4))", "df.sample(frac=0.5, random_state=np.random.default_rng(4))",
    "df.sample(3, random_state=np.random.PCG64(4))", "(lambda r: [df.sample(3, random_state=r), df.sample(2, axis=1, random_state=r), s.sample(4, random_state=r)])(np.random.RandomState(1))",
    "df.sample(frac=2.0)", "df.sample(n=2, axis=3)", "df.sample(n=2, weights='nope')", "df.sample(n=0, random_state=0)",
)
