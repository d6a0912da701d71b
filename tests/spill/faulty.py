"""File systems that fail: by injected errors, by limits of a process, by mounts."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marsdask.spill import directory as directory_module


class Faults:
    """An `os` for the store whose functions fail in some directories. `set("write", "/a", EIO)`; `clear()`."""

    FUNCTIONS = {"open": 0, "writev": 0, "readv": 0, "rename": 1, "unlink": 0, "statvfs": 0, "fstat": 0}

    def __init__(self) -> None:
        self.errors: dict[tuple[str, str], int] = {}
        self.calls = 0

    def set(self, function: str, directory: Path | str, error: int) -> None:
        assert function in self.FUNCTIONS
        self.errors[function, str(directory)] = error

    def clear(self) -> None:
        self.errors.clear()

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in self.FUNCTIONS:
            return real

        def maybe(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            where = args[self.FUNCTIONS[name]]
            path = os.readlink(f"/proc/self/fd/{where}") if isinstance(where, int) else os.fspath(where)
            for (function, directory), error in list(self.errors.items()):
                if function == name and Path(path).is_relative_to(directory):
                    if name == "writev":
                        real(args[0], [memoryview(args[1][0])[:1]])  # some of it is written
                    raise OSError(error, os.strerror(error), path)
            return real(*args, **kwargs)

        return maybe


@contextlib.contextmanager
def faults() -> Iterator[Faults]:
    found = Faults()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory_module, "os", found)
        yield found


@contextlib.contextmanager
def tmpfs(directory: Path, megabytes: int) -> Iterator[Path]:
    """A small file system of its own; skips where this user may not mount."""
    directory.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(directory)]
    if os.geteuid() or subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("never: mounting needs root")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextlib.contextmanager
def no_permission(directory: Path) -> Iterator[None]:
    """Nothing can be made in `directory`, also if the tests run as root."""
    mode = directory.stat().st_mode
    directory.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        directory.chmod(mode)
