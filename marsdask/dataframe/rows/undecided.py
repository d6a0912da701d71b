"""What only a run can tell to be a frame or a series: Mars's `output_type="df_or_series"`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from marsdask.dataframe.rows.alignment import as_promised
from marsdask.errors import ArgumentTypeError, UnknownName
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.meta import FrameMeta, ObjectMeta, Rows, TensorMeta, frame_meta
from marsdask.plan.node import Data, Node
from marsdask.plan.registry import lowered
from marsdask.session.lazy import Lazy

NAME = "df_or_series"


def _open(name: str) -> UnknownName:
    return UnknownName(
        f"{name!r} of a DataFrameOrSeries: only a run can tell. Hint: execute() it, or go on with ensure_data()."
    )


@dataclass(frozen=True)
class UndecidedMeta(ObjectMeta):
    """A frame or a series, of rows that a run makes."""

    kind: ClassVar[str] = "DataFrameOrSeries"

    def __getattr__(self, name: str) -> Any:
        raise _open(name)


class DataFrameOrSeries(Lazy):
    """What a function gives of rows where a run tells whether it is a frame or a series.

    `ensure_data()` runs it and gives the one or the other; once executed it has their attributes, too.
    """

    __slots__ = ("_decided",)

    def ensure_data(self, session: Any = None) -> Any:
        """The frame or the series, executed."""
        node, decided = getattr(self, "_decided", (None, None))
        if node is not self.node or not decided.is_executed():
            if not self.is_executed():
                self.execute(session=session)
            example = registry.make("frame.kind", self)._run_and_fetch(session)
            decided = registry.wrap(Node("frame.decided", (self.node, example)), held(self))
            self._decided = (self.node, decided.execute(session=session))
        return self._decided[1]

    @property
    def data_type(self) -> str:
        """ "dataframe" or "series", once executed."""
        return str(self._found("data_type").known.kind).lower()

    @property
    def data_params(self) -> dict[str, Any]:
        """What is known of the result, once executed: its shape, and `dtypes`, or `dtype` and `name`."""
        found = self._found("data_params")
        told = {"dtypes": found.dtypes} if found.ndim == 2 else {"dtype": found.dtype, "name": found.name}
        return {"shape": found.shape, **told}

    def _found(self, name: str) -> Any:
        if not self.is_executed():
            raise _open(name)
        return self.ensure_data()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._found(name), name)

    def __repr__(self) -> str:
        return repr(self.fetch()) if self.is_executed() else self.unexecuted_repr()


registry.WRAPPERS[UndecidedMeta.kind] = DataFrameOrSeries


def is_said(output_type: Any) -> bool:
    """Whether users leave the kind of a result to the run."""
    given = output_type[0] if isinstance(output_type, (list, tuple)) and output_type else output_type
    return str(given).lower().rpartition(".")[2] == NAME


def of_one_kind(parts: Chunks) -> Chunks:
    """Chunks of a user's function as the first of them that has rows: of none a function may give another kind."""
    like = graph.value(_first, graph.per_chunk(_none_of, parts, lengths=None), label="kind")
    return graph.per_chunk(_as_first, parts, like, lengths="unknown")


def _none_of(part: Any) -> tuple[bool, Any]:
    """Whether a chunk has rows, and the chunk without them."""
    if not isinstance(part, (pd.DataFrame, pd.Series)):
        raise ArgumentTypeError(
            f"output_type={NAME!r}: the function should return a DataFrame or a Series, not {type(part).__name__}."
        )
    return len(part) > 0, part.iloc[:0]


def _first(kinds: list[tuple[bool, Any]]) -> Any:
    return next((none for full, none in kinds if full), kinds[0][1])


def _as_first(part: Any, like: Any) -> Any:
    return part if len(part) else like


@lowered("frame.kind", meta=lambda undecided: TensorMeta((), np.dtype(object)))
def kind(undecided: Chunks) -> Any:
    """An example of what a run has found, wrapped: a tensor of no dimension holds it."""
    return as_promised(graph.value(_wrapped, graph.per_chunk(_none_of, undecided, lengths=None)))


def _wrapped(kinds: list[tuple[bool, Any]]) -> Data:
    return Data(_first(kinds))


def _decided_meta(undecided: UndecidedMeta, example: Data) -> FrameMeta:
    return frame_meta(example.value, math.nan, Rows())


@lowered("frame.decided", meta=_decided_meta)
def decided(undecided: Chunks, example: Data) -> Chunks:
    """What a run has found, as a frame or a series."""
    return undecided.with_node(None)
