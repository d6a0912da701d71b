"""Where a durable map keeps what it knows: files in folders of one name, on any file system that fsspec knows.

| folder | has |
|---|---|
| `out/ITEM.CODE` | a result as a pickle; its ending says when, where and how long it ran |
| `fn/CODE` | a function as a pickle; its ending has the parts by which it is named |
| `in/HASH` | an input above 64 KB |
| `err/ITEM.CODE` | the error of the last attempt of an item that has failed, and the item |
| `jobs/JOB.json` | what a map was asked for |
| `status/JOB.json`, `status/JOB.html` | how far it is |
| `objects/HASH` | a remote object |
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marsdask import checks, stored
from marsdask.errors import ArgumentError, BadStorage, MissingExtra

_places: dict[Any, tuple[Any, str]] = {}
FOLDERS = ("out", "fn", "in", "err", "jobs", "status", "objects")
OF_MAPS = ("out", "fn", "in", "err")
"""Folders in which maps write only after they have said that they are active."""
EXTRAS = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "az": "adlfs",
}
"""The package that brings a scheme."""


@dataclass(frozen=True)
class Storage:
    """A folder of one name. `options` are those of fsspec's file system."""

    url: str
    name: str
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def at(cls, url: Any, name: Any, options: Mapping[str, Any] | None) -> Storage:
        """A checked one; nothing is read or written."""
        where = checks.path(url, "storage", "the path or URL of a folder")
        if not where:
            raise ArgumentError("storage='': expected the path or URL of a folder.")
        checks.name(name, "name")
        if "/" in name or name in (".", ".."):
            raise ArgumentError(f"name={name!r}: expected the name of a folder, without '/'.")
        if options is not None:
            checks.instance(options, "storage_options", Mapping, "a dict")
        if "://" not in where and "::" not in where:
            where = os.path.abspath(where)
        made = cls(where, name, tuple((options or {}).items()))
        try:
            fs = made.fs
        except ImportError as error:
            scheme = where.partition("://")[0]
            if package := EXTRAS.get(scheme):
                raise MissingExtra(
                    f"storage={where!r}: {scheme}:// needs {package!r}. Hint: pip install {package}"
                ) from error
            raise BadStorage.at(where, error, "install the package that fsspec names") from error
        except (ValueError, TypeError) as error:
            raise BadStorage.at(where, error, "expected a path, or a URL that fsspec knows") from error
        if stored.speaks(fs, "http") or stored.speaks(fs, "https"):
            raise BadStorage.at(where, "nothing can be written there", "a folder or a bucket")
        return made

    def __hash__(self) -> int:
        return hash((self.url, self.name))

    def _place(self) -> tuple[Any, str]:
        """The file system and the path inside of it; that of a process that was forked is another one."""
        key = os.getpid(), self.url, self.name, repr(self.options)
        if key not in _places:
            from fsspec.core import url_to_fs

            # A listing that is kept would hide what another process has written since.
            fresh = {"use_listings_cache": False} if self.url.partition("://")[0] in EXTRAS else {}
            fs, inside = url_to_fs(self.url, **fresh | dict(self.options))
            _places[key] = fs, f"{str(inside).rstrip('/')}/{self.name}"
        return _places[key]

    @property
    def fs(self) -> Any:
        """The fsspec file system of the URL."""
        return self._place()[0]

    @property
    def root(self) -> str:
        """The path of the folder inside of that."""
        return self._place()[1]

    @property
    def is_in_memory(self) -> bool:
        """Whether only this process sees it."""
        return stored.speaks(self.fs, "memory")

    @property
    def is_local(self) -> bool:
        """Whether only this machine sees it, as far as its URL tells."""
        return self.is_in_memory or stored.speaks(self.fs, "file")

    def beside(self) -> list[str]:
        """The names that have maps in the same storage."""
        self.fs.invalidate_cache()
        parent = self.root.rpartition("/")[0]
        try:
            paths = self.fs.ls(parent, detail=False)
        except FileNotFoundError:
            return []
        names = (str(path).rstrip("/").rpartition("/")[2] for path in paths)
        return sorted(name for name in names if name and self.fs.isdir(f"{parent}/{name}/status"))

    def begin(self, name: str, content: bytes) -> None:
        """Make the folders and write the first file, in `jobs/`, or raise BadStorage where nobody can write there."""
        try:
            if not stored.is_object_store(self.fs) and self.fs.isfile(self.root):
                raise BadStorage.at(self.url, f"there is a file {self.name!r}", "another name=")
            self.make(*FOLDERS)
            self.put("jobs", name, content)
        except BadStorage:
            raise
        except Exception as error:  # whatever the file system raises: some have errors of their own
            raise BadStorage.at(
                self.url,
                f"it cannot be written to: {error}",
                "a folder or bucket that you and the workers may write to",
            ) from error

    def make(self, *folders: str) -> None:
        """Make folders where there are any: on an object store this would look for the bucket each time, and make one."""
        for folder in () if stored.is_object_store(self.fs) else folders:
            self.fs.makedirs(f"{self.root}/{folder}", exist_ok=True)

    def put(self, folder: str, name: str, content: bytes, *, new: bool = False) -> None:
        """A file, whole or not at all. Not asked to outlive a loss of power: it is read again then, and found damaged.

        `new`: FileExistsError where there is one, if the store can tell.
        """
        stored.put(self.fs, f"{self.root}/{folder}/{name}", content, sure=False, new=new)

    def put_whole(
        self, folder: str, name: str, body: bytes, facts: Mapping[str, Any], *, new: bool = False
    ) -> None:
        """A file with an ending that says these facts, and by which it is known to be whole."""
        self.put(folder, name, stored.with_ending(body, {"name": f"{folder}/{name}", **facts}), new=new)

    def whole(self, folder: str, name: str, *, large: bool = False) -> stored.Whole | stored.Broken:
        """Such a file; Broken where it is not as it was written, or not there."""
        (found,) = self.wholes(folder, [name], large=large)
        return found

    def wholes(
        self, folder: str, names: Sequence[str], *, large: bool = False
    ) -> list[stored.Whole | stored.Broken]:
        """Such files; read at once where `is_far`."""
        return [
            self._whole(folder, name, content)
            for name, content in zip(names, self._contents(folder, names, large=large), strict=True)
        ]

    def _whole(self, folder: str, name: str, content: bytes | BaseException) -> stored.Whole | stored.Broken:
        if isinstance(content, FileNotFoundError):
            return stored.Broken("there is no such file")
        if isinstance(content, BaseException):
            raise content
        found = stored.without_ending(content)
        if isinstance(found, stored.Whole) and found.facts.get("name") != f"{folder}/{name}":
            return stored.Broken(f"it is {found.facts.get('name')!r}")
        return found

    @property
    def is_far(self) -> bool:
        """Whether many files are read in the time of one: the file system asks for them at once."""
        return bool(self.fs.async_impl)

    def _contents(
        self, folder: str, names: Sequence[str], *, large: bool = False
    ) -> list[bytes | BaseException]:
        """What is in files, or why nobody knows."""
        if self.is_far and len(names) > 1:
            paths, all_of_it = [f"{self.root}/{folder}/{name}" for name in names], [None] * len(names)
            return list(
                self.fs.cat_ranges(paths, all_of_it, all_of_it, on_error="return", **stored.at_once(self.fs))
            )
        found: list[bytes | BaseException] = []
        for name in names:
            try:
                found.append(self.read(folder, name, large=large))
            except Exception as error:  # noqa: BLE001 - whoever wants the file raises it
                found.append(error)
        return found

    def read(self, folder: str, name: str, *, large: bool = False) -> bytes:
        """What is in a file; FileNotFoundError where there is none."""
        return stored.get(self.fs, f"{self.root}/{folder}/{name}", large=large)

    def exists(self, folder: str, name: str) -> bool:
        """Whether there is such a file."""
        return bool(self.fs.exists(f"{self.root}/{folder}/{name}"))

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, as they are now; none where there is no folder."""
        return list(self.sizes(folder))

    def sizes(self, folder: str) -> dict[str, int | None]:
        """The same, with their bytes where `is_far`; here to ask is to look at each."""
        self.fs.invalidate_cache()
        try:
            entries = self.fs.ls(f"{self.root}/{folder}", detail=self.is_far)
        except FileNotFoundError:
            return {}
        found: dict[str, int | None] = {}
        for entry in entries:
            path, size = (entry["name"], entry.get("size")) if self.is_far else (entry, None)
            name = str(path).rstrip("/").rpartition("/")[2]
            if name != folder and not stored.UNREADY.search(name):
                found[name] = size
        return found

    def remove(self, folder: str, name: str) -> None:
        """Remove a file that may be gone already."""
        with contextlib.suppress(FileNotFoundError):
            self.fs.rm_file(f"{self.root}/{folder}/{name}")

    def unready(self) -> list[str]:
        """Files that somebody is writing, or has left when he died. Only this machine's disks have such files.

        Of folders that are written to without a map that is active, only those that have been left for sure.
        """
        found: list[str] = []
        for folder in FOLDERS if stored.speaks(self.fs, "file") else ():
            with contextlib.suppress(FileNotFoundError), os.scandir(f"{self.root}/{folder}") as entries:
                parts = [entry for entry in entries if stored.UNREADY.search(entry.name)]
                found += [
                    each.path for each in parts if folder in OF_MAPS or self._age(each) > stored.ABANDONED
                ]
        return found

    def _age(self, entry: os.DirEntry[str]) -> float:
        """Seconds since a file was written; 0 of one that has its final name meanwhile."""
        try:
            return self.now() - entry.stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def sweep(self, paths: list[str]) -> None:
        """Remove such files."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def remove_all(self) -> None:
        """Remove the folder of this name, and no other."""
        with contextlib.suppress(FileNotFoundError):
            self.fs.rm(self.root, recursive=True)

    def jobs(self) -> Iterator[dict[str, Any]]:
        """What the maps of this name say of themselves, the oldest first."""
        found = []
        names = [name for name in self.names("status") if name.endswith(".json")]
        for name, content in zip(names, self._contents("status", names), strict=True):
            if isinstance(content, FileNotFoundError):
                continue  # removed meanwhile
            if isinstance(content, BaseException):
                raise content
            with contextlib.suppress(ValueError):
                said = json.loads(content)
                if isinstance(said, dict) and isinstance(said.get("started"), float):
                    found.append(said | {"job": name.removesuffix(".json")})
        yield from sorted(found, key=lambda each: float(each["started"]))

    def now(self) -> float:
        """Seconds since 1970, as files say them."""
        return time.time()
