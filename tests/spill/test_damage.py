"""Files that are not what was written: never a wrong value, always the one error."""

from __future__ import annotations

import errno
import importlib.util
import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest
from distributed.spill import SpillBuffer

from marsdask.errors import MarsDaskError, SpillDamaged
from marsdask.spill.buffer import MarsSpillBuffer
from marsdask.spill.store import Problem, StripedFile
from tests.spill.conformance import files
from tests.spill.faulty import faults

pytestmark = pytest.mark.once

FILES = 1000
COMPRESSIONS = [None, "zlib"] + [
    name
    for name, module in (("lz4", "lz4"), ("snappy", "snappy"), ("zstd", "zstandard"))
    if importlib.util.find_spec(module)
]


def _value(i: int) -> np.ndarray | pd.DataFrame | dict[str, object]:
    """One of three kinds; compressible, and different for each `i`."""
    numbers = np.arange(i, i + 400, dtype="float64")
    if i % 3 == 0:
        return numbers
    if i % 3 == 1:
        return pd.DataFrame({"a": numbers, "b": [f"row {j % 7}" for j in range(400)]})
    return {"name": f"value {i}", "data": numbers.tolist()}


def _same(one: object, other: object) -> bool:
    return pickle.dumps(one) == pickle.dumps(other) if isinstance(one, dict) else bool(np.all(one == other))


def _flip_one_bit(data: bytearray, r: random.Random) -> None:
    data[r.randrange(len(data))] ^= 1 << r.randrange(8)


def _flip_64_bytes(data: bytearray, r: random.Random) -> None:
    start = r.randrange(len(data) - 64)
    for i in range(start, start + 64):
        data[i] ^= 0xFF


def _cut(data: bytearray, r: random.Random) -> None:
    del data[r.randrange(len(data)) :]


def _lengthen(data: bytearray, r: random.Random) -> None:
    data += b"\0"


DAMAGES: list[Callable[[bytearray, random.Random], None]] = [_flip_one_bit, _flip_64_bytes, _cut, _lengthen]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_no_wrong_value_in_a_thousand_damaged_files(tmp_path: Path, compression: str | None) -> None:
    r = random.Random(5)
    problems: list[Problem] = []
    with dask.config.set({"distributed.worker.memory.spill-compression": compression}):
        buffer = MarsSpillBuffer(
            str(tmp_path), memory_limit=10, target=1.0, directories=[str(tmp_path / "a"), str(tmp_path / "b")]
        )
    buffer.store.on_problem = problems.append
    for i in range(FILES + 50):
        buffer[i] = _value(i)
    assert buffer.spilled_total.memory > (1.2 if compression else 0) * buffer.spilled_total.disk
    told = 0
    for i in range(FILES):
        path = Path(buffer.store.path(i))
        data = bytearray(path.read_bytes())
        DAMAGES[i % 2 if r.random() < 0.9 else r.randrange(4)](data, r)
        path.write_bytes(data)
        try:
            wrong = buffer[i]
        except SpillDamaged as error:
            assert (error.key, error.path) == (i, str(path))
            told += 1
        else:
            assert not _same(wrong, _value(i)), "the file was not damaged"
            pytest.fail(f"value {i} was read as {wrong}")
    assert told == len(problems) == FILES
    assert {p["kind"] for p in problems} == {"damaged"}
    for i in range(FILES, FILES + 50):
        assert _same(buffer[i], _value(i))
    buffer.close()


def test_the_damage_is_real(tmp_path: Path) -> None:
    """distributed's own buffer gives wrong values for the same damage."""
    buffer = SpillBuffer(str(tmp_path), 10)
    for i in range(0, 60, 3):
        buffer[i] = _value(i)
    r = random.Random(5)
    for path in tmp_path.iterdir():
        data = bytearray(path.read_bytes())
        _flip_64_bytes(data, r)
        path.write_bytes(data)
    assert any(not _same(buffer[i], _value(i)) for i in range(0, 60, 3))


@pytest.fixture
def store(tmp_path: Path) -> StripedFile:
    store = StripedFile([tmp_path / "a"])
    store["x"] = b"x" * 1000
    store["y"] = b"y" * 1000
    return store


def _fails(store: StripedFile, reason: str) -> None:
    path = store.path("x")
    with pytest.raises(SpillDamaged, match=reason) as caught:
        store["x"]
    error = caught.value
    assert isinstance(error, OSError)
    assert not isinstance(error, FileNotFoundError | KeyError)
    assert isinstance(error, MarsDaskError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.key, again.path, again.reason, again.errno) == ("x", path, error.reason, errno.EIO)
    assert "'x'" in str(error)
    assert path in str(error)
    assert str(again) == str(error)
    assert "x" in store
    assert store["y"] == b"y" * 1000
    del store["x"]
    assert "x" not in store
    store["x"] = b"new"
    assert store["x"] == b"new"
    store.close()


def test_truncated(store: StripedFile) -> None:
    os.truncate(store.path("x"), 500)
    _fails(store, "500 bytes, and 1,000 were written")


def test_emptied(store: StripedFile) -> None:
    os.truncate(store.path("x"), 0)
    _fails(store, "0 bytes, and 1,000 were written")


def test_missing(store: StripedFile) -> None:
    os.unlink(store.path("x"))
    _fails(store, "it is missing")


def test_swapped(store: StripedFile) -> None:
    Path(store.path("x")).write_bytes(Path(store.path("y")).read_bytes())
    _fails(store, "checksum")


def test_replaced_by_a_directory(store: StripedFile) -> None:
    os.unlink(store.path("x"))
    os.mkdir(store.path("x"))
    path = store.path("x")
    with pytest.raises(SpillDamaged):
        store["x"]
    del store["x"]
    os.rmdir(path)
    store.close()


@pytest.mark.parametrize("function", ["open", "readv", "fstat"])
def test_unreadable(tmp_path: Path, store: StripedFile, function: str) -> None:
    with faults() as system:
        system.set(function, tmp_path / "a", errno.EIO)
        with pytest.raises(SpillDamaged, match="Input/output error"):
            store["x"]
        system.clear()
        assert store["x"] == b"x" * 1000
    store.close()


def test_cut_while_it_is_read(tmp_path: Path, store: StripedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.readv

    def cut_first(opened: int, buffers: list[memoryview]) -> int:
        os.truncate(store.path("x"), 10)
        return real(opened, buffers)

    monkeypatch.setattr("marsdask.spill.directory.os.readv", cut_first)
    with pytest.raises(SpillDamaged, match="ended after 10 of 1,000 bytes"):
        store["x"]
    monkeypatch.undo()
    store.close()


def test_a_damaged_value_can_be_dropped_from_a_buffer(tmp_path: Path) -> None:
    buffer = MarsSpillBuffer(str(tmp_path), memory_limit=10, target=1.0)
    buffer["x"] = np.arange(100.0)
    (file,) = files(tmp_path)
    file.write_bytes(b"?" * file.stat().st_size)
    for _ in range(2):
        with pytest.raises(SpillDamaged):
            buffer["x"]
    assert "x" in buffer
    del buffer["x"]
    assert (len(buffer), buffer.spilled_total) == (0, (0, 0))
    buffer["x"] = np.arange(3.0)
    assert buffer["x"].tolist() == [0, 1, 2]
    buffer.close()


def test_a_value_still_in_use_is_not_read_again(tmp_path: Path) -> None:
    buffer = MarsSpillBuffer(str(tmp_path), memory_limit=10, target=1.0)
    value = np.arange(100.0)
    buffer["x"] = value
    (file,) = files(tmp_path)
    file.unlink()
    assert buffer["x"] is value
    buffer.close()
