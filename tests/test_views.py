"""Views: writes go both ways, transitively, as NumPy's do; random chains beside a NumPy mirror."""

import random
from typing import Any

import numpy as np
import pytest

import marsdask.tensor as mt
from tests.oracle import assert_like

Pair = tuple[Any, Any]


def both(text: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Pair:
    return eval(text, {"m": mt, "np": np, **ours}), eval(text, {"m": np, "np": np, **theirs})


def distinct(rand: np.random.RandomState, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    size = int(np.prod(shape))
    return (rand.permutation(size) + 1000 * rand.randint(1, 9)).reshape(shape).astype(dtype)


class Keys:
    """Random keys for a shape, as text."""

    def __init__(self, rand: random.Random):
        self.rand = rand

    def bound(self, n: int) -> str:
        return self.rand.choice(["", str(self.rand.randint(-n - 1, n + 1))])

    def slice(self, n: int) -> str:
        step = self.rand.choice(["", "", "2", "-1", "-2", "3"])
        return f"{self.bound(n)}:{self.bound(n)}:{step}"

    def basic(self, shape: tuple[int, ...]) -> str:
        entries = []
        for n in shape:
            pick = self.rand.random()
            if pick < 0.15:
                entries.append("None")
            entries.append(
                str(self.rand.randrange(-n, n))
                if n and pick < 0.35
                else self.slice(n)
                if pick < 0.85
                else ":"
            )
        while entries and self.rand.random() < 0.3:
            entries.pop()
        if self.rand.random() < 0.2:
            entries.insert(self.rand.randint(0, len(entries)), "...")
        return ", ".join(entries) + "," if entries else "..."

    def fancy(self, name: str, shape: tuple[int, ...]) -> str:
        """A key with index arrays, lists, masks or tensors in it."""
        kind = self.rand.choice(
            ["one", "one", "two", "ix", "mask", "row mask", "2-d", "tensor", "int and list"]
        )
        n = len(shape)
        at = self.rand.randrange(n)

        def some(length: int, axis: int) -> list[int]:
            return [self.rand.randrange(-shape[axis], shape[axis]) for _ in range(length)]

        entries = [self.slice(k) if self.rand.random() < 0.6 else ":" for k in shape]
        if kind == "mask" or not all(shape):
            return f"{name} % 3 == {self.rand.randrange(3)}"
        if kind == "row mask":
            entries[at] = f"({name}[{', '.join(':' if i == at else '0' for i in range(n))}] % 2 == 0)"
        elif kind == "two" and n > 1:
            other = self.rand.choice([i for i in range(n) if i != at])
            entries[at], entries[other] = str(some(3, at)), str(some(3, other))
        elif kind == "ix" and n > 1:
            entries = [f"*np.ix_({', '.join(str(some(2, i)) for i in range(2))})", *entries[2:]]
        elif kind == "2-d":
            entries[at] = f"np.array([{some(2, at)}, {some(2, at)}])"
        elif kind == "tensor":
            entries[at] = f"m.array({some(3, at)})"
        elif kind == "int and list" and n > 1:
            other = self.rand.choice([i for i in range(n) if i != at])
            entries[at], entries[other] = str(some(2, at)), str(self.rand.randrange(shape[other]))
        else:
            entries[at] = str(some(self.rand.randint(0, 4), at))
        if self.rand.random() < 0.1:
            entries.insert(self.rand.randint(0, len(entries)), "None")
        return ", ".join(entries) + ","


def view_of(name: str, array: np.ndarray, keys: Keys, rand: random.Random) -> str:
    """The text of a view of an array, or of a copy where NumPy copies."""
    n = array.ndim
    options = [f"{name}[{keys.basic(array.shape)}]", f"{name}.T", f"{name}.ravel()", f"{name}.reshape(-1)", f"m.expand_dims({name}, 0)", f"m.flip({name})", f"m.atleast_2d({name})",
               f"m.squeeze({name}[..., None], -1)", f"{name}.view()", f"{name}.astype({name}.dtype, copy=False)", f"m.atleast_3d({name})", f"{name}.reshape(-1, 1)"]  # fmt: skip
    if n > 1:
        options += [
            f"m.swapaxes({name}, 0, -1)",
            f"m.moveaxis({name}, 0, -1)",
            f"m.rollaxis({name}, {n - 1})",
            f"{name}.transpose()",
            f"m.flip({name}, 1)",
            f"{name}.reshape({array.shape[0]}, -1)",
        ]
    if n:
        options += [f"m.split({name}, [1])[1]", f"m.array_split({name}, [1, 2])[1]"]
    if array.dtype.kind == "c":
        options += [f"{name}.real", f"{name}.imag"]
    return rand.choice(options)


def run_chain(seed: int, start: list[Pair], steps: int) -> None:
    """Random views, copies, writes and in-place arithmetic on a pool of tensors; all must equal their mirrors."""
    rand = random.Random(seed)
    keys = Keys(rand)
    ours = {f"a{i}": pair[0] for i, pair in enumerate(start)}
    theirs = {f"a{i}": pair[1] for i, pair in enumerate(start)}
    chain: list[str] = []
    try:
        for _ in range(steps):
            name = rand.choice(list(theirs))
            array = theirs[name]
            kind = rand.choice(["view", "view", "basic set", "fancy set", "in place", "fancy get", "execute"])
            if kind == "execute":
                chain.append(f"{name}.execute()")
                ours[name].execute()
                continue
            if kind in ("view", "fancy get") and len(theirs) < 9:
                if kind == "fancy get" and not array.ndim:
                    continue
                text = (
                    view_of(name, array, keys, rand)
                    if kind == "view"
                    else f"{name}[{keys.fancy(name, array.shape)}]"
                )
                if "reshape" in text and not array.size:
                    continue
                new = f"a{len(theirs)}"
                chain.append(f"{new} = {text}")
                made, mirror = both(text, ours, theirs)
                # What NumPy makes by fancy indexing may lie in memory in an order of its own; ours lies in C order.
                mirror = np.array(mirror, order="C") if kind == "fancy get" else np.asarray(mirror)
                ours[new], theirs[new] = made, mirror
                continue
            number = rand.randint(1, 10**6)
            if kind == "in place":
                text = f"{name} += {number}"
            else:
                key = (
                    keys.basic(array.shape)
                    if kind == "basic set" or not array.ndim
                    else keys.fancy(name, array.shape)
                )
                shape = np.shape(eval(f"{name}[{key}]", {"m": np, "np": np, **theirs}))
                choice = rand.choice(["number", "array", "last axis", "tensor"])
                value = np.arange(number, number + int(np.prod(shape))).reshape(shape)
                if choice == "number":
                    right = str(number)
                elif choice == "last axis" and shape:
                    right = (
                        f"np.array({value.reshape(-1)[: shape[-1]].tolist() if value.size else [0]})"
                        if value.size
                        else "0"
                    )
                else:
                    right = f"{'m' if choice == 'tensor' else 'np'}.array({value.reshape(-1).tolist()}, dtype='i8').reshape({shape})"
                text = f"{name}[{key}] = {right}"
            chain.append(text)
            exec(text, {"m": np, "np": np}, theirs)
            exec(text, {"m": mt, "np": np}, ours)
        for name, array in theirs.items():
            got = ours[name].execute().fetch()
            assert_like(np.asarray(got), np.asarray(array))
            assert ours[name].shape == array.shape
    except BaseException:
        print(f"seed {seed}, chain:\n  " + "\n  ".join(chain))
        raise


SHAPES = [(7, 5), (11,), (4, 3, 5), (6, 6), (2, 3, 4, 3)]
CHUNKS = [2, 3, None]


def ragged(shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple((1, n - 2, 1) if n > 3 else (n,) for n in shape)


@pytest.mark.parametrize("seed", range(150))
def test_views_and_writes_are_numpys(seed: int) -> None:
    rand = np.random.RandomState(seed)
    shape = SHAPES[seed % len(SHAPES)]
    data = distinct(rand, shape, "f8" if seed % 4 == 1 else "i8")
    chunk_size = ragged(shape) if seed % 3 == 0 else CHUNKS[rand.randint(3)]
    run_chain(seed, [(mt.tensor(data, chunk_size=chunk_size), data.copy())], 10)


@pytest.mark.parametrize("seed", range(1000, 1060))
def test_views_and_writes_of_unknown_lengths(seed: int) -> None:
    rand = np.random.RandomState(seed)
    shape = SHAPES[seed % 3]
    data = distinct(rand, shape, "i8")
    keep = data.reshape(len(data), -1)[:, 0] % 4 != 0
    keep[:3] = True
    tensor = mt.tensor(data, chunk_size=2)[mt.tensor(keep, chunk_size=3)]
    assert np.isnan(tensor.shape[0])
    chain = UnknownChain(seed, tensor, data[keep])
    chain.run()


class UnknownChain:
    """Writes and views whose keys do not need the unknown length at the call."""

    def __init__(self, seed: int, tensor: Any, mirror: np.ndarray):
        self.rand = random.Random(seed)
        self.ours: dict[str, Any] = {"a": tensor}
        self.theirs: dict[str, Any] = {"a": mirror.copy()}

    def run(self) -> None:
        steps = ["b = a[1:]", "b = a[::-1]", "b = a.T", "b = a[-2:]", "b = a[..., None]", "b = m.flip(a, 0)", "b = a.reshape(-1)", "b = m.swapaxes(a, 0, -1)",
                 "b = a[:2]", "b = m.split(a, [1])[1]", "b = a"]  # fmt: skip
        writes = ["b[...] = 7", "b[0] = 9", "b[-1] = 11", "b[::2] = 13", "a[[0, 2]] = 15", "a[a % 3 == 0] = 17", "b += 1", "a[1:][0] = 19", "a[[True, False, True] + [False] * (K - 3)] = 21",
                  "a[a % 2 == 0] = m.arange(C)", "b *= 2", "a[[1, 1]] = 3", "a[m.array([2, 0])] = 23"]  # fmt: skip
        chain = [self.rand.choice(steps), *self.rand.choices(writes, k=3)]
        try:
            for text in chain:
                a = self.theirs["a"]
                text = text.replace("K", str(len(a))).replace("C", str(int((a % 2 == 0).sum())))
                exec(text, {"m": np}, self.theirs)
                exec(text, {"m": mt}, self.ours)
            for name, array in self.theirs.items():
                got = self.ours[name].execute().fetch()
                assert_like(np.asarray(got), np.asarray(array))
        except BaseException:
            print("\n".join(chain))
            raise


def arrays() -> Pair:
    data = np.arange(24.0).reshape(4, 6)
    return mt.tensor(data, chunk_size=((1, 3), (4, 2))), data.copy()


VIEWS = ["x[1:3]", "x[:, ::-2]", "x[2]", "x[None, 1:]", "x.T", "x.ravel()", "x.reshape(3, 8)", "m.swapaxes(x, 0, 1)", "m.moveaxis(x, 0, 1)", "m.rollaxis(x, 1)", "x[1:2].squeeze()",
         "m.expand_dims(x, 1)", "m.flip(x)", "m.flipud(x)", "m.fliplr(x)", "m.atleast_3d(x)", "m.atleast_2d(x[0])", "x.real", "x.view()", "x.astype('f8', copy=False)", "m.asarray(x)",
         "m.split(x, 2)[1]", "m.array_split(x, [1])[1]", "m.vsplit(x, 2)[0]", "m.hsplit(x, 3)[2]", "x[1:][:, 2:].T[0]", "x.reshape(-1)[3:9].reshape(2, 3)", "x.T.T[1]", "x[...]", "m.real(x)"]  # fmt: skip
COPIES = ["x.copy()", "x.flatten()", "m.array(x)", "x[[1, 2]]", "x[x > 3]", "x.astype('f8')", "x.T.ravel()", "x.T.reshape(-1)", "x[:, ::4].reshape(-1)", "x[:, 1:].ravel()", "m.copy(x)",
          "x + 0", "m.concatenate([x, x])", "m.repeat(x, 1, 0)", "m.tile(x, 1)", "x.reshape(-1, order='F')", "m.roll(x, 1)", "m.where(x > 0, x, x)", "m.take(x, [0, 1], 0)"]  # fmt: skip


@pytest.mark.parametrize("executed", [False, True])
@pytest.mark.parametrize("text", VIEWS)
def test_view_writes_go_both_ways(text: str, executed: bool) -> None:
    x, a = arrays()
    if executed:
        x.execute()
    v, b = eval(text, {"x": x, "m": mt}), eval(text, {"x": a, "m": np})
    assert np.shares_memory(a, b)
    v[...] = v * 2 + 1
    b[...] = b * 2 + 1
    assert_like(x.execute().fetch(), a)
    x[1, 2:4] = -7
    a[1, 2:4] = -7
    assert_like(np.asarray(v.execute().fetch()), b)
    assert_like(x.execute().fetch(), a)


@pytest.mark.parametrize("text", COPIES)
def test_copies_do_not(text: str) -> None:
    x, a = arrays()
    v, b = eval(text, {"x": x, "m": mt}), eval(text, {"x": a, "m": np})
    assert not np.shares_memory(a, b)
    v[...] = -1
    x[...] = x + 5
    b[...] = -1
    a[...] = a + 5
    assert_like(x.execute().fetch(), a)
    assert_like(v.execute().fetch(), b)


@pytest.mark.parametrize(
    "text", ["m.broadcast_to(x, (2, 4, 6))", "m.diag(x)", "m.broadcast_arrays(x, x[:1])[1]", "m.imag(x)"]
)
def test_read_only_views_follow_and_refuse(text: str) -> None:
    x, a = arrays()
    v, b = eval(text, {"x": x, "m": mt}), eval(text, {"x": a, "m": np})
    with pytest.raises(ValueError, match="read-only"):
        v[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        v += 1
    x[1] = -4
    a[1] = -4
    assert_like(v.execute().fetch(), np.asarray(b))
    d = mt.diag(mt.tensor([1.0, 2.0]))
    d[0, 1] = 5  # a new matrix is no view
    assert d.execute().fetch().tolist() == [[1, 5], [0, 2]]


def test_rechunk_is_a_view() -> None:
    x, a = arrays()
    y = x.rechunk(3)
    y[0] = -1
    a[0] = -1
    assert_like(x.execute().fetch(), a)
    x[1] = -2
    a[1] = -2
    assert_like(y.execute().fetch(), a)
    assert y.nsplits == ((3, 1), (3, 3))


def test_parts_of_complex_numbers() -> None:
    a = np.arange(6) + 1j * np.arange(6, 12)
    x = mt.tensor(a, chunk_size=4)
    for t in (x, a):
        t.real = 5
        t.imag[1:3] = [7, 8]
        t.imag += 1
        t[::2].real[...] = -1
    assert_like(x.execute().fetch(), a)
    f = mt.tensor([1.0, 2.0])
    f.real = 3
    assert f.execute().fetch().tolist() == [3, 3]


def test_flat() -> None:
    x, a = arrays()
    for t in (x, x.T, a, a.T):
        t.flat[3:7] = -1
        t.flat[[0, 9]] = [50, 60]
        t.flat[10:16] = [1, 2]
    assert_like(x.execute().fetch(), a)
    copy = x.flat[2:5]
    copy[...] = 99
    assert_like(x.execute().fetch(), a)
    x.flat = 2
    assert (x.execute().fetch() == 2).all()
    assert len(x.flat) == 24


def test_fields_of_records() -> None:
    whole = np.array([(1.0, 2), (3.0, 4), (0.0, 9), (3.0, 1)], dtype=[("f", "f8"), ("g", "i4")])
    t, a = mt.tensor(whole, chunk_size=3), whole.copy()
    f, v = t["f"], a["f"]
    for text in (
        "x['f'] = [5, 6, 7, 8]", "x['g'][1:3] = 0", "v[3] = -1", "x['f'][x['g'] > 1] = 0.5", "v *= 2", "x[['f', 'g']] = x[['f', 'g']][::-1].copy()",
        "x[0] = (1, 1)", "x[1:]['g'] += 1", "x['f'] = v[::-1].copy()",
    ):  # fmt: skip
        exec(text, {"x": t, "v": f})
        exec(text, {"x": a, "v": v})
        assert_like(t.execute().fetch(), a)
        assert_like(f.execute().fetch(), v)
    assert_like(t[["g"]].execute().fetch(), a[["g"]])
    assert_like(t[1]["f"].execute().fetch(), a[1]["f"])
    nested = np.dtype([("a", "i4"), ("b", [("c", "i2"), ("d", "f8")])])
    pair = mt.zeros((4, 5), dtype=nested, chunk_size=3), np.zeros((4, 5), dtype=nested)
    for x in pair:
        x[1:4, 1] = (3, (5, 6.5))
        x[1:4, 2] = 8
        x[2:4] = np.arange(10).reshape(2, 5)
    assert_like(pair[0].execute().fetch(), pair[1])
    for key in ("h", ["f", "h"]):
        with pytest.raises(ValueError, match="no field of name 'h': expected one of f, g"):
            t[key]
        with pytest.raises(ValueError, match="no field of name 'h'"):
            t[key] = 1
    with pytest.raises(IndexError):
        mt.ones(3)["f"]
