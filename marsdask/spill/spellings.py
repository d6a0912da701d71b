"""The memory options of Mars, KubeDL and marsdask's own configuration: tables of what each is read into."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

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


def read(
    given: Mapping[str, Any], table: Mapping[str, tuple[str, Reader]], spelled: Callable[[str], str]
) -> Said:
    """What `given` says by `table`, name to (field, reader); None is not said."""
    said = Said({}, {}, [])
    for name, value in given.items():
        if value is None:
            continue
        if name not in table:
            raise ArgumentTypeError(
                f"{spelled(name)} is no memory option.{near(name, table)} The options are {', '.join(map(spelled, table))}."
            )
        field, reader = table[name]
        if field in said.fields:
            raise ArgumentError(f"{said.names[field]} and {spelled(name)} say the same: give one of them.")
        if field == "plasma":
            said.notes.append(
                f"{spelled(name)}={value} has no effect: Dask keeps data in the worker's own memory, there is no plasma store."
            )
        else:
            said.fields[field] = reader(value, spelled(name))
            said.names[field] = f"{spelled(name)}={value!r}"
    return said


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
    paths = tuple(_directory(part, name) for part in parts)
    if len(set(paths)) < len(paths):
        raise ArgumentError(f"{name}={value!r} names a directory twice.")
    return paths


def _directory(part: Any, name: str) -> str:
    path = getattr(part, "mount_path", part)
    if hasattr(path, "__fspath__"):
        path = path.__fspath__()
    if not isinstance(path, str):
        raise ArgumentTypeError(f"{name}: expected paths of directories, got {part!r}.")
    path = path.strip()
    if not path:
        raise ArgumentError(f"{name}: one of the directories has an empty name.")
    return path if path == "/" else path.rstrip("/")


def quotas(value: Any, name: str) -> int | tuple[int, ...]:
    """Bytes each directory may hold: one size for all, or a list of one for each."""
    if isinstance(value, (list, tuple)):
        return tuple(size(each, name) for each in value)
    return size(value, name)


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
PLASMA: tuple[str, Reader] = ("plasma", str)
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
    "plasmaStore": PLASMA,
    "lockFreeFileIO": ("lock_free", flag),
}
KUBEDL_BLOCKS = ("workerMemoryTuningPolicy", "memoryTuningPolicy")
"""The name in KubeDL's code and CRD; the name in its tutorial."""


def of_kubedl(spec: Mapping[str, Any], resources: Mapping[str, Any] | None) -> Said:
    """The block in a MarsJob's `spec`, and the resources of its workers' container."""
    there = [name for name in KUBEDL_BLOCKS if spec.get(name) is not None]
    if len(there) > 1:
        raise ArgumentError(f"spec.{there[0]} and spec.{there[1]} say the same: give one of them.")
    block: Any = spec[there[0]] if there else {}
    if not isinstance(block, Mapping):
        raise ArgumentTypeError(f"spec.{there[0]}: expected a mapping, got {type(block).__name__}.")
    said = read(block, KUBEDL, lambda name: f"spec.{there[0]}.{name}")
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
    _add_resources(said, resources or {})
    return said


def _add_resources(said: Said, resources: Mapping[str, Any]) -> None:
    """Memory from the requests, else the limits, as KubeDL takes it; the ceiling; a quota of ephemeral storage."""
    for field, kind in (("memory", "requests"), ("memory", "limits"), ("ceiling", "limits")):
        amount = (resources.get(kind) or {}).get("memory")
        if amount is not None and field not in said.fields:
            name = f"resources.{kind}.memory"
            said.fields[field] = memory_bytes(parse_quantity(amount, name), name)
            said.names[field] = f"{name}={amount!r}"
    if said.fields.get("ceiling", 0) > said.fields.get("memory", math.inf):
        said.notes.append(
            f"workers plan with {said.names['memory']}; {said.names['ceiling']} is where the kernel kills them."
        )
    storage = (resources.get("requests") or {}).get("ephemeral-storage")
    if storage is not None and "directories" in said.fields:
        name = "resources.requests.ephemeral-storage"
        each = parse_quantity(storage, name) // len(said.fields["directories"])
        if each < MIB:
            raise ArgumentError(
                f"{name}={storage!r}: expected {shown(MIB)} or more for each spill directory."
            )
        said.fields["quota"], said.names["quota"] = each, f"{name}={storage!r}"
