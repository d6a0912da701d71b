"""The buffer keeps what distributed's promises a worker, and what that does not: one value never blocks the others."""

from __future__ import annotations

import errno
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest
from distributed.spill import ManualEvictProto, SpillBuffer
from distributed.utils import has_arg

from marsdask.errors import ArgumentError, BadSpillDirectory, NotPicklable
from marsdask.spill import buffer as buffer_module
from marsdask.spill.buffer import TRIES, MarsSpillBuffer
from marsdask.spill.store import Problem, StripedFile
from tests.processes import PATIENCE
from tests.spill.conformance import files, nothing_left
from tests.spill.faulty import faults, tmpfs

KB = 1000


def make(path: Path, memory: int, target: float = 1.0, **options: object) -> MarsSpillBuffer:
    return MarsSpillBuffer(str(path), memory_limit=memory, target=target, head_room=0, **options)


def kb(n: int, fill: int = 0) -> np.ndarray:
    """An array that weighs n kB, and is as large on disk or larger by a header."""
    return np.full(n * KB // 8, fill, dtype="int64")


class Unpicklable:
    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.size = size

    def __sizeof__(self) -> int:
        return self.size


def test_oldest_go_first_and_come_back(tmp_path: Path) -> None:
    with make(tmp_path, 10 * KB) as b:
        for i in range(6):
            b[i] = kb(3, i)
        assert list(b.fast) == [3, 4, 5]
        assert list(b.slow) == [0, 1, 2]
        assert b[0].tolist() == kb(3, 0).tolist()
        assert list(b.fast) == [4, 5, 0]
        assert b.memory is b.fast
        assert b.disk is b.slow
        assert len(files(tmp_path)) == 4


def test_sizes_agree_with_the_files(tmp_path: Path) -> None:
    with make(tmp_path, 10 * KB, directories=[str(tmp_path / "a"), str(tmp_path / "b")]) as b:
        for i in range(20):
            b[i] = pd.DataFrame({"x": np.arange(200.0), "y": [str(j) for j in range(200)]})
        on_disk = sum(f.stat().st_size for f in files(tmp_path))
        assert b.spilled_total.disk == on_disk == sum(u["bytes"] for u in b.usage()) > 0
        assert b.spilled_total.memory == sum(b.store.sizes[k].memory for k in b.slow)
        b.clear()
        assert b.spilled_total == (0, 0)
        assert not b.store.sizes
        assert [u["files"] for u in b.usage()] == [0, 0]


def test_a_frame_is_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = []
    real = buffer_module.safe_sizeof
    monkeypatch.setattr(buffer_module, "safe_sizeof", lambda v: measured.append(1) or real(v))
    with make(tmp_path, 10 * KB) as b:
        b["x"] = kb(2)
        b.evict()
        weight = b.spilled_total.memory
        b["x"]
        assert b.fast.weights["x"] == weight == 2 * KB
        assert len(measured) == 1
        b["x"] = kb(4)
        assert b.fast.weights["x"] == 4 * KB


def test_the_workers_protocol(tmp_path: Path) -> None:
    assert has_arg(MarsSpillBuffer, "worker_local_directory")
    with make(tmp_path, 10 * KB, target=False) as b:
        proto: ManualEvictProto = b
        assert not proto.fast
        assert proto.evict() == -1
        b["a"], b["b"] = kb(50), kb(60)
        assert list(b.fast) == ["a", "b"]  # no target: only when asked
        assert proto.evict() == 50 * KB
        assert proto.evict() == 60 * KB
        assert proto.evict() == -1
        assert b.cumulative_metrics["disk-write", "count"] == 2
        b["a"]
        assert b.cumulative_metrics["disk-read", "count"] == 1
        b["a"]
        assert b.cumulative_metrics["memory-read", "count"] == 1
        assert {unit for _, unit in b.cumulative_metrics} == {"seconds", "bytes", "count"}


def test_nothing_is_read_to_be_thrown_away(tmp_path: Path) -> None:
    with make(tmp_path, 10 * KB) as b:
        b["a"], b["b"], b["c"] = kb(8, 1), kb(8, 2), kb(8, 3)
        assert set(b.disk) == {"a", "b"}
        for file in tmp_path.rglob("*"):
            if file.is_file():
                file.write_bytes(b"damaged")
        del b["a"]
        assert b.pop("c", None) is not None
        b["b"] = kb(1)
        assert b.cumulative_metrics["disk-read", "count"] == 0
        assert list(b) == ["b"]


def test_metrics_are_distributeds(tmp_path: Path) -> None:
    """Same labels, so that Dask's Prometheus page shows ours. Only that ours keeps the file of what was read."""
    theirs = SpillBuffer(str(tmp_path / "theirs"), 10 * KB)
    with make(tmp_path, 10 * KB) as ours:
        for b in (ours, theirs):
            for i in range(4):
                b[i] = kb(4, i)
            assert b[0][0] == 0
            assert b[0][0] == 0
        assert set(ours.cumulative_metrics) == set(theirs.cumulative_metrics)
        for label in ("disk-write", "disk-read", "memory-read"):
            for unit in ("count", "bytes"):
                assert ours.cumulative_metrics[label, unit] == theirs.cumulative_metrics[label, unit]
        assert ours.spilled_total.memory == theirs.spilled_total.memory
        assert ours.spilled_total.disk * 2 == theirs.spilled_total.disk * 3
        assert (len(ours.fast), len(ours.slow) - 1) == (len(theirs.fast), len(theirs.slow))


@pytest.mark.parametrize(
    "names", [("_in_memory_weight",), ("SpilledSize", "ManualEvictProto", "SpillBuffer")]
)
def test_names_of_distributed_that_this_relies_on(names: tuple[str, ...]) -> None:
    import distributed.spill

    assert all(hasattr(distributed.spill, name) for name in names)


def test_an_unpicklable_value_does_not_block_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL", logger="distributed.protocol.pickle")  # its records keep the value
    with make(tmp_path, 10 * KB) as b:
        bad = b["bad"] = Unpicklable(100)
        for i in range(6):
            b[i] = kb(3, i)
        assert list(b.fast) == ["bad", 3, 4, 5]
        assert [b.evict() > 0 for _ in range(4)] == [True, True, True, False]
        assert b["bad"] is bad
        # Once for each key, and not kept alive by the error.
        gone = weakref.ref(bad)
        del b["bad"], bad
        gc.collect()
        assert gone() is None
        b["bad"] = b"picklable now"
        assert b.evict() > 0


def test_an_unpicklable_value_larger_than_the_target_fails_its_task(tmp_path: Path) -> None:
    with make(tmp_path, 10 * KB) as b:
        b["old"] = kb(3)
        with pytest.raises(NotPicklable, match=r"'bad' cannot be written to disk.*Unpicklable"):
            b["bad"] = Unpicklable(20 * KB)
        with pytest.raises(TypeError):
            b["bad"] = Unpicklable(20 * KB)
        assert list(b) == ["old"]
        assert b.fast.total_weight == sum(b.fast.weights.values())


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_loses_nothing_and_stops_nothing(tmp_path: Path, error: int) -> None:
    with faults() as system, make(tmp_path, 10 * KB, retry_after=0) as b:
        b["first"] = kb(9, 7)
        system.set("writev", tmp_path, error)
        b["heavy"] = kb(20)
        b["other"] = kb(5)
        assert list(b.fast) == ["first", "heavy", "other"]
        assert b.evict() == -1
        assert not b.slow
        assert files(tmp_path) == []
        system.clear()
        # distributed's buffer raises AssertionError here.
        b["next"] = kb(30)
        assert "next" in b.slow
        assert b.fast.total_weight <= 10 * KB
        assert b["first"].tolist() == kb(9, 7).tolist()


def test_smaller_values_go_where_larger_ones_do_not_fit(tmp_path: Path) -> None:
    with make(tmp_path, 100 * KB, target=False, quotas=[10 * KB]) as b:
        for i, size in enumerate([40, 2, 30, 3, 20]):
            b[i] = kb(size, i)
        assert [b.evict() for _ in range(4)] == [2 * KB, 3 * KB, -1, -1]
        assert set(b.fast) == {0, 2, 4}
        del b[1], b[3]
        b["new"] = kb(4)
        assert b.evict() == 4 * KB
        assert len(files(tmp_path)) == 1


def test_a_full_disk_costs_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker asks ten times a second: values are not serialized again each time."""
    with make(tmp_path, 10**9, target=False, quotas=[10], retry_after=1000) as b:
        for i in range(100):
            b[i] = kb(1 + i % 10)
        tries = []
        real = b.store._dumped
        monkeypatch.setattr(b.store, "_dumped", lambda k, v: tries.append(k) or real(k, v))
        for _ in range(50):
            assert b.evict() == -1
        assert len(tries) <= 2 * TRIES
        del b[0]
        assert b.evict() == -1


def test_values_are_tried_again_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(buffer_module.time, "monotonic", lambda: now[0])
    with make(tmp_path, 10**6, target=False, quotas=[10], retry_after=30) as b:
        b["x"] = kb(3)
        assert b.evict() == -1
        b.store.directories[0].quota = None
        assert b.evict() == -1
        now[0] += 31
        assert b.evict() == 3 * KB


def test_max_spill(tmp_path: Path) -> None:
    problems: list[Problem] = []
    with make(tmp_path, 10 * KB, max_spill=5 * KB) as b:
        b.store.on_problem = problems.append
        for i in range(10):
            b[i] = kb(2, i)
        assert b.spilled_total.disk <= 5 * KB
        assert (len(b.slow), len(b.fast)) == (2, 8)
        (problem,) = problems
        assert problem["kind"] == "full"
        assert problem["quota"] == 5 * KB
        assert "max-spill 5,000" in problem["reason"]
        for i in range(10):
            del b[i]
        b["x"], b["y"] = kb(4), kb(8)
        assert len(b.slow) == 1


def test_reading_a_value_does_not_fail_because_others_cannot_be_written(tmp_path: Path) -> None:
    """It does in distributed's buffer: what is read displaces another, and that error is the reader's."""
    with faults() as system, make(tmp_path, 10 * KB) as b:
        for i in range(4):
            b[i] = kb(4, i)
        system.set("writev", tmp_path, errno.EIO)
        assert b[0].tolist() == kb(4, 0).tolist()
        assert 0 in b.fast


def test_others_work_while_a_value_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a value that is deleted or replaced meanwhile is not on disk afterwards."""
    writing, go_on = threading.Event(), threading.Event()
    with make(tmp_path, 10**6, target=False) as b, ThreadPoolExecutor(2) as pool:
        for key in ("deleted", "replaced", "other"):
            b[key] = kb(3)
        real = StripedFile.__setitem__

        def slowly(store: StripedFile, key: object, value: object) -> None:
            writing.set()
            assert go_on.wait(PATIENCE)
            real(store, key, value)

        monkeypatch.setattr(StripedFile, "__setitem__", slowly)
        for key in ("deleted", "replaced"):
            evicted = pool.submit(b.evict)
            assert writing.wait(PATIENCE)
            assert pool.submit(lambda: b["other"][0]).result(PATIENCE) == 0
            del b[key]
            if key == "replaced":
                b[key] = kb(5, 1)
            go_on.set()
            assert evicted.result(PATIENCE) == 0
            writing.clear()
            go_on.clear()
        assert list(b.fast) == ["other", "replaced"]
        assert not b.slow
        assert files(tmp_path) == []


def test_a_lack_of_memory_is_passing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make(tmp_path, 10**6, target=False, retry_after=0) as b:
        b["x"], b["y"] = kb(3), kb(4)

        def fail(*args: object, **kwargs: object) -> None:
            raise TypeError("Could not serialize") from MemoryError()

        monkeypatch.setattr(buffer_module, "serialize_bytelist", fail)
        assert b.evict() == -1
        monkeypatch.undo()
        assert b.evict() > 0
        assert b.evict() > 0


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_compression_is_distributeds_setting(tmp_path: Path, compression: str | None) -> None:
    with (
        dask.config.set({"distributed.worker.memory.spill-compression": compression}),
        make(tmp_path, 10) as b,
    ):
        b["x"] = kb(100)
        assert b["x"].tolist() == kb(100).tolist()
        assert (b.spilled_total.disk < 10 * KB) == (compression == "zlib")


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_arrays_and_frames_come_back_writable(tmp_path: Path, compression: str | None) -> None:
    frame = pd.DataFrame({"a": np.arange(5.0), "b": list("abcde")}, index=list("vwxyz"))
    with (
        dask.config.set({"distributed.worker.memory.spill-compression": compression}),
        make(tmp_path, 10) as b,
    ):
        b["array"] = np.arange(10000.0).reshape(100, 100)
        b["fortran"] = np.asfortranarray(np.arange(10000.0).reshape(100, 100))
        b["frame"] = frame.copy()
        array = b["array"]
        array[3, 3] = -1
        assert b["array"][3, 3] == -1  # it is in use, so this is the same one
        del array
        assert b["fortran"].flags.f_contiguous
        back = b["frame"]
        pd.testing.assert_frame_equal(back, frame)
        back.iloc[0, 0] = 9.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"memory_limit": 0}, "memory_limit=0"),
        ({"memory_limit": -5}, "memory_limit=-5"),
        ({"memory_limit": 0.5}, "memory_limit=0.5"),
        ({"target": 0}, "target=0"),
        ({"target": 1.5}, "target=1.5"),
        ({"target": float("nan")}, "target=nan"),
        ({"target": True}, "target=True"),
        ({"max_spill": -1}, "max_spill=-1"),
        ({"max_spill": True}, "max_spill=True"),
        ({"max_spill": 1.5}, "max_spill=1.5"),
        ({"quotas": [1, 2]}, "quotas has 2"),
        ({"placement": "best"}, "placement='best'"),
    ],
)
def test_bad_arguments(tmp_path: Path, options: dict[str, object], says: str) -> None:
    given = {"memory_limit": 100, "target": 0.5} | options
    with nothing_left(tmp_path):
        with pytest.raises(ArgumentError, match=says) as caught:
            MarsSpillBuffer(str(tmp_path), **given)
        del caught
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSpillDirectory, match="file"):
        make(tmp_path, 100, directories=[str(tmp_path / "file")])


def test_a_full_small_file_system(tmp_path: Path) -> None:
    problems: list[Problem] = []
    with tmpfs(tmp_path / "small", 64) as small:
        buffer = MarsSpillBuffer(
            str(tmp_path), memory_limit=10**7, target=0.5, directories=[str(small)], head_room=2**20
        )
        with buffer as b:
            b.store.on_problem = problems.append
            for i in range(40):
                b[i] = kb(4000, i)
            assert len(b) == 40
            assert len(b.slow) == 16
            (problem,) = problems
            assert (problem["kind"], problem["path"]) == ("full", str(small))
            assert problem["free"] < 5 * 10**6
            b["little"] = kb(100)
            assert list(b.slow)[-1] == "little"
            assert all(b[i][0] == i for i in range(40))
            assert len(files(small)) == len(b.slow)
            for i in range(20):
                del b[i]
            b.fast.evict_until_below_target()
            assert len(files(small)) == len(b.slow) == 17
            assert len(b) == 21
