"""Memory of a worker: how much, what stays in it, where the rest goes. One value, read from every spelling."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import dask.config

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, near
from marsdask.sizes import LEAST_MEMORY, MIB, parse_amount, parse_quantity, parse_size, shown

Reader = Callable[[Any, str], Any]
"""A value and the name an error calls it by -> what the policy keeps."""


class Said(NamedTuple):
    """What one source said: values by field of a `MemoryPolicy`, the spelling of each, remarks on the rest."""

    fields: dict[str, Any]
    names: dict[str, str]
    notes: list[str]


Collect = Callable[[str, Exception], None]
"""Takes an error about the value of a name, so that the rest is looked at, too."""


@contextlib.contextmanager
def collected(name: str, collect: Collect | None) -> Iterator[None]:
    """What is wrong with this value goes to `collect`; where there is none, it is raised."""
    try:
        yield
    except (ArgumentError, ArgumentTypeError) as error:
        if collect is None:
            raise
        collect(name, error)


def read(
    given: Mapping[str, Any],
    table: Mapping[str, tuple[str, Reader]],
    spelled: Callable[[str], str],
    collect: Collect | None = None,
) -> Said:
    """What `given` says by `table`, name to (field, reader); None is not said."""
    said = Said({}, {}, [])
    for name, value in given.items():
        if value is not None:
            with collected(spelled(name), collect):
                _read_one(said, name, value, table, spelled)
    return said


def _read_one(
    said: Said,
    name: str,
    value: Any,
    table: Mapping[str, tuple[str, Reader]],
    spelled: Callable[[str], str],
) -> None:
    if name not in table:
        raise ArgumentTypeError(
            f"{spelled(name)} is no memory option.{near(name, table)} The options are {', '.join(map(spelled, table))}."
        )
    field, reader = table[name]
    if field in said.fields:
        raise ArgumentError(f"{said.names[field]} and {spelled(name)} say the same: give one of them.")
    kept = reader(value, spelled(name))
    if field == "plasma":
        said.notes.append(
            f"{spelled(name)}={value} has no effect: Dask keeps data in the worker's own memory, there is no plasma store."
        )
    else:
        said.fields[field] = kept
        said.names[field] = f"{spelled(name)}={value!r}"


def percentage(value: Any, name: str) -> float:
    percent = checks.whole(value, name, least=1)
    if percent > 100:
        raise ArgumentError(f"{name}={value!r}: expected 1 to 100.")
    return percent / 100


def directories(value: Any, name: str) -> tuple[str, ...]:
    """Paths from a list, or from a text with "," or ":" between them.

    Mars splits at ":", KubeDL joins with ",". Objects that say where a volume is mounted give that path.
    """
    parts: Any = re.split("[,:]", value) if isinstance(value, str) else value
    if not isinstance(parts, Iterable) or isinstance(parts, (bytes, Mapping)):
        parts = [value]
    paths = []
    for part in parts:
        path = getattr(part, "mount_path", part)
        if hasattr(path, "__fspath__"):
            path = path.__fspath__()
        if not isinstance(path, str):
            raise ArgumentTypeError(f"{name}: expected paths of directories, got {part!r}.")
        if not (path := path.strip()):
            raise ArgumentError(f"{name}: one of the directories has an empty name.")
        if "\0" in path:
            raise ArgumentError(f"{name}: the directory {path!r} has a NUL in its name.")
        paths.append(path if path == "/" else path.rstrip("/"))
    if len(set(paths)) < len(paths):
        raise ArgumentError(f"{name}={value!r} names a directory twice.")
    return tuple(paths)


def absolute(value: Any, name: str) -> str:
    """The path of a directory in a pod."""
    if not isinstance(value, str) or not value.startswith("/"):
        raise ArgumentError(f"{name}={value!r}: expected an absolute path.")
    return value


def quotas(value: Any, name: str) -> int | tuple[int, ...]:
    """Bytes each directory may hold: one size for all, or a list of one for each."""
    several = isinstance(value, (list, tuple))
    if several and not value:
        raise ArgumentError(f"{name}={value!r}: expected a size, or one for each directory.")
    return tuple(size(each, name) for each in value) if several else size(value, name)


def max_spill(value: Any, name: str) -> int | bool:
    return False if value is False else size(value, name)


def head_room(value: Any, name: str) -> int:
    return 0 if value == 0 and not isinstance(value, bool) else parse_size(value, name)


def threshold(value: Any, name: str) -> float | bool:
    """A share of the worker's memory; False switches the threshold off."""
    if value is False:
        return False
    share = parse_amount(value, name)
    if not isinstance(share, float):
        raise ArgumentError(f"{name}={value!r}: expected a share of the worker's memory up to 1, or false.")
    return share


FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def flag(value: Any, name: str) -> bool:
    """A yes or no, also as text: the environment has nothing else."""
    text = str(value).strip().lower()
    if not isinstance(value, (bool, int, str)) or text not in FLAGS:
        raise ArgumentError(f"{name}={value!r}: expected 1 or 0.")
    return FLAGS[text]


def parallel_files(value: Any, name: str) -> bool:
    """Whether files are free of locks: Mars said it by the number of files at a time."""
    number = int(value) if isinstance(value, str) and value.strip().isdigit() else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ArgumentError(f"{name}={value!r}: expected a whole number of 1 or more.")
    return number > 1


memory = partial(parse_amount, least=LEAST_MEMORY)
memory_bytes = partial(parse_size, least=LEAST_MEMORY)
cache = partial(parse_amount, least=MIB)
size = partial(parse_size, least=MIB)
PLASMA: tuple[str, Reader] = ("plasma", lambda value, name: value)
"""Said, and of no effect."""

OPTIONS: dict[str, tuple[str, Reader]] = {
    "cache_mem": ("cache", cache),
    "phy_mem": ("memory", memory),
    "mem_bytes": ("memory", memory),
    "memory_limit": ("memory", memory),
    "min_mem": ("least_memory", memory_bytes),
    "min_cache_mem": ("least_cache", cache),
    "spill_dir": ("directories", directories),
    "spill_dirs": ("directories", directories),
    "spill_quota": ("quota", quotas),
    "io_parallel_num": ("lock_free", parallel_files),
    "plasma_dir": PLASMA,
    "plasma_limit": PLASMA,
    "mem_quota_size": ("pause", threshold),
    "mem_hard_limit": ("terminate", threshold),
}
"""Mars's command line, with `_` for `-`; the last two are keys of its configuration file."""

ENVIRONMENT: dict[str, tuple[str, Reader]] = {
    "MARS_CACHE_MEM_SIZE": ("cache", cache),
    "MARS_MEMORY_TOTAL": ("memory", memory_bytes),
    "MARS_MIN_CACHE_MEM_SIZE": ("least_cache", cache),
    "MARS_SPILL_DIRS": ("directories", directories),
    "MARS_LOCK_FREE_FILEIO": ("lock_free", flag),
    "MARS_PLASMA_DIRS": PLASMA,
    "MARS_PLASMA_LIMIT": PLASMA,
}

CONFIG: dict[str, tuple[str, Reader]] = {
    "memory-limit": ("memory", memory),
    "cache": ("cache", cache),
    "directories": ("directories", directories),
    "quota": ("quota", quotas),
    "placement": ("placement", partial(checks.choice, allowed=("round-robin", "most-free"))),
    "head-room": ("head_room", head_room),
    "max-spill": ("max_spill", max_spill),
    "lock-free": ("lock_free", flag),
    "least-memory": ("least_memory", memory_bytes),
    "least-cache": ("least_cache", cache),
}
"""Keys below `marsdask.spill`; the thresholds are Dask's own keys below `distributed.worker.memory`."""

NEW_CLUSTER: dict[str, tuple[str, Reader]] = {
    "worker_mem": ("memory", memory_bytes),
    "worker_cache_mem": ("cache", cache),
    "worker_min_cache_mem": ("least_cache", cache),
    "worker_spill_paths": ("directories", directories),
    "worker_mem_limit_ratio": ("ratio", partial(checks.number, least=1)),
}

KUBEDL: dict[str, tuple[str, Reader]] = {
    "spillDirs": ("directories", directories),
    "workerCacheSize": ("cache", parse_quantity),
    "workerCachePercentage": ("share", percentage),
    "plasmaStore": ("plasma", absolute),
    "lockFreeFileIO": ("lock_free", flag),
}
KUBEDL_BLOCKS = ("workerMemoryTuningPolicy", "memoryTuningPolicy")
"""The name in KubeDL's code and CRD; the name in its tutorial."""


def _add_resources(said: Said, resources: Mapping[str, Any], where: str, collect: Collect | None) -> None:
    """Memory from the requests, else the limits, as KubeDL takes it; the ceiling; a quota of ephemeral storage."""
    for field, kind in (("memory", "requests"), ("memory", "limits"), ("ceiling", "limits")):
        amount = (resources.get(kind) or {}).get("memory")
        if amount is not None and field not in said.fields:
            name = f"{where}.{kind}.memory"
            with collected(name, collect):
                said.fields[field] = memory_bytes(parse_quantity(amount, name), name)
                said.names[field] = f"{name}={amount!r}"
    if said.fields.get("ceiling", 0) > said.fields.get("memory", math.inf):
        said.notes.append(
            f"workers plan with {said.names['memory']}; {said.names['ceiling']} is where the kernel kills them."
        )
    storage = (resources.get("requests") or {}).get("ephemeral-storage")
    if storage is not None and "directories" in said.fields:
        name = f"{where}.requests.ephemeral-storage"
        with collected(name, collect):
            each = parse_quantity(storage, name) // len(said.fields["directories"])
            if each < MIB:
                raise ArgumentError(
                    f"{name}={storage!r}: expected {shown(MIB)} or more for each spill directory."
                )
            said.fields["quota"], said.names["quota"] = each, f"{name}={storage!r}"


Off = Literal[False]

KEYS = "distributed.worker.memory."
DEFAULTS = {"target": 0.6, "spill": 0.7, "pause": 0.8, "terminate": 0.95}
MOST_CACHE = 0.85
"""The most of a worker's memory that is kept for data: above it nothing is left to compute in."""
LEAST_TARGET = 0.1
"""The least, where Python itself fills a small worker."""
STEP = 0.05
"""What pausing stays above spilling."""


@dataclass(frozen=True)
class Thresholds:
    """Shares of the memory limit at which Dask's memory manager acts; False is never. In order, checked."""

    target: float | Off
    spill: float | Off
    pause: float | Off
    terminate: float | Off
    notes: tuple[str, ...] = ()

    def to_dask_config(self) -> dict[str, float | Off]:
        return {KEYS + name: getattr(self, name) for name in DEFAULTS}


@dataclass(frozen=True)
class MemoryPolicy:
    """What is said of a worker's memory; None is not said.

    `memory` and `cache` are bytes (int) or a share (float): of what the machine or container has, and of `memory`.
    `directories` are where data go when memory is full, `quota` how many bytes each may hold, `head_room` what is left
    free on its file system. `least_memory` and `least_cache` are what a worker refuses to start below. `ceiling` is where
    the kernel ends the process. `notes` say what was changed or has no effect.

    >>> policy = MemoryPolicy.of_new_cluster(worker_mem="8g", worker_cache_mem="95%", worker_spill_paths="/a:/b")
    >>> policy.directories, policy.thresholds().target
    (('/a', '/b'), 0.85)
    >>> policy.notes[0]
    "worker_cache_mem='95%' is 95% of memory; 85% is the most, so that some is left to compute in."
    """

    memory: int | float | None = None
    cache: int | float | None = None
    target: float | Off | None = None
    spill: float | Off | None = None
    pause: float | Off | None = None
    terminate: float | Off | None = None
    max_spill: int | Off | None = None
    directories: tuple[str, ...] = ()
    quota: int | tuple[int, ...] | None = None
    placement: str | None = None
    lock_free: bool | None = None
    head_room: int | None = None
    least_memory: int | None = None
    least_cache: int | float | None = None
    ceiling: int | None = None
    names: Mapping[str, str] = dataclasses.field(default_factory=dict, compare=False)
    remarks: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    def __post_init__(self) -> None:
        if isinstance(memory := self.memory, int):
            if isinstance(self.cache, int) and self.cache > memory:
                raise ArgumentError(
                    f"{self.name_of('cache')} is more than the worker's memory, {shown(memory)}."
                )
            if self.ceiling is not None and self.ceiling < memory:
                raise ArgumentError(
                    f"{self.name_of('ceiling')} is below the memory workers plan with, {shown(memory)}: the kernel would kill "
                    "them."
                )
            self.check_least(memory)
        if isinstance(self.quota, tuple) and len(self.quota) != len(self.directories):
            raise ArgumentError(
                f"{self.name_of('quota')}: expected one size, or one for each of the {len(self.directories)} directories."
            )
        self.thresholds()

    @classmethod
    def _of(cls, said: Said) -> Self:
        return cls(**said.fields, names=said.names, remarks=tuple(said.notes))

    @classmethod
    def of_new_cluster(
        cls,
        *,
        worker_mem: Any = None,
        worker_cache_mem: Any = None,
        worker_min_cache_mem: Any = None,
        worker_spill_paths: Any = None,
        worker_mem_limit_ratio: Any = None,
    ) -> Self:
        """The arguments of `new_cluster`. Nothing said of the cache leaves Dask's 60%, where Mars has 40%."""
        given = {name: value for name, value in locals().items() if name in NEW_CLUSTER}
        said = read(given, NEW_CLUSTER, str)
        if "ratio" in said.fields:
            if "memory" not in said.fields:
                raise ArgumentError("worker_mem_limit_ratio needs worker_mem, of which it is a multiple.")
            said.fields["ceiling"] = int(said.fields["memory"] * said.fields.pop("ratio"))
            said.names["ceiling"] = said.names.pop("ratio")
        return cls._of(said)

    @classmethod
    def of_options(cls, **given: Any) -> Self:
        """Options of Mars's command line by name, `cache_mem` for `--cache-mem`; see `OPTIONS`."""
        return cls._of(read(given, OPTIONS, lambda name: "--" + name.replace("_", "-")))

    @classmethod
    def of_environment(cls, env: Mapping[str, str] | None = None) -> Self:
        """The variables MARS_*; of this process where no mapping is given."""
        env = os.environ if env is None else env
        there = {name: env[name].strip() for name in ENVIRONMENT if env.get(name, "").strip()}
        if there.get("MARS_MEMORY_TOTAL") == "0":  # says nothing, as an empty variable: KubeDL sets them so
            del there["MARS_MEMORY_TOTAL"]
        return cls._of(read(there, ENVIRONMENT, str))

    @classmethod
    def of_kubedl(
        cls,
        spec: Mapping[str, Any],
        resources: Mapping[str, Any] | None = None,
        *,
        where: str = "resources",
        collect: Collect | None = None,
    ) -> Self:
        """The memory block in a MarsJob's `spec`, under either name; `resources`, at the path `where`, are its workers'.

        With `collect` that is called with the path and the error of everything that is wrong, and the policy has the rest.
        """
        there = [name for name in KUBEDL_BLOCKS if spec.get(name) is not None]
        block: Any = spec[there[0]] if there else {}
        with collected(f"spec.{there[0]}" if there else "spec", collect):
            if len(there) > 1:
                raise ArgumentError(f"spec.{there[0]} and spec.{there[1]} say the same: give one of them.")
            if not isinstance(block, Mapping):
                raise ArgumentTypeError(f"spec.{there[0]}: expected a mapping, got {type(block).__name__}.")
        said = read(
            block if isinstance(block, Mapping) else {},
            KUBEDL,
            lambda name: f"spec.{there[0]}.{name}",
            collect,
        )
        if there and there[0] != KUBEDL_BLOCKS[0]:
            said.notes.append(
                f"spec.{there[0]} is the tutorial's name: KubeDL itself drops it and keeps {KUBEDL_BLOCKS[0]}."
            )
        if "share" in said.fields:
            share, name = said.fields.pop("share"), said.names.pop("share")
            if "cache" in said.fields:
                said.notes.append(f"{name} is not used: workerCacheSize comes first.")
            else:
                said.fields["cache"], said.names["cache"] = share, name
        _add_resources(said, resources or {}, where, collect)
        try:
            return cls._of(said)
        except ArgumentError as error:  # of two values that do not fit each other; it names one of them
            if collect is None:
                raise
            collect(str(error).partition("=")[0], error)
            return cls()

    @classmethod
    def of_config(cls, section: Mapping[str, Any] | None = None) -> Self:
        """The section `marsdask.spill` of Dask's configuration, as files, DASK_* variables and `set` make it."""
        found = dask.config.get("marsdask.spill", None) if section is None else section
        if found is not None and not isinstance(found, Mapping):
            raise ArgumentError(
                f"marsdask.spill={found!r}: expected keys such as 'directories', got no mapping."
            )
        given = {str(key).replace("_", "-"): value for key, value in (found or {}).items()}
        return cls._of(read(given, CONFIG, lambda name: f"marsdask.spill.{name}"))

    @classmethod
    def merged(cls, *policies: MemoryPolicy) -> Self:
        """One policy of several: for each field the first that says something. What is passed over is noted."""
        values: dict[str, Any] = {}
        names: dict[str, str] = {}
        remarks = [remark for policy in policies for remark in policy.remarks]
        for policy in policies:
            lost = policy.directories and values.get("directories", policy.directories) != policy.directories
            for name in (each.name for each in fields(cls) if each.compare):
                value = getattr(policy, name)
                if value is None or value == () or (name == "quota" and lost):
                    continue  # a quota belongs to the directories it was said with
                if name not in values:
                    values[name] = value
                    names[name] = policy.names.get(name, name)
                elif values[name] != value:
                    remarks.append(f"{policy.names.get(name, name)} is not used: {names[name]} comes first.")
        return cls(**values, names=names, remarks=tuple(dict.fromkeys(remarks)))

    def with_surroundings(self) -> Self:
        """This policy, then what Dask's configuration says, then MARS_* variables."""
        return self.merged(self, MemoryPolicy.of_config(), MemoryPolicy.of_environment())

    def check_least(self, limit: int) -> None:
        """An error where a worker of `limit` bytes has less than it may start with."""
        if self.least_memory is not None and limit < self.least_memory:
            raise ArgumentError(f"{self.name_of('least_memory')}: the worker has {shown(limit)} only.")
        if (least := self.least_cache) is not None:
            kept = limit * (self.thresholds(limit).target or 1.0)
            if kept < (least * limit if isinstance(least, float) else least):
                raise ArgumentError(
                    f"{self.name_of('least_cache')}: the worker keeps {shown(kept)} in memory only."
                )

    def name_of(self, name: str) -> str:
        """What the user has called a field, with what was given."""
        return self.names.get(name, f"{name}={getattr(self, name)!r}")

    def thresholds(self, limit: int | None = None) -> Thresholds:
        """Where Dask's memory manager acts, for a worker of `limit` bytes, or of `memory`.

        A cache size sets the target, at most 85%; spilling and pausing move up with it. What is not said is as in Dask's
        configuration. A cache in bytes says nothing while the limit is not known.
        """
        shares = _Shares(self)
        share = self.cache
        if isinstance(share, int):
            whole = limit or (self.memory if isinstance(self.memory, int) else None)
            share = None if whole is None else min(1.0, share / whole)
        if share is not None and self.target is None:
            shares.follow(share)
        there = [name for name in DEFAULTS if shares.found[name] is not False]
        for low, high in itertools.pairwise(there):
            below, above = shares.found[low], shares.found[high]
            if below > above or (below == above and (low, high) != ("target", "spill")):
                raise ArgumentError(
                    f"{shares.names[low]} and {shares.names[high]}: {low} begins at {below:.0%} of memory, {high} at "
                    f"{above:.0%}. Hint: the order is target, spill, pause, terminate."
                )
        return Thresholds(**shares.found, notes=tuple(shares.notes))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences: what was changed, what has no effect."""
        return (*self.remarks, *self.thresholds().notes)

    @property
    def quotas(self) -> tuple[int, ...]:
        """Bytes for each directory; nothing where nobody said."""
        if self.quota is None or not self.directories:
            return ()
        return self.quota if isinstance(self.quota, tuple) else (self.quota,) * len(self.directories)

    def share_of_data(self, limit: int, taken: int) -> float | Off:
        """The share of `limit` bytes that data may fill beside what the process has `taken` for other things.

        Only a small worker has less than its target left below the share at which it spills anyway: it would be stopped by
        its nanny again and again, for that counts Python's own memory too.
        """
        found = self.thresholds(limit)
        if not (found.target and found.spill):
            return found.target
        return min(found.target, max(found.spill - taken / limit, LEAST_TARGET))

    def buffer_arguments(self, limit: int, taken: int = 0) -> dict[str, Any]:
        """Keywords of `MarsSpillBuffer` for a worker of `limit` bytes, of which the process has `taken` without data."""
        most = self.max_spill
        if most is None:  # as far as somebody said: the sum of the quotas bounds it
            most = sum(self.quotas) or False
            if isinstance(self.quota, int) and not self.directories:
                most = self.quota
        return {
            "memory_limit": limit,
            "target": self.share_of_data(limit, taken),
            "max_spill": most,
            "directories": self.directories,
            "quotas": self.quotas,
            "placement": self.placement or "round-robin",
            "lock_free": self.lock_free is not False,
        } | ({} if self.head_room is None else {"head_room": self.head_room})

    def worker_arguments(self) -> dict[str, Any]:
        """Keywords of a Dask worker or nanny, and of LocalCluster, that say the same: limit and first directory."""
        limit = {} if self.memory is None else {"memory_limit": self.memory}
        return limit | ({"local_directory": self.directories[0]} if self.directories else {})

    def command_line(self) -> list[str]:
        """The same as arguments of `dask worker`."""
        said = {"worker_class": "marsdask.spill.MarsWorker", **self.worker_arguments()}
        return [word for name, value in said.items() for word in ("--" + name.replace("_", "-"), str(value))]

    def replace(self, **values: Any) -> Self:
        """The same policy with other values."""
        return replace(self, **values)

    def to_dask_config(self) -> dict[str, Any]:
        """Keys of Dask's configuration from which a worker reads this policy again."""
        said = {f"marsdask.spill.{key}": getattr(self, name) for key, (name, _) in CONFIG.items()}
        return self.thresholds().to_dask_config() | {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in said.items()
            if value is not None and value != ()
        }

    def to_env(self) -> dict[str, str]:
        """The same as environment of a worker's process or container; MARS_* for programs that look there."""
        env = {
            "DASK_" + key.upper().replace("-", "_").replace(".", "__"): json.dumps(value)
            if isinstance(value, list)
            else str(value)
            for key, value in self.to_dask_config().items()
        }
        if self.directories:
            env["MARS_SPILL_DIRS"] = ":".join(self.directories)
        if isinstance(self.memory, int):
            env["MARS_MEMORY_TOTAL"] = str(self.memory)
            if self.cache is not None:
                share = isinstance(self.cache, float)
                env["MARS_CACHE_MEM_SIZE"] = str(int(self.cache * self.memory) if share else self.cache)
        return env

    def resources(self) -> dict[str, dict[str, str]]:
        """Memory for a Kubernetes container: asked for as planned with, limited at the ceiling. Empty if not known."""
        if not isinstance(self.memory, int):
            return {}
        return {
            "requests": {"memory": str(self.memory)},
            "limits": {"memory": str(self.ceiling or self.memory)},
        }

    def volumes(
        self, *, on_host: bool = False, mounted: tuple[str, ...] = ()
    ) -> dict[str, list[dict[str, Any]]]:
        """`volumes` and `volumeMounts` of a pod for the directories, but for those that are `mounted` already.

        An emptyDir each, of the quota's size where there is one, that ends with its pod; with `on_host` the directory of
        that name on the node, as Mars has it, which Pod Security's "baseline" forbids.
        """
        found: dict[str, list[dict[str, Any]]] = {"volumes": [], "volumeMounts": []}
        done = {path.rstrip("/") for path in mounted}
        for i, path in enumerate(self.directories):
            if not path.startswith("/"):
                raise ArgumentError(
                    f"{self.name_of('directories')}: a pod needs absolute paths, {path!r} is none."
                )
            if path in done:
                continue
            empty = {"emptyDir": {"sizeLimit": str(self.quotas[i])} if self.quotas else {}}
            source = {"hostPath": {"path": path, "type": "DirectoryOrCreate"}} if on_host else empty
            found["volumes"].append({"name": f"spill-{i}", **source})
            found["volumeMounts"].append({"name": f"spill-{i}", "mountPath": path})
        return found


class _Shares:
    """The thresholds of a policy while they are worked out: each share, what a person calls it, what was changed."""

    def __init__(self, policy: MemoryPolicy) -> None:
        self.policy = policy
        self.found: dict[str, Any] = {}
        self.names: dict[str, str] = {}
        self.notes: list[str] = []
        for name, default in DEFAULTS.items():
            value, said = getattr(policy, name), policy.name_of(name)
            if value is None:
                value = dask.config.get(KEYS + name, default)
                said = f"{KEYS}{name}={value!r}"
            self.found[name], self.names[name] = threshold(value, said.partition("=")[0]), said
        if policy.pause:  # where pausing was set, spilling begins below it
            most = round(self.found["pause"] - STEP, 4)
            for name in ("spill", "target"):
                if self.found[name] and self.found[name] > most:
                    self._move(name, most, self.names["pause"])

    def _move(self, name: str, to: float, cause: str) -> None:
        """Set a threshold, unless a person set it for us."""
        if getattr(self.policy, name) is None:
            self.notes.append(
                f"{name} moved from {self.found[name]:.0%} to {to:.0%} of memory: {cause} needs it."
            )
            self.found[name], self.names[name] = to, f"{name}={to}"

    def follow(self, share: float) -> None:
        """Set the target to `share`, and move what stands in its way; what a person set for us stays."""
        cache, found = self.policy.name_of("cache"), self.found
        target = round(min(share, MOST_CACHE), 4)
        if target < share:
            self.notes.append(
                f"{cache} is {share:.0%} of memory; {target:.0%} is the most, so that some is left to compute in."
            )
        ceiling = found["spill"] if found["spill"] and (self.policy.spill or self.policy.pause) else 1.0
        if target > ceiling:
            self.notes.append(
                f"{cache} is kept to {ceiling:.0%} of memory, where spilling or pausing was set to begin."
            )
            target = ceiling
        found["target"], self.names["target"] = target, cache
        least = target
        for name, step in (("spill", 0), ("pause", STEP)):
            if found[name] is not False:
                least = round(least + step, 4)
                if found[name] < least:
                    self._move(name, least, cache)
                least = found[name]
