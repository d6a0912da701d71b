"""Checkpoints: an expression's chunks in files, each written as soon as it is done, and none made a second time."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from marsdask import checks
from marsdask.engine import base as engines
from marsdask.engine.runs import Run, running
from marsdask.errors import ArgumentTypeError, BadCheckpoint
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.lower import Kept
from marsdask.plan.meta import FrameMeta, TensorMeta, meta
from marsdask.plan.node import Node, leaf, token
from marsdask.plan.registry import lowered
from marsdask.plan.signature import signature
from marsdask.session import lineage
from marsdask.session.opening import get_default_or_create
from marsdask.session.results import Result, exact
from marsdask.session.stored import Folder, filesystem, speaks

if TYPE_CHECKING:
    from marsdask.session import Session

FORMAT = 1


@dataclass(frozen=True)
class Stored:
    """What reads a checkpoint: its folder, how many chunks along each axis, their sizes, the metadata."""

    folder: Folder
    grid: tuple[int, ...]
    sizes: Any  # the lengths of chunks, or the chunks of an array
    meta: Any

    def __repr__(self) -> str:
        return repr(self.folder.url)


@lowered(
    "checkpointed",
    sizes="any",
    status="delegated",
    meta=lambda stored: stored.value.meta,
)
def _checkpointed(stored: Any) -> Any:
    """Chunks read from the files of a checkpoint."""
    return _read(stored.value)


def _read(plan: Stored) -> Any:
    load = plan.folder.load
    if not isinstance(plan.meta, TensorMeta):
        return graph.sources(load, range(plan.grid[0]), label="checkpoint").with_lengths(plan.sizes)
    numbers = _numbers(plan.grid)
    return graph.blocks(lambda i: (load, numbers[i]), plan.sizes, plan.meta.dtype, (), label="checkpoint")


def _numbers(grid: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """The numbers of chunks by their indices."""
    return {index: i for i, index in enumerate(np.ndindex(*grid))}


def checkpoint(
    handle: Any,
    path: Any,
    storage_options: Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
    session: Session | None = None,
) -> None:
    """Run what `handle` points at, its chunks into files, and point it at them. What has a sound file does not run."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise ArgumentTypeError(
            f"checkpoint(path={path!r}): expected the path or URL of a folder, got {type(path).__name__}."
        )
    if storage_options is not None:
        checks.instance(storage_options, "checkpoint(storage_options=)", Mapping, "a dict")
    checks.flag(overwrite, "checkpoint(overwrite=)")
    where = os.fspath(path)
    if handle._base is not None:
        raise BadCheckpoint.at(
            where, "this is a view of another tensor", "checkpoint that one, or a .copy() of this"
        )
    if session is None:
        session = next((r.session for r in held(handle) if not r.session.closed), None)
    session = session or get_default_or_create()
    session._check_open()
    session._check_mine(handle)
    _check_reach(where, storage_options, session)
    node = handle.node
    expression = signature(node, shared_memory=session.engine.shared_memory)
    folder = Folder(where, dict(storage_options or {}) or None, expression[-1][1])
    manifest = _opened(folder, expression, overwrite=overwrite)
    with running(Run()), session.active():
        done = lineage.retried(session.engine, lambda: _done(session, folder, node, dict(manifest)))
    if handle.node is node:  # not assigned to while it ran
        handle.rebind(done.node)
        handle._result, handle._keep = done, ()


def _check_reach(path: str, storage_options: Any, session: Session) -> None:
    """An error where fsspec cannot go there, or the session's workers cannot."""
    try:
        fs, _ = filesystem(path, storage_options)
    except ImportError as error:
        raise BadCheckpoint.at(path, error, "install the package that fsspec names") from error
    except (ValueError, TypeError) as error:
        raise BadCheckpoint.at(path, error, "expected a path, or a URL that fsspec knows") from error
    if not session.engine.shared_memory and speaks(fs, "memory"):
        raise BadCheckpoint.at(
            path, "the memory of this process is out of reach of the workers", "a folder that all of them see"
        )


def _opened(folder: Folder, expression: list[tuple[str, str]], *, overwrite: bool) -> dict[str, Any]:
    """The folder's manifest, begun if there is none. It must be of this expression; nothing has run yet."""
    fs, inside, url = folder.fs, folder.inside, folder.url
    try:
        if fs.isfile(inside):
            raise BadCheckpoint.at(url, "there is a file of that name", "name a folder")
        if fs.isdir(inside) and fs.ls(inside, detail=False):
            found = folder.manifest()
            if found is None:
                raise BadCheckpoint.at(
                    url, "the folder holds other files", "name a folder that is empty or new"
                )
            difference = _difference(found, expression)
            if difference is None:
                return found
            if not overwrite:
                raise BadCheckpoint.at(
                    url,
                    f"it holds another expression: {difference}",
                    "choose another path, or overwrite=True. Random tensors without a seed, and functions that were "
                    "edited, are other expressions in every run of a program: give a seed",
                )
            folder.clear()
        fs.makedirs(inside, exist_ok=True)
        facts = {"format": FORMAT, "expression": [list(each) for each in expression]}
        begun = {**facts, "grid": None, "complete": False}
        folder.note(begun)
    except OSError as error:
        raise BadCheckpoint.at(
            url, f"it cannot be written to: {error}", "a folder that you and the workers may write to"
        ) from error
    return begun


def _difference(found: Mapping[str, Any], expression: list[tuple[str, str]]) -> str | None:
    """Where the expression in the files and that of the program part; None where they are the same."""
    if found.get("format") != FORMAT:
        return f"its format is {found.get('format')!r}, not {FORMAT}"
    theirs = [tuple(each) for each in found["expression"]]
    if theirs[-1][1] == expression[-1][1]:
        return None
    for (label, was), (here, now) in zip(theirs, expression, strict=False):
        if was != now:
            same = "other data, options or versions" if label == here else f"now {here}"
            return f"it was {label}, and is {same}"
    return f"it had {len(theirs)} operations, and has {len(expression)}"


def _done(session: Session, folder: Folder, node: Node, manifest: dict[str, Any]) -> Result:
    """The executed chunks, all of them in files: those that have none are made."""
    sound = _sound(session, folder, manifest)
    known = meta(node)
    kept = Kept()
    if manifest["grid"] is not None and len(sound) == math.prod(manifest["grid"]):
        grid = tuple(manifest["grid"])
        wanted = _read(Stored(folder, grid, _sizes(known, grid, sound), known))
    else:
        (below,), kept = session.lowered([node])
        grid = (below.count,) if isinstance(below, Chunks) else tuple(below.numblocks)
        if manifest["grid"] not in (None, list(grid)):
            raise BadCheckpoint.at(
                folder.url,
                f"its chunks are {manifest['grid']}, and now {list(grid)}",
                "choose another path, or overwrite=True",
            )
        folder.note(manifest | {"grid": list(grid)})
        wanted = _written(folder, below, sound)
    (done,) = engines.persist(session.engine, [graph.made_by(wanted, node)], kept)
    missing = set(range(math.prod(grid))) - folder.present()
    if missing:
        raise BadCheckpoint.at(
            folder.url,
            f"{len(missing)} of {math.prod(grid)} chunks were written, and are not there for this process",
            "a folder or bucket that this process and all workers share",
        )
    folder.note(manifest | {"grid": list(grid), "complete": True})
    folder.tidy()
    known = exact(known, done, session.engine)
    reader = leaf("checkpointed", Stored(folder, grid, graph.sizes_of(done), known), known)
    result = Result(session, graph.made_by(done, reader), known, reader)
    session.results[token(reader)] = result
    return result


def _sound(session: Session, folder: Folder, manifest: Mapping[str, Any]) -> dict[int, tuple[int, ...]]:
    """The shapes of the chunks whose files are as they were written. They are read where tasks run, not here."""
    count = 0 if manifest["grid"] is None else math.prod(manifest["grid"])
    present = sorted(n for n in folder.present() if n < count) if count else []
    if not present:
        return {}
    looked = graph.sources(folder.shape, present, label="checkpoint-check")
    tasks = graph.merged([looked])
    shapes = session.engine.values(session.engine.submit(tasks, looked.keys))
    return {n: shape for n, shape in zip(present, shapes, strict=True) if shape is not None}


def _sizes(known: Any, grid: tuple[int, ...], shapes: Mapping[int, tuple[int, ...]]) -> Any:
    """Lengths of chunks, or the chunks of an array, from the shapes in the files."""
    if isinstance(known, FrameMeta):
        return tuple(shapes[i][0] for i in range(grid[0]))
    if not isinstance(known, TensorMeta):
        return None
    return graph.chunk_sizes(grid, {index: shapes[i] for index, i in _numbers(grid).items()})


def _written(folder: Folder, below: Any, sound: Mapping[int, Any]) -> Any:
    """The same chunks, read where they have a sound file, and else written as soon as they are there."""
    if isinstance(below, Chunks):
        return graph.partly(below, folder.write, folder.load, sound, label="checkpoint")
    numbers = _numbers(below.numblocks)

    def task(index: tuple[int, ...]) -> tuple[Any, ...]:
        number = numbers[index]
        if number in sound:
            return folder.load, number
        return partial(folder.write, number), graph.Block(below, index)

    return graph.blocks(task, below.chunks, below.dtype, [below], label="checkpoint")
