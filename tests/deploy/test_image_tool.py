"""`bin/kube-image-tool.sh` with builders that only note how they are called, and the versions it takes."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from marsdask.deploy.kubernetes.commands import kubernetes
from marsdask.deploy.kubernetes.images import default_image, locked, versions
from tests.processes import PATIENCE

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
VERSION = metadata.version("marsdask")


@pytest.fixture
def tool(tmp_path: Path):
    """Run the tool where only the given builders are, and pip makes an empty wheel; what was called is in `calls`."""
    checkout, programs, calls = tmp_path / "checkout", tmp_path / "bin", tmp_path / "calls"
    (checkout / "bin").mkdir(parents=True)
    programs.mkdir()
    script = checkout / "bin" / "kube-image-tool.sh"
    script.write_text((ROOT / "bin" / "kube-image-tool.sh").read_text())
    for name in ("bash", "basename", "dirname", "rm", "mkdir", "cat"):
        (programs / name).symlink_to(f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}")
    (programs / "python").write_text(
        f'#!/bin/sh\nif [ "$2" = pip ]; then echo "pip $*" >>{calls}; else exec {sys.executable} "$@"; fi\n'
    )
    (programs / "python").chmod(0o755)

    def run(*words: str, builders: tuple[str, ...] = ("buildah",), dead: tuple[str, ...] = (), **env: str):
        calls.write_text("")
        for name in ("docker", "podman", "buildah"):
            (programs / name).unlink(missing_ok=True)
        for name in (*builders, *dead):
            alive = f'[ "$1" = info ] && exit {int(name in dead)}\necho "{name} $*" >>{calls}\n'
            (programs / name).write_text(f"#!/bin/sh\n{alive}")
            (programs / name).chmod(0o755)
        done = subprocess.run(
            [programs / "bash", script, *words],
            env={"PATH": str(programs), "HOME": str(tmp_path)} | env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return done, calls.read_text()

    return run


def test_help_tells_mars_s_options(tool) -> None:
    done, _ = tool("--help", builders=())
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("-r", "-t", "-o", "build", "push", "save FILE"))


def test_a_build(tool, tmp_path: Path) -> None:
    done, calls = tool("-r", "registry.example", "-o", "team", "-t", "v1", "-a", "click", "build")
    assert done.returncode == 0, done.stderr
    asked = calls.splitlines()[-1]
    assert asked.startswith("buildah build --file ")
    assert "--tag registry.example/team/marsdask:v1 --layers" in asked
    assert f"BASE=python:{sys.version_info[0]}.{sys.version_info[1]}-slim" in asked
    assert f"VERSIONS={versions()}" in asked
    lines = (tmp_path / "checkout/dist/image/requirements.txt").read_text().splitlines()
    assert lines == [f"{name}=={version}" for name, version in locked(("click",)).items()]
    assert f"dask=={metadata.version('dask')}" in lines


def test_secrets_of_the_package_index_are_mounted(tool, tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("")
    _, calls = tool("build", PIP_CERT="/ca.pem", PIP_CONFIG_FILE=str(tmp_path / "pip.conf"))
    assert "--secret id=certificates,src=/ca.pem" in calls
    assert f"--secret id=pip,src={tmp_path}/pip.conf" in calls


@pytest.mark.parametrize(
    ("builders", "dead", "chosen"),
    [
        (("docker", "podman", "buildah"), (), "docker"),
        (("podman", "buildah"), (), "podman"),
        (("buildah",), ("docker",), "buildah"),
    ],
)
def test_the_first_builder_that_works(tool, builders, dead, chosen) -> None:
    done, calls = tool("-r", "registry.example", "push", builders=builders, dead=dead)
    assert done.returncode == 0, done.stderr
    assert calls == f"{chosen} push registry.example/marsdask/marsdask:v{VERSION}\n"


def test_an_archive(tool, tmp_path: Path) -> None:
    _, calls = tool("-t", "x", "save", str(tmp_path / "a.tar"))
    assert (
        calls
        == f"buildah push --quiet marsdask/marsdask:x docker-archive:{tmp_path}/a.tar:marsdask/marsdask:x\n"
    )
    _, calls = tool("-e", "podman", "-t", "x", "save", str(tmp_path / "a.tar"), builders=("podman",))
    assert calls == f"podman save --output {tmp_path}/a.tar marsdask/marsdask:x\n"


def test_its_name_is_the_default_image(tool) -> None:
    done, _ = tool("name", builders=())
    assert done.stdout.strip() == default_image()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "say what to do"),
        (["bake"], 2, "no command 'bake'"),
        (["-x", "build"], 2, "no option -x"),
        (["-t"], 2, "-t needs a value"),
        (["build", "-t", "x"], 2, "options come first"),
        (["push"], 2, "-r REPO"),
        (["save"], 2, "name of a file"),
        (["-e", "kaniko", "build"], 2, "no builder 'kaniko'"),
        (["-e", "docker", "build"], 1, "docker does not work here"),
        (["-p", "nosuchpython", "build"], 1, "no nosuchpython"),
        (["-a", "nosuchpackage", "build"], 1, "nosuchpackage: not installed here"),
    ],
)
def test_what_is_wrong_is_told(tool, words, code, said) -> None:
    done, calls = tool(*words)
    assert done.returncode == code
    assert said in done.stderr
    assert "build " not in calls


def test_no_builder(tool) -> None:
    done, _ = tool("build", builders=())
    assert done.returncode == 1
    assert "none of docker" in done.stderr


def test_requirements_is_a_command() -> None:
    done = CliRunner().invoke(kubernetes, ["requirements"])
    assert done.output.splitlines() == [f"{name}=={version}" for name, version in locked().items()]
    assert "marsdask" not in locked()
    done = CliRunner().invoke(kubernetes, ["requirements", "--label"])
    assert done.output.strip() == versions()
