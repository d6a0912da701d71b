"""Benchmarks as values, and how two sides are measured against each other in one run.

A benchmark is a function of a `scale` (1 is full size) that gives its sides by name. A side is a function that prepares,
untimed, and gives back the function that is timed:

    @benchmark(Must("numpy", 0.9, "wall"))
    def sort(scale):
        a = np.random.default_rng(0).random(int(5e7 * scale))
        def ours():
            x = mt.tensor(a)
            return lambda: mt.sort(x).execute()
        return {"ours": ours, "numpy": lambda: lambda: np.sort(a)}

Sides take turns (A B A B), and the figure is the median of the ratios of neighbours: other work on the machine slows both.
"""

from __future__ import annotations

import contextlib
import cProfile
import ctypes
import gc
import io
import pstats
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import dask
import numpy as np
import pandas as pd
import pyarrow as pa

import marsdask as mars

Unit = Literal["cpu", "wall", "memory"]
Over = Literal["geomean", "total"]
Run = Callable[[], Any]
Sides = dict[str, Callable[[], Run]]

OURS = "ours"

CONFIG = {
    "scheduler": "threads",
    "dataframe.convert-string": False,
    "dataframe.shuffle.method": "tasks",  # the default goes by disk and costs a quarter more CPU
}


@dataclass(frozen=True)
class Must:
    """Ours over the side `against` is to be `at_most` so much; without a bound the figure is only shown.

    With `per`, the figure is ours alone divided by `per(scale)`, and `against` says what that is. A summary's figure is the
    geometric mean `over` its benchmarks' ratios, or the ratio of their totals.
    """

    against: str
    at_most: float | None = None
    unit: Unit = "cpu"
    per: Callable[[float], float] | None = None
    over: Over = "geomean"


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    sides: Callable[[float], Sides]
    musts: tuple[Must, ...]


@dataclass(frozen=True)
class Summary:
    """What several benchmarks say together."""

    name: str
    of: tuple[str, ...]
    musts: tuple[Must, ...]


@dataclass
class Samples:
    """What was measured, by side: seconds of every round, bytes of extra peak memory, and why a side is missing."""

    cpu: dict[str, list[float]] = field(default_factory=dict)
    wall: dict[str, list[float]] = field(default_factory=dict)
    memory: dict[str, list[float]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    profiles: dict[str, str] = field(default_factory=dict)


BENCHMARKS: dict[str, Benchmark] = {}
SUMMARIES: dict[str, Summary] = {}


def benchmark(*musts: Must) -> Callable[[Callable[[float], Sides]], Callable[[float], Sides]]:
    """Registers a benchmark under its function's name; the docstring is its title."""

    def register(sides: Callable[[float], Sides]) -> Callable[[float], Sides]:
        name = sides.__name__
        BENCHMARKS[name] = Benchmark(name, (sides.__doc__ or name).strip().split("\n")[0], sides, musts)
        return sides

    return register


def summary(name: str, of: tuple[str, ...], *musts: Must) -> None:
    """Registers what the benchmarks `of` are to be together."""
    SUMMARIES[name] = Summary(name, of, musts)


@contextlib.contextmanager
def settings() -> Iterator[None]:
    """Both sides at their best, and silent."""
    with dask.config.set(CONFIG), mars.option_context({"show_progress": False}):
        yield


def measure(bench: Benchmark, scale: float, pairs: int, only: set[str], *, profile: bool) -> Samples:
    """Seconds of `pairs` rounds over all sides, after one round that is not counted and whose answers are compared."""
    samples = Samples()
    with settings():
        runs = _prepared(bench, scale, only, samples)
        for _ in range(pairs):
            for side, run in runs.items():
                wall, cpu = seconds(run)
                samples.wall.setdefault(side, []).append(wall)
                samples.cpu.setdefault(side, []).append(cpu)
        if profile:
            samples.profiles = {side: profiled(run) for side, run in runs.items()}
    return samples


def _prepared(bench: Benchmark, scale: float, only: set[str], samples: Samples) -> dict[str, Run]:
    """The runs by side, each warm. A side that fails is told and left out: the others still say something."""
    runs: dict[str, Run] = {}
    first: tuple[str, Any] | None = None
    for side, prepare in bench.sides(scale).items():
        if only and side not in only:
            continue
        try:
            run = prepare()
            answer = value(run())
            if first is None:
                first = side, answer
            elif not alike(answer, first[1]):
                samples.failed[side] = f"answers differently from {first[0]}"
            runs[side] = run
        except Exception as error:
            samples.failed[side] = f"{type(error).__name__}: {error}".split("\n")[0]
    return runs


def seconds(run: Run) -> tuple[float, float]:
    """Wall and CPU seconds (of all threads) of one run; what the last run left is collected before.

    A run that has other processes work says by its attribute `clock` what CPU all have used.
    """
    gc.collect()
    clock = getattr(run, "clock", time.process_time)
    cpu, wall = clock(), time.perf_counter()
    answer = run()
    wall = time.perf_counter() - wall
    cpu = clock() - cpu
    del answer
    return wall, cpu


def profiled(run: Run, lines: int = 40) -> str:
    """Where the calling thread spends one run: building, optimizing, and waiting for tasks in other threads."""
    profiler = cProfile.Profile()
    profiler.runcall(run)
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).strip_dirs().sort_stats("cumulative").print_stats(lines)
    return text.getvalue()


def extra_peak(bench: Benchmark, side: str, scale: float) -> float:
    """Bytes by which one run lifts the process's memory above its inputs. Call it in a fresh process."""
    with settings():
        bench.sides(scale / 1000)[side]()()  # modules and pools that the first run brings are not the run's
        run = bench.sides(scale)[side]()
        _given_back()
        Path("/proc/self/clear_refs").write_text("5")  # Linux forgets the peak of the preparations
        before = _status("VmRSS")
        answer = run()
        peak = _status("VmHWM")
        del answer
    return max(peak - before, 0)


def _given_back() -> None:
    """Let allocators give back what is free: what they keep of the preparations a run would take, and seem to need none."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(AttributeError):  # not of the GNU
        ctypes.CDLL(None).malloc_trim(0)


def _status(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return float(line.split()[1]) * 1024
    raise KeyError(name)


def value(answer: Any) -> Any:
    """An answer as NumPy or pandas has it, whichever form a side returned it in."""
    if hasattr(answer, "fetch"):
        return answer.execute().fetch()
    return answer.compute() if dask.is_dask_collection(answer) else answer


def alike(one: Any, other: Any) -> bool:
    """Equal but for rounding. Dtypes may differ: Dask's sums of small integers are its own. A side that is asked something
    else answers None."""
    if one is None or other is None:
        return True
    if isinstance(other, list) and any(isinstance(each, pd.DataFrame) for each in other):
        return len(one) == len(other) and all(map(alike, one, other))
    near: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-12}
    try:
        if isinstance(other, pd.DataFrame):
            pd.testing.assert_frame_equal(one, other, check_dtype=False, **near)
        elif isinstance(other, pd.Series):
            pd.testing.assert_series_equal(one, other, check_dtype=False, **near)
        else:
            np.testing.assert_allclose(one, other, **near)
    except AssertionError:
        return False
    return True
