"""Items of a map that have failed, from their files: what they were, and running them again."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

from marsdask import pickles, stored
from marsdask.errors import BadStorage, JobNotFound
from marsdask.remote.durable.storage import Storage


@dataclass(frozen=True)
class Failed:
    """An item that has failed: its file in `err/`, and what that says."""

    storage: Storage
    file: str
    facts: dict[str, Any]
    given: bytes | str

    @property
    def number(self) -> int:
        return int(self.facts["number"])

    @property
    def item(self) -> Any:
        """The item itself."""
        if isinstance(self.given, bytes):
            return pickle.loads(self.given)
        return pickle.loads(_body(self.storage, "in", self.given))


def _body(storage: Storage, folder: str, name: str) -> bytes:
    found = storage.whole(folder, name)
    if isinstance(found, stored.Broken):
        raise BadStorage.at(
            storage.url, f"{folder}/{name}: {found.reason}", "run the program of the map again"
        )
    return bytes(found.body)


def failed_of(storage: Storage, job: str, number: int | None = None) -> list[Failed]:
    """The items of a map that have failed, all or that of a number; JobNotFound where there is none."""
    found = []
    for name in storage.names("err"):
        whole = storage.whole("err", name)
        if isinstance(whole, stored.Whole) and whole.facts.get("job") == job:
            found.append(Failed(storage, name, whole.facts, pickle.loads(whole.body)["item"]))
    if number is not None and number not in [each.number for each in found]:
        raise JobNotFound.task(job, number, sorted(each.number for each in found))
    return sorted((each for each in found if number in (None, each.number)), key=lambda each: each.number)


def function_of(storage: Storage, file: str, *, here: bool = False) -> tuple[Any, dict[str, str], str, bytes]:
    """The function of a file of a result or error: itself, its parts, what people call it, and how it travels.

    `here`: this process runs it, and is no program with modules of the same names.
    """
    code = file.partition(".")[2]
    found = storage.whole("fn", code)
    if isinstance(found, stored.Broken):
        raise BadStorage.at(storage.url, f"fn/{code}: {found.reason}", "run the program of the map again")
    body = bytes(found.body)
    with pickles.missing("this process"):
        return pickles.opened(body, here=here).func, found.facts["parts"], found.facts["label"], body
