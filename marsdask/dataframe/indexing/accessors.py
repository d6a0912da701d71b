"""`loc`, `iloc`, `at`, `iat`: rows and columns read and written by label or position."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from marsdask.dataframe.core import FrameHandle
from marsdask.dataframe.indexing.indexing import columns_at
from marsdask.dataframe.indexing.labels import by_label, columns_by_label, split
from marsdask.dataframe.indexing.positions import by_position, column_positions, row_and_column
from marsdask.dataframe.indexing.setting import set_at
from marsdask.errors import ArgumentError


class Loc:
    """`loc`: rows and columns by label."""

    __slots__ = ("_frame",)

    def __init__(self, frame: Any):
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        frame = self._frame
        rows, columns = split(frame, key)
        found = by_label(frame if columns is None else columns_by_label(frame, columns), rows)
        return found.copy() if found is frame else found

    def __setitem__(self, key: Any, value: Any) -> None:
        set_at(self._frame, "loc", key, value)


class ILoc(Loc):
    """`iloc`: rows and columns by position."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        frame = self._frame
        rows, columns = row_and_column(frame, key, "iloc")
        chosen = frame if columns is None else columns_at(frame, column_positions(frame, columns))
        found = by_position(chosen, rows)
        return found.copy() if found is frame else found

    def __setitem__(self, key: Any, value: Any) -> None:
        set_at(self._frame, "iloc", key, value)


class At(Loc):
    """`at`: one value by labels."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) and self._frame.ndim == 2 else (key,)
        if len(parts) != self._frame.ndim:
            raise ArgumentError(f"at[{key!r}]: expected a row label and a column label.")
        if any(isinstance(k, (slice, list)) for k in parts):
            raise ArgumentError(f"at[{key!r}]: expected single labels. Hint: use loc.")
        return super().__getitem__(key)


class IAt(ILoc):
    """`iat`: one value by position."""

    __slots__ = ()

    def _key(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != self._frame.ndim:
            raise ArgumentError(f"iat[{key!r}]: expected {self._frame.ndim} whole numbers.")
        if not all(isinstance(v, Integral) for v in parts):
            raise ArgumentError("iAt based indexing can only have integer indexers")
        return parts if len(parts) > 1 else parts[0]

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._key(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._key(key), value)


FrameHandle.loc = property(Loc, doc="Rows and columns by label.")  # type: ignore[attr-defined]
FrameHandle.at = property(At, doc="One value by labels.")  # type: ignore[attr-defined]
FrameHandle.iloc = property(ILoc, doc="Rows and columns by position.")  # type: ignore[attr-defined]
FrameHandle.iat = property(IAt, doc="One value by position.")  # type: ignore[attr-defined]
