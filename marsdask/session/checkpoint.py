"""Checkpoints: an expression's chunks in files, each written as soon as it is done, and none made a second time.

A chunk is one file, written whole or not at all, and read only if nothing in it has changed: the chunk (NumPy's `.npy`
format, or a pickle where that cannot hold it), then the ending that `stored` gives to files.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import pickle
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np

from marsdask import checks, stored
from marsdask.engine import base as engines
from marsdask.engine import runs
from marsdask.errors import ArgumentError, BadCheckpoint, CheckpointDamaged, CheckpointFull
from marsdask.options import within
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.handle import held
from marsdask.plan.lower import Kept
from marsdask.plan.meta import FrameMeta, TensorMeta, meta
from marsdask.plan.node import Data, Node, leaf, token
from marsdask.plan.registry import lowered
from marsdask.plan.signature import signature
from marsdask.session.functions import get_default_or_create
from marsdask.session.results import Result, exact, retried

if TYPE_CHECKING:
    from marsdask.session import Session

FORMAT = 2
NPY = b"\x93NUMPY"
MANIFEST = "manifest.json"
CHUNK = re.compile("chunk-([0-9]+)")


@dataclass(frozen=True)
class Folder:
    """A folder of chunks of one expression, on any file system that fsspec knows."""

    url: str
    storage_options: Mapping[str, Any] | None
    signature: str

    @property
    def fs(self) -> Any:
        """The fsspec file system of the URL."""
        return self._place[0]

    @property
    def inside(self) -> str:
        """The path inside of that."""
        return str(self._place[1]).rstrip("/")

    @property
    def _place(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        return url_to_fs(self.url, **(self.storage_options or {}))  # type: ignore[no-any-return]

    def path(self, number: int) -> str:
        return f"{self.inside}/chunk-{number:06d}"

    def write(self, number: int, chunk: Any) -> Any:
        """The chunk, after it was written; not again where another program has done so meanwhile."""
        if self.fs.exists(self.path(number)) and self.shape(number) is not None:
            return chunk
        body: bytes | memoryview
        if type(chunk) is np.ndarray and not chunk.dtype.hasobject and not chunk.dtype.metadata:
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, chunk, allow_pickle=False)
            body = buffer.getbuffer()
        else:
            body = cloudpickle.dumps(chunk)
        facts = {"chunk": number, "signature": self.signature, "shape": np.shape(chunk)}
        _put(self.fs, self.path(number), stored.with_ending(body, facts))
        return chunk

    def load(self, number: int) -> Any:
        """The chunk of that number; CheckpointDamaged if it is not there as it was written."""
        body = self._parts(number)[0]
        npy = bytes(body[: len(NPY)]) == NPY
        return np.lib.format.read_array(io.BytesIO(body), allow_pickle=False) if npy else pickle.loads(body)

    def shape(self, number: int) -> tuple[int, ...] | None:
        """The shape of the chunk in a file that is sound; None for another."""
        try:
            return tuple(self._parts(number)[1]["shape"])
        except CheckpointDamaged:
            return None

    def _parts(self, number: int) -> tuple[memoryview, dict[str, Any]]:
        path = self.path(number)
        try:
            whole = stored.without_ending(stored.get(self.fs, path))
        except FileNotFoundError:
            raise CheckpointDamaged.of(path, "there is no such file") from None
        if isinstance(whole, stored.Broken):
            raise CheckpointDamaged.of(path, whole.reason)
        if (whole.facts.get("chunk"), whole.facts.get("signature")) != (number, self.signature):
            raise CheckpointDamaged.of(path, "it is a chunk of another checkpoint")
        return whole.body, whole.facts

    def present(self) -> set[int]:
        """The numbers of the chunks that have a file."""
        self.fs.invalidate_cache()
        return {int(found[1]) for found in map(CHUNK.fullmatch, self._files()) if found}

    def _files(self) -> dict[str, Any]:
        """What is in the folder, by its name there."""
        return {str(path).rpartition("/")[2]: path for path in self.fs.ls(self.inside, detail=False)}

    def strange(self) -> list[str]:
        """The names in the folder that no checkpoint gives."""
        return [name for name in self._files() if not _ours(name)]

    def manifest(self) -> dict[str, Any] | None:
        """What the folder says of itself; None where it says nothing, {} where that has changed since it was written."""
        try:
            found = json.loads(self.fs.cat_file(f"{self.inside}/{MANIFEST}"))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            return {}
        if not isinstance(found, dict) or "expression" not in found:
            return {}
        sound = found.pop("sum", None) == stored.checksum(_text(found))
        return found if sound or found.get("format") != FORMAT else {}  # another version says which it is

    def note(self, manifest: dict[str, Any]) -> None:
        content = {**manifest, "sum": stored.checksum(_text(manifest))}
        _put(self.fs, f"{self.inside}/{MANIFEST}", json.dumps(content, indent=1).encode())

    def tidy(self, *, everything: bool = False) -> None:
        """Remove what writers that died have left; with `everything` the files of a checkpoint too, and nothing else."""
        for name, path in self._files().items():
            left = stored.UNREADY.search(name) and _ours(name)
            if (everything and _ours(name)) or (left and self._age(path) > stored.ABANDONED):
                with contextlib.suppress(FileNotFoundError):  # another program does the same
                    self.fs.rm_file(path)

    def _age(self, path: str) -> float:
        """Seconds since a file was written."""
        try:
            return float(time.time() - self.fs.modified(path).timestamp())
        except (FileNotFoundError, NotImplementedError):
            return 0.0  # no file system but this machine's has unready files


def _ours(name: str) -> bool:
    """Whether a checkpoint gives such names."""
    whole = stored.UNREADY.sub("", name)
    return whole == MANIFEST or CHUNK.fullmatch(whole) is not None


def _text(manifest: Mapping[str, Any]) -> bytes:
    """What the checksum of a manifest is made of."""
    return json.dumps(manifest, sort_keys=True).encode()


def _put(fs: Any, path: str, content: bytes) -> None:
    try:
        stored.put(fs, path, content)
    except stored.NoRoom as full:
        raise CheckpointFull.of(path, full.size, full.free, full.error) from full.error


@dataclass(frozen=True)
class Stored:
    """What reads a checkpoint: its folder, how many chunks along each axis, their sizes, the metadata."""

    folder: Folder
    grid: tuple[int, ...]
    sizes: Any  # the lengths of chunks, or the chunks of an array
    meta: Any

    def __repr__(self) -> str:
        return repr(self.folder.url)


@lowered("checkpointed", sizes="any", status="delegated", meta=lambda leaf: leaf.value.meta)
def _checkpointed(leaf: Any) -> Any:
    """Chunks read from the files of a checkpoint."""
    plan: Stored = leaf.value
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
    if not (where := checks.path(path, "checkpoint(path=)", "the path or URL of a folder")):
        raise ArgumentError("checkpoint(path=''): expected the path or URL of a folder.")
    if storage_options is not None:
        checks.instance(storage_options, "checkpoint(storage_options=)", Mapping, "a dict")
    checks.flag(overwrite, "checkpoint(overwrite=)")
    if handle._base is not None:
        raise BadCheckpoint.at(
            where, "this is a view of another tensor", "checkpoint that one, or a .copy() of this"
        )
    if session is None:
        session = next((r.session for r in held(handle) if not r.session.closed), None)
    session = session or get_default_or_create()
    session._check_open()
    session._check_mine(handle)
    node = handle.node
    expression = signature(node, shared_memory=session.engine.shared_memory)
    folder = Folder(where, dict(storage_options or {}) or None, expression[-1][1])
    manifest = _opened(folder, expression, session, overwrite=overwrite)
    with within(runs.current, runs.Run()), session.active():
        done = retried(session.engine, lambda: _done(session, folder, node, manifest))
    if handle.node is node:  # not assigned to while it ran
        handle.rebind(done.node)
        handle._result, handle._keep = done, ()


def _opened(
    folder: Folder, expression: list[tuple[str, str]], session: Session, *, overwrite: bool
) -> dict[str, Any]:
    """The folder's manifest, begun if there is none. It must be of this expression; nothing has run yet."""
    url = folder.url
    try:
        fs, inside = folder.fs, folder.inside
    except ImportError as error:
        raise BadCheckpoint.at(url, error, "install the package that fsspec names") from error
    except (ValueError, TypeError) as error:
        raise BadCheckpoint.at(url, error, "expected a path, or a URL that fsspec knows") from error
    if not session.engine.shared_memory and stored.speaks(fs, "memory"):
        raise BadCheckpoint.at(
            url, "the memory of this process is out of reach of the workers", "a folder that all of them see"
        )
    try:
        if fs.isfile(inside):
            raise BadCheckpoint.at(url, "there is a file of that name", "name a folder")
        # None where a program was killed before it had written any, or is about to.
        found = folder.manifest()
        if found is None and fs.isdir(inside) and (names := folder.strange()):
            raise BadCheckpoint.at(
                url,
                f"the folder holds other files, {names[0]!r} for one",
                "name a folder that is empty or new",
            )
        if found is not None:
            if (refused := _refused(folder, found, expression)) is None:
                return found
            reason, hint, ours = refused
            if not (overwrite and ours):
                raise BadCheckpoint.at(url, reason, hint)
            folder.tidy(everything=True)
        fs.makedirs(inside, exist_ok=True)
        begun = {"format": FORMAT, "expression": expression, "grid": None, "complete": False}
        folder.note(begun)
    except CheckpointFull:
        raise
    except OSError as error:
        raise BadCheckpoint.at(
            url, f"it cannot be written to: {error}", "a folder that you and the workers may write to"
        ) from error
    return begun


def _refused(
    folder: Folder, found: Mapping[str, Any], expression: list[tuple[str, str]]
) -> tuple[str, str, bool] | None:
    """Why the chunks of a folder are not those of an expression, what to do, and whether what is there may be discarded."""
    if found:
        if (difference := _difference(found, expression)) is None:
            return None
        hint = (
            "choose another path, or overwrite=True. Random tensors without a seed, and functions that were edited, are other "
            "expressions in every run of a program: give a seed"
        )
        return f"it holds another expression: {difference}", hint, True
    ours = bool(folder.present()) and not folder.strange()
    reason = f"{MANIFEST} in it is not one of a checkpoint, or has changed since it was written: nobody knows whose chunks are there"
    return (
        reason,
        "choose another path" + (", or overwrite=True, which makes them again" if ours else ""),
        ours,
    )


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


def _done(session: Session, folder: Folder, node: Node, manifest: Mapping[str, Any]) -> Result:
    """The executed chunks, all of them in files: those that have none are made."""
    sound = _sound(session, folder, manifest)
    known = meta(node)
    kept = Kept()
    if manifest["grid"] is not None and len(sound) == math.prod(manifest["grid"]):
        grid = tuple(manifest["grid"])
        sizes: Any = None
        if isinstance(known, FrameMeta):
            sizes = tuple(sound[i][0] for i in range(grid[0]))
        elif isinstance(known, TensorMeta):
            sizes = graph.chunk_sizes(grid, {index: sound[i] for index, i in _numbers(grid).items()})
        wanted = _checkpointed(Data(Stored(folder, grid, sizes, known)))
    else:
        (below,), kept = session.lowered([node])
        grid = (below.count,) if isinstance(below, Chunks) else tuple(below.numblocks)
        if manifest["grid"] not in (None, list(grid)):
            raise BadCheckpoint.at(
                folder.url,
                f"its chunks are {manifest['grid']}, and now {list(grid)}",
                "choose another path, or overwrite=True",
            )
        folder.note({**manifest, "grid": list(grid)})
        wanted = _written(folder, below, sound)
    ((done, dtypes),) = engines.persist(session.engine, [graph.made_by(wanted, node)], kept)
    if missing := set(range(math.prod(grid))) - folder.present():
        raise BadCheckpoint.at(
            folder.url,
            f"{len(missing)} of {math.prod(grid)} chunks were written, and are not there for this process",
            "a folder or bucket that this process and all workers share",
        )
    folder.note({**manifest, "grid": list(grid), "complete": True})
    folder.tidy()
    known = exact(known, done, dtypes)
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
    shapes = session.engine.values(session.engine.submit(graph.merged([looked]), looked.keys))
    return {n: shape for n, shape in zip(present, shapes, strict=True) if shape is not None}


def _written(folder: Folder, below: Any, sound: Mapping[int, Any]) -> Any:
    """The same chunks, read where they have a sound file, and else written as soon as they are there."""
    if isinstance(below, Chunks):
        return graph.partly(below, folder.write, folder.load, sound, label="checkpoint")
    numbers = _numbers(below.numblocks)

    def task(index: tuple[int, ...]) -> tuple[Any, ...]:
        number = numbers[index]
        made = partial(folder.write, number), graph.Block(below, index)
        return (folder.load, number) if number in sound else made

    return graph.blocks(task, below.chunks, below.dtype, [below], label="checkpoint")
