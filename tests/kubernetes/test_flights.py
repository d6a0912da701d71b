"""The program of the README on a cluster: every result is equal to pandas', as on threads."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from marsdask.deploy.kubernetes import HostPathVolumeConfig
from tests.kubernetes.clusters import PATIENCE, cluster

PROGRAM = Path(__file__).parents[2] / "docs/examples/flights.py"
AS_ROOT = {"spec": {"securityContext": {"runAsNonRoot": False, "runAsUser": 0}}}
"""The files below belong to the tests' user."""


def told(text: str) -> list[str]:
    """The lines of the program's output that do not depend on where it ran."""
    return [line for line in text.splitlines() if " s" not in line and "chart" not in line]


def run(*words: object, room: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-Wignore", PROGRAM, *map(str, words)],
        env=os.environ | {"TMPDIR": str(room)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_program_says_the_same_as_on_threads(place, api_client, flights_tables, tmp_path):
    if place.node is None:
        pytest.skip("the workers do not see this machine's files")
    seen = [
        HostPathVolumeConfig("tables", str(flights_tables), str(flights_tables), "Directory"),
        HostPathVolumeConfig("room", str(tmp_path), str(tmp_path), "Directory"),
    ]
    options = ["--data", flights_tables, "--out", tmp_path / "out"]
    (tmp_path / "out").mkdir()
    on_threads = run(*options, room=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = cluster(
            api_client,
            worker_num=2,
            worker_mem="600m",
            extra_volumes=seen,
            pod_template=AS_ROOT,
            security=False,
        )
        with made as there:
            on_cluster = run(*options, "--session", there.endpoint, room=tmp_path)
    assert "Every result is equal" in on_cluster
    assert told(on_cluster) == told(on_threads)
    assert len(told(on_threads)) > 5
