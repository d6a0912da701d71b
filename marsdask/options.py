"""Mars's options, kept in `dask.config` under `marsdask.`.

>>> from marsdask import option_context, options
>>> with option_context({"chunk_size": 100}):
...     options.chunk_size
100
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import dask

from marsdask.errors import ArgumentError, UnknownName

T = TypeVar("T")


class within:
    """Inside the block, in this thread, a variable has that value."""

    __slots__ = ("before", "value", "var")

    def __init__(self, var: contextvars.ContextVar[T], value: T):
        self.var, self.value = var, value

    def __enter__(self) -> Any:
        self.before = self.var.set(self.value)
        return self.value

    def __exit__(self, *error: object) -> None:
        self.var.reset(self.before)


@dataclass(frozen=True)
class Option:
    """One option: its default, the types it takes, the values it takes, what it does."""

    default: Any
    types: tuple[type, ...]
    doc: str
    choices: tuple[Any, ...] = ()
    least: float | None = None

    def check(self, name: str, value: Any) -> None:
        bad_type = not isinstance(value, self.types) or (isinstance(value, bool) and bool not in self.types)
        if bad_type or (self.choices and value not in self.choices):
            wanted = self.choices or " or ".join(t.__name__ for t in self.types)
            raise ArgumentError(f"Cannot set value {value!r} of option {name!r}: expected {wanted}.")
        if self.least is not None and value is not None and not value >= self.least:  # nan is not, either
            raise ArgumentError(
                f"Cannot set value {value!r} of option {name!r}: expected {self.least} or more."
            )


NONE = type(None)

OPTIONS: dict[str, Option] = {
    "eager_mode": Option(False, (bool,), "execute every operation as it is made"),
    "show_progress": Option(
        "auto",
        (bool, str),
        "progress bar: in a terminal or notebook, always, never",
        choices=("auto", True, False),
    ),
    "chunk_size": Option(None, (int, NONE), "rows or cells per axis of a chunk", least=1),
    # TPC-H at 1 GB on two threads, in chunks of 64, 128, 256, 512 MiB: 4.6, 3.1, 2.5, 2.3 s of CPU. Mars's default is 128.
    "chunk_store_limit": Option(
        256 * 2**20, (int, float), "most bytes of a chunk whose size nobody gave", least=1
    ),
    "combine_size": Option(4, (int,), "chunks joined per step of a tree reduction", least=2),
    "gather_limit": Option(
        4 * 2**30, (int, float), "most bytes an operation that needs one chunk may gather", least=1
    ),
    "warn_duplicated_execution": Option(False, (bool,), "warn when work is run a second time"),
    "row_order": Option(
        "pandas", (str,), "'pandas': rows in pandas' order; 'any': waived", choices=("pandas", "any")
    ),
    "optimize.head_optimize_threshold": Option(
        1000, (int,), "largest head(n) that reads only the first chunks it needs", least=0
    ),
    "optimize.share": Option(True, (bool,), "pass: equal expressions run once"),
    "optimize.fuse": Option(True, (bool,), "pass: elementwise chains in one kernel per chunk"),
    "optimize.drop": Option(True, (bool,), "pass: leave out columns, order and labels nobody sees"),
    "optimize.batch": Option(True, (bool,), "pass: many tiny tasks of one reduction in one task"),
    "cluster.recompute_limit": Option(
        3, (int,), "how often one execute() or fetch() runs again what a cluster has lost", least=0
    ),
    "cluster.reconnect_timeout": Option(
        60, (int, float), "seconds to wait for a scheduler that went away", least=0
    ),
    "cluster.token": Option(
        None,
        (str, NONE),
        "of sessions by http:// where the address has none; else the variable MARSDASK_TOKEN",
    ),
    "bincount.chunk_size_limit": Option(100_000_000, (int,), "most bins of a bincount", least=1),
    "dataframe.use_arrow_dtype": Option(None, (bool, NONE), "arrow strings in read_*"),
    "dataframe.mode.use_inf_as_na": Option(False, (bool,), "inf counts as missing in isna, dropna"),
}
"""Every option by its dotted name. One that a library of Mars's never read is not here."""

# Mars kept these under `tensor.` first.
MOVED = {"tensor.chunk_size": "chunk_size", "tensor.chunk_store_limit": "chunk_store_limit"}

dask.config.update_defaults(
    {"marsdask": {"options": {name: option.default for name, option in OPTIONS.items()}}}
)


# What `option_context` says in this thread, and in what is run from it. Not in Dask's configuration, which is one for all
# threads: of two blocks that overlap, the one that ends last would put back what the other had set.
_here: contextvars.ContextVar[Mapping[str, Any] | None] = contextvars.ContextVar(
    "marsdask-options", default=None
)


def of_block() -> dict[str, Any]:
    """The options that `option_context` sets here."""
    return dict(_here.get() or {})


def get(name: str) -> Any:
    """The value of one option."""
    name = _present(name)
    here = _here.get()
    if here is not None and name in here:
        return here[name]
    return dask.config.config["marsdask"]["options"].get(name, OPTIONS[name].default)


def _present(name: str) -> str:
    """The name that an option has now, or an error that names the nearest."""
    name = MOVED.get(name, name)
    if name not in OPTIONS:
        raise UnknownName.among("options", name, OPTIONS)
    return name


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values under their present names, or an error that names the bad one."""
    values = {_present(name): value for name, value in values.items()}
    for name, value in values.items():
        OPTIONS[name].check(name, value)
    return values


class Options:
    """Attribute access to the options: `options.chunk_size`, `options.optimize.fuse`."""

    def __init__(self, prefix: str = "") -> None:
        object.__setattr__(self, "_prefix", prefix)

    def __getattr__(self, name: str) -> Any:
        full = self._prefix + name
        if full in OPTIONS or full in MOVED:
            return get(full)
        if (group := _groups.get(full)) is not None:
            return group
        raise UnknownName.among("options", full, OPTIONS)

    def __setattr__(self, name: str, value: Any) -> None:
        new = checked({self._prefix + name: value})
        if (here := _here.get()) is not None:  # ends with the block
            _here.set({**here, **new})
            return
        dask.config.set({"marsdask.options": dask.config.get("marsdask.options") | new})

    def __dir__(self) -> list[str]:
        own = (n.removeprefix(self._prefix) for n in OPTIONS if n.startswith(self._prefix))
        return sorted({n.split(".")[0] for n in own})

    def __repr__(self) -> str:
        rows = (f"{n} = {get(n)!r}  # {o.doc}" for n, o in OPTIONS.items() if n.startswith(self._prefix))
        return "\n".join(rows)


options = Options()
_groups = {
    name[:at]: Options(name[: at + 1])
    for name in (*OPTIONS, *MOVED)
    for at, letter in enumerate(name)
    if letter == "."
}


@contextlib.contextmanager
def option_context(values: Mapping[str, Any] | None = None) -> Iterator[Options]:
    """Set options inside a `with` block; `values` by dotted name."""
    with within(_here, {**of_block(), **checked(values or {})}):
        yield options
