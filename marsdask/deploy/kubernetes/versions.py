"""What has to be equal in this process and in the cluster's image."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Mapping
from typing import Any

from marsdask.deploy.kubernetes.images import installed

WATCHED = ("marsdask", "dask", "distributed", "cloudpickle", "msgpack", "numpy", "pandas")
"""Packages whose objects travel between client, scheduler and workers."""


def here() -> dict[str, str | None]:
    """Python's and the watched packages' versions in this process."""
    return {"python": platform.python_version()} | {name: installed(name) for name in WATCHED}


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
            "Hint: build the image where you work, with bin/kube-image-tool.sh.",
            UserWarning,
            stacklevel=4,
        )
