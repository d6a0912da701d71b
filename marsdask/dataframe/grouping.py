"""What a groupby groups by: a plain description that nodes carry, and the pandas groupby it makes of a chunk.

A description is a dict: `by` (a list of ("name", label), ("key", i), ("call", function), ("map", dict) and
("grouper", Grouper), or None), `level`, `as_index`, `sort`, `group_keys`, `observed`, `dropna`, `select` (None, or the
selected label or list of labels), `lone` (`by` was no list). Keys that are data travel beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.chunkwise import together
from marsdask.dataframe.core import FrameHandle
from marsdask.errors import ArgumentError, ArgumentTypeError, ColumnNotFound, ShapeError
from marsdask.plan.handle import Handle

Grouping = dict[str, Any]


def described(
    frame: Any, by: Any, level: Any, as_index: Any, sort: Any, group_keys: Any, observed: Any, dropna: Any
) -> tuple[Any, Grouping, list[Any]]:
    """The frame, the description and the keys that are data, all on the same rows."""
    flags = {
        "as_index": as_index,
        "sort": sort,
        "group_keys": group_keys,
        "observed": observed,
        "dropna": dropna,
    }
    for name, flag in flags.items():
        if not isinstance(flag, (bool, np.bool_)):
            raise ArgumentError(f"groupby({name}={flag!r}): expected True or False.")
    if by is None and level is None:
        raise ArgumentTypeError("You have to supply one of 'by' and 'level'")
    if not as_index and frame.ndim == 1:
        raise ArgumentTypeError("as_index=False only valid with DataFrame")
    spec: Grouping = {
        "by": None,
        "level": level,
        "select": None,
        "lone": False,
        **{k: bool(v) for k, v in flags.items()},
    }
    keys: list[Any] = []
    if by is not None:
        spec["lone"] = not isinstance(by, list) or _is_values(frame, by)
        spec["by"] = [_item(frame, each, keys) for each in ([by] if spec["lone"] else by)]
        if not spec["by"]:
            raise ArgumentError("No group keys passed!")
    else:
        _check_level(frame, level)
    frame, keys, _ = together(frame, keys, {})
    return frame, spec, keys


def _is_values(frame: Any, by: list[Any]) -> bool:
    """Whether a list holds one key's values, as pandas reads it: as long as the frame and no names in it."""
    if any(isinstance(b, (Handle, pd.Series, np.ndarray, pd.Grouper, dict, list)) or callable(b) for b in by):
        return False
    names = [*(frame.columns if frame.ndim == 2 else ()), *frame.known.empty.index.names]
    return len(by) == frame.shape[0] and not all(b in names for b in by)


def _item(frame: Any, key: Any, keys: list[Any]) -> tuple[str, Any]:
    if isinstance(key, (list, pd.Index)):
        key = np.asarray(key) if not isinstance(key, pd.Index) else pd.Series(key)
    if isinstance(key, (FrameHandle, Handle, pd.Series, np.ndarray, pd.Categorical)):
        if isinstance(key, FrameHandle) and key.ndim != 1:
            raise ArgumentError(f"Grouper for {type(key).__name__!r} not 1-dimensional")
        if isinstance(key, (np.ndarray, pd.Categorical)) or (
            isinstance(key, pd.Series) and key.index.equals(pd.RangeIndex(len(key)))
        ):
            key = _positional(frame, key)
        keys.append(key)
        return ("key", len(keys) - 1)
    if isinstance(key, pd.Grouper):
        return (
            ("name", key.key)
            if key.key is not None and getattr(key, "freq", None) is None
            else ("grouper", key)
        )
    if isinstance(key, Mapping):
        return ("map", dict(key))
    labels = list(frame.columns) if frame.ndim == 2 else []
    names = [n for n in frame.known.empty.index.names if n is not None]
    if _hashable(key) and (key in labels or key in names):
        return ("name", key)
    if callable(key):
        return ("call", key)
    raise ColumnNotFound.among(key, [*labels, *names])


def _positional(frame: Any, values: Any) -> Any:
    """In-memory values by position: a tensor where the frame's labels are not 0..n-1."""
    from marsdask.plan import registry

    length = frame.shape[0]
    if length == length and len(values) != length:
        raise ShapeError(f"Length of grouper ({len(values)}) and axis ({length}) must be same length")
    if isinstance(values, pd.Series) or frame.known.ranged:
        return values if isinstance(values, pd.Series) else pd.Series(values)
    if isinstance(values, pd.Categorical):
        raise ArgumentTypeError(
            "a Categorical key needs a frame with labels 0..n-1. Hint: assign it as a column first."
        )
    return registry.call(registry.lookup("tensor"), (values,), {})


def _hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _check_level(frame: Any, level: Any) -> None:
    index = frame.known.empty.index
    for each in level if isinstance(level, (list, tuple)) else [level]:
        index._validate_index_level(each) if index.nlevels == 1 else index._get_level_number(each)


def count_keys(spec: Grouping) -> int:
    """How many keys a grouping has."""
    if spec["by"] is not None:
        return len(spec["by"])
    return len(spec["level"]) if isinstance(spec["level"], (list, tuple)) else 1


def by_columns(spec: Grouping, columns: Sequence[Any]) -> list[Any]:
    """The columns of the frame among the keys."""
    return [v for kind, v in spec["by"] or () if kind == "name" and v in columns]


def looks_at_labels(spec: Grouping, columns: Sequence[Any]) -> bool:
    """Whether keys are made from row labels."""
    if spec["by"] is None:
        return True
    return any(
        kind in ("call", "map", "grouper") or (kind == "name" and v not in columns) for kind, v in spec["by"]
    )


def one_chunk_only(spec: Grouping, empty: Any) -> bool:
    """Whether only pandas itself on all rows answers right: bins of time, keys of no name as columns, doubled names."""
    kinds = [kind for kind, _ in spec["by"] or ()]
    strange = empty.ndim == 2 and not empty.columns.is_unique
    return strange or "grouper" in kinds or (not spec["as_index"] and kinds != ["name"] * len(kinds))


def grouped(spec: Grouping, frame: Any, keys: Sequence[Any], **changed: Any) -> Any:
    """The pandas groupby of a chunk."""
    spec = {**spec, **changed}
    by = spec["by"]
    if by is not None:
        by = [keys[v] if kind == "key" else v for kind, v in by]
        by = by[0] if spec["lone"] else by
    flags = {n: spec[n] for n in ("sort", "group_keys", "observed", "dropna")}
    if frame.ndim == 2:
        flags["as_index"] = spec["as_index"]
    made = frame.groupby(by, level=spec["level"], **flags)
    return made if spec["select"] is None else made[spec["select"]]


def key_values(spec: Grouping, frame: Any, keys: Sequence[Any]) -> list[Any]:
    """The keys of a chunk as arrays."""
    index = frame.index
    if spec["by"] is None:
        levels = spec["level"] if isinstance(spec["level"], (list, tuple)) else [spec["level"]]
        return [index.get_level_values(each) for each in levels]
    found: list[Any] = []
    for kind, v in spec["by"]:
        if kind == "key":
            found.append(keys[v])
        elif kind == "name":
            found.append(frame[v] if frame.ndim == 2 and v in frame.columns else index.get_level_values(v))
        else:
            found.append(index.map(v))
    return found


def ran(
    spec: Grouping, frame: Any, keys: Sequence[Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """What the pandas groupby of a frame gives for a method."""
    group = grouped(spec, frame, keys)
    if name == "fillna":
        return group.transform(lambda part: part.fillna(*args, **kwargs))
    result = getattr(group, name)(*args, **kwargs)
    return _narrow(frame, result) if "mean" in (name, *args[:1]) else result


def _narrow(frame: Any, result: Any) -> Any:
    """Means of float32 as float32: pandas 3.1 widens those of columns without holes only."""
    if result.ndim == 1:
        source = frame.dtype if frame.ndim == 1 else frame.dtypes.get(result.name)
        return result.astype("f4") if source == np.float32 and result.dtype == np.float64 else result
    if frame.ndim == 1 or frame.columns.nlevels != result.columns.nlevels:
        return result
    narrow = [c for c, d in result.dtypes.items() if d == np.float64 and frame.dtypes.get(c) == np.float32]
    return result.astype(dict.fromkeys(narrow, "f4")) if narrow else result
