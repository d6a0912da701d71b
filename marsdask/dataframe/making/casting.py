"""`astype`, whose categories are those of the whole."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pandas as pd

from marsdask import checks
from marsdask.dataframe.rows.families import ALL
from marsdask.errors import ColumnNotFound
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask
from marsdask.plan.meta import meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered, public


def _open_ended(dtype: Any) -> bool:
    """Whether a dtype is categories that only the data tell."""
    if isinstance(dtype, str):
        return dtype == "category"
    return isinstance(dtype, pd.CategoricalDtype) and dtype.categories is None


@public("frame.astype", owners=ALL)
def astype(self: Any, dtype: Any, copy: Any = None, errors: str = "raise") -> Any:
    """The data in other dtypes. The categories of "category" are those of the whole, as in pandas, known after a run."""
    checks.choice(errors, "astype(errors=)", ("raise", "ignore"))
    if isinstance(dtype, pd.Series):
        dtype = dtype.to_dict()
    if isinstance(dtype, dict):
        names = self.columns if self.ndim == 2 else [self.name]
        for name in dtype:
            if name not in names:
                raise ColumnNotFound(
                    f"Only a column name can be used for the key in a dtype mappings argument. {ColumnNotFound.among(name, names)}"
                )
    target = registry.make("frame.one_chunk", self) if errors == "ignore" else self
    return registry.make("frame.cast", target, dtype, errors)


def _cast(chunk: Any, dtype: Any, errors: str) -> Any:
    return chunk.astype(dtype) if isinstance(chunk, pd.Index) else chunk.astype(dtype, errors=errors)


def _cast_trim(node: Node, mine: Demand) -> Node:
    frame, dtype, errors = node.args
    if not isinstance(dtype, dict) or meta(frame).kind != "DataFrame":
        return node
    there = meta(frame).empty.columns
    looked_at = there if mine.columns is None else mine.columns
    kept = {k: v for k, v in dtype.items() if k in there and k in looked_at}
    return Node("frame.cast", (frame, kept, errors)) if kept else frame


@lowered("frame.cast", traits=["through"], trim=_cast_trim,
           meta=lambda frame, dtype, errors: frame.same(_cast(frame.empty, dtype, errors)))  # fmt: skip
def cast(frame: Chunks, dtype: Any, errors: str) -> Generator[Any, Any, Chunks]:
    """The data in other dtypes; categories are those of the whole."""
    single = not isinstance(dtype, dict)
    columns = list(getattr(frame.empty, "columns", [None]))
    asked = {c: dtype if single else dtype[c] for c in columns if single or c in dtype}
    wanted = {c: d for c, d in asked.items() if _open_ended(d)}
    if wanted and frame.count > 1:
        names = None if columns == [None] else list(wanted)
        parts = yield Ask(graph.per_chunk(_uniques, frame, names, label="categories", lengths=None))
        known = {c: _whole_dtype([p[i] for p in parts], d) for i, (c, d) in enumerate(wanted.items())}
        dtype = {**asked, **known} if columns != [None] else known[None]
    return graph.per_chunk(_cast, frame, dtype, errors)


def _uniques(chunk: Any, names: Any) -> list[Any]:
    parts = [chunk] if names is None else [chunk[n] for n in names]
    return [pd.Series(p).drop_duplicates().reset_index(drop=True) for p in parts]


def _whole_dtype(parts: list[pd.Series], dtype: Any) -> Any:
    ordered = getattr(dtype, "ordered", False)
    found = graph.concat(parts).astype("category").cat.categories
    return pd.CategoricalDtype(found, ordered=bool(ordered))
