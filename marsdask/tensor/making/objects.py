"""What `mt` has beside functions: NumPy's own constants and dtypes, and objects that are indexed (`mt.mgrid[0:5, 0:3]`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from marsdask.errors import ArgumentError
from marsdask.tensor.core import ExecutableTuple, Tensor, as_tensor, called

OF_NUMPY = (
    "e", "inf", "nan", "newaxis", "pi", "finfo", "dtype", "generic", "number", "inexact", "floating", "complexfloating",
    "integer", "signedinteger", "unsignedinteger", "character", "flexible", "void", "bytes_", "datetime64", "timedelta64",
    "int8", "int16", "int32", "int64", "intc", "intp", "uint", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "double", "complex64", "complex128", "ndindex", "errstate", "seterr", "geterr",
)  # fmt: skip


def spaced(piece: slice) -> Tensor:
    """What a slice stands for: an arange, or with an imaginary step so many points, the last included."""
    start = 0 if piece.start is None else piece.start
    step = 1 if piece.step is None else piece.step
    if piece.stop is None:
        raise ArgumentError(f"{piece!r}: expected an end.")
    if isinstance(step, (complex, np.complexfloating)):
        return called("linspace", start, piece.stop, int(abs(step)))  # type: ignore[no-any-return]
    return called("arange", start, piece.stop, step)  # type: ignore[no-any-return]


class Grid:
    """A dense (`mgrid`) or open (`ogrid`) grid by slices."""

    def __init__(self, sparse: bool):
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return spaced(key)
        rows = [spaced(k) for k in key]
        kind = np.result_type(*(r.dtype for r in rows))
        rows = [r if r.dtype == kind else r.astype(kind) for r in rows]  # type: ignore[attr-defined]
        grids = called("meshgrid", *rows, indexing="ij", sparse=self.sparse)
        return ExecutableTuple(grids) if self.sparse else called("stack", list(grids))


class Joiner:
    """`r_` and `c_`: slices, numbers and tensors joined along an axis."""

    def __init__(self, axis: int = 0, ndmin: int = 1, first: int = -1):
        self.axis, self.ndmin, self.first = axis, ndmin, first

    def __getitem__(self, key: Any) -> Tensor:
        items = list(key) if isinstance(key, tuple) else [key]
        place = (self.axis, self.ndmin, self.first)
        if items and isinstance(items[0], str):
            text = items.pop(0)
            if text in ("r", "c"):
                raise ArgumentError(f"{text!r}: matrices are not made; use '0,2' or '-1,2,0'.")
            try:
                numbers = [int(n) for n in text.split(",")]
            except ValueError:
                raise ArgumentError(
                    f"unknown special directive {text!r}: expected 'axis,ndim,first'."
                ) from None
            place = (*numbers, *place[len(numbers) :])  # type: ignore[assignment]
        if any(isinstance(item, str) for item in items):
            raise ArgumentError("special directives must be the first entry.")
        axis, ndmin, first = place
        tensors = [spaced(item) if isinstance(item, slice) else as_tensor(item) for item in items]
        arrays = [t.dtype for t, item in zip(tensors, items, strict=True) if not np.isscalar(item)]
        kind = np.result_type(*arrays, *filter(np.isscalar, items))
        raised = [_raised(t.astype(kind), ndmin, first) for t in tensors]  # type: ignore[attr-defined]
        return called("concatenate", raised, axis)  # type: ignore[no-any-return]


def _raised(tensor: Tensor, ndmin: int, first: int) -> Tensor:
    """New axes, with the tensor's own starting at axis `first`."""
    spare = max(ndmin - tensor.ndim, 0)
    start = min(max(first + spare + 1 if first < 0 else first, 0), spare)
    return tensor[(*[None] * start, ..., *[None] * (spare - start))]  # type: ignore[index, no-any-return]


VALUES: dict[str, Any] = {name: getattr(np, name) for name in OF_NUMPY} | {
    # Names that NumPy 2 has dropped, or that Mars has for others.
    "Inf": np.inf,
    "NINF": -np.inf,
    "NAN": np.nan,
    "NaN": np.nan,
    "AxisError": np.exceptions.AxisError,
    "bool": np.bool_,
    "cfloat": np.complex128,
    "float": float,
    "int": int,
    "object": object,
    "unicode_": np.str_,
    "mgrid": Grid(sparse=False),
    "ogrid": Grid(sparse=True),
    "r_": Joiner(),
    "c_": Joiner(-1, 2, 0),
}
