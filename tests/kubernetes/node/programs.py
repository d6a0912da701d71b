"""Kubernetes, etcd and CoreDNS, built from their Go modules, and Kubernetes' schemas out of its own; kept by version.

One module for the three, so that what they share is compiled once; Kubernetes' programs are one file with five names, as
linking each would take as long again. The first build takes minutes, nearly all of it for Kubernetes.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.kubernetes.node import machine

GO = Path(__file__).parent.parent / "go"
KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy")
BUILT = ("kubernetes", "etcd", "coredns")


def version() -> str:
    """Of the Kubernetes that go.mod requires."""
    found = re.search(r"^\s*k8s\.io/kubernetes (v\S+)", (GO / "go.mod").read_text(), re.MULTILINE)
    assert found is not None, "go/go.mod does not require k8s.io/kubernetes"
    return found[1]


VERSIONS = ("v1.28.15", version())
"""The oldest Kubernetes that we support, and the one that the tests start."""


def flags() -> list[str]:
    """The compiler's and the linker's flags.

    Without debugging information and inlining a build takes three quarters of the time (etcd: 96 s of processors instead of
    133 s). Without its version Kubernetes says v0.0.0, and clients misbehave.
    """
    major, minor, _ = version().removeprefix("v").split(".")
    link = "-s -w"
    for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
        for name, value in {"Version": version(), "Major": major, "Minor": minor}.items():
            link += f" -X {package}.git{name}={value}"
    return ["-trimpath", "-gcflags=all=-dwarf=false -l", f"-ldflags={link}"]


def stamp() -> str:
    """Differs as soon as anything that is built would differ."""
    files = sorted(file for file in GO.rglob("*") if file.is_file())
    return hashlib.sha256(b"".join(file.read_bytes() for file in files) + repr(flags()).encode()).hexdigest()


def build() -> dict[str, Path]:
    """Program -> its file, built if it is not there yet."""
    folder = machine.cache() / f"programs-{version()}"
    programs = {name: folder / name for name in (*KUBERNETES, *BUILT[1:])}
    stamped = folder / "stamp"
    if stamped.exists() and stamped.read_text() == stamp():
        return programs
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"Building {', '.join(programs)} {version()}", flush=True)
    # As many compilers as cores, each with one thread: etcd takes 82 s of processors instead of 92 s.
    environment = {"GOMAXPROCS": "1", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"}
    command = ["go", "build", "-p", str(os.cpu_count()), *flags(), "-o", str(folder)]
    subprocess.run(
        [*command, *(f"./{name}" for name in BUILT)],
        cwd=GO,
        env=os.environ | environment,
        check=True,
        timeout=3600,
    )
    for name in KUBERNETES:
        (folder / name).symlink_to(BUILT[0])
    stamped.write_text(stamp())
    return programs


def schemas(version: str) -> Path:
    """The folder with the OpenAPI documents of a version of Kubernetes, out of its module if it is not there yet."""
    kept = machine.cache() / f"schemas-{version}"
    if kept.exists():
        return kept
    print(f"Downloading the schemas of Kubernetes {version}", flush=True)
    done = subprocess.run(
        ["go", "mod", "download", "-json", f"k8s.io/kubernetes@{version}"],
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        cwd="/",
    )
    assert done.returncode == 0, done.stdout
    partial = kept.with_name(f"{kept.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(Path(json.loads(done.stdout)["Dir"]) / "api/openapi-spec/v3", partial)
    partial.rename(kept)
    return kept
