"""Fails if a page that the registry writes is not what it would write now, or if a public name has no row.

`python -m tools.generated_check`, in a checkout.
"""

import difflib
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator

from marsdask import coverage
from marsdask.plan import registry

PAGE = pathlib.Path("docs/coverage.md")


def difference(committed: pathlib.Path, fresh: pathlib.Path) -> list[str]:
    """A unified diff; a file that is not there counts as empty."""
    old, new = (p.read_text(encoding="utf-8").splitlines() if p.exists() else [] for p in (committed, fresh))
    return list(
        difflib.unified_diff(old, new, f"{committed} (committed)", f"{committed} (fresh)", lineterm="")
    )


def without_row(page: str) -> Iterator[str]:
    """Public names of the modules and classes that their section of the page does not list."""
    listed = {
        title: set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
        for title, _, text in (part.partition("\n") for part in page.split("\n## ")[1:])
    }
    for key in (*registry.FILLED, *registry.ATTACHED):
        target = coverage.where(key)
        here = dir(target) if isinstance(target, type) else target.__all__
        rows = listed.get(coverage.title(key), set())
        yield from (f"{key}.{name}" for name in here if not name.startswith("_") and name not in rows)


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        room = pathlib.Path(scratch)
        fresh = coverage.page()
        pages = {PAGE: fresh, pathlib.Path("docs/options.md"): coverage.options_page()}
        for name, text in pages.items():
            (room / name.name).write_text(text, encoding="utf-8")
        stale = [(name, lines) for name in pages if (lines := difference(name, room / name.name))]
    for name, lines in stale:
        print("\n".join(lines[:40]))
        print(f"{name} is stale. Run: make coverage-page")
    bare = sorted(without_row(fresh))
    if bare:
        print(f"{PAGE} has no row for {', '.join(bare)}")
    if not stale and not bare:
        print(f"{len(pages)} generated pages are up to date, and every public name has a row")
    return bool(stale or bare)


if __name__ == "__main__":
    sys.exit(main())
