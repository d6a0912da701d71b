"""Constants and dtypes: NumPy's own objects under the names Mars gave them, those NumPy 2 has dropped included."""

from __future__ import annotations

from typing import Any

import numpy as np

SAME = (
    "e", "inf", "nan", "newaxis", "pi", "finfo", "dtype", "generic", "number", "inexact", "floating", "complexfloating",
    "integer", "signedinteger", "unsignedinteger", "character", "flexible", "void", "bytes_", "datetime64", "timedelta64",
    "int8", "int16", "int32", "int64", "intc", "intp", "uint", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "double", "complex64", "complex128",
)  # fmt: skip
VALUES: dict[str, Any] = {name: getattr(np, name) for name in SAME} | {
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
}
