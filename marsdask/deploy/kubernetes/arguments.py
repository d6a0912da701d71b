"""The arguments of `new_cluster`, checked before anything is asked of a cluster.

>>> made = Arguments.of(worker_num=2, worker_mem="2g", namespace="flights")
>>> made.policy.memory, made.worker.millicores, made.min_worker_num
(2147483648, 1000, 2)
"""

from __future__ import annotations

import math
import uuid
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from marsdask.deploy.kubernetes import checks
from marsdask.deploy.kubernetes.config import EmptyDirVolumeConfig, HostPathVolumeConfig, VolumeConfig
from marsdask.deploy.kubernetes.images import default_image
from marsdask.deploy.kubernetes.names import own_service
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.sizes import LEAST_MEMORY, parse_size
from marsdask.spill import MemoryPolicy

SERVICE_TYPES = ("NodePort", "ClusterIP", "LoadBalancer")
LONGEST_NAME = 53  # the operator adds '-scheduler'

DEFAULTS: dict[str, Any] = {
    "kube_api_client": None,
    "image": None,
    "supervisor_num": 1,
    "supervisor_cpu": None,
    "supervisor_mem": None,
    "worker_num": 1,
    "worker_cpu": None,
    "worker_mem": None,
    "worker_spill_paths": None,
    "worker_cache_mem": None,
    "min_worker_num": None,
    "web_num": 1,
    "web_cpu": None,
    "web_mem": None,
    "service_type": None,
    "timeout": None,
    # Mars's keywords
    "namespace": None,
    "supervisor_mem_limit_ratio": None,
    "worker_mem_limit_ratio": None,
    "worker_min_cache_mem": None,
    "extra_env": None,
    "supervisor_extra_env": None,
    "worker_extra_env": None,
    "extra_labels": None,
    "supervisor_extra_labels": None,
    "worker_extra_labels": None,
    "extra_modules": None,
    "supervisor_extra_modules": None,
    "worker_extra_modules": None,
    "extra_volumes": None,
    "pre_stop_command": None,
    "log_when_fail": False,
    "service_name": None,
    "service_port": None,
    "supervisor_service_port": None,
    "worker_service_port": None,
    "web_port": None,
    "node_selectors": None,
    # ours
    "existing_namespace": False,
    "security": None,
    "tolerations": None,
    "image_pull_policy": None,
    "image_pull_secrets": None,
    "pod_template": None,
    "supervisor_pod_template": None,
    "worker_pod_template": None,
    "keep": False,
    "show_progress": None,
}
"""Every argument and what it is where nobody gives it."""

NO_MEANING = {
    "web_num": "the web pages come from the scheduler",
    "web_cpu": "the web pages come from the scheduler",
    "web_mem": "the web pages come from the scheduler",
    "web_mem_limit_ratio": "the web pages come from the scheduler",
    "web_extra_env": "the web pages come from the scheduler",
    "web_extra_labels": "the web pages come from the scheduler",
    "web_extra_modules": "the web pages come from the scheduler",
    "web_service_port": "the web pages come from the scheduler; their port is web_port",
}
"""Arguments that Mars takes and that mean nothing on Dask."""

_warned: set[str] = set()


@dataclass(frozen=True, kw_only=True)
class Part:
    """What the pods of one role get; cores in thousandths."""

    millicores: int
    env: dict[str, str]
    labels: dict[str, str]
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
    supervisor_memory: tuple[int, int | None]  # bytes: asked for, limit
    worker_num: int
    min_worker_num: int
    policy: MemoryPolicy
    spill_volumes: tuple[VolumeConfig, ...]
    timeout: float | None
    service_type: str
    service_name: str | None
    web_port: int
    volumes: tuple[VolumeConfig, ...]
    node_selectors: dict[str, str]
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
        known = _known(given)
        namespace = known["namespace"]
        existing = checks.flag(known["existing_namespace"], "existing_namespace")
        if namespace is not None:
            checks.label(namespace, "namespace")
        elif existing:
            raise ArgumentError(
                "existing_namespace=True: expected namespace= as well, the one that is there."
            )
        if checks.count(known["supervisor_num"], "supervisor_num") != 1:
            raise ArgumentError(
                f"supervisor_num={known['supervisor_num']!r}: expected 1; Dask has one scheduler, and a lost one is started again."
            )
        worker_num = checks.count(known["worker_num"], "worker_num")
        spill_volumes = _spill(known["worker_spill_paths"])
        service_port = known["service_port"]
        service_type = known["service_type"] or "NodePort"
        made = cls(
            name="mars" if not existing else f"mars-{uuid.uuid4().hex[:8]}",
            namespace=namespace or f"mars-ns-{uuid.uuid4().hex}",
            existing_namespace=existing,
            image=default_image() if known["image"] is None else checks.text(known["image"], "image"),
            image_pull_policy=_unless_none(known, "image_pull_policy", _pull_policy),
            image_pull_secrets=checks.texts(known["image_pull_secrets"], "image_pull_secrets"),
            supervisor=_part(
                known, "supervisor", _port(known, "supervisor_service_port", service_port, 8786)
            ),
            worker=_part(known, "worker", _port(known, "worker_service_port", None, 8788)),
            supervisor_memory=_supervisor_memory(known),
            worker_num=worker_num,
            min_worker_num=_least_workers(known["min_worker_num"], worker_num),
            policy=_policy(known, spill_volumes),
            spill_volumes=spill_volumes,
            timeout=_unless_none(known, "timeout", checks.seconds),
            service_type=checks.choice(service_type, "service_type", SERVICE_TYPES),
            service_name=_unless_none(known, "service_name", checks.label),
            web_port=_port(known, "web_port", None, 8787),
            volumes=_volumes(known["extra_volumes"], "extra_volumes"),
            node_selectors=checks.labels(known["node_selectors"], "node_selectors"),
            tolerations=checks.dicts(known["tolerations"], "tolerations"),
            pre_stop_command=checks.command(known["pre_stop_command"], "pre_stop_command"),
            log_when_fail=checks.flag(known["log_when_fail"], "log_when_fail"),
            security=_security(known["security"]),
            keep=checks.flag(known["keep"], "keep"),
            show_progress=_unless_none(known, "show_progress", checks.flag),
        )
        made._fit_together()
        return made

    def _fit_together(self) -> None:
        """An error where two arguments contradict each other."""
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


def _known(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their defaults; those without a meaning are warned about, those not known raise."""
    for name, value in given.items():
        if name not in DEFAULTS and name not in NO_MEANING:
            raise ArgumentTypeError.unknown_keyword("new_cluster", name, (*DEFAULTS, *NO_MEANING))
        if name in NO_MEANING and value != DEFAULTS.get(name) and name not in _warned:
            _warned.add(name)
            warnings.warn(
                f"new_cluster({name}={value!r}) has no effect: {NO_MEANING[name]}.", UserWarning, stacklevel=5
            )
    return {**DEFAULTS, **given}


def _unless_none(known: Mapping[str, Any], name: str, check: Callable[..., Any]) -> Any:
    return None if known[name] is None else check(known[name], name)


def _pull_policy(value: Any, name: str) -> str:
    return checks.choice(value, name, ("Always", "IfNotPresent", "Never"))


def _port(known: Mapping[str, Any], name: str, common: Any, default: int) -> int:
    if known[name] is not None:
        return checks.port(known[name], name)
    return checks.port(common, "service_port") if common is not None else default


def _least_workers(value: Any, worker_num: int) -> int:
    """How many workers have to be there before the call returns: all of them where nobody says, or says 0."""
    if value is None:
        return worker_num
    least = checks.count(value, "min_worker_num", least=0) or worker_num
    if least > worker_num:
        raise ArgumentError(f"min_worker_num={value!r}: expected at most worker_num, which is {worker_num}.")
    return least


def _part(known: Mapping[str, Any], role: str, port: int) -> Part:
    cpu, default_cpu = known[f"{role}_cpu"], DEFAULT_RESOURCES[role][0]
    modules = (
        *checks.texts(known["extra_modules"], "extra_modules"),
        *checks.texts(known[f"{role}_extra_modules"], f"{role}_extra_modules"),
    )
    return Part(
        millicores=default_cpu if cpu is None else checks.cpu(cpu, f"{role}_cpu"),
        env=checks.env(known["extra_env"], "extra_env")
        | checks.env(known[f"{role}_extra_env"], f"{role}_extra_env"),
        labels=checks.labels(known["extra_labels"], "extra_labels")
        | checks.labels(known[f"{role}_extra_labels"], f"{role}_extra_labels"),
        modules=tuple(dict.fromkeys(modules)),
        port=port,
        templates=(
            checks.mapping(known["pod_template"], "pod_template"),
            checks.mapping(known[f"{role}_pod_template"], f"{role}_pod_template"),
        ),
    )


def _supervisor_memory(known: Mapping[str, Any]) -> tuple[int, int | None]:
    """Bytes that the scheduler asks for, and where it ends; no limit unless a ratio was given."""
    given, factor = known["supervisor_mem"], known["supervisor_mem_limit_ratio"]
    size = DEFAULT_RESOURCES["supervisor"][1]
    if given is not None:
        size = parse_size(given, "supervisor_mem", least=LEAST_MEMORY)
    if factor is None:
        return size, None
    return size, int(size * checks.ratio(factor, "supervisor_mem_limit_ratio"))


DEFAULT_RESOURCES = {"supervisor": (100, 256 * 2**20), "worker": (1000, 2 * 2**30)}
"""Thousandths of a core and bytes where nobody says; the scheduler's are requests only."""


def _volumes(value: Any, name: str) -> tuple[VolumeConfig, ...]:
    if value is None:
        return ()
    found = (value,) if isinstance(value, VolumeConfig) else value
    if not isinstance(found, (list, tuple)) or not all(isinstance(v, VolumeConfig) for v in found):
        raise ArgumentTypeError(
            f"{name}={value!r}: expected a list of HostPathVolumeConfig or EmptyDirVolumeConfig; "
            "for other kinds of volumes use pod_template=."
        )
    return tuple(found)


def _policy(known: Mapping[str, Any], spill_volumes: tuple[VolumeConfig, ...]) -> MemoryPolicy:
    """What the memory arguments say of a worker; its remarks are the user's to read."""
    if (factor := known["worker_mem_limit_ratio"]) is not None:
        checks.ratio(factor, "worker_mem_limit_ratio")
    memory = known["worker_mem"]
    policy = MemoryPolicy.of_new_cluster(
        worker_mem=DEFAULT_RESOURCES["worker"][1] if memory is None else memory,
        worker_cache_mem=known["worker_cache_mem"],
        worker_min_cache_mem=known["worker_min_cache_mem"],
        worker_mem_limit_ratio=factor,
    )
    for note in policy.notes:
        warnings.warn(note, UserWarning, stacklevel=5)
    sizes = [v.size_limit for v in spill_volumes if isinstance(v, EmptyDirVolumeConfig)]
    limits = [parse_size(size, "size_limit") for size in sizes if size is not None]
    return policy.replace(
        directories=tuple(v.mount_path for v in spill_volumes),
        quota=tuple(limits) if len(limits) == len(spill_volumes) else None,
    )


def _spill(value: Any) -> tuple[VolumeConfig, ...]:
    """The volumes to spill to. A path is a directory of the node, as in Mars; nothing is one that goes with the pod."""
    if value is None:
        return (SCRATCH,)
    if isinstance(value, str):
        value = checks.texts(value, "worker_spill_paths", separators=",:")
    elif isinstance(value, VolumeConfig):
        value = [value]
    if not isinstance(value, (list, tuple)) or not value:
        raise ArgumentTypeError(
            f"worker_spill_paths={value!r}: expected paths such as ['/mnt/disk1'], or volumes such as "
            "[EmptyDirVolumeConfig('spill', '/spill', size_limit='50g')]."
        )
    return tuple(
        each if isinstance(each, VolumeConfig) else _host_path(i, checks.text(each, "worker_spill_paths"))
        for i, each in enumerate(value)
    )


SCRATCH = EmptyDirVolumeConfig("scratch", "/scratch")
"""Where workers spill if nobody says."""


def _host_path(i: int, path: str) -> HostPathVolumeConfig:
    try:
        return HostPathVolumeConfig(f"host-path-vol-{i}", f"/mnt/hostpath{i}", path)
    except ArgumentError as error:
        raise ArgumentError(f"worker_spill_paths: {error}") from None


def _security(value: Any) -> Any:
    """None, False or a Security of distributed with what scheduler, workers and clients need."""
    from distributed.security import Security

    if value is None or value is False:
        return value
    if not isinstance(value, Security):
        raise ArgumentTypeError(
            f"security={value!r}: expected None (certificates are made), False (no encryption) or a "
            f"distributed Security, got {type(value).__name__}."
        )
    needed = (
        "tls_ca_file",
        "tls_scheduler_cert",
        "tls_scheduler_key",
        "tls_worker_cert",
        "tls_worker_key",
        "tls_client_cert",
        "tls_client_key",
    )
    missing = [n for n in needed if getattr(value, n) is None]
    if missing:
        raise ArgumentError(f"security: a Security with {', '.join(missing)} as well was expected.")
    return value
