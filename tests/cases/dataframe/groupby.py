"""Cases of dataframe/groupby."""

from tests.cases import cases

# fmt: off
cases(
    "GroupBy.sum",
    "df.groupby('k').sum(numeric_only=True)", "dn.groupby('c', observed=False).q.sum(min_count=1)", "df.groupby(['k', 's']).v.sum()",
    "df.groupby('k').i.sum()", "dn.groupby('q', dropna=False)[['f']].sum()",
)
cases(
    "GroupBy.sum GroupBy.prod GroupBy.any GroupBy.all GroupBy.std GroupBy.var GroupBy.sem GroupBy.median GroupBy.skew GroupBy.kurt GroupBy.describe "
    "GroupBy.corr GroupBy.cov GroupBy.cumsum GroupBy.cumprod GroupBy.cummax GroupBy.cummin GroupBy.diff GroupBy.rank",
    "df.groupby('k')[['v', 'i']].OP()",
)
cases(
    "GroupBy.mean",
    "df.groupby('k').mean(numeric_only=True)", "dn.groupby('c', observed=False)[['q', 'f']].mean()", "df.groupby('k').t.mean()",
    "dn.groupby('q').p.mean()",
)
cases(
    "GroupBy.count GroupBy.size GroupBy.min GroupBy.max GroupBy.first GroupBy.last GroupBy.all GroupBy.nunique GroupBy.cumcount GroupBy.ngroup "
    "GroupBy.shift GroupBy.ffill GroupBy.bfill",
    "df.groupby('k').OP()",
)
cases("GroupBy.count", "dn.groupby('q', dropna=False).count()", "df.groupby('s', sort=False).count()")
cases("GroupBy.size", "df.groupby(['k', 's'], as_index=False).size()", "dn.groupby(['q', 'c'], observed=False).size()", "df.v.groupby(df.k).size()")
cases("GroupBy.min", "dn.groupby('q').o.min()", "dn.groupby('p', dropna=False)[['q', 'f', 'o']].min()")
cases("GroupBy.max", "dn.groupby('c', observed=False)[['q', 'f']].max()", "dn.groupby('q').o.max()")
cases("GroupBy.prod", "dn.groupby('c').q.prod()")
cases("GroupBy.first", "dn.groupby('c', observed=False).first()", "df.groupby('s', sort=False).v.first()")
cases("GroupBy.last", "dn.groupby('q', dropna=False).last()")
cases("GroupBy.any", "dn.groupby('c').p.any()")
cases("GroupBy.std", "df.groupby('k').v.std(ddof=0)", "dn.groupby('c')[['q', 'f']].std()")
cases("GroupBy.var", "df.groupby('k').var(ddof=2, numeric_only=True)", "dn.groupby('o', observed=False).f.var()")
cases("GroupBy.sem", "df.groupby('k').v.sem(ddof=0)")
cases("GroupBy.median", "df.groupby('s', sort=False).v.median()", "dn.groupby('c').f.median()")
cases(
    "GroupBy.quantile",
    "df.groupby('k').v.quantile(0.3)", "df.groupby('k')[['v', 'i']].quantile([0.25, 0.5])", "df.groupby('k').v.quantile(0.3, interpolation='lower')",
)
cases("GroupBy.nunique", "df.groupby('k').s.nunique()", "dn.groupby('c').q.nunique(dropna=False)", "df.groupby('s', sort=False).k.nunique()")
cases("GroupBy.skew", "df.groupby('k').v.skew()")
cases("GroupBy.idxmax", "df.groupby('k')[['i']].idxmax()", "dl.groupby('k').i.idxmax()")
cases("GroupBy.idxmin", "df.groupby('k')[['i']].idxmin()", "dl.groupby('k').i.idxmin()")
cases("GroupBy.describe", "df.groupby('k').v.describe()")
cases(
    "GroupBy.value_counts",
    "df.groupby('k').s.value_counts()", "df.groupby('k')[['s']].value_counts(normalize=True)", "df.groupby('k', sort=False).s.value_counts()",
)
cases("GroupBy.cov", "df.groupby('k')[['v', 'i']].cov(min_periods=2)")
cases("GroupBy.nlargest", "df.groupby('k').i.nlargest(1)", "df.groupby('k').i.nlargest(2)")
cases("GroupBy.nsmallest", "df.groupby('k').i.nsmallest(2)")
cases("GroupBy.unique", "df.groupby('k').s.unique()")
cases("GroupBy.ohlc", "df.groupby('k').v.ohlc()")
cases("GroupBy.cumsum", "dn.groupby('c').q.cumsum()", "df.groupby('k').v.cumsum()", "dl.groupby('k').i.cumsum()")
cases("GroupBy.cummax", "df.groupby('s').i.cummax()")
cases("GroupBy.cumcount", "df.groupby('k').cumcount(ascending=False)", "dl.groupby(['k', 's']).cumcount()")
cases("GroupBy.ngroup", "df.groupby('s', sort=False).ngroup()")
cases("GroupBy.shift", "df.groupby('k').i.shift(-1, fill_value=0)", "df.groupby('k').v.shift([0, 1])")
cases("GroupBy.diff", "df.groupby('k').v.diff(-1)")
cases("GroupBy.pct_change", "df.groupby('k').i.pct_change()")
cases("GroupBy.rank", "df.groupby('k').v.rank(method='dense', ascending=False)")
cases("GroupBy.ffill", "dn.groupby('c').q.ffill()", "df.groupby('k').v.ffill(limit=1)")
cases("GroupBy.bfill", "dn.groupby('c').f.bfill()")
cases("GroupBy.head", "df.groupby('k').head(2)", "df.groupby('k').v.head(1)", "dl.groupby('s').head(-1)", "dn.groupby('q').head(1)",
      "df.sort_values('v').groupby('k').head(2)", "dl.sort_values('v', ascending=False).groupby('s', dropna=False)[['v']].head(1)",
      "dn.sort_values(['o', 'f'], na_position='first').groupby('q').head(1)")
cases("GroupBy.tail", "df.groupby('k').tail(1)", "dn.groupby('q', dropna=False).tail(1)")
cases("GroupBy.nth", "df.groupby('k').nth(1)", "df.groupby('k').v.nth([0, -1])", "df.groupby('k').nth(0, dropna='any')")
cases("GroupBy.filter", "df.groupby('k').filter(lambda g: len(g) > 2)", "df.groupby('k').v.filter(lambda g: g.sum() > 0)")
cases("GroupBy.sample", "df.groupby('k').sample(n=1, random_state=3)", "df.groupby('k').v.sample(frac=0.5, random_state=1)",
      "df.groupby('k').sample(n=4, replace=True, random_state=3)", "df.groupby(df.s, sort=False)[['v', 'i']].sample(1, random_state=np.random.RandomState(4))",
      "df.groupby('k').sample(1, weights=[1.0, 2, 3] * 4, random_state=1)", "dl.groupby('k').sample(1, weights='k', random_state=1)",
      "df.groupby('k').sample(1, weights=pd.Series(range(1, 13)), random_state=1)", "dn.groupby('q').sample(1, random_state=1)",
      "df.groupby('k').sample(n=1, frac=0.1)", "df.groupby('k').sample(frac=2)", "df.groupby('k').v.sample(1, weights='k')",
      "df.groupby('k').sample(1, weights=[1])", "df.groupby('k').sample(1, random_state='x')")
cases("GroupBy.take", "df.groupby('k').take([0])")
cases(
    "GroupBy.agg",
    "df.groupby('k').agg('sum')[['v', 'i']]", "df.groupby('k')[['v', 'i']].agg(['sum', 'mean'])", "df.groupby('k').agg({'v': 'max', 'i': 'min'})",
    "df.groupby('k').agg({'v': ['max', 'count'], 'i': ['min']})", "df.groupby('k').agg(a=('v', 'sum'), b=('i', 'mean'), n=('s', 'size'))",
    "df.groupby('k').agg(a=pd.NamedAgg('v', 'std'), b=pd.NamedAgg('v', lambda x: x.max() - x.min()))",
    "df.groupby('k').v.agg(['sum', lambda x: x.max()])", "df.groupby('k').v.agg(total='sum', top='max')", "df.groupby('k').v.agg('median')",
    "df.groupby('k', as_index=False).agg(a=('v', 'sum'))", "df.groupby(['k', 's'], as_index=False)[['v', 'i']].agg('sum')",
    "df.groupby('k', as_index=False).agg(m=('v', 'median'))", "df.groupby('s', sort=False).agg({'v': 'sum', 'k': 'nunique'})",
    "df.groupby(['s', 'k'], sort=False).agg(a=('v', 'median'))", "df.groupby(lambda x: x % 3).agg({'v': 'sum'})",
    "df.groupby({0: 'a', 1: 'b', 2: 'a', 5: 'b'}).agg({'v': 'sum'})", "df.groupby(df.k % 2).agg({'v': 'sum'})",
    "df.groupby([df.k % 2, 's']).agg({'v': 'sum'})", "dl.groupby(level=0).agg({'v': 'sum', 's': 'last'})",
    "df.set_index(['k', 's']).groupby(level='s').agg({'v': 'sum'})", "dn.groupby('q').agg({'f': ['mean', 'var'], 'p': 'any'})",
    "dn.groupby('q', dropna=False).agg({'f': 'mean', 'o': 'min'})", "dn.groupby('c', observed=False).agg({'f': 'mean', 'q': 'sum', 'p': 'size'})",
    "dn.groupby(['o', 'c'], observed=False).agg({'q': 'median'})", "df.groupby('k').agg({'nope': 'sum'})", "df.groupby('nope').agg('sum')",
    "df.groupby('k').agg('nope')", "df.v.groupby(df.k).agg(['min', 'max'])", "df.groupby('k').agg({'v': 'first', 'i': 'last'})",
    "df.groupby('k').v.agg(np.ptp)", "df.groupby('s')[['v']].agg('sum').sum()", "df[df.i > 0].groupby('k').agg({'v': 'sum', 's': 'max'})",
    "df.groupby('k').agg(a=('v', 'any'), b=('t', 'max'))",
)

cases(
    "GroupBy.transform",
    "df.groupby('k')[['v', 'i']].transform('sum')", "df.groupby('k').v.transform('mean')", "df.groupby('k').v.transform(lambda x: x - x.mean())",
    "dl.groupby('s')[['v', 'i']].transform(lambda x: x.max())", "df.groupby('k').v.transform('cumsum')",
    "dn.groupby('c', observed=False).f.transform('mean')", "df.groupby(df.k % 2).v.transform('max')", "df.groupby('k').v.transform('nope')",
    "df.groupby('s').v.transform('first')",
)
cases(
    "GroupBy.apply",
    "df.groupby('k').apply(lambda g: g.v.sum())", "df.groupby('k').apply(lambda g: g.head(1))",
    "df.groupby('k').v.apply(lambda x: x.max() - x.min())", "df.groupby('s', sort=False).apply(lambda g: g.i.max())",
    "df.groupby(['k', 's']).apply(lambda g: pd.Series({'a': g.v.sum(), 'b': float(g.i.min())}))",
    "df.groupby('k', group_keys=False).apply(lambda g: g.nlargest(1, 'i'))", "df.groupby('k', group_keys=False).v.apply(lambda x: x - x.min())",
    "df.groupby('k', as_index=False).apply(lambda g: g.v.sum())", "df.groupby('k').v.apply(lambda x: x.nlargest(1))",
)
cases("GroupBy.get_group", "df.groupby('k').get_group(3)", "df.groupby(['k', 's']).v.get_group((3, 'x'))", "df.groupby('k').get_group(77)")

# A key that is a column of the frame is that column, by name or as an object: it is not aggregated.
cases("GroupBy.sum GroupBy.median GroupBy.nunique GroupBy.describe GroupBy.quantile GroupBy.cumsum GroupBy.rank GroupBy.shift GroupBy.idxmax",
      "(lambda x: x.groupby(x.k).OP())(df[['v', 'k', 'i']])")
cases("GroupBy.mean GroupBy.count GroupBy.max GroupBy.first", "(lambda x: x.groupby([x.k, x['s']], as_index=False).OP())(df.drop(columns='t'))")
cases(
    "GroupBy.sum",
    "df.groupby(df.k, as_index=False).sum(numeric_only=True)", "dn.groupby(dn.q, sort=False, dropna=False)[['f']].sum()",
    "df.groupby([df.k, 's']).sum(numeric_only=True)", "df.groupby(df.k).k.sum()", "df[['v', 'i']].groupby(df.k).sum()",
    "df[['v', 'k']].groupby(df.k).sum()", "df.assign(z=df.v * 2).drop(columns='s').groupby(df.k).sum(numeric_only=True)",
    "df.rename(columns={'v': 'w'}).groupby(df.k).sum(numeric_only=True)", "df.reset_index(drop=True).groupby(df.k).sum(numeric_only=True)",
    "df.groupby(df.loc[:, 'k'].rename('x').rename('k')).sum(numeric_only=True)", "df[['k', 'i']].groupby(df.v.rename('k')).sum()",
    "df[['k', 'i']].groupby(df.k % 2).sum()", "df[['k', 'i']].groupby(df.k % 2, as_index=False).sum()",
    "df[['v', 'i']].groupby((df.k % 2).rename('z'), as_index=False).sum()", "(lambda x: x.groupby(x.k).sum())(df.set_index('k', drop=False)[['k', 'i']])",
    "df.groupby(df.k.astype('i8')).sum(numeric_only=True)", "df.astype({'v': 'f4'}).groupby(df.k).sum(numeric_only=True)",
    "(lambda z: df[['v']].assign(k=z).groupby(z).sum())(df.k + 1)", "df.set_index('k', drop=False).groupby('k').i.sum()",
    # Keys of other rows are aligned by label.
    "df[df.v > 0].groupby(df.k).sum(numeric_only=True)", "df.v[df.i > 0].groupby(df.s).sum()", "df.groupby(df.k[df.i > 0]).i.sum()",
    "dl[dl.i > 0][['i']].groupby(dl.s).sum()",
)
cases("GroupBy.agg", "df.groupby(df.k).agg(['min', 'count'])", "df.groupby(df['k'], as_index=False).agg({'v': 'mean', 'i': ['sum', 'max']})",
      "df.groupby(df.k, as_index=False).agg(a=('v', 'sum'), b=('k', 'max'))")
cases("GroupBy.transform", "df.groupby(df.k).transform('count')", "df[['k', 'v', 'i']].groupby('k').transform(lambda c: c.iloc[0])")
cases("GroupBy.apply", "df.groupby(df.k).apply(lambda g: g)", "df.groupby([df.k, df.s]).apply(lambda g: len(g.columns))")
cases("GroupBy.head GroupBy.tail", "df.groupby(df.k).OP(1)")
cases("GroupBy.value_counts", "df[['k', 's']].groupby('k').value_counts()", "(lambda x: x.groupby(x.k).value_counts())(df[['k', 's']])")

# A Grouper that says a column has flags of its own.
cases("GroupBy.sum GroupBy.median GroupBy.rank GroupBy.cumcount GroupBy.ngroup GroupBy.head", "num.groupby(pd.Grouper(key='k')).OP()")
cases(
    "GroupBy.sum",
    "df.groupby(pd.Grouper(key='k', sort=True), sort=False).v.sum()", "df.groupby(pd.Grouper(key='k'), as_index=False).v.sum()",
    "df.groupby([pd.Grouper(key='k'), 's']).v.sum()", "dn.groupby(pd.Grouper(key='q', dropna=False)).f.sum()",
    "dn.groupby(pd.Grouper(key='q'), dropna=False).f.sum()", "dn.groupby(pd.Grouper(key='c'), observed=False).q.sum()",
    "dn.groupby([pd.Grouper(key='c'), 'p']).q.sum()", "df.groupby(pd.Grouper(key='nope')).v.sum()",
)
cases("GroupBy.value_counts", "df.groupby(pd.Grouper(key='k')).s.value_counts()")
cases("GroupBy.apply", "df.groupby(pd.Grouper(key='k')).apply(lambda g: g.v.sum())")
cases("GroupBy.mean GroupBy.std GroupBy.median", "df.assign(d=df.t - df.t.min()).groupby('k')[['d']].OP()", "(df.t - df.t.min()).groupby(df.s).OP()")

# With as_index=False a key that is aggregated, too, is one column.
cases("GroupBy.sum GroupBy.max GroupBy.nunique GroupBy.first GroupBy.median", "df.groupby('k', as_index=False).k.OP()", "df.groupby(['k', 's'], as_index=False)[['v', 'k']].OP()")
cases("GroupBy.agg", "df.groupby('k', as_index=False).agg({'k': 'max', 'v': 'sum'})", "df.groupby('k', as_index=False)[['k', 'v']].agg(['min', 'max'])",
      "df.groupby(['s', 'k'], as_index=False).agg({'k': lambda x: x.max(), 'v': 'sum'})", "df.groupby('k', as_index=False).agg(k=('k', 'max'))")

# Objects stay objects, but for texts that pandas makes texts.
cases("GroupBy.first GroupBy.last GroupBy.min GroupBy.max GroupBy.sum", "df.assign(s=df.s.astype(object)).groupby('k').s.OP()", "df.assign(s=df.s.astype(object)).groupby('k')[['s']].OP()")
cases("GroupBy.mean GroupBy.sum GroupBy.max", "df.assign(i=df.i.astype(object)).groupby('k')[['i']].OP()")
cases("GroupBy.count", "df.assign(i=df.i.astype('int64[pyarrow]')).groupby('k').i.count()", "df.assign(s=df.s.astype('string[pyarrow]')).groupby('k')[['s', 'v']].count()")
