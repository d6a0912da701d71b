"""CSV written: one file, chunk after chunk, or a file per chunk."""

from __future__ import annotations

import inspect
import os
from collections.abc import Generator
from functools import partial
from typing import Any

import pandas as pd

from marsdask.dataframe.files import paths as files
from marsdask.dataframe.rows import times
from marsdask.dataframe.rows.alignment import settled
from marsdask.plan import graph, registry
from marsdask.plan.graph import Chunks
from marsdask.plan.lower import Ask
from marsdask.plan.registry import lowered, public


@public("frame.to_csv", owners=["DataFrame", "Series"])
def to_csv(self: Any, path: Any = None, **kwargs: Any) -> Any:
    """Write CSV when executed: one file, or with `*` in the path a file per chunk (its number in the place of `*`).

    Folders are made. Takes pandas' keywords. Times without `date_format` are looked at before, as the finest says how all are written.
    """
    keywords = dict(kwargs)
    if "line_terminator" in keywords:
        keywords["lineterminator"] = keywords.pop("line_terminator")
    files.check_keywords("to_csv", keywords, tuple(inspect.signature(pd.DataFrame.to_csv).parameters)[2:])
    return registry.make("frame.write_csv", self, files.check_path("to_csv", path), keywords)


@lowered("frame.write_csv", meta=files.written_meta)
def write_csv(frame: Chunks, path: str, keywords: dict[str, Any]) -> Generator[Any, Any, Chunks]:
    """A file per chunk where the path has a `*`, else one file, chunk after chunk."""
    frame = settled(frame)
    packed = files.compression_of(path, keywords.get("compression", "infer")) is not None
    if "*" not in path and (packed or files.is_remote(path)):
        graph.rule("a packed or remote file is written in one task")
        done: Any = graph.value(_write_whole, frame, path, keywords)
        return graph.per_chunk(_after, graph.chosen(frame, [0]), done, lengths=(0.0,))
    if frame.count > 1:
        kinds = "mM" if keywords.get("date_format") is None else "m"
        frame = yield from _with_times(frame, kinds, labels=keywords.get("index", True))
    if "*" in path:
        return graph.per_chunk(_csv_file, frame, path, keywords, number=True, lengths=(0.0,) * frame.count)
    texts = graph.per_chunk(_csv_text, frame, keywords, number=True, lengths=None)
    done = graph.chosen(graph.in_turn(partial(_append, path, keywords), texts), [texts.count - 1])
    return graph.per_chunk(_after, graph.chosen(frame, [0]), done, lengths=(0.0,))


def _with_times(frame: Chunks, kinds: str, *, labels: bool) -> Generator[Any, Any, Chunks]:
    """The frame with its times as text, all of a column alike; what pandas writes of them depends on the finest."""
    told = times.among(frame.empty, kinds=kinds)
    by_label = labels and times.is_told_alike(frame.empty.index.dtype, kinds)
    if not told and not by_label:
        return frame
    graph.rule("times are as fine in every chunk as in the finest; date_format= saves the question")
    parts = yield Ask(graph.per_chunk(_finest, frame, told, by_label, label="finest", lengths=None))
    return graph.per_chunk(_told, frame, told, by_label, times.of_whole(parts))


def _finest(chunk: Any, told: list[int], by_label: bool) -> list[Any]:
    return [*times.finest_of(chunk, told), *([times.finest(chunk.index)] if by_label else [])]


def _told(chunk: Any, told: list[int], by_label: bool, like: list[Any]) -> Any:
    if by_label:
        *like, finest = like
        chunk = chunk.set_axis(times.as_text(chunk.index, finest), axis=0)
    if chunk.ndim == 1:
        return times.as_text(chunk, like[0]) if told else chunk
    return times.with_texts(chunk, told, like, ["str"] * len(told))


def _after(chunk: Any, done: Any) -> Any:
    return chunk.iloc[:0]


def _csv_file(number: int, chunk: Any, path: str, keywords: dict[str, Any]) -> Any:
    files.make_folder(os.path.dirname(path), keywords.get("storage_options"))
    chunk.to_csv(path.replace("*", str(number)), **keywords)
    return chunk.iloc[:0]


def _csv_text(number: int, chunk: Any, keywords: dict[str, Any]) -> str:
    of_file = ("compression", "storage_options", "mode", "encoding", "errors")
    own = {k: v for k, v in keywords.items() if k not in of_file}
    return chunk.to_csv(**{**own, "header": False} if number else own)  # type: ignore[no-any-return]


def _append(path: str, keywords: dict[str, Any], text: str, before: Any) -> bool:
    """Write a text after those before it; the first by the mode asked for."""
    files.make_folder(os.path.dirname(path), None)
    mode, encoding = keywords.get("mode", "w") if before is None else "a", keywords.get("encoding") or "utf-8"
    with open(path, mode, encoding=encoding, errors=keywords.get("errors", "strict"), newline="") as file:
        file.write(text)
    return True


def _write_whole(chunks: list[Any], path: str, keywords: dict[str, Any]) -> bool:
    files.make_folder(os.path.dirname(path), keywords.get("storage_options"))
    graph.concat(chunks).to_csv(path, **keywords)
    return True
