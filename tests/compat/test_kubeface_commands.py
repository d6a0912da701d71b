"""kubeface's commands, in this process where that is enough, and as users start them."""

import csv
import os
import signal
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marsdask.compat.kubeface import Result, Task, serialization
from marsdask.compat.kubeface.commands import copy, job, run, run_task
from marsdask.errors import Exited, NotPicklable, TaskFailed
from tests.compat.test_kubeface import client_of
from tests.processes import ENVIRONMENT, PATIENCE, until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(tmp_path: Path) -> tuple[Any, ...]:
    return "--kubeface-backend", "threads", "--kubeface-storage", str(tmp_path / "storage")


@pytest.fixture(autouse=True)
def _logging(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (copy, job, run, run_task):
        monkeypatch.setattr(command, "configure_logging", lambda args: None)


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_scripts() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for command, module in {
        "kubeface-run": run, "kubeface-job": job, "kubeface-copy": copy, "_kubeface-run-task": run_task,
    }.items():  # fmt: skip
        assert scripts[command] == f"{module.__name__}:run"
        assert module.parser().prog == command


def test_an_expression(here: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    given = ("--expression", "value**2", "--generator-expression", "range(10)", "--out-csv", str(out))
    run.run([*given, *here])
    assert rows(out) == [["Value", "Result"], *([str(x), str(x * x)] for x in range(10))]
    assert out.read_bytes().startswith(b"Value,Result\r\n0,0\r\n")


def test_numpy_and_standard_output(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run.run(
        [
            "--expression",
            "numpy.sum(value)",
            "--generator-expression",
            "(numpy.arange(n) for n in [3, 4])",
            "--out-csv",
            "-",
            *here,
        ]
    )
    assert capsys.readouterr().out.split() == ["Value,Result", "[0", "1", "2],3", "[0", "1", "2", "3],6"]


def test_another_expression_under_one_prefix(here: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for power in (2, 3):
        given = (
            "--generator-expression",
            "range(3)",
            "--kubeface-cache-key-prefix",
            "one",
            "--out-csv",
            str(out),
        )
        run.run(["--expression", f"value**{power}", *given, *here])
        assert rows(out)[1:] == [[str(x), str(x**power)] for x in range(3)]


def test_a_shell_command_is_text(here: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    given = (
        "--shell-command",
        'printf "%s-é," {}',
        "--generator-expression",
        "['a', 3]",
        "--out-csv",
        str(out),
    )
    run.run([*given, *here])
    assert rows(out)[1:] == [["a", "a-é,"], ["3", "3-é,"]]
    with pytest.raises(subprocess.CalledProcessError):
        run.run(["--shell-command", "exit {}", "--generator-expression", "[4]", *here])


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("--generator-expression", "[1]"), "--shell-command"),
        (("--expression", "1", "--shell-command", "a", "--generator-expression", "[1]"), "not allowed"),
        (("--expression", "1"), "--generator-expression"),
        (
            ("--expression", "1", "--generator-expression", "[1]", "--kubeface-backend", "kubernetes", "--kubeface-storage", "/a"),
            "storage that its tasks see",
        ),
        (("--expression", "1", "--generator-expression", "[1]", "--kubeface-speculation-percent", "-1"), "percent"),
    ],
)  # fmt: skip
def test_bad_commands(here: Any, argv: Any, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run.run([*here, *argv])
    assert caught.value.code == 2
    assert says in capsys.readouterr().err


def jobs(capsys: pytest.CaptureFixture[str], *argv: Any) -> tuple[list[str], int]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        job.run([str(each) for each in argv])
    return capsys.readouterr().out.splitlines(), int(caught.value.code or 0)


def test_jobs(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    client = client_of(*here)
    found = client.map(lambda x: x + 5, range(10), cache_key="FOOBARBAZ")
    assert next(found) == 5
    list(client.map(lambda x: x, range(2)))
    (key, line), _ = jobs(capsys, *here)
    assert key == "FOOBARBAZ"
    assert line.split() == ["active", client.submitted_jobs[0].job_name]
    lines, _ = jobs(capsys, *here, "--include-done")
    assert [each.split()[0] for each in lines] == ["FOOBARBAZ", "active", client.cache_key_prefix, "done"]
    assert list(found) == list(range(6, 15))
    assert jobs(capsys, *here) == ([], 0)
    lines, _ = jobs(capsys, *here, "--include-done", client.submitted_jobs[0].job_name)
    assert lines[0] == "FOOBARBAZ"
    assert len(lines) == 2


def test_jobs_are_cleaned_up(here: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = client_of(*here)
    for key in ("run1", "run10"):
        list(client.map(abs, [1], cache_key=key))
    lines, code = jobs(capsys, *here, "--cleanup", "run1")
    assert (lines[-1].strip(), code) == ("removed", 0)
    assert [path.name for path in (tmp_path / "storage").iterdir()] == ["run10"]
    found = client.map(abs, [1], cache_key="going on")
    next(found)
    lines, code = jobs(capsys, *here, "--cleanup")
    assert code == 1
    assert any("is active" in line for line in lines)
    assert [path.name for path in (tmp_path / "storage").iterdir()] == ["going on"]
    found.close()
    assert jobs(capsys, *here, "--cleanup")[1] == 0
    assert not list((tmp_path / "storage").iterdir())


def test_copies(here: Any, tmp_path: Path, capfdbinary: Any) -> None:
    (tmp_path / "a").write_bytes(b"\x00\xff")
    copy.run([str(tmp_path / "a"), f"file://{tmp_path / 'b'}"])
    assert (tmp_path / "b").read_bytes() == b"\x00\xff"
    (tmp_path / "c").write_bytes(serialization.dumps({"x": 1}))
    copy.run([str(tmp_path / "c"), "-", "--print-deserialized"])
    client = client_of(*here, "--kubeface-cache-key-prefix", "one")
    list(client.map(lambda x: f"made of {x}", [7]))
    (result,) = (tmp_path / "storage" / "one" / "out").iterdir()
    copy.run([str(result), str(tmp_path / "d"), "--print-deserialized"])
    assert capfdbinary.readouterr().out == b"{'x': 1}\nmade of 7\n"
    assert (tmp_path / "d").read_bytes() == result.read_bytes()
    with pytest.raises(SystemExit) as caught:
        copy.run([str(tmp_path / "no"), "-"])
    assert caught.value.code == 1
    with pytest.raises(SystemExit) as caught:
        copy.run([str(tmp_path / "no"), "-", "--no-error"])
    assert caught.value.code == 0


class Odd(Exception):
    def __init__(self, one: int, two: int):
        super().__init__("odd")


def odd() -> None:
    raise Odd(1, 2)


def a_lock() -> Any:
    return threading.Lock()


def exits() -> None:
    sys.exit(3)


def result_of(tmp_path: Path, task: Any, *options: str) -> Result:
    (tmp_path / "input").write_bytes(serialization.dumps(task))
    run_task.run([str(tmp_path / "input"), str(tmp_path / "result"), *options])
    return Result.from_storage(str(tmp_path / "result"))


@pytest.fixture
def _signals() -> Any:
    import faulthandler

    yield
    faulthandler.unregister(signal.SIGUSR1)


@pytest.mark.usefixtures("_signals")
def test_tasks_in_files(tmp_path: Path) -> None:
    found = result_of(tmp_path, Task(divmod, (7, 2)), "--delete-input")
    assert (found.result_type, found.return_value) == ("value", (3, 1))
    assert found.input_size
    assert not (tmp_path / "input").exists()
    for function, kind in ((odd, TaskFailed), (a_lock, NotPicklable), (exits, Exited)):
        found = result_of(tmp_path, Task(function))
        assert isinstance(found.exception, kind)
    found = result_of(tmp_path, Task(divmod, (1, 0)))
    assert isinstance(found.exception, ZeroDivisionError)
    assert "ZeroDivisionError" in str(found.exception_traceback_string)
    (tmp_path / "input").write_bytes(b"no pickle")
    run_task.run([str(tmp_path / "input"), str(tmp_path / "of-{result_type}")])
    assert Result.from_storage(str(tmp_path / "of-exception")).exception is not None


def started(module: str, *argv: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", f"marsdask.compat.kubeface.commands.{module}", *map(str, argv)],
        env=ENVIRONMENT, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.processes
def test_a_task_tells_its_stack(tmp_path: Path) -> None:
    ready = tmp_path / "ready"

    def waits_here() -> None:
        import time
        from pathlib import Path

        Path(ready).touch()
        time.sleep(1000)

    (tmp_path / "input").write_bytes(serialization.dumps(Task(waits_here)))
    with started("run_task", tmp_path / "input", tmp_path / "result") as program:
        try:
            until(ready.exists, "the task runs")
            program.send_signal(signal.SIGUSR1)
            assert program.stderr is not None
            lines = iter(program.stderr.readline, "")
            assert next(line for line in lines if "waits_here" in line)
            assert program.poll() is None
        finally:
            program.kill()


@pytest.mark.processes
def test_a_job_of_another_program(here: Any, tmp_path: Path) -> None:
    client = client_of(*here)
    found = client.map(lambda x: x + 5, range(10), cache_key="FOOBARBAZ")
    assert next(found) == 5

    def lines(*argv: Any) -> str:
        with started("job", *here, *argv) as program:
            out, err = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, err
        return out

    assert "active  FOOBARBAZ::" in lines()
    list(found)
    assert "FOOBARBAZ" not in lines()
    assert "done    FOOBARBAZ::" in lines("--include-done")


@pytest.mark.processes
def test_the_whole_way_on_processes(tmp_path: Path) -> None:
    """As a user types it: local processes are the default."""
    out = tmp_path / "out.csv"
    argv = (
        "--expression", "value**2", "--generator-expression", "range(6)", "--out-csv", out, "--kubeface-max-simultaneous-tasks",
        2, "--kubeface-storage", tmp_path / "storage", "--kubeface-cache-key-prefix", "one",
    )  # fmt: skip
    with started("run", *argv) as program:
        _, err = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, err
    assert rows(out) == [["Value", "Result"], *([str(x), str(x * x)] for x in range(6))]


PROGRAM = """
import argparse
import marsdask.compat.kubeface as kubeface

RATE = 2

def my_function(x):
    return x**RATE

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    kubeface.Client.add_args(parser)
    args = parser.parse_args()
    client = kubeface.Client.from_args(args)
    for result in client.map(my_function, range(1, args.n + 1)):
        print(result)

if __name__ == "__main__":
    main()
"""


@pytest.mark.processes
def test_a_program(tmp_path: Path) -> None:
    """kubeface's own example, which never closes its client."""
    (tmp_path / "example.py").write_text(PROGRAM)
    argv = ("5", "--kubeface-storage", str(tmp_path / "storage"), "--kubeface-max-simultaneous-tasks", "2")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "example.py"), *argv],
        env=ENVIRONMENT | {"PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()) == (0, ["1", "4", "9", "16", "25"]), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.processes
def test_a_client_on_processes(tmp_path: Path) -> None:
    argv = ("--kubeface-storage", tmp_path, "--kubeface-max-simultaneous-tasks", 2)
    with client_of(*argv) as client:
        assert list(client.map(lambda x: 2.0 / x, range(1, 6))) == list(2.0 / np.arange(1, 6))
        table = client.remote_object(np.arange(1000))

        def inner(x: int) -> tuple[int, Any, int]:
            total = sum(client.map(abs, [-x, -x - 1]))
            return total, client.remote_object(table.value[x]), os.getpid()

        found = list(client.map(inner, [5, 6], cache_key="inner"))
        assert [each[0] for each in found] == [11, 13]
        assert [each[1].value for each in found] == [5, 6]
        assert os.getpid() not in {each[2] for each in found}
        with pytest.raises(ZeroDivisionError):
            next(client.map(lambda x: 1 / x, [0]))
