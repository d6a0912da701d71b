"""Exchanges between processes: many chunks go in two steps, with the pieces and the order of one."""

import math
import sys

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.dataframe.groupby import ranges
from marsdask.plan import graph
from marsdask.plan.graph import Place, exchanges
from marsdask.session import Session
from marsdask.tensor.sorting.sort import split, splitters
from tests.oracle import assert_like

pytestmark = pytest.mark.once


def pieces_of(number: int, count: int) -> list[tuple[int, int]]:
    return [(number, j) for j in range(count)]


def exchanged(chunks: int, results: int, *, shared: bool = False) -> graph.Chunks:
    with graph.at(Place("test", f"{chunks} to {results}", shared)):
        return graph.exchange(graph.constants(list(range(chunks))), pieces_of, list, results, results)


def computed(chunks: graph.Chunks) -> list:
    return list(dask.get(dict(chunks.__dask_graph__()), chunks.__dask_keys__()))


@pytest.mark.parametrize(
    ("chunks", "results"),
    [(1, 1), (1, 3), (3, 1), (5, 7), (31, 40), (32, 32), (33, 32), (32, 50), (37, 101), (200, 33)],
)
def test_each_result_has_its_piece_of_every_chunk_in_order(chunks: int, results: int) -> None:
    wanted = [[(i, j) for i in range(chunks)] for j in range(results)]
    assert computed(exchanged(chunks, results)) == wanted
    assert computed(exchanged(chunks, results, shared=True)) == wanted


@pytest.mark.parametrize(
    ("chunks", "results", "wide"), [(5, 4, 2), (40, 60, 2), (40, 60, 50), (4, 1, 1), (3, 9, 2)]
)
def test_only_pieces_with_rows_are_made(chunks: int, results: int, wide: int) -> None:
    """Of what a chunk has no rows for there is a piece only where no chunk has any."""
    reach = [range(min(i, results), min(i + wide, results)) for i in range(chunks)]

    def pieces(number: int) -> list[tuple[int, int] | None]:
        return [(number, j) if j in reach[number] else None for j in range(results)]

    with graph.at(Place("test", "reach", False)):
        found = graph.exchange(graph.constants(list(range(chunks))), pieces, list, results, reach=reach)
    met = computed(found)
    assert [[p for p in each if p] for each in met] == [
        [(i, j) for i in range(chunks) if j in reach[i]] for j in range(results)
    ]
    few = sum(map(len, reach))
    if few < 2 * chunks * math.sqrt(results):
        assert min(map(len, met)) == 1
        assert len(found.__dask_graph__()) <= few + 2 * chunks + 2 * results


def test_two_steps_have_few_pieces() -> None:
    def pieces(n: int) -> int:
        return len(exchanged(n, n).__dask_graph__())

    few, many = exchanges.TWO_STEPS_FROM - 1, 144
    assert pieces(few) > few * few
    assert pieces(many) < 2.5 * many * math.sqrt(many)


@pytest.mark.parametrize(("chunks", "results"), [(4, 200), (200, 4)])
def test_few_chunks_on_one_side_go_in_one_step(chunks: int, results: int) -> None:
    assert len(exchanged(chunks, results).__dask_graph__()) < chunks * results + 2 * (chunks + results) + 1


@pytest.mark.parametrize(
    ("rows", "count"), [(0, 3), (1, 1), (1000, 7), (1000, 255), (1000, 256), (10, 70_000)]
)
def test_rows_of_places(rows: int, count: int) -> None:
    goes = np.random.default_rng(rows + count).integers(0, count, rows)
    found = graph.rows_of_places(goes, count)
    assert len(found) == count
    for place in {0, count - 1, *goes.tolist()}:
        assert found[place].tolist() == np.flatnonzero(goes == place).tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, 1, 2, 1, 1, 9, 1, 0]),
        np.array([np.nan, 2.0, -np.inf, np.nan, 1.0, 2.0, np.inf, -0.0, 0.0]),
        np.array(["2021", "NaT", "2020", "2022", "NaT", "2020"], "M8[ns]"),
        np.array([1 + 2j, 1 - 2j, np.nan, 0, 1 + 2j, complex(1, np.nan)]),
        np.array([True, False, True]),
        np.array(["b", "", "abc", "b"]),
        np.array([2, 1, 3], object),
        np.array([], "f4"),
    ],
    ids=str,
)
def test_a_sort_is_cut_at_what_is_less(values: np.ndarray) -> None:
    pivots = splitters([values], 4)
    found = split(pivots, values)
    with np.errstate(invalid="ignore"):  # complex holes
        less = [np.count_nonzero(values < pivot) for pivot in pivots]
    assert np.cumsum([len(piece) for piece in found]).tolist() == [*less, len(values)]
    np.testing.assert_array_equal(np.sort(np.concatenate(found)), np.sort(values))


@pytest.mark.processes
def test_many_chunks_on_workers(on_cluster: Session) -> None:
    """A sort, a merge that goes there and back, and groups; of more chunks than go in one step."""
    rng = np.random.default_rng(5)
    n, chunk = 80_000, 2_000
    assert n / chunk > exchanges.TWO_STEPS_FROM
    values = rng.integers(0, 1000, n)
    in_order = mt.sort(mt.tensor(np.tile(values, 4), chunk_size=4 * chunk)).execute().fetch()
    np.testing.assert_array_equal(in_order, np.sort(np.tile(values, 4)))
    left = pd.DataFrame({"k": rng.permutation(n), "a": values})
    right = pd.DataFrame({"k": rng.permutation(n), "b": rng.random(n)})
    ours, theirs = (md.DataFrame(each, chunk_size=chunk) for each in (left, right))
    found = ours.merge(theirs, on="k", method="shuffle").execute().fetch()
    pd.testing.assert_frame_equal(found, left.merge(right, on="k"))
    drawn = ours.sample(frac=1.0, random_state=1).execute().fetch()
    pd.testing.assert_frame_equal(drawn.sort_index(), left)


def test_bytes_of_chunks_are_those_that_pandas_counts() -> None:
    held = pd.DataFrame(
        {
            "i": range(5),
            "s": list("abcde"),
            "t": pd.date_range("2020", periods=5),
            "o": [{}, 1, 2.0, "x", None],
        }
    )
    for part in (held, held.s, held.o, held.set_index(["i", "s"]), held.set_index("s").i, held.iloc[:0]):
        counted = part.memory_usage(deep=False)
        assert graph.nbytes(part) == (counted if part.ndim == 1 else counted.sum())
    assert graph.nbytes(held.index) == held.index.nbytes
    assert graph.nbytes(np.zeros(3)) == 24
    assert graph.nbytes("no chunk") == 0


@pytest.mark.parametrize(("chunks", "results", "shared", "warned"), [
    (400, 400, True, True), (400, 400, False, False), (31, 4000, False, True), (400, 200, True, False),
])  # fmt: skip
def test_many_pieces_are_warned_of(chunks: int, results: int, shared: bool, warned: bool) -> None:
    place = Place("test", "pieces", shared)
    with graph.at(place):
        graph.exchange(graph.constants(list(range(chunks))), pieces_of, list, results, results)
    assert [rule.startswith("warning: ") for rule in place.rules] == [True] * warned


@given(
    st.lists(st.lists(st.none() | st.integers(0, 9), max_size=6), min_size=1, max_size=5),
    st.sampled_from(["i8", "f8", "M8[us]"]),
    st.integers(1, 6),
    st.booleans(),
)
def test_groups_are_in_the_ranges_that_their_table_reaches(
    tables: list[list[int | None]], dtype: str, count: int, ordered: bool
) -> None:
    made = []
    for keys in tables:
        plain = [k for k in keys if k is not None or dtype != "i8"]
        some = pd.Series(plain, dtype="f8").astype(dtype)
        made.append(pd.DataFrame({ranges.FIRST: some.sort_values() if ordered else some}))
    sampled = [ranges._sampled(table) for table in made]
    cuts = ranges._cuts([some for some, *_ in sampled if len(some)], count).to_numpy()
    for table, (some, *ends) in zip(made, sampled, strict=True):
        if len(cuts) or not len(table):
            pieces = ranges._cut(table, cuts=cuts)
            reached = ranges._reach(cuts, some, *ends)
            assert all(j in reached for j in range(len(cuts) + 1) if len(pieces[j].data[0]))
            assert reached.stop <= len(cuts) + 1


@pytest.mark.parametrize("kind", ["ordered", "random", "holes", "dates"])
def test_groups_exchanged_by_ranges_are_those_of_pandas(
    each_session: Session, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    key = np.arange(900) // 2 if kind in ("ordered", "dates") else rng.integers(0, 200, 900)
    raw = pd.DataFrame({"k": key, "j": key % 3, "s": rng.integers(0, 4, 900), "v": rng.random(900)})
    if kind == "holes":
        raw["k"] = raw.k.where(raw.k % 7 > 0)
    if kind == "dates":
        raw["k"] = pd.Timestamp("2020") + pd.to_timedelta(raw.k, "D")
    lowering = sys.modules["marsdask.dataframe.groupby.lowering"]
    monkeypatch.setattr(lowering, "MANY_GROUPS", 1)
    monkeypatch.setattr(lowering, "MANY_CHUNKS", 2)
    monkeypatch.setattr(ranges, "RANGE_BYTES", 1000)
    frame = md.DataFrame(raw, chunk_size=90)
    outputs = {"n": ("s", "nunique"), "low": ("v", "min"), "rows": ("s", "size")}
    for by in ("k", ["k", "j"]):
        made = frame.groupby(by, dropna=False).agg(**outputs)
        assert "exchanged by ranges" in made.explain(ask=True)
        assert_like(made.execute().fetch(), raw.groupby(by, dropna=False).agg(**outputs))
