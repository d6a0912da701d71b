"""Directories that fill up or fail: the others go on, nothing is left behind, and it is said by name."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from marsdask.errors import BadSpillDirectory, SpillDamaged, SpillFull
from marsdask.spill import directory as directory_module
from marsdask.spill.store import Problem, StripedFile
from tests.processes import PATIENCE
from tests.spill.conformance import files
from tests.spill.faulty import Faults, faults, no_permission, tmpfs

pytestmark = pytest.mark.once

MB = 2**20
FAILURES = [
    (function, error)
    for function in ("open", "writev", "rename", "statvfs")
    for error in (errno.EIO, errno.EROFS, errno.EACCES, errno.ENOENT, errno.ESTALE)
] + [("writev", errno.ENOSPC), ("writev", errno.EDQUOT), ("writev", errno.EFBIG), ("open", errno.ENOSPC)]
TOO_LARGE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@pytest.mark.parametrize(("function", "error"), FAILURES)
def test_another_directory_takes_what_one_cannot(tmp_path: Path, function: str, error: int) -> None:
    bad, good = tmp_path / "bad", tmp_path / "good"
    problems: list[Problem] = []
    with faults() as system, StripedFile([bad, good], retry_after=1000, on_problem=problems.append) as store:
        system.set(function, bad, error)
        for i in range(10):
            store[i] = b"x" * 1000
        assert [bytes(store[i]) for i in range(10)] == [b"x" * 1000] * 10
        assert [u["files"] for u in store.usage()] == [0, 10]
        assert store.usage()[0]["bytes"] == 0
        assert files(bad) == []
        (problem,) = problems
        assert problem["path"] == str(bad)
        assert problem["key"] == 0
        assert os.strerror(error) in problem["reason"]
        assert problem["kind"] == ("full" if error in TOO_LARGE else "bad-directory")
        told = store.usage()[0]["bad"]
        assert told is None if error in TOO_LARGE else os.strerror(error) in told


def test_a_bad_directory_is_left_alone_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(directory_module.time, "monotonic", lambda: now[0])
    bad = tmp_path / "bad"
    with faults() as system, StripedFile([bad, tmp_path / "good"], retry_after=30) as store:
        system.set("open", bad, errno.EIO)
        store["first"] = b"x"
        calls = system.calls
        for i in range(5):
            store[i] = b"x"
        tried = system.calls - calls
        system.clear()
        store["still"] = b"x"
        assert store.usage()[0]["files"] == 0
        assert tried == 5 * 4  # statvfs, open, writev, rename: in the good one only
        now[0] += 31
        store["again"] = b"x"
        store["and again"] = b"x"
        assert store.usage()[0]["files"] == 1
        assert store.usage()[0]["bad"] is None


def test_a_full_directory_still_takes_smaller_values(tmp_path: Path) -> None:
    only = tmp_path / "only"
    with faults() as system, StripedFile([only], retry_after=1000) as store:
        store["old"] = b"x"
        system.set("writev", only, errno.ENOSPC)
        with pytest.raises(SpillFull, match="No space left on device") as caught:
            store["large"] = b"x" * 1000
        assert str(only) in str(caught.value)
        system.clear()
        calls = system.calls
        with pytest.raises(SpillFull):
            store["as large"] = b"x" * 1000
        assert system.calls == calls  # not even asked
        store["small"] = b"x" * 999
        del store["old"]
        store["large"] = b"x" * 1000
        assert len(files(only)) == 2


def test_when_all_fail_each_is_named(tmp_path: Path) -> None:
    with faults() as system, StripedFile([tmp_path / "a", tmp_path / "b"]) as store:
        system.set("writev", tmp_path / "a", errno.EROFS)
        system.set("statvfs", tmp_path / "b", errno.ESTALE)
        with pytest.raises(SpillFull) as caught:
            store["x"] = b"x"
        assert f"{tmp_path / 'a'}: Read-only file system" in str(caught.value)
        assert f"{tmp_path / 'b'}: Stale file handle" in str(caught.value)
        assert "x" not in store


def test_a_file_that_somebody_removes_does_not_condemn_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cleans temporary files takes one while it is written: memory must not fill up for half a minute."""
    rename = os.rename

    def renamed(partial: str, path: str) -> None:
        os.unlink(partial)
        rename(partial, path)

    with StripedFile([tmp_path / "a"], retry_after=1000) as store:
        with monkeypatch.context() as patch:
            patch.setattr(directory_module.os, "rename", renamed)
            with pytest.raises(SpillFull, match="a file was removed while it was written"):
                store["x"] = b"x"
        store["x"] = b"x"
        assert bytes(store["x"]) == b"x"
        assert [(u["files"], u["bytes"] > 0, u["bad"]) for u in store.usage()] == [(1, True, None)]


def test_a_lack_of_this_process_does_not_condemn_a_directory(tmp_path: Path) -> None:
    with faults() as system, StripedFile([tmp_path / "a"]) as store:
        system.set("open", tmp_path / "a", errno.EMFILE)
        with pytest.raises(SpillFull, match="Too many open files"):
            store["x"] = b"x"
        system.clear()
        store["x"] = b"x"
        assert store["x"] == b"x"


def test_a_directory_that_vanished_is_made_again(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with StripedFile([gone, tmp_path / "good"], retry_after=0) as store:
        for i in range(4):
            store[i] = b"x"
        shutil.rmtree(gone)
        for i in range(4, 12):
            store[i] = b"x"
        lost = [i for i in range(12) if _is_damaged(store, i)]
        assert lost == [0, 2]
        assert store.usage()[0]["bad"] is None
        for i in range(12):
            del store[i]
        assert [(u["files"], u["bytes"]) for u in store.usage()] == [(0, 0), (0, 0)]
    assert files(tmp_path) == []


def _is_damaged(store: StripedFile, key: object) -> bool:
    try:
        store[key]
    except SpillDamaged as error:
        assert error.reason == "it is missing"
        return True
    return False


@pytest.mark.parametrize("error", [errno.EIO, errno.EROFS, errno.EACCES])
def test_what_cannot_be_removed_counts_and_is_removed_later(tmp_path: Path, error: int) -> None:
    with faults() as system, StripedFile([tmp_path / "a"], quotas=[1500], retry_after=0) as store:
        store["x"] = b"x" * 1000
        system.set("unlink", tmp_path / "a", error)
        del store["x"]
        assert "x" not in store
        assert len(files(tmp_path)) == 1
        assert store.usage()[0]["bytes"] == 1000
        with pytest.raises(SpillFull):
            store["y"] = b"y" * 1000
        system.clear()
        store["y"] = b"y" * 1000
        assert len(files(tmp_path)) == 1
        assert store.usage()[0]["bytes"] == 1000


def test_no_file_is_left_when_neither_writing_nor_removing_works(tmp_path: Path) -> None:
    with faults() as system, StripedFile([tmp_path / "a"], retry_after=0) as store:
        system.set("writev", tmp_path / "a", errno.EIO)
        system.set("unlink", tmp_path / "a", errno.EIO)
        for i in range(3):
            with pytest.raises(SpillFull):
                store[i] = b"x" * 10
        assert len(files(tmp_path)) == 3
        system.clear()
        store["x"] = b"x"
        assert len(files(tmp_path)) == 1


def test_a_directory_without_permission_is_refused(tmp_path: Path) -> None:
    """WorkSpace alone would go to another path."""
    (tmp_path / "a").mkdir()
    with no_permission(tmp_path / "a"), pytest.raises(BadSpillDirectory, match="Permission denied") as caught:
        StripedFile([tmp_path / "a"])
    assert str(tmp_path / "a") in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a"]


def test_a_full_file_system(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "small", 64) as small:
        with StripedFile([small], head_room=MB) as store:
            for i in range(12):
                store[i] = b"x" * 5 * MB
            with pytest.raises(SpillFull, match=rf"{small}: [\d,]+ bytes free, of which 1,048,576"):
                store["large"] = b"x" * 5 * MB
            store["small"] = b"x" * MB
            assert len(files(small)) == 13
            (small / "others").write_bytes(b"x" * (store.usage()[0]["free"] - 65536))
            store.directories[0].head_room = -MB  # head-room that another program took meanwhile
            with pytest.raises(SpillFull, match="No space left on device"):
                store["no room"] = b"x" * MB
            assert len(files(small)) == 13
            for i in range(12):
                assert len(store[i]) == 5 * MB
        assert files(small) == []


def test_one_of_two_file_systems_fills_up(tmp_path: Path) -> None:
    with (
        tmpfs(tmp_path / "small", 16) as small,
        StripedFile([small, tmp_path / "large"], head_room=0) as store,
    ):
        for i in range(20):
            store[i] = b"%02d" % i * MB
        assert 5 <= store.usage()[0]["files"] <= 8
        assert store.usage()[0]["files"] + store.usage()[1]["files"] == 20
        for i in range(20):
            assert store[i] == b"%02d" % i * MB


def test_a_read_only_file_system_is_refused(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "small", 1) as small:
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
        with pytest.raises(BadSpillDirectory, match="Read-only file system"):
            StripedFile([tmp_path / "a", small])
        assert files(tmp_path) == []


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    script = """
        import os, resource, sys
        from marsdask.errors import SpillFull
        from marsdask.spill.store import StripedFile

        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))  # Python ignores SIGXFSZ
        with StripedFile([sys.argv[1]]) as store:
            for size in (400_000, 5_000_000):
                try:
                    store["large"] = b"x" * size
                except SpillFull as error:
                    assert "File too large" in str(error), error
                else:
                    raise SystemExit("written beyond the limit")
            store["small"] = b"x" * 300_000
            assert len(store["small"]) == 300_000
            names = [n for _, _, n in os.walk(sys.argv[1])]
            assert sum(len([n for n in ns if "lock" not in n]) for ns in names) == 1, names
    """
    subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script), str(tmp_path / "a")],
        check=True,
        timeout=PATIENCE,
    )


def test_a_problem_handler_that_fails_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def handler(problem: Problem) -> None:
        raise RuntimeError("no")

    with StripedFile([tmp_path / "a"], quotas=[10], on_problem=handler) as store, pytest.raises(SpillFull):
        store["x"] = b"x" * 20
    assert "on_problem failed" in caplog.text


def test_faults_are_injected(tmp_path: Path) -> None:
    system = Faults()
    system.set("open", tmp_path, errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        system.open(tmp_path / "x", os.O_WRONLY | os.O_CREAT)
    os.close(system.open("/dev/null", os.O_RDONLY))


@pytest.mark.parametrize("error", [errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_that_cannot_reserve_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    asked = []
    monkeypatch.setattr(
        directory_module, "_fallocate", lambda *a: asked.append(a) or ctypes.set_errno(error) or -1
    )
    with StripedFile([tmp_path / "a"]) as store:
        for i in range(2):
            store[i] = b"x" * 5 * MB
        assert store[1] == b"x" * 5 * MB
        assert len(asked) == 1  # never again


def test_a_file_system_that_has_no_room_to_reserve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [errno.EINTR, errno.ENOSPC]
    monkeypatch.setattr(directory_module, "_fallocate", lambda *a: ctypes.set_errno(left.pop(0)) or -1)
    monkeypatch.setattr(directory_module, "_write_all", None)  # it would raise TypeError
    with StripedFile([tmp_path / "a"]) as store:
        with pytest.raises(SpillFull, match="No space left on device"):
            store["x"] = b"x" * 5 * MB
        assert files(tmp_path) == []


def test_a_workspace_that_goes_elsewhere_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(directory_module._Space):
        def __init__(self, base_dir: str) -> None:
            super().__init__(f"{base_dir}-0")

    monkeypatch.setattr(directory_module, "_Space", Elsewhere)
    with pytest.raises(BadSpillDirectory, match=r"a-0' would have been used instead"):
        StripedFile([tmp_path / "a"])
    assert not any(p.name.startswith("spill-") for p in tmp_path.rglob("*"))
