"""Checkpoints on threads: what is in the files is what was computed, or an error says so."""

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context, remote
from marsdask.errors import BadCheckpoint, CheckpointDamaged, CheckpointFull, MarsDaskError
from marsdask.session import Session, new_session
from tests.oracle import assert_like
from tests.processes import PATIENCE

calls: list[int] = []


def counted(block: Any) -> Any:
    calls.append(1)
    return block * 2


def doubled(stop: float = 10.0) -> Any:
    calls.clear()
    return mt.tensor(np.arange(stop), chunk_size=3).map_chunk(counted, dtype="f8")


FRAME = pd.DataFrame(
    {
        "c": pd.Categorical(list("xyzxyz"), ordered=True),
        "n": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
        "t": pd.date_range("2020", periods=6, tz="Europe/Paris"),
        "s": [*list("abcde"), None],
    },
    index=pd.MultiIndex.from_product([[1, 2], list("pqr")], names=["outer", None]),
)


def rng() -> Any:
    return mt.random.RandomState(5)


EXPRESSIONS: dict[str, Callable[[], Any]] = {
    "floats": lambda: rng().rand(7, 5, chunk_size=3),
    "unknown shape": lambda: (x := rng().rand(40, chunk_size=9))[x > 0.5],
    "sorted": lambda: mt.sort(rng().rand(50, chunk_size=9)),
    "scalar": lambda: rng().rand(9, chunk_size=4).sum(),
    "empty": lambda: (x := rng().rand(4, chunk_size=2))[x > 2],
    "fortran": lambda: mt.tensor(np.asfortranarray(np.arange(12.0).reshape(3, 4)), chunk_size=2),
    "objects": lambda: mt.tensor(np.array(["a", None, 3], dtype=object), chunk_size=2),
    "structured": lambda: mt.tensor(np.zeros(4, dtype=[("a", "i4"), ("b", "f8")]), chunk_size=3),
    "dates": lambda: mt.tensor(np.arange("2020-01", "2020-04", dtype="M8[D]"), chunk_size=40),
    "frame": lambda: md.DataFrame(FRAME, chunk_size=4),
    "filtered frame": lambda: (f := md.DataFrame(FRAME, chunk_size=4))[f.n > 3],
    "grouped": lambda: md.DataFrame(FRAME, chunk_size=4).groupby("c", observed=True)["n"].sum(),
    "series": lambda: md.DataFrame(FRAME, chunk_size=4).t,
    "index": lambda: md.Index(["b", "a"], name="labels", chunk_size=1),
    "object": lambda: remote.spawn(dict, kwargs={"a": np.arange(3).tolist()}),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_restored_exactly(name: str, tmp_path: Path) -> None:
    make = EXPRESSIONS[name]
    with new_session():
        want = make().execute()
        first = make().checkpoint(tmp_path / "here")
        assert_like(first.fetch(), want.fetch())
        again = make().checkpoint(tmp_path / "here")  # all of it from files
        assert_like(again.fetch(), want.fetch())
        if name != "object":
            assert again.nsplits == want.nsplits
            assert again.shape == want.shape
        if isinstance(want.fetch(), np.ndarray):
            assert again.fetch().flags.f_contiguous == want.fetch().flags.f_contiguous


def test_finished_chunks_do_not_run_again(tmp_path: Path) -> None:
    with new_session():
        t = doubled().checkpoint(tmp_path / "a")
        assert len(calls) == 4
        assert t.is_executed()
        assert t.node.op == "checkpointed"
        for gone in (1, 3):
            (tmp_path / "a" / f"chunk-00000{gone}").unlink()
        np.testing.assert_array_equal(doubled().checkpoint(tmp_path / "a").fetch(), np.arange(10.0) * 2)
        assert len(calls) == 2
        np.testing.assert_array_equal(doubled().checkpoint(tmp_path / "a").fetch(), np.arange(10.0) * 2)
        assert not calls
        np.testing.assert_array_equal((t[4:] + 1).execute().fetch(), np.arange(4.0, 10) * 2 + 1)
        assert not calls


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "missing": Path.unlink,
    "empty": lambda p: p.write_bytes(b""),
    "truncated": lambda p: p.write_bytes(p.read_bytes()[: p.stat().st_size // 2]),
    "one bit": flip,
    "end changed": lambda p: p.write_bytes(p.read_bytes()[:-30] + b"0" * 22 + p.read_bytes()[-8:]),
    "another chunk": lambda p: shutil.copy(p.with_name("chunk-000000"), p),
    "longer": lambda p: p.write_bytes(p.read_bytes() + b"x"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files_are_never_an_answer(name: str, tmp_path: Path) -> None:
    with new_session():
        t = doubled().checkpoint(tmp_path)
        DAMAGE[name](tmp_path / "chunk-000002")
        (leaf,) = [type(t)(t.node)]  # a handle that has not read them yet
        t._result = None
        with pytest.raises(CheckpointDamaged, match=r"chunk-000002.*checkpoint\(\) of the same") as caught:
            leaf.execute()
        assert isinstance(caught.value, OSError)
        np.testing.assert_array_equal(doubled().checkpoint(tmp_path).fetch(), np.arange(10.0) * 2)
        assert len(calls) == 1
        np.testing.assert_array_equal(leaf.execute().fetch(), np.arange(10.0) * 2)


def test_another_expression_is_refused(tmp_path: Path) -> None:
    with new_session():
        doubled().checkpoint(tmp_path)
        for other in (doubled(11.0), doubled() + 1, mt.random.rand(10, chunk_size=3)):
            with pytest.raises(BadCheckpoint, match="another expression"):
                other.checkpoint(tmp_path)
        assert not calls
        with option_context({"combine_size": 7}), pytest.raises(BadCheckpoint, match="options or versions"):
            doubled().checkpoint(tmp_path)
        (tmp_path / "notes.txt").write_text("mine")
        got = (doubled() + 1).checkpoint(tmp_path, overwrite=True)
        np.testing.assert_array_equal(got.fetch(), np.arange(10.0) * 2 + 1)
        assert (tmp_path / "notes.txt").read_text() == "mine"
        manifest = tmp_path / "manifest.json"
        manifest.write_text("{")
        with pytest.raises(BadCheckpoint, match="not one of a checkpoint"):
            doubled().checkpoint(tmp_path)


def test_bad_paths_are_named_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "file").write_text("")
    bad: list[tuple[Any, str]] = [
        (3, "path=3"),
        (None, "path=None"),
        ("", "path=''"),
        ("nowhere://a/b", "Protocol not known"),
        (tmp_path / "file", "a file of that name"),
        (tmp_path / "file" / "below", "cannot be written"),
        (tmp_path / "foreign", "holds other files"),
        ("/proc/none/here", "cannot be written"),
    ]
    with new_session():
        for path, said in bad:
            with pytest.raises((ValueError, TypeError), match=said) as caught:
                doubled().checkpoint(path)
            assert isinstance(caught.value, MarsDaskError)
        with pytest.raises(TypeError, match="storage_options="):
            doubled().checkpoint(tmp_path / "new", storage_options=3)
        with pytest.raises(TypeError, match="overwrite="):
            doubled().checkpoint(tmp_path / "new", overwrite=1)
        with pytest.raises(ValueError, match="a view of another"):
            mt.ones((4,))[1:].checkpoint(tmp_path / "new")
        assert not calls
        assert not (tmp_path / "new").exists()


def test_urls(tmp_path: Path) -> None:
    import fsspec

    with new_session():
        np.testing.assert_array_equal(
            doubled().checkpoint("memory://of-this-test/a").fetch(), doubled().execute().fetch()
        )
        doubled().checkpoint("memory://of-this-test/a")
        assert not calls
        doubled().checkpoint(f"file://{tmp_path}/b")
        assert sorted(os.listdir(tmp_path / "b"))[0] == "chunk-000000"
        np.testing.assert_array_equal(np.load(tmp_path / "b" / "chunk-000000"), [0, 2, 4])
    fsspec.filesystem("memory").rm("/of-this-test", recursive=True)


@pytest.mark.processes
def test_memory_of_this_process_is_no_place_for_workers(on_cluster: Session) -> None:
    with pytest.raises(ValueError, match="out of reach of the workers"):
        doubled().checkpoint("memory://of-this-test/a")


HOLDS = """
import sys
import marsdask.tensor as mt
from marsdask import new_session
new_session(sys.argv[1])
held = (mt.ones(6, chunk_size=2) * int(sys.argv[2])).checkpoint(sys.argv[3])
print(held.fetch().tolist(), flush=True)
sys.stdin.read()
"""


@pytest.mark.processes
def test_programs_on_one_cluster_have_their_own(on_cluster: Session, tmp_path: Path) -> None:
    """Each counts the names of its tasks from 0; while one holds its chunks the other makes, and gets, others."""
    with contextlib.ExitStack() as running:
        for number in (1, 2):
            arguments = [
                sys.executable,
                "-c",
                HOLDS,
                on_cluster.address,
                str(number),
                str(tmp_path / f"{number}"),
            ]
            program = running.enter_context(
                subprocess.Popen(arguments, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            assert program.stdout is not None
            assert program.stdout.readline() == f"{[float(number)] * 6}\n"


PROGRAM = """
import sys, os
import numpy as np, pandas as pd
import marsdask.tensor as mt, marsdask.dataframe as md, helper
from marsdask import new_session, remote
FACTOR = float(os.environ.get("FACTOR", "2"))
def own(block):
    open("calls", "a").write("x")
    return helper.more(block) * FACTOR
new_session()
t = mt.random.RandomState(3).rand(20, chunk_size=6) + mt.tensor(np.arange(20.0), chunk_size=6)
f = md.read_csv("in.csv", chunk_bytes=40)
for path, each in {"t": t.map_chunk(own, dtype="f8"), "f": f[f.a > 3]}.items():
    try:
        each.checkpoint(path)
    except ValueError as error:
        print(error)
print(len(open("calls").read()))
"""


@pytest.mark.processes
@pytest.mark.slow
def test_other_processes(tmp_path: Path) -> None:
    """The same program run again reads its files; with anything changed that its answer depends on, it refuses."""

    def run(**env: str) -> str:
        done = subprocess.run(
            [sys.executable, "program.py"], cwd=tmp_path, env=os.environ | env, text=True, capture_output=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("def more(block):\n    return block + 1\n")
    pd.DataFrame({"a": range(20)}).to_csv(tmp_path / "in.csv", index=False)
    assert run() == "4\n"
    (tmp_path / "t" / "chunk-000001").unlink()
    assert run() == "5\n"
    (tmp_path / "program.py").write_text(f"# Lines shifted.\n\n{PROGRAM}")
    (tmp_path / "helper.py").write_text("\n\ndef more(block):\n    return block + 1  # one more\n")
    assert run() == "5\n"
    said = run(FACTOR="3")
    assert "another expression: it was map_chunk" in said
    assert said.endswith("\n5\n")
    pd.DataFrame({"a": range(21)}).to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "helper.py").write_text("def more(block):\n    return block + 2\n")
    said = run()
    assert "path='t'): it holds another expression: it was map_chunk" in said
    assert "path='f'): it holds another expression: it was csv" in said


def test_a_folder_of_a_program_that_died_at_once(tmp_path: Path) -> None:
    """It holds an unready manifest and nothing else; what is older than an hour is swept."""
    young, old = (tmp_path / f"manifest.json.{digit * 32}.part" for digit in "ab")
    for part in (young, old):
        part.write_text("{")
    foreign = tmp_path / "mine.part"
    os.utime(old, (1, 1))
    with new_session():
        np.testing.assert_array_equal(doubled().checkpoint(tmp_path).fetch(), np.arange(10.0) * 2)
        assert (young.exists(), old.exists()) == (True, False)
        foreign.write_text("")
        os.utime(foreign, (1, 1))
        doubled().checkpoint(tmp_path)
        assert foreign.exists()


def test_a_manifest_damaged_at_any_byte(tmp_path: Path) -> None:
    """Named, or without a consequence; never another answer. Made again where that is asked for."""
    with new_session():
        doubled().checkpoint(tmp_path)
        manifest = tmp_path / "manifest.json"
        sound = manifest.read_bytes()
        right = np.arange(10.0) * 2
        damaged: list[bytes] = [
            sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :] for at in range(len(sound))
        ]
        damaged += [sound[:at] for at in range(0, len(sound), 7)]
        empty = json.loads(sound) | {"expression": []}
        damaged += [json.dumps(empty).encode(), b"[" * 100_000, b"\xff\xfe", b"null", b"[]"]
        named = 0
        for content in damaged:
            manifest.write_bytes(content)
            try:
                got = doubled().checkpoint(tmp_path)
            except BadCheckpoint as error:
                assert str(tmp_path) in str(error)
                named += 1
            else:
                np.testing.assert_array_equal(got.fetch(), right)
        assert named > len(sound) // 2
        manifest.write_bytes(b"?")
        np.testing.assert_array_equal(doubled().checkpoint(tmp_path, overwrite=True).fetch(), right)


def test_somebody_elses_manifest_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a web page"}')
    with new_session(), pytest.raises(BadCheckpoint, match="not one of a checkpoint"):
        doubled().checkpoint(tmp_path, overwrite=True)
    assert "a web page" in (tmp_path / "manifest.json").read_text()


def test_a_full_disk_says_where_and_how_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with new_session():
        doubled().checkpoint(tmp_path / "begun")
        os.unlink(tmp_path / "begun" / "chunk-000001")
        monkeypatch.setattr(os, "fsync", full)
        for path in (tmp_path / "begun", tmp_path / "new"):
            with pytest.raises(
                CheckpointFull, match=r"[\d,]+ bytes could not be written to .*, [\d,]+ bytes are free"
            ) as caught:
                doubled().checkpoint(path)
            assert str(path) in str(caught.value)
            assert caught.value.errno == errno.ENOSPC
            assert not list(path.glob("*.part"))
        monkeypatch.undo()
        np.testing.assert_array_equal(doubled().checkpoint(tmp_path / "begun").fetch(), np.arange(10.0) * 2)
        assert len(calls) == 1


TOGETHER = """
import sys
import marsdask.tensor as mt
from marsdask import new_session
new_session()
sys.stdin.readline()
x = mt.random.RandomState(3).rand(4000, chunk_size=100)
print(float(mt.sort(x).checkpoint(sys.argv[1]).sum().execute().fetch()), flush=True)
"""


@pytest.mark.processes
def test_two_programs_at_one_folder(tmp_path: Path) -> None:
    """Both finish. Eight times two that begin together: they meet at the manifest, at chunks and when they tidy."""
    with new_session():
        want = float(mt.sort(mt.random.RandomState(3).rand(4000, chunk_size=100)).sum().execute().fetch())
    command = [sys.executable, "-c", TOGETHER]
    for number in range(8):
        two = [
            subprocess.Popen(
                [*command, str(tmp_path / str(number))],
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for _ in range(2)
        ]
        for program in two:
            assert program.stdin is not None
            program.stdin.write("\n")
            program.stdin.flush()
        assert [float(program.communicate(timeout=PATIENCE)[0]) for program in two] == [want, want]
        assert not list((tmp_path / str(number)).glob("*.part"))
