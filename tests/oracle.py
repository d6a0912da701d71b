"""Oracle tests made from the registry: each entry's `cases`, on one chunk, many, ragged ones and an empty one.

A tensor case is the text of arguments, `"x, axis=0"`, or with `f` in it a whole expression, `"f(x)[0]"`; names are those of
`ARRAYS`. A frame case is a whole expression, `"df.fillna(0)"`, over the names of `FRAMES`, with `md` for the module.
The same text is evaluated with NumPy or pandas and with marsdask.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import operator
import os
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import CodeType
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from packaging.version import Version

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context
from marsdask.engine.base import Threads
from marsdask.plan import graph, passes, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import Handle
from marsdask.plan.meta import ObjectMeta, nothing_runs, raising_scheduler
from marsdask.plan.registry import Op
from marsdask.session.results import tasks_of
from tests.cases import CASES, ORACLES

rng = np.random.RandomState(7)


def _distinct(shape: tuple[int, ...], dtype: Any = "f8") -> np.ndarray:
    """Distinct values in mixed order: constant data hide wrong indices."""
    size = math.prod(shape)
    return (rng.permutation(size) - size // 3).astype(dtype).reshape(shape)


ARRAYS: dict[str, np.ndarray] = {
    "x": _distinct((7, 5)) + 0.25,
    "y": _distinct((7, 5)) * 1.5 - 2.0,
    "u": (rng.permutation(35) / 36.0 + 0.01).reshape(7, 5),  # inside (0, 1)
    "i": _distinct((7, 5), "i8"),
    "n": np.abs(_distinct((7, 5), "i8")) % 6,  # small whole numbers with ties
    "b": _distinct((7, 5)) % 3 == 0,
    "z": _distinct((7, 5)) + 1j * _distinct((7, 5)),
    "h": np.where(_distinct((7, 5)) % 4 == 0, np.nan, _distinct((7, 5))),  # with holes
    "v": _distinct((11,)) + 0.5,
    "w": _distinct((11,), "i8"),
    "sq": _distinct((6, 6)) / 9 + 6 * np.eye(6),
    "spd": np.eye(6) * 8 + np.ones((6, 6)),
    "c3": _distinct((4, 3, 5)),
    "m57": _distinct((5, 7)),
    "s0": np.array(3.5),
    "e": np.empty((0, 5)),
    "g": np.where(_distinct((7, 5)) % 5 == 1, np.nan, np.where(_distinct((7, 5)) % 4 == 1, -np.inf, 3.0)),
    "vn": np.where(_distinct((23,)) % 6 == 1, np.nan, _distinct((23,)) // 3),  # with holes and ties
    "xo": np.roll(np.arange(-11.0, 24).reshape(5, 7).T, 3).astype(object) / 4,  # Python's numbers
    "vo": np.array([Decimal(n * 5 % 11 - 3) / 8 for n in range(11)], object),
    "to": np.array(list("hbkaczefgid"), object),
    "lo": np.array([2**62 + n * 7 % 11 for n in range(11)], object),  # longer than 64 bits when added
    "ho": np.where(np.arange(35) % 4 == 2, np.nan, np.arange(35) * 6 % 35 / 4 - 3)
    .reshape(7, 5)
    .astype(object),
}
LAYOUTS = ("one", "many", "ragged", "empty")


def chunks_for(shape: tuple[int, ...], layout: str) -> Any:
    """`chunk_size` of a layout: whole axes, twos, uneven ones, or uneven ones with an empty chunk on the first axis."""
    if layout == "one":
        return tuple((n,) for n in shape)
    if layout == "many":
        return 2

    def uneven(n: int) -> tuple[int, ...]:
        return (1, n - 3, 2) if n > 3 else (n,)

    if layout == "ragged":
        return tuple(uneven(n) for n in shape)
    return tuple(
        ((2, 0, n - 2) if n >= 2 else (n, 0)) if axis == 0 else uneven(n) for axis, n in enumerate(shape)
    )


class Names(dict[str, Any]):
    """Names for `eval`: made when a case uses them."""

    def __init__(self, make: Callable[[str], Any], known: Iterable[str], **fixed: Any):
        super().__init__(fixed)
        self.make, self.known = make, known

    def __missing__(self, name: str) -> Any:
        if name not in self.known:
            raise KeyError(name)
        self[name] = made = self.make(name)
        return made


def tensors(layout: str) -> Names:
    def make(name: str) -> Any:
        return mt.tensor(ARRAYS[name], chunk_size=chunks_for(ARRAYS[name].shape, layout))

    return Names(make, ARRAYS)


def _frames() -> dict[str, Any]:
    n = 12
    order = rng.permutation(n)
    df = pd.DataFrame(
        {
            "k": [3, 1, 2, 3, 5, 1, 2, 2, 4, 3, 5, 1],
            "v": np.where(np.arange(n) % 5 == 3, np.nan, order * 1.5 - 4),
            "i": order[::-1].astype("i8") - 5,
            "s": list("xyzxyzwxyzab"),
            "t": pd.date_range("2013-01-01", periods=n, freq="17h")[order],
        }
    )
    labelled = df.set_axis([7, 3, 9, 3, 1, 12, 8, 0, 7, 2, 5, 4], axis=0)  # unsorted, with duplicates
    dated = df.drop(columns="t").set_axis(pd.date_range("2020-01-01", periods=n, freq="7h"), axis=0)
    nullable = pd.DataFrame(
        {
            "q": pd.array([1, None, 3, 1, None, 2, 3, 1, 2, 2, 5, 4], dtype="Int64"),
            "c": pd.Categorical(list("bacbacbbaacb"), categories=["c", "a", "b", "unused"]),
            "o": pd.Categorical(list("lmhhlmhlmhlm"), categories=list("lmh"), ordered=True),
            "p": pd.array([True, None, False] * 4, dtype="boolean"),
            "f": np.where(np.arange(n) % 4 == 1, np.nan, order.astype("f4")).astype("f4"),
        }
    )
    named = df[["k", "v", "i"]].set_axis(np.arange(n) * 7 % 13 * 10, axis=0).rename_axis("row", columns="of")
    other = named.iloc[::-2].drop(columns="v").assign(w=named.k * 2).rename_axis("other", columns="else")
    right = pd.DataFrame({"k": [2, 3, 3, 7, 1, None], "r": [10.0, 20, 30, 40, 50, 60], "s": list("xwzyab")})
    return {
        "df": df, "dl": labelled, "dd": dated, "dn": nullable, "num": df[["k", "v", "i"]],
        "s": df["v"], "si": df["i"], "st": df["s"], "sl": labelled["v"], "sd": dated["v"], "sc": nullable["c"], "sq": nullable["q"],
        "ts": df["t"], "right": right, "rdf": right.set_index("s"), "e": df.iloc[:0], "na": named, "nb": other,
    }  # fmt: skip


FRAMES = _frames()


def frames(layout: str) -> Names:
    def make(name: str) -> Any:
        whole = FRAMES[name]
        chunk_size = {0: chunks_for((len(whole),), layout)[0] if layout != "many" else 3}
        return (md.DataFrame if whole.ndim == 2 else md.Series)(whole, chunk_size=chunk_size)

    return Names(make, FRAMES)


def fetched(value: Any) -> Any:
    """The data of a handle, or of handles in tuples and lists, run first."""
    if isinstance(value, Handle):
        return value.execute().fetch()
    if isinstance(value, tuple):
        return tuple(fetched(v) for v in value)
    if isinstance(value, list):
        return [fetched(v) for v in value]
    return value


def of_some(
    text: str, kinds: Iterable[str], asked: Callable[[str], bool], always: Iterable[str] = ()
) -> None:
    """Ask a text of three kinds that the text itself draws, of others where `asked` says that there was no answer to compare.

    Those of `always` are asked too, and have one.
    """
    assert all(map(asked, always))
    left = sorted(kinds)
    random.Random(text).shuffle(left)
    compared = filter(asked, left)
    assert list(itertools.islice(compared, 3))


def assert_like(
    ours: Any, want: Any, *, rtol: float = 1e-10, atol: float = 1e-12, dtype: bool = True
) -> None:
    """Equal values, dtype, shape, index and names; holes in the same places."""
    if isinstance(want, (tuple, list)) and not isinstance(want, str):
        assert len(ours) == len(want), (len(ours), len(want))
        for a, b in zip(ours, want, strict=True):
            assert_like(a, b, rtol=rtol, atol=atol, dtype=dtype)
    elif isinstance(want, pd.DataFrame):
        pd.testing.assert_frame_equal(ours, want, rtol=rtol, atol=atol, check_freq=False, check_dtype=dtype)
    elif isinstance(want, pd.Series):
        pd.testing.assert_series_equal(ours, want, rtol=rtol, atol=atol, check_freq=False, check_dtype=dtype)
    elif isinstance(want, pd.Index):
        pd.testing.assert_index_equal(ours, want, exact="equiv")
    elif isinstance(want, pd.Categorical):
        pd.testing.assert_extension_array_equal(ours, want)
    elif isinstance(want, (np.ndarray, np.generic)):
        assert np.shape(ours) == want.shape, (np.shape(ours), want.shape)
        if dtype:
            assert np.asarray(ours).dtype == want.dtype, (np.asarray(ours).dtype, want.dtype)
        if want.dtype == object and np.asarray(ours).dtype == object and all(map(_is_float, want.flat)):
            ours, want = ours.astype(float), want.astype(float)
        if want.dtype.char in "efF":  # few digits: the order of additions shows
            rtol, atol = max(rtol, 1e-5), max(atol, 1e-5)
        np.testing.assert_allclose(ours, want, rtol=rtol, atol=atol) if want.dtype.kind in "fc" else (
            np.testing.assert_array_equal(ours, want)
        )
    elif want is pd.NA or want is None or want is pd.NaT:
        assert ours is want
    elif _is_float(want):
        assert isinstance(want, float) or isinstance(ours, Decimal), type(ours)
        np.testing.assert_allclose(float(ours), float(want), rtol=rtol, atol=atol)
    else:
        assert ours == want, (ours, want)


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, Decimal))


def assert_meta(handle: Any, value: Any, *, holes: bool = False) -> None:
    """What was known before the run is what came out: shape, dtype, columns, names.

    `holes`: only the run could tell whether there are any, beside which whole numbers and booleans have another dtype.
    """
    if isinstance(handle, tuple):
        for h, v in zip(handle, value, strict=True):
            assert_meta(h, v)
        return
    if holes and isinstance(value, pd.DataFrame):
        promised = handle.known.empty.dtypes
        value = graph.with_dtypes(
            value,
            [
                of if of == value.iloc[:0, i].reindex([0]).dtype else value.dtypes.iloc[i]
                for i, of in enumerate(promised)
            ],
        )
    known = handle.known
    shape = np.shape(value)
    assert len(known.shape) == len(shape), (known.shape, shape)
    assert all(math.isnan(a) or a == b for a, b in zip(known.shape, shape, strict=True)), (known.shape, shape)
    if isinstance(value, pd.DataFrame):
        pd.testing.assert_index_equal(known.empty.columns, value.columns, exact="equiv")
        pd.testing.assert_series_equal(known.empty.dtypes, value.dtypes)
        assert known.empty.index.names == value.index.names
    elif isinstance(value, pd.Series):
        assert known.empty.dtype == value.dtype, (known.empty.dtype, value.dtype)
        assert known.empty.name == value.name
        assert known.empty.index.names == value.index.names
    elif isinstance(value, np.ndarray):
        assert known.dtype == value.dtype, (known.dtype, value.dtype)


def evaluate(op: Op, case: str, names: dict[str, Any], function: Any, module: Any) -> Any:
    code = compiled(case if "f(" in case or op.room.startswith("dataframe") else f"f({case})")
    names |= {"f": function, "np": np, "pd": pd, "md": module}
    # A comprehension inside of a case looks its names up among the globals; a lambda has its module from there, which
    # cloudpickle would else look for in every module that is imported: 9 ms each time.
    used = {name: names[name] for name in code.co_names if name in names.known}
    return eval(code, {**names, **used, "__name__": __name__})


@functools.lru_cache(maxsize=8)
def compiled(text: str) -> CodeType:
    return compile(text, "case", "eval")


@contextlib.contextmanager
def runs_nothing(op: Op) -> Iterator[None]:
    """Building an expression starts no computation, unless the operation's trait says that it "runs"."""
    if "runs" in op.traits:
        yield
        return
    with nothing_runs(), mock.patch.object(Threads, "submit", raising_scheduler):
        yield


OLDER: tuple[tuple[Any, str, tuple[str, ...], str], ...] = (
    (np, "2.1", ("min=2, max=6",), "np.clip has no min= and max="),
    (np, "2.3", ("weights=u",), "NumPy's weighted quantiles take another element"),
    (pd, "3.1", ("merge(df, right, on='k')", "df.merge(right, on='k')", "right.set_index('k'), on='k')"), "an inner merge has another order than the left side's"),
    (pd, "3.1", ("skew(", "kurt(", "kurtosis("), "moments of nullable and float32 columns are worked out in single precision"),
    (pd, "3.1", (".to_pydatetime()",), "to_pydatetime has another index"),
    (pd, "3.1", ("dn.groupby(['q', 'c'], observed=False).size()",), "size counts missing keys into a group"),
    (pd, "3.1", ("(['sum', 'mean'], axis=1)",), "agg over rows has another order"),
)  # fmt: skip
"""Cases in which an older NumPy or pandas differs from the present one, which ours follows: library, version, texts, how."""


def skip_where_the_oracle_is_older(case: str) -> None:
    for library, version, texts, how in OLDER:
        if Version(library.__version__) < Version(version) and any(text in case for text in texts):
            pytest.skip(f"{library.__name__} before {version}: {how}")


WITHOUT = "ragged, without passes"
WAYS = tuple(os.environ.get("MARSDASK_TEST_LAYOUTS", "").split()) or (*LAYOUTS, WITHOUT)
"""On which layouts cases run: with the oldest versions the whole, and chunks one of which is empty, where libraries differ."""
assert {*WAYS} <= {*LAYOUTS, WITHOUT}, (
    f"MARSDASK_TEST_LAYOUTS={' '.join(WAYS)!r}: expected some of {', '.join(LAYOUTS)}"
)
PASSES_OFF = {f"optimize.{name}": False for name in ("share", "fuse", "drop", "batch")}
COMPARED: Counter[str] = Counter()
"""How often something was compared with the oracle, by the file of the operation; `tests.phases` reads it."""


def check_case(op: Op, case: str, *ways: str) -> None:
    """One case against the oracle, which is asked once, on the layouts of `ways`, or on all.

    Without passes only where a pass changed what was to run on the ragged layout: else it would be the same once more.
    """
    skip_where_the_oracle_is_older(case)
    failed: list[Exception] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"), passes_noted() as touched:
        warnings.simplefilter("ignore")
        want, function = wanted(op, case), registry.function_of(op)
        for way in ways or WAYS:
            if way == WITHOUT and not touched:
                continue
            COMPARED[family(op)] += 1
            touched.clear()
            try:
                with option_context(PASSES_OFF if way == WITHOUT else {}):
                    check_layout(op, case, function, way.partition(",")[0], want)
            except Exception as error:
                error.add_note(f"{op.name}, {case}, {way}")
                failed.append(error)
    if failed:
        raise failed[0] if len(failed) == 1 else ExceptionGroup(f"{len(failed)} layouts differ", failed)


def family(op: Op) -> str:
    """The file of an operation, such as "tensor/sort"."""
    path = Path(op.source.rpartition(":")[0])
    return f"{path.parent.name}/{path.stem}" if op.source else op.room


@dataclass(frozen=True)
class Raises:
    """The oracle raises one of these."""

    kinds: tuple[type[BaseException], ...]


def wanted(op: Op, case: str) -> Any:
    """What the oracle says."""
    plain = _inputs(op)
    try:
        return evaluate(op, case, Names(lambda name: plain[name].copy(), plain), oracle_of(op), pd)
    except Exception as error:
        return Raises(_builtin(error))


def _inputs(op: Op) -> dict[str, Any]:
    return FRAMES if op.room.startswith("dataframe") else ARRAYS


def check_layout(op: Op, case: str, function: Callable[..., Any], layout: str, want: Any) -> None:
    """One case on one layout: values, metadata before the run, and errors alike."""
    inputs = frames(layout) if _inputs(op) is FRAMES else tensors(layout)
    if isinstance(want, Raises):
        with np.testing.assert_raises(want.kinds):
            fetched(evaluate(op, case, inputs, function, md))
        return
    with runs_nothing(op):
        made = evaluate(op, case, inputs, function, md)
    several = made if isinstance(made, (tuple, list)) else (made,)
    metas = [h.known if isinstance(h, Handle) else None for h in several]
    ours = fetched(made)
    assert_like(ours, want)
    for handle in several:
        if isinstance(handle, Handle):
            assert_chunks_agree(handle)
            if not isinstance(handle.known, ObjectMeta):
                assert_meta(handle, fetched(handle))  # now that it has run, exactly
    for known, value in zip(metas, ours if several is made else (ours,), strict=True):
        if known is not None and not isinstance(known, ObjectMeta):
            assert_meta(_Known(known), value, holes=op.source.rpartition(":")[0].endswith("joining/merge.py"))


@contextlib.contextmanager
def passes_noted() -> Iterator[set[str]]:
    """The names of the passes that change something while this lasts."""
    touched: set[str] = set()

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(before: Any, *more: Any) -> Any:
            after = function(before, *more)
            same = (
                before.keys() == after.keys()
                if isinstance(before, dict)
                else all(map(operator.is_, before, after))
            )
            if not same:
                touched.add(function.__name__)
            return after

        return noted

    with contextlib.ExitStack() as stack:
        for module, names in (
            (passes, ("share", "drop", "fuse")),
            (graph, ("narrowed", "lined_up", "batched")),
        ):
            for name in names:
                stack.enter_context(mock.patch.object(module, name, noting(getattr(module, name))))
        yield touched


def assert_chunks_agree(handle: Any) -> None:
    """No chunk of an executed frame has dtypes of its own: what follows would work on other values in each."""
    result = handle._result
    if result is None or not isinstance(result.collection, Chunks):
        return
    parts = [graph.data_of(t) for t in tasks_of(result.collection)]
    if not isinstance(parts[0], (pd.DataFrame, pd.Series)):
        return
    want = graph.concat(parts)
    for part in parts:
        if part.ndim == 2:  # not by assert_series_equal, which took a twentieth of the time of all cases
            assert part.columns.equals(want.columns), (part.columns, want.columns)
            assert list(part.dtypes) == list(want.dtypes), (part.dtypes, want.dtypes)
        else:
            assert part.dtype == want.dtype, (part.dtype, want.dtype)


class _Known:
    """Stands for a handle as it was before it ran."""

    def __init__(self, known: Any):
        self.known = known


def _builtin(error: Exception) -> tuple[type[BaseException], ...]:
    wide = {pd.errors.MergeError: ValueError, np.linalg.LinAlgError: ValueError}
    return (wide.get(type(error), type(error)),)


DOMAIN = {
    "arcsin": "u",
    "arccos": "u",
    "arctanh": "u",
    "log": "u",
    "log2": "u",
    "log10": "u",
    "sqrt": "u",
    "arccosh": "1 + u",
}
WHOLE = ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "invert", "bitwise_not")


def oracle_of(op: Op) -> Any:
    """What an operation is compared with."""
    return ORACLES.get(op.name, op.oracle)


def cases_of(op: Op) -> tuple[str, ...]:
    """The operation's cases; for ufuncs without any, operands that fit the ufunc."""
    if op.name in CASES or not isinstance(op.oracle, np.ufunc):
        return CASES.get(op.name, ())
    nin = op.oracle.nin
    if op.name in WHOLE:
        return ("i",) if nin == 1 else ("i, n", "i, 3")
    if op.name in ("left_shift", "right_shift", "ldexp"):
        return (("x" if op.name == "ldexp" else "i") + ", n",)
    if op.name in ("power", "float_power"):
        return ("u, y", "u, 2", "2.0, x")
    if nin == 1:
        return (DOMAIN.get(op.name, "x"), "xo")
    return ("x, y", "x, 2.5", "x, y[0]", "3, y", "xo, 2.5")


def all_cases(room: str) -> list[tuple[str, str]]:
    return [(op.name, case) for op in sorted(registry.OPS.values(), key=lambda o: o.name)
            if op.room.startswith(room) and op.status != "unbuilt" for case in cases_of(op)]  # fmt: skip
