"""What `new_cluster` was asked for, checked before anything is asked of a cluster.

>>> made = Arguments.of(worker_num=2, worker_mem="2g", namespace="flights")
>>> made.policy.memory, made.worker.millicores, made.min_worker_num
(2147483648, 1000, 2)
"""

from __future__ import annotations

import math
import uuid
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marsdask.deploy.kubernetes.config import EmptyDirVolumeConfig, HostPathVolumeConfig, VolumeConfig
from marsdask.deploy.kubernetes.images import default_image
from marsdask.deploy.kubernetes.names import ROLES, own_service
from marsdask.deploy.kubernetes.table import ARGUMENTS
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.sizes import parse_size
from marsdask.spill import MemoryPolicy

_warned: set[str] = set()


@dataclass(frozen=True, kw_only=True)
class Part:
    """What the pods of one role get; cores in thousandths."""

    millicores: int
    env: Mapping[str, str]
    labels: Mapping[str, str]
    modules: tuple[str, ...]
    port: int
    templates: tuple[dict[str, Any], ...]  # for both roles, then for this one


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Everything `new_cluster` was asked for, checked, with the defaults filled in."""

    name: str
    namespace: str
    existing_namespace: bool
    image: str
    image_pull_policy: str | None
    image_pull_secrets: tuple[str, ...]
    supervisor: Part
    worker: Part
    supervisor_mem: int
    supervisor_mem_limit_ratio: float | None
    worker_num: int
    min_worker_num: int
    policy: MemoryPolicy
    spill_volumes: tuple[VolumeConfig, ...]
    timeout: float | None
    service_type: str
    service_name: str | None
    web_port: int
    volumes: tuple[VolumeConfig, ...]
    node_selectors: Mapping[str, str]
    tolerations: tuple[dict[str, Any], ...]
    pre_stop_command: tuple[str, ...]
    log_when_fail: bool
    security: Any  # None: certificates are made; False: none; else a distributed Security
    keep: bool
    show_progress: bool | None

    @property
    def threads(self) -> int:
        """Threads of a worker."""
        return math.ceil(self.worker.millicores / 1000)

    @property
    def encrypted(self) -> bool:
        return self.security is not False

    @property
    def host_paths(self) -> tuple[str, ...]:
        """Directories of the nodes that pods were asked to see."""
        every = (*self.volumes, *self.spill_volumes)
        return tuple(v.host_path for v in every if isinstance(v, HostPathVolumeConfig))

    @classmethod
    def of(cls, **given: Any) -> Arguments:
        """The arguments of a call; raises an error that names the first bad one."""
        _check_names(given)
        placed = _placed(given)
        asked = placed[""]
        if asked["existing_namespace"] and asked["namespace"] is None:
            raise ArgumentError(
                "existing_namespace=True: expected namespace= as well, the one that is there."
            )
        asked["namespace"] = asked["namespace"] or f"mars-ns-{uuid.uuid4().hex}"
        asked["image"] = asked["image"] or default_image()
        asked["min_worker_num"] = asked["min_worker_num"] or asked["worker_num"]
        policy = _policy(placed["policy"], asked["spill_volumes"])
        for note in policy.notes:
            warnings.warn(note, UserWarning, stacklevel=4)
        made = cls(
            name=f"mars-{uuid.uuid4().hex[:8]}" if asked["existing_namespace"] else "mars",
            supervisor=Part(**placed["supervisor"]),
            worker=Part(**placed["worker"]),
            policy=policy,
            **asked,
        )
        made._fit_together()
        return made

    def _fit_together(self) -> None:
        """An error where two arguments contradict each other."""
        if self.min_worker_num > self.worker_num:
            raise ArgumentError(
                f"min_worker_num={self.min_worker_num}: expected at most worker_num, which is {self.worker_num}."
            )
        if self.supervisor.port == self.web_port:
            raise ArgumentError(
                f"web_port={self.web_port}: the scheduler's own port is the same; give another."
            )
        if self.service_name == own_service(self.name):
            raise ArgumentError(
                f"service_name={self.service_name!r}: the operator's own Service has this name."
            )
        names = [v.name for v in (*self.volumes, *self.spill_volumes)]
        for each in names:
            if names.count(each) > 1 or each in ("tmp", "tls"):
                raise ArgumentError(f"extra_volumes: the name {each!r} is taken; give the volume another.")


def _check_names(given: Mapping[str, Any]) -> None:
    """An error for an argument that is not known, and a warning, once, for one that means nothing."""
    for name, value in given.items():
        if name not in ARGUMENTS:
            raise ArgumentTypeError.unknown_keyword("new_cluster", name, ARGUMENTS)
        argument = ARGUMENTS[name]
        if argument.ignored and value != argument.default and name not in _warned:
            _warned.add(name)
            warnings.warn(
                f"new_cluster({name}={value!r}) has no effect: {argument.says}.", UserWarning, stacklevel=5
            )


def _placed(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """All arguments, checked, by group and field; in a place of several a later one comes over an earlier one."""
    placed: dict[str, dict[str, Any]] = {"": {}, "supervisor": {}, "worker": {}, "policy": {}}
    for argument in ARGUMENTS.values():
        value = argument.checked(given.get(argument.name, argument.default))
        for group, field in argument.places:
            before = placed[group].get(field)
            if before is None or value is None:
                placed[group][field] = before if value is None else value
            elif isinstance(value, dict):
                placed[group][field] = before | value
            else:
                placed[group][field] = before + value if isinstance(value, tuple) else value
    for role in ROLES:
        placed[role]["modules"] = tuple(dict.fromkeys(placed[role]["modules"]))
    return placed


def _policy(said: Mapping[str, Any], spill_volumes: tuple[VolumeConfig, ...]) -> MemoryPolicy:
    """What the memory arguments say of a worker, which spills to these volumes."""
    sizes = [v.size_limit for v in spill_volumes if isinstance(v, EmptyDirVolumeConfig)]
    limits = [parse_size(size, "size_limit") for size in sizes if size is not None]
    return MemoryPolicy.of_new_cluster(**said).replace(
        directories=tuple(v.mount_path for v in spill_volumes),
        quota=tuple(limits) if len(limits) == len(spill_volumes) else None,
    )
