"""`marsdask kubernetes image`: the image that clusters run, built from what is installed here, from a wheel or a checkout.

No pip and no checkout are needed: the versions are those of this environment, and marsdask itself is packed from its own files.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from marsdask.deploy.kubernetes.images import locked, versions
from marsdask.errors import KubernetesError

PACKAGE = Path(__file__).parents[2]
ENGINES = ("docker", "podman", "buildah")
"""Programs that build, the first that works first."""
BORN = (1980, 1, 1, 0, 0, 0)
"""Of every file in the wheel: equal files make an equal layer."""
WHEEL = "Wheel-Version: 1.0\nGenerator: marsdask\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def dockerfile() -> str:
    """What the image is: a file of the wheel's, and of a checkout's top."""
    inside = Path(__file__).with_name("Dockerfile")
    return (inside if inside.exists() else PACKAGE.parent / "Dockerfile").read_text(encoding="utf-8")


def wheel(folder: Path) -> Path:
    """This marsdask, whichever way it is installed, as a wheel in a directory."""
    ours = metadata.distribution("marsdask")
    path = folder / f"marsdask-{ours.version}-py3-none-any.whl"
    info = f"marsdask-{ours.version}.dist-info"
    contents = {
        str(each.relative_to(PACKAGE.parent)): each.read_bytes()
        for each in sorted(PACKAGE.rglob("*"))
        if each.is_file() and "__pycache__" not in each.parts and each.name != "Dockerfile"
    }
    for name in ("METADATA", "entry_points.txt", "licenses/LICENSE"):
        contents[f"{info}/{name}"] = str(ours.read_text(name)).encode()
    contents[f"{info}/WHEEL"] = WHEEL.encode()
    record = [f"{name},{_hashed(content)},{len(content)}" for name, content in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in contents.items():
            packed.writestr(zipfile.ZipInfo(name, BORN), content, zipfile.ZIP_DEFLATED)
    return path


def _hashed(content: bytes) -> str:
    """As a wheel's RECORD has it."""
    return f"sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()}"


@contextmanager
def context(also: Sequence[str] = ()) -> Iterator[Path]:
    """A directory with all that the image is built from, for as long as that takes. `also` are packages beside marsdask's own.

    Raises ArgumentError for a package that is not installed here, and MissingExtra without dask-kubernetes.
    """
    wanted = locked(tuple(also))
    with tempfile.TemporaryDirectory(prefix="marsdask-image-") as name:
        folder = Path(name)
        (folder / "Dockerfile").write_text(dockerfile(), encoding="utf-8")
        lines = [f"{package}=={version}\n" for package, version in wanted.items()]
        (folder / "requirements.txt").write_text("".join(lines), encoding="utf-8")
        wheel(folder)
        yield folder


def base_options(base: str = "") -> list[str]:
    """Words by which a build knows what it begins with; layers are found again where they are equal."""
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    said = f"BASE={base or f'python:{minor}-slim'}", f"PYTHON={minor}"
    return [word for each in said for word in ("--build-arg", each)]


def image_name(repo: str = "", org: str = "marsdask", tag: str = "") -> str:
    """[REPO/]ORG/marsdask:TAG.

    >>> image_name("registry.example", "team", "v1")
    'registry.example/team/marsdask:v1'
    """
    return f"{f'{repo}/' if repo else ''}{org}/marsdask:{tag or 'v' + metadata.version('marsdask')}"


@dataclass(frozen=True)
class Engine:
    """docker, podman or buildah."""

    name: str

    @classmethod
    def found(cls, wanted: str | None = None) -> Engine:
        """The one that is wanted, or the first that works. KubernetesError where there is none."""
        for name in (wanted,) if wanted else ENGINES:
            if _works(name):
                return cls(name)
        if wanted:
            raise KubernetesError(f"{wanted} does not work here: not installed, or its daemon does not run.")
        raise KubernetesError(
            "none of docker (with its daemon running), podman and buildah works here. Hint: on Debian and Ubuntu: apt-get install buildah."
        )

    def build(self, name: str, *, base: str = "", also: Sequence[str] = ()) -> None:
        """Build the image. `base` has to have the minor version of Python that runs this; `PIP_CERT`, a file of certificates, and
        `PIP_CONFIG_FILE` are used while packages are installed, and not kept."""
        options = [*base_options(base), "--build-arg", f"VERSIONS={versions()}"]
        files = {"certificates": os.environ.get("PIP_CERT"), "pip": os.environ.get("PIP_CONFIG_FILE")}
        for secret, path in files.items():
            if path and Path(path).is_file():
                options += ["--secret", f"id={secret},src={path}"]
        if self.name != "docker":
            options.append("--layers")
        with context(also) as folder:
            self._run("build", "--file", str(folder / "Dockerfile"), "--tag", name, *options, str(folder))

    def push(self, name: str) -> None:
        """Push it to its registry."""
        self._run("push", name)

    def save(self, name: str, file: Path) -> None:
        """Write it to an archive, for nodes that pull from no registry."""
        file.unlink(missing_ok=True)  # buildah would add to it
        if self.name == "buildah":
            self._run("push", "--quiet", name, f"docker-archive:{file}:{name}")
        else:
            self._run("save", "--output", str(file), name)

    def _run(self, *words: str) -> None:
        try:
            subprocess.run([self.name, *words], check=True, env=os.environ | {"DOCKER_BUILDKIT": "1"})
        except subprocess.CalledProcessError as error:
            raise KubernetesError(
                f"{self.name} {words[0]} has failed with exit code {error.returncode}; it says why above."
            ) from error


def _works(name: str) -> bool:
    """Whether a program is there, and its daemon runs, where it has one."""
    if shutil.which(name) is None:
        return False
    return name == "buildah" or subprocess.run([name, "info"], capture_output=True).returncode == 0
