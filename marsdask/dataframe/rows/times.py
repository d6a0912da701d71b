"""Times as text: pandas writes all of a column alike, days alone, or with as many digits as the finest needs; chunks must agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

STEPS = ("D", "s", "ms", "us", "ns")
"""How fine times and spans are told: whole days, whole seconds, ..."""
Finest = tuple[int, Any]
"""How fine a column of a chunk is, and one of its values that is as fine."""


def is_told_alike(dtype: Any, kinds: str = "mM") -> bool:
    """Whether the text of a value depends on those beside it: of times ("M") and spans ("m")."""
    return getattr(dtype, "kind", " ") in kinds and not isinstance(dtype, pd.ArrowDtype)


def among(empty: Any, asked: Callable[[Any], bool] = lambda name: True, kinds: str = "mM") -> list[int]:
    """Positions of the columns of times whose names are asked for; of a series or index 0."""
    if empty.ndim == 1:
        return [0] if is_told_alike(empty.dtype, kinds) and asked(None) else []
    found = enumerate(empty.dtypes.items())
    return [i for i, (name, dtype) in found if is_told_alike(dtype, kinds) and asked(name)]


def finest(values: Any) -> Finest | None:
    """Of a column, or an index; None where it has no times."""
    zone = getattr(values.dtype, "tz", None)
    times = np.asarray(values if zone is None else pd.DatetimeIndex(values).tz_convert(None))
    times = times[~np.isnat(times)]
    found = None
    for step, unit in enumerate(STEPS):
        if not len(times):
            break
        found = step, times[0] if zone is None else pd.Timestamp(times[0], tz="UTC").tz_convert(zone)
        times = times[times != times.astype(f"{times.dtype.kind}8[{unit}]")]
    return found


def finest_of(chunk: Any, told: list[int]) -> list[Finest | None]:
    """Of the columns at these positions, or of a series or index."""
    return [finest(chunk if chunk.ndim == 1 else chunk.iloc[:, at]) for at in told]


def of_whole(parts: list[list[Finest | None]]) -> list[Any]:
    """A value of each column that is as fine as any; None where there are no times."""
    columns = ([f for f in column if f is not None] for column in zip(*parts, strict=True))
    return [max(found, key=lambda f: f[0])[1] if found else None for found in columns]


def as_text(values: Any, like: Any, dtype: Any = "str") -> Any:
    """A column or index as text, as if `like` were one of its values."""
    if like is None:
        return values.astype(dtype)
    if isinstance(values, pd.Index):
        return values.insert(0, like).astype(dtype)[1:]
    made = pd.concat([pd.Series([like], dtype=values.dtype), values]).astype(dtype).iloc[1:]
    return pd.Series(made.array, values.index, name=values.name)


def with_texts(chunk: pd.DataFrame, told: list[int], like: list[Any], dtypes: list[Any]) -> pd.DataFrame:
    """A frame with the columns at these positions as text."""
    chunk = chunk.copy(deep=False)
    for at, one, dtype in zip(told, like, dtypes, strict=True):
        chunk.isetitem(at, as_text(chunk.iloc[:, at], one, dtype))
    return chunk
