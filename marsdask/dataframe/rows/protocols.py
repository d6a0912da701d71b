"""NumPy's protocols on frames: ufuncs and functions."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.core import FrameHandle, as_frame
from marsdask.dataframe.rows.alignment import matched, sampled, together
from marsdask.dataframe.rows.arithmetic import MIRROR, UFUNCS, binary
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.meta import FrameMeta, frame_meta, meta
from marsdask.plan.node import Node, inputs
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered


def _ufunc_meta(ufunc: np.ufunc, frame: Any, *others: Any, **kwargs: Any) -> Any:
    first = next(m for m in (frame, *others) if isinstance(m, FrameMeta))
    with np.errstate(all="ignore"):
        result = call_ufunc(ufunc, *map(sampled, (frame, *others)), **kwargs)
    return frame_meta(result, first.length, first.rows, ranged=first.ranged, labels=first.labels)


def call_ufunc(ufunc: np.ufunc, *operands: Any, take: int | None = None, **kwargs: Any) -> Any:
    """A ufunc of pandas objects; `take` picks one of several results."""
    result = ufunc(*operands, **kwargs)
    return result if take is None else result[take]


def _ufunc_demands(node: Node, mine: Demand) -> list[Demand]:
    frames = [n for n in inputs(node) if isinstance(meta(n), FrameMeta)]
    columns = mine.columns if len(frames) == 1 else None
    return [Demand(columns, mine.order, mine.labels)] * len(inputs(node))


@lowered("frame.ufunc", meta=_ufunc_meta, demands=_ufunc_demands)
def ufunc_chunks(ufunc: np.ufunc, *operands: Any, **kwargs: Any) -> Generator[Any, Any, Chunks]:
    """A NumPy ufunc of frames, chunk by chunk."""
    at = next(i for i, o in enumerate(operands) if isinstance(o, Chunks))
    frame, rest, _ = yield from matched(operands[at], (*operands[:at], *operands[at + 1 :]), {})
    rest = list(rest)
    return graph.per_chunk(call_ufunc, ufunc, *rest[:at], frame, *rest[at:], **kwargs)


def array_ufunc(
    self: Any, ufunc: np.ufunc, method: str, *operands: Any, out: Any = None, **kwargs: Any
) -> Any:
    """NumPy's ufuncs of frames: an operator where there is one, so that labels align."""
    if method == "reduce" and ufunc.__name__ in REDUCING and len(operands) == 1:
        return getattr(self, REDUCING[ufunc.__name__])(axis=kwargs.get("axis", 0))
    if method != "__call__" or out is not None:
        return NotImplemented
    name = UFUNCS.get(ufunc.__name__)
    if name and not kwargs and len(operands) == 2:
        left, right = operands
        if isinstance(left, FrameHandle):
            return binary(f"__{name}__", left, right)
        return binary(f"__{MIRROR[name]}__" if name in MIRROR else f"__r{name}__", right, left)
    frames = [o for o in operands if isinstance(o, (FrameHandle, pd.Series, pd.DataFrame))]
    rest = [o for o in operands if not isinstance(o, (FrameHandle, pd.Series, pd.DataFrame))]
    first, others, _ = together(as_frame(frames[0]), frames[1:], {})
    rest = [registry.CONVERTERS[registry.Array](o) if isinstance(o, (list, np.ndarray)) else o for o in rest]
    found, plain = iter([first, *others]), iter(rest)
    given = [
        next(found) if isinstance(o, (FrameHandle, pd.Series, pd.DataFrame)) else next(plain)
        for o in operands
    ]
    if ufunc.nout == 1:
        return registry.make("frame.ufunc", ufunc, *given, **kwargs)
    return tuple(registry.make("frame.ufunc", ufunc, *given, take=i, **kwargs) for i in range(ufunc.nout))


REDUCING = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
WHOLE_FRAME = ("sum", "prod", "mean", "median", "min", "max", "any", "all")
RENAMED = {"amax": "max", "amin": "min", "around": "round", "absolute": "abs"}


def array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's functions of frames: the method of that name, as NumPy itself calls it; else the tensor function."""
    name = RENAMED.get(func.__name__, func.__name__)
    if (
        args
        and isinstance(args[0], FrameHandle)
        and name not in ("where", "unique")
        and hasattr(type(args[0]), name)
    ):
        kwargs = {k: v for k, v in kwargs.items() if not (k in ("out", "dtype") and v is None)}
        if name in WHOLE_FRAME and len(args) == 1:
            kwargs.setdefault("axis", None)
        elif name in WHOLE_FRAME:
            kwargs["axis"], args = args[1], (args[0], *args[2:])
        found = getattr(args[0], name)
        return found(*args[1:], **kwargs) if callable(found) else found  # np.ndim, np.shape, np.size
    op = registry.OPS.get(name)
    if op is None or op.room != "tensor":
        return NotImplemented
    convert = registry.CONVERTERS[registry.Array]
    return registry.call(op, tuple(convert(a) if isinstance(a, FrameHandle) else a for a in args), kwargs)


FrameHandle.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
FrameHandle.__array_function__ = array_function  # type: ignore[attr-defined]
