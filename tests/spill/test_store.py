"""The striped store: where values go, what it refuses, and what it says of itself."""

from __future__ import annotations

import gc
import os
import pickle
from pathlib import Path

import dask
import pytest

from marsdask.errors import ArgumentError, ArgumentTypeError, BadSpillDirectory, MarsDaskError, SpillFull
from marsdask.spill import directory as directory_module
from marsdask.spill.directory import SpillDirectory
from marsdask.spill.store import Problem, StripedFile
from tests.spill.conformance import files, nothing_left

pytestmark = pytest.mark.once

MB = 2**20


def test_stripes_are_even(tmp_path: Path) -> None:
    with StripedFile([tmp_path / "a", tmp_path / "b", tmp_path / "c"]) as store:
        for i in range(60):
            store[i] = b"x" * 1000
        assert [u["files"] for u in store.usage()] == [20, 20, 20]
        assert [u["bytes"] for u in store.usage()] == [20_000] * 3
        assert [len(files(tmp_path / name)) for name in "abc"] == [20, 20, 20]


def test_quotas_hold(tmp_path: Path) -> None:
    problems: list[Problem] = []
    paths = [tmp_path / "a", tmp_path / "b"]
    with StripedFile(paths, quotas=[5000, None], on_problem=problems.append) as store:
        for i in range(60):
            store[i] = b"x" * 1000
        assert [u["files"] for u in store.usage()] == [5, 55]
        # Once, although 25 values met it.
        assert [(p["kind"], p["path"], p["quota"]) for p in problems] == [("full", str(paths[0]), 5000)]
        assert "5,000 bytes of its quota of 5,000" in problems[0]["reason"]
        for i in range(20):
            del store[i]
        store["later"] = b"y" * 900
        store["later still"] = b"y" * 900
        assert store.usage()[0]["bytes"] <= 5000


def test_most_free_goes_by_room_under_quota_and_file_system(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    with StripedFile(paths, quotas=[10_000, 4000], placement="most-free") as store:
        for i in range(8):
            store[i] = b"x" * 1000
        # The first six go where more is left, then by turns.
        assert [u["files"] for u in store.usage()] == [7, 1]
    with StripedFile(paths, placement="most-free") as store:
        told = [1000, 2000]
        for one, free in zip(store.directories, told, strict=True):
            one.free = lambda free=free: free * MB
        store["x"] = b"x"
        assert [u["files"] for u in store.usage()] == [0, 1]


def test_a_value_that_fits_nowhere_is_refused_by_name(tmp_path: Path) -> None:
    with StripedFile([tmp_path / "a", tmp_path / "b"], quotas=[100, 200]) as store:
        store["old"] = b"x" * 90
        with pytest.raises(SpillFull) as caught:
            store["old"] = b"y" * 150_000
        text = str(caught.value)
        assert "the 150,000 bytes of 'old'" in text
        for name, quota in (("a", 100), ("b", 200)):
            assert str(tmp_path / name) in text
            assert f"quota of {quota}" in text
        assert isinstance(caught.value, OSError)
        assert isinstance(caught.value, MarsDaskError)
        assert store["old"] == b"x" * 90
        store["small"] = b"z" * 50
        assert len(files(tmp_path)) == 2


def test_a_replaced_value_leaves_no_file(tmp_path: Path) -> None:
    with StripedFile([tmp_path / "a", tmp_path / "b"]) as store:
        for i in range(5):
            store["x"] = b"x" * (100 + i)
        assert [p.stat().st_size for p in files(tmp_path)] == [104]
        assert sum(u["files"] for u in store.usage()) == 1
        assert sum(u["bytes"] for u in store.usage()) == 104


def test_head_room_is_asked_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StripedFile([tmp_path / "a"], head_room=10 * MB) as store:
        monkeypatch.setattr(SpillDirectory, "free", lambda self: 12 * MB)
        store["small"] = b"x" * MB
        monkeypatch.setattr(directory_module, "_write_all", None)  # it would raise TypeError
        with pytest.raises(SpillFull, match=r"12,582,912 bytes free, of which 10,485,760 are left to others"):
            store["large"] = b"x" * 3 * MB


def test_a_file_system_that_tells_no_size_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = os.statvfs(tmp_path)
    unlimited = os.statvfs_result((told.f_bsize, told.f_frsize, 0, 0, 0, *tuple(told)[5:]))
    with StripedFile([tmp_path / "a"]) as store:
        monkeypatch.setattr(directory_module.os, "statvfs", lambda path: unlimited)
        store["x"] = b"abc"
        assert store["x"] == b"abc"
        assert store.usage()[0]["free"] is None


def test_names_of_files_are_short(tmp_path: Path) -> None:
    with StripedFile([tmp_path / "a"]) as store:
        for i in range(300):
            store["k" * 300, i] = b"x"
        assert max(len(p.name) for p in files(tmp_path)) <= 3
        assert store["k" * 300, 299] == b"x"


def test_files_and_directories_are_the_users_alone(tmp_path: Path) -> None:
    with StripedFile([tmp_path / "a"]) as store:
        store["x"] = b"secret"
        (file,) = files(tmp_path)
        assert file.stat().st_mode & 0o77 == 0
        assert file.parent.stat().st_mode & 0o77 == 0


def test_the_name_is_in_the_directorys(tmp_path: Path) -> None:
    with StripedFile([tmp_path / "a"], name="cluster-worker-3"):
        assert any(p.name.startswith("cluster-worker-3-") for p in (tmp_path / "a").iterdir())


def test_writing_after_close_is_refused(tmp_path: Path) -> None:
    store = StripedFile([tmp_path / "a"])
    store["x"] = b"abc"
    store.close()
    assert len(store) == 0
    with pytest.raises(SpillFull, match="closed"):
        store["x"] = b"abc"
    assert files(tmp_path) == []


def test_a_forked_child_leaves_the_parents_files(tmp_path: Path) -> None:
    store = StripedFile([tmp_path / "a"])
    store["x"] = b"abc"
    child = os.fork()
    if not child:
        store.close()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store["x"] == b"abc"
    store.close()


def test_its_errors_survive_pickling(tmp_path: Path) -> None:
    full = SpillFull.of(("x", 1), 10, [("/a", "full")])
    again = pickle.loads(pickle.dumps(full))
    assert (again.key, again.reasons, str(again), again.errno) == (
        ("x", 1),
        [("/a", "full")],
        str(full),
        full.errno,
    )


@pytest.mark.parametrize(
    ("directories", "options", "error", "says"),
    [
        ([], {}, ArgumentError, "directories is empty"),
        ("/tmp", {}, ArgumentTypeError, "Expected a list of paths"),
        (["a", "./a"], {}, ArgumentError, "twice"),
        (["a"], {"quotas": [1, 2]}, ArgumentError, "quotas has 2 entries for 1"),
        (["a"], {"quotas": [-1]}, ArgumentError, "quotas has -1"),
        (["a"], {"quotas": [0]}, ArgumentError, "quotas has 0"),
        (["a"], {"quotas": ["1GB"]}, ArgumentError, "quotas has '1GB'"),
        (["a"], {"quotas": [True]}, ArgumentError, "quotas has True"),
        (["a"], {"placement": "random"}, ArgumentError, "placement='random'.*'round-robin', 'most-free'"),
        (["a"], {"head_room": -1}, ArgumentError, "head_room=-1"),
        (["a"], {"retry_after": -1.0}, ArgumentError, "retry_after=-1.0"),
        (["a"], {"name": "a/b"}, ArgumentError, "name='a/b'"),
        (["a", "taken"], {}, BadSpillDirectory, "taken.*Hint"),
        (["taken/below"], {}, BadSpillDirectory, "Not a directory"),
    ],
)
def test_bad_arguments_leave_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    directories: list[str],
    options: dict[str, object],
    error: type[Exception],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    with nothing_left(tmp_path / "a"):
        with pytest.raises(error, match=says) as caught:
            StripedFile(directories, **options)
        assert isinstance(caught.value, MarsDaskError)
        del caught


def test_without_file_locks_it_works_and_cleans_up(tmp_path: Path) -> None:
    with dask.config.set({"distributed.worker.use-file-locking": False}), nothing_left(tmp_path):
        store = StripedFile([tmp_path / "a"])
        store["x"] = b"abc"
        assert store["x"] == b"abc"
        store.close()
        del store
        gc.collect()
