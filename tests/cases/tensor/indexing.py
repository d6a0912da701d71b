"""Cases of tensor/indexing."""

from tests.cases import cases

# fmt: off
cases(
    "Tensor.__getitem__",
    "x, 2", "x, np.s_[1:5, ::-2]", "x, np.s_[..., None, 1]", "x, (None, Ellipsis)", "c3, np.s_[-1, :, 1:]", "x, np.s_[::-1, ::-1]", "x, ()",
    "x, [3, 0, 0, 6]", "x, np.s_[:, [4, 1]]", "x, ([1, 6, 0], [0, 4, 2])", "c3, np.s_[[1, 3], :, [0, 2]]", "c3, np.s_[:, [1, 2], [0, 2]]",
    "c3, np.s_[0, :, [1, 2]]", "c3, np.s_[:, 0, [1, 2]]", "c3, np.s_[[3], ..., [1]]", "c3, np.s_[:, [2], ..., [1]]",
    "c3, np.s_[None, [1, 2], 1:, None]", "x, np.ix_([1, 5, 2], [3, 0])", "c3, np.ix_([1, 3], [0], [4, 0])", "x, np.array([[0, 1], [6, 3]])",
    "c3, (1, np.array([[0, 1], [2, 0]]))", "x, [[True, False, True, False, False, True, True]]", "v, v > 0", "x, x > 3", "x, x[:, 0] > 0",
    "c3, c3[:, :, 0] > 5", "c3, c3[0] > 5", "c3, (slice(None), c3[0] > 5)", "c3, (slice(1, 3), c3[0, :, 0] > 5)",
    "x, (x[:, 0] > 0, slice(None, None, -2))", "x, (x[:, 0] > 0, 1)", "x, (x[:, 0] > 0, [1])", "x, (None, x[:, 0] > 0, None)", "x, True", "x, False",
    "c3, (True, 1)", "c3, (slice(None), True, [1, 0])", "x, np.bool_(True)", "x, np.array([], int)", "x, []", "s0, ()", "s0, ...", "s0, None",
    "x, w[:3] % 5", "x, (n[:, 0], n[:, 1] % 5)", "c3, (slice(None), n[0, :2] % 3)", "x, n % 7", "v, w[0]", "x, 7", "x, -8", "x, (0, 0, 0)", "x, 1.0",
    "x, [0, 9]", "x, [1.5]", "x, x", "x, 'a'", "x, b[:4]", "x, ([0, 1], [0, 1, 2])", "x, np.s_[::0]", "x, (..., ...)", "x, np.s_[1.0:]",
    "x, np.array(2)", "x, (np.int8(-1), np.uint8(3))", "e, []", "e, x[:0, 0] > 0", "x, np.s_[5:2]", "x, np.s_[-100:100]", "x, (x > 0, 0)",
    "s0, s0 > 1", "s0, s0 < 1", "s0, np.array(True)", "s0, (None, s0 > 1)", "x, s0 > 1", "x, s0 < 1", "x, (s0 > 1, slice(1, None))",
    "c3, (slice(1, None), s0 > 1, [0, 1])",
)
