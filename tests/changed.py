"""Only the tests of what changed: `make check` loads this, with `--since REV`; what is not committed counts as changed.

By the graph of imports: a test file that changed or imports what changed, itself or by a helper among the tests; the
examples in a changed docstring or page; the oracle's cases of the operations in a changed file, and of the operations whose
files build on it, so much that a change at the bottom is not the whole suite: then the first case of each.
"""

import subprocess
from pathlib import Path

import grimp
import pytest

from marsdask.plan import registry

ROOT = Path(__file__).parents[1]
# They import every file of theirs: whoever imports them would depend on each.
GATHERING = (
    "marsdask",
    "marsdask.tensor",
    "marsdask.dataframe",
    "marsdask.remote",
    "marsdask.learn",
    "tests.oracle",
)
MANY = 300  # cases; all of so many take some seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--since", default="main", metavar="REV", help="the commit that changes are counted from"
    )


def changed(since: str) -> set[str]:
    """The files that differ from their state at `since`, and those that git does not know yet."""

    def git(*words: str) -> list[str]:
        return subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()

    return {*git("diff", "--name-only", since), *git("ls-files", "--others", "--exclude-standard")}


def module_of(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Changed:
    def __init__(self, files: set[str]) -> None:
        self.files = files
        graph = grimp.build_graph("marsdask", "tests")
        modules = {module_of(file) for file in files if file.endswith(".py")} & graph.modules
        for hub in GATHERING:
            for other in graph.find_modules_directly_imported_by(hub):
                graph.remove_import(importer=hub, imported=other)
        self.tests = {m for m in modules if m.startswith("tests.")}
        for module in modules:
            users = graph.find_modules_that_directly_import(module)
            self.tests |= {module, *users}
            for helper in (u for u in users if u.startswith("tests.")):
                self.tests |= graph.find_downstream_modules(helper)
        self.below = set().union(modules, *(graph.find_downstream_modules(m) for m in modules))
        self.modules = modules

    def has(self, item: pytest.Item) -> bool:
        """Whether an item is one of what changed, the oracle's cases aside."""
        file = str(item.path.relative_to(ROOT))
        return file in self.files or (file.startswith("tests/") and module_of(file) in self.tests)


def cases(found: Changed, items: list[pytest.Item]) -> list[pytest.Item]:
    """The oracle's cases that what changed can touch: all where they are few, else the first of each operation."""
    touched = [(item, op) for item in items if (op := registry.lookup(item.callspec.params["name"]))]
    near = [item for item, op in touched if _file_of(op) in found.files]
    far = [
        (item, op)
        for item, op in touched
        if _file_of(op) not in found.files and module_of(_file_of(op)) in found.below
    ]
    if len(near) + len(far) <= MANY:
        return near + [item for item, _ in far]
    first = {op.name: item for item, op in reversed(far)}
    return near + list(first.values())


def _file_of(op: registry.Op) -> str:
    path = Path(op.source.rpartition(":")[0])
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    found = Changed(changed(config.getoption("--since")))
    oracle = [item for item in items if item.path.name.startswith("test_oracle_")]
    others = [item for item in items if item.path not in {each.path for each in oracle}]
    chosen = {id(item) for item in [*cases(found, oracle), *(item for item in others if found.has(item))]}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = [item for item in items if id(item) in chosen]
