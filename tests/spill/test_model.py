"""Random operations on a store and on a buffer beside a dict, while the file system fails at random."""

from __future__ import annotations

import errno
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from marsdask.errors import SpillDamaged, SpillFull
from marsdask.spill.buffer import MarsSpillBuffer
from marsdask.spill.store import StripedFile
from tests.spill.conformance import LOCKS, files
from tests.spill.faulty import faults

pytestmark = pytest.mark.once

KEYS = st.sampled_from([*"abcdef", ("x", 1), "k" * 300])
SIZES = st.integers(0, 3000)
NAMES = ("one", "two", "three")
WRITING = st.sampled_from(["open", "writev", "rename", "statvfs", "unlink"])
ERRORS = st.sampled_from([errno.EIO, errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EMFILE, errno.EFBIG])
QUOTAS = st.lists(st.one_of(st.none(), st.integers(1, 6000)), min_size=3, max_size=3)


class Failing(RuleBasedStateMachine):
    """What both have in common: directories that fail and recover, and a dict beside."""

    def __init__(self) -> None:
        super().__init__()
        self.ending = ExitStack()
        self.path = Path(self.ending.enter_context(tempfile.TemporaryDirectory()))
        self.system = self.ending.enter_context(faults())
        self.model: dict[object, bytes] = {}
        self.count = 0

    def _new_value(self, size: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(4, "big") * (size // 4) + b"x" * (size % 4)

    @rule(name=st.sampled_from(NAMES), function=WRITING, error=ERRORS)
    def fail(self, name: str, function: str, error: int) -> None:
        self.system.set(function, self.path / name, error)

    @rule()
    def recover(self) -> None:
        self.system.clear()

    def teardown(self) -> None:
        self.system.clear()
        self.mapping.close()
        try:
            left = {p.name for p in self.path.rglob("*") if p.is_file()}
            assert left <= LOCKS
        finally:
            self.ending.close()


class Store(Failing):
    @initialize(
        quotas=QUOTAS,
        placement=st.sampled_from(["round-robin", "most-free"]),
        retry=st.sampled_from([0, 1000]),
    )
    def start(self, quotas: list[int | None], placement: str, retry: float) -> None:
        self.quotas = quotas
        self.mapping = StripedFile(
            [self.path / name for name in NAMES], quotas=quotas, placement=placement, retry_after=retry
        )

    @rule(key=KEYS, size=SIZES)
    def write(self, key: object, size: int) -> None:
        value = self._new_value(size)
        try:
            self.mapping[key] = [value[: size // 2], value[size // 2 :]]
        except SpillFull as error:
            assert len(error.reasons) == 3
            # One that failed is not tried again before its time, whether it recovered or not.
            failed = any(directory.bad is not None for directory in self.mapping.directories)
            assert failed or self.system.errors or any(self.quotas)
        else:
            self.model[key] = value

    @rule(key=KEYS)
    def delete(self, key: object) -> None:
        self.mapping.discard(key)
        self.model.pop(key, None)

    @rule(key=KEYS)
    def read(self, key: object) -> None:
        if key not in self.model:
            assert self.mapping.get(key) is None
            return
        try:
            assert self.mapping[key] == self.model[key]
        except SpillDamaged:
            assert any(function == "open" for function, _ in self.system.errors)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), bit=st.integers(0, 10**6))
    def damage(self, data: st.DataObject, bit: int) -> None:
        key = data.draw(st.sampled_from(sorted(self.model, key=repr)))
        path = Path(self.mapping.path(key))
        if not self.model[key]:
            return
        content = bytearray(path.read_bytes())
        content[bit // 8 % len(content)] ^= 1 << bit % 8
        path.write_bytes(content)
        try:
            self.mapping[key]
        except SpillDamaged as error:
            assert error.key == key
        else:
            raise AssertionError(f"{key} was read although it is damaged")
        del self.mapping[key], self.model[key]

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "mapping"):
            return
        assert set(self.mapping) == set(self.model)
        assert len(self.mapping) == len(self.model)
        used = self.mapping.usage()
        assert sum(u["files"] for u in used) == len(self.model)
        assert sum(u["bytes"] for u in used) >= sum(map(len, self.model.values()))
        assert all(quota is None or u["bytes"] <= quota for u, quota in zip(used, self.quotas, strict=True))

    @precondition(lambda self: hasattr(self, "mapping"))
    @rule()
    def leaves_nothing(self) -> None:
        """Once nothing fails and each directory is tried again, what is on disk is what is in the index."""
        self.system.clear()
        for directory in self.mapping.directories:
            directory._retry_at = 0
            if directory.bad is not None:
                directory._revive()
                directory.bad = None
        assert {str(p) for p in files(self.path)} == {self.mapping.path(k) for k in self.model}
        used = sum(u["bytes"] for u in self.mapping.usage())
        assert used == sum(map(len, self.model.values()))
        for key, value in self.model.items():
            assert self.mapping[key] == value


class Buffer(Failing):
    @initialize(
        quotas=QUOTAS,
        memory=st.sampled_from([2, 2000, 6000, 10**9]),
        max_spill=st.sampled_from([False, 4000]),
        retry=st.sampled_from([0, 1000]),
    )
    def start(self, quotas: list[int | None], memory: int, max_spill: int, retry: float) -> None:
        self.mapping = MarsSpillBuffer(
            str(self.path),
            memory_limit=memory,
            target=1.0,
            max_spill=max_spill,
            directories=[str(self.path / name) for name in NAMES],
            quotas=quotas,
            retry_after=retry,
        )
        self.max_spill = max_spill

    @rule(key=KEYS, size=SIZES)
    def write(self, key: object, size: int) -> None:
        self.mapping[key] = self.model[key] = self._new_value(size)

    @rule(key=KEYS)
    def delete(self, key: object) -> None:
        self.mapping.discard(key)
        self.model.pop(key, None)

    @rule(key=KEYS)
    def read(self, key: object) -> None:
        try:
            assert self.mapping.get(key) == self.model.get(key)
        except SpillDamaged:
            assert any(function == "open" for function, _ in self.system.errors)

    @rule()
    def evict(self) -> None:
        before = set(self.mapping.fast)
        size = self.mapping.evict()
        assert size >= -1
        assert len(before - set(self.mapping.fast)) == (size != -1)

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "mapping"):
            return
        assert set(self.mapping) == set(self.model)
        both = set(self.mapping.fast) & set(self.mapping.slow)
        assert both == self.mapping._both
        assert len(self.mapping) == len(self.model)
        sizes = self.mapping.store.sizes
        assert self.mapping.spilled_total.memory == sum(
            sizes[k].memory for k in set(self.mapping.slow) - both
        )
        assert self.mapping.fast.total_weight == sum(self.mapping.fast.weights.values())
        on_disk = [self.mapping.store.size(key) for key in self.mapping.slow]
        assert self.mapping.spilled_total.disk == sum(on_disk)
        assert self.max_spill is False or sum(on_disk) <= self.max_spill


TestStore = Store.TestCase
TestBuffer = Buffer.TestCase
TestStore.settings = TestBuffer.settings = settings(max_examples=50, stateful_step_count=40)
