"""The image that schedulers, workers and the operator run: its name, the versions it is built with, and how they differ from here.

`marsdask kubernetes image build` builds it from the versions installed where it is called, so that a client and its cluster
are of one kind.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from marsdask.errors import ArgumentError, MissingExtra

NAME = "marsdask/marsdask"
# What has to be equal in client, scheduler, workers and operator; they are written on the image.
TOLD = (
    "marsdask",
    "dask",
    "distributed",
    "dask-kubernetes",
    "cloudpickle",
    "msgpack",
    "numpy",
    "pandas",
    "pyarrow",
)
LABEL = "marsdask.versions"
EXTRAS = ("kubernetes", "uvloop")


def default_image() -> str:
    """The image's name, with this version as its tag.

    >>> default_image().partition(":")[0]
    'marsdask/marsdask'
    """
    return f"{NAME}:v{metadata.version('marsdask')}"


def locked(also: tuple[str, ...] = ()) -> dict[str, str]:
    """Distribution -> version installed here, of all that marsdask in a cluster and `also` need, marsdask left out.

    >>> {"dask", "distributed", "dask-kubernetes"} <= locked().keys()
    True
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    asked: set[tuple[str, str]] = set()
    if absent := [name for name in also if installed(name) is None]:
        raise ArgumentError(
            f"{', '.join(absent)}: not installed here. Hint: install what the client uses, then build."
        )
    waiting: list[tuple[str, str]] = [(canonicalize_name(name), "") for name in also]
    waiting += [("marsdask", extra) for extra in ("", *EXTRAS)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in asked:
            continue
        asked.add((name, extra))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # an extra that is not installed here is not needed in the image
        found[name] = distribution.version
        for line in distribution.requires or ():
            needs = Requirement(line)
            if needs.marker is None or needs.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(needs.name), wanted) for wanted in ("", *needs.extras)]
    if "dask-kubernetes" not in found:
        raise MissingExtra.needed("dask-kubernetes", "kubernetes", "an image for Kubernetes")
    del found["marsdask"]
    return dict(sorted(found.items()))


def versions() -> str:
    """What the image's label says: `python=3.11.7 marsdask=0.1.0 dask=2026.8.0 ...`."""
    return " ".join(f"{name}={version}" for name, version in here(TOLD).items() if version)


def installed(name: str) -> str | None:
    """The version of a distribution here, if it is installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


WATCHED = ("marsdask", "dask", "distributed", "cloudpickle", "msgpack", "numpy", "pandas")
"""Packages whose objects travel between client, scheduler and workers."""


def here(names: Iterable[str] = WATCHED) -> dict[str, str | None]:
    """Python's and these packages' versions in this process."""
    return {"python": platform.python_version()} | {name: installed(name) for name in names}


def differences(mine: Mapping[str, str | None], theirs: Mapping[str, str | None]) -> list[str]:
    """What differs, each in a few words. Of Python the minor version counts, of NumPy and pandas the major one.

    >>> differences({"python": "3.11.7", "dask": "2026.8.0"}, {"python": "3.11.2", "dask": "2026.3.0"})
    ['dask 2026.8.0 here, 2026.3.0 there']
    """
    told = []
    for name, version in mine.items():
        other = theirs.get(name)
        parts = {"python": 2, "numpy": 1, "pandas": 1}.get(name, 3)
        if version and other and version.split(".")[:parts] != other.split(".")[:parts]:
            told.append(f"{name} {version} here, {other} there")
    return told


def warn_of_differences(answer: Mapping[str, Any]) -> None:
    """One warning that names all differences; `answer` is what a scheduler says of its versions."""
    packages = dict(answer.get("packages", {}))
    packages["python"] = str(packages.get("python", "")).split()[0].removesuffix(".final.0")
    if told := differences(here(), packages):
        warnings.warn(
            f"this process and the cluster's image differ: {'; '.join(told)}. What one sends, the other may not read. "
            "Hint: build the image where you work, with `marsdask kubernetes image build`.",
            UserWarning,
            stacklevel=3,
        )
