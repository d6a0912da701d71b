"""A Kubernetes cluster with marsdask installed, for the tests here; all of them carry the marker `kubernetes`.

It is a node that is started for them, or the cluster of MARSDASK_TEST_KUBECONFIG with the image MARSDASK_TEST_IMAGE. Where
neither can be they are skipped, and the last lines say how many and why.
"""

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.commands import kubernetes
from marsdask.errors import MarsDaskError
from tests.kubernetes.clusters import looks
from tests.kubernetes.node.__main__ import FOREIGN, IMAGE, OURS, REASON
from tests.kubernetes.node.node import Node

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Place:
    """Where tests run: the file that leads there, the image, and our node if it is one."""

    kubeconfig: Path
    image: str
    node: Node | None

    def marsdask(self, *words: str) -> Result:
        """How `marsdask kubernetes WORDS` ends there."""
        to = [] if "--kubeconfig" in words else ["--kubeconfig", str(self.kubeconfig)]
        return CliRunner().invoke(kubernetes, [*words, *to])


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is in this folder needs a cluster."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kubernetes)
            item.add_marker(pytest.mark.slow)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(1200))
            item.add_marker(pytest.mark.xdist_group(_together(item)))
            # The image's Python may be another patch version.
            item.add_marker(pytest.mark.filterwarnings("ignore::distributed.versions.VersionMismatchWarning"))


def _together(item: pytest.Item) -> str:
    """What must run in one process: the tests that share something made for their file."""
    shared = {"made", "failures", "where", "schemas"}
    return item.path.name if shared & set(getattr(item, "fixturenames", ())) else item.nodeid


def why_not() -> str:
    """Why there is no cluster here, or nothing."""
    if FOREIGN in os.environ:
        return ""
    return os.environ.get(REASON) or "no Kubernetes: run `make test-kubernetes`"


@pytest.fixture(scope="session")
def place() -> Iterator[Place]:
    """The cluster, with Dask's operator: put in by `marsdask kubernetes install`, and out again, if there is none."""
    if reason := why_not():
        pytest.skip(reason)
    # With both names it is a node of ours that somebody started and will stop.
    node = Node(os.environ[OURS]) if OURS in os.environ else None
    there = Place(Path(os.environ[FOREIGN]), os.environ.get(IMAGE, "marsdask/marsdask:test"), node)
    had_operator = there.marsdask("status").exit_code == 0
    if not had_operator:
        install(there)
    yield there
    if not had_operator:
        there.marsdask("uninstall", "--force")


def install(there: Place, *words: str) -> None:
    done = there.marsdask("install", "--image", there.image, *words)
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="session")
def api_client(place: Place) -> Iterator[Any]:
    """An administrator's client of the package kubernetes."""
    from kubernetes import config

    made = config.new_client_from_config(str(place.kubeconfig))
    yield made
    made.close()


@pytest.fixture(scope="session")
def api(api_client: Any) -> Api:
    return Api(api_client)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With a test that failed, what its cluster looks like before its fixtures are cleaned up."""
    report = yield
    api = getattr(item, "funcargs", {}).get("api_client")
    if report.failed and api is not None:
        try:
            shown = looks(Api(api))
        except MarsDaskError as error:  # the report of the test is what counts
            shown = str(error)
        report.sections.append(("pods and warnings in the cluster", shown))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [r for r in terminalreporter.stats.get("skipped", ()) if "tests/kubernetes/" in r.nodeid]
    if skipped and (reason := why_not()):
        terminalreporter.write_line(f"kubernetes: {len(skipped)} tests skipped: {reason}")
