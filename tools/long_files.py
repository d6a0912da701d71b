"""Fails if a Python file is longer than 400 lines and does not say why.

A file that has to be longer says so in a comment near its top: `# long: the reason`.
"""

import pathlib
import sys

LIMIT = 400


def too_long(path: pathlib.Path) -> bool:
    lines = path.read_text(encoding="utf-8").splitlines()
    return len(lines) > LIMIT and not any(line.startswith("# long: ") for line in lines[:40])


found = [p for room in ("marsdask", "tests", "docs", "tools") for p in pathlib.Path(room).rglob("*.py")]
long = [p for p in found if too_long(p)]
for path in long:
    print(f"{path} has more than {LIMIT} lines. Split it, or say why not: '# long: ...' near its top.")
sys.exit(bool(long))
