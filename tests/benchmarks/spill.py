"""Benchmarks of spilling: our buffer against distributed's own, on the same data and the same file system."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import weakref
from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
import pandas as pd
from distributed.spill import SpillBuffer

from marsdask.spill.buffer import MarsSpillBuffer
from tests.benchmarks.ratio import Must, Sides, benchmark

# At least 0.95 of distributed's throughput, with a checksum of every value written and verified.
NOT_SLOWER = Must("distributed", 1 / 0.95, "wall")
# Every value is larger than what stays in memory, so that each write and each read goes to disk.
IN_MEMORY = 100
VALUES = 32


def _array(seed: int, scale: float) -> np.ndarray:
    return np.random.default_rng(seed).random(max(int(1e6 * scale), 100))


def _frame(seed: int, scale: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = max(int(2e5 * scale), 100)
    words = pd.array(["Amsterdam", "Beograd", "Cairo", "Dakar"], dtype="str").take(rng.integers(0, 4, n))
    return pd.DataFrame({"a": rng.random(n), "b": rng.random(n), "c": rng.integers(0, 9, n), "d": words})


def _buffers() -> dict[str, Callable[[str], MutableMapping[Any, Any]]]:
    return {
        "ours": lambda path: MarsSpillBuffer(path, memory_limit=IN_MEMORY, target=1.0),
        "distributed": lambda path: SpillBuffer(f"{path}/storage", IN_MEMORY),
    }


class Place:
    """A directory that goes with the last who knows it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class Written(list[float]):
    """Sizes of what a run wrote. The files go with it, untimed: what that takes depends on what the disk has done by then."""


def _writes(make: Callable[[int, float], Any], scale: float) -> Sides:
    values = [make(i, scale) for i in range(VALUES)]

    def side(buffer: Callable[[str], MutableMapping[Any, Any]]) -> Any:
        def prepare() -> Any:
            place = Place()
            data = buffer(place.path)
            numbers = itertools.count()

            def run() -> Written:
                keys = [("value", next(numbers)) for _ in values]
                for key, value in zip(keys, values, strict=True):
                    data[key] = value
                written = Written([len(data.disk)])
                weakref.finalize(written, _forget, data, keys, place)
                return written

            return run

        return prepare

    return {name: side(buffer) for name, buffer in _buffers().items()}


def _forget(data: MutableMapping[Any, Any], keys: list[Any], place: Place) -> None:
    for key in keys:
        del data[key]


def _reads(make: Callable[[int, float], Any], scale: float) -> Sides:
    def side(buffer: Callable[[str], MutableMapping[Any, Any]]) -> Any:
        def prepare() -> Any:
            place = Place()
            data = buffer(place.path)
            for i in range(VALUES):
                data["value", i] = make(i, scale)

            def run(place: Place = place) -> list[float]:
                values = [data["value", i] for i in range(VALUES)]
                return [
                    np.asarray(value).flat[-2] if isinstance(value, np.ndarray) else value["a"].iat[-1]
                    for value in values
                ]

            return run

        return prepare

    return {name: side(buffer) for name, buffer in _buffers().items()}


@benchmark(NOT_SLOWER)
def spill_write(scale: float) -> Sides:
    """spill 32 arrays of a million doubles"""
    return _writes(_array, scale)


@benchmark(NOT_SLOWER)
def spill_read(scale: float) -> Sides:
    """read them back"""
    return _reads(_array, scale)


@benchmark(NOT_SLOWER)
def spill_write_frames(scale: float) -> Sides:
    """spill 32 frames of 200,000 rows: two columns of doubles, one of integers, one of text"""
    return _writes(_frame, scale)


@benchmark(NOT_SLOWER)
def spill_read_frames(scale: float) -> Sides:
    """read them back"""
    return _reads(_frame, scale)
