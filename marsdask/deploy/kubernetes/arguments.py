"""The arguments of `new_cluster`, each said once: its signature, its documentation, its checks and what specs use follow.

>>> made = Arguments.of(worker_num=2, worker_mem="2g", namespace="flights")
>>> made.policy.memory, made.worker.millicores, made.min_worker_num
(2147483648, 1000, 2)
"""

from __future__ import annotations

import inspect
import math
import uuid
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from marsdask.checks import choice
from marsdask.deploy.kubernetes import checks, config, credentials
from marsdask.deploy.kubernetes.config import EmptyDirVolumeConfig, HostPathVolumeConfig, VolumeConfig
from marsdask.deploy.kubernetes.images import default_image
from marsdask.deploy.kubernetes.names import ROLES, SERVICE_TYPES, own_service
from marsdask.errors import ArgumentError, ArgumentTypeError
from marsdask.sizes import LEAST_MEMORY, parse_size
from marsdask.spill import MemoryPolicy

Check = Callable[[Any, str], Any]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Argument:
    """One argument: its name, its type as shown, a line that says what it is, and what becomes of a value.

    `check(value, name)` gives the form in which the value is used. Where `default` is None, None is not checked and stands
    for `unsaid`. `goes` is where the value goes: to the field of `Arguments` of the same name unless it says another;
    "worker.env" is one of a `Part` ("both.env" of both), "policy.worker_mem" an argument of the memory policy, "" nowhere.
    """

    name: str
    shown: str
    says: str
    check: Check | None = None
    default: Any = None
    unsaid: Any = None
    goes: str | None = None
    ignored: bool = False  # Mars takes it, and it means nothing on Dask; `says` tells why

    def checked(self, value: Any) -> Any:
        if value is None and self.default is None:
            return self.unsaid
        return value if self.check is None else self.check(value, self.name)

    @property
    def places(self) -> list[tuple[str, str]]:
        """Where the value goes: group and field."""
        group, _, field = (self.name if self.goes is None else self.goes).rpartition(".")
        return [(each, field) for each in (ROLES if group == "both" else (group,))] if field else []

    def documented(self) -> str:
        default = "" if self.default is None else f", default {self.default!r}"
        says = f"No effect: {self.says}" if self.ignored else self.says
        return f"{self.name} : {self.shown}{default}\n    {says}."


def _one(value: Any, name: str) -> int:
    if checks.count(value, name) != 1:
        raise ArgumentError(
            f"{name}={value!r}: expected 1; Dask has one scheduler, and a lost one is started again."
        )
    return 1


def _service_type(value: Any, name: str) -> str:
    return str(choice(value or "NodePort", name, SERVICE_TYPES))


def _template(value: Any, name: str) -> tuple[dict[str, Any]]:
    return (checks.mapping(value, name),)


def _of_pods(name: str, shown: str, says: str, check: Check, unsaid: Any, field: str) -> list[Argument]:
    """An argument for the pods of both roles, and one for each role that comes over it."""
    own = [
        Argument(
            f"{role}_{name}", shown, f"The same for the {role}'s pods only", check, goes=f"{role}.{field}"
        )
        for role in ROLES
    ]
    return [Argument(name, shown, says, check, unsaid=unsaid, goes=f"both.{field}"), *own]


_SIZE = "float | str | None"
_TEXTS = "list[str] | str | None"
_WEB = "the web pages come from the scheduler"

POSITIONAL = (
    Argument(
        "kube_api_client",
        "Any",
        "kubernetes.config.new_client_from_config(); where None, the current context or a pod's account",
        goes="",
    ),
    Argument(
        "image",
        "str | None",
        "Of scheduler and workers, with marsdask in it (marsdask/marsdask:v<version>)",
        checks.text,
    ),
    Argument("supervisor_num", "int", "1: Dask has one scheduler", _one, default=1, goes=""),
    Argument(
        "supervisor_cpu",
        _SIZE,
        "Cores that the scheduler asks for (0.1)",
        checks.cpu,
        unsaid=100,
        goes="supervisor.millicores",
    ),
    Argument(
        "supervisor_mem",
        _SIZE,
        "Memory that the scheduler asks for ('256m')",
        partial(parse_size, least=LEAST_MEMORY),
        unsaid=256 * 2**20,
    ),
    Argument("worker_num", "int", "Number of workers", checks.count, default=1),
    Argument(
        "worker_cpu",
        _SIZE,
        "Cores of each worker, a number or '500m' (1); a thread for each, rounded up",
        checks.cpu,
        unsaid=1000,
        goes="worker.millicores",
    ),
    Argument(
        "worker_mem",
        _SIZE,
        "Memory of each worker, in powers of 1024 as in Mars ('2g')",
        unsaid=2 * 2**30,
        goes="policy.worker_mem",
    ),
    Argument(
        "worker_spill_paths",
        "Any",
        "Directories of the nodes, or volumes (an EmptyDirVolumeConfig that goes with the pod)",
        config.spill_volumes,
        unsaid=(EmptyDirVolumeConfig("scratch", "/scratch"),),
        goes="spill_volumes",
    ),
    Argument(
        "worker_cache_mem",
        _SIZE,
        "How much of its memory a worker keeps data in, '40%' or '4g' (Dask's 60 %)",
        goes="policy.worker_cache_mem",
    ),
    Argument(
        "min_worker_num",
        "int | None",
        "How many workers have to be there before the call returns; all where it is None or 0",
        partial(checks.count, least=0),
    ),
    Argument("web_num", "int", _WEB, default=1, goes="", ignored=True),
    Argument("web_cpu", _SIZE, _WEB, goes="", ignored=True),
    Argument("web_mem", _SIZE, _WEB, goes="", ignored=True),
    Argument(
        "service_type",
        "str | None",
        "How the cluster is reached: 'NodePort', 'ClusterIP' or 'LoadBalancer' ('NodePort')",
        _service_type,
        unsaid="NodePort",
    ),
    Argument(
        "timeout",
        "float | None",
        "Seconds for everything; where None, as long as the cluster can still come up",
        checks.seconds,
    ),
)
"""In Mars's order, by position too. In parentheses is what holds where nobody says."""

NAMED = (
    Argument(
        "namespace",
        "str | None",
        "Made for the cluster, and an error if it is there (mars-ns-<random>)",
        checks.label,
    ),
    Argument(
        "existing_namespace", "bool", "Whether the namespace is there, and stays", checks.flag, default=False
    ),
    Argument(
        "supervisor_mem_limit_ratio",
        "float | None",
        "The scheduler's memory limit, a multiple of supervisor_mem (no limit)",
        checks.ratio,
    ),
    Argument(
        "worker_mem_limit_ratio",
        "float | None",
        "Where the kernel ends a worker, a multiple of worker_mem (1)",
        checks.ratio,
        goes="policy.worker_mem_limit_ratio",
    ),
    Argument(
        "worker_min_cache_mem",
        _SIZE,
        "A worker with less than this to keep data in does not start",
        goes="policy.worker_min_cache_mem",
    ),
    *_of_pods(
        "extra_env", "dict[str, Any] | None", "Environment variables of the pods", checks.env, {}, "env"
    ),
    *_of_pods("extra_labels", "dict[str, str] | None", "Labels of the pods", checks.labels, {}, "labels"),
    *_of_pods("extra_modules", _TEXTS, "Modules to import at the start", checks.texts, (), "modules"),
    *_of_pods(
        "pod_template",
        "dict[str, Any] | None",
        "Laid over the pods last, {'metadata': ..., 'spec': ...}: lists of named things by name, None takes away",
        _template,
        (),
        "templates",
    ),
    Argument(
        "extra_volumes",
        "list[VolumeConfig] | None",
        "HostPathVolumeConfig and EmptyDirVolumeConfig, of all pods",
        config.volumes,
        unsaid=(),
        goes="volumes",
    ),
    Argument(
        "pre_stop_command",
        _TEXTS,
        "Runs before a pod goes; its grace is then 30 s instead of 10",
        checks.command,
        unsaid=(),
    ),
    Argument(
        "log_when_fail",
        "bool",
        "Whether logs of all pods go to Python's if the cluster does not come up",
        checks.flag,
        default=False,
    ),
    Argument(
        "service_name",
        "str | None",
        "Of another Service; the operator's own is then inside of the cluster only",
        checks.label,
    ),
    Argument(
        "service_port",
        "int | None",
        "The scheduler's port (8786)",
        checks.port,
        unsaid=8786,
        goes="supervisor.port",
    ),
    Argument(
        "supervisor_service_port",
        "int | None",
        "The same; it comes over service_port",
        checks.port,
        goes="supervisor.port",
    ),
    Argument(
        "worker_service_port",
        "int | None",
        "The workers' port (8788)",
        checks.port,
        unsaid=8788,
        goes="worker.port",
    ),
    Argument(
        "web_port", "int | None", "The port of the scheduler's web pages (8787)", checks.port, unsaid=8787
    ),
    Argument(
        "node_selectors",
        "dict[str, str] | None",
        "Labels of the nodes that pods go to",
        checks.labels,
        unsaid={},
    ),
    Argument(
        "tolerations",
        "list[dict[str, Any]] | None",
        "Taints of nodes that pods bear, as in Kubernetes",
        checks.dicts,
        unsaid=(),
    ),
    Argument(
        "security",
        "Any",
        "A distributed.Security of your own, False for no encryption (certificates are made)",
        credentials.checked,
    ),
    Argument(
        "image_pull_policy",
        "str | None",
        "'Always', 'IfNotPresent' or 'Never' (Kubernetes' own)",
        partial(choice, allowed=("Always", "IfNotPresent", "Never")),
    ),
    Argument(
        "image_pull_secrets",
        _TEXTS,
        "Secrets of the namespace that open the registry",
        checks.texts,
        unsaid=(),
    ),
    Argument("keep", "bool", "Whether the cluster outlives this process", checks.flag, default=False),
    Argument(
        "show_progress",
        "bool | None",
        "Whether a line tells what is waited for (in terminals and notebooks)",
        checks.flag,
    ),
    Argument("web_mem_limit_ratio", "float | None", _WEB, goes="", ignored=True),
    Argument("web_extra_env", "dict[str, Any] | None", _WEB, goes="", ignored=True),
    Argument("web_extra_labels", "dict[str, str] | None", _WEB, goes="", ignored=True),
    Argument("web_extra_modules", _TEXTS, _WEB, goes="", ignored=True),
    Argument("web_service_port", "int | None", f"{_WEB}; their port is web_port", goes="", ignored=True),
)
"""By name only."""

ARGUMENTS = {each.name: each for each in (*POSITIONAL, *NAMED)}

SIGNATURE = inspect.Signature(
    [
        *(
            inspect.Parameter(
                each.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=each.default,
                annotation=each.shown,
            )
            for each in POSITIONAL
        ),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD, annotation="Any"),
    ],
    return_annotation="KubernetesClusterClient",
)


def declared(function: F) -> F:
    """`new_cluster` with the table's signature, and its arguments in the documentation."""
    told = "\n".join(each.documented() for each in ARGUMENTS.values())
    vars(function)["__signature__"] = SIGNATURE
    function.__doc__ = f"{inspect.getdoc(function) or ''}\n\nParameters\n----------\n{told}\n"
    return function


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
