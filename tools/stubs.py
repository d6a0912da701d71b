"""Writes the .pyi files from the registry: `python -m tools.stubs`, in a checkout. They are not kept in the repository.

What a function or method gives back is learnt by evaluating the oracle tests' cases lazily and looking at the handles.
"""

from __future__ import annotations

import inspect
import keyword
import pathlib
import re
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from marsdask.coverage import belongs
from marsdask.deploy.kubernetes import arguments
from marsdask.plan import gaps, registry
from marsdask.plan.registry import Op
from marsdask.session.lazy import Lazy
from marsdask.tensor.core import BINARY, COMPARE, UNARY
from tools.stub_types import (
    ALIASES,
    Learnt,
    annotation,
    default,
    learnt,
    result_type,
    seen,
    type_name,
)

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = '''"""Written from the registry, by `make stubs` and when the package is built; do not edit."""

import builtins
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, ClassVar, Literal, Self, overload

import dask.array as da
import numpy as np
import numpy.typing as npt
import pandas as pd
from typing_extensions import deprecated

from marsdask.session.lazy import Lazy
from marsdask.session.progress import ExecutionInfo
from marsdask.session import Session
'''
KUBERNETES = '''"""Written from the table of arguments by `make stubs`; do not edit."""

from typing import Any

from marsdask.deploy.kubernetes.client import KubernetesClusterClient as KubernetesClusterClient
from marsdask.deploy.kubernetes.cluster import KubernetesCluster as KubernetesCluster
from marsdask.deploy.kubernetes.config import EmptyDirVolumeConfig as EmptyDirVolumeConfig
from marsdask.deploy.kubernetes.config import HostPathVolumeConfig as HostPathVolumeConfig
from marsdask.deploy.kubernetes.config import VolumeConfig

'''
RUNS = '''
@overload
def execute(self, session: Session | None = None, *, wait: Literal[False], **kwargs: Any) -> ExecutionInfo: ...
@overload
def execute(self, session: Session | None = None, *, wait: builtins.bool = True, **kwargs: Any) -> Self:
    """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""
'''
DATA = {
    "Tensor": "np.ndarray[Any, Any]",
    "DataFrame": "pd.DataFrame",
    "Series": "pd.Series",
    "Index": "pd.Index",
    "Categorical": "pd.Categorical",
}
"""What `fetch()` gives; of a tensor without axes NumPy's scalar, which no type checker can tell."""
FETCHES = '''
def fetch(self, session: Session | None = None, **kwargs: Any) -> {data}:
    """The data as NumPy or pandas. Raises ValueError if this was not executed."""

def compute(self, **kwargs: Any) -> {data}:
    """Dask's own spelling: the data, through `dask.compute`."""

def persist(self, **kwargs: Any) -> Self:
    """Dask's own spelling: the same handle over computed chunks, through `dask.persist`."""
'''
WAITED = '''
@overload
def {name}({takes}, wait: Literal[True] = True, **how: Any) -> {data}:
    """The data, run first if needed; with `wait=False` a future of them. `how`: as for `execute`."""
@overload
def {name}({takes}, wait: Literal[False], **how: Any) -> Future[{data}]: ...
'''
TO_PANDAS = (
    "self, session: Session | None = None, fetch_kwargs: builtins.dict[builtins.str, Any] | None = None, "
    "batch_size: builtins.int | None = None, *"
)
TO_NUMPY = "self, dtype: Any = None, copy: builtins.bool = False, na_value: Any = ..., *, session: Session | None = None"
GETITEM = """
@overload
def __getitem__(self, key: builtins.str | builtins.int | builtins.tuple[Any, ...]) -> Series: ...
@overload
def __getitem__(self, key: Any) -> DataFrame: ...
def __getattr__(self, column: builtins.str) -> Series: ...
"""
SELECTED = """
@overload
def __getitem__(self, key: builtins.str) -> SeriesGroupBy: ...
@overload
def __getitem__(self, key: Any) -> DataFrameGroupBy: ...
"""
# What the registry cannot tell: more than one signature.
BY_HAND = {
    **{
        (owner, "to_pandas"): WAITED.format(name="to_pandas", takes=TO_PANDAS, data=data)
        for owner, data in DATA.items()
    },
    **{
        (owner, "to_numpy"): WAITED.format(name="to_numpy", takes=TO_NUMPY, data=DATA["Tensor"])
        for owner in DATA
    },
    ("Tensor", "to_numpy"): WAITED.format(
        name="to_numpy", takes="self, session: Session | None = None, *", data=DATA["Tensor"]
    ),
    ("DataFrame", "__getitem__"): GETITEM,
    ("DataFrameGroupBy", "__getitem__"): SELECTED,
    ("Tensor", "__getitem__"): "def __getitem__(self, key: Any) -> Tensor: ...",
    ("Tensor", "__iter__"): "def __iter__(self) -> Iterator[Tensor]: ...",
}
# Python's own, or seen only by Dask, NumPy, pandas and copy().
SKIPPED = {
    "__init__", "__new__", "__slots__", "__doc__", "__module__", "__dict__", "__weakref__", "__reduce__", "__dir__",
    "__getattr__", "__setattr__", "__repr__", "__str__", "__copy__", "__deepcopy__", "__annotations__", "__qualname__",
    "__firstlineno__", "__static_attributes__", "__parameters__", "__orig_bases__",
}  # fmt: skip
OPERATORS = {
    f"__{side}{name}__" for name in BINARY.keys() - COMPARE - {"divmod"} for side in ("", "r", "i")
} | {f"__{name}__" for name in COMPARE | UNARY.keys()}


def parameters(signature: inspect.Signature, takes: Mapping[str, str] = {}, *, method: bool) -> str:
    """The text between the parentheses; `takes`: annotations that are known better."""
    kinds = inspect.Parameter
    texts, star = [], False
    given = list(signature.parameters.values())
    positional_only = [p for p in given if p.kind is kinds.POSITIONAL_ONLY]
    for i, p in enumerate(given):
        if method and i == 0:
            texts.append("self")
            continue
        lead = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is kinds.KEYWORD_ONLY and not star:
            texts.append("*")
        star = star or p.kind in (kinds.VAR_POSITIONAL, kinds.KEYWORD_ONLY)
        says = takes.get(p.name) or ("Any" if p.annotation is p.empty else annotation(p.annotation))
        value = "" if p.default is p.empty else f" = {default(p.default)}"
        if value == " = None" and "None" not in says and says != "Any":
            says += " | None"
        texts.append(f"{lead}{p.name}: {says}{value}")
        if positional_only and p is positional_only[-1]:
            texts.append("/")
    return ", ".join(texts)


def documented(head: str, doc: str) -> str:
    """A definition with the first line of its documentation."""
    line = doc.strip().splitlines()[0].replace("\\", "\\\\").replace('"""', "'''") if doc.strip() else ""
    line += " " if line.endswith('"') else ""
    if head.startswith(("def __eq__", "def __ne__")) and not head.endswith("-> Any:"):
        head += "  # type: ignore[override]"
    return f'{head}\n    """{line}"""\n' if line else f"{head} ...\n"


def of_entry(op: Op, owner: str, found: Learnt) -> str:
    """The definition of an entry, as a function or as a method of `owner`."""
    if op.status == "unbuilt":
        mark = f"@deprecated({f'not built: {op.reason}'!r})\n"
        if owner and isinstance(vars(registry.ATTACHED[owner]).get(op.public), property):
            return f"@property\n{mark}def {op.public}(self) -> Any: ...\n"
        return f"{mark}def {op.public}({'self, ' if owner else ''}*args: Any, **kwargs: Any) -> Any: ...\n"
    takes = {name: ALIASES[kind.__name__] for name, kind in op.converted.items() if kind.__name__ in ALIASES}
    if isinstance(op.oracle, np.ufunc):
        takes |= dict.fromkeys(list(op.signature.parameters)[: op.oracle.nin], "ArrayLike")
    text = parameters(op.signature, takes, method=bool(owner))
    receiver = registry.ATTACHED[owner].__name__ if owner else ""
    says, doc = result_type(op, receiver, found), registry.documentation(op)
    return documented(f"def {op.public}({text}) -> {says}:", doc)


def members(owner: str, kind: type, found: Learnt) -> Iterator[str]:
    """The definitions of a class: its own attributes and methods, and those of the registry."""
    own: dict[str, Any] = {}
    for each in reversed(kind.__mro__):
        if each not in (object, *Lazy.__mro__, *tuple.__mro__):
            own |= vars(each)
    if issubclass(kind, Lazy):
        yield RUNS
        yield FETCHES.format(data=DATA[owner])
    constructor = registry.OPS.get(owner)
    if constructor is not None:
        yield documented(
            f"def __init__(self, {parameters(constructor.signature, method=False)}) -> None:",
            kind.__doc__ or "",
        )
    elif not issubclass(kind, Lazy):
        yield f"def __init__({parameters(inspect.signature(kind.__init__), method=True)}) -> None: ...\n"
    for name in sorted(own):
        if (owner, name) in BY_HAND:
            yield BY_HAND[owner, name]
        elif (entry := registry.entry_of(own[name])) is not None:
            yield of_entry(entry, owner, found)
        elif name in SKIPPED or (name.startswith("_") and not name.endswith("__")):
            continue
        else:
            yield of_attribute(owner, kind, name, own[name])


def of_attribute(owner: str, kind: type, name: str, value: Any) -> str:
    """The definition of what the class itself has: a property, a method, an operator."""
    if name == "__hash__":
        return (
            "__hash__: ClassVar[None]  # type: ignore[assignment]\n"
            if value is None
            else "def __hash__(self) -> builtins.int: ...\n"
        )
    if isinstance(value, property):
        says = annotation(inspect.signature(value.fget).return_annotation) if value.fget else "Any"
        says = seen(kind, name) if says in ("Any", "_empty") else says
        text = documented(f"@property\ndef {name}(self) -> {says}:", inspect.getdoc(value) or "")
        return text + (f"@{name}.setter\ndef {name}(self, value: Any) -> None: ...\n" if value.fset else "")
    if isinstance(value, (staticmethod, classmethod)):
        mark = "staticmethod" if isinstance(value, staticmethod) else "classmethod"
        return documented(
            f"@{mark}\ndef {name}(*args: Any, **kwargs: Any) -> Any:", inspect.getdoc(value.__func__) or ""
        )
    if not isinstance(value, types.FunctionType):
        return f"{name}: {seen(kind, name)}\n"
    if name in OPERATORS:
        other = "" if name[2:-2] in ("neg", "pos", "abs", "invert") else ", other: Any"
        back = "Any" if name == "__rmatmul__" or (name.endswith("matmul__") and owner != "Tensor") else owner
        wrong = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        return f"def {name}(self{other}) -> {back}: ...{wrong}\n"
    signature = inspect.signature(value)
    back = signature.return_annotation
    says = owner if back == owner else annotation(back) if back is not signature.empty else "Any"
    return documented(
        f"def {name}({parameters(signature, method=True)}) -> {says}:", inspect.getdoc(value) or ""
    )


def module(room: str, found: Learnt) -> str:
    """The stub of the module that has a room's functions, and the classes of that room."""
    name = registry.FILLED[room]
    here = {o: k for o, k in registry.ATTACHED.items() if room_of(k) == room}
    parts = [HEAD, imports(room, here)]
    for owner, kind in here.items():
        base = "Lazy" if issubclass(kind, Lazy) else ""
        doc = (inspect.getdoc(kind) or owner).splitlines()[0]
        body = textwrap.indent("".join(f"{m}\n" for m in members(owner, kind, found)), "    ")
        parts.append(f'class {kind.__name__}({base}):\n    """{doc}"""\n\n{body}\n')
    entries = {op.public: op for op in registry.OPS.values() if belongs(op, room) and op.room == room}
    parts += [of_entry(entries[n], "", found) for n in sorted(entries) if not keyword.iskeyword(n)]
    parts += values(name, room, {*entries, *(k.__name__ for k in here.values())})
    homes = sorted(set(re.findall(r"\bmarsdask(?:\.[a-z_]+)+(?=\.[A-Z]\w*)", "\n".join(parts))) - {name})
    parts.insert(1, "\n".join(f"import {home}" for home in homes))
    return "\n".join(parts)


def room_of(kind: type) -> str:
    """The room whose stub has a class: that of the module which shows it, else that of the package it is in."""
    shown = [r for r, name in registry.FILLED.items() if vars(sys.modules[name]).get(kind.__name__) is kind]
    return shown[0] if shown else kind.__module__.split(".")[1]


def imports(room: str, here: dict[str, type]) -> str:
    """What the stub takes from the other stubs, and its aliases."""
    lines = ["from marsdask.tensor.core import ExecutableTuple as ExecutableTuple"]
    for other in ("tensor", "dataframe"):
        if room != other:
            names = sorted(
                {
                    k.__name__
                    for k in registry.ATTACHED.values()
                    if k.__module__.startswith(f"marsdask.{other}.")
                }
                - {k.__name__ for k in here.values()}
            )
            lines += [
                f"from marsdask.{other} import {n}"
                for n in names
                if (other == "tensor" and n == "Tensor") or other == "dataframe"
            ]
    below = [r for r in registry.FILLED if r.rpartition(".")[0] == room]
    lines += [
        f"from marsdask.{room} import {r.rpartition('.')[2]} as {r.rpartition('.')[2]}" for r in sorted(below)
    ]
    lines += ["ArrayLike = Tensor | npt.ArrayLike | da.Array"]
    lines += ["FrameLike = DataFrame | Series | Index | Tensor | pd.DataFrame | pd.Series | pd.Index"]
    return "\n".join(lines) + "\n\n"


def values(name: str, room: str, taken: set[str]) -> Iterator[str]:
    """What else a module has: constants, dtypes, pandas' classes, plain functions."""
    space = vars(sys.modules[name])
    for each in sorted(
        {*gaps.NAMES.get(room, ()), *space.get("__all__", ())} & space.keys() - taken - {"ExecutableTuple"}
    ):
        value = space[each]
        if isinstance(value, types.ModuleType):
            continue
        home = "pd" if getattr(pd, each, None) is value else "np" if vars(np).get(each) is value else ""
        if home and (isinstance(value, type) or callable(value)):
            yield f"{each} = {home}.{each}\n"
        elif isinstance(value, types.FunctionType):
            yield documented(
                f"def {each}({parameters(inspect.signature(value), method=False)}) -> Any:",
                inspect.getdoc(value) or "",
            )
        else:
            yield f"{each}: {type_name(value)}\n"


def kubernetes() -> str:
    """The stub of `marsdask.deploy.kubernetes`: what `new_cluster` takes is said in a table, which no type checker reads."""
    found = [each.parameter for each in arguments.ARGUMENTS.values()]
    text = parameters(inspect.Signature(found), {p.name: p.annotation for p in found}, method=False)
    return f"{KUBERNETES}def new_cluster({text}, cluster_cls: type[KubernetesCluster] = ...) -> KubernetesClusterClient: ..."


def write(folder: pathlib.Path) -> list[pathlib.Path]:
    """Write a stub beside every module that was filled from the registry, and one for `new_cluster`."""
    found = learnt()
    written = []
    for room, name in registry.FILLED.items():
        if room.partition(".")[0] not in ("tensor", "dataframe"):
            continue  # plain functions with annotations of their own
        source = pathlib.Path(sys.modules[name].__file__ or "").resolve().relative_to(ROOT / "marsdask")
        path = folder / source.with_suffix(".pyi")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module(room, found), encoding="utf-8")
        written.append(path)
    written.append(folder / "deploy" / "kubernetes" / "__init__.pyi")
    written[-1].parent.mkdir(parents=True, exist_ok=True)
    written[-1].write_text(kubernetes(), encoding="utf-8")
    return written


if __name__ == "__main__":
    for path in write(ROOT / "marsdask"):
        print(f"wrote {path}")
