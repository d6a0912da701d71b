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
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

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


class Kind(NamedTuple):
    """What values an argument takes: their type as shown, the check of one, and what it is where nobody says."""

    shown: str
    check: Check | None = None
    default: Any = None


@dataclass(frozen=True)
class Argument:
    """One argument: its name, what values it takes, a line that says what it is, and what becomes of a value.

    `kind.check(value, name)` gives the form in which the value is used. Where the default is None, None is not checked and
    stands for `unsaid`. `goes` is where the value goes: to the field of `Arguments` of the same name unless it says another;
    "worker.env" is one of a `Part` ("both.env" of both), "policy.worker_mem" an argument of the memory policy, "" nowhere.
    """

    name: str
    kind: Kind
    says: str
    unsaid: Any = None
    goes: str | None = None
    ignored: bool = False  # Mars takes it, and it means nothing on Dask; `says` tells why

    def checked(self, value: Any) -> Any:
        _, check, default = self.kind
        if value is None and default is None:
            return self.unsaid
        return value if check is None or self.ignored else check(value, self.name)

    @property
    def places(self) -> list[tuple[str, str]]:
        """Where the value goes: group and field."""
        if self.goes == "" or self.ignored:
            return []
        group, _, field = (self.goes or self.name).rpartition(".")
        return [(each, field) for each in (ROLES if group == "both" else (group,))]

    def parameter(self, kind: Any) -> inspect.Parameter:
        """The same of a signature; `kind` says whether it can be given by position."""
        return inspect.Parameter(self.name, kind, default=self.kind.default, annotation=self.kind.shown)

    def documented(self) -> str:
        default = "" if self.kind.default is None else f", default {self.kind.default!r}"
        says = f"No effect: {self.says}" if self.ignored else self.says
        return f"{self.name} : {self.kind.shown}{default}\n    {says}."


def _one(value: Any, name: str) -> int:
    expected = "1; Dask has one scheduler, and a lost one is started again"
    return int(checks.expect(checks.count(value, name) == 1, name, value, expected))


def _of_pods(name: str, field: str, kind: Kind, says: str, unsaid: Any) -> list[Argument]:
    """An argument for the pods of both roles, and one for each role that comes over it."""
    return [
        Argument(name, kind, says, unsaid, f"both.{field}"),
        *(
            Argument(f"{role}_{name}", kind, f"The same for the {role}'s pods only", goes=f"{role}.{field}")
            for role in ROLES
        ),
    ]


ANY = Kind("Any")
COUNT = Kind("int", checks.count, 1)
CORES = Kind("float | str | None", checks.cpu)
SIZE = Kind("float | str | None")
RATIO = Kind("float | None", checks.ratio)
PORT = Kind("int | None", checks.port)
FLAG = Kind("bool", checks.flag, default=False)
TEXT = Kind("str | None", checks.text)
TEXTS = Kind("list[str] | str | None", checks.texts)
LABEL = Kind("str | None", checks.label)
LABELS = Kind("dict[str, str] | None", checks.labels)
ENV = Kind("dict[str, Any] | None", checks.env)
_WEB = "the web pages come from the scheduler"

POSITIONAL = (
    Argument(
        "kube_api_client",
        ANY,
        "kubernetes.config.new_client_from_config(); where None, the current context or a pod's account",
        goes="",
    ),
    Argument("image", TEXT, "Of scheduler and workers, with marsdask in it (marsdask/marsdask:v<version>)"),
    Argument("supervisor_num", Kind("int", _one, 1), "1: Dask has one scheduler", goes=""),
    Argument(
        "supervisor_cpu", CORES, "Cores that the scheduler asks for (0.1)", 100, "supervisor.millicores"
    ),
    Argument(
        "supervisor_mem",
        SIZE._replace(check=partial(parse_size, least=LEAST_MEMORY)),
        "Memory that the scheduler asks for ('256m')",
        256 * 2**20,
    ),
    Argument("worker_num", COUNT, "Number of workers"),
    Argument(
        "worker_cpu",
        CORES,
        "Cores of each worker, a number or '500m' (1); a thread for each, rounded up",
        1000,
        "worker.millicores",
    ),
    Argument(
        "worker_mem",
        SIZE,
        "Memory of each worker, in powers of 1024 as in Mars ('2g')",
        2 * 2**30,
        "policy.worker_mem",
    ),
    Argument(
        "worker_spill_paths",
        Kind("Any", config.spill_volumes),
        "Directories of the nodes, or volumes (an EmptyDirVolumeConfig that goes with the pod)",
        (EmptyDirVolumeConfig("scratch", "/scratch"),),
        "spill_volumes",
    ),
    Argument(
        "worker_cache_mem",
        SIZE,
        "How much of its memory a worker keeps data in, '40%' or '4g' (Dask's 60 %)",
        goes="policy.worker_cache_mem",
    ),
    Argument(
        "min_worker_num",
        Kind("int | None", partial(checks.count, least=0)),
        "How many workers have to be there before the call returns; all where it is None or 0",
    ),
    Argument("web_num", Kind("int", default=1), _WEB, ignored=True),
    Argument("web_cpu", SIZE, _WEB, ignored=True),
    Argument("web_mem", SIZE, _WEB, ignored=True),
    Argument(
        "service_type",
        Kind("str | None", lambda value, name: choice(value or "NodePort", name, SERVICE_TYPES)),
        "How the cluster is reached: 'NodePort', 'ClusterIP' or 'LoadBalancer' ('NodePort')",
        "NodePort",
    ),
    Argument(
        "timeout",
        Kind("float | None", checks.seconds),
        "Seconds for everything; where None, as long as the cluster can still come up",
    ),
)
"""In Mars's order, by position too. In parentheses is what holds where nobody says."""

NAMED = (
    Argument("namespace", LABEL, "Made for the cluster, and an error if it is there (mars-ns-<random>)"),
    Argument("existing_namespace", FLAG, "Whether the namespace is there, and stays"),
    Argument(
        "supervisor_mem_limit_ratio",
        RATIO,
        "The scheduler's memory limit, a multiple of supervisor_mem (no limit)",
    ),
    Argument(
        "worker_mem_limit_ratio",
        RATIO,
        "Where the kernel ends a worker, a multiple of worker_mem (1)",
        goes="policy.worker_mem_limit_ratio",
    ),
    Argument(
        "worker_min_cache_mem",
        SIZE,
        "A worker with less than this to keep data in does not start",
        goes="policy.worker_min_cache_mem",
    ),
    *_of_pods("extra_env", "env", ENV, "Environment variables of the pods", {}),
    *_of_pods("extra_labels", "labels", LABELS, "Labels of the pods", {}),
    *_of_pods("extra_modules", "modules", TEXTS, "Modules to import at the start", ()),
    *_of_pods(
        "pod_template",
        "templates",
        Kind("dict[str, Any] | None", lambda value, name: (checks.mapping(value, name),)),
        "Laid over the pods last, {'metadata': ..., 'spec': ...}: lists of named things by name, None takes away",
        (),
    ),
    Argument(
        "extra_volumes",
        Kind("list[VolumeConfig] | None", config.volumes),
        "HostPathVolumeConfig and EmptyDirVolumeConfig, of all pods",
        (),
        "volumes",
    ),
    Argument(
        "pre_stop_command",
        TEXTS._replace(check=checks.command),
        "Runs before a pod goes; its grace is then 30 s instead of 10",
        (),
    ),
    Argument(
        "log_when_fail", FLAG, "Whether logs of all pods go to Python's if the cluster does not come up"
    ),
    Argument(
        "service_name", LABEL, "Of another Service; the operator's own is then inside of the cluster only"
    ),
    Argument("service_port", PORT, "The scheduler's port (8786)", 8786, "supervisor.port"),
    Argument("supervisor_service_port", PORT, "The same; it comes over service_port", goes="supervisor.port"),
    Argument("worker_service_port", PORT, "The workers' port (8788)", 8788, "worker.port"),
    Argument("web_port", PORT, "The port of the scheduler's web pages (8787)", 8787),
    Argument("node_selectors", LABELS, "Labels of the nodes that pods go to", {}),
    Argument(
        "tolerations",
        Kind("list[dict[str, Any]] | None", checks.dicts),
        "Taints of nodes that pods bear, as in Kubernetes",
        (),
    ),
    Argument(
        "security",
        Kind("Any", credentials.checked),
        "A distributed.Security of your own, False for no encryption (certificates are made)",
    ),
    Argument(
        "image_pull_policy",
        Kind("str | None", partial(choice, allowed=("Always", "IfNotPresent", "Never"))),
        "'Always', 'IfNotPresent' or 'Never' (Kubernetes' own)",
    ),
    Argument("image_pull_secrets", TEXTS, "Secrets of the namespace that open the registry", ()),
    Argument("keep", FLAG, "Whether the cluster outlives this process"),
    Argument(
        "show_progress",
        Kind("bool | None", checks.flag),
        "Whether a line tells what is waited for (in terminals and notebooks)",
    ),
    Argument("web_mem_limit_ratio", RATIO, _WEB, ignored=True),
    Argument("web_extra_env", ENV, _WEB, ignored=True),
    Argument("web_extra_labels", LABELS, _WEB, ignored=True),
    Argument("web_extra_modules", TEXTS, _WEB, ignored=True),
    Argument("web_service_port", PORT, f"{_WEB}; their port is web_port", ignored=True),
)
"""By name only."""

ARGUMENTS = {each.name: each for each in (*POSITIONAL, *NAMED)}

SIGNATURE = inspect.Signature(
    [
        *(each.parameter(inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in POSITIONAL),
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
        named = not asked["existing_namespace"] or asked["namespace"]
        checks.expect(named, "existing_namespace", True, "namespace= as well, the one that is there")
        asked["namespace"] = asked["namespace"] or f"mars-ns-{uuid.uuid4().hex}"
        asked["image"] = asked["image"] or default_image()
        asked["min_worker_num"] = asked["min_worker_num"] or asked["worker_num"]
        sizes = [getattr(v, "size_limit", None) for v in asked["spill_volumes"]]
        policy = replace(
            MemoryPolicy.of_new_cluster(**placed["policy"]),
            directories=tuple(v.mount_path for v in asked["spill_volumes"]),
            quota=None if None in sizes else tuple(parse_size(size, "size_limit") for size in sizes),
        )
        for note in policy.notes:
            warnings.warn(note, UserWarning, stacklevel=4)
        return cls(
            name=f"mars-{uuid.uuid4().hex[:8]}" if asked["existing_namespace"] else "mars",
            supervisor=Part(**placed["supervisor"]),
            worker=Part(**placed["worker"]),
            policy=policy,
            **asked,
        )

    def __post_init__(self) -> None:
        """An error where two arguments contradict each other."""
        least, most = self.min_worker_num, self.worker_num
        checks.expect(least <= most, "min_worker_num", least, f"at most worker_num, which is {most}")
        free = self.web_port != self.supervisor.port
        checks.expect(free, "web_port", self.web_port, "another port than the scheduler's own")
        free = self.service_name != own_service(self.name)
        expected = "another name than that of the operator's own Service"
        checks.expect(free, "service_name", self.service_name, expected)
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
        if argument.ignored and value != argument.kind.default and name not in _warned:
            _warned.add(name)
            warnings.warn(
                f"new_cluster({name}={value!r}) has no effect: {argument.says}.", UserWarning, stacklevel=5
            )


def _placed(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """All arguments, checked, by group and field; in a place of several a later one comes over an earlier one."""
    placed: dict[str, dict[str, Any]] = {"": {}, "supervisor": {}, "worker": {}, "policy": {}}
    for argument in ARGUMENTS.values():
        value = argument.checked(given.get(argument.name, argument.kind.default))
        for group, field in argument.places:
            before = placed[group].setdefault(field, None)
            if before is not None and isinstance(value, (dict, tuple)):
                value = before | value if isinstance(value, dict) else before + value
            if value is not None:
                placed[group][field] = value
    for role in ROLES:
        placed[role]["modules"] = tuple(dict.fromkeys(placed[role]["modules"]))
    return placed
