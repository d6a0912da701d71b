"""Reductions."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from marsdask.registry import operation


@operation("sum", room="tensor", owners=["Tensor"], sizes="any", status="delegated", oracle=np.sum, traits=["reducible"], cases=("x", "x, axis=0"))
def sum(a: Array, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, combine_size: int | None = None) -> da.Array:  # type: ignore[name-defined] # noqa: F821
    """Sum of elements over axes."""
    return da.sum(a, axis=axis, dtype=dtype, keepdims=keepdims)
