"""The first mistakes: each is an error at the call, ours and the built-in, that names what is wrong; nothing changes."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import new_session, option_context
from marsdask.errors import ArgumentError, MarsDaskError
from marsdask.plan import registry
from marsdask.plan.entries import called
from marsdask.plan.node import Node
from marsdask.spill import MemoryPolicy

X = np.arange(12.0).reshape(3, 4)
DF = pd.DataFrame({"alpha": [1, 2, 3], "beta": [1.0, np.nan, 3.0], "name": list("xyz")})


def tensor() -> Any:
    return mt.tensor(X, chunk_size=2)


def frame() -> Any:
    return md.DataFrame(DF, chunk_size=2)


TENSORS = [
    (lambda t: t + mt.ones((5,)), ValueError, r"\(3, 4\).*\(5,\)"),
    (lambda t: t @ mt.ones((5,)), ValueError, "5"),
    (lambda t: t.reshape(5, 5), ValueError, "reshape"),
    (lambda t: mt.concatenate([t, mt.ones((2, 2))]), ValueError, ""),
    (lambda t: t.sum(axis=2), ValueError, "axis"),
    (lambda t: t.sum(axes=0), TypeError, "Did you mean 'axis'"),
    (lambda t: t[5], IndexError, "5"),
    (lambda t: t[1.5], IndexError, ""),
    (lambda t: t[0, 0, 0], IndexError, ""),
    (lambda t: t.sorted(), AttributeError, "Did you mean 'sort'"),
    (lambda t: mt.sorted(t), AttributeError, "sort"),
    (lambda t: mt.ones((3, -1)), ValueError, "shape"),
    (lambda t: mt.ones(2.5), TypeError, "shape"),
    (lambda t: mt.ones((3,), chunk_size=0), ValueError, "chunk_size"),
    (lambda t: mt.ones((3,), chunk_size=2.0), TypeError, "chunk_size"),
    (lambda t: mt.ones((3,), chunk_size=(2, 2)), ValueError, "chunk_size"),
    (lambda t: mt.ones((3,), chunk_size=((1, 1),)), ValueError, "same length"),
    (lambda t: mt.ones((3,), chunk_size="auto"), ValueError, "chunk_size"),
    (lambda t: mt.ones((3,), chunksize=2), TypeError, "Did you mean 'chunk_size'"),
    (lambda t: mt.ones((3,), gpu=True), NotImplementedError, "gpu"),
    (lambda t: mt.ones((3,), dtype="nope"), TypeError, "nope"),
    (lambda t: t.rechunk(0), ValueError, "chunk_size"),
    (lambda t: mt.tensor(["a"]) + 1, TypeError, ""),
    (lambda t: mt.random.rand(2.5), TypeError, ""),
    (lambda t: mt.sort(t, axis=7), ValueError, "axis"),
    (lambda t: mt.linalg.inv(t), ValueError, ""),
    (lambda t: mt.percentile(t, 120), ValueError, ""),
    (lambda t: bool(t), ValueError, "ambiguous"),
    (lambda t: int(t), (TypeError, ValueError), ""),
    (lambda t: len(t.sum()), TypeError, "len"),
    (lambda t: len(t[t > 1]), ValueError, "execute"),
    (lambda t: list(t[t > 1]), ValueError, "execute"),
]


@pytest.mark.parametrize(("mistake", "kind", "says"), TENSORS, ids=range(len(TENSORS)))
def test_tensors(mistake: Any, kind: Any, says: str) -> None:
    t = tensor()
    node = t.node
    with pytest.raises(kind, match=says or ".") as caught:
        mistake(t)
    assert isinstance(caught.value, MarsDaskError), f"not ours: {caught.value!r}"
    assert t.node is node


ASSIGNMENTS = [
    (lambda t: t.__setitem__(0, np.ones(7)), ValueError),
    (lambda t: t.__setitem__(9, 1.0), IndexError),
    (lambda t: t.__iadd__(mt.ones((2, 3, 4))), ValueError),
    (lambda t: t.__imul__(1j), TypeError),
    (lambda t: mt.add(t, 1, out=np.ones((3, 4))), TypeError),
    (lambda t: mt.add(t, 1, out=mt.ones((3, 4), dtype="i4")), TypeError),
    (lambda t: mt.add(t, 1, out=mt.ones((3, 5))), ValueError),
]


@pytest.mark.parametrize(("mistake", "kind"), ASSIGNMENTS, ids=range(len(ASSIGNMENTS)))
def test_failed_writes_change_nothing(mistake: Any, kind: Any) -> None:
    t = tensor()
    with pytest.raises(kind) as caught:
        mistake(t)
    assert isinstance(caught.value, MarsDaskError), f"not ours: {caught.value!r}"
    np.testing.assert_array_equal(t.execute().fetch(), X)


FRAMES = [
    (lambda f: f["alhpa"], KeyError, "Did you mean 'alpha'"),
    (lambda f: f[["alpha", "gamma"]], KeyError, "gamma"),
    (lambda f: f.alhpa, AttributeError, "alpha"),
    (lambda f: f.sort_values("alhpa"), KeyError, "alpha"),
    (lambda f: f.groupby("alhpa").sum(), KeyError, "alpha"),
    (lambda f: f.groupby("alpha").agg({"gamma": "sum"}), KeyError, "gamma"),
    (lambda f: f.merge(f, on="gamma"), KeyError, "gamma"),
    (lambda f: f.merge(f, on="alpha", how="sideways"), ValueError, "how"),
    (lambda f: f.drop(columns="gamma"), KeyError, "gamma"),
    (lambda f: f.fillna(vlaue=1), TypeError, "Did you mean 'value'"),
    (lambda f: f.head("3"), TypeError, ""),
    (lambda f: f.set_index("gamma"), KeyError, "gamma"),
    (lambda f: f.astype({"gamma": "f8"}), KeyError, "gamma"),
    (lambda f: f.astype("nope"), TypeError, "nope"),
    (lambda f: f.name + f.alpha, TypeError, ""),
    (lambda f: f.alpha.rolling(-1), ValueError, ""),
    (lambda f: md.DataFrame(DF, chunk_size=0), ValueError, "chunk_size"),
    (lambda f: md.DataFrame(DF, chunk_size="big"), (ValueError, TypeError), "chunk_size"),
    (lambda f: md.DataFrame(DF, num_partitions=0), ValueError, "num_partitions"),
    (lambda f: md.DataFrame(DF, chunks=2), TypeError, "chunk_size"),
    (lambda f: md.DataFrame(DF, gpu=True), NotImplementedError, "gpu"),
    (lambda f: md.read_csv("no/such/file-*.csv"), FileNotFoundError, "file"),
    (lambda f: md.read_csv("no/such.csv", seperator=";"), TypeError, "sep"),
    (lambda f: md.read_parquet("no/such.parquet"), FileNotFoundError, "such"),
    (lambda f: md.concat([]), ValueError, ""),
    (lambda f: md.concat([f, 3]), TypeError, ""),
    (lambda f: f.loc["nope":"nope", "gamma"], KeyError, "gamma"),
    (lambda f: f.iloc[[99]], IndexError, ""),
    (lambda f: f.agg("no_such_function"), AttributeError, "no_such_function"),
    (lambda f: bool(f), ValueError, "ambiguous"),
    (lambda f: len(f[f.alpha > 1]), ValueError, "execute"),
    (lambda f: f[f.alpha > 1].empty, ValueError, "executed first"),
    (lambda f: f.sort_values("alpha", inplace="yes"), ValueError, "inplace"),
    (lambda f: f.name.dt, AttributeError, "Can only use .dt accessor with datetimelike"),
    (lambda f: f.alpha.str.upper(), AttributeError, "Can only use .str accessor with string"),
    (lambda f: f.agg({"aplha": "sum"}), KeyError, "Did you mean 'alpha'"),
    (lambda f: f.rolling(2).agg({"aplha": "sum"}), KeyError, "Did you mean 'alpha'"),
    (lambda f: f.groupby("name").agg({"aplha": "sum"}), KeyError, "Did you mean 'alpha'"),
    (lambda f: f.groupby("name").agg(a=("aplha", "sum")), KeyError, "Did you mean 'alpha'"),
    (lambda f: f.groupby("name")[["beta"]].agg({"alpha": "sum"}), KeyError, "the columns are 'beta'"),
]
NAMED = [
    (lambda f: f.groupby("alpha").mean(), "groupby.mean"),
    (lambda f: f.groupby("alpha").rank(method="nope"), "groupby.rank"),
    (lambda f: f.groupby("alpha").take("x"), "groupby.take"),
    (lambda f: f.groupby("alpha").filter(1), "groupby.filter"),
    (lambda f: f + "x", "add"),
    (lambda f: f.name > 1, "gt"),
    (lambda f: f.query("nope > 1"), "query"),
    (lambda f: f.astype("nope"), "astype"),
    (lambda f: f.rolling(2).sum(), "rolling.sum"),
    (lambda f: f.corr(), "corr"),
    (lambda f: f.explode("nope"), "explode"),
    (lambda f: f.nlargest(2, "name"), "nlargest"),
    (lambda f: f.beta.value_counts(bins="x"), "value_counts"),
    (lambda f: f.reset_index(level=4), "reset_index"),
    (lambda f: md.get_dummies(f, columns="alpha"), "get_dummies"),
    (lambda f: f.name.str.pad("x"), "str.pad"),
    (lambda f: mt.histogram(mt.ones(3), bins="x"), "histogram"),
    (lambda f: mt.full(3, "x", dtype="f8"), "full"),
]
"""Errors of NumPy and pandas at the call, and how their messages begin: with what people called."""


@pytest.mark.parametrize(("mistake", "kind", "says"), FRAMES, ids=range(len(FRAMES)))
def test_frames(mistake: Any, kind: Any, says: str) -> None:
    f = frame()
    node = f.node
    with pytest.raises(kind, match=says or ".") as caught:
        mistake(f)
    assert isinstance(caught.value, MarsDaskError), f"not ours: {caught.value!r}"
    assert f.node is node


@pytest.mark.parametrize(("mistake", "name"), NAMED, ids=[name for _, name in NAMED])
def test_messages_begin_with_what_was_called(mistake: Any, name: str) -> None:
    with pytest.raises(MarsDaskError) as caught:
        mistake(frame())
    assert str(caught.value.args[0]).startswith(f"{name}: ")


def test_no_message_begins_with_an_internal_name() -> None:
    inside = [Node(name) for name, op in registry.OPS.items() if op.room == "engine"]
    assert {called(node) for node in inside} == {""}


def test_lengths_that_only_a_run_can_tell() -> None:
    t, f = tensor(), frame()
    wrong = f[f.alpha > 1]
    wrong["new"] = t.reshape(-1)[t.reshape(-1) > 100]  # no error yet: nobody knows
    with pytest.raises(ValueError, match="Length mismatch: Expected axis has 2 elements") as caught:
        wrong.execute()
    assert isinstance(caught.value, MarsDaskError)
    masked = t[t > 3] + t[t > 7]
    with pytest.raises(ValueError) as caught:
        masked.execute()
    assert isinstance(caught.value, MarsDaskError) or "broadcast" in str(caught.value)


def test_wrong_value_lengths_are_told_at_once() -> None:
    f = frame()
    with pytest.raises(ValueError, match="Length of values"):
        f["new"] = [1, 2]
    with pytest.raises(ValueError, match="Length of values"):
        f["new"] = mt.ones((7,))
    assert list(f.columns) == ["alpha", "beta", "name"]


def test_pandas_type_errors_name_the_operation() -> None:
    f = frame()
    bad = f.name.astype("f8")  # only the data can tell
    with pytest.raises(ValueError, match="could not convert"):
        bad.execute()


@pytest.mark.parametrize(
    "name", ["DataFrame.sort_values", "merge", "frame.head", "random.rand", "sort", "frame.__add__"]
)
@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1,), {}), ((1, 2), {}), ((1,), {"by": 2}), ((1,), {"other": 2}), ((1, 2), {"how": 3, "on": 4}), ((1,), {"n": 5}),
     ((1, 2, 3), {"kind": 4}), ((1,), {"a": 2}), ((1,), {"wrong": 2}), (tuple(range(20)), {})],
)  # fmt: skip
def test_arguments_are_bound_as_python_binds_them(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    op = registry.lookup(name)
    try:
        wanted = op.signature.bind(*args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError):
            registry.bind(op, args, kwargs)
        return
    given = registry.bind(op, args, kwargs)
    assert list(given.items()) == list(wanted.arguments.items())
    assert registry.spread(op, given) == (wanted.args, wanted.kwargs)


@pytest.mark.parametrize(
    "call",
    [
        lambda path: frame().to_csv(path),
        lambda path: frame().to_parquet(path),
        lambda path: tensor().checkpoint(path),
        lambda path: MemoryPolicy.of_options(spill_dir=[path]),
    ],
)
def test_a_nul_in_a_path(call: Any) -> None:
    with pytest.raises(ArgumentError, match=r"without a NUL|has a NUL"):
        call("/nowhere/a\0b")


@pytest.mark.parametrize("name", ["cluster.reconnect_timeout", "chunk_store_limit", "gather_limit"])
def test_an_option_that_is_no_number(name: str) -> None:
    with pytest.raises(ArgumentError, match=name), option_context({name: float("nan")}):
        pass


def test_an_address_with_control_characters() -> None:
    for address in ("tcp://127.0.0.1\0:8786", "tcp://127.0.0.1:8786\n", "a b:8786"):
        with pytest.raises(ArgumentError, match="address="):
            new_session(address)


def test_no_quotas() -> None:
    with pytest.raises(ArgumentError, match="quota"):
        MemoryPolicy.of_options(spill_dir=["/a"], spill_quota=[])
