"""`marsdask map ...`: what it prints, what it writes, and how it refuses."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from marsdask.__main__ import main
from marsdask.remote.durable import commands
from tests.processes import PATIENCE


def call(*words: object, **how: Any) -> Result:
    return CliRunner().invoke(main, ["map", *map(str, words)], **how)


def good(*words: object, **how: Any) -> str:
    done = call(*words, **how)
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.stdout


@pytest.fixture
def where(tmp_path: Path) -> tuple[str, ...]:
    return ("--storage", str(tmp_path / "storage"), "--cluster", "threads")


def test_the_command_of_kubefaces_readme(tmp_path: Path, where: tuple[str, ...]) -> None:
    words = ("run", "--expression", "value**2", "--generator-expression", "range(10)", *where)
    out = tmp_path / "out.csv"
    done = call(*words, "--out-csv", out)
    assert done.exit_code == 0
    assert "10 values, 0 reused, 10 done, 0 failed" in done.stderr
    with out.open(newline="") as file:
        assert list(csv.reader(file)) == [["Value", "Result"], *([str(x), str(x * x)] for x in range(10))]
    assert "10 reused, 0 done" in call(*words, "--out-csv", out).stderr
    assert good(*words, "--quiet").splitlines() == ["Value,Result", *(f"{x},{x * x}" for x in range(10))]
    other = call("run", "--expression", "value**3", "--generator-expression", "range(10)", *where)
    assert other.stdout.splitlines()[-1] == "9,729"
    assert "0 reused" in other.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "storage"]


def test_files_in_and_out(tmp_path: Path, where: tuple[str, ...]) -> None:
    (tmp_path / "in.csv").write_text('a,b\n1,"x, y"\n2,z\n')
    run = ("run", *where, "--quiet")
    out = good(*run, "--expression", "value['a'] * 2", "--input", tmp_path / "in.csv")
    assert out == 'a,b,Result\n1,"x, y",2\n2,z,4\n'
    (tmp_path / "in.jsonl").write_text('{"a": 1}\n\n[1, 2]\n')
    good(
        *run,
        "--expression",
        "numpy.size(value)",
        "--input",
        tmp_path / "in.jsonl",
        "--out-jsonl",
        tmp_path / "out.jsonl",
    )
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"value": {"a": 1}, "result": 1},
        {"value": [1, 2], "result": 2},
    ]
    (tmp_path / "in.txt").write_text("one\ntwo words\n")
    got = good(
        *run, "--shell-command", "echo '{}' | tr a-z A-Z", "--input", tmp_path / "in.txt", "-o", "json"
    )
    assert [json.loads(line)["result"] for line in got.splitlines()] == ["ONE\n", "TWO WORDS\n"]
    good(
        *run,
        "--expression",
        "value['a'] / 2",
        "--input",
        tmp_path / "in.csv",
        "--out-parquet",
        tmp_path / "out.parquet",
    )
    frame = pd.read_parquet(tmp_path / "out.parquet")
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x, y", "z"], "Result": [0.5, 1.0]}
    empty = good(*run, "--expression", "value", "--generator-expression", "[]")
    assert empty == "Value,Result\n"


def test_a_dash_is_standard_output(
    tmp_path: Path, where: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("run", *where, "--quiet", "--expression", "value", "--generator-expression", "[5]")
    assert good(*run, "--out-csv", "-") == "Value,Result\n5,5\n"
    assert good(*run, "--out-jsonl", "-") == '{"value": 5, "result": 5}\n'
    refused = call(*run, "--out-parquet", "-")
    assert refused.exit_code == 2
    assert "--out-parquet='-': a table is written to a file" in refused.stderr
    assert not list(tmp_path.glob("-"))


def test_a_file_of_results_is_there_when_all_are(tmp_path: Path, where: tuple[str, ...]) -> None:
    (tmp_path / "data").mkdir()
    out, link = tmp_path / "data" / "out.csv", tmp_path / "link.csv"
    out.write_text("before")
    link.symlink_to(out)
    run = ("run", *where, "--quiet", "--generator-expression", "[2, 0]", "--out-csv", link)
    assert call(*run, "--expression", "1 / value").exit_code == 1
    assert out.read_text() == "before"
    good(*run, "--expression", "value + 1")
    assert link.is_symlink()
    assert out.read_text() == "Value,Result\n2,3\n0,1\n"
    assert [each.name for each in (tmp_path / "data").iterdir()] == ["out.csv"]


def test_results_to_a_pipe(tmp_path: Path, where: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True) as reader:
        good(
            "run",
            *where,
            "--quiet",
            "--expression",
            "value",
            "--generator-expression",
            "[5]",
            "--out-csv",
            tmp_path / "pipe",
        )
        assert reader.communicate()[0] == "Value,Result\n5,5\n"
    assert (tmp_path / "pipe").is_fifo()


def test_function_of_the_working_directory(
    tmp_path: Path, where: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trains.py").write_text(
        "class Net:\n    @staticmethod\n    def fit(x):\n        return x + 1\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    assert (
        good("run", "--function", "trains:Net.fit", "--generator-expression", "[1]", "--quiet", *where)
        == "Value,Result\n1,2\n"
    )
    sys.modules.pop("trains")


def test_dry_run(where: tuple[str, ...]) -> None:
    words = ("run", "--expression", "value", *where)
    good(*words, "--generator-expression", "range(3)")
    said = good(*words, "--generator-expression", "range(5)", "--dry-run")
    assert said.splitlines()[0] == "3 have a result; 2 would run."
    assert json.loads(good(*words, "--generator-expression", "range(5)", "--dry-run", "-o", "json")) == {
        "reusable": 3, "would_run": {"no result of this item": 2},
    }  # fmt: skip
    assert good(*words, "--generator-expression", "range(3)", "--reuse", "never", "--dry-run").startswith(
        "0 have"
    )
    changed = good(
        "run", "--expression", "value + 0", *where, "--generator-expression", "range(5)", "--dry-run"
    )
    assert changed.startswith("0 have a result; 5 would run.")
    assert len(json.loads(good("jobs", "--all", "-o", "json", *where[:2]))) == 1


def test_jobs_show_retry_and_cleanup(
    tmp_path: Path, where: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = where[:2]
    (tmp_path / "limit").write_text("2")
    expression = f"value if value < numpy.loadtxt({str(tmp_path / 'limit')!r}) else 1 / 0"
    words = (
        "run",
        "--expression",
        expression,
        "--generator-expression",
        "range(4)",
        *where,
        "--name",
        "mine",
        "--retries",
        "0",
    )
    done = call(*words, "--on-error", "finish")
    assert done.exit_code == 1
    assert "task 2: ZeroDivisionError: division by zero" in done.stderr
    assert "marsdask map show" in done.stderr
    assert done.stdout.splitlines() == ["Value,Result", "0,0", "1,1"]
    assert good("jobs", *storage).split() == [
        "JOB",
        "NAME",
        "STATE",
        "TOTAL",
        "REUSED",
        "DONE",
        "FAILED",
        "AGE",
    ]
    (job,) = json.loads(good("jobs", "--all", "-o", "json", *storage))
    assert (job["state"], job["name"], job["counts"]["failed"]) == ("failed", "mine", 2)
    name = job["job"]
    listed = good("jobs", "--all", "--name", "mine", *storage).splitlines()
    assert listed[1].split()[:7] == [name, "mine", "failed", "4", "0", "2", "2"]
    shown = good("show", name, *storage)
    assert "task 2  failed" in shown
    assert "ZeroDivisionError" in shown
    assert "Traceback" in good("show", name, "--task", "3", *storage)
    assert json.loads(good("show", name, "--task", "3", "-o", "json", *storage))["state"] == "failed"
    assert "nothing is known of task 9" in call("show", name, "--task", "9", *storage).stderr
    looked: list[Any] = []
    monkeypatch.setattr("pdb.post_mortem", looked.append)
    assert "division by zero" in call("retry", name, "--task", "2", "--here", *storage).stderr
    assert len(looked) == 1
    assert "task 1 of" in call("retry", name, "--task", "1", *where).stderr
    (tmp_path / "limit").write_text("3")
    assert good("retry", name, "--task", "2", *where) == f"1 of {name} has a result now.\n"
    (tmp_path / "limit").write_text("9")
    assert "it gives 3" in good("retry", name, "--here", *storage)
    assert good("retry", name, *where) == f"1 of {name} has a result now.\n"
    assert "no task" in call("retry", name, *where).stderr
    again = call(*words)
    assert "4 reused" in again.stderr
    assert good("cleanup", "mine", *storage) == ""
    assert not list((tmp_path / "storage").iterdir())
    near = call("show", "nothing", *storage)
    assert near.exit_code == 1
    assert "there is no map 'nothing'" in near.stderr


def test_cp_ls_and_cat(tmp_path: Path, where: tuple[str, ...]) -> None:
    good("run", "--expression", "[value, 'x']", "--generator-expression", "range(1)", *where)
    folder = tmp_path / "storage" / "default" / "out"
    (file,) = folder.iterdir()
    assert file.name in good("ls", folder)
    assert good("cat", file) == "[0, 'x']\n"
    assert call("cat", "--raw", file).stdout_bytes == file.read_bytes()
    good("cp", file, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == file.read_bytes()
    good("cp", file, tmp_path)
    assert (tmp_path / file.name).exists()
    (tmp_path / "plain").write_text("text")
    assert good("cat", tmp_path / "plain") == "text"
    for words in (
        ("cat", tmp_path / "none"),
        ("cp", tmp_path / "none", tmp_path / "x"),
        ("ls", tmp_path / "none"),
    ):
        refused = call(*words)
        assert refused.exit_code == 1
        assert "none" in refused.stderr


BAD = [
    (["--generator-expression", "[1]"], "--expression"),
    (["--expression", "value"], "--generator-expression"),
    (
        ["--expression", "value", "--shell-command", "true", "--generator-expression", "[1]"],
        "--shell-command",
    ),
    (["--expression", "value", "--generator-expression", "[1]", "--input", "x.csv"], "--input"),
    (["--expression", "value +", "--generator-expression", "[1]"], "--expression"),
    (["--expression", "value", "--generator-expression", "5"], "--generator-expression"),
    (["--expression", "value", "--generator-expression", "1 +"], "--generator-expression"),
    (["--expression", "value", "--input", "nosuch.csv"], "nosuch.csv"),
    (["--expression", "value", "--input", "x.xml"], r"\.csv"),
    (["--function", "os", "--generator-expression", "[1]"], "MODULE:NAME"),
    (["--function", "nosuch:x", "--generator-expression", "[1]"], "nosuch"),
    (["--function", "os:nosuch", "--generator-expression", "[1]"], "nosuch"),
    (["--function", "os:sep", "--generator-expression", "[1]"], "function"),
    (
        ["--expression", "value", "--generator-expression", "[1]", "--out-csv", "/nosuch/folder/x"],
        "--out-csv",
    ),
    (
        ["--expression", "value", "--generator-expression", "[1]", "--out-csv", "a", "--out-jsonl", "b"],
        "--out-csv",
    ),
    (["--expression", "value", "--generator-expression", "[1]", "--memory", "much"], "memory"),
    (["--expression", "value", "--generator-expression", "[1]", "--memory", "900TiB"], "memory"),
    (["--expression", "value", "--generator-expression", "[1]", "--retries", "-1"], "--retries"),
    (["--expression", "value", "--generator-expression", "[1]", "--timeout", "0"], "--timeout"),
    (["--expression", "value", "--generator-expression", "[1]", "--reuse", "all"], "--reuse"),
    (["--expression", "value", "--generator-expression", "[1]", "--image", "x"], "--image"),
    (["--expression", "value", "--generator-expression", "[1]", "--env", "A=1"], "--env"),
    (
        ["--expression", "value", "--generator-expression", "[1]", "--cluster", "kubernetes", "--env", "=1"],
        "--env='=1': expected NAME=VALUE",
    ),
    (["--expression", "value", "--generator-expression", "[1]", "--name", "a/b"], "name"),
    (["--expression", "value", "--generator-expression", "[1]", "--cluster", "nowhere"], "cluster"),
    (["--expression", "value", "--generator-expression", "[1]", "--cluster", "kubernetes"], "--storage"),
]


@pytest.mark.parametrize(
    ("words", "named"), BAD, ids=lambda x: " ".join(x[-2:]) if isinstance(x, list) else x
)
def test_bad_options(tmp_path: Path, words: list[str], named: str) -> None:
    import re

    done = call(
        "run",
        "--storage",
        tmp_path / "storage",
        *([] if "--cluster" in words else ["--cluster", "threads"]),
        *words,
    )
    assert done.exit_code in (1, 2)
    assert re.search(named, done.stderr), done.stderr
    assert not list(tmp_path.iterdir())


def test_without_a_storage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MARSDASK_STORAGE", raising=False)
    assert "--storage" in call("jobs").stderr
    monkeypatch.setenv("MARSDASK_STORAGE", str(tmp_path))
    assert good("jobs").startswith("JOB")


def test_the_arguments_of_pods() -> None:
    options = {
        "max_simultaneous_tasks": 4,
        "memory": "2GiB",
        "cpu": 1.0,
        "image": "here/marsdask:1",
        "gpu": None,
        "env": ("A=1", "B=x=y"),
    }
    assert commands.of_pods(options) == {
        "worker_num": 4,
        "worker_mem": "2GiB",
        "worker_cpu": 1.0,
        "image": "here/marsdask:1",
        "extra_env": {"A": "1", "B": "x=y"},
    }
    assert commands.of_pods({}) == {}


@pytest.mark.processes
def test_as_a_command_on_local_processes(tmp_path: Path) -> None:
    words = [
        sys.executable, "-m", "marsdask", "map", "run", "--storage", str(tmp_path / "storage"), "--expression", "value**2",
        "--generator-expression", "range(10)", "--out-csv", str(tmp_path / "out.csv"), "--max-simultaneous-tasks", "2",
    ]  # fmt: skip
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=PATIENCE, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").read_text().splitlines()[-1] == "9,81"
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 2, done.stderr
