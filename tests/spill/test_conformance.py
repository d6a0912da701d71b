"""Every mapping against the kit; zict's own store beside ours, where it promises the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import zict

from marsdask.spill.buffer import MarsSpillBuffer, Serialized
from marsdask.spill.store import StripedFile
from tests.spill.conformance import CHECKS, Kind, nothing_left

pytestmark = pytest.mark.once


def _stores(path: Path, names: str, **options: object) -> StripedFile:
    return StripedFile([path / name for name in names], **options)


def _buffer(path: Path, memory: int, **options: object) -> MarsSpillBuffer:
    return MarsSpillBuffer(str(path), memory_limit=memory, target=0.5, **options)


KINDS = [
    Kind("one directory", lambda path: _stores(path, "a")),
    Kind("three directories", lambda path: _stores(path, "abc")),
    Kind("most free", lambda path: _stores(path, "ab", placement="most-free")),
    Kind("locks", lambda path: _stores(path, "ab", lock_free=False)),
    Kind("quotas", lambda path: _stores(path, "ab", quotas=[50_000, None])),
    Kind("serialized", lambda path: Serialized([path / "a", path / "b"], False), joins=False),
    Kind("buffer, all on disk", lambda path: _buffer(path, 2), joins=False),
    Kind("buffer, some on disk", lambda path: _buffer(path, 20_000), joins=False),
    Kind("buffer, all in memory", lambda path: _buffer(path, 2**40), joins=False),
    Kind(
        "buffer, two directories",
        lambda path: _buffer(path, 2000, directories=[str(path / "a"), str(path / "b")]),
        joins=False,
    ),
    Kind("zict.File", lambda path: zict.File(path / "z"), any_keys=False, iterates=False, tidy=False),
]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_conforms(kind: Kind, check: str, tmp_path: Path) -> None:
    if not kind.tidy:
        CHECKS[check](kind, lambda: kind.make(tmp_path))
        return
    with nothing_left(tmp_path):
        # The mapping's last reference goes with the check.
        CHECKS[check](kind, lambda: kind.make(tmp_path))
