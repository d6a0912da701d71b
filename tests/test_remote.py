"""Plain functions: spawned, nested, what goes in and comes out, what goes wrong."""

import functools
import os
import random
import sys
import threading
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.errors import MarsDaskError
from marsdask.session import Session, get_default_session, new_session
from tests.processes import PATIENCE


def add(a: Any, b: Any = 1) -> Any:
    return a + b


def draw() -> float:
    return random.random()


def total(values: Any) -> Any:
    return sum(values.values()) if isinstance(values, dict) else sum(values)


def test_lazy_until_executed(each_session: Session) -> None:
    obj = mr.spawn(add, args=(2,), kwargs={"b": 3})
    assert type(obj) is mr.Object
    assert not obj.is_executed()
    assert "5" not in repr(obj).partition("key")[0]
    with pytest.raises(ValueError, match="Cannot fetch unexecuted tileable"):
        obj.fetch()
    assert obj.execute() is obj
    assert obj.fetch() == 5
    assert repr(obj).startswith("Object <op=spawn")
    assert obj.copy().fetch() == 5


def test_a_list_is_one_argument(each_session: Session) -> None:
    assert mr.spawn(len, args=[1, 2, 3]).to_object() == 3
    assert mr.spawn(len, args="four").to_object() == 4
    assert mr.spawn(dict).to_object() == {}
    assert mr.spawn(print, args=()).to_object() is None


def test_arguments_are_what_they_were_at_the_call(each_session: Session) -> None:
    values, array = [1, 2], np.arange(3)
    obj = mr.spawn(lambda v, a: (v, a.tolist()), args=(values, array))
    values.append(3)
    array[:] = 0
    assert obj.to_object() == ([1, 2], [0, 1, 2])


def test_objects_inside_of_arguments_become_values(each_session: Session) -> None:
    parts = [mr.spawn(add, args=(i,)) for i in range(4)]
    assert mr.spawn(total, args=(parts,)).to_object() == 10
    assert mr.spawn(total, args=({"a": parts[0], "b": parts[1]},)).to_object() == 3
    assert mr.spawn(lambda x: x, args=((parts[2], [parts[3]]),)).to_object() == (3, [4])
    assert mr.spawn(total, args=(mr.ExecutableTuple(parts),)).to_object() == 10
    assert mr.spawn(add, args=(1,), kwargs={"b": parts[0]}).to_object() == 2


def test_each_spawn_is_its_own(each_session: Session) -> None:
    draws = mr.ExecutableTuple([mr.spawn(draw) for _ in range(4)])
    assert len(set(draws.execute().fetch())) == 4
    assert mr.ExecutableTuple([mr.spawn(add, args=(1,))]).to_object() == (2,)
    assert marsdask.fetch(marsdask.execute(mr.spawn(add, args=(1,)), mr.spawn(add, args=(2,)))) == [2, 3]


def looks(t: Any, df: Any, s: Any) -> dict[str, Any]:
    assert t.is_executed()
    return {
        "shape": t.shape,
        "slice": t[1:3].fetch(),
        "sum": float((t * 2).sum().execute().fetch()),
        "rows": df.shape,
        "head": df.iloc[:2].fetch(),
        "by": (df.a + s).execute().fetch().tolist(),
        "whole": t.fetch(),
    }


def test_tensors_and_frames_arrive_executed(each_session: Session) -> None:
    x = mt.arange(10, chunk_size=3)
    raw = pd.DataFrame({"a": [1, 2, 3], "k": list("xyz")})
    df = md.DataFrame(raw, chunk_size=2)
    got = mr.spawn(looks, args=(x[x > 2], df, df.a)).to_object()
    assert got["shape"] == (7,)
    np.testing.assert_array_equal(got["slice"], [4, 5])
    assert got["sum"] == 84
    assert got["rows"] == (3, 2)
    pd.testing.assert_frame_equal(got["head"], raw[:2])
    assert got["by"] == [2, 4, 6]
    np.testing.assert_array_equal(got["whole"], np.arange(3, 10))


def test_resolved_inputs(each_session: Session) -> None:
    x, s = mt.ones((3, 4), chunk_size=2), md.Series([1, 2, 3], chunk_size=2)

    def kinds(a: Any, rest: Any) -> Any:
        return type(a).__name__, a.shape, type(rest["s"]).__name__, rest["s"].tolist(), float(rest["zero"])

    args = (x, {"s": s, "zero": x.sum()})
    want = ("ndarray", (3, 4), "Series", [1, 2, 3], 12.0)
    assert mr.spawn(kinds, args=args, resolve_tileable_input=True).to_object() == want


def test_returned_entities(each_session: Session) -> None:
    x = mt.arange(6, chunk_size=2)

    def make(t: Any) -> Any:
        return [t, t + 1, (t * 2).execute(), {"frame": md.DataFrame({"a": [1, 2]}, chunk_size=1).execute()}]

    obj = mr.spawn(make, args=(x,)).execute()
    same, lazy, done, frames = obj.fetch()
    np.testing.assert_array_equal(same.fetch(), np.arange(6))
    assert not lazy.is_executed()
    np.testing.assert_array_equal(lazy.execute().fetch(), np.arange(6) + 1)
    np.testing.assert_array_equal(done.fetch(), np.arange(6) * 2)
    assert frames["frame"].fetch()["a"].tolist() == [1, 2]
    assert float((done + same).sum().execute().fetch()) == 45
    assert mr.spawn(lambda r: r[2].sum().execute().fetch(), args=(obj,)).to_object() == 30


def test_outputs(each_session: Session) -> None:
    a, b = mr.spawn(lambda: (x for x in "ab"), n_output=2)
    assert a.execute().fetch() == "a"
    assert b.fetch() == "b"  # it ran with its sibling
    (one,) = [mr.spawn(lambda: ["x"], n_output=1)]
    assert one.to_object() == "x"
    for wrong, kind in ((3, TypeError), ([1], ValueError)):
        first, _ = mr.spawn(lambda wrong=wrong: wrong, n_output=2)
        with pytest.raises(kind, match="n_output=2") as caught:
            first.execute()
        assert isinstance(caught.value, MarsDaskError)


def deep(n: int) -> int:
    return 0 if not n else mr.spawn(deep, args=(n - 1,)).execute().fetch() + 1


def test_nested_spawns_never_wait_for_each_other(each_session: Session) -> None:
    assert mr.spawn(deep, args=(6,)).to_object() == 6

    def futures() -> Any:
        infos = [mr.spawn(add, args=(i,)).execute(wait=False) for i in range(3)]
        return [info.result().fetch() for info in infos]

    assert mr.ExecutableTuple([mr.spawn(futures) for _ in range(3)]).to_object() == [[1, 2, 3]] * 3


def test_the_session_inside_is_the_callers(each_session: Session) -> None:
    def who() -> Any:
        here = marsdask.get_default_session()
        return here.session_id, marsdask.get_context().session_id

    assert mr.spawn(who).to_object() == (each_session.session_id, each_session.session_id)
    assert marsdask.get_context() is None


def test_a_session_that_is_not_the_default(each_session: Session) -> None:
    with new_session(default=False) as other:
        obj = mr.spawn(lambda: marsdask.get_default_session().session_id).execute(session=other)
        assert obj.fetch() == other.session_id
        with pytest.raises(ValueError, match="was executed in"):
            mr.spawn(add, args=(obj,)).execute(session=each_session)


def test_inputs_run_side_by_side() -> None:
    barrier = threading.Barrier(2)
    with dask.config.set(num_workers=2), new_session(default=False) as session:
        parts = [mr.spawn(barrier.wait, kwargs={"timeout": PATIENCE}) for _ in range(2)]
        assert mr.spawn(total, args=(parts,)).to_object(session) == 1


def test_a_session_of_its_own_inside(each_session: Session) -> None:
    def makes() -> Any:
        with new_session() as mine:
            inner = marsdask.get_default_session() is mine
            value = mt.ones(3).sum().execute().fetch()
        return inner, float(value), marsdask.get_default_session().session_id

    assert mr.spawn(makes).to_object() == (True, 3.0, each_session.session_id)
    assert get_default_session() is each_session


class Own(ValueError):
    pass


def fails() -> None:
    print("before it fails")
    raise Own("the user's own")


@pytest.mark.filterwarnings("ignore")
def test_errors_keep_their_type_and_name_the_function(each_session: Session) -> None:
    obj = mr.spawn(fails)
    with pytest.raises(Own, match="the user's own") as caught:
        mr.spawn(add, args=(obj,)).execute()
    assert any("'fails'" in note for note in caught.value.__notes__)
    assert str(obj.fetch_log()) == "before it fails\n"
    with pytest.raises(RuntimeError, match=r"called sys.exit\(3\)"):
        mr.spawn(sys.exit, args=(3,)).execute()


def counted(path: str, good_from: int) -> int:
    with open(path, "a") as file:
        file.write("x")
    tries = os.path.getsize(path)
    if tries < good_from:
        raise KeyError("not yet")
    return tries


def test_tries(each_session: Session, tmp_path: Path) -> None:
    first, second, third = (str(tmp_path / str(i)) for i in range(3))
    assert mr.spawn(counted, args=(first, 3), retry_when_fail=True).to_object() == 3
    with pytest.raises(KeyError, match="not yet") as caught:
        mr.spawn(counted, args=(second, 100), retry_when_fail=True).execute()
    assert os.path.getsize(second) == 4
    assert any("tried 4 times" in note for note in caught.value.__notes__)
    with pytest.raises(KeyError):
        mr.spawn(counted, args=(third, 2)).execute()
    assert os.path.getsize(third) == 1


@pytest.mark.processes
@pytest.mark.usefixtures("on_cluster")
def test_what_cannot_travel_is_named() -> None:
    lock = threading.Lock()

    def guarded() -> None:
        lock.acquire()

    with pytest.raises(TypeError, match="function 'guarded' cannot be sent"):
        mr.spawn(guarded).execute()
    with pytest.raises(TypeError, match="argument 1 of 'add' cannot be sent"):
        mr.spawn(add, args=(1, lock)).execute()
    with pytest.raises(TypeError, match="argument 'b' of 'add' cannot be sent"):
        mr.spawn(add, args=(1,), kwargs={"b": lock}).execute()


def dies_once(path: str) -> str:
    if not os.path.exists(path):
        open(path, "x").close()
        os._exit(3)
    return "second"


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore:Creating scratch")
def test_a_lost_worker_and_a_result_that_cannot_travel(tmp_path: Path) -> None:
    with new_session(n_worker=1, default=False) as session:
        assert mr.spawn(dies_once, args=(str(tmp_path / "died"),)).to_object(session) == "second"
        locked = mr.spawn(lambda: threading.Lock()).execute(session=session)
        with pytest.raises(TypeError, match=r"the result of '.*<lambda>' cannot be sent to you"):
            locked.fetch()


@pytest.mark.processes
def test_functions_have_their_names_on_the_dashboard(on_cluster: Session) -> None:
    obj = mr.spawn(functools.partial(add, b=2), args=(1,)).execute()
    ((name, _),) = obj._result.collection.keys
    assert name.startswith("add-")
    assert any(str(name) in str(key) for key in on_cluster.engine.client.who_has())  # type: ignore[attr-defined]


@pytest.mark.processes
def test_places(on_cluster: Session) -> None:
    address = max(on_cluster.engine.client.nthreads())  # type: ignore[attr-defined]

    def where() -> str:
        return marsdask.get_context().worker_address  # type: ignore[no-any-return]

    objects = [mr.spawn(where, expect_worker=address) for _ in range(4)]
    assert set(mr.ExecutableTuple(objects).execute().fetch()) == {address}
    assert mr.spawn(where, expect_band=(address, "numa-0")).to_object() == address
    with pytest.raises(TimeoutError, match="expect_worker='tcp://127"):
        mr.spawn(where, expect_worker="tcp://127.0.0.1:9").execute()
    with pytest.raises(TimeoutError, match="no worker offers"):
        mr.spawn(where, resources={"GPU": 1}).execute()


@pytest.mark.processes
def test_resources() -> None:
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=1,
            processes=False,
            resources={"GPU": 1},
            dashboard_address="127.0.0.1:0",
            protocol="tcp",
        ) as cluster,
        new_session(cluster, default=False) as session,
    ):
        objects = mr.ExecutableTuple([mr.spawn(add, args=(i,), resources={"GPU": 1}) for i in range(3)])
        assert objects.execute(session=session).fetch() == [1, 2, 3]


MISTAKES: list[tuple[Any, type[Exception], str]] = [
    (lambda: mr.spawn(3), TypeError, "func=3"),
    (lambda: mr.spawn(add, kwargs=[1]), TypeError, "kwargs="),
    (lambda: mr.spawn(add, kwargs={1: 2}), TypeError, "kwargs="),
    (lambda: mr.spawn(add, retry_when_fail="yes"), TypeError, "retry_when_fail="),
    (lambda: mr.spawn(add, resolve_tileable_input=1), TypeError, "resolve_tileable_input="),
    (lambda: mr.spawn(add, n_output=0), ValueError, "n_output=0"),
    (lambda: mr.spawn(add, n_output="2"), TypeError, "n_output='2'"),
    (lambda: mr.spawn(add, n_outputs=2), TypeError, "Did you mean 'n_output'"),
    (lambda: mr.spawn(add, resources={"GPU": "1"}), TypeError, "resources="),
    (lambda: mr.spawn(add, expect_worker=1), TypeError, "expect_worker=1"),
    (lambda: mr.spawn(add, expect_band="here"), TypeError, "expect_band="),
    (lambda: mr.run_script("no/such.py"), FileNotFoundError, "script='no/such.py'"),
    (lambda: mr.run_script(3), TypeError, "script=3"),
    (lambda: mr.run_script("x = (\n"), SyntaxError, "script="),
    (lambda: mr.run_script("x = 1\n", data=[1]), TypeError, "data="),
    (lambda: mr.run_script("x = 1\n", data={"a b": 1}), ValueError, "'a b'"),
    (lambda: mr.run_script("x = 1\n", n_workers=0), ValueError, "n_workers=0"),
    (lambda: mr.run_script("x = 1\n", n_workers="2"), TypeError, "n_workers='2'"),
    (lambda: mr.run_script("x = 1\n", command_argv="-x"), TypeError, "command_argv="),
    (lambda: mr.run_script("x = 1\n", run_kwargs=1), TypeError, "run_kwargs="),
    (lambda: mr.run_script("x = 1\n", retry_when_fail=2), TypeError, "retry_when_fail="),
    (lambda: mr.spawn(add).summ, AttributeError, "summ"),
    (lambda: mr.spwan, AttributeError, "spawn"),
]


@pytest.mark.parametrize(("mistake", "kind", "says"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(mistake: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says) as caught:
        mistake()
    assert isinstance(caught.value, MarsDaskError)
