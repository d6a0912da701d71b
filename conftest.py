"""Runs the examples of README.md, docs/*.md and the docstrings as tests, by sybil.

In the pages, `python` blocks run, `sh` blocks run but for their `make` lines, which must name targets, and
`toml` and `yaml` blocks must parse. `text` is for what is not code. Any other language is an error, so that no
block goes unchecked; an invisible `<!--- skip: next "reason" -->` leaves out one.
"""

import functools
import gc
import os
import re
import subprocess
import sys
import tomllib
import zlib
from collections import Counter
from collections.abc import Generator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path
from typing import Any

import hypothesis
import psutil
import pytest
import yaml
from sybil import Document, Example, Region, Sybil
from sybil.parsers.abstract.lexers import LexerCollection
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from sybil.parsers.rest import DocTestParser

os.environ.setdefault("MPLBACKEND", "Agg")  # charts are drawn without a screen
# Clusters that wait: the event loops' clock of 20 ms and the profile of 10 ms take 0.16 s of a processor each second of a
# scheduler with two workers, without them 0.05, and many wait side by side. Dask reads this when it is imported, here and in
# the processes that tests start.
os.environ.setdefault("DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL", "500ms")
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "False")
# Nothing hangs on how fast a machine is; all else is as hypothesis has it, here or in CI.
hypothesis.settings.register_profile("marsdask", parent=hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("marsdask")

ROOT = Path(__file__).parent
DOCTEST = ELLIPSIS | NORMALIZE_WHITESPACE
CLUSTERS = {"two_workers", "plain", "trio", "secure", "fragile", "client", "mars", "web"}
"""Fixtures that are made once for all tests, or for those of a file."""
FEW = 20
"""Items of a function, none of which `--every` leaves out."""
GROUPS = 4  # mostly they wait for their processes
GROUP_MEMORY = 3 * 2**30


def shell(source: str) -> None:
    """Run a block's lines in the checkout; of `make` only look whether the target is there."""
    source = re.sub(r"^make ", "make --dry-run --silent ", source, flags=re.MULTILINE)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", source],
        cwd=ROOT,
        env=os.environ | {"PATH": path, "VENV": str(Path(sys.executable).parent.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"


LANGUAGES = {"sh": shell, "toml": tomllib.loads, "yaml": yaml.safe_load, "text": lambda source: None}


def other_blocks(document: Document):
    """The fenced blocks that are not Python."""
    lexers = LexerCollection([FencedCodeBlockLexer(r"[^\n{]*", {"language": "language", "source": "source"})])
    for region in lexers(document):
        if region.lexemes["language"].strip() != "python":
            yield Region(
                region.start, region.end, (region.lexemes["language"], region.lexemes["source"]), check_block
            )


def check_block(example: Example) -> None:
    language, source = example.parsed
    assert language in LANGUAGES, f"a block of {language!r}: write python, {', '.join(LANGUAGES)}"
    LANGUAGES[language](source)


pages = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=DOCTEST), other_blocks, SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
)
docstrings = Sybil(
    parsers=[DocTestParser(optionflags=DOCTEST)],
    patterns=["marsdask/" + "*/" * depth + "*.py" for depth in range(5)],
)
pytest_collect_file = (pages + docstrings).pytest()


def pytest_collection_finish() -> None:
    """Leave what tens of thousands of tests are made of out of later collections of garbage.

    The 143 tests of spilling that collect it twice each take 25 s then, 167 s before.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    # hypothesis, which may be imported only for its summary, looks for who refers to what.
    gc.unfreeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help=f"of a function with over {FEW} items run one in N, but for those marked `each`",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tell xdist what belongs together: the blocks of a page share names, others share a cluster."""
    every = config.getoption("every")
    if every < 1:
        raise pytest.UsageError(f"--every {every}: expected 1 or more.")
    if every > 1:
        taken = _thinned(items, every)
        config.hook.pytest_deselected(items=[item for item in items if item not in taken])
        items[:] = [item for item in items if item in taken]
    for item in items:
        if hasattr(item, "example"):
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(ROOT))))
            if _starts_processes(item.path):
                item.add_marker(pytest.mark.processes)
        elif clusters := CLUSTERS.intersection(getattr(item, "fixturenames", ())):
            if "two_workers" in clusters:
                item.add_marker(pytest.mark.processes)
                item.add_marker(pytest.mark.xdist_group("two_workers"))
            else:
                item.add_marker(pytest.mark.xdist_group(f"{item.path.name} {min(clusters)}"))
    items.sort(key=lambda item: -_minutes(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """What fails beside a block, as a socket that an earlier test left open, has no line of the page in its traceback;
    sybil looks for one, and ends the whole run."""
    if hasattr(item, "example") and call.when != "call":
        item._traceback_filter = lambda excinfo: excinfo.traceback  # type: ignore[attr-defined]
    return (yield)


@functools.cache
def _starts_processes(page: Path) -> bool:
    """Whether a page starts a cluster or commands."""
    return page.suffix == ".md" and bool(
        re.search(r"n_worker=|LocalCluster|^```sh", page.read_text(), re.MULTILINE)
    )


def _thinned(items: list[pytest.Item], every: int) -> set[pytest.Item]:
    """One in `every` of the items of each function that has many: always the same ones, of all values of each parameter."""

    def function(item: pytest.Item) -> str:
        return item.nodeid.partition("[")[0]

    many = Counter(map(function, items))
    return {
        item
        for item in items
        if many[function(item)] <= FEW
        or item.get_closest_marker("each")
        or zlib.crc32(item.nodeid.encode()) % every == 0
    }


def _minutes(item: pytest.Item) -> int:
    """What takes minutes begins first, so that nothing waits for it alone in the end."""
    marker = item.get_closest_marker("minutes")
    return marker.args[0] if marker else 0


@pytest.hookimpl
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """With `-n auto`, which `make test-processes` says: groups of processes side by side, each with the memory it may need."""
    if config.option.numprocesses != "auto":
        return None
    return max(1, min(GROUPS, psutil.virtual_memory().available // GROUP_MEMORY))
