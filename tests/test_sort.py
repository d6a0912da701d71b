"""Sorting by exchange, which small data never reach by themselves."""

import sys

import numpy as np
import pytest

import marsdask.tensor as mt

sort_module = sys.modules["marsdask.tensor.sorting.sort"]
rng = np.random.RandomState(3)
LINES = {
    "doubles": rng.standard_normal(300),
    "ties": rng.randint(0, 4, 300),
    "equal": np.ones(300),
    "holes": np.where(rng.rand(300) < 0.4, np.nan, rng.randint(0, 9, 300)),
    "all holes": np.full(300, np.nan),
    "booleans": rng.rand(300) < 0.5,
    "bytes": rng.randint(0, 255, 300).astype("u1"),
    "times": np.where(rng.rand(300) < 0.2, np.datetime64("NaT", "s"), np.arange(300).astype("M8[s]")[::-1]),
    "text": rng.randint(0, 50, 300).astype("U3"),
    "complex": rng.randint(0, 3, 300) + 1j * rng.randint(0, 3, 300),
}
CHUNKS = ((100, 100, 100), (1, 0, 250, 49), (300, 0))


@pytest.fixture(autouse=True, params=["picked", "pieces"])
def exchange_always(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_module, "IN_ONE_CHUNK", 0)
    monkeypatch.setattr(sort_module, "FEW_THREADS", 0)
    monkeypatch.setattr(sort_module, "PICKED", 16 if request.param == "picked" else 0)
    monkeypatch.setattr(sort_module, "BLOCK", 64)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("name", LINES)
def test_sort_and_argsort(name: str, chunks: tuple[int, ...]) -> None:
    data = LINES[name]
    t = mt.tensor(data, chunk_size=(chunks,))
    np.testing.assert_array_equal(mt.sort(t).execute().fetch(), np.sort(data))
    np.testing.assert_array_equal(mt.argsort(t).execute().fetch(), np.argsort(data, kind="stable"))
    np.testing.assert_array_equal(t.execute().fetch(), data)  # the input is as it was


def test_sort_with_positions_and_in_place() -> None:
    data = LINES["ties"]
    t = mt.tensor(data, chunk_size=90)
    values, places = mt.sort(t, return_index=True).execute().fetch()
    np.testing.assert_array_equal(values, np.sort(data))
    np.testing.assert_array_equal(places, np.argsort(data, kind="stable"))
    alias = t
    assert t.sort() is None
    np.testing.assert_array_equal(alias.execute().fetch(), np.sort(data))
    t = mt.tensor(data, chunk_size=90)
    assert t.partition(7) is None
    assert t.execute().fetch()[7] == np.sort(data)[7]


def test_what_follows_a_sort_knows_its_chunks() -> None:
    data = LINES["doubles"]
    t = mt.sort(mt.tensor(data, chunk_size=70))
    assert t.shape == (300,)
    np.testing.assert_allclose((t + np.arange(300)).execute().fetch(), np.sort(data) + np.arange(300))


@pytest.mark.parametrize("axis", [0, -1, None])
def test_parts_of_an_order_with_positions(axis: int | None) -> None:
    whole = rng.permutation(35).reshape(7, 5)
    x, line = mt.tensor(whole, chunk_size=3), whole.ravel() if axis is None else whole
    for made in (
        mt.partition(x, 2, axis=axis, return_index=True),
        mt.partition(x, mt.tensor([1, 2]), axis=axis, return_index=True),
        mt.topk(x, 3, axis=axis, return_index=True),
        mt.topk(x, 3, axis=axis, largest=False, return_index=True),
    ):
        values, places = (each.execute().fetch() for each in made)
        np.testing.assert_array_equal(np.take_along_axis(line, places, axis or 0), values)
    in_place = np.take(np.sort(line, axis=axis or 0), 2, axis=axis or 0)
    made = mt.partition(x, mt.tensor([0, 1])[1:] + 1, axis=axis).execute().fetch()  # a lazy place
    np.testing.assert_array_equal(np.take(made, 2, axis=axis or 0), in_place)
    with pytest.raises(ValueError, match="out of bounds"):
        mt.argpartition(x, mt.tensor([50]), axis=axis).execute()
    with pytest.raises(TypeError, match="whole numbers, got a tensor of float64"):
        mt.partition(x, mt.tensor([1.0]))


def test_records_by_fields() -> None:
    whole = np.array([(1.0, 2), (3.0, 4), (0.0, 9), (3.0, 1)], dtype=[("f", "f8"), ("g", "i4")])
    t = mt.tensor(whole, chunk_size=3)
    for order in ("g", ["f", "g"]):
        want = np.sort(whole, order=order)
        values, places = (each.execute().fetch() for each in mt.topk(t, 2, order=order, return_index=True))
        assert values.tolist() == want[::-1][:2].tolist() == whole[places].tolist()
        assert mt.topk(t, 2, largest=False, order=order).execute().fetch().tolist() == want[:2].tolist()
        assert mt.sort(t, order=order).execute().fetch().tolist() == want.tolist()
    with pytest.raises(ValueError, match="no fields"):
        mt.topk(mt.ones(3), 1, order="f")
