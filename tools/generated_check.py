"""Fails if a file that the registry writes is not what the registry would write now."""

import difflib
import pathlib
import subprocess
import sys
import tempfile


def write(*command: str) -> None:
    subprocess.run([sys.executable, "-m", "marsdask", *command], check=True)


def difference(committed: pathlib.Path, fresh: pathlib.Path) -> list[str]:
    """A unified diff; a file that is not there counts as empty."""
    old, new = (p.read_text(encoding="utf-8").splitlines() if p.exists() else [] for p in (committed, fresh))
    return list(
        difflib.unified_diff(old, new, f"{committed} (committed)", f"{committed} (fresh)", lineterm="")
    )


with tempfile.TemporaryDirectory() as scratch:
    room = pathlib.Path(scratch)
    write("ops", "--write", str(room / "coverage.md"))
    write("stubs", "--write", str(room / "marsdask"))
    stubs = {p.relative_to(room) for p in room.rglob("*.pyi")}
    stubs |= set(pathlib.Path("marsdask").rglob("*.pyi"))
    pairs = [(pathlib.Path("docs/coverage.md"), room / "coverage.md")]
    pairs += [(name, room / name) for name in sorted(stubs)]
    stale = [(name, lines) for name, fresh in pairs if (lines := difference(name, fresh))]

for _, lines in stale:
    print("\n".join(lines[:40]))
for name, _ in stale:
    print(f"{name} is stale. Run: make coverage-page stubs")
if not stale:
    print(f"{len(pairs)} generated files are up to date")
sys.exit(bool(stale))
