"""Rows matched by our kernel, beside pandas' merge: equal to the last bit."""

import pickle
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.joining.matching import _met
from marsdask.dataframe.joining.merge import Merge
from marsdask.dataframe.kernels import joins, keys, ranks

pytestmark = pytest.mark.once

KEYS = {
    "i8": lambda n: np.asarray(n, dtype="i8"),
    "i4": lambda n: np.asarray(n, dtype="i4") - 5,
    "u8": lambda n: np.asarray(n, dtype="u8") + np.uint64(2**63 - 3),
    "u1": lambda n: np.asarray(n, dtype="u1"),
    "far": lambda n: np.asarray(n, dtype="i8") * 2**55 - 2**58,
    "all": lambda n: (
        np.where(np.asarray(n, dtype="i8") % 2, 2**63 - 3, -(2**63)) + (np.asarray(n, dtype="i8") // 4)
    ),
    "bool": lambda n: np.asarray(n, dtype="i8") % 2 == 0,
    "s": lambda n: _missing(np.asarray(n, dtype="M8[s]"), n),
    "ns": lambda n: _missing(np.asarray(n, dtype="M8[ns]") + np.timedelta64(400, "D"), n),
    "delta": lambda n: _missing(np.asarray(n, dtype="m8[us]"), n),
    "str": lambda n: pd.array([None if i % 7 == 3 else f"text {i}" for i in n], dtype="str"),
    "string": lambda n: pd.array([None if i % 7 == 3 else f"text {i}" for i in n], dtype="string"),
}
ALSO = {
    "category": lambda n: pd.Categorical(
        [None if i % 7 == 3 else f"text {i}" for i in n], [f"text {i}" for i in range(12)]
    ),
    "zone": lambda n: (
        pd.Series(_missing(np.asarray(n, dtype="M8[us]"), n)).dt.tz_localize("Asia/Tokyo").array
    ),
    "Int16": lambda n: pd.array([None if i % 7 == 3 else i - 4 for i in n], dtype="Int16"),
    "UInt64": lambda n: pd.array([None if i % 7 == 3 else 2**63 - 4 + i for i in n], dtype="UInt64"),
    "boolean": lambda n: pd.array([None if i % 7 == 3 else i % 2 == 0 for i in n], dtype="boolean"),
    "arrow int": lambda n: pd.array([None if i % 7 == 3 else i - 4 for i in n], dtype="int32[pyarrow]"),
    "arrow uint": lambda n: pd.array(
        [None if i % 7 == 3 else 2**63 - 4 + i for i in n], dtype="uint64[pyarrow]"
    ),
    "arrow bool": lambda n: pd.array([None if i % 7 == 3 else i % 2 == 0 for i in n], dtype="bool[pyarrow]"),
    "arrow text": lambda n: pd.array(
        [None if i % 7 == 3 else f"text {i}" for i in n], dtype=pd.ArrowDtype(pa.string())
    ),
}
"""Keys that only merges match here."""
WIDER = {"i4": "i8", "u1": "u2"}


def _missing(values, numbers):
    values[np.asarray(numbers, dtype=int) % 7 == 3] = "NaT"
    return values


VALUES = {
    "float": lambda n: np.asarray(n, dtype="f8"),
    "int": lambda n: np.arange(len(n), dtype="i4"),
    "bool": lambda n: np.asarray(n) % 3 == 0,
    "text": lambda n: pd.array([str(i) for i in n], dtype="str"),
    "date": lambda n: np.asarray(n, dtype="M8[s]"),
    "zone": lambda n: pd.Series(np.asarray(n, dtype="M8[ns]")).dt.tz_localize("UTC").array,
    "nullable": lambda n: pd.array(n, dtype="Int64"),
    "object": lambda n: np.array([None, *n], dtype=object)[1:],
    "category": lambda n: pd.Categorical(n, categories=range(10)),
}


@st.composite
def frames(draw):
    on = draw(st.lists(st.sampled_from(sorted(KEYS | ALSO)), min_size=1, max_size=2))
    wider = draw(st.booleans())
    sides = []
    for side in "lr":
        numbers = draw(st.lists(st.integers(0, draw(st.sampled_from([0, 3, 9]))), max_size=12))
        columns = {f"k{i}": (KEYS | ALSO)[kind](numbers) for i, kind in enumerate(on)}
        if wider and side == "r":
            columns |= {
                f"k{i}": columns[f"k{i}"].astype(WIDER[kind]) for i, kind in enumerate(on) if kind in WIDER
            }
        columns |= {"same": np.arange(len(numbers))} if draw(st.booleans()) else {}
        columns |= {f"{side}{v}": VALUES[v](numbers) for v in draw(st.sets(st.sampled_from(sorted(VALUES))))}
        frame = pd.DataFrame(columns)
        order = draw(st.permutations(list(frame.columns)))
        frame = frame[order]
        sides.append(
            frame.set_axis(np.arange(len(frame))[::-1] * 3, axis=0) if draw(st.booleans()) else frame
        )
    return (*sides, [f"k{i}" for i in range(len(on))])


def _of_pandas(spec, left, right):
    """pandas' answer; an inner merge in the order that it documents, which 3.0 breaks where only the right's keys repeat."""
    if spec.how != "inner" or not pd.__version__.startswith("3.0."):
        return spec.of(left, right)
    sides = (left.assign(nr_left=range(len(left))), right.assign(nr_right=range(len(right))))
    rows = spec.of(*sides).sort_values(["nr_left", "nr_right"], ignore_index=True)
    return rows.drop(columns=["nr_left", "nr_right"])


@settings(max_examples=120)
@given(frames(), st.sampled_from(["left", "right", "inner"]), st.booleans(), st.booleans(), st.integers(0, 4))
def test_rows_are_those_of_pandas(given, how, indicator, renamed, spread):
    left, right, on = given
    spec = Merge(how, on, None, None, False, False, False, ("_x", "_y"), indicator, None)
    if renamed:
        right = right.rename(columns={on[0]: "other"})
        spec = Merge(how, None, on, ["other", *on[1:]], False, False, False, ("_x", "_y"), indicator, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "SPARSE", [0, 1, 64, 64, 64][spread])
        patch.setattr(keys, "DENSE", [0, 4, 64, 0, 2][spread])
        patch.setattr(keys, "THIN", [8, 8, 8, 0, 2][spread])
        built = joins.Built([left, right][spec.other], spec.keys[spec.other])
    want = _of_pandas(spec, left, right)
    mixed = how == "right" and any(
        left[a].dtype != right[b].dtype for a, b in zip(*spec.keys, strict=True) if a == b
    )
    assert spec.kernel(left, right) is not mixed

    def compare(got, built, **strict):
        """Where pandas matched the rows itself, its 3.0 has an order of its own."""
        each = [got, want]
        if spec.how == "inner" and not built.usable and pd.__version__.startswith("3.0."):
            each = [f.sort_values(list(f.columns), ignore_index=True) for f in each]
        pd.testing.assert_frame_equal(*each, **strict)

    probe, how = [left, right][1 - spec.other], {"spec": spec, "side": spec.other, "columns": want.columns}
    got, places = _met(probe, built, np.arange(len(probe)), **how)
    compare(got, built, check_column_type=True)
    assert pd.__version__.startswith("3.0.") or (np.diff(places) >= 0).all()
    got, _ = _met(probe, pickle.loads(pickle.dumps(built)), None, **how)
    compare(got, built)
    if how["spec"].how == "inner":  # the left side prepared, its rows put in order again
        built = joins.Built(left, spec.keys[0])
        got, places = _met(right, built, np.arange(len(left)), **{**how, "side": 0})
        got = got.take(np.argsort(places, kind="stable")).reset_index(drop=True)
        compare(got, built, check_column_type=True)


@pytest.mark.parametrize("at_once", [1, 3, ranks.AT_ONCE])
@given(st.sets(st.integers(0, 200)), st.integers(0, 3), st.lists(st.integers(0, 201)))
def test_places_among_numbers(at_once, numbers, more, others):
    ascending = np.array(sorted(numbers), dtype="i8")
    total = max([*numbers, 201]) + more
    known = ranks.Ranks(ascending, total)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "AT_ONCE", at_once)
        found = known.places(np.array([*others, total], dtype="i8"))
    assert found.tolist() == [*(sorted(numbers).index(n) if n in numbers else -1 for n in others), -1]


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_many_thin_keys_are_ranked(repeats, shuffled):
    rng = np.random.default_rng(0)
    many = np.arange(1_000_000) * 32
    build = many[: keys.DENSE // 32 * 2].repeat(2) if repeats else many
    build = rng.permutation(build) if shuffled else build
    left = pd.DataFrame({"k": rng.integers(0, 40_000_000, 5000), "v": np.arange(5000.0)})
    left.loc[::2, "k"] = rng.choice(build, 2500)
    right = pd.DataFrame({"k": build, "w": np.arange(len(build))})
    built = joins.Built(right, ["k"])
    assert built.keys.ranks is not None
    assert built.unique is not repeats
    assert built.__sizeof__() < 60 * len(build)
    for each in (built, pickle.loads(pickle.dumps(built))):
        rows, partners = each.pairs(left, ["k"], inner=True)
        want = left.reset_index().merge(right, on="k")
        np.testing.assert_array_equal(rows, want["index"])
        np.testing.assert_array_equal(right["w"].take(partners), want["w"])


@given(st.lists(st.integers(0, 3), max_size=5), st.sampled_from(["m:1", "m:m"]))
def test_keys_that_must_not_repeat(numbers, validate):
    right = pd.DataFrame({"k": np.asarray(numbers, dtype=int), "v": range(len(numbers))})
    assume(not right["k"].is_unique or validate == "m:m")
    left = pd.DataFrame({"k": [0, 1, 1]})
    spec = Merge("inner", "k", None, None, False, False, False, ("_x", "_y"), False, validate)
    call = lambda: md.DataFrame(left, chunk_size=2).merge(md.DataFrame(right), on="k", validate=validate)  # noqa: E731
    if right["k"].is_unique or validate == "m:m":
        pd.testing.assert_frame_equal(call().to_pandas(), _of_pandas(spec, left, right))
    else:
        with pytest.raises(pd.errors.MergeError):
            call().execute()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (pd.DataFrame({"k": [1.0]}), pd.DataFrame({"k": [1.0]})),
        (pd.DataFrame({"k": [1]}), pd.DataFrame({"k": [1.0]})),
        (pd.DataFrame({"k": ["a"]}, dtype=object), pd.DataFrame({"k": ["a"]}, dtype=object)),
        (pd.DataFrame({"k": [1]}), pd.DataFrame([[1, 2]], columns=["k", "k"])),
        (pd.DataFrame({"v": [1]}, index=pd.Index([1], name="k")), pd.DataFrame({"k": [1]})),
        (
            pd.DataFrame({"k": pd.Categorical(["a"], ["a", "b"])}),
            pd.DataFrame({"k": pd.Categorical(["a"], ["b", "a"])}),
        ),
        (pd.DataFrame({"k": pd.Categorical(["a"])}), pd.DataFrame({"k": ["a"]})),
        (pd.DataFrame({"k": np.array([1], "i8")}), pd.DataFrame({"k": np.array([1], "u8")})),
        (pd.DataFrame({"k": np.array([1], "i8")}), pd.DataFrame({"k": pd.array([1], "Int64")})),
        (pd.DataFrame({"k": pd.arrays.SparseArray([1])}), pd.DataFrame({"k": pd.arrays.SparseArray([1])})),
    ],
)
def test_what_pandas_itself_matches(left, right):
    assert not joins.fits(left, right, ["k"], ["k"], "left")


def test_too_many_combinations_are_matched_by_pandas():
    frame = pd.DataFrame({k: np.array([0, 2**40]) for k in "ab"} | {"v": [1, 2]})
    spec = Merge("left", ["a", "b"], None, None, False, False, False, ("_x", "_y"), False, None)
    built = joins.Built(frame, ["a", "b"])
    assert not built.usable
    got, places = _met(frame, built, np.arange(2) * 5, spec=spec, side=1, columns=None)
    pd.testing.assert_frame_equal(got, spec.of(frame, frame))
    assert list(places) == [0, 5]


@pytest.mark.parametrize("keys", [[7, 900_000, 3], [7, 7, 900_000, 3, 7]])
def test_a_table_does_not_travel_and_is_there_on_arrival(keys):
    built = joins.Built(pd.DataFrame({"v": 1, "k": keys}), ["k"])
    sent = pickle.dumps(built)
    assert built.keys.table.nbytes > 100 * len(sent)
    came = pickle.loads(sent)
    np.testing.assert_array_equal(came.keys.table, built.keys.table)
    assert came.__sizeof__() == built.__sizeof__()


def test_what_was_sent_is_looked_up_by_many_threads():
    numbers = np.random.default_rng(0).permutation(200_000) * 1000
    built = pickle.loads(pickle.dumps(joins.Built(pd.DataFrame({"k": numbers}), ["k"])))
    assert built.keys.index is not None
    assert built.__sizeof__() > 200_000 * 8
    found = []

    def look():
        found.append((built.keys.looked_up([pd.Series(numbers)]) == np.arange(len(numbers))).all())

    many = [threading.Thread(target=look) for _ in range(4)]
    [t.start() for t in many]
    [t.join() for t in many]
    assert found == [True] * 4


@pytest.mark.parametrize("kind", sorted(KEYS | ALSO | {"object": None, "f4": None, "sparse": None}))
def test_rows_with_holes_are_as_pandas_takes_them(kind):
    makes = KEYS | ALSO | {
        "object": lambda n: np.array(["a" if i % 2 else None for i in n], dtype=object),
        "f4": lambda n: np.asarray(n, dtype="f4"),
        "sparse": lambda n: pd.arrays.SparseArray(np.asarray(n, dtype="f8")),
    }  # fmt: skip
    for length, rows in ((9, [3, -1, 0, 0, -1, 8]), (0, [-1, -1]), (3, [2, 0])):
        frame = pd.DataFrame({"a": pd.Series(makes[kind](list(range(length)))), "b": range(length)})
        frame = frame[["a", "b"]].set_axis(["x", "x"], axis=1)
        found = joins._taken(frame, np.array(rows, np.intp))
        want = frame.set_axis(pd.RangeIndex(length), axis=0).reindex(rows) if -1 in rows else frame.take(rows)
        pd.testing.assert_frame_equal(found.reset_index(drop=True), want.reset_index(drop=True))
