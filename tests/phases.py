"""Where a run of the tests spends its time, and what it compared: `make test ARGS="-p tests.phases"` adds two tables.

The first: items, and seconds of their setup, call and teardown, by file; before it the seconds until every process had
collected them. The second: comparisons with NumPy and pandas by family of operations; `--compared FILE` keeps them as JSON.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

began = time.perf_counter()


class Phases:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.collected: list[float] = []
        self.seconds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.compared: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """What was compared travels with the report."""
        report = yield
        from tests.oracle import COMPARED

        if COMPARED:
            report.user_properties.append(("compared", dict(COMPARED)))
            COMPARED.clear()
        return report

    def pytest_collection_finish(self) -> None:
        self.collected.append(time.perf_counter() - began)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        self.collected.append(time.perf_counter() - began)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = self.seconds[report.nodeid.partition("::")[0]]
        file[report.when or ""] += report.duration
        file["items"] += report.when == "setup"
        if report.when == "call":
            for name, found in report.user_properties:
                if name == "compared":
                    self.compared.update(found)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        line = terminalreporter.write_line
        line(
            f"collected after {max(self.collected, default=0):.1f} s, all after {time.perf_counter() - began:.1f} s"
        )
        whole: Counter[str] = sum(self.seconds.values(), Counter())
        rows = sorted(
            self.seconds.items(), key=lambda row: -row[1]["setup"] - row[1]["call"] - row[1]["teardown"]
        )
        line(f"{'items':>7} {'setup':>7} {'call':>7} {'teardown':>8}  file")
        for name, row in [("all", whole), *rows]:
            line(f"{row['items']:7} {row['setup']:7.1f} {row['call']:7.1f} {row['teardown']:8.1f}  {name}")
        line(f"{'compared':>8}  family")
        for name, count in [("all", self.compared.total()), *sorted(self.compared.items())]:
            line(f"{count:8}  {name}")
        if path := self.config.getoption("--compared"):
            Path(path).write_text(json.dumps(dict(sorted(self.compared.items())), indent=1) + "\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--compared", metavar="FILE", help="what was compared with the oracle, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Phases(config), "phases")
