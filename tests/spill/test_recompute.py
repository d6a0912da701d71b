"""Files of live worker processes are damaged: nothing wrong comes back, and what was lost is computed again."""

import hashlib
import inspect
import os
import random
import re
from concurrent.futures import CancelledError
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster

from marsdask.engine.workers import workers_of
from marsdask.errors import SpillDamaged
from marsdask.spill import MemoryPolicy, cluster_arguments
from tests.processes import PATIENCE, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]

COUNT = 40


def made(i: int) -> np.ndarray:
    """4 MB, different for each i; every other compresses."""
    return np.random.default_rng(i).random(500_000) if i % 2 else np.arange(i, i + 500_000) // 1000


def ready(futures: list) -> None:
    for future in futures:
        assert future.exception(timeout=PATIENCE) is None


def digest(*arrays: np.ndarray) -> str:
    return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()


RIGHT = [digest(made(i)) for i in range(COUNT)]


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    return [tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b")]


@pytest.fixture(scope="module")
def client(directories):
    policy = MemoryPolicy.of_options(
        mem_bytes="800m", cache_mem="5%", spill_dir=[str(d) for d in directories]
    )
    few = {"dashboard_address": "127.0.0.1:0", "local_directory": str(directories[0])}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **(cluster_arguments(policy) | few)) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
    assert not [f for d in directories for f in files(d)]


def files(directory: Path) -> list[Path]:
    return [f for f in directory.rglob("*") if f.is_file() and f.stat().st_size > 1000]


def damage(directories: list[Path], how: str) -> int:
    """Damage every file that holds values; how many there were."""
    found = [f for d in directories for f in files(d)]
    for file in found:
        size = file.stat().st_size
        if how == "flipped":
            with file.open("r+b") as opened:
                opened.seek(at := random.randrange(size - 64))
                old = opened.read(64)
                opened.seek(at)
                opened.write(bytes(byte ^ 1 << random.randrange(8) for byte in old))
        elif how == "truncated":
            os.truncate(file, size // 2)
        else:
            file.unlink()
    return len(found)


@pytest.fixture
def held(client):
    futures = client.map(made, range(COUNT), pure=False)
    ready(futures)
    yield futures
    client.cancel(futures)


def events(client: Client, kind: str) -> list[dict]:
    return [event for _, event in client.get_events("marsdask-spill") if event["kind"] == kind]


@pytest.mark.parametrize("how", ["flipped", "truncated", "deleted"])
class TestRecomputed:
    def test_gathered_by_the_client(self, client, directories, held, how):
        before = len(events(client, "damaged"))
        count = damage(directories, how)
        assert count > 10
        assert [digest(a) for a in client.gather(held)] == RIGHT
        assert len(events(client, "damaged")) - before >= count // 2

    def test_read_by_a_task(self, client, directories, held, how):
        assert damage(directories, how) > 10
        assert client.gather(client.map(digest, held, pure=False)) == RIGHT

    def test_sent_to_a_peer(self, client, directories, held, how):
        where = client.who_has(held)
        both = list(workers_of(client))
        assert damage(directories, how) > 10
        pinned = [
            client.submit(digest, f, workers=[w for w in both if w not in where[f.key]], pure=False)
            for f in held
        ]
        assert [f.result(timeout=PATIENCE) for f in pinned] == RIGHT

    def test_in_pairs_from_both_workers(self, client, directories, held, how):
        assert damage(directories, how) > 10
        pairs = [client.submit(digest, a, b, pure=False) for a, b in zip(held, reversed(held), strict=True)]
        wanted = [digest(made(i), made(COUNT - 1 - i)) for i in range(COUNT)]
        assert [f.result(timeout=PATIENCE) for f in pairs] == wanted


def test_from_the_lineage(client, directories):
    """What a damaged value was made of is gone, and is made again too."""
    bases = client.map(made, range(COUNT), pure=False)
    held = client.map(np.negative, bases, pure=False)
    del bases
    ready(held)
    assert damage(directories, "flipped") > 10
    got = client.gather(held)
    assert [digest(a) for a in got] == [digest(-made(i)) for i in range(COUNT)]


def test_scattered_data_have_no_lineage(client, directories, held):
    """Nobody can compute them again: a named error, and nothing wrong."""
    (lost,) = client.scatter([made(1)], hash=False)
    pushed = client.map(made, range(COUNT), pure=False)
    ready(pushed)
    damage(directories, "flipped")
    with pytest.raises(SpillDamaged, match="its checksum is not the one it was written with"):
        client.submit(digest, lost, pure=False).result(timeout=PATIENCE)
    with pytest.raises(CancelledError):
        lost.result(timeout=PATIENCE)
    assert client.gather(client.map(digest, held, pure=False)) == RIGHT


def test_scattered_data_that_a_peer_asks_for(client, directories, held):
    """The worker that has them starts again, for only so a scheduler learns that they are gone; all else is made again."""
    client.wait_for_workers(2, timeout=PATIENCE)
    both = list(workers_of(client))
    (lost,) = client.scatter([made(1)], hash=False, workers=[both[0]])
    pushed = client.map(made, range(COUNT), workers=[both[0]], pure=False)
    ready(pushed)
    damage(directories, "flipped")
    with pytest.raises(CancelledError):
        client.submit(digest, lost, workers=[both[1]], pure=False).result(timeout=PATIENCE)
    with pytest.raises(CancelledError):
        lost.result(timeout=PATIENCE)
    client.cancel(pushed)
    assert client.gather(client.map(digest, held, pure=False)) == RIGHT
    client.wait_for_workers(2, timeout=PATIENCE)


def test_workers_tell_what_is_in_their_directories(client, directories, held):
    def workers() -> list[dict]:
        return list(workers_of(client).values())

    def agree() -> bool:
        """As of the last heartbeats."""
        metrics = [worker["metrics"] for worker in workers()]
        told = sum(d["bytes"] for m in metrics for d in m["marsdask_spill"])
        spilled = sum(m["spilled_bytes"]["disk"] for m in metrics)
        there = sum(f.stat().st_size for d in directories for f in files(d))
        return told == spilled == there > 0

    until(agree, "workers that tell as many bytes as there are in the files")
    for worker in workers():
        for path in map(str, directories):
            assert re.search(r" in \d+ files?, .* free$", worker["metrics"][f"spill {path}"])


def test_what_we_use_of_distributed_is_there():
    """Names that its documentation does not promise; the worker module is built on them."""
    from distributed import Worker
    from distributed.worker_memory import parse_memory_limit
    from distributed.worker_state_machine import ExecuteFailureEvent, FreeKeysEvent, RescheduleEvent

    assert list(inspect.signature(Worker.execute).parameters) == ["self", "key", "stimulus_id"]
    assert list(inspect.signature(Worker.get_data).parameters)[:3] == ["self", "comm", "keys"]
    assert {"keys", "stimulus_id"} <= set(inspect.signature(FreeKeysEvent).parameters)
    assert {"key", "stimulus_id"} <= set(inspect.signature(RescheduleEvent).parameters)
    assert "nthreads" in inspect.signature(parse_memory_limit).parameters
    assert ExecuteFailureEvent is not None
