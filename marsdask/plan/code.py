"""What names a function by what it does: two of the same name do the same, in every process and wherever their files are.

Libraries hash a function by its pickle, which changes with each line above it and says nothing of what it imports, or by its own
bytecode, which says nothing of what it calls. Here a function is named part by part: itself, each function of the user's that it
reaches, their global values, closures, defaults, classes and their attributes, and the versions of installed packages. So
what changed can be told by name. Annotations of functions are no part, nor are docstrings that nobody reads.
"""

from __future__ import annotations

import contextlib
import copyreg
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import re
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from dask.tokenize import TokenizationError, tokenize

from marsdask.errors import NotPicklable
from marsdask.pickles import is_users
from marsdask.plan import bytecode

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
MADE_BY_PYTHON = re.compile(
    "__(dict|weakref|doc|module|qualname|firstlineno|static_attributes|slotnames|annotate.*|annotations_cache|"
    "conditional_annotations|classdictcell)__|_abc_impl"
)
"""Attributes of a class that follow from the others, or from where it stands."""
VALUELESS = tuple(
    kind
    for home in ("_thread", "threading", "weakref", "_weakref")
    for kind in vars(importlib.import_module(home)).values()
    if isinstance(kind, type) and kind.__module__ in (home, "_thread") and kind is not threading.local
)
"""Locks, events, weak references: what they are is all there is to say."""
CACHE = type(functools.cache(len))
HEAP = 1 << 9
"""The flag of classes that were made while Python ran."""
BUILTIN = (
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
)
INSIDE: dict[type, Callable[[Any], Iterable[Any]]] = {
    tuple: tuple,
    list: tuple,
    deque: tuple,
    dict: lambda value: chain.from_iterable(value.items()),
    types.MappingProxyType: lambda value: chain.from_iterable(value.items()),
    slice: lambda value: (value.start, value.stop, value.step),
    functools.partial: lambda value: (value.func, value.args, value.keywords, vars(value)),
    types.MethodType: lambda value: (value.__func__, value.__self__),
    staticmethod: lambda value: (value.__func__,),
    classmethod: lambda value: (value.__func__,),
    property: lambda value: (value.fget, value.fset, value.fdel),
    functools.cached_property: lambda value: (value.func,),
}
"""What values of these types are made of, in order."""


def code_parts(value: Any) -> dict[str, str]:
    """The parts by which a value is named, each with a digest: those of functions and classes of the user's that it reaches.

    Raises NotPicklable where something has no value that could be named, such as an open file.

    >>> def area(r, pi=3.14): return pi * r * r
    >>> sorted(name for name in code_parts(area) if "area" in name)
    ['area', 'default of pi in area']
    """
    return Walk(value).parts


def code_key(value: Any) -> str:
    """One name for a value and all its parts.

    >>> code_key(lambda x: x + 1) == code_key(lambda x:
    ...     x + 1  # elsewhere
    ... ), code_key(1) == code_key(1.0)
    (True, False)
    """
    return key_of(code_parts(value))


def item_key(value: Any) -> str:
    """The same of a value that a function is given: the versions of Python and packages are the function's."""
    parts = code_parts(value)
    return key_of(
        {name: each for name, each in parts.items() if name != "Python" and not name.startswith("package ")}
    )


def key_of(parts: Mapping[str, str]) -> str:
    """The name of a whole, of the digests of its parts."""
    return _digest(repr(sorted(parts.items())).encode()).hex()


class Walk:
    """The way through a value to all that it refers to. `modules`: the user's that were met, by name; `imported`: those of
    them that functions import when they run."""

    def __init__(self, value: Any):
        self.parts: dict[str, str] = {}
        self.modules: dict[str, types.ModuleType] = {}
        self.imported: set[str] = set()
        self._labels: dict[Any, str] = {}  # by identity
        self._taken = {
            "value",
            "Python",
            "docstrings",
            "version=",
        }  # parts of all, and one of the durable map
        self._alive: list[Any] = []  # ids are names as long as nobody else gets them
        self._known: dict[int, bytes] = {}
        self._open: dict[int, int] = {}
        self._todo: deque[Callable[[], None]] = deque()
        self._docs: dict[str, str | None] = {}
        self._reads_docs = False
        try:
            self.parts["value"] = self.value(value).hex()
            while self._todo:
                self._todo.popleft()()
        except RecursionError as error:
            raise NotPicklable.because(f"{_shown(value)}, which is nested too deeply,", error) from None
        if self._reads_docs:
            self.parts["docstrings"] = _digest(repr(sorted(self._docs.items())).encode()).hex()
        self.parts["Python"] = "{}.{}".format(*sys.version_info[:2])

    # Values

    def value(self, value: Any) -> bytes:
        """A digest of a value, in which functions and classes are named by their part."""
        kind = type(value)
        if kind in PLAIN:
            return _digest(f"{kind.__name__}:{value!r}".encode())
        if _is_part(value):
            return _digest(f"part:{self._part(value)}".encode())
        if id(value) in self._known:
            return self._known[id(value)]
        if id(value) in self._open:
            return _digest(f"above:{len(self._open) - self._open[id(value)]}".encode())
        self._open[id(value)] = len(self._open)
        self._alive.append(value)
        try:
            found = _digest(b"".join(self._fed(value)))
        finally:
            del self._open[id(value)]
        self._known[id(value)] = found
        return found

    def _fed(self, value: Any) -> Iterator[bytes]:
        """What the digest of one value is made of."""
        kind = type(value)
        yield f"{self._part(kind)}:".encode()
        if kind in INSIDE:
            yield from map(self.value, INSIDE[kind](value))
        elif kind in (set, frozenset):
            yield from sorted(map(self.value, value))
        elif kind is types.ModuleType:
            yield self._module(value).encode()
        elif kind is types.CodeType:
            yield bytecode.digest(value)
        elif isinstance(value, BUILTIN):
            yield from self._builtin(value)
        elif _is_installed(value):  # a function of another type, as NumPy's are
            yield f"{value.__module__}.{value.__qualname__}{self._package(value.__module__)}".encode()
        elif isinstance(value, Enum):
            yield value.name.encode()
        elif kind in VALUELESS:
            return
        elif hasattr(kind, "__dask_tokenize__") and _top(kind) != "xarray":  # it says itself what it is
            yield self.value(value.__dask_tokenize__())
        elif kind is CACHE:
            yield self.value(value.__wrapped__)
        elif kind is np.ndarray and not value.dtype.hasobject:
            yield from _array(value)
        elif isinstance(value, (pd.DataFrame, pd.Series)):
            yield from map(self.value, _columns(value))
        elif _is_data(value) and (token := _token(value)):
            yield token
        else:
            yield from self._reduced(value)

    def _builtin(self, value: Any) -> Iterator[bytes]:
        """A function or method that was not written in Python."""
        owner = getattr(value, "__self__", getattr(value, "__objclass__", None))
        yield value.__qualname__.encode()
        if owner is None or isinstance(owner, types.ModuleType):
            home = str(getattr(value, "__module__", None) or "builtins")
            self._met(home)
            yield self._package(home).encode()
        else:
            yield self.value(owner)

    def _reduced(self, value: Any) -> Iterator[bytes]:
        """What an object says itself that it is made of."""
        kind = type(value)
        try:
            reducer = copyreg.dispatch_table.get(kind)
            said = reducer(value) if reducer else value.__reduce_ex__(4)
        except Exception as error:
            if not hasattr(value, "__wrapped__"):
                raise NotPicklable.because(_shown(value), error, "in a form that names its value") from error
            # A proxy, as wrapt's: of a function, and what is done around it.
            yield from map(self.value, (value.__wrapped__, getattr(value, "_self_wrapper", None)))
            return
        self._package(kind.__module__)
        if isinstance(said, str):
            yield said.encode()
            return
        func, args, state, items, pairs = (*said, None, None, None)[:5]
        yield from (self.value(func), self.value(args), self.value(state))
        for each in items or ():
            yield self.value(each)
        for key, each in pairs or ():
            yield from (self.value(key), self.value(each))

    # Parts

    def _label(self, mark: Any, name: str) -> str:
        """A new label for what has none yet: a second one of a name has a number, in the order in which they are met."""
        number, label = 1, name
        while label in self._taken:
            number += 1
            label = f"{name}#{number}"
        self._taken.add(label)
        self._labels[mark] = label
        return label

    def _part(self, value: Any) -> str:
        """The part that a function or class is."""
        mark = id(value)
        if mark in self._labels:
            return self._labels[mark]
        self._alive.append(value)
        if _is_installed(value) or _is_pythons(value):
            self._labels[mark] = f"{value.__module__}.{value.__qualname__}"
            self._package(value.__module__)
            return self._labels[mark]
        label = self._label(mark, value.__qualname__.replace("<locals>.", ""))
        self._met(value.__module__)
        one = self._function if isinstance(value, types.FunctionType) else self._class
        self._todo.append(functools.partial(one, label, value))
        return label

    def _put(self, mark: Any, name: str, make: Callable[[], bytes]) -> str:
        """The part of that mark, its digest made at most once."""
        if mark not in self._labels:
            label = self._label(mark, name)
            self.parts[label] = ""
            self.parts[label] = make().hex()
        return self._labels[mark]

    def _function(self, label: str, func: types.FunctionType) -> None:
        said = [bytecode.digest(func.__code__)]
        used = bytecode.uses(func.__code__)
        home = str(func.__globals__.get("__name__"))
        if not _is_users_name(home):
            self._package(home)
        around = func.__globals__
        said += [f"{path}:{self._global(around, path)};".encode() for path in sorted(used.paths)]
        said += [f"{each[0]}:{self._import(around, *each)};".encode() for each in sorted(used.imports)]
        names = func.__code__.co_varnames
        count = func.__code__.co_argcount
        given = dict(
            zip(names[count - len(func.__defaults__ or ()) : count], func.__defaults__ or (), strict=True)
        )
        self._named(given | (func.__kwdefaults__ or {}), f"default of {{}} in {label}")
        cells = {}
        for name, cell in zip(func.__code__.co_freevars, func.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # not there yet
                cells[name] = cell.cell_contents
        self._named(cells, f"variable {{}} around {label}")
        self._named(vars(func), f"attribute {{}} of {label}")
        self._docs[label] = func.__doc__
        self._reads_docs |= "__doc__" in used.names
        self.parts[label] = _digest(b"".join(said)).hex()

    def _named(self, values: Mapping[str, Any], words: str) -> None:
        for name, each in sorted(values.items()):
            self.parts[words.format(name)] = self.value(each).hex()

    def _class(self, label: str, kind: type) -> None:
        said = [self.value(base) for base in (type(kind), *kind.__bases__)]
        for name, each in sorted(vars(kind).items()):
            if MADE_BY_PYTHON.fullmatch(name):
                continue
            # What they are made of stands in the class besides.
            if isinstance(each, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                said.append(name.encode())
            elif isinstance(each, types.FunctionType):
                said.append(f"{name}:{self._part(each)};".encode())
            else:
                self.parts[f"attribute {name} of {label}"] = self.value(each).hex()
        self._docs[label] = kind.__doc__
        self.parts[label] = _digest(b"".join(said)).hex()

    def _global(self, variables: Mapping[str, Any], path: tuple[str, ...]) -> str:
        """The part that a global name is, followed through modules."""
        name, *rest = path
        if name not in variables:
            return "builtin" if name in vars(importlib.import_module("builtins")) else "absent"
        value = variables[name]
        mark: Any = (id(variables), name)
        while isinstance(value, types.ModuleType) and rest and is_users(value):
            self._met(value.__name__)
            name = rest.pop(0)
            if not hasattr(value, name):
                return "absent"
            mark, value = (id(vars(value)), name), getattr(value, name)
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if _is_part(value):
            return self._part(value)
        return self._put(mark, f"global {name}", lambda: self.value(value))

    def _import(self, variables: Mapping[str, Any], name: str, level: int, taken: tuple[str, ...]) -> str:
        """The part that an import inside of a function brings."""
        package = str(variables.get("__package__") or "") if level else ""
        try:
            full = importlib.util.resolve_name("." * level + name, package) if level else name
        except ImportError:  # the function will find out
            return "absent"
        if full not in sys.modules and _is_installed_name(full.partition(".")[0]):
            return self._package(full)  # without its import, which may take long
        module = _imported(full)
        if module is None:
            return "absent"
        if not is_users(module):
            return self._module(module)
        self.imported.add(full)
        self._met(full)
        if not taken or taken == ("*",):
            return self._module(module)
        found = []
        for each in taken:
            with contextlib.suppress(ImportError):
                if not hasattr(module, each):
                    _imported(f"{full}.{each}")
            inner = getattr(module, each, None)
            if isinstance(inner, types.ModuleType) and is_users(inner):
                self.imported.add(inner.__name__)
            found.append(self._global(vars(module), (each,)))
        return ", ".join(found)

    def _module(self, module: types.ModuleType) -> str:
        """The part that a whole module is: one of the user's with all that is in it."""
        if not is_users(module):
            return self._package(module.__name__)
        self._met(module.__name__)
        mark = id(module)
        if mark not in self._labels:
            self._alive.append(module)
            short = module.__name__.rpartition(".")[2]
            label = self._label(mark, f"module {short}")
            self._todo.append(functools.partial(self._inside, label, module))
        return self._labels[mark]

    def _inside(self, label: str, module: types.ModuleType) -> None:
        said = []
        for name in sorted(vars(module)):
            if not (name.startswith("__") and name.endswith("__")):
                with contextlib.suppress(NotPicklable):  # what has no value to tell, an open file
                    said.append(f"{name}:{self._global(vars(module), (name,))};")
        self.parts[label] = _digest("".join(said).encode()).hex()

    def _met(self, name: str | None) -> None:
        module = sys.modules.get(str(name))
        if module is not None and module.__name__ != "__main__" and is_users(module):
            self.modules[module.__name__] = module
            file = getattr(module, "__file__", None) or ""
            if file and not file.endswith((".py", ".pyc")):  # compiled: its file is all there is to see
                label = f"file of {module.__name__.rpartition('.')[2]}"
                if label not in self.parts:
                    self.parts[label] = _file(file)

    def _package(self, name: str) -> str:
        """The part that an installed package is: its version. Python's own modules are Python's."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in ("builtins", "__main__") or _is_users_name(name):
            return f"module {name}"
        label = f"package {top}"
        if label not in self.parts:
            self.parts[label] = version_of(top)
        return label


def _digest(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _shown(value: Any) -> str:
    kind = type(value)
    return f"a value of {kind.__module__}.{kind.__qualname__}"


def _token(value: Any) -> bytes | None:
    """Dask's name for data; None where that is not the same in every process."""
    try:
        return str(tokenize(value, ensure_deterministic=True)).encode()
    except TokenizationError:
        return None


def _is_part(value: Any) -> bool:
    """Whether it is a function or class, and nothing that stands for one."""
    return issubclass(type(value), type) or type(value) is types.FunctionType


def _top(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _is_data(value: Any) -> bool:
    """Whether Dask's name for it says all: values of pandas and NumPy with one axis or none. Its name of arrays does not tell
    a matrix from its transpose, nor that of frames which column is which."""
    return isinstance(value, (np.generic, np.dtype)) or _top(type(value)) == "pandas"


def _array(value: np.ndarray) -> Iterator[bytes]:
    """An array of plain values: the order in which they lie in memory does not count."""
    yield repr((value.dtype.descr, value.dtype.str, value.shape)).encode()
    flat = np.ascontiguousarray(value).reshape(-1)
    yield _digest(flat.view(np.uint8).data if flat.size and flat.dtype.itemsize else b"")


def _columns(value: pd.DataFrame | pd.Series) -> Iterator[Any]:
    """What a frame or series is made of."""
    yield from (value.index, value.attrs)
    if isinstance(value, pd.DataFrame):
        yield value.columns
    else:
        yield value.name
    for each in [value.iloc[:, i] for i in range(value.shape[1])] if value.ndim == 2 else [value]:
        yield each.to_numpy() if isinstance(each.dtype, np.dtype) else each.array


def _file(path: str) -> str:
    try:
        return _digest(Path(path).read_bytes()).hex()
    except OSError:
        return path


@functools.cache
def version_of(top: str) -> str:
    """The version of the distribution that brings a package of that name."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(top)
    brought = importlib.metadata.packages_distributions().get(top, ())
    if brought:
        return ", ".join(f"{each} {importlib.metadata.version(each)}" for each in sorted(set(brought)))
    return str(getattr(sys.modules.get(top), "__version__", "unknown"))


def _imported(name: str) -> types.ModuleType | None:
    """A module that a function is going to import; None where it cannot be, which the function will find out."""
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001 - runs anybody's code
        return None


def _is_installed_name(top: str) -> bool:
    """Whether a package of that name is Python's or installed, without importing it."""
    if top in sys.stdlib_module_names:
        return True
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(top)
        places = (
            [str(spec.origin or ""), *(spec.submodule_search_locations or ())] if spec is not None else []
        )
        return any({"site-packages", "dist-packages"}.intersection(Path(place).parts) for place in places)
    return False


def _of_user(value: Any) -> bool:
    """Whether a function or class was written by the user: in the program, or in a module that is not installed."""
    name = getattr(value, "__module__", None)
    return name is None or _is_users_name(str(name))


def _is_installed(value: Any) -> bool:
    """Whether it is a function or class that its name is enough for."""
    return (
        isinstance(getattr(value, "__module__", None), str)
        and isinstance(getattr(value, "__qualname__", None), str)
        and not _of_user(value)
        and _is_found(value)
    )


def _is_pythons(value: Any) -> bool:
    """Whether it is a class that was not made by a program, as that of built-in methods, which no module has by its name."""
    return isinstance(value, type) and not value.__flags__ & HEAP


def _is_found(value: Any) -> bool:
    """Whether a function or class is what its module has by its name; one made inside of a function is not."""
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


def _is_users_name(name: str) -> bool:
    module = sys.modules.get(name)
    return name not in ("builtins",) and (module is None or is_users(module))
