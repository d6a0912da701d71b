"""Cases of dataframe/order."""

from tests.cases import cases

# fmt: off
cases("frame.transpose", "num.transpose()", "num.T", "s.transpose()", "num.describe().T", "df.T")
cases(
    "frame.dot",
    "num.dot([1, 2, 3])", "num.dot(np.arange(6).reshape(3, 2))", "num.dot(pd.Series([1.0, 2, 3], index=['k', 'v', 'i']))", "num.dot(num.T)",
    "si.dot(si)", "s.dot(si)", "si.dot(num[['k', 'i']])", "num.dot([1, 2])", "num.dot(num.corr())", "num @ [1, 2, 3]", "si @ si",
)
