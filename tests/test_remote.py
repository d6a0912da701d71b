"""Plain functions: spawned, nested, in scripts; what they print and where they run. Threads here, workers below."""

import functools
import io
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.errors import MarsDaskError
from marsdask.session import Session, get_default_session, new_session


@pytest.fixture(params=["threads", pytest.param("workers", marks=pytest.mark.cluster)])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """The tests of this file run in both kinds of session."""
    if request.param == "workers":
        yield request.getfixturevalue("on_cluster")
    else:
        before = get_default_session()
        with new_session() as threads:
            yield threads
        if before is not None:
            before.as_default()


def add(a: Any, b: Any = 1) -> Any:
    return a + b


def draw() -> float:
    return random.random()


def total(values: Any) -> Any:
    return sum(values.values()) if isinstance(values, dict) else sum(values)


def test_lazy_until_executed(session: Session) -> None:
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


def test_a_list_is_one_argument(session: Session) -> None:
    assert mr.spawn(len, args=[1, 2, 3]).to_object() == 3
    assert mr.spawn(len, args="four").to_object() == 4
    assert mr.spawn(dict).to_object() == {}
    assert mr.spawn(print, args=()).to_object() is None


def test_arguments_are_what_they_were_at_the_call(session: Session) -> None:
    values, array = [1, 2], np.arange(3)
    obj = mr.spawn(lambda v, a: (v, a.tolist()), args=(values, array))
    values.append(3)
    array[:] = 0
    assert obj.to_object() == ([1, 2], [0, 1, 2])


def test_objects_inside_of_arguments_become_values(session: Session) -> None:
    parts = [mr.spawn(add, args=(i,)) for i in range(4)]
    assert mr.spawn(total, args=(parts,)).to_object() == 10
    assert mr.spawn(total, args=({"a": parts[0], "b": parts[1]},)).to_object() == 3
    assert mr.spawn(lambda x: x, args=((parts[2], [parts[3]]),)).to_object() == (3, [4])
    assert mr.spawn(total, args=(mr.ExecutableTuple(parts),)).to_object() == 10
    assert mr.spawn(add, args=(1,), kwargs={"b": parts[0]}).to_object() == 2


def test_each_spawn_is_its_own(session: Session) -> None:
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


def test_tensors_and_frames_arrive_executed(session: Session) -> None:
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


def test_resolved_inputs(session: Session) -> None:
    x, s = mt.ones((3, 4), chunk_size=2), md.Series([1, 2, 3], chunk_size=2)

    def kinds(a: Any, rest: Any) -> Any:
        return type(a).__name__, a.shape, type(rest["s"]).__name__, rest["s"].tolist(), float(rest["zero"])

    args = (x, {"s": s, "zero": x.sum()})
    want = ("ndarray", (3, 4), "Series", [1, 2, 3], 12.0)
    assert mr.spawn(kinds, args=args, resolve_tileable_input=True).to_object() == want


def test_returned_entities(session: Session) -> None:
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


def test_outputs(session: Session) -> None:
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


def test_nested_spawns_never_wait_for_each_other(session: Session) -> None:
    assert mr.spawn(deep, args=(6,)).to_object() == 6

    def futures() -> Any:
        infos = [mr.spawn(add, args=(i,)).execute(wait=False) for i in range(3)]
        return [info.result().fetch() for info in infos]

    assert mr.ExecutableTuple([mr.spawn(futures) for _ in range(3)]).to_object() == [[1, 2, 3]] * 3


def test_the_session_inside_is_the_callers(session: Session) -> None:
    def who() -> Any:
        here = marsdask.get_default_session()
        return here.session_id, marsdask.get_context().session_id

    assert mr.spawn(who).to_object() == (session.session_id, session.session_id)
    assert marsdask.get_context() is None


def test_a_session_that_is_not_the_default(session: Session) -> None:
    with new_session(default=False) as other:
        obj = mr.spawn(lambda: marsdask.get_default_session().session_id).execute(session=other)
        assert obj.fetch() == other.session_id
        with pytest.raises(ValueError, match="was executed in"):
            mr.spawn(add, args=(obj,)).execute(session=session)


class Own(ValueError):
    pass


def fails() -> None:
    print("before it fails")
    raise Own("the user's own")


@pytest.mark.filterwarnings("ignore")
def test_errors_keep_their_type_and_name_the_function(session: Session) -> None:
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


def test_tries(session: Session, tmp_path: Path) -> None:
    first, second, third = (str(tmp_path / str(i)) for i in range(3))
    assert mr.spawn(counted, args=(first, 3), retry_when_fail=True).to_object() == 3
    with pytest.raises(KeyError, match="not yet") as caught:
        mr.spawn(counted, args=(second, 100), retry_when_fail=True).execute()
    assert os.path.getsize(second) == 4
    assert any("tried 4 times" in note for note in caught.value.__notes__)
    with pytest.raises(KeyError):
        mr.spawn(counted, args=(third, 2)).execute()
    assert os.path.getsize(third) == 1


@pytest.mark.cluster
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


@pytest.mark.cluster
def test_functions_have_their_names_on_the_dashboard(on_cluster: Session) -> None:
    obj = mr.spawn(functools.partial(add, b=2), args=(1,)).execute()
    ((name, _),) = obj._result.collection.keys
    assert name.startswith("add-")
    assert any(str(name) in str(key) for key in on_cluster.engine.client.who_has())  # type: ignore[attr-defined]


@pytest.mark.cluster
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


@pytest.mark.cluster
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


def test_context(session: Session) -> None:
    def look() -> dict[str, Any]:
        context = marsdask.get_context()
        return {
            "band": context.band == (context.worker_address, "numa-0"),
            "bands": context.band in context.get_worker_bands(),
            "workers": context.local_address in context.get_worker_addresses(),
            "supervisor": context.supervisor_address in context.get_supervisor_addresses(),
            "session": context.get_current_session().session_id == context.session_id,
            "cpu": context.get_total_n_cpu() >= context.get_slots() >= 1,
            "ip": context.get_local_host_ip() == "127.0.0.1",
            "memory": context.get_storage_info()["memory_used"] > 0,
        }

    found = mr.spawn(look).to_object()
    assert all(found.values()), found


def test_progress(session: Session) -> None:
    def half() -> None:
        marsdask.get_context().set_progress(0.5)
        time.sleep(0.6)

    obj = mr.spawn(half)
    assert obj.progress() == 0
    info = obj.execute(wait=False)
    seen = set()
    while not info.done():
        seen |= {obj.progress(), info.progress()}
        time.sleep(0.02)
    assert seen <= {0.0, 0.5, 1.0}
    assert 0.5 in seen
    assert obj.progress() == info.progress() == 1
    with pytest.raises(ValueError, match="progress=2"):
        mr.spawn(lambda: marsdask.get_context().set_progress(2)).execute()


class Counter:
    def __init__(self, start: int):
        self.count = start

    def up(self, by: int) -> int:
        self.count += by
        return self.count


def test_stateful_objects(session: Session) -> None:
    def make() -> int:
        return marsdask.get_context().create_remote_object("counter", Counter, 5).up(1)  # type: ignore[no-any-return]

    def use(_: int) -> int:
        return marsdask.get_context().get_remote_object("counter").up(10)  # type: ignore[no-any-return]

    def end(_: int) -> None:
        marsdask.get_context().destroy_remote_object("counter")

    used = mr.spawn(use, args=(mr.spawn(make),)).execute()
    assert used.fetch() == 16
    with pytest.raises(ValueError, match="'counter'"):
        mr.spawn(make).execute()
    mr.spawn(end, args=(used,)).execute()
    with pytest.raises(KeyError, match="'counter'"):
        mr.spawn(use, args=(0,)).execute()


def prints(n: int) -> None:
    for i in range(n):
        print(f"line {i} é")


def test_logs(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = mr.spawn(prints, args=(2,)), mr.spawn(prints, args=(1,))
    assert str(one.fetch_log()) == ""
    marsdask.execute(one, two)
    assert str(one.fetch_log()) == "line 0 é\nline 1 é\n"
    assert str(one.fetch_log()) == ""
    assert str(one.fetch_log(offsets=0, sizes=6)) == "line 0"
    assert str(one.fetch_log()) == " é\nline 1 é\n"
    assert str(one.fetch_log(offsets="-0.01K")) == "line 1 é\n"[-9:]
    part = one.fetch_log(offsets=0, sizes="8")  # the ninth byte belongs to é
    assert (str(part), part.offsets, len(part)) == ("line 0 ", [7], 1)
    assert part.results == ["line 0 "]
    (key,) = part.chunk_op_keys
    assert str(one.fetch_log(offsets={key: -4}, sizes={key: 3})) == " é"
    first, second = marsdask.fetch_log(one, two, offsets=0)
    assert (len(str(first)), str(second)) == (18, "line 0 é\n")
    assert [str(p) for p in session.fetch_log([one, two], offsets=0)] == [str(first), str(second)]
    assert [str(p) for p in mr.ExecutableTuple([two]).fetch_log(offsets=0)] == [str(second)]
    if "threads" in repr(session):
        assert capsys.readouterr().out.count("line 0") == 2  # and it is shown
    for bad, kind in (
        ({"offsets": "1X"}, ValueError),
        ({"sizes": -1}, ValueError),
        ({"offsets": 1.5}, TypeError),
    ):
        with pytest.raises(kind, match=next(iter(bad))):
            one.fetch_log(**bad)
    with pytest.raises(NotImplementedError, match="only of what remote"):
        marsdask.fetch_log(mt.ones(3))


def test_logs_while_it_runs(session: Session) -> None:
    def slow() -> None:
        print("early")
        time.sleep(1)
        print("late")

    obj = mr.spawn(slow)
    info = obj.execute(wait=False)
    seen = ""
    while not info.done():
        seen += str(obj.fetch_log())
        if seen == "early\n":
            break
        time.sleep(0.02)
    assert not info.done()
    assert seen == "early\n"
    info.result()
    assert str(obj.fetch_log()) == "late\n"


SCRIPT = """
import argparse, os, sys
assert __name__ == "__main__"
rank, size = int(os.environ["RANK"]), int(os.environ.get("WORLD_SIZE"))
parser = argparse.ArgumentParser()
parser.add_argument("--to")
with open(os.path.join(parser.parse_args().to, str(rank)), "w") as file:
    file.write(f"{size} {sys.argv[0]} {float(t.sum().execute().fetch())} {session.session_id}")
os.environ["marsdask_test"] = "1"
del os.environ["marsdask_test"]
sys.exit(0)
"""


@pytest.mark.parametrize("form", ["text", "path", "file"])
def test_scripts(session: Session, tmp_path: Path, form: str) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    script = {"text": SCRIPT, "path": str(path), "file": io.BytesIO(SCRIPT.encode())}[form]
    data = {"t": mt.ones((4,), chunk_size=2)}
    done = mr.run_script(script, data=data, n_workers=3, command_argv=["--to", str(tmp_path)])
    assert done.fetch() == {"status": "ok"}
    want = f"3 script 4.0 {session.session_id}"
    assert [(tmp_path / str(rank)).read_text() for rank in range(3)] == [want] * 3
    assert type(os.environ).__name__ == "_Environ"
    assert isinstance(sys.argv, list)


def test_scripts_that_fail(session: Session) -> None:
    with pytest.raises(ZeroDivisionError):
        mr.run_script("x = 1\nx / 0", n_workers=2)
    with pytest.raises(RuntimeError, match=r"sys.exit\(2\)"):
        mr.run_script("import sys\nsys.exit(2)")
    info = mr.run_script("x = 1\n", run_kwargs={"wait": False})
    assert info.result().fetch() == {"status": "ok"}


def test_eager(session: Session) -> None:
    with marsdask.option_context({"eager_mode": True}):
        obj = mr.spawn(lambda: mt.ones(3).is_executed())
        assert obj.fetch() is False  # eager is off inside
    assert repr(obj).startswith("Object <op=")


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


def test_what_is_printed_elsewhere_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with new_session(default=False) as session:
        obj = mr.spawn(time.sleep, args=(0.2,))
        info = obj.execute(session=session, wait=False)
        time.sleep(0.05)
        print("mine")
        info.result()
        assert str(obj.fetch_log()) == ""
        assert capsys.readouterr().out == "mine\n"
    assert type(sys.stdout).__name__ != "Tee"
