"""What spawned functions and scripts know of where they run, and what they print."""

import asyncio
import io
import os
import re
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import marsdask
import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.session import Session, new_session
from tests.processes import PATIENCE, Gate, through, until


def test_context(each_session: Session) -> None:
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


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    with Gate(tmp_path / "gate") as closed:
        yield closed


def test_progress(each_session: Session, gate: Gate) -> None:
    def half(folder: str) -> None:
        marsdask.get_context().set_progress(0.5)
        through(None, folder)

    obj = mr.spawn(half, args=(str(gate.folder),))
    assert obj.progress() == 0
    info = obj.execute(wait=False)
    seen = set()

    def look() -> set[float]:
        seen.update({obj.progress(), info.progress()})
        return seen

    until(lambda: 0.5 in look(), "half of it")
    gate.open()
    until(lambda: look() and info.done(), "the end")
    assert seen <= {0.0, 0.5, 1.0}
    assert obj.progress() == info.progress() == 1
    with pytest.raises(ValueError, match="progress=2"):
        mr.spawn(lambda: marsdask.get_context().set_progress(2)).execute()


class Counter:
    def __init__(self, start: int):
        self.count = start

    def up(self, by: int) -> int:
        self.count += by
        return self.count


def test_stateful_objects(each_session: Session) -> None:
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


class Odd:
    size = 3

    def decodes(self) -> None:
        b"\xff".decode()

    def beyond(self) -> None:
        np.ones(2).sum(axis=2)

    def locks(self) -> None:
        error = ValueError("the door")
        error.lock = threading.Lock()  # type: ignore[attr-defined]
        raise error

    def recurs(self) -> None:
        self.recurs()

    def stops(self) -> None:
        raise StopIteration("here")

    def ends(self) -> None:
        raise GeneratorExit("of all")

    def leaves(self) -> None:
        sys.exit(3)

    def gives_a_lock(self) -> Any:
        return threading.Lock()

    async def waits(self, answer: Any) -> Any:
        await asyncio.sleep(0)
        return answer


def told(name: str, *args: Any) -> Any:
    """What a method of an object gives or raises, in words."""
    context: Any = marsdask.get_context()
    odd = context.create_remote_object(uuid.uuid4().hex, Odd)
    try:
        found = getattr(odd, name)
        return found(*args) if callable(found) else found
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(
    ("name", "here", "there"),
    [
        ("decodes", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff .*", None),
        ("beyond", "AxisError: axis 2 is out of bounds .*", None),
        ("nowhere", "AttributeError: .*nowhere.*", None),
        ("locks", "ValueError: the door", r"TaskFailed: 'Odd.locks' raised ValueError\('the door'\), .*"),
        # Which can be pickled from Python 3.13 on.
        (
            "recurs",
            "RecursionError: .*",
            "RecursionError: .*|TaskFailed: 'Odd.recurs' raised RecursionError.*",
        ),
        ("stops", "StopIteration: here", "TaskFailed: 'Odd.stops' raised StopIteration.*"),
        ("ends", "GeneratorExit: of all", "TaskFailed: 'Odd.ends' raised GeneratorExit.*"),
        ("leaves", "SystemExit: 3", r"Exited: 'Odd.leaves' called sys.exit\(3\).*"),
        ("gives_a_lock", "<unlocked .*", "NotPicklable: the result of 'Odd.gives_a_lock' .*"),
    ],
)
def test_what_methods_of_stateful_objects_raise(
    each_session: Session, name: str, here: str, there: str | None
) -> None:
    """Who calls one by Dask waits for ever where that cannot be pickled."""
    found = mr.spawn(lambda: str(told(name))).execute().fetch()
    assert re.fullmatch((here if "threads" in repr(each_session) else there) or here, found, re.DOTALL)


def test_values_and_coroutines_of_stateful_objects(each_session: Session) -> None:
    assert mr.spawn(told, args=("size",)).execute().fetch() == 3
    large = mr.spawn(told, args=("waits", np.arange(100_000))).execute().fetch()
    assert (large == np.arange(100_000)).all()


def prints(n: int) -> None:
    for i in range(n):
        print(f"line {i} é")


def test_logs(each_session: Session, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert [str(p) for p in each_session.fetch_log([one, two], offsets=0)] == [str(first), str(second)]
    assert [str(p) for p in mr.ExecutableTuple([two]).fetch_log(offsets=0)] == [str(second)]
    if "threads" in repr(each_session):
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


def test_logs_while_it_runs(each_session: Session, gate: Gate) -> None:
    def slow(folder: str) -> None:
        print("early")
        through(None, folder)
        print("late")

    obj = mr.spawn(slow, args=(str(gate.folder),))
    info = obj.execute(wait=False)
    seen: list[str] = []
    until(lambda: seen.append(str(obj.fetch_log())) or any(seen), "what it prints first")
    until(lambda: seen.append(str(obj.fetch_log())) or "".join(seen).endswith("\n"), "all of that")
    assert not info.done()
    assert "".join(seen) == "early\n"
    gate.open()
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
os.environ["MARSDASK_TEST"] = "1"
del os.environ["MARSDASK_TEST"]
sys.exit(0)
"""


@pytest.mark.parametrize("form", ["text", "path", "file"])
def test_scripts(each_session: Session, tmp_path: Path, form: str) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    script = {"text": SCRIPT, "path": str(path), "file": io.BytesIO(SCRIPT.encode())}[form]
    data = {"t": mt.ones((4,), chunk_size=2)}
    done = mr.run_script(script, data=data, n_workers=3, command_argv=["--to", str(tmp_path)])
    assert done.fetch() == {"status": "ok"}
    want = f"3 script 4.0 {each_session.session_id}"
    assert [(tmp_path / str(rank)).read_text() for rank in range(3)] == [want] * 3
    assert type(os.environ).__name__ == "_Environ"
    assert isinstance(sys.argv, list)


@pytest.mark.parametrize(
    "line", ["os.environ |= {'MARSDASK_TEST': '1'}", "os.environ |= [('MARSDASK_TEST', '1')]"]
)
def test_scripts_that_update_the_environment(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setenv("MARSDASK_TEST", "0")
    text = f"""
import os
{line}
assert os.environ["MARSDASK_TEST"] == "1" and os.environ["RANK"] == "0"
assert ({{"RANK": "", "more": "2"}} | os.environ)["RANK"] == "0"
"""
    assert mr.run_script(text).fetch() == {"status": "ok"}
    assert type(os.environ).__name__ == "_Environ"
    assert os.environ["MARSDASK_TEST"] == "1"
    assert "RANK" not in os.environ


def test_scripts_that_fail(each_session: Session) -> None:
    with pytest.raises(ZeroDivisionError):
        mr.run_script("x = 1\nx / 0", n_workers=2)
    with pytest.raises(RuntimeError, match=r"sys.exit\(2\)"):
        mr.run_script("import sys\nsys.exit(2)")
    info = mr.run_script("x = 1\n", run_kwargs={"wait": False})
    assert info.result().fetch() == {"status": "ok"}


def test_eager(each_session: Session) -> None:
    with marsdask.option_context({"eager_mode": True}):
        obj = mr.spawn(lambda: mt.ones(3).is_executed())
        assert obj.fetch() is False  # eager is off inside
    assert repr(obj).startswith("Object <op=")


def test_what_is_printed_elsewhere_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with new_session(default=False) as session:
        begun, go_on = threading.Event(), threading.Event()
        obj = mr.spawn(lambda: begun.set() or go_on.wait(PATIENCE))
        info = obj.execute(session=session, wait=False)
        assert begun.wait(PATIENCE)
        print("mine")
        go_on.set()
        info.result()
        assert str(obj.fetch_log()) == ""
        assert capsys.readouterr().out == "mine\n"
    assert type(sys.stdout).__name__ != "Tee"
