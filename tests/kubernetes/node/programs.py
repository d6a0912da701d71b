"""Kubernetes, etcd and CoreDNS, built from their Go modules, and Kubernetes' schemas out of its own; all kept by version.

Three modules, because their requirements clash. The first build takes minutes, nearly all of it for Kubernetes.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.kubernetes.node import machine

GO = Path(__file__).parent.parent / "go"


@dataclass(frozen=True)
class Source:
    """A folder of `go/`, the module in it that gives the version, and what is built of it."""

    folder: str
    module: str
    packages: dict[str, str]

    @property
    def version(self) -> str:
        text = (GO / self.folder / "go.mod").read_text()
        found = re.search(rf"^(?:require|\s)\s*{re.escape(self.module)} (v[^\s]+)", text, re.MULTILINE)
        assert found is not None, f"{self.folder}/go.mod does not require {self.module}"
        return found[1]

    @property
    def flags(self) -> str:
        """The linker's flags. Without its version Kubernetes says v0.0.0, and clients misbehave."""
        flags = "-s -w"
        if self.folder == "kubernetes":
            major, minor, _ = self.version.removeprefix("v").split(".")
            for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
                for name, value in {"Version": self.version, "Major": major, "Minor": minor}.items():
                    flags += f" -X {package}.git{name}={value}"
        return flags

    @property
    def stamp(self) -> str:
        """Differs as soon as anything that is built would differ."""
        files = b"".join(
            file.read_bytes()
            for name in ("go.mod", "go.sum", "main.go")
            if (file := GO / self.folder / name).exists()
        )
        return hashlib.sha256(files + f"{self.flags} {self.packages}".encode()).hexdigest()


KUBERNETES = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "kubectl",
)
SOURCES = (
    Source("kubernetes", "k8s.io/kubernetes", {name: f"k8s.io/kubernetes/cmd/{name}" for name in KUBERNETES}),
    Source("etcd", "go.etcd.io/etcd/server/v3", {"etcd": "go.etcd.io/etcd/server/v3"}),
    Source("coredns", "github.com/coredns/coredns", {"coredns": "."}),
)

VERSIONS = ("v1.28.15", SOURCES[0].version)
"""The oldest Kubernetes that we support, and the one that the tests start."""


def build() -> dict[str, Path]:
    """Program -> its file, built if it is not there yet."""
    return {name: file for source in SOURCES for name, file in built(source).items()}


def built(source: Source) -> dict[str, Path]:
    folder = machine.cache() / f"{source.folder}-{source.version}"
    programs = {name: folder / name for name in source.packages}
    stamp = folder / "stamp"
    if stamp.exists() and stamp.read_text() == source.stamp:
        return programs
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"Building {', '.join(programs)} {source.version}", flush=True)
    # Several go by their folders' names; one may have another name than its folder.
    to = folder if len(programs) > 1 else next(iter(programs.values()))
    subprocess.run(
        ["go", "build", "-trimpath", "-ldflags", source.flags, "-o", str(to), *source.packages.values()],
        cwd=GO / source.folder,
        env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"},
        check=True,
        timeout=3600,
    )
    stamp.write_text(source.stamp)
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
