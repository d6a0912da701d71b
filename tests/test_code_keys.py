"""What names a function: the edits that leave its name as it is, those that change it, and the part that they change."""

import datetime
import functools
import importlib
import json
import logging
import os
import subprocess
import sys
import threading
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from marsdask.errors import NotPicklable
from marsdask.plan import code
from tests.processes import PATIENCE

TOOLS = '''
import math

RATE = 3
TABLE = {"a": 1, "b": [2, 3]}
WORDS = {"one", "two", "three"}


def helper(x):
    return deeper(x) + RATE


def deeper(x):
    """Says how deep."""
    return x * TABLE["a"]


def unused(x):
    return -x


def doubling(func):
    def both(x):
        return 2 * func(x)
    return both


def scaled(by):
    def around(func):
        def inner(x):
            return by * func(x)
        return inner
    return around


class Base:
    SHIFT = 7

    def low(self, x):
        return x + self.SHIFT


class Model(Base):
    """A model."""

    rate = 0.5
    limits: "tuple" = (1, 2)

    def __init__(self, depth=2):
        self.depth = depth

    def fit(self, x):
        return self.low(x) * self.depth * self.rate

    @property
    def double(self):
        return self.depth * 2

    @staticmethod
    def plain():
        return 11
'''

PROGRAM = """
import functools

import gears
from gears import Model, doubling, scaled

FACTOR = 1
KINDS = frozenset(["x", "y", "z"])
MODEL = Model(depth=3)


def near(x):
    return x + FACTOR


def around(offset):
    def inner(x, y=4):
        if x > 3:
            return x + offset
        else:
            return [gears.helper(i) for i in range(y)]
    return inner


closed = around(5)


@scaled(2)
@doubling
def decorated(x):
    return near(x)


def train(x, depth=3, *, mode="fast"):
    # A comment.
    try:
        from gears import WORDS
        value = closed(x) if x in KINDS else decorated(x)
    except (ValueError, KeyError):
        value = 0
    return MODEL.fit(value), (lambda a: a + 1)(depth), mode, len(WORDS)
"""

Edit = tuple[str, str, str]
KEPT: dict[str, Edit] = {
    "lines shifted": ("program", "FACTOR = 1\n", "\n\n\nFACTOR = 1\n\n\n"),
    "lines of another module shifted": ("gears", "RATE = 3\n", "\n\n\nRATE = 3\n"),
    "comment": ("program", "# A comment.", "# Another one,\n    # over two lines."),
    "layout of a call": (
        "program",
        "MODEL.fit(value), (lambda",
        "MODEL.fit(\n        value\n    ), (\n  lambda",
    ),
    "layout of a condition": (
        "program",
        "closed(x) if x in KINDS else decorated(x)",
        "(\n            closed(x)\n            if x in KINDS\n            else decorated(x)\n        )",
    ),
    "docstring": ("gears", "Says how deep.", "Says nothing."),
    "docstring of a class": ("gears", "A model.", "No model."),
    "what is not called": ("gears", "return -x", "return +x"),
    "a new function": ("gears", "RATE = 3\n", "RATE = 3\ndef more(): return RATE\n"),
    "order of functions": ("program", "def near(x):\n    return x + FACTOR\n", ""),
    "annotation": ("program", "def near(x):", "def near(x: int) -> int:"),
    "order in a set": ("gears", '{"one", "two", "three"}', '{"three", "one", "two"}'),
}
DROPPED: dict[str, tuple[str, str, str, str]] = {
    "body": ("program", "value = 0", "value = 1", "train"),
    "exceptions": ("program", "(ValueError, KeyError)", "(ValueError, TypeError)", "train"),
    "type of a constant": ("program", "value = 0", "value = 0.0", "train"),
    "helper": ("program", "x + FACTOR", "x - FACTOR", "near"),
    "helper of another module": ("gears", "deeper(x) + RATE", "deeper(x) - RATE", "helper"),
    "helper of a helper": ("gears", 'x * TABLE["a"]', 'x / TABLE["a"]', "deeper"),
    "global": ("program", "FACTOR = 1", "FACTOR = True", "global FACTOR"),
    "global of another module": ("gears", "RATE = 3", "RATE = 4", "global RATE"),
    "table": ("gears", "[2, 3]", "[2, 4]", "global TABLE"),
    "set": ("program", '"z"', '"w"', "global KINDS"),
    "what is imported inside": ("gears", '"three"}', '"four"}', "global WORDS"),
    "default": ("program", "depth=3, *", "depth=4, *", "default of depth in train"),
    "keyword default": ("program", 'mode="fast"', 'mode="slow"', "default of mode in train"),
    "closure": ("program", "around(5)", "around(6)", "variable offset around around.inner"),
    "default inside": ("program", "y=4", "y=5", "default of y in around.inner"),
    "lambda": ("program", "a + 1", "a + 2", "train"),
    "branch": ("program", "x > 3", "x >= 3", "around.inner"),
    "decorator": ("gears", "2 * func(x)", "3 * func(x)", "doubling.both"),
    "argument of a decorator": (
        "program",
        "@scaled(2)",
        "@scaled(3)",
        "variable by around scaled.around.inner",
    ),
    "method": ("gears", "* self.depth * self.rate", "* self.depth + self.rate", "Model.fit"),
    "method of a base": ("gears", "x + self.SHIFT", "x - self.SHIFT", "Base.low"),
    "property": ("gears", "self.depth * 2", "self.depth * 3", "Model.double"),
    "static method": ("gears", "return 11", "return 12", "Model.plain"),
    "attribute of a class": ("gears", "rate = 0.5", "rate = 0.25", "attribute rate of Model"),
    "attribute of a base": ("gears", "SHIFT = 7", "SHIFT = 8", "attribute SHIFT of Base"),
    "attribute of an object": ("program", "Model(depth=3)", "Model(depth=4)", "global MODEL"),
    "bases": ("gears", "class Model(Base):", "class Model(Base, dict):", "Model"),
}


class Project:
    """A program and a module of it in a folder, which tests edit and import anew."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.files = {"program": PROGRAM, "gears": TOOLS}

    def parts(self, name: str = "train") -> dict[str, str]:
        for module, text in self.files.items():
            (self.folder / f"{module}.py").write_text(text)
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        program = importlib.import_module("program")
        return code.code_parts(getattr(program, name))

    def edit(self, module: str, old: str, new: str) -> None:
        assert self.files[module].count(old) == 1, (module, old)
        self.files[module] = self.files[module].replace(old, new)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Project(tmp_path)
    for module in ("program", "gears"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize("name", KEPT)
def test_kept(project: Project, name: str) -> None:
    before = project.parts()
    project.edit(*KEPT[name])
    if name == "order of functions":
        project.files["program"] += "\n\ndef near(x):\n    return x + FACTOR\n"
    assert project.parts() == before


@pytest.mark.parametrize("name", DROPPED)
def test_dropped(project: Project, name: str) -> None:
    before = project.parts()
    *edit, part = DROPPED[name]
    project.edit(*edit)
    after = project.parts()
    assert part in {each for each in before | after if before.get(each) != after.get(each)}
    assert code.key_of(before) != code.key_of(after)


def test_reads_its_docstring(project: Project) -> None:
    project.edit("program", "value = 0", "value = gears.deeper.__doc__")
    before = project.parts()
    project.edit("gears", "Says how deep.", "Says nothing.")
    after = project.parts()
    assert [each for each in before if before[each] != after[each]] == ["docstrings"]


def test_in_other_processes(tmp_path: Path) -> None:
    """The same from a module, as the program, under other names in another folder, and for each hash seed."""
    ends = {
        "here": "\nimport json\nfrom marsdask.plan.code import code_parts\nprint(json.dumps(code_parts(train)))\n",
        "by name": "\nif __name__ == '__main__':\n import json\n import renamed\n"
        " from marsdask.plan.code import code_parts\n print(json.dumps(code_parts(renamed.train)))\n",
    }
    said = []
    for number, (name, end) in enumerate(ends.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "gears.py").write_text(TOOLS)
        (folder / "renamed.py").write_text(PROGRAM + end)
        for seed in "123":
            done = subprocess.run(
                [sys.executable, "renamed.py"], cwd=folder, env=os.environ | {"PYTHONHASHSEED": seed}, text=True,
                capture_output=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            said.append(json.loads(done.stdout))
        assert name
    assert all(each == said[0] for each in said)


KINDS = """
import enum, dataclasses, abc, typing, functools, collections, sys, contextlib, re, datetime, decimal, fractions, pathlib, uuid, logging
from marsdask.plan.code import code_parts
class Color(enum.Enum):
    RED=1
    def up(self): return self.value
class Flag(enum.Flag): A=1; B=2
@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: int = 3
    y: list = dataclasses.field(default_factory=list)
class NT(typing.NamedTuple):
    a: int = 1
class Base(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class Child(Base):
    __slots__ = ("q",)
    def f(self): return super().__init__()
T = typing.TypeVar("T")
class Box(typing.Generic[T]):
    def get(self) -> T: ...
class Proto(typing.Protocol):
    def z(self): ...
class TD(typing.TypedDict): a: int
@functools.cache
def cached(x): return x
@functools.singledispatch
def single(x): return x
@single.register
def _(x: int): return 1
@contextlib.contextmanager
def ctx(): yield
PAT = re.compile("a+")
LOG = logging.getLogger("x")
class Meta(type):
    def __call__(cls, *a): return super().__call__(*a)
class WithMeta(metaclass=Meta):
    cp = functools.cached_property(lambda self: 3)
    part = functools.partialmethod(lambda self, x: x, 3)
def gen():
    yield from range(3)
async def co(): return 1
def use(x, when=datetime.datetime(2020,1,1), d=decimal.Decimal("1.2"), p=pathlib.Path("a"), u=uuid.UUID(int=3), od=collections.OrderedDict(a=1), dd=collections.defaultdict(list), c=collections.Counter("aab")):
    match x:
        case {"a": 1}: pass
        case [1, *rest]: pass
    def inner():
        nonlocal x
        x = 1
    class L:
        y = PAT
    return Color.RED, Flag.A|Flag.B, Point(), NT(), Child, Box[int], Proto, TD, cached(1), single(1), ctx, LOG, WithMeta, gen, co, f"{x!r:>{3}}", [y for y in range(3) if y], {**{}}, (z := 3)

import json
print(json.dumps(sorted(code_parts(use).items())))
"""


def test_kinds_of_classes_and_functions(tmp_path: Path) -> None:
    """Enumerations, dataclasses, caches, dispatch, generics: all have names, the same in every process."""
    (tmp_path / "kinds.py").write_text(KINDS)
    said = [
        subprocess.run(
            [sys.executable, "kinds.py"], cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": seed}, text=True,
            capture_output=True, timeout=PATIENCE, check=True,
        ).stdout
        for seed in "12"
    ]  # fmt: skip
    assert said[0] == said[1]
    parts = dict(json.loads(said[0]))
    assert {"Color", "Color.up", "Point", "Child.f", "cached", "ctx", "Meta.__call__", "gen"} <= set(parts)


def test_versions(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.edit("program", "import gears\n", "import gears\nimport numpy as np\n")
    project.edit("program", "value = 0", "value = np.random.default_rng()")
    before = project.parts()
    assert before["package numpy"] == np.__version__
    monkeypatch.setattr(code, "version_of", lambda top: "0.1")
    after = project.parts()
    assert [each for each in before if before[each] != after[each]] == ["package numpy"]


Point = namedtuple("Point", "x y")
SQUARE = np.arange(4.0).reshape(2, 2)
WITH_ATTRS = pd.DataFrame({"a": [1]})
WITH_ATTRS.attrs["unit"] = "m"


class Unit(np.ndarray):
    """An array that knows more than its numbers."""


METRES, FEET = np.arange(2.0).view(Unit), np.arange(2.0).view(Unit)
METRES.unit, FEET.unit = "m", "ft"  # type: ignore[attr-defined]


def value(x: int, y: int) -> int:
    """It has the name of a part."""
    return x + y


DIFFERENT: list[Any] = [
    SQUARE, SQUARE.T, SQUARE[::-1], SQUARE.ravel(), pd.DataFrame(SQUARE), pd.DataFrame(SQUARE.T),
    pd.DataFrame({"a": [1], "b": [2.0], "c": [3]}), pd.DataFrame({"a": [1], "b": [3], "c": [2.0]}), WITH_ATTRS,
    pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": pd.array([1], dtype="Int64")}), pd.DataFrame({"a": pd.Categorical(["x"])}),
    np.array(["2020"], dtype="M8[D]"), np.array(["2020"], dtype="M8[s]"), np.zeros((0, 2)), np.zeros((2, 0)),
    np.zeros(2, dtype=[("a", "f4")]), np.zeros(2, dtype=[("b", "f4")]), pd.Index(["a"]), pd.MultiIndex.from_product([[1], [2]]),
    functools.partial(value, 3), functools.partial(value, 4), functools.cache(value), value,
    1, True, 1.0, 1 + 0j, "1", b"1", None, ..., 0.0, -0.0, float("nan"), (1,), [1], {1}, frozenset({1}), {1: 2}, {2: 1},
    {1: 2, 3: 4}, {3: 4, 1: 2}, range(1), slice(1), Point(1, 2), Point(2, 1), np.int64(1), np.int32(1), np.array([1]),
    np.array([1.0]), np.array([[1]]), np.array([1, None], dtype=object), np.array([1, "a"], dtype=object),
    pd.Series([1]), pd.Series([1], name="a"), pd.Series(["a"]), pd.DataFrame({"a": [1]}), pd.Timestamp("2020"),
    datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), np.random.RandomState(1), np.random.RandomState(2), len, str.lower,
    "a".lower, "b".lower, np.add, np.subtract, np.sum, int, float, [[]], [[[]]], np.dtype("f4"), np.dtype("f8"), Path("a"), Path("b"),
    logging.getLogger("a"), logging.getLogger("b"), threading.Lock(), logging, json,
]  # fmt: skip


def test_values_that_differ() -> None:
    keys = [code.code_key(each) for each in DIFFERENT]
    assert len(set(keys)) == len(keys)
    assert keys == [code.code_key(each) for each in DIFFERENT]


def test_values_that_are_the_same() -> None:
    assert code.code_key(np.asfortranarray(SQUARE)) == code.code_key(SQUARE)
    assert code.code_key(SQUARE[:, ::-1][:, ::-1]) == code.code_key(SQUARE)
    assert code.item_key(np.arange(3)) == code.item_key(np.arange(3))


def test_rings_and_depths() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    other: list[Any] = [2]
    other.append(other)
    assert code.code_key(ring) != code.code_key(other)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(NotPicklable, match="nested too deeply"):
        code.code_key(deep)
    while deep:
        deep = deep[0]
    shared: Any = [0]
    for _ in range(200):
        shared = [shared, shared]
    assert code.code_key(shared)


def test_what_has_no_value(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file, pytest.raises(NotPicklable, match="TextIOWrapper"):
        code.code_key(file)
    with pytest.raises(NotPicklable, match="generator"):
        code.code_key(i for i in [1])
