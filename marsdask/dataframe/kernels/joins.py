"""A side of a merge that is prepared once, and probed by every chunk of the other; the rows are those of `pandas.merge`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from dask.sizeof import sizeof

from marsdask.dataframe.kernels.keys import Keys, codable

FROM = ("left_only", "right_only", "both")


def fits(left: pd.DataFrame, right: pd.DataFrame, left_on: Sequence[Any], right_on: Sequence[Any]) -> bool:
    """The one rule: whether rows of such frames are matched here, and not by pandas' own merge.

    Keys are columns, of the same dtype on both sides, one that `codable` knows; names are unique on each side.
    """
    plain = all(f.columns.nlevels == 1 and f.columns.is_unique and not f.attrs for f in (left, right))
    return plain and all(
        a in left.columns and b in right.columns
        and left[a].dtype == right[b].dtype and codable(left[a].dtype)
        for a, b in zip(left_on, right_on, strict=True)
    )  # fmt: skip


class Built:
    """A side of a merge, and where the rows of each key are."""

    def __init__(self, frame: pd.DataFrame, on: Sequence[Any]):
        self.frame = frame
        columns = [frame[k] for k in on]
        # Holes may have made floats of whole numbers: what is there counts, not what was promised.
        self.keys = Keys(columns) if len(frame) and all(codable(c.dtype) for c in columns) else None

    def __sizeof__(self) -> int:
        return int(sizeof(self.frame)) + (0 if self.keys is None else self.keys.nbytes)

    @property
    def usable(self) -> bool:
        """Whether rows can be looked up."""
        return self.keys is not None and self.keys.packed

    @property
    def unique(self) -> bool:
        """Whether no key is there twice."""
        return self.keys is not None and self.keys.starts is None

    def joined(
        self, probe: pd.DataFrame, on: Sequence[Any], gone: Sequence[Any], columns: pd.Index, *, inner: bool, first: bool,
        indicator: bool,
    ) -> pd.DataFrame:  # fmt: skip
        """Rows of `probe`, in order, beside those of this side with their key.

        `inner`: only rows with a match. `first`: whether the probe's columns come first. `gone`: keys that both sides
        have by the same name, and the result has once, in the place of the left side's. `columns`: the result's.
        """
        assert self.keys is not None
        rows, partners = self.keys.pairs([probe[k] for k in on], inner)
        mine = probe if rows is None else probe.take(rows)
        index = pd.RangeIndex(len(partners))
        frame = self.frame.drop(columns=list(gone)) if first else self.frame
        holes = not inner and (partners < 0).any()
        if holes:
            theirs = frame.set_axis(pd.RangeIndex(len(frame)), axis=0).reindex(partners)
        else:
            theirs = frame.take(partners)
        mine, theirs = mine.set_axis(index, axis=0), theirs.set_axis(index, axis=0)
        if not first and len(gone):
            theirs = theirs.assign(**{k: mine[k] for k in gone})
            mine = mine.drop(columns=list(gone))
        parts = [p for p in ((mine, theirs) if first else (theirs, mine)) if p.shape[1]]
        result = pd.concat(parts, axis=1) if len(parts) > 1 else parts[0]
        if indicator:
            codes = np.where(partners < 0, 0 if first else 1, 2)
            told = pd.Series(pd.Categorical.from_codes(codes, categories=list(FROM)), index=index)
            result = pd.concat([result, told], axis=1)
        return result.set_axis(columns, axis=1)
