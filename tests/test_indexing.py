"""Reading and writing by index: unknown lengths, errors, values that NumPy casts; NumPy's protocols."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.errors import MarsDaskError
from tests.oracle import assert_like

A = (np.arange(42).reshape(6, 7) * 37) % 101 + 0.5
LAYOUTS = [None, 2, ((1, 4, 1), (3, 4)), ((2, 0, 4), (7,))]


def data_of(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [data_of(v) for v in value]
    return value.execute().fetch() if hasattr(value, "execute") else value


SETS = ["x[2] = 1", "x[-1, ::-2] = y[:4]", "x[1:4, 2:] = y[:5]", "x[..., 0] = y[:6]", "x[:, None, 1] = 4", "x[None, 2:4] = y", "x[[0, 5], [0, 5]] = [8, 9]", "x[:, [1, 2]] = y[:2]",
        "x[[4, 0]] = y", "x[[3, 1], 1:4] = y[:3]", "x[1:5:2, [6, 0, 3]] = y[:3]", "x[np.ix_([5, 1], [2, 6])] = y[:2]", "x[x > 50] = 0", "x[x > 50] = np.arange((A > 50).sum())",
        "x[x[:, 0] > 30] = y", "x[x[:, 0] > 30, 2:4] = y[:2]", "x[:, x[0] > 30] = 3", "x[x[:, 0] > 30, 0] = 3", "x[b] = 2", "x[b] = y[:1]", "x[[True, False, True, False, False, True]] = y",
        "x[np.array([[0, 1], [2, 5]]), 3] = y[:4].reshape(2, 2)", "x[[1, 1, 1], [2, 2, 2]] = [1, 2, 3]", "x[x[:, 0] > 30] = y[:, None][:1]", "x[True] = 5", "x[False] = 5", "x[True, 1] = y",
        "x[...] = y", "x[()] = 3", "x[[]] = 9", "x[x > 1000] = 5", "x[5:2] = 9", "x[1, 2] = 7", "x[1, 2] += 7", "x[[0, 0]] += 1", "x[::-1] = x", "x[1:] = x[:-1]", "x[:, 0] = x[0, :6]", "x[[2, 3]] = x[[3, 2]]",
        "x.T[1:3] = y[:6]", "x[0] = x[1] + x[2]", "x[m.array([1, 0])] = y", "x[m.array([1, 0]), m.array([2, 3])] = y[:2]", "x[2:4] = y.astype('i4')", "x[0] = 1 + 0j if False else 2", "x[x[0] > 30][0] = 1" if False else "x[0] = 1",
        "x[1] = True", "x[2:3] = y[None]", "x[:, 1:2] = y[:6, None]", "m.put(x, [0, 40, 3], [1, 2])", "m.put(x, [99, -1], 5, mode='clip')", "m.fill_diagonal(x, [1, 2])", "m.fill_diagonal(x.T, 7, wrap=True)",
        "m.copyto(x, y)", "m.copyto(x, 3, where=x > 50)", "m.copyto(x[1:3], y[None])", "np.copyto(x, y)", "np.fill_diagonal(x, 4)", "np.add.at(x, ([0, 0, 1], [1, 1, 2]), 5)", "np.negative.at(x, [0, 3, 0])", "np.maximum.at(x, np.s_[1:3], y)"]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("text", SETS)
def test_set_is_numpys(text: str, layout: Any) -> None:
    y = np.arange(7) * 1.25 - 100
    theirs = {"x": A.copy(), "y": y, "b": A % 3 > 1}
    ours = {
        "x": mt.tensor(A, chunk_size=layout),
        "y": mt.tensor(y, chunk_size=3),
        "b": mt.tensor(A % 3 > 1, chunk_size=4),
    }
    exec(text, {"np": np, "m": np, "A": A}, theirs)
    exec(text, {"np": np, "m": mt, "A": A}, ours)
    assert_like(data_of(ours["x"]), theirs["x"])


UNKNOWN_GETS = ["u[0]", "u[-1]", "u[1:]", "u[::-1]", "u[:, 2]", "u[[0, 1]]", "u[[-1, 0], [0, 1]]", "u[u > 50]", "u[u[:, 0] > 40]", "u[..., None]", "u[m.array([1, 0])]", "u[-2:, ::3]", "u.T[0]",
                "u[:, [3, 1]]", "u[1:][:, 1:][0]", "u[[True] + [False] * (len(N) - 1)]", "u[np.ix_([0, 1], [2, 0])]", "u[:, u[0] > 40]", "m.take(u, [1, 0], 0)", "m.flip(u)", "u.reshape(-1)",
                "u.reshape(-1, 1)", "m.concatenate([u, u])", "m.stack([u, u])", "m.where(u > 40, u, 0)", "m.roll(u, 1, 0)", "m.repeat(u, 2, 0)", "m.tile(u, 2)", "m.nonzero(u > 40)[0]", "m.argwhere(u > 40)",
                "m.insert(u, 1, 0.0, axis=0)", "m.delete(u, 0, axis=0)", "m.compress([True, True], u, 0)", "m.tril(u)", "m.diag(u)", "m.vstack([u, u[:1]])", "m.split(u, [1])[1]", "m.swapaxes(u, 0, 1)",
                "m.expand_dims(u, 0)", "m.zeros_like(u)", "m.full_like(u, 3)", "m.atleast_3d(u)", "u.rechunk(2) if hasattr(u, 'rechunk') else u", "m.append(u, u, 0)", "m.ravel(u)", "u.copy()", "m.broadcast_arrays(u, 1.0)[1]"]  # fmt: skip


@pytest.mark.parametrize("text", UNKNOWN_GETS)
def test_unknown_lengths(text: str) -> None:
    keep = A[:, 0] > 20
    n = A[keep]
    u = mt.tensor(A, chunk_size=2)[mt.tensor(keep)]
    assert np.isnan(u.shape[0])
    assert_like(
        data_of(eval(text, {"u": u, "m": mt, "np": np, "N": n})),
        eval(text, {"u": n, "m": np, "np": np, "N": n}),
    )


@pytest.mark.parametrize("text", ["u[9]", "u[[0, 9]]", "u[[True, False]]"])
def test_unknown_lengths_are_checked_when_run(text: str) -> None:
    u = mt.tensor(A, chunk_size=2)[mt.tensor(A[:, 0] > 20)]
    with pytest.raises(IndexError) as caught:
        eval(text, {"u": u}).execute()
    assert isinstance(caught.value, MarsDaskError)
    with pytest.raises(ValueError):
        (u[:2] + mt.ones((3, 7))).execute()
    with pytest.raises(ValueError):
        len(u)


SET_ERRORS = [("x[9] = 1", IndexError), ("x[[0, 9]] = 1", IndexError), ("x[1.0] = 1", IndexError), ("x[0] = [1, 2]", ValueError), ("x[x > 50] = [1, 2]", ValueError), ("x[0, 0, 0] = 1", IndexError),
              ("x['a'] = 1", IndexError), ("x[:3] = m.ones((2, 7))", ValueError), ("x[0] = 1j", TypeError), ("i[0] = float('nan')", ValueError), ("x[[True]] = 1", IndexError), ("x[0] = 'word'", ValueError),
              ("x[m.array([0.5])] = 1", IndexError), ("x[::0] = 1", ValueError), ("m.copyto(i, 0.5)", TypeError), ("m.copyto(x, m.ones((3, 3)))", ValueError), ("i[0] = 2 ** 80", OverflowError),
              ("m.fill_diagonal(x[0], 1)", ValueError), ("m.put(x, [99], 1)", IndexError), ("x.reshape(6, 8)", ValueError), ("m.copyto([1], 2)", TypeError)]  # fmt: skip


@pytest.mark.parametrize(("text", "error"), SET_ERRORS)
def test_set_errors(text: str, error: type[Exception]) -> None:
    ours = {"x": mt.tensor(A, chunk_size=2), "i": mt.tensor(np.arange(6), chunk_size=2)}
    with pytest.raises(error):
        exec(text + "\nx.execute()", {"np": np, "m": mt}, ours)
    if "> 50" not in text:  # what only a run can tell is found at execute
        assert_like(data_of(ours["x"]), A)
        assert_like(data_of(ours["i"]), np.arange(6))


def test_values_are_cast_as_in_assignments() -> None:
    i, a = mt.tensor(np.arange(6), chunk_size=4), np.arange(6)
    for t in (i, a):
        t[0] = 2.9
        t[1:3] = np.array([7.7, -1.2])
        t[[3]] = [True]
        t[4] = np.float32(3.5)
    assert_like(data_of(i), a)
    n = mt.tensor(np.arange(4, dtype="i1"))
    with pytest.raises(OverflowError):
        n[0] = 300


def test_an_earlier_result_does_not_see_a_later_write() -> None:
    x = mt.tensor(A, chunk_size=3)
    later = x + 1
    value = mt.ones((7,)) * 3
    x[0] = value
    value[...] = 8
    assert_like(data_of(later), A + 1)
    assert data_of(x)[0].tolist() == [3.0] * 7
    index = np.array([1, 2])
    picked = x[index]
    index[:] = 0
    assert_like(data_of(picked), A[[1, 2]])


def test_indexes_of_other_kinds() -> None:
    x = mt.tensor(A, chunk_size=3)
    assert_like(data_of(x[pd.Series([1, 0])]), A[[1, 0]])
    assert_like(data_of(x[md.Series([2, 4])]), A[[2, 4]])
    assert_like(data_of(x[range(2)]), A[[0, 1]])
    assert_like(data_of(x[mt.tensor(1) : mt.tensor(4)]), A[1:4])
    assert_like(data_of(x[mt.tensor(2)]), A[2])
    assert len(list(iter(x))) == 6
    assert 0.5 in x
    assert 0.25 not in x


def test_small_whole_numbers_count_from_the_end_of_a_long_axis() -> None:
    line, places = np.arange(1000), np.array([-1, 3], np.int8)
    x = mt.tensor(line, chunk_size=300)
    assert_like(data_of(x[places]), line[places])
    x[places] = 7
    line[places] = 7
    assert_like(data_of(x), line)


def test_reading_runs_nothing_and_knows_its_shape() -> None:
    from marsdask.plan.meta import nothing_runs

    with nothing_runs():
        x = mt.tensor(A, chunk_size=2)
        assert x[[1, 2], :, None].shape == (2, 7, 1)
        assert np.isnan(x[x > 3].shape[0])
        assert x[A > 50].shape == ((A > 50).sum(),)
        assert x[:, mt.array([1, 2, 3])].shape == (6, 3)
        with pytest.raises(IndexError):
            x[6]
        with pytest.raises(IndexError):
            x[[0, 6]]
        with pytest.raises(IndexError):
            x[1.5]


class TestProtocol:
    x = mt.tensor(A, chunk_size=((1, 5), (4, 3)))

    @pytest.mark.parametrize("text", [
        "np.add(x, 1)", "a + x", "a == x", "np.float64(2) * x", "np.add.reduce(x)", "np.add.reduce(x, axis=None)", "np.maximum.reduce(x, axis=1, keepdims=True)", "np.hypot.reduce(x)", "np.subtract.reduce(x, axis=1)",
        "np.logical_or.reduce(x > 90)", "np.add.accumulate(x, axis=1)", "np.minimum.accumulate(x)", "np.subtract.outer(x[0], x[1])", "np.add.reduceat(x, [0, 2, 4])", "np.modf(x)", "np.concatenate([x, a])",
        "np.stack([x, x], 1)", "np.where(x > 50, x, 0)", "np.split(x, [2])", "np.ones_like(x)", "np.fliplr(x)", "np.concat([x, x])", "np.permute_dims(x, (1, 0))", "np.amax(x)", "np.linalg.norm(x)", "np.shape(x)",
        "np.ndim(x)", "np.size(x, 1)", "np.iscomplexobj(x)", "np.reshape(x, -1)", "np.tile(x, 2)", "np.insert(x, 1, 5, axis=0)", "np.take(x, [1, 0])", "np.nonzero(x > 50)", "np.broadcast_to(x, (2, 6, 7))", "np.copy(x)",
        "np.linalg.matmul(x, x.T)", "np.linalg.outer(x[0], x[1])", "np.linalg.tensordot(x, x)", "np.linalg.trace(np.stack([x, x + 1]))", "np.linalg.trace(x, offset=1)",
    ])  # fmt: skip
    def test_same_as_numpy(self, text: str) -> None:
        ours = eval(text, {"np": np, "a": A, "x": self.x})
        lazy = ours if isinstance(ours, (tuple, list)) else [ours]
        assert all(isinstance(v, (mt.Tensor, int, bool)) for v in lazy)
        assert_like(data_of(ours), eval(text, {"np": np, "a": A, "x": A}))

    def test_outer_of_linalg_takes_vectors_only(self) -> None:
        with pytest.raises(ValueError, match="one-dimensional"):
            np.linalg.outer(self.x, self.x[0])

    def test_out(self) -> None:
        out = mt.zeros((6, 7), chunk_size=4)
        assert np.add(self.x, 1, out=out) is out
        assert_like(data_of(out), A + 1)
        row = mt.zeros((7,))
        np.add.reduce(self.x, axis=0, out=row)
        assert_like(data_of(row), A.sum(0))
        with pytest.raises(TypeError, match="expected a tensor, got ndarray"):
            np.add(self.x, 1, out=np.zeros((6, 7)))
        with pytest.raises(TypeError):
            np.sqrt(self.x, out=mt.zeros((6, 7), dtype="i8"))

    @pytest.mark.parametrize("name", ["pad", "apply_along_axis", "kaiser"])
    def test_what_is_missing_is_a_type_error_that_names_it(self, name: str) -> None:
        call = {
            "pad": lambda: np.pad(self.x, 1),
            "apply_along_axis": lambda: np.apply_along_axis(np.sum, 0, self.x),
            "kaiser": lambda: np.copyto(np.zeros((6, 7)), self.x),
        }
        with pytest.raises(TypeError, match=name if name != "kaiser" else "copyto"):
            call[name]()

    def test_nothing_runs(self) -> None:
        from marsdask.plan.meta import nothing_runs

        with nothing_runs():
            np.sort(self.x)
            np.split(self.x, 2)
            np.copy(self.x)
            np.array_equal(self.x, self.x)
            np.partition(self.x, 1)
            np.add.reduce(self.x)


@pytest.mark.parametrize(
    "call",
    [
        "m.ones((2,), gpu=True)",
        "m.tensor([1], gpu=True)",
        "m.arange(3, gpu=True)",
        "m.eye(3, gpu=True)",
        "m.zeros_like(m.ones(2), gpu=True)",
        "m.linspace(0, 1, gpu=True)",
    ],
)
def test_gpu_is_refused(call: str) -> None:
    with pytest.raises(NotImplementedError, match="gpu"):
        eval(call, {"m": mt})


@pytest.mark.parametrize(
    "made", ["m.ones((10, 10), chunk_size=c)", "m.tensor(np.ones((10, 10)), chunk_size=c)", "m.eye(10, chunk_size=c)", "m.full((10, 10), 2, chunk_size=c)",
             "m.zeros_like(np.ones((10, 10)), chunk_size=c)", "m.ones((10, 10)).rechunk(c)", "m.empty((10, 10), chunk_size=c)", "m.array(np.ones((10, 10)), chunk_size=c)"],
)  # fmt: skip
def test_chunk_size(made: str) -> None:
    def splits(c: Any) -> Any:
        return eval(made, {"m": mt, "np": np, "c": c}).execute().nsplits

    assert splits(3) == ((3, 3, 3, 1), (3, 3, 3, 1))
    assert splits((3, 4)) == ((3, 3, 3, 1), (4, 4, 2))
    assert splits(((2, 2, 6), (5, 5))) == ((2, 2, 6), (5, 5))
    assert splits(((2, 8), 5)) == ((2, 8), (5, 5))
    assert splits({0: np.int64(3)}) == ((3, 3, 3, 1), (10,))
    assert splits((3,)) == ((3, 3, 3, 1), (10,))
    for bad in (0, -1, 3.0, "auto", (3, 4, 5), ((2, 2), 5), {5: 2}):
        with pytest.raises((ValueError, TypeError)) as caught:
            eval(made, {"m": mt, "np": np, "c": bad})
        assert isinstance(caught.value, MarsDaskError)


def test_shape_of_unknown_length_is_lazy() -> None:
    u = mt.tensor(A, chunk_size=2)[mt.tensor(A[:, 0] > 20)]
    count = int((A[:, 0] > 20).sum())
    assert data_of(mt.shape(u)) == [count, 7]
    assert data_of(mt.size(u)) == count * 7
    assert mt.shape(mt.ones((2, 3))) == (2, 3)


def test_map_chunk() -> None:
    x = mt.tensor(A, chunk_size=((1, 5), (4, 3)))
    assert_like(data_of(x.map_chunk(np.add, args=(1,))), A + 1)
    assert_like(data_of(x.map_chunk(_scaled, by=3)), A * 3)
    assert_like(data_of(x.map_chunk(_numbered, with_chunk_index=True))[:, 0], np.array([0.0, 1, 1, 1, 1, 1]))
    first = x.map_chunk(_first_row)
    assert np.isnan(first.shape[0])
    assert data_of(first).shape == (2, 7)
    with pytest.raises(TypeError, match="dtype"):
        x.map_chunk(_fails)
    with pytest.raises(ValueError, match="map_chunk"):
        x.map_chunk(_first_row, dtype="f8", shape=(6, 7)).execute()


def _scaled(block: Any, by: float) -> Any:
    return block * by


def _numbered(block: Any, chunk_index: Any) -> Any:
    return np.full(block.shape, float(chunk_index[0]))


def _first_row(block: Any) -> Any:
    return block[:1]


def _fails(block: Any) -> Any:
    raise ZeroDivisionError


def test_masks_without_axes() -> None:
    x = mt.tensor([1.0, 2.0]).sum()
    assert x[x > x.mean()].execute().fetch().tolist() == []
    assert x[x > 1].execute().fetch().tolist() == [3]
    t = mt.tensor(3.5)
    v = t[...]
    t[t < 1] = 9
    assert t.execute().fetch() == 3.5
    t[t > 1] = mt.tensor([7.0])
    assert (t.execute().fetch(), v.execute().fetch()) == (7, 7)
    assert t[t < 1].execute().fetch().shape == (0,)
    twice = mt.tensor(3.5)
    twice[twice > 1] = [1, 2]
    with pytest.raises(ValueError, match="shape"):
        twice.execute()
    w, a = mt.tensor(np.arange(6.0), chunk_size=4), np.arange(6.0)
    w[t > 1, 2:] = 5
    a[np.array(True), 2:] = 5
    w[t < 1] = 8
    assert_like(w.execute().fetch(), a)
