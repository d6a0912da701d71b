"""What happens in place: operators, `out=`, `x.shape = ...`; memory order; what is fetched, and what never changes."""

import itertools
import weakref
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt
from tests.oracle import assert_like


def arrays() -> tuple[Any, Any]:
    data = np.arange(24.0).reshape(4, 6)
    return mt.tensor(data, chunk_size=((1, 3), (4, 2))), data.copy()


def test_an_alias_sees_what_happens_in_place() -> None:
    f = mt.tensor(np.arange(4.0), chunk_size=2)
    later, w = f + 0, f
    w += 1
    assert w is f
    assert f.execute().fetch().tolist() == [1, 2, 3, 4]
    assert later.execute().fetch().tolist() == [0, 1, 2, 3]
    for text in ("f -= 1", "f *= 3", "f /= 2", "f //= 1", "f **= 2", "f %= 3"):
        exec(text, {"f": f})
    want = ((np.arange(4.0) * 3 / 2) // 1) ** 2 % 3
    assert f.execute().fetch().tolist() == want.tolist()
    i = mt.tensor(np.arange(4), chunk_size=3)
    for text in ("i &= 6", "i |= 1", "i ^= 2", "i <<= 2", "i >>= 1"):
        exec(text, {"i": i})
    assert i.execute().fetch().tolist() == ((((np.arange(4) & 6) | 1) ^ 2) << 2 >> 1).tolist()


def test_in_place_keeps_dtype_and_shape() -> None:
    i, f = mt.tensor([1, 2, 3]), mt.tensor([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        i += 0.5
    with pytest.raises(TypeError):
        i /= 2
    with pytest.raises(TypeError):
        f *= 1j
    with pytest.raises(ValueError):
        f += f[:, None]
    i += True
    f += i
    f += np.float32(1)
    assert i.execute().fetch().tolist() == [2, 3, 4]
    assert f.execute().fetch().tolist() == [4, 6, 8]
    assert (i.dtype, f.dtype) == (np.int64, np.float64)
    row = mt.zeros((2, 3))
    row += f
    assert row.execute().fetch().tolist() == [[4, 6, 8]] * 2


def test_out() -> None:
    x, a = arrays()
    out = mt.zeros((4, 6), chunk_size=5)
    assert mt.add(x, 1, out=out) is out
    assert_like(out.execute().fetch(), a + 1)
    whole = mt.zeros((4, 6), dtype="i8")
    with pytest.raises(TypeError):
        mt.sqrt(x, out=whole)
    with pytest.raises(ValueError):
        mt.add(x, 1, out=mt.zeros((4, 5)))
    with pytest.raises(TypeError):
        mt.add(x, 1, out=np.zeros((4, 6)))
    small = mt.zeros((4, 6), dtype="f4")
    mt.multiply(x, 2, out=small)
    assert_like(small.execute().fetch(), (a * 2).astype("f4"))
    base, mirror = mt.zeros((8, 6), chunk_size=3), np.zeros((8, 6))
    mt.negative(x, out=base[2:6])
    np.negative(a, out=mirror[2:6])
    mt.add(x, 1, out=base[::2], where=x > 10)
    np.add(a, 1, out=mirror[::2], where=a > 10)
    mt.take(x, [0, 1], 1, out=base[:4, 4:])
    np.take(a, [0, 1], 1, out=mirror[:4, 4:])
    mt.concatenate([x, x], out=base)
    np.concatenate([a, a], out=mirror)
    assert_like(base.execute().fetch(), mirror)


@pytest.mark.parametrize(
    "text",
    [
        "m.sum(x, axis=0, out=two)", "m.mean(x, axis=0, out=two)", "m.argmax(x, axis=0, out=two.astype('i8'))", "m.cumsum(x[0], out=two)",
        "m.median(x, axis=0, out=two)", "m.around(x[0], out=two)", "m.take(x, [0], axis=0, out=two)", "m.concatenate([x[:1, :2], x[:1, 2:]], 1, out=two)",
        "m.dot(x, x[0], out=two[:, :4])", "m.compress([True], x, axis=0, out=two)", "m.trace(x, out=two)", "m.add(x[0], 1, out=two)",
        "m.clip(x[0], 1, 3, out=two)", "m.matmul(x, x[0], out=two[:, :4])", "m.quantile(x, 0.5, axis=0, out=two)", "m.outer(x[0], x[0], out=six)",
    ],
)  # fmt: skip
def test_only_ufuncs_repeat_their_result_to_fill_out(text: str) -> None:
    x, a = arrays()
    shapes = {"two": (2, 6), "six": (2, 6, 6)}
    ours = {"m": mt, "x": x} | {name: mt.zeros(shape) for name, shape in shapes.items()}
    theirs = {"m": np, "x": a} | {name: np.zeros(shape) for name, shape in shapes.items()}
    try:
        want = eval(text, theirs)
    except ValueError:
        with pytest.raises(ValueError, match="does not fit into shape"):
            eval(text, ours)
    else:
        assert_like(eval(text, ours).execute().fetch(), want)


def test_ufuncs_with_two_results_and_with_casting() -> None:
    a = np.array([[1.7, 2.5], [-3.0, 0.3]])
    x = mt.tensor(a, chunk_size=1)
    first, second = mt.zeros((2, 2)), mt.zeros((2, 2), dtype="i4")
    assert tuple(mt.frexp(x, first, second).execute()) == (first, second)
    assert_like([first.execute().fetch(), second.execute().fetch()], list(np.frexp(a)))
    fractions, whole = mt.modf(x, None, first)
    assert whole is first
    assert_like([fractions.execute().fetch(), first.execute().fetch()], list(np.modf(a)))
    with pytest.raises(TypeError, match="out1= and out2=, or out=, not both"):
        mt.modf(x, first, out=(first, first))
    assert [part.order for part in mt.modf(x, order="F")] == ["F", "F"]
    assert_like(
        mt.add(x, x, dtype="i4", casting="unsafe").execute().fetch(),
        np.add(a, a, dtype="i4", casting="unsafe"),
    )
    with pytest.raises(TypeError, match="same_kind"):
        mt.add(x, x, dtype="i4")


# Ours stays; NumPy wants reshape() since 2.5.
BY_ASSIGNMENT = pytest.mark.filterwarnings("ignore:Setting the shape on a NumPy array:DeprecationWarning")


@BY_ASSIGNMENT
def test_shape_assigned() -> None:
    x, a = arrays()
    for t in (x, a):
        view = t[1:3]
        view.shape = (3, 4)
        view[0] = -5
    assert_like(x.execute().fetch(), a)
    y = mt.tensor(np.arange(6.0), chunk_size=4)
    y.shape = (2, 3)
    assert y.shape == (2, 3)
    y[1] = 0
    assert y.execute().fetch().tolist() == [[0, 1, 2], [0, 0, 0]]
    with pytest.raises(ValueError):
        y.shape = (4, 2)


@BY_ASSIGNMENT
@pytest.mark.parametrize("executed", [False, True])
def test_shape_assigned_while_views_live(executed: bool) -> None:
    x, a = arrays()
    pairs = []
    for t in (x, a):
        whole = t[...]
        row, turned = whole[1], t.T
        inner = row[2:5]
        if executed and t is x:
            x.execute()
        t.shape = (3, 8)
        row[0] = -1
        t[2] = t[2] * 3
        turned[5] = -2
        whole.shape = (2, 12)
        t.shape = (24,)
        inner += 7
        t[-1] = -3
        whole[0, :3] = -4
        pairs.append((t, whole, row, turned, inner, t[4:6]))
    for ours, theirs in zip(*pairs, strict=True):
        assert ours.shape == theirs.shape
        assert_like(ours.execute().fetch(), np.asarray(theirs))


def test_sorted_in_place_while_views_live() -> None:
    x, a = arrays()
    pairs = []
    for t in (x, a):
        t *= -1
        view = t[1:3]
        turned = view.T
        t.sort()
        turned += 1
        view.sort(axis=0)
        pairs.append((t, view, turned))
    for ours, theirs in zip(*pairs, strict=True):
        assert_like(ours.execute().fetch(), theirs)


def test_views_are_known_weakly() -> None:
    x, _ = arrays()
    view = x[1:]
    gone = weakref.ref(view)
    del view
    assert gone() is None
    x.shape = (24,)
    assert x.execute().fetch().shape == (24,)


def test_order() -> None:
    f = mt.ones((3, 4), order="F", chunk_size=2)
    assert (f.order, f.T.order, (f + f).order, (f + mt.ones((3, 4))).order) == ("F", "C", "F", "C")
    assert f.execute().fetch().flags.f_contiguous
    assert (f + 1).execute().fetch().flags.f_contiguous
    assert f.T.execute().fetch().flags.c_contiguous
    for made in (mt.ones((3, 4)).copy("F"), mt.ones((3, 4)).astype("i4", order="F"), mt.asfortranarray(np.ones((3, 4))),
                 mt.tensor(np.ones((4, 3)).T, chunk_size=2), mt.zeros_like(f), mt.array(f), mt.full((3, 4), 2, order="F")):  # fmt: skip
        assert made.order == "F"
        assert made.execute().fetch().flags.f_contiguous
    assert mt.ascontiguousarray(f).execute().fetch().flags.c_contiguous
    with pytest.raises(ValueError):
        mt.ones((3, 4), order="Q")


IN_ORDER = [
    "x + 1", "x * 2 - x", "x + x[0]", "x + m.array(2.0)", "x + y", "m.where(x > 1, x, 0)", "m.exp(x, order='C')", "m.sqrt(x, order='F')", "m.modf(x)[0]",
    "m.cumsum(x, axis=0)", "m.cumsum(x)", "m.sort(x)", "m.argsort(x)", "m.partition(x, 1)", "z.sum(axis=0)", "z.mean(axis=1)", "z.max(axis=2)",
    "z.argmax(axis=0)", "x.sum(axis=0, keepdims=True)", "x[[0, 2]]", "x[x[:, 0] > 1]", "m.take(x, [0, 1], axis=0)", "m.compress([True, False, True], x, axis=0)",
    "m.delete(x, 0, 0)", "m.insert(x, 0, 5, 0)", "x.T", "x.copy()", "x.copy('K')", "x.astype('f4')", "x.astype('f4', order='C')", "x.reshape(4, 3, order='F')",
    "x[:, [0, 2]]", "x[1:, x[0] > 1]", "x[[0, 2], 1:]", "z[:, [0, 1], 0]", "z[0, :, [0, 1]]", "m.take(x, [0, 1], axis=1)", "m.delete(x, 0, 1)", "m.compress([True, False, True], x, axis=1)",
    "m.roll(x, 1)", "m.roll(x, 1, axis=1)", "m.eye(3, order='F')", "m.repeat(x, 2, axis=1)", "m.tile(x, (2, 1))", "m.vstack([x, y])", "m.triu(x)", "m.diff(x)", "m.nan_to_num(x)", "m.choose(x > 1, [x, 0])",
    "x.reshape((2, 6), order='A')", "x.ravel('K')", "x.flatten('F')", "m.array(x)", "m.asarray(x, order='F')", "m.concatenate([x, x])", "m.concatenate([x, y])",
    "m.zeros_like(x)", "m.full_like(x, 2, order='C')", "m.squeeze(x[None])", "m.clip(x, 1, 2)", "m.round(x)", "x @ x.T", "m.matmul(x, y.T, order='C')", "m.matmul(x, y.T, order='F')", "(x + 1).T", "m.full((1, 4), 2.0)",
]  # fmt: skip


def test_memory_order_is_numpys() -> None:
    a, c = np.arange(12.0).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4)
    f = np.asfortranarray
    for x, y, z in ((a, f(a), c), (f(a), a, f(c))):
        names = {"m": np, "x": x, "y": y, "z": z}
        ours = {"m": mt} | {n: mt.tensor(v, chunk_size=2) for n, v in names.items() if n != "m"}
        for text in IN_ORDER:
            want, made = eval(text, names), eval(text, ours)
            got = made.execute().fetch()
            assert_like(got, want)
            for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS"):
                assert made.flags[flag] == got.flags[flag] == want.flags[flag], (text, flag)


def test_memory_order_of_a_frames_values_is_pandas() -> None:
    whole = pd.DataFrame({"a": [1, 2, 3], "b": [3.0, 4, 5]})
    for chunk_size in (None, 2):
        df = md.DataFrame(whole, chunk_size=chunk_size)
        for made in (
            df.to_tensor(),
            df.values,
            mt.tensor(df),
            df.to_tensor("f4"),
            mt.from_dataframe(df),
            df.a.to_tensor(),
        ):
            got = made.execute().fetch()
            assert (made.flags["F_CONTIGUOUS"], got.flags.f_contiguous) == (True, True)


def test_what_is_written_into_keeps_its_memory_order() -> None:
    for order, other in (("F", "C"), ("C", "F")):
        out, x = mt.zeros((3, 4), order=order), mt.ones((3, 4), order=other)
        mt.add(x, 1, out=out)
        assert (out.order, out.execute().fetch().flags[f"{order}_CONTIGUOUS"]) == (order, True)
        out += x
        mt.cumsum(x, axis=0, out=out)
        mt.copyto(out, x)
        out.sort()
        out[0] = x[1]
        assert (out.order, out.execute().fetch().flags[f"{order}_CONTIGUOUS"]) == (order, True)


def test_slices_of_executed_tensors_are_fetched_alone() -> None:
    x, a = arrays()
    with pytest.raises(ValueError, match="Cannot fetch unexecuted"):
        x[:2].fetch()
    x.execute()
    assert_like(x[:2, 3:5].fetch(), a[:2, 3:5])
    assert x[1, 2].fetch() == a[1, 2]
    assert_like(x[1:][::-1].fetch(), a[1:][::-1])
    with pytest.raises(ValueError):
        x[[0, 1]].fetch()
    with pytest.raises(ValueError):
        (x + 1)[:2].fetch()


def test_source_is_never_written() -> None:
    source = np.arange(4.0)
    t = mt.tensor(source)
    t[...] = 0
    t.execute()
    assert source.tolist() == [0, 1, 2, 3]
    fetched = mt.tensor(source).execute().fetch()
    fetched[0] = 99
    assert source[0] == 0
    kept = t.execute()
    kept.fetch()[0] = 5
    assert kept.fetch()[0] == 0


def test_nothing_runs_while_writing() -> None:
    from marsdask.plan.meta import nothing_runs

    with nothing_runs():
        x, _ = arrays()
        v = x[1:].T
        v[x[0] > 2] = 5
        x[x > 3] = mt.arange(3)
        v += 1
        assert v.shape == (6, 3)
    with pytest.raises(ValueError):
        marsdask.execute(x)


def test_memory_order_of_parts_and_turned_axes_is_that_of_numpys_copy() -> None:
    keys: list[Any] = [
        (slice(1, 3),),
        (slice(0, 9), slice(None), None),
        (0,),
        (slice(None), 1),
        (..., slice(None, None, -1)),
    ]
    for whole in (np.arange(24.0).reshape(4, 3, 2), np.asfortranarray(np.arange(24.0).reshape(4, 3, 2))):
        t = mt.tensor(whole, chunk_size=2)
        pairs = [(t[key], whole[key]) for key in keys]
        pairs += [(t.transpose(axes), whole.transpose(axes)) for axes in itertools.permutations(range(3))]
        pairs += [(t.swapaxes(0, 2), whole.swapaxes(0, 2)), (mt.moveaxis(t, 0, 1), np.moveaxis(whole, 0, 1))]
        for made, want in pairs:
            got, copied = made.execute().fetch(), want.copy("A")
            assert_like(got, copied)
            for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS"):
                assert got.flags[flag] == copied.flags[flag], (want.shape, flag)
    positions = mt.argwhere(mt.tensor([[1, 0], [1, 1]], chunk_size=1)).execute().fetch()
    assert positions.flags.f_contiguous


@pytest.mark.parametrize("chunk_size", [2, 9])
def test_what_a_function_or_a_user_writes_is_not_the_tensors(chunk_size: int) -> None:
    def writes(part: Any) -> Any:
        part[0] = 99
        return part

    t = mt.tensor(np.arange(9.0), chunk_size=chunk_size).execute()
    assert t.map_chunk(writes, dtype="f8").execute().fetch()[0] == 99
    for data in (t.fetch(), np.asarray(t), t.to_numpy(), t.compute(), t.to_dask().compute(), t[:3].fetch()):
        if data.flags.writeable:
            data[:] = 99
    assert t.fetch().tolist() == list(range(9))
    assert t.sum().execute().fetch() == 36


def test_matmul_keeps_to_numpys_casting() -> None:
    x = mt.ones((2, 2))
    with pytest.raises(TypeError, match="same_kind"):
        mt.matmul(x, x, dtype="i4")
    out = mt.zeros((2, 2), dtype="i4", order="F")
    mt.matmul(x, x, out=out, casting="unsafe")
    assert_like(out.execute().fetch(), np.full((2, 2), 2, dtype="i4"))
    assert out.order == "F"


def test_code_for_arrays_of_dask_writes_into_nothing() -> None:
    """dask-ml's StandardScaler subtracts the mean from what it is given, in place."""
    known: dict[str, Any] = {"__name__": "dask_ml.preprocessing.data"}
    exec("def centred(x, y):\n    x -= y\n    x /= 2\n    return x", known)
    x, frame = mt.ones((2, 2)), md.DataFrame({"a": [1.0, 2.0]})
    for each in (x, x[0], frame, frame["a"]):
        before = each.execute().fetch()
        made = known["centred"](each, 1).execute().fetch()
        assert np.array_equal(np.asarray(made), (np.asarray(before) - 1) / 2)
        assert np.array_equal(np.asarray(each.fetch()), np.asarray(before))
    assert x.execute().fetch().tolist() == [[1, 1], [1, 1]]
