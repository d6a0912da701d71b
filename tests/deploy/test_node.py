"""The Kubernetes tests where no node can be, and what a node is built from; `make test-kubernetes` has the rest."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.kubernetes import __main__ as runner
from tests.kubernetes.node import __main__ as node
from tests.kubernetes.node import image, machine, programs
from tests.processes import PATIENCE

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_skipped_tests_are_counted_with_the_reason_in_the_last_lines() -> None:
    words = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "kubernetes",
        "tests/kubernetes/test_image.py",
    ]
    outside = {key: value for key, value in os.environ.items() if not key.startswith("MARSDASK_TEST_")}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=outside | {node.REASON: "a node needs root"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"^kubernetes: \d+ tests skipped: a node needs root$", done.stdout, re.MULTILINE)
    assert re.search(r"^\d+ skipped in ", done.stdout.splitlines()[-1])


def test_where_no_node_can_be_the_tests_run_all_the_same(monkeypatch) -> None:
    """To be skipped one by one, with the reason."""
    monkeypatch.delenv(node.FOREIGN, raising=False)
    monkeypatch.setattr(machine, "cannot", lambda: "a node needs root")
    script = f"import os; raise SystemExit(os.environ['{node.REASON}'] != 'a node needs root')"
    assert CliRunner().invoke(node.main, ["run", "--", sys.executable, "-c", script]).exit_code == 0


def test_on_another_cluster_no_node_is_started(monkeypatch) -> None:
    monkeypatch.setenv(node.FOREIGN, "kind.yaml")
    monkeypatch.setattr(node, "prepare", lambda: pytest.fail("nothing is to be built"))
    assert CliRunner().invoke(node.main, ["build"]).exit_code == 0
    monkeypatch.setattr(runner, "side_by_side", lambda *commands: pytest.fail("no node is to be started"))
    monkeypatch.setattr(
        runner,
        "PYTEST",
        [sys.executable, "-c", "import sys; sys.exit(sys.argv[1:] != ['-m', 'kubernetes', '-x'])"],
    )
    assert runner.main(["-x"]) == 0


def test_what_was_not_built_is_said(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for room in (machine, image):
        monkeypatch.setattr(room, "cannot", lambda: "")
    said = CliRunner().invoke(node.main, ["run", "--", "true"])
    assert said.exit_code == 1
    assert said.output.endswith("test.tar. Run: make kubernetes-node\n")


@pytest.mark.parametrize(
    ("codes", "code"), [((0, 0), 0), ((0, 1), 1), ((2, 0), 2), ((5, 0), 0), ((5, 5), 5), ((5, 1), 1)]
)
def test_both_rounds_are_shown_and_count(monkeypatch, capsys, codes: tuple[int, int], code: int) -> None:
    monkeypatch.delenv(node.FOREIGN, raising=False)
    script = f"import sys; print(sys.argv[1:]); sys.exit({codes}['kubernetes and alone' in sys.argv])"
    for name in ("WITH_MARSJOBS", "ON_A_NODE"):
        monkeypatch.setattr(runner, name, [sys.executable, "-c", script])
    assert runner.main(["-x"]) == code
    assert capsys.readouterr().out == "['-m', 'kubernetes and alone', '-x']\n"


def test_why_no_node_can_be(monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "root" in machine.cannot()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    assert "apt-get" in machine.cannot()
    monkeypatch.setattr(machine.shutil, "which", lambda name: None if name == "go" else f"/usr/bin/{name}")
    assert machine.cannot() == "there is no Go to build Kubernetes with"
    monkeypatch.setattr(sys, "version_info", (3, 12, 0))
    assert "this is 3.12" in image.cannot()


def test_programs_know_their_version() -> None:
    assert re.fullmatch(r"v\d+\.\d+\.\d+", programs.version())
    assert f"gitVersion={programs.version()}" in " ".join(programs.flags())


def test_what_is_there_is_not_built_again(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(programs.subprocess, "run", lambda *words, **options: built.append(words[0]))
    built: list = []
    found = programs.build()
    assert len(built) == 1
    folder = tmp_path / "marsdask-kubernetes" / f"programs-{programs.version()}"
    assert {file.parent for file in found.values()} == {folder}
    assert found["kubelet"].readlink() == Path("kubernetes")
    assert programs.build() == found
    assert len(built) == 1
    monkeypatch.setattr(programs, "flags", list)
    assert programs.build() == found
    assert len(built) == 2
