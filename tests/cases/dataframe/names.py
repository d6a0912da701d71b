"""Names of axes, and whole numbers beside holes: operations that make labels anew, or align them."""

from tests.cases import cases

# fmt: off
cases(
    "concat",
    "md.concat([na, nb])", "md.concat([nb, na])", "md.concat([na, na])", "md.concat([na.k, nb.k])", "md.concat([na, nb.k])", "md.concat([na, nb], join='inner')",
    "md.concat([na, nb], axis=1)", "md.concat([na, nb], axis=1, join='inner')", "md.concat([na.i, nb.w], axis=1)", "md.concat([na, nb], keys=['a', 'b'])",
    "md.concat([na, na], keys=['a', 'b'], names=['from', 'row'])", "md.concat([na[na.k > 2], nb[nb.k < 4]], axis=1)",
)
cases("frame.align", "na.align(nb)", "na.align(nb, join='left')", "na.align(nb, join='inner')", "na.i.align(nb.w)", "na[na.k > 2].align(nb)")
cases("frame.combine_first", "na.combine_first(nb)", "nb.combine_first(na)", "na.i.combine_first(nb.w)", "na[na.k > 2].combine_first(nb)")
cases("frame.__add__", "na + nb", "na.i + nb.w", "na[['k']] + nb[['k']]", "na[na.k > 2] + na", "na[['k']] + na[['k']].iloc[::-1]")
cases("frame.add", "na.add(nb, fill_value=0)", "na.i.add(nb.w, fill_value=0)")
cases("frame.sub", "na[['k', 'i']].sub(nb.k, axis=0)")
cases(
    "frame.reindex",
    "na.reindex([0, 70, 5])", "na.reindex(nb.index)", "na.reindex(pd.Index([0, 5], name='q'))", "na.reindex(columns=['k', 'z'])", "na.reindex(columns=nb.columns)",
    "na.i.reindex(np.array([0, 5]))", "na.i.reindex(pd.Series([0, 70], name='q'))",
    "df[['v']].reindex([3, 20], columns=['v', 'z'], fill_value=3)", "df[['v']].reindex(columns=['z'], fill_value=3)", "df[['v']].reindex([20], columns=['z'], fill_value=3)",
    "num.reindex([3, 20], columns=['v', 'z'], fill_value=3).z", "na.reindex(columns=[])", "na.reindex([])",
)
cases("frame.reindex_like", "na.reindex_like(nb)")
cases("DataFrame.filter", "na.filter(['k', 'z'])", "na.filter(items=[70, 0, 5], axis=0)", "na.filter(like='k')")
cases("frame.agg", "na.agg(['sum', 'max'])", "na.agg({'k': ['min'], 'v': ['sum', 'size']})")
cases(
    "frame.__sub__",
    "na.__isub__(nb)", "na[['i', 'k']].__isub__(na.mean())", "num.__isub__(num[['i', 'k']])", "na.i.__isub__(nb.w)", "num[num.k > 2].__isub__(num[['i', 'k', 'v']])",
)
cases("frame.__mul__", "np.hypot(na.i, nb.w)", "np.hypot(na[['k', 'i']], nb[['k']])", "np.hypot(na[na.k > 2].i, na.i)")
cases(
    "frame.dot",
    "np.arange(12) @ num", "np.arange(24).reshape(2, 12) @ na", "np.arange(12) @ si", "np.arange(24).reshape(2, 12) @ si", "list(range(12)) @ num",
    "si @ np.arange(24).reshape(12, 2)", "np.matmul(num, np.ones((3, 2)))", "np.arange(5) @ num", "np.arange(12.0) @ num[num.k > 0]", "num.T @ num",
)
