"""The docker backend: the command it runs, and tasks in containers that a script plays on this machine."""

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from marsdask.compat.kubeface import Client, LocalProcessDockerBackend, WorkerConfiguration
from marsdask.errors import Exited, MissingFile
from tests.compat.test_kubeface import client_of

ROOT = Path(__file__).parents[2]
DOCKER = """
import os, subprocess, sys
words = sys.argv[1:]
assert words[:2] == ["run", "--rm"], words
*options, image, shell, flag, command = words[2:]
assert (shell, flag) == ("sh", "-c"), words
for volume in options[1::2]:
    outside, _, inside = volume.rpartition(":")
    command = command.replace(inside + "/", outside + "/")
with open(os.environ["TOLD"], "a") as told:
    print(image, command, file=told)
sys.exit(subprocess.call(["sh", "-c", command]))
"""


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a `docker` that runs commands here, a `pip` that installs nothing, and the commands of the image."""
    image = tmp_path / "image"
    image.mkdir()
    python = shlex.quote(sys.executable)
    script(image / "docker", f"#!{sys.executable}\n{DOCKER}")
    script(image / "pip", '#!/bin/sh\necho "pip $*" >> "$TOLD"\n')
    module = "marsdask.compat.kubeface.commands.run_task"
    script(
        image / "_kubeface-run-task",
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {python} -W ignore -m {module} "$@"\n',
    )
    monkeypatch.setenv("PATH", f"{image}:/usr/bin:/bin")
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    return image


def told(docker: Path) -> str:
    return (docker.parent / "told").read_text()


def test_the_command(tmp_path: Path) -> None:
    configuration = WorkerConfiguration("mine:v1", path_prefix="/opt/bin", kubeface_install_policy="never")
    backend = LocalProcessDockerBackend(configuration, docker_command="sudo docker")
    run = "/opt/bin/_kubeface-run-task /kubeface-data/input /kubeface-data/result --verbose"
    begin = ["sudo", "docker", "run", "--rm", "-v", "/tmp/task:/kubeface-data"]
    shared = f"{tmp_path}:{tmp_path}"
    for storage in (str(tmp_path), f"file://{tmp_path}"):
        assert backend.command("/tmp/task", storage) == [*begin, "-v", shared, "mine:v1", "sh", "-c", run]
    assert backend.command("/tmp/task", "gs://bucket") == [*begin, "mine:v1", "sh", "-c", run]


@pytest.mark.parametrize(
    ("policy", "there", "lines"),
    [
        ("if-not-present", True, []),
        ("if-not-present", False, ["pip install marsdask"]),
        ("always", True, ["pip install marsdask"]),
        ("never", True, []),
    ],
)
def test_installing(tmp_path: Path, policy: str, there: bool, lines: list[str]) -> None:
    """The shell's own reading of the command."""
    log = tmp_path / "log"
    for name in ["pip", *(["_kubeface-run-task"] if there else [])]:
        script(tmp_path / name, f'#!/bin/sh\necho "$(basename $0) $*" >> {log}\n')
    command = WorkerConfiguration(kubeface_install_policy=policy, pip_packages=["a", "b < 2"]).command(
        "in put", "out"
    )
    done = subprocess.run(["sh", "-c", command], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False)
    run = ["_kubeface-run-task in put out --verbose"] if there else []
    assert log.read_text().splitlines() == [*lines, "pip install a b < 2", *run]
    assert done.returncode == (0 if there else 127)


def test_an_install_command_of_ones_own() -> None:
    configuration = WorkerConfiguration(
        path_prefix="/opt", pip="pip3", kubeface_install_command="{pip} install /kubeface-package"
    )
    command = configuration.command("in", "out", ["--delete-input"])
    assert command == (
        "{ command -v /opt/_kubeface-run-task > /dev/null || { /opt/pip3 install /kubeface-package ; } ; } && "
        "/opt/_kubeface-run-task in out --verbose --delete-input"
    )


RATE = 3


def tripled(x: int) -> int:
    return x * RATE


@pytest.mark.processes
def test_tasks_in_containers(docker: Path, tmp_path: Path) -> None:
    argv = (
        "--kubeface-backend", "local-process-docker", "--kubeface-storage", tmp_path / "storage", "--kubeface-worker-image",
        "mine:v1", "--kubeface-worker-pip-packages", "mhcflurry", "--kubeface-max-simultaneous-tasks", 2,
        "--kubeface-cache-key-prefix", "one",
    )  # fmt: skip
    client = client_of(*argv)
    table = client.remote_object(np.arange(1000))

    def work(x: int) -> tuple[int, int, int]:
        return tripled(x), int(table.value[x]), os.getpid()

    found = list(client.map(work, [5, 6]))
    assert [each[:2] for each in found] == [(15, 5), (18, 6)]
    assert len({os.getpid(), *(each[2] for each in found)}) == 3
    lines = told(docker).splitlines()
    assert len([line for line in lines if line.startswith("mine:v1 ")]) == 2
    assert lines.count("pip install mhcflurry") == 2
    assert list(client_of(*argv).map(work, [5, 6])) == found  # from files
    assert told(docker).splitlines() == lines


@pytest.mark.processes
def test_errors_in_containers(docker: Path, tmp_path: Path) -> None:
    backend = LocalProcessDockerBackend()
    client = Client(backend, storage=str(tmp_path / "storage"), max_simultaneous_tasks=1)

    def divide(x: int) -> float:
        return 1 / x

    with pytest.raises(ZeroDivisionError) as caught:
        next(client.map(divide, [0]))
    assert any("in divide" in note for note in caught.value.__notes__)

    def ends(x: int) -> None:
        os._exit(x)

    with pytest.raises(Exited, match="exit code 4"):
        next(client.map(ends, [4]))


def test_a_docker_that_is_not_there(tmp_path: Path) -> None:
    for command, kind, says in (
        ("/no/such", MissingFile, "docker_command"),
        ("false", Exited, "exit code 1"),
    ):
        client = Client(LocalProcessDockerBackend(docker_command=command), storage=str(tmp_path))
        with pytest.raises(kind, match=says):
            next(client.map(abs, [1]))
