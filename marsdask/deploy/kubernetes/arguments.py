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
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import partial
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from marsdask.checks import choice
from marsdask.deploy.kubernetes import checks, config, credentials, names
from marsdask.deploy.kubernetes.config import EmptyDirVolumeConfig, HostPathVolumeConfig, VolumeConfig
from marsdask.deploy.kubernetes.images import default_image
from marsdask.deploy.kubernetes.names import SERVICE_TYPES, own_service
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


IGNORED = object()


@dataclass(frozen=True)
class Argument:
    """One argument: its name, what values it takes, and a line that says what it is.

    `kind.check(value, name)` gives the form in which the value is used. Where the default is None, None is not checked and
    stands for `unsaid`.
    """

    name: str
    by_name: bool  # and not by position
    kind: Kind
    says: str
    unsaid: Any = None

    @property
    def ignored(self) -> bool:
        """Whether Mars takes it, and it means nothing on Dask; `says` tells why."""
        return self.unsaid is IGNORED

    def checked(self, value: Any) -> Any:
        _, check, default = self.kind
        if value is None and default is None:
            return self.unsaid
        return value if check is None or self.ignored else check(value, self.name)

    @property
    def parameter(self) -> inspect.Parameter:
        """The same of a signature."""
        kind = inspect.Parameter.KEYWORD_ONLY if self.by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Parameter(self.name, kind, default=self.kind.default, annotation=self.kind.shown)

    def documented(self) -> str:
        default = "" if self.kind.default is None else f", default {self.kind.default!r}"
        says = f"No effect: {self.says}" if self.ignored else self.says
        return f"{self.name} : {self.kind.shown}{default}\n    {says}."


def _one(value: Any, name: str) -> int:
    expected = "1; Dask has one scheduler, and a lost one is started again"
    return int(checks.expect(checks.count(value, name) == 1, name, value, expected))


ANY = Kind("Any")
COUNT = Kind("int", checks.count, 1)
CORES = Kind("float | str | None", checks.cpu)
SIZE = Kind("float | str | None")
RATIO = Kind("float | None", checks.ratio)
PORT = Kind("int | None", checks.port)
FLAG = Kind("bool", checks.flag, default=False)
TEXT = Kind("str | None", checks.text)
IMAGE = Kind("str | None", checks.image)
TEXTS = Kind("list[str] | str | None", checks.texts)
LABEL = Kind("str | None", checks.label)
LABELS = Kind("dict[str, str] | None", checks.labels)
ENV = Kind("dict[str, Any] | None", checks.env)
RESOURCES = Kind("dict[str, float] | None", checks.resources)
TEMPLATE = Kind("dict[str, Any] | None", lambda value, name: (checks.mapping(value, name),))
ONE = Kind("int", _one, 1)
SPILL = Kind("Any", config.spill_volumes)
NEEDED = Kind("int | None", partial(checks.count, least=0))
SECONDS = Kind("float | None", checks.seconds)
VOLUMES = Kind("list[VolumeConfig] | None", config.volumes)
COMMAND = TEXTS._replace(check=checks.command)
DICTS = Kind("list[dict[str, Any]] | None", checks.dicts)
LONGEST_GROUP = 30
"""Characters of its name: workers' names, which are labels, begin with those of the cluster and its group."""


def _groups(value: Any, name: str) -> Dicts:
    """What was said of each worker group, not checked yet but for its name and what it may say."""
    found = checks.dicts(value, name)
    for i, each in enumerate(found):
        group, where = each.get("name"), f"{name}[{i}]['name']"
        checks.label(group, where)
        expected = f"at most {LONGEST_GROUP} characters"
        checks.expect(len(str(group)) <= LONGEST_GROUP, where, group, expected)
        taken = [names.DEFAULT_GROUP, *(str(other["name"]) for other in found[:i])]
        checks.expect(group not in taken, where, group, f"another name than {', '.join(taken)}")
        for key in each.keys() - {"name"}:
            if not of_group(key):
                known = [*filter(of_group, ARGUMENTS)]
                raise ArgumentTypeError.unknown_keyword(f"{name}[{i}]: dict", key, known)
    return found


def of_group(name: str) -> bool:
    """Whether an argument is one that a worker group may have of its own."""
    own = "image", "node_selectors", "tolerations", "extra_volumes"
    worker = name.startswith("worker_") and name != "worker_groups"
    return name in ARGUMENTS and (worker or name in own)


GROUPS = DICTS._replace(check=_groups)
SECURITY = Kind("Any", credentials.checked)
SERVICE = Kind(
    "str | None", lambda value, name: choice("NodePort" if value is None else value, name, SERVICE_TYPES)
)
PULLING = Kind("str | None", partial(choice, allowed=("Always", "IfNotPresent", "Never")))
SHOWN = Kind("bool | None", checks.flag)
MEMORY = SIZE._replace(check=partial(parse_size, least=LEAST_MEMORY))
Texts = tuple[str, ...]
Pairs = Mapping[str, str]
Dicts = tuple[dict[str, Any], ...]
Volumes = tuple[VolumeConfig, ...]
_WEB = "the web pages come from the scheduler"
_SUPERVISOR = "The same for the supervisor's pods only"
_WORKER = "The same for the worker's pods only"


@dataclass(frozen=True, kw_only=True)
class Part:
    """What the pods of one role get; cores in thousandths."""

    millicores: int
    env: Pairs
    labels: Pairs
    modules: Texts
    port: int
    templates: Dicts  # for both roles, then for this one

    @classmethod
    def of(cls, role: str, said: Mapping[str, Any], port: int) -> Part:
        """What was said for the pods of both roles, and over it what was said for those of this one."""
        modules = said["extra_modules"] + said[f"{role}_extra_modules"]
        return cls(
            millicores=said[f"{role}_cpu"],
            env=said["extra_env"] | said[f"{role}_extra_env"],
            labels=said["extra_labels"] | said[f"{role}_extra_labels"],
            modules=tuple(dict.fromkeys(modules)),
            port=port,
            templates=said["pod_template"] + said[f"{role}_pod_template"],
        )


@dataclass(frozen=True)
class Arguments:
    """Everything `new_cluster` was asked for, checked, with the defaults filled in.

    An annotation has the type of what was checked, and the rest of an `Argument`. In Mars's order, by position too as
    far as `timeout`. In parentheses is what holds where nobody says.
    """

    kube_api_client: Annotated[
        Any,
        ANY,
        "kubernetes.config.new_client_from_config(); where None, the current context or a pod's account",
    ]
    image: Annotated[
        str, IMAGE, "Of scheduler and workers, with marsdask in it (marsdask/marsdask:v<version>)"
    ]
    supervisor_num: Annotated[int, ONE, "1: Dask has one scheduler"]
    supervisor_cpu: Annotated[int, CORES, "Cores that the scheduler asks for (0.1)", 100]
    supervisor_mem: Annotated[int, MEMORY, "Memory that the scheduler asks for ('256m')", 256 * 2**20]
    worker_num: Annotated[int, COUNT, "Number of workers"]
    worker_cpu: Annotated[
        int, CORES, "Cores of each worker, a number or '500m' (1); a thread for each, rounded up", 1000
    ]
    worker_mem: Annotated[Any, SIZE, "Memory of each worker, in powers of 1024 as in Mars ('2g')", 2 * 2**30]
    worker_spill_paths: Annotated[
        Volumes,
        SPILL,
        "Directories of the nodes, or volumes (an EmptyDirVolumeConfig that goes with the pod)",
        (EmptyDirVolumeConfig("scratch", "/scratch"),),
    ]
    worker_cache_mem: Annotated[
        Any, SIZE, "How much of its memory a worker keeps data in, '40%' or '4g' (Dask's 60 %)"
    ]
    min_worker_num: Annotated[
        int, NEEDED, "How many workers have to be there before the call returns; all where it is None or 0"
    ]
    web_num: Annotated[Any, Kind("int", default=1), _WEB, IGNORED]
    web_cpu: Annotated[Any, SIZE, _WEB, IGNORED]
    web_mem: Annotated[Any, SIZE, _WEB, IGNORED]
    service_type: Annotated[
        str,
        SERVICE,
        "How the cluster is reached: 'NodePort', 'ClusterIP' or 'LoadBalancer' ('NodePort', or the API if that is silent)",
        "NodePort",
    ]
    timeout: Annotated[
        float | None, SECONDS, "Seconds for everything; where None, as long as the cluster can still come up"
    ]
    _: KW_ONLY
    namespace: Annotated[str, LABEL, "Made for the cluster, and an error if it is there (mars-ns-<random>)"]
    existing_namespace: Annotated[bool, FLAG, "Whether the namespace is there, and stays"]
    supervisor_mem_limit_ratio: Annotated[
        float | None, RATIO, "The scheduler's memory limit, a multiple of supervisor_mem (no limit)"
    ]
    worker_mem_limit_ratio: Annotated[
        float | None, RATIO, "Where the kernel ends a worker, a multiple of worker_mem (1)"
    ]
    worker_min_cache_mem: Annotated[Any, SIZE, "A worker with less than this to keep data in does not start"]
    extra_env: Annotated[Pairs, ENV, "Environment variables of the pods", {}]
    supervisor_extra_env: Annotated[Pairs, ENV, _SUPERVISOR, {}]
    worker_extra_env: Annotated[Pairs, ENV, _WORKER, {}]
    extra_labels: Annotated[Pairs, LABELS, "Labels of the pods", {}]
    supervisor_extra_labels: Annotated[Pairs, LABELS, _SUPERVISOR, {}]
    worker_extra_labels: Annotated[Pairs, LABELS, _WORKER, {}]
    extra_modules: Annotated[Texts, TEXTS, "Modules to import at the start", ()]
    supervisor_extra_modules: Annotated[Texts, TEXTS, _SUPERVISOR, ()]
    worker_extra_modules: Annotated[Texts, TEXTS, _WORKER, ()]
    worker_resources: Annotated[
        Mapping[str, float],
        RESOURCES,
        "What each worker has for tasks of `dask.annotate(resources=...)`; with a domain, as 'nvidia.com/gpu', the container gets it",
        {},
    ]
    worker_groups: Annotated[
        tuple[Arguments, ...],
        GROUPS,
        "More workers, of other kinds: for each a dict with a 'name' and what is other than for the first ones: worker_num (1), any "
        "worker_ argument, image, node_selectors, tolerations, extra_volumes",
        (),
    ]
    pod_template: Annotated[
        Dicts,
        TEMPLATE,
        "Laid over the pods last, {'metadata': ..., 'spec': ...}: lists of named things by name, None takes away",
        (),
    ]
    supervisor_pod_template: Annotated[Dicts, TEMPLATE, _SUPERVISOR, ()]
    worker_pod_template: Annotated[Dicts, TEMPLATE, _WORKER, ()]
    extra_volumes: Annotated[
        Volumes, VOLUMES, "HostPathVolumeConfig and EmptyDirVolumeConfig, of all pods", ()
    ]
    pre_stop_command: Annotated[
        Texts, COMMAND, "Runs before a pod goes; its grace is then 30 s instead of 10", ()
    ]
    log_when_fail: Annotated[
        bool, FLAG, "Whether logs of all pods go to Python's if the cluster does not come up"
    ]
    service_name: Annotated[
        str | None, LABEL, "Of another Service; the operator's own is then inside of the cluster only"
    ]
    service_port: Annotated[int, PORT, "The scheduler's port (8786)", 8786]
    supervisor_service_port: Annotated[int | None, PORT, "The same; it comes over service_port"]
    worker_service_port: Annotated[int, PORT, "The workers' port (8788)", 8788]
    web_port: Annotated[int, PORT, "The port of the scheduler's web pages (8787)", 8787]
    node_selectors: Annotated[Pairs, LABELS, "Labels of the nodes that pods go to", {}]
    tolerations: Annotated[Dicts, DICTS, "Taints of nodes that pods bear, as in Kubernetes", ()]
    security: Annotated[
        Any, SECURITY, "A distributed.Security of your own, False for no encryption (certificates are made)"
    ]
    image_pull_policy: Annotated[str | None, PULLING, "'Always', 'IfNotPresent' or 'Never' (Kubernetes' own)"]
    image_pull_secrets: Annotated[Texts, TEXTS, "Secrets of the namespace that open the registry", ()]
    keep: Annotated[bool, FLAG, "Whether the cluster outlives this process"]
    idle_timeout: Annotated[
        float | None, SECONDS, "Seconds without a task after which the operator ends the cluster (never)"
    ]
    max_lifetime: Annotated[
        float | None, SECONDS, "Seconds after which it does so whatever runs, by this machine's clock (never)"
    ]
    show_progress: Annotated[
        bool | None, SHOWN, "Whether a line tells what is waited for (in terminals and notebooks)"
    ]
    web_mem_limit_ratio: Annotated[Any, RATIO, _WEB, IGNORED]
    web_extra_env: Annotated[Any, ENV, _WEB, IGNORED]
    web_extra_labels: Annotated[Any, LABELS, _WEB, IGNORED]
    web_extra_modules: Annotated[Any, TEXTS, _WEB, IGNORED]
    web_service_port: Annotated[Any, PORT, f"{_WEB}; their port is web_port", IGNORED]
    name: str
    group: str
    """Of the workers that these are the arguments of."""
    may_forward: (
        bool  # through the Kubernetes API, where its Service does not answer: nobody has chosen the type
    )
    supervisor: Part
    worker: Part
    policy: MemoryPolicy

    @property
    def threads(self) -> int:
        """Threads of a worker."""
        return math.ceil(self.worker.millicores / 1000)

    @property
    def groups(self) -> tuple[Arguments, ...]:
        """The arguments of each kind of workers, the first ones' first."""
        return (self, *self.worker_groups)

    @property
    def encrypted(self) -> bool:
        return self.security is not False

    @property
    def host_paths(self) -> tuple[str, ...]:
        """Directories of the nodes that pods were asked to see."""
        every = [v for each in self.groups for v in (*each.extra_volumes, *each.worker_spill_paths)]
        return tuple(dict.fromkeys(v.host_path for v in every if isinstance(v, HostPathVolumeConfig)))

    @classmethod
    def of(cls, **given: Any) -> Arguments:
        """The arguments of a call; raises an error that names the first bad one."""
        _check_names(given)
        made = cls._of(given, group=names.DEFAULT_GROUP)
        for note in dict.fromkeys(note for each in made.groups for note in each.policy.notes):
            warnings.warn(note, UserWarning, stacklevel=4)
        return made

    @classmethod
    def _of(cls, given: Mapping[str, Any], group: str) -> Arguments:
        said = {name: each.checked(given.get(name, each.kind.default)) for name, each in ARGUMENTS.items()}
        named = not said["existing_namespace"] or said["namespace"]
        checks.expect(named, "existing_namespace", True, "namespace= as well, the one that is there")
        said["namespace"] = said["namespace"] or f"mars-ns-{uuid.uuid4().hex}"
        said["image"] = said["image"] or default_image()
        said["worker_groups"] = tuple(
            cls._of_group(i, each, {**given, "namespace": said["namespace"]})
            for i, each in enumerate(said["worker_groups"])
        )
        everyone = said["worker_num"] + sum(each.worker_num for each in said["worker_groups"])
        said["min_worker_num"] = said["min_worker_num"] or everyone
        sizes = [getattr(v, "size_limit", None) for v in said["worker_spill_paths"]]
        memory = ("worker_mem", "worker_cache_mem", "worker_min_cache_mem", "worker_mem_limit_ratio")
        policy = replace(
            MemoryPolicy.of_new_cluster(**{name: said[name] for name in memory}),
            directories=tuple(v.mount_path for v in said["worker_spill_paths"]),
            quota=None if None in sizes else tuple(parse_size(size, "size_limit") for size in sizes),
        )
        port = said["supervisor_service_port"] or said["service_port"]
        return cls(
            name=f"mars-{uuid.uuid4().hex[:8]}" if said["existing_namespace"] else "mars",
            group=group,
            may_forward=given.get("service_type") is None,
            supervisor=Part.of("supervisor", said, port),
            worker=Part.of("worker", said, said["worker_service_port"]),
            policy=policy,
            **said,
        )

    @classmethod
    def _of_group(cls, i: int, own: Mapping[str, Any], given: Mapping[str, Any]) -> Arguments:
        """What a worker group says over what was said of all; its errors tell which one it is."""
        plain = {"worker_num": 1, "worker_groups": None, "min_worker_num": None}
        over = {key: value for key, value in own.items() if key != "name"}
        try:
            return cls._of({**given, **plain, **over}, group=own["name"])
        except (ArgumentError, ArgumentTypeError) as error:
            raise type(error)(f"worker_groups[{i}]: {error}") from None

    def __post_init__(self) -> None:
        """An error where two arguments contradict each other."""
        least, most = self.min_worker_num, sum(each.worker_num for each in self.groups)
        expected = (
            f"at most worker_num{', with those of worker_groups' * bool(self.worker_groups)}, which is {most}"
        )
        checks.expect(least <= most, "min_worker_num", least, expected)
        free = self.web_port != self.supervisor.port
        checks.expect(free, "web_port", self.web_port, "another port than the scheduler's own")
        free = self.service_name != own_service(self.name)
        expected = "another name than that of the operator's own Service"
        checks.expect(free, "service_name", self.service_name, expected)
        taken = [v.name for v in (*self.extra_volumes, *self.worker_spill_paths)]
        for each in taken:
            if taken.count(each) > 1 or each in ("tmp", "tls", "web-token"):
                raise ArgumentError(f"extra_volumes: the name {each!r} is taken; give the volume another.")


_HINTS = get_type_hints(Arguments, include_extras=True)
ARGUMENTS: dict[str, Argument] = {
    each.name: Argument(each.name, bool(each.kw_only), *_HINTS[each.name].__metadata__)
    for each in fields(Arguments)
    if hasattr(_HINTS[each.name], "__metadata__")
}

SIGNATURE = inspect.Signature(
    [
        *(each.parameter for each in ARGUMENTS.values() if not each.by_name),
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
