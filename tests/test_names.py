"""What people read on the dashboard: tasks carry the names of the operations that they called."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from dask.task_spec import TaskRef  # noqa: TID251 - a graph as Dask makes it
from dask.utils import key_split

import marsdask.dataframe as md
import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.engine.base import Threads
from marsdask.plan import graph
from marsdask.plan.graph.names import Label, joint
from marsdask.session import Session, get_default_session
from tests.names import prefixes, unknown


class Noting(Threads):
    """Runs on threads what a cluster would get, and notes the names."""

    shared_memory = False

    def __init__(self) -> None:
        self.names: set[str] = set()

    def submit(self, tasks: dict[Any, Any], keys: list[Any]) -> list[Any]:
        assert set(keys) <= tasks.keys()
        self.names |= {key_split(k) for k in tasks}
        return super().submit(tasks, keys)


@pytest.fixture
def noting() -> Iterator[Noting]:
    engine, before = Noting(), get_default_session()
    with Session(engine).as_default():
        yield engine
    if before is not None:
        before.as_default()


def frame() -> Any:
    rng = np.random.RandomState(5)
    return md.DataFrame(pd.DataFrame({"k": rng.randint(0, 9, 60), "v": rng.rand(60)}), chunk_size=20)


def tensor() -> Any:
    return mt.random.RandomState(3).rand(30, 30, chunk_size=10)


def csv(path: Path) -> Any:
    frame().execute().fetch().to_csv(path / "a.csv", index=False)
    return md.read_csv(str(path / "a.csv"), chunk_bytes=200)


def half(x: Any) -> Any:
    return x / 2


PROGRAMS: dict[str, tuple[Callable[[Path], Any], set[str]]] = {
    "sort": (lambda path: mt.sort(tensor().ravel().rechunk(90)), {"sort"}),
    "sort_values": (lambda path: frame().sort_values("v"), {"sort_values"}),
    "merge": (lambda path: frame().merge(frame(), on="k"), {"merge"}),
    "groupby": (lambda path: frame().groupby("k").agg({"v": "mean"}), {"groupby-agg", "groupby-agg-parts"}),
    "read_csv": (lambda path: csv(path).k.sum(), {"read_csv"}),
    "chain": (lambda path: ((mt.tensor(np.arange(9.0), chunk_size=3) + 1) * 2).sum(), {"add+multiply+sum", "sum-aggregate"}),
    "random": (lambda path: mt.random.rand(30, 30, chunk_size=10), {"random.rand"}),
    "rechunk": (lambda path: tensor().rechunk((4, 30)), {"rechunk"}),
    "full": (lambda path: mt.ones((4, 4), chunk_size=2), {"ones"}),
    "map_chunk": (lambda path: frame().map_chunk(half), {"map_chunk(half)"}),
    "apply": (lambda path: frame().groupby("k").apply(half), {"groupby.apply(half)"}),
    "transform": (lambda path: frame().groupby("k").transform(half), {"groupby.transform(half)", "groupby.transform(half)-split"}),
    "lambda": (lambda path: frame().v.apply(lambda x: x + 1), {"apply"}),
    "spawn": (lambda path: mr.spawn(functools.partial(half, 3.0)), {"half"}),
}  # fmt: skip


@pytest.mark.parametrize("program", [name for name in PROGRAMS if name != "spawn"])
def test_programs(program: str, noting: Noting, tmp_path: Path) -> None:
    make, wanted = PROGRAMS[program]
    make(tmp_path).execute()
    shown = {part for name in noting.names for part in (name, *name.split("+"))}
    assert wanted <= shown
    assert unknown(noting.names) == set()
    assert not noting.names & {"getitem", "full_like", "lambda", "random_sample"}


@pytest.mark.processes
def test_programs_on_workers(on_cluster: Session, tmp_path: Path) -> None:
    before = prefixes(on_cluster)
    handles = [make(tmp_path) for make, _ in PROGRAMS.values()]
    mr.ExecutableTuple(handles).execute()
    fresh = prefixes(on_cluster) - before
    assert unknown(fresh) <= {"half"}
    everywhere = {part for name in prefixes(on_cluster) for part in (name, *name.split("+"))}
    assert {"sort", "groupby-agg", "read_csv", "merge", "map_chunk(half)", "half"} <= everywhere


@pytest.mark.processes
def test_results_are_found_by_their_names(on_cluster: Session) -> None:
    t = tensor()
    total = (t - t.min(axis=0)).sum(axis=1).execute()  # under another name than its collection was built with
    assert unknown({key_split(k) for k in total._result.collection.__dask_keys__()}) == set()
    both = mr.ExecutableTuple([total + 1, (total * 2).sum()]).execute()
    want = tensor().to_numpy()
    want = (want - want.min(axis=0)).sum(axis=1)
    np.testing.assert_allclose(both[0].fetch(), want + 1)
    np.testing.assert_allclose(both[1].fetch(), (want * 2).sum())
    np.testing.assert_allclose(total.to_dask().compute(scheduler=on_cluster.engine.client), want)  # type: ignore[attr-defined]


@pytest.mark.processes
def test_a_rechunk_from_worker_to_worker(on_cluster: Session) -> None:
    client, whole = on_cluster.engine.client, np.random.RandomState(3).rand(40, 40)  # type: ignore[attr-defined]
    with dask.config.set({"array.rechunk.method": "p2p"}), client.as_current():
        t = mt.tensor(whole, chunk_size=(10, 40)).rechunk((40, 10)) + 1
        got = t.execute().fetch()
    np.testing.assert_array_equal(got, whole + 1)
    assert "shuffle-barrier" in prefixes(on_cluster)


def test_what_is_the_users_own_keeps_its_name(noting: Noting) -> None:
    theirs = da.ones(6, chunks=3, name="mine-1").map_blocks(half, name="halves-2")
    (mt.tensor(theirs) + 1).execute()
    assert not any(name.startswith("from_dask") for name in noting.names)


def test_equal_work_has_equal_names() -> None:
    tasks = {("lambda-1", i): graph.call(("lambda-1", i), half, i) for i in range(2)}
    tasks |= {("lambda-2", i): graph.call(("lambda-2", i), half, TaskRef(("lambda-1", i))) for i in range(2)}
    labels = {"lambda-2": Label("where")}
    keys = [("lambda-2", 0), ("lambda-2", 1)]
    new, shown = graph.named(dict(tasks), keys, labels)
    again, _ = graph.named(dict(tasks), keys, labels)
    assert new.keys() == again.keys()
    assert {key_split(k) for k in new} == {"where"}
    assert len({k[0] for k in new}) == 2  # what is made on the way keeps apart from what it is for
    assert dask.get(new, shown) == (0.0, 0.25)


def test_joint_names_stay_short() -> None:
    assert len(joint(["a_rather_long_name" + str(i) for i in range(9)])) <= 48
    assert joint(["sum"]) == "sum"
    assert (
        key_split(joint(["read_csv", "getitem", "groupby-agg"]) + "-" + "0" * 32)
        == "read_csv+getitem+groupby-agg"
    )


def test_passes_go_on_beside_what_a_cluster_holds() -> None:
    held = {("x-1", i): TaskRef(("x-1", i)) for i in range(3)}
    made: dict[Any, Any] = {
        ("half-2", i): graph.call(("half-2", i), half, TaskRef(("x-1", i))) for i in range(3)
    }
    made |= {("half-3", i): graph.call(("half-3", i), half, TaskRef(("half-2", i))) for i in range(3)}
    keys = [("half-3", 0)]
    wanted = graph.wanted_only(held | made, keys)
    assert set(wanted) == {("x-1", 0), ("half-2", 0), ("half-3", 0)}
    one = graph.lined_up(wanted, keys)
    assert set(one) == {("x-1", 0), ("half-3", 0)}
    newer = {("x-1", 0): TaskRef(("tensor-9", 0))}  # the cluster knows it by another name
    new, shown = graph.named(one | newer, keys, {"half-3": Label("half")})
    assert set(new) == {("tensor-9", 0), shown[0]}
    assert new[shown[0]].dependencies == {("tensor-9", 0)}


def both(x: float, y: float) -> float:
    return x + y


def tasks_in(*made: tuple[Any, ...]) -> dict[Any, Any]:
    return {key: graph.call(key, func, *map(TaskRef, needs)) for key, func, *needs in made}


def test_a_number_of_one_chunk_is_worked_out_where_its_rows_are() -> None:
    tasks = tasks_in(
        (("a", 0), half, ("x", 0)),
        (("mean", 0), half, ("a", 0)),
        (("mean",), half, ("mean", 0)),
        (("above", 0), both, ("a", 0), ("mean",)),
    )
    held = {("x", 0): TaskRef(("x", 0))}
    one = graph.lined_up(held | tasks, [("above", 0)])
    assert set(one) == {("x", 0), ("above", 0)}
    assert one["above", 0]({("x", 0): 16.0}) == 8.0 + 2.0


def test_a_number_of_other_rows_is_worked_out_beside() -> None:
    tasks = tasks_in(
        (("a", 0), half, ("x", 0)),
        (("b", 0), half, ("y", 0)),
        (("mean",), half, ("b", 0)),
        (("above", 0), both, ("a", 0), ("mean",)),
    )
    held = {("x", 0): TaskRef(("x", 0)), ("y", 0): TaskRef(("y", 0))}
    apart = graph.lined_up(held | tasks, [("above", 0)])
    assert set(apart) == {("x", 0), ("y", 0), ("mean",), ("above", 0)}


def test_what_one_task_joins_of_each_chunk_is_made_in_one_task() -> None:
    tasks: dict[Any, Any] = {}
    for i in range(3):
        tasks |= tasks_in(
            (("rows", i), half, ("x", i)),
            (("a", i), half, ("rows", i)),
            (("b", i), both, ("rows", i), ("a", i)),
            (("c", i), half, ("a", i)),
        )
    tasks["all",] = graph.call(("all",), total, *(TaskRef((n, i)) for n in "bc" for i in range(3)))
    held = {("x", i): TaskRef(("x", i)) for i in range(3)}
    one = graph.lined_up(held | tasks, [("all",)])
    assert len(one) == 3 + 3 + 1
    given: dict[Any, Any] = {("x", i): 8.0 * i for i in range(3)}
    for key, task in one.items():
        if key not in given and key != ("all",):
            given[key] = task({need: given[need] for need in task.dependencies})
    assert one["all",](given) == sum(8.0 * i * (0.5 + 0.25 + 0.125) for i in range(3))


def total(*values: float) -> float:
    return sum(values)


@pytest.mark.parametrize("kept", [("rows", 1), ("a", 1), ("b", 1)])
def test_what_is_looked_at_elsewhere_stays_a_task_of_its_own(kept: Any) -> None:
    tasks: dict[Any, Any] = {}
    for i in range(2):
        tasks |= tasks_in(
            (("rows", i), half, ("x", i)),
            (("a", i), half, ("rows", i)),
            (("b", i), half, ("rows", i)),
        )
    tasks["all",] = graph.call(("all",), total, *(TaskRef((n, i)) for n in "ab" for i in range(2)))
    held = {("x", i): TaskRef(("x", i)) for i in range(2)}
    one = graph.lined_up(held | tasks, [("all",), kept])
    assert {("all",), kept} <= set(one)
    assert len(one) == 2 + 1 + 1 + 3  # the other chunk in one task, this one in three
    given: dict[Any, Any] = {("x", i): 8.0 for i in range(2)}
    work = [k for k in one if k not in given]
    while work:
        key = work.pop(0)
        if set(one[key].dependencies) <= set(given):
            given[key] = one[key](given)
        else:
            work.append(key)
    assert given["all",] == 8.0
    assert given[kept] == (4.0 if kept[0] == "rows" else 2.0)


def _read(item: int, columns: list[str]) -> dict[str, int]:
    return dict.fromkeys(columns, item)


def _less(some: list[str], item: int, columns: list[str]) -> tuple[int, list[str]] | None:
    kept = [name for name in columns if name in some]
    return None if len(kept) == len(columns) else (item, kept)


def _pick(rows: dict[str, int], some: Any) -> Any:
    return rows[some] if isinstance(some, str) else {name: rows[name] for name in some}


_read.narrow = _less  # type: ignore[attr-defined]
_pick.picks = True  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("picked", "other", "kept", "read"),
    [
        (["a", ["b", "a"]], False, False, ["a", "b"]),
        (["c"], False, False, ["c"]),
        (["a", ["b", "c"]], False, False, None),
        (["a"], True, False, None),
        (["a"], False, True, None),
    ],
)
def test_what_is_read_is_what_is_picked_of_it(picked: Any, other: bool, kept: bool, read: Any) -> None:
    """Of all columns, where these are picked, or something looks at the rows, or they are held."""
    tasks: dict[Any, Any] = {("rows", 0): graph.call(("rows", 0), _read, 7, ["a", "b", "c"])}
    for i, some in enumerate(picked):
        tasks[f"picked{i}", 0] = graph.call((f"picked{i}", 0), _pick, TaskRef(("rows", 0)), some)
    if other:
        tasks["len", 0] = graph.call(("len", 0), len, TaskRef(("rows", 0)))
    keys = [key for key in tasks if kept or key != ("rows", 0)]
    labels = {"rows": Label("read_rows")}
    less = graph.narrowed(tasks, keys, labels)
    if read is None:
        assert less is tasks or less == tasks
        return
    (key,) = less.keys() - tasks.keys()
    assert labels[key[0]] == Label("read_rows")
    assert less[key]() == dict.fromkeys(read, 7)
    assert ("rows", 0) not in less
    for i, some in enumerate(picked):
        assert less[f"picked{i}", 0]({key: less[key]()}) == _pick(dict.fromkeys("abc", 7), some)
