"""What editors, type checkers and `help()` know of the public names."""

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array.image  # of which a reason tells
import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.coverage import belongs
from marsdask.plan import gaps, registry
from marsdask.plan.handle import Handle

ROOT = Path(__file__).parent.parent
GOOD = """
import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt

x = mt.ones((3, 4), chunk_size=2)
total = (x + 1).sum(axis=0).execute().fetch()
y: mt.Tensor = mt.sort(mt.exp(x) * 2, axis=-1).T
frame = md.DataFrame({"a": [1.0, None], "k": [1, 2]}, chunk_size=1)
mended: md.Series = frame["a"].fillna(0)
reveal_type(mended.sum())
reveal_type(frame[["a"]].execute())
reveal_type(frame.groupby("k").sum())
reveal_type(frame.groupby("k")["a"].mean())
reveal_type(md.read_csv("flights.csv"))
reveal_type(mt.random.RandomState(0).rand(3))
reveal_type(mt.random.normal(size=3))
reveal_type(x.execute())
reveal_type(x.execute().fetch())
reveal_type(mt.arange(3).to_numpy())
reveal_type(marsdask.execute(x))
reveal_type(marsdask.execute(x, frame))
reveal_type(marsdask.execute(x, wait=False))
reveal_type(marsdask.fetch(x))
reveal_type(marsdask.fetch(x, frame))
reveal_type(marsdask.tensor.ones(3))
read = md.read_csv("flights.csv")["a"].fillna(0).sum().execute().fetch()
"""
KINDS = [
    "Tensor", "DataFrame", "DataFrame", "Series", "DataFrame", "Tensor", "Tensor", "Tensor", "ndarray[Any, Any]", "ndarray[Any, Any]",
    "Tensor", "list[Any]", "ExecutionInfo", "ndarray[Any, Any]", "list[Any]", "Tensor",
]  # fmt: skip
"""What the program's values are, in its order."""
BAD = {
    "mt.sort([3, 1], axs=0)": 'Unexpected keyword argument "axs"',
    "mt.ones((3, 4)).summ()": '"Tensor" has no attribute "summ"',
    "md.Series([1]).fillna(valu=0)": 'Unexpected keyword argument "valu"',
    "mt.sumy(1)": 'Module has no attribute "sumy"',
}


def checked(source: str, folder: Path) -> str:
    """What mypy --strict says of a program, run elsewhere than in the checkout.

    With the settings and the cache of the package's own check, where the libraries' types are: 3 s then, 65 s without.
    """
    mypy = pytest.importorskip("mypy.api", reason="mypy is installed only for work on marsdask itself")
    program = folder / "program.py"
    program.write_text(source)
    settings = [f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}"]
    out, err, _ = mypy.run([str(program), *settings, f"--python-executable={sys.executable}"])
    return out + err


@pytest.mark.mypy
def test_a_program_is_known_to_mypy(tmp_path: Path) -> None:
    bad = "\n".join(BAD)
    said = checked(f"{GOOD}\n{bad}\n", tmp_path)
    errors = [line for line in said.splitlines() if "error:" in line]
    assert len(errors) == len(BAD), said
    for want, line in zip(BAD.values(), errors, strict=True):
        assert want in line
    kinds = [line.partition('type is "')[2] for line in said.splitlines() if "Revealed" in line]
    assert [k.rstrip('"').rpartition(".")[2] for k in kinds] == KINDS


def public_names() -> Iterator[tuple[str, Any]]:
    for room, module in registry.FILLED.items():
        space = importlib.import_module(module)
        yield from (
            (f"{room}.{op.public}", getattr(space, op.public))
            for op in registry.in_room(room)
            if belongs(op, room)
        )
    for owner, kind in registry.ATTACHED.items():
        own = (op for op in registry.OPS.values() if owner in op.owners and not op.public.startswith("_"))
        yield from ((f"{owner}.{op.public}", inspect.getattr_static(kind, op.public)) for op in own)


def test_help_and_signatures() -> None:
    bare = [
        name
        for name, function in public_names()
        if not (inspect.getdoc(function) or "").strip().splitlines()[:1]
    ]
    assert not bare
    functions = [(name, function) for name, function in public_names() if callable(function)]
    assert not [
        name for name, f in functions if any(p.startswith("_") for p in inspect.signature(f).parameters)
    ]
    assert not [name for name, f in functions if f.__name__ != name.rpartition(".")[2]]


def test_dir_shows_every_name() -> None:
    frame, tensor = md.DataFrame({"column": [1]}), mt.ones(3)
    for owner, handle in (("DataFrame", frame), ("Tensor", tensor), ("Series", frame["column"])):
        names = {op.public for op in registry.OPS.values() if owner in op.owners and op.built}
        assert names <= set(dir(handle))
    assert "column" in dir(frame)
    for module, room in ((mt, "tensor"), (md, "dataframe")):
        assert {op.public for op in registry.in_room(room) if op.function and op.built} <= set(dir(module))


def test_dir_shows_nothing_else() -> None:
    """Neither gaps, nor what modules import, nor what handles have for us."""
    frame = md.DataFrame({"column": [1], "time": pd.to_datetime(["2020"]), 3: 1}, chunk_size=1)
    groups, series, rows = frame.groupby("column"), frame["column"], frame.index
    others = [series.rolling(1), series.astype(str).str, frame["time"].dt, frame.loc, groups.column]
    inside = {"known", "collection", "kind", "what", "unexecuted_repr"}
    inside |= {name for name in vars(Handle) if not name.startswith("_")}
    for each in (mt.ones(3), frame, series, rows, groups, *others):
        found = {n: inspect.getattr_static(type(each), n, None) for n in dir(each)}
        assert not found.keys() & inside
        assert not [n for n, has in found.items() if not getattr(registry.entry_of(has), "built", True)]
    assert not {"stack", "rebind"} & set(dir(md.DataFrame))  # prompts look at the class, too
    assert not {"iloc", "index"} & set(dir(rows))
    assert not {"column", "corrwith"} & set(dir(groups.column))
    assert {"column", "time"} <= set(dir(groups))
    assert set(dir(md)) - {n for n in dir(md) if n.startswith("__")} == set(md.__all__)
    for module, names in (
        (marsdask, ["tensor", "fetch"]),
        (marsdask.session, ["fetch"]),
        (marsdask.remote, ["spawn"]),
    ):
        assert set(names) <= set(dir(module))
        assert not {"plan", "gaps", "functions", "registry", "Any"} & set(dir(module))
    assert dir(importlib.import_module("marsdask.learn.cluster")) == []


def test_misspelt_names_of_the_package_are_told() -> None:
    with pytest.raises(AttributeError, match=r"'new_sesion'\. Did you mean 'new_session'"):
        _ = marsdask.new_sesion  # type: ignore[attr-defined]


def test_keys_are_completed() -> None:
    frame = md.DataFrame({"a": [1], "two words": [2], 3: [3]})
    assert frame._ipython_key_completions_() == ["a", "two words"]
    assert frame.groupby("a")._ipython_key_completions_() == ["a", "two words"]
    levels = md.DataFrame(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])))
    assert levels._ipython_key_completions_() == ["a"]


def test_every_name_of_mars_has_an_entry_or_is_an_attribute() -> None:
    for key in gaps.NAMES:
        for target in filter(
            None, (registry.ATTACHED.get(key), sys.modules.get(registry.FILLED.get(key, "")))
        ):
            space = vars(target) if inspect.ismodule(target) else target
            assert gaps.missing(key, space) == []


def test_reasons_of_gaps_name_what_is_there() -> None:
    """And nothing that would write into the data of who asks: dask-ml centres tensors in place, and never a Dask array."""
    reasons = {op.reason for op in registry.OPS.values() if not op.built}
    named = {
        found
        for each in reasons
        for found in re.findall(r"\b(?:mt|md|dask\.array|numpy|pandas)\.[\w.]*\w", each)
    }
    assert {"md.get_dummies", "mt.tensor", "dask.array.from_zarr"} <= named
    space = {"mt": mt, "md": md, "numpy": np, "pandas": pd, "dask": dask}
    for name in named:
        eval(name, space)
    assert all("dask-ml takes x.to_dask()" in each for each in reasons if "dask-ml" in each)


def test_a_gap_raises_its_reason() -> None:
    gap = next(
        op for op in registry.OPS.values() if op.status == "unbuilt" and op.function and op.room == "tensor"
    )
    with pytest.raises(NotImplementedError, match="is not built"):
        getattr(mt, gap.public)(1)
