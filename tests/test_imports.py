"""Every module of the rooms is imported with them, in any order: an operation in a file that nobody imports would be lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import marsdask

ROOT = Path(marsdask.__file__).parent
NAMES = """
import sys, {first}, {second}
from marsdask.registry import OPS
print(*sorted(m for m in sys.modules if m.startswith(("marsdask.tensor", "marsdask.dataframe"))))
print(*sorted(OPS))
"""


def imported(first: str, second: str) -> tuple[set[str], list[str]]:
    """Modules of the two rooms after an import in a new process, and the operations that there are."""
    code = NAMES.format(first=first, second=second)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    modules, ops = done.stdout.splitlines()
    return set(modules.split()), ops.split()


def files_of(room: str) -> set[str]:
    paths = [p.relative_to(ROOT.parent).with_suffix("") for p in (ROOT / room).rglob("*.py")]
    return {".".join(p.parts).removesuffix(".__init__") for p in paths}


@pytest.mark.parametrize("room", ["tensor", "dataframe"])
def test_every_file_is_imported_with_its_room(room: str) -> None:
    modules, _ = imported(f"marsdask.{room}", "marsdask")
    assert sorted(files_of(room) - modules) == []


def test_the_order_of_imports_does_not_matter() -> None:
    tensor, frame = "marsdask.tensor", "marsdask.dataframe"
    assert imported(tensor, frame) == imported(frame, tensor)
