"""Volumes of pods, by the names that Mars gives them.

>>> EmptyDirVolumeConfig("scratch", "/scratch", size_limit="2g").volume()
{'name': 'scratch', 'emptyDir': {'sizeLimit': '2147483648'}}
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from marsdask.checks import choice
from marsdask.deploy.kubernetes import checks
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.sizes import parse_size

HOST_PATH_TYPES = (
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
)


@dataclass(frozen=True)
class VolumeConfig(ABC):
    """A volume and where containers see it."""

    name: str
    mount_path: str

    def __post_init__(self) -> None:
        checks.label(self.name, "name")
        check_path(self.mount_path, "mount_path")

    @abstractmethod
    def volume(self) -> dict[str, Any]:
        """The entry of the pod's `volumes`."""

    def mount(self) -> dict[str, Any]:
        """The entry of the container's `volumeMounts`."""
        return {"name": self.name, "mountPath": self.mount_path}


@dataclass(frozen=True)
class HostPathVolumeConfig(VolumeConfig):
    """A directory of the node. Pod Security below `privileged` forbids it."""

    host_path: str
    volume_type: str = "DirectoryOrCreate"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_path(self.host_path, "host_path")
        choice(self.volume_type, "volume_type", HOST_PATH_TYPES)

    def volume(self) -> dict[str, Any]:
        return {"name": self.name, "hostPath": {"path": self.host_path, "type": self.volume_type}}


@dataclass(frozen=True)
class EmptyDirVolumeConfig(VolumeConfig):
    """An empty directory that goes with its pod: on the node's disk, or in memory. `size_limit` as '2g'."""

    use_memory: bool = False
    size_limit: str | int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size_limit is not None:
            parse_size(self.size_limit, "size_limit")

    def volume(self) -> dict[str, Any]:
        made: dict[str, Any] = {"medium": "Memory"} if self.use_memory else {}
        if self.size_limit is not None:
            made["sizeLimit"] = str(parse_size(self.size_limit, "size_limit"))
        return {"name": self.name, "emptyDir": made}


def check_path(path: Any, name: str) -> None:
    """An error that names the argument where `path` is not absolute."""
    good = (
        isinstance(path, str) and path.startswith("/") and path.isprintable() and ".." not in path.split("/")
    )
    checks.expect(good, name, path, "an absolute path without '..', such as '/mnt/disk1'")


def volumes(value: Any, name: str) -> tuple[VolumeConfig, ...]:
    """One volume or several."""
    found = (value,) if isinstance(value, VolumeConfig) else value
    if not isinstance(found, (list, tuple)) or not all(isinstance(v, VolumeConfig) for v in found):
        raise ArgumentTypeError(
            f"{name}={value!r}: expected a list of HostPathVolumeConfig or EmptyDirVolumeConfig; "
            "for other kinds of volumes use pod_template=."
        )
    return tuple(found)


def spill_volumes(value: Any, name: str) -> tuple[VolumeConfig, ...]:
    """The volumes to spill to. A path is a directory of the node, as in Mars."""
    if isinstance(value, str):
        value = checks.texts(value, name, separators=",:")
    value = [value] if isinstance(value, VolumeConfig) else value
    if not isinstance(value, (list, tuple)) or not value:
        raise ArgumentTypeError(
            f"{name}={value!r}: expected paths such as ['/mnt/disk1'], or volumes such as "
            "[EmptyDirVolumeConfig('spill', '/spill', size_limit='50g')]."
        )
    return tuple(
        each if isinstance(each, VolumeConfig) else _of_node(i, checks.text(each, name), name)
        for i, each in enumerate(value)
    )


def _of_node(i: int, path: str, name: str) -> HostPathVolumeConfig:
    try:
        return HostPathVolumeConfig(f"host-path-vol-{i}", f"/mnt/hostpath{i}", path)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None
