"""Benchmarks of tensors: elementwise chains, sort, many operations, many chunks."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

import marsdask as mars
import marsdask.tensor as mt
from marsdask.plan.node import Node
from tests.benchmarks.ratio import Must, Sides, benchmark


def _square(scale: float) -> int:
    return max(int(8000 * scale**0.5), 16)


def _chain(a: Any, b: Any) -> Any:
    return (((a + 1) * 2 - b) ** 2).sum()


def _chain_sides(scale: float) -> Sides:
    n = _square(scale)
    chunk = (n // 8, n)
    a, b = np.random.default_rng(0).random((2, n, n))

    def ours():
        x, y = mt.tensor(a, chunk_size=chunk), mt.tensor(b, chunk_size=chunk)
        return lambda: _chain(x, y).execute().fetch()

    def dask():
        x, y = (da.from_array(part, chunks=chunk, name=False) for part in (a, b))
        return lambda: _chain(x, y).compute()

    return {"ours": ours, "dask": dask, "numpy": lambda: lambda: _chain(a, b)}


@benchmark(Must("dask", 0.35), Must("numpy", 1.2))
def chain(scale: float) -> Sides:
    """(((a+1)*2-b)**2).sum(), 8000 x 8000 doubles"""
    return _chain_sides(scale)


@benchmark(Must("bytes of inputs", 0.05, "memory", per=lambda scale: 2 * 8 * _square(scale) ** 2))
def chain_memory(scale: float) -> Sides:
    """extra peak memory of the chain"""
    return _chain_sides(scale)


def _sort_sides(scale: float, *, fetch: bool) -> Sides:
    a = np.random.default_rng(0).random(int(5e7 * scale))

    def ours():
        limit = {"chunk_store_limit": int(mars.options.chunk_store_limit * scale)}
        with mars.option_context(limit):  # as many chunks as at full size
            x = mt.tensor(a)

        def run() -> Any:
            done = mt.sort(x).execute()
            return done.fetch() if fetch else done

        return run

    return {"ours": ours, "numpy": lambda: lambda: np.sort(a)}


@benchmark(Must("numpy", 0.9, "wall"), Must("numpy", unit="cpu"))
def sort(scale: float) -> Sides:
    """sort of 5e7 doubles, the answer left in chunks"""
    return _sort_sides(scale, fetch=False)


@benchmark(Must("numpy", 1.5), Must("numpy", unit="wall"))
def sort_fetched(scale: float) -> Sides:
    """sort of 5e7 doubles, the answer fetched into one array"""
    return _sort_sides(scale, fetch=True)


def _many(x: Any, operations: int) -> Any:
    for _ in range(operations // 4):
        x = abs((x + 1) * 0.5 - 2)
    return x


@benchmark(Must("dask", 1.1), Must("dask", unit="wall"))
def build(scale: float) -> Sides:
    """build and lower 200 elementwise operations over 100 chunks, against dask.array's build"""
    a = np.random.default_rng(0).random(100_000)
    operations = max(int(200 * scale), 20)

    def ours():
        x = mt.tensor(a, chunk_size=1000)
        return lambda: _many(x, operations).to_dask()

    def dask():
        x = da.from_array(a, chunks=1000, name=False)
        return lambda: _many(x, operations)

    return {"ours": ours, "dask": dask}


def _tiny(x: Any) -> Any:
    return ((x + 1) * 2).sum()


def _tiny_chunks(scale: float) -> int:
    return max(int(10_000 * scale), 50)


@benchmark(Must("dask", 0.6, "wall"), Must("dask", unit="cpu"))
def tiny_chunks(scale: float) -> Sides:
    """((x+1)*2).sum() over 1e4 chunks of ten numbers, made by arange"""
    n = _tiny_chunks(scale)

    def ours():
        return lambda: _tiny(mt.arange(10 * n, chunk_size=10)).execute().fetch()

    return {"ours": ours, "dask": lambda: lambda: _tiny(da.arange(10 * n, chunks=10)).compute()}


@benchmark(Must("dask", unit="wall"), Must("dask", unit="cpu"))
def tiny_chunks_held(scale: float) -> Sides:
    """the same over 1e4 chunks that were executed before"""
    n = _tiny_chunks(scale)

    def ours():
        x = mt.arange(10 * n, chunk_size=10).execute()
        return lambda: _tiny(x).execute().fetch()

    def dask():
        x = da.arange(10 * n, chunks=10).persist()
        return lambda: _tiny(x).compute()

    return {"ours": ours, "dask": dask}


def _count(scale: float) -> int:
    return max(int(100_000 * scale), 10)


@benchmark(Must("µs per node", 5, per=lambda scale: _count(scale) / 1e6))
def node(scale: float) -> Sides:
    """making a node"""
    count = _count(scale)

    def ours():
        leaf = Node("ones", ((3,),))
        return lambda: sum(type(Node("add", (leaf, 1))) is Node for _ in range(count))

    return {"ours": ours}


@benchmark(Must("µs per handle", per=lambda scale: _count(scale) / 1e6))
def handle(scale: float) -> Sides:
    """x + 1: a handle and its node"""
    count = _count(scale)

    def ours():
        x = mt.ones((3,))
        return lambda: sum((x + 1) is not x for _ in range(count))

    return {"ours": ours}
