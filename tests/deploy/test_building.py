"""`marsdask kubernetes image` with builders that only note how they are called, the wheel it makes, and the versions it takes."""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from marsdask.deploy.kubernetes import building
from marsdask.deploy.kubernetes.commands import kubernetes
from marsdask.deploy.kubernetes.images import default_image, locked, versions
from tests.processes import PATIENCE

pytestmark = pytest.mark.once

VERSION = metadata.version("marsdask")
Tool = Callable[..., tuple[Result, str]]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Run the command where only the given builders are: what was called, and what a build had to build from, in `context`."""
    programs, calls, context = tmp_path / "bin", tmp_path / "calls", tmp_path / "context"
    programs.mkdir()
    for name in ("sh", "cp"):
        (programs / name).symlink_to(f"/bin/{name}")

    def run(
        *words: str, builders: tuple[str, ...] = ("buildah",), dead: tuple[str, ...] = (), **env: str
    ) -> tuple[Result, str]:
        calls.write_text("")
        for name in building.ENGINES:
            (programs / name).unlink(missing_ok=True)
        for name in (*builders, *dead):
            text = f"""#!/bin/sh
                [ "$1" = info ] && exit {int(name in dead)}
                echo "{name} $*" >>{calls}
                [ "$1" = build ] || exit 0
                for last; do :; done
                cp -r "$last" {context}
            """
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(programs))
        for name in ("PIP_CERT", "PIP_CONFIG_FILE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(kubernetes, ["image", *words])
        return done, calls.read_text()

    return run


def test_a_build(tool: Tool, tmp_path: Path) -> None:
    done, calls = tool("build", "-r", "registry.example", "-o", "team", "-t", "v1", "-a", "click")
    assert done.exit_code == 0, done.output
    assert done.output == "Built registry.example/team/marsdask:v1\n"
    (asked,) = calls.splitlines()
    assert asked.startswith("buildah build --file ")
    assert "--tag registry.example/team/marsdask:v1 " in asked
    assert "--layers" in asked
    assert f"BASE=python:{sys.version_info[0]}.{sys.version_info[1]}-slim" in asked
    assert f"PYTHON={sys.version_info[0]}.{sys.version_info[1]} " in asked
    assert f"VERSIONS={versions()}" in asked
    context = tmp_path / "context"
    lines = (context / "requirements.txt").read_text().splitlines()
    assert lines == [f"{name}=={version}" for name, version in locked(("click",)).items()]
    assert f"dask=={metadata.version('dask')}" in lines
    assert sorted(p.name for p in context.iterdir()) == [
        "Dockerfile",
        f"marsdask-{VERSION}-py3-none-any.whl",
        "requirements.txt",
    ]
    assert "ENTRYPOINT" in (context / "Dockerfile").read_text()


def test_secrets_of_the_package_index_are_mounted(tool: Tool, tmp_path: Path) -> None:
    for name in ("pip.conf", "ca.pem"):
        (tmp_path / name).write_text("")
    _, calls = tool("build", PIP_CERT=str(tmp_path / "ca.pem"), PIP_CONFIG_FILE=str(tmp_path / "pip.conf"))
    assert f"--secret id=certificates,src={tmp_path}/ca.pem" in calls
    assert f"--secret id=pip,src={tmp_path}/pip.conf" in calls
    _, calls = tool("build", PIP_CONFIG_FILE=os.devnull)
    assert "--secret" not in calls


@pytest.mark.parametrize(
    ("builders", "dead", "chosen"),
    [
        (("docker", "podman", "buildah"), (), "docker"),
        (("podman", "buildah"), (), "podman"),
        (("buildah",), ("docker",), "buildah"),
    ],
)
def test_the_first_builder_that_works(
    tool: Tool, builders: tuple[str, ...], dead: tuple[str, ...], chosen: str
) -> None:
    done, calls = tool("push", "-r", "registry.example", builders=builders, dead=dead)
    assert done.exit_code == 0, done.output
    assert calls == f"{chosen} push registry.example/marsdask/marsdask:v{VERSION}\n"


def test_an_archive(tool: Tool, tmp_path: Path) -> None:
    file = tmp_path / "a.tar"
    file.write_text("of before")
    _, calls = tool("save", "-t", "x", str(file))
    assert calls == f"buildah push --quiet marsdask/marsdask:x docker-archive:{file}:marsdask/marsdask:x\n"
    assert not file.exists()
    _, calls = tool("save", "-e", "podman", "-t", "x", str(file), builders=("podman",))
    assert calls == f"podman save --output {file} marsdask/marsdask:x\n"


def test_its_name_is_the_default_image(tool: Tool) -> None:
    done, _ = tool("name", builders=())
    assert done.output.strip() == default_image()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["bake"], 2, "No such command 'bake'"),
        (["build", "-x"], 2, "No such option"),
        (["build", "x"], 2, "unexpected extra argument"),
        (["push"], 2, "-r REPO"),
        (["save"], 2, "Missing argument 'FILE'"),
        (["build", "-e", "kaniko"], 2, "'kaniko' is not one of"),
        (["build", "-e", "docker"], 1, "docker does not work here"),
        (["build", "-a", "nosuchpackage"], 1, "nosuchpackage: not installed here"),
        (["name", "-t", "a b"], 1, "image='marsdask/marsdask:a b'"),
    ],
)
def test_what_is_wrong_is_told(tool: Tool, words: list[str], code: int, said: str) -> None:
    done, calls = tool(*words)
    assert done.exit_code == code
    assert said in done.output
    assert "build " not in calls


def test_no_builder(tool: Tool) -> None:
    done, _ = tool("build", builders=())
    assert done.exit_code == 1
    assert "none of docker" in done.output


@pytest.mark.parametrize("words", [["build"], ["push", "-r", "registry.example"]])
def test_a_builder_that_fails(tool: Tool, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "bin" / "false").symlink_to("/bin/false")
    done, _ = tool(*words, builders=(), dead=())
    (tmp_path / "bin" / "buildah").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "bin" / "buildah").chmod(0o755)
    done = CliRunner().invoke(kubernetes, ["image", *words])
    assert done.exit_code == 1
    assert f"buildah {words[0]} has failed with exit code 3" in done.output


def test_the_wheel_is_what_is_installed(tmp_path: Path) -> None:
    """It installs where neither a checkout nor a package index is, twice the same, and has what a checkout's has."""
    first, second = (
        building.wheel(folder) for folder in (tmp_path / "1", tmp_path / "2") if not folder.mkdir()
    )
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as packed:
        names = packed.namelist()
        assert packed.testzip() is None
    assert {"marsdask/tensor/__init__.py", "marsdask/mars.toml", "marsdask/py.typed"} <= {*names}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", "Dockerfile"))]
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    words = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        first,
    ]
    subprocess.run(words, check=True, timeout=PATIENCE)
    told = "from importlib.metadata import distribution as d; print(d('marsdask').version, len(d('marsdask').files))"
    done = subprocess.run([python, "-c", told], check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.split()[0] == VERSION
    assert (tmp_path / "env" / "bin" / "mars-worker").exists()


def test_requirements_is_a_command() -> None:
    done = CliRunner().invoke(kubernetes, ["requirements"])
    assert done.output.splitlines() == [f"{name}=={version}" for name, version in locked().items()]
    assert "marsdask" not in locked()
    done = CliRunner().invoke(kubernetes, ["requirements", "--label"])
    assert done.output.strip() == versions()
