"""A key that another thread sets or deletes just as its value has been written."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spill.test_buffer import KB, Unpicklable, kb, make


class LockThatWaits:
    """A lock before which something else has its turn once, from when it is told to."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.first: Callable[[], None] = lambda: None

    def acquire(self) -> None:
        first, self.first = self.first, lambda: None
        first()
        self.lock.acquire()

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


@pytest.mark.parametrize("then", ["set", "set a heavy one", "deleted", "set to one that stays"])
def test_what_was_set_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str) -> None:
    with make(tmp_path, 10 * KB) as b:
        b["x"] = kb(3, 1)
        lock = LockThatWaits()
        monkeypatch.setattr(b.fast, "lock", lock)

        def change() -> None:
            if then == "deleted":
                del b["x"]
                assert "x" not in b
                assert (len(b), list(b)) == (0, [])
                with pytest.raises(KeyError):
                    b["x"]
                with pytest.raises(KeyError):
                    del b["x"]
            elif then == "set to one that stays":
                b["x"] = Unpicklable(3 * KB)
            else:
                b["x"] = kb(12 if "heavy" in then else 3, 2)

        def wait(key: str, value: object) -> None:
            lock.first = change

        b.fast.on_evict.append(wait)
        b.evict()
        b.fast.on_evict.remove(wait)
        b["y"] = kb(9, 3)
        if then == "deleted":
            assert list(b) == ["y"]
        elif then == "set to one that stays":
            assert isinstance(b["x"], Unpicklable)
        else:
            assert b["x"].tolist() == kb(12 if "heavy" in then else 3, 2).tolist()
        assert b["y"].tolist() == kb(9, 3).tolist()
