"""Cases of dataframe/arithmetic."""

from tests.cases import cases

# fmt: off
cases(
    "frame.add frame.radd frame.__add__ frame.__radd__ frame.sub frame.rsub frame.__sub__ frame.__rsub__ frame.mul frame.rmul frame.__mul__ "
    "frame.__rmul__ frame.truediv frame.rtruediv frame.__truediv__ frame.__rtruediv__ frame.pow frame.rpow frame.__pow__ frame.__rpow__ frame.eq "
    "frame.__eq__ frame.ne frame.__ne__ frame.lt frame.__lt__ frame.le frame.__le__ frame.gt frame.__gt__ frame.ge frame.__ge__ frame.div "
    "frame.divide frame.rdiv frame.multiply frame.subtract",
    "num.OP(num)", "num.OP(2)", "s.OP(si)", "num.OP([1, 2, 3])", "s.OP(list(range(12)))",
)
cases(
    "frame.add frame.radd frame.sub frame.rsub frame.mul frame.rmul frame.truediv frame.rtruediv frame.pow frame.rpow frame.eq frame.ne frame.lt "
    "frame.le frame.gt frame.ge frame.div frame.divide frame.rdiv frame.multiply frame.subtract",
    "num.OP(num[['v', 'k']])", "num.OP(num.k, axis=0)", "s.OP(3)", "num.OP(num.k.sum())", "s.OP(si[si > 2])",
    "num.OP(pd.Series([1, 2, 3], index=['k', 'i', 'zz']))", "num.OP(num.max())", "s.OP(s[s > 1], fill_value=2)", "num.OP(num[['k']], fill_value=1)",
    "num.OP(np.arange(12), axis='index')",
)
cases(
    "frame.add frame.radd frame.sub frame.rsub frame.mul frame.rmul frame.truediv frame.rtruediv frame.floordiv frame.rfloordiv frame.__floordiv__ "
    "frame.__rfloordiv__ frame.mod frame.rmod frame.__mod__ frame.__rmod__ frame.pow frame.rpow frame.eq frame.__eq__ frame.ne frame.__ne__ "
    "frame.lt frame.__lt__ frame.le frame.__le__ frame.gt frame.__gt__ frame.ge frame.__ge__ frame.div frame.divide frame.rdiv frame.multiply "
    "frame.subtract",
    "s.OP(sl)",
)
cases(
    "frame.__add__ frame.__radd__ frame.__sub__ frame.__rsub__ frame.__mul__ frame.__rmul__ frame.__truediv__ frame.__rtruediv__ frame.floordiv "
    "frame.rfloordiv frame.__floordiv__ frame.__rfloordiv__ frame.mod frame.rmod frame.__mod__ frame.__rmod__ frame.__pow__ frame.__rpow__ "
    "frame.__eq__ frame.__ne__ frame.__lt__ frame.__le__ frame.__gt__ frame.__ge__",
    "s.OP(s.mean())",
)
cases(
    "frame.__add__ frame.__radd__ frame.__sub__ frame.__rsub__ frame.__mul__ frame.__rmul__ frame.__truediv__ frame.__rtruediv__ frame.__pow__ "
    "frame.__rpow__ frame.__eq__ frame.__ne__ frame.__lt__ frame.__le__ frame.__gt__ frame.__ge__",
    "s.OP(np.arange(12.0))", "num.OP(num.mean())", "num.OP(np.arange(36).reshape(12, 3))", "dn.f.OP(dn.f)", "num[num.k > 2].OP(num[num.k > 2])",
)
cases(
    "frame.__add__ frame.__radd__ frame.__sub__ frame.__rsub__ frame.__mul__ frame.__rmul__ frame.__truediv__ frame.__rtruediv__ frame.__pow__ "
    "frame.__rpow__ frame.eq frame.__eq__ frame.ne frame.__ne__ frame.lt frame.__lt__ frame.le frame.__le__ frame.gt frame.__gt__ frame.ge "
    "frame.__ge__",
    "dn.q.OP(2)",
)
cases(
    "frame.floordiv frame.rfloordiv frame.__floordiv__ frame.__rfloordiv__ frame.mod frame.rmod frame.__mod__ frame.__rmod__",
    "(num.abs() + 1).OP(num.abs() + 2)", "(num.abs() + 1).OP(2)", "s.OP(2)", "(num.abs() + 1).OP([1, 2, 3])",
)
cases(
    "frame.__and__ frame.__rand__ frame.__or__ frame.__ror__ frame.__xor__ frame.__rxor__",
    "(num > 1).OP((num > 1))", "(si > 2).OP((si > 2))", "(si > 2).OP(True)", "dn.p.OP(dn.p)",
)
cases(
    "frame.eq frame.__eq__ frame.ne frame.__ne__ frame.lt frame.__lt__ frame.le frame.__le__ frame.gt frame.__gt__ frame.ge frame.__ge__",
    "ts.OP(ts)", "st.OP('x')", "dn.o.OP('m')", "ts.OP(pd.Timestamp('2013-01-05'))",
)
