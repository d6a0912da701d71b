"""What only a run can tell of metadata: whether values are missing, which changes dtypes, and what is decided by these.

A join whose rows may lack a partner promises what its columns are beside holes, and says in `met` what they are where every row
has met one. The metadata rules of all that follows are asked about both. Where they answer alike nothing is open any more. Else
the first answer is the promise, the other its `met`, and so on; what the two have not in common (a length, row labels) is not
known. Where not even the columns are alike, the inputs are run.

Lowerings never see it: `lower` asks for the dtypes of open inputs before it goes on, with metadata worked out anew from these.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from marsdask.errors import MarsDaskError


class Undecided(MarsDaskError, TypeError):
    """Only a run can tell of which kind something is, or which columns it has."""


def met_of(known: Any) -> Any:
    """The metadata where nothing is missing."""
    met = getattr(known, "met", None)
    return known if met is None else met


def is_open(known: Any) -> bool:
    """Whether only a run can tell the dtypes."""
    return getattr(known, "met", None) is not None


def either_way(known: Any, choose: Callable[[Any], Iterable[int]]) -> list[int]:
    """The columns that something chooses of an empty frame by dtypes, whichever they may be."""
    return sorted({*choose(known.empty), *choose(met_of(known).empty)})


def promised(beside_holes: Callable[[], Any], of_all: Callable[[], Any]) -> Any:
    """What holds of metadata whether values are missing or not; an error only where both raise one, and then the first."""
    found, met, failed = None, None, None
    try:
        found = beside_holes()
    except Undecided:
        raise
    except Exception as error:  # noqa: BLE001 - raised below
        failed = error
    try:
        met = met_of(of_all())
    except Undecided:
        raise
    except Exception:  # noqa: BLE001 - pandas' about values that may not be there
        if failed is not None:
            raise failed from None
    if found is None or met is None:  # the one that raises none may be the wrong one
        found = met if found is None else found
        return _with_met(found, _with_met(found, None))
    return _joint(found, met)


def _with_met(known: Any, met: Any) -> Any:
    return dataclasses.replace(known, met=met) if hasattr(known, "met") else known


def _joint(found: Any, met: Any) -> Any:
    if found.kind != met.kind or not hasattr(found, "met"):
        if found.kind != met.kind:
            raise Undecided(f"only a run can tell whether this is a {found.kind} or a {met.kind}")
        return found
    if found.kind == "Tuple":
        items = tuple(map(_joint, found.items, met.items))
        is_same = not any(map(is_open, items))
        met = dataclasses.replace(met, items=tuple(map(met_of, items)), met=None)
        return dataclasses.replace(found, items=items, met=None if is_same else met)
    common = _of_tensors(found, met) if found.kind == "Tensor" else _of_frames(found, met)
    found, met = (dataclasses.replace(each, **common, met=None) for each in (found, met))
    return found if _alike(found, met) else _with_met(found, met)


def _of_tensors(found: Any, met: Any) -> dict[str, Any]:
    if found.ndim != met.ndim:
        raise Undecided(f"only a run can tell whether there are {found.ndim} axes or {met.ndim}")
    pairs = zip(found.shape, met.shape, strict=True)
    return {"shape": tuple(m if m == n else math.nan for m, n in pairs)}


def _of_frames(found: Any, met: Any) -> dict[str, Any]:
    if found.kind == "DataFrame" and not found.columns.equals(met.columns):
        raise Undecided(f"only a run can tell whether the columns are {found.names} or {met.names}")
    same = found.labels is not None and met.labels is not None and found.labels.equals(met.labels)
    return {
        "length": found.length if found.length == met.length else math.nan,
        "rows": found.rows,
        "ranged": found.ranged and met.ranged,
        "labels": found.labels if same else None,
    }


def _alike(found: Any, met: Any) -> bool:
    if found.kind == "Tensor":
        return bool(found.dtype == met.dtype) and type(found.like) is type(met.like)
    labels = [each.shown if each.kind == "Index" else each.shown.index for each in (found, met)]
    return found.dtypes == met.dtypes and _dtypes_of(labels[0]) == _dtypes_of(labels[1])


def _dtypes_of(labels: pd.Index) -> list[Any]:
    return list(labels.dtypes) if isinstance(labels, pd.MultiIndex) else [type(labels), labels.dtype]
