"""What every mapping of this room promises, as checks that take a way to make one.

A kind of mapping says what of it holds: `joins` for stores of bytes (a list of buffers is read back as one), `own_keys` where
keys may be anything hashable, `iterates` where the mapping may change while it is iterated.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import threading
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.processes import PATIENCE

Mapping = MutableMapping[Any, Any]
Make = Callable[[], Mapping]
ROUNDS = 30
# WorkSpace keeps them in each directory, for the next process.
LOCKS = {"global.lock", "purge.lock"}


@dataclass(frozen=True)
class Kind:
    name: str
    make: Callable[[Path], Mapping]
    joins: bool = True
    any_keys: bool = True
    iterates: bool = True
    tidy: bool = True


CHECKS: dict[str, Callable[[Kind, Make], None]] = {}


def check(function: Callable[[Kind, Make], None]) -> Callable[[Kind, Make], None]:
    CHECKS[function.__name__] = function
    return function


@contextlib.contextmanager
def nothing_left(directory: Path) -> Iterator[None]:
    """Fails if the block leaves an open file, a thread, or a file of its own."""
    gc.freeze()  # so that only what the block made is looked at: of all the process has, it would take 70 ms
    opened, threads = _opened(), _threads()
    yield
    gc.collect()
    assert _opened() <= opened
    assert _threads() <= threads
    left = {p.name for p in directory.rglob("*") if p.is_file() or p.name.startswith("spill-")}
    assert left <= LOCKS


def files(directory: Path) -> list[Path]:
    """The files of values below, whole and partial ones."""
    return sorted(p for p in directory.rglob("spill-*/*") if p.is_file())


def _threads() -> set[threading.Thread]:
    """The threads of this process; not those that clusters of other tests start whenever they need one."""
    return {t for t in threading.enumerate() if not t.name.startswith(("Dask-", "asyncio_"))}


def _opened() -> set[str]:
    """The open files of this process; no sockets, and nothing of the kernel's: clusters of other tests have these."""
    found = set()
    for fd in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.add(f"{fd.name} {os.readlink(fd)}")
    return {each for each in found if each.partition(" ")[2].startswith("/") and " /proc/" not in each}


@check
def empty(kind: Kind, make: Make) -> None:
    m = make()
    assert not m
    assert len(m) == 0
    assert list(m) == list(m.keys()) == list(m.values()) == list(m.items()) == []
    assert "x" not in m
    assert object() not in m
    assert m.get("x") is None
    for act in (lambda: m["x"], lambda: m.__delitem__("x"), lambda: m.popitem()):
        with pytest.raises(KeyError):
            act()
    assert type(m).__name__.replace("Mars", "").replace("Spill", "") in repr(m)


@check
def one_value(kind: Kind, make: Make) -> None:
    m = make()
    m["x"] = b"abc"
    assert m["x"] == b"abc"
    assert m["x"] == b"abc"
    assert (len(m), list(m), "x" in m, "y" in m) == (1, ["x"], True, False)
    m["x"] = b"longer than before"
    assert m["x"] == b"longer than before"
    m["x"] = b""
    assert m["x"] == b""
    assert len(m) == 1
    del m["x"]
    assert "x" not in m
    with pytest.raises(KeyError):
        m["x"]
    with pytest.raises(KeyError):
        del m["x"]
    m["x"] = b"again"
    assert m["x"] == b"again"


@check
def all_of_a_mapping(kind: Kind, make: Make) -> None:
    m = make()
    assert isinstance(m, MutableMapping)
    m.update({"a": b"1", "b": b"22"})
    m.update([("b", b"33"), ("c", b"444")], d=b"5")
    expected = {"a": b"1", "b": b"33", "c": b"444", "d": b"5"}
    assert {k: bytes(v) for k, v in m.items()} == expected
    assert list(m) == list(m.keys()) == [k for k, _ in m.items()]
    assert [bytes(v) for v in m.values()] == [expected[k] for k in m]
    assert b"33" in m.values()
    assert ("c", b"444") in m.items()
    assert m.setdefault("a", b"no") == b"1"
    assert bytes(m.pop("a")) == b"1"
    assert m.pop("a", None) is None
    key, value = m.popitem()
    assert expected[key] == value
    m.clear()
    assert not m


@check
def keys_of_any_kind(kind: Kind, make: Make) -> None:
    m = make()
    keys: list[Any] = ["a/b", "..", "", "a b", "ü", "n" * 200, "#1", "%", "A", "a"]
    if kind.any_keys:
        keys += ["k" * 300, ("x", 1), ("x", 1, ("y", None)), 7, None, "a\0b", ("name-" + "f" * 400, 0, 3)]
    for i, key in enumerate(keys):
        m[key] = b"%d" % i
    assert [bytes(m[key]) for key in keys] == [b"%d" % i for i in range(len(keys))]
    assert set(m) == set(keys)
    for key in keys:
        del m[key]
    assert not m


@check
def values_of_any_size(kind: Kind, make: Make) -> None:
    m = make()
    rng = np.random.default_rng(0)
    values = {n: rng.bytes(n) for n in (0, 1, 4095, 4096, 4097, 1_000_000, 5 * 2**20 + 1)}
    for n, value in values.items():
        m[f"v{n}"] = value
    for n, value in values.items():
        assert m[f"v{n}"] == value


@check
def what_is_read_is_the_readers(kind: Kind, make: Make) -> None:
    if not kind.joins:
        return
    m = make()
    m["x"] = b"abc"
    first = m["x"]
    first[0] = 0
    assert m["x"] == b"abc"
    assert np.frombuffer(m["x"], np.uint8).flags.writeable


@check
def buffers_of_any_kind(kind: Kind, make: Make) -> None:
    if not kind.joins:
        return
    m = make()
    numbers = np.arange(1000.0)
    m["array"] = [b"head", numbers.data]
    assert m["array"] == b"head" + numbers.tobytes()
    parts = [b"", b"a", bytearray(b"bc"), memoryview(b"def"), b""]
    m["list"] = parts
    m["tuple"] = tuple(parts)
    assert m["list"] == m["tuple"] == b"abcdef"
    m["many"] = [b"%d," % i for i in range(5000)]  # more than one call takes
    assert bytes(m["many"]) == b"".join(b"%d," % i for i in range(5000))
    m["none"] = []
    assert m["none"] == b""
    for bad in (object(), 3, None, [b"a", 3]):
        with pytest.raises(TypeError):
            m["list"] = bad


@check
def as_a_dict_would(kind: Kind, make: Make) -> None:
    m, model, r = make(), {}, random.Random(3)
    for step in range(400):
        key = r.choice("abcdefgh")
        if r.random() < 0.6:
            m[key] = model[key] = r.randbytes(r.randrange(3000))
        elif key in model:
            del m[key], model[key]
        if step % 20 == 0:
            assert {k: bytes(v) for k, v in m.items()} == model
        if key in model:
            assert m[key] == model[key]


@check
def changes_while_iterated(kind: Kind, make: Make) -> None:
    if not kind.iterates:
        return
    m = make()
    for i in range(20):
        m[i] = b"x" * i
    for key in m:
        if key % 2:
            del m[key]
            m[key + 100] = b"new"
    assert len(m) == 20
    assert all(key % 2 == 0 or key > 100 for key in m)


def _at_once(*functions: Callable[[], None]) -> None:
    barrier = threading.Barrier(len(functions))

    def started(function: Callable[[], None]) -> None:
        barrier.wait(PATIENCE)
        function()

    with ThreadPoolExecutor(len(functions)) as pool:
        for done in [pool.submit(started, function) for function in functions]:
            done.result(PATIENCE)


@check
def threads_on_their_own_keys(kind: Kind, make: Make) -> None:
    m = make()

    def work(key: str) -> None:
        value = key.encode() * 20_000
        for _ in range(ROUNDS):
            m[key] = value
            assert m[key] == value
            del m[key]
            assert key not in m
            with pytest.raises(KeyError):
                m[key]

    _at_once(*(lambda key=key: work(key) for key in "abc"))
    assert not m


@check
def threads_on_one_key(kind: Kind, make: Make) -> None:
    m = make()
    values = [bytes([i]) * 30_000 for i in range(3)]

    def write(value: bytes) -> None:
        for _ in range(ROUNDS):
            m["x"] = value

    def read() -> None:
        for _ in range(ROUNDS):
            with contextlib.suppress(KeyError):
                assert bytes(m["x"]) in values

    def delete() -> None:
        for _ in range(ROUNDS):
            with contextlib.suppress(KeyError):
                del m["x"]

    _at_once(lambda: write(values[0]), lambda: write(values[1]), read, delete)
    m["x"] = values[2]
    assert m["x"] == values[2]
    assert list(m) == ["x"]
    del m["x"]
    assert not m


@check
def closes_twice(kind: Kind, make: Make) -> None:
    m = make()
    m["x"] = b"abc" * 1000
    m.close()
    m.close()


@check
def forgotten_without_close(kind: Kind, make: Make) -> None:
    m = make()
    for i in range(10):
        m[f"x{i}"] = b"abc" * 1000
    del m
    gc.collect()
