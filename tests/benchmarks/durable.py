"""What a durable map costs: against plain Dask where tasks are trivial, of files that are there, of results that are large."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from multiprocessing.util import Finalize
from typing import Any

import numpy as np

from marsdask.remote.durable import Client
from marsdask.session import new_session
from tests.benchmarks import clusters
from tests.benchmarks.ratio import Must, Run, Sides, benchmark


def _square(x: int) -> int:
    return x * x


def _folder() -> str:
    folder = tempfile.mkdtemp(prefix="marsdask-durable-")
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=10)
    return folder


def _on_two_workers(scale: float) -> tuple[Client, Any]:
    made = clusters.client(clusters.OURS, 2, processes=scale >= 0.01)
    return Client(_folder(), cluster=new_session(made, default=False)), made


@benchmark(Must("dask", 1.5, "wall"))
def durable_tasks(scale: float) -> Sides:
    """1,000 trivial tasks on two workers of one thread, each with a file, beside plain client.map"""
    count = max(int(1000 * scale), 20)

    def ours() -> Run:
        client, _ = _on_two_workers(scale)
        return lambda: sum(client.map(_square, range(count), reuse="never"))

    def dask() -> Run:
        _, client = _on_two_workers(scale)
        return lambda: sum(client.gather(client.map(_square, range(count), pure=False)))

    return {"ours": ours, "dask": dask}


@benchmark(Must("2 s", 1.0, "wall", per=lambda scale: 2 * scale))
def durable_reuse(scale: float) -> Sides:
    """10,000 results that are there"""
    count = max(int(10_000 * scale), 20)

    def ours() -> Run:
        client = Client(_folder(), cluster="threads")
        sum(client.map(_square, range(count)))
        return lambda: sum(client.map(_square, range(count)))

    return {"ours": ours}


@benchmark(Must("32 MiB", 1.0, "memory", per=lambda scale: 2**25))
def durable_generator(scale: float) -> Sides:
    """10,000 items of a generator without a length: the first result is there before the last item, memory stays"""
    count = max(int(10_000 * scale), 20)

    def ours() -> Run:
        client = Client(_folder(), cluster="threads")
        taken = 0

        def items() -> Iterator[int]:
            nonlocal taken
            for number in range(count):
                taken = number
                yield number

        def run() -> int:
            found = client.map(_square, items(), reuse="never")
            first = next(found)
            assert taken < count - 1 or count < 5000
            return int(first) + sum(found)

        return run

    return {"ours": ours}


@benchmark(Must("two of them", 1.1, "memory", per=lambda scale: 2 * 100 * 2**20 * scale))
def durable_large(scale: float) -> Sides:
    """1 GB in ten results of workers: the memory of the program, which has the scheduler in it"""
    size = max(int(100 * 2**17 * scale), 1000)

    def ours() -> Run:
        client, _ = _on_two_workers(scale)

        def run() -> int:
            found = client.map(lambda x: np.full(size, float(x)), range(10), reuse="never")
            return sum(len(next(found)) for _ in range(10))  # which holds none while the next comes

        return run

    return {"ours": ours}
