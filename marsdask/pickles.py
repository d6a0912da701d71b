"""How functions travel to processes that lack their modules, and how results come back as what they were.

cloudpickle takes what is in `__main__` along by value, and the rest by name. Here modules that are not installed go along as
well, and classes of a result are looked up by name first, so that a result is an instance of the reader's own class.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import pickle
import sys
import sysconfig
import threading
import time
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle

PROTOCOL = 5
_BORN = time.time()
"""When this process began, or little later."""


def is_users(module: types.ModuleType) -> bool:
    """Whether a module is neither Python's nor installed, but the user's own."""
    name = module.__name__
    if name in ("__main__", "__mp_main__"):
        return True
    top = name.partition(".")[0]
    if top in ("marsdask", "builtins"):
        return False
    file = getattr(module, "__file__", None)
    if top in sys.stdlib_module_names and not (file and _is_beside_pythons(file)):
        return False
    places: Iterable[str] = [file] if file else list(getattr(module, "__path__", ()))
    return bool(places) and not any(
        {"site-packages", "dist-packages"}.intersection(Path(place).parts) for place in places
    )


def _is_beside_pythons(file: str) -> bool:
    """Whether a file is a program's own, though it has the name of a module of Python's, such as `statistics`."""
    return not any(file.startswith(place) for place in _PYTHONS)


_PYTHONS = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")} | {"<", "frozen"})


_by_value = threading.RLock()  # cloudpickle's list is one of the whole process


def taking_along(value: Any, modules: Iterable[types.ModuleType]) -> bytes:
    """A pickle of `value` in which functions and classes of these modules are by value."""
    with _by_value:
        known = cloudpickle.list_registry_pickle_by_value()
        mine = [
            module for module in modules if module.__name__ not in known and module.__name__ in sys.modules
        ]
        for module in mine:
            cloudpickle.register_pickle_by_value(module)
        try:
            return bytes(cloudpickle.dumps(value, PROTOCOL))
        finally:
            for module in mine:
                cloudpickle.unregister_pickle_by_value(module)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc] # it has no types
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type) and "<locals>" not in obj.__qualname__ and not _here(obj):
            return found, (obj.__module__, obj.__qualname__, bytes(cloudpickle.dumps(obj, PROTOCOL)))
        return super().reducer_override(obj)


def _here(kind: type) -> bool:
    """Whether another process can be told of a class by its name alone."""
    return kind.__module__ != "__main__" and _named(kind.__module__, kind.__qualname__) is kind


def _named(module: str, qualname: str) -> Any:
    value: Any = sys.modules.get(module)
    for name in qualname.split("."):
        value = getattr(value, name, None)
    return value


def found(module: str, qualname: str, pickled: bytes) -> Any:
    """The class of that name in this process, or else the one that was taken along."""
    if module not in sys.modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    value = _named(module, qualname)
    return value if isinstance(value, type) else pickle.loads(pickled)


def result(value: Any) -> bytes:
    """A pickle of what a function gave back, for any process of the program."""
    buffer = io.BytesIO()
    _Pickler(buffer, PROTOCOL).dump(value)
    return buffer.getvalue()


class Source(NamedTuple):
    """The text of a module."""

    text: str
    path: str
    package: bool


def sources(names: Iterable[str]) -> dict[str, Source]:
    """The texts of modules of the user's, of what they import in turn and of the packages they are in, by name."""
    texts: dict[str, Source] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        module = sys.modules.get(name)
        if name in texts or module is None or not is_users(module) or name == "__main__":
            continue
        file = getattr(module, "__file__", None)
        package = hasattr(module, "__path__")
        if file is None or not file.endswith(".py"):
            text = ""
            if file is not None or not package:
                continue  # compiled: who lacks it says so
        else:
            text = Path(file).read_text(encoding="utf-8")
        texts[name] = Source(text, file or "", package)
        todo += [name.rpartition(".")[0]] * ("." in name)
        for value in vars(module).values():
            home = value if isinstance(value, types.ModuleType) else sys.modules.get(_home(value))
            if home is not None:
                todo.append(home.__name__)
    return texts


def _home(value: Any) -> str:
    return str(getattr(value, "__module__", None) or "")


class _Carried(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives modules whose text came along with a function."""

    def __init__(self) -> None:
        self.texts: dict[str, Source] = {}
        self.lock = threading.Lock()

    def take(self, texts: Mapping[str, Source]) -> None:
        with self.lock:
            if any(self.texts.get(name) != source for name, source in texts.items()):
                loaded = {name: sys.modules[name] for name in texts if name in sys.modules}
                stale = any(not _is_of(module, texts[name]) for name, module in loaded.items())
                self.texts.update(texts)
                for name in loaded if stale else ():  # all of them: they hold each other
                    del sys.modules[name]
            if self.texts and self not in sys.meta_path:
                sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        source = self.texts.get(fullname)
        if source is None:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, origin=source.path, is_package=source.package)
        if spec is not None and source.path:
            spec.has_location = True  # so that it is known, here too, for a module of the user's
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        source = self.texts[module.__name__]
        exec(compile(source.text, source.path, "exec"), vars(module))


def _is_of(module: types.ModuleType, source: Source) -> bool:
    """Whether a module of this process was made of this text: that of its file, which is older than the process."""
    if getattr(module.__spec__, "loader", None) is _carried:
        return False
    with contextlib.suppress(OSError, UnicodeDecodeError, AttributeError, TypeError):
        path = Path(str(module.__file__))
        return path.stat().st_mtime < _BORN and path.read_text(encoding="utf-8") == source.text
    return False


_carried = _Carried()


def packed(func: Any, modules: Iterable[types.ModuleType], imported: Iterable[str]) -> bytes:
    """A function as it travels: with these modules by value, and the texts of those that it imports when it runs.

    A module with a lock or a connection among its values goes as text, which is run where the function is.
    """
    modules = list(modules)
    try:
        pickled, texts = taking_along(func, modules), sources(imported)
    except Exception:
        try:
            pickled = bytes(cloudpickle.dumps(func, PROTOCOL))
        except Exception:  # noqa: BLE001 - the first says what it is
            pickled = b""
        if not pickled:
            raise
        texts = sources([*imported, *(module.__name__ for module in modules)])
    return pickle.dumps((pickled, texts), PROTOCOL)


class Opened(NamedTuple):
    """A function that has travelled, and the texts of modules that it imports when it runs."""

    func: Any
    texts: dict[str, Source]

    def take(self) -> Any:
        """The function, in a process in which its modules are those that it imports from now on.

        Functions of two versions of one module that run at the same time in one process share the later one.
        """
        if self.texts:
            _carried.take(self.texts)
        return self.func


def opened(content: bytes, *, here: bool = True) -> Opened:
    """A function that was `packed`; `here`: it is going to run in this process, which is not the program's."""
    pickled, texts = pickle.loads(content)
    if here and texts:
        _carried.take(texts)
    return Opened(pickle.loads(pickled), texts)


def digest(pickled: bytes) -> str:
    """A name for bytes."""
    return hashlib.blake2b(pickled, digest_size=16).hexdigest()


@contextlib.contextmanager
def missing(where: str) -> Iterator[None]:
    """Names the module that a function needs and this process has not."""
    try:
        yield
    except ModuleNotFoundError as error:
        from marsdask.errors import ModuleMissing

        raise ModuleMissing.on(where, str(error.name)) from error
