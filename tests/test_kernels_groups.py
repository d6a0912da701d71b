"""Groups by number and the distinct values of groups, beside pandas."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import marsdask.dataframe as md
from marsdask.dataframe.groupby import gathered, lowering, ranges, tables
from marsdask.dataframe.groupby.grouping import Grouping
from marsdask.dataframe.kernels import folds, groups, hashes
from tests.oracle import assert_like
from tests.test_kernels_joins import KEYS

pytestmark = pytest.mark.once


def _floats(n):
    return np.array([np.nan if i % 7 == 3 else [0.0, -0.0, 1.5][i % 3] + i // 5 for i in n], dtype="f8")


VALUES = KEYS | {
    "id": lambda n: pd.array([f"id{i:04}" for i in n], dtype="str"),
    "letter": lambda n: pd.array([chr(97 + i) for i in n], dtype="str"),
    "accent": lambda n: pd.array([["aé", "bè", "çd", "xy1"][i % 4] for i in n], dtype="str"),
    "i1": lambda n: np.asarray(n, dtype="i1") * np.int8(12) - np.int8(120),
    "f8": _floats,
    "f4": lambda n: _floats(n).astype("f4"),
    "cat": lambda n: pd.Categorical.from_codes([i % 8 - 1 for i in n], list("gfedcba")),
    "ordered": lambda n: pd.Categorical.from_codes([i % 4 for i in n], list("zyxw"), ordered=True),
    "tz": lambda n: pd.Series(KEYS["ns"](n)).dt.tz_localize("Europe/Paris").array,
    "Int64": lambda n: pd.array([None if i % 7 == 3 else i for i in n], dtype="Int64"),
    "boolean": lambda n: pd.array([None if i % 7 == 3 else i % 2 == 0 for i in n], dtype="boolean"),
    "arrow": lambda n: pd.array([None if i % 7 == 3 else i for i in n], dtype=pd.ArrowDtype(pa.int32())),
    "object": lambda n: np.array([[None, np.nan, 1, "a"][i % 4] for i in n], dtype=object),
}
NUMBERS = st.lists(st.integers(0, 20), max_size=14)
KIND = st.sampled_from(sorted(VALUES))


def _sizes(patch, spread):
    patch.setattr(groups, "SPARSE", [0, 1, 8][spread])
    patch.setattr(groups, "SMALL", [0, 4, 64][spread])
    patch.setattr(groups, "FEW", 4)
    patch.setattr(groups, "RUNS", [1, 64, 2][spread])
    patch.setattr(groups, "SEEN", [0, 1, 16][spread])
    patch.setattr(groups, "WIDEST", [200, 2**62, 2**62][spread])
    patch.setattr(hashes, "FEWEST", [0, 1, 1 << 18][spread])
    patch.setattr(hashes, "FITS", 2)
    patch.setattr(groups, "NEAR", [1, 8, 2][spread])


@settings(max_examples=100)
@given(st.lists(KIND, min_size=1, max_size=3), NUMBERS, st.booleans(), st.booleans(), st.integers(0, 2))  # fmt: skip
def test_groups_are_those_of_pandas(kinds, numbers, sort, ordered, spread):
    numbers = sorted(numbers) if ordered else numbers
    keys = [pd.Series(VALUES[kind]([i // (3 * k + 1) + k for i in numbers])) for k, kind in enumerate(kinds)]
    with pytest.MonkeyPatch.context() as patch:
        _sizes(patch, spread)
        found = groups.numbered(keys, sort=sort)
    if found is None:
        return
    assert not any(key.isna().any() for key in keys)
    by = pd.DataFrame(dict(enumerate(keys))).groupby(list(range(len(keys))), sort=sort, observed=True)
    np.testing.assert_array_equal(found.number, by.ngroup())
    np.testing.assert_array_equal(found.sizes(), by.size())
    first = pd.Series(range(len(numbers))).groupby(by.ngroup()).first()
    np.testing.assert_array_equal(found.rows, first)
    if not any(isinstance(key.dtype, pd.CategoricalDtype) for key in keys):
        labels, want = groups.labels_of(found.keys(keys), sort=sort), by.size().index
        want.names = [None] * want.nlevels
        pd.testing.assert_index_equal(labels, want, exact=True)
        for ours, theirs in zip(getattr(labels, "levels", ()), getattr(want, "levels", ()), strict=True):
            pd.testing.assert_index_equal(ours, theirs, exact=True)


@pytest.mark.parametrize(
    "kinds",
    [["i4"], ["u1"], ["ns"], ["id"], ["letter"], ["ordered"], ["i4", "id"], ["letter", "f8"], ["str", "i4"]],
)
def test_what_has_numbers(kinds):
    keys = [pd.Series(VALUES[kind]([0, 1, 2, 1, 0])) for kind in kinds]
    assert groups.numbered(keys, sort=True) is not None


@settings(max_examples=100)
@given(KIND, NUMBERS, st.data(), st.booleans(), st.integers(0, 2))
def test_distinct_values_are_those_of_pandas(kind, numbers, data, dropna, spread):
    values = pd.Series(VALUES[kind](numbers))
    number = np.array(
        data.draw(st.lists(st.integers(-1, 3), min_size=len(numbers), max_size=len(numbers))), dtype=np.intp
    )
    if data.draw(st.booleans()):
        number.sort()
    of = groups.Groups(number, count=4)
    with pytest.MonkeyPatch.context() as patch:
        _sizes(patch, spread)
        found = groups.distinct(of, values)
    by = values[number >= 0].groupby(number[number >= 0])
    if kind != "object":  # None and NaN are two values there, for dropna=False
        want = by.nunique(dropna=dropna).reindex(range(4), fill_value=0)
        np.testing.assert_array_equal(found.counts(4, dropna=dropna), want)
    pairs = pd.DataFrame({"g": number, "v": values})[number >= 0].drop_duplicates()
    assert len(pairs) == len(found.number)
    assert (np.diff(found.number) >= 0).all()
    again = pd.Series(found.values(), dtype=values.dtype)
    assert again.dtype == values.dtype
    both = pd.concat([pairs, pd.DataFrame({"g": found.number, "v": again})])
    assert not both.duplicated(keep=False).eq(False).any()


KINDS = sorted(set(VALUES) - {"object"})


@settings(max_examples=80)
@given(
    st.lists(KIND, min_size=1, max_size=2), st.sampled_from(KINDS), st.lists(st.integers(0, 20), min_size=1, max_size=24),
    st.fixed_dictionaries({name: st.booleans() for name in ("sort", "dropna", "as_index", "observed")}),
    st.booleans(), st.integers(1, 25), st.sampled_from(["auto", "tree", "shuffle"]), st.integers(0, 2),
)  # fmt: skip
@example(  # categories that no row has, beside a key of rows in no group
    ["Int64", "cat"], "accent", [0, 0], {"sort": False, "dropna": True, "as_index": False, "observed": False}, False, 1, "auto", 0
)  # fmt: skip
def test_nunique_is_that_of_pandas(keys, value, numbers, flags, dropna, chunk, how, spread):
    frame = pd.DataFrame(
        {f"k{i}": VALUES[k]([n // (3 * i + 1) for n in numbers]) for i, k in enumerate(keys)}
    )
    by = list(frame.columns)
    frame["v"] = VALUES[value]([n * 7 % 13 for n in numbers])
    frame["w"] = np.arange(len(numbers)) % 3

    def one(f, **more):
        return f.groupby(by, **flags)["v"].nunique(dropna, **more)

    def several(f, **more):
        named = {"a": ("v", "nunique"), "n": ("w", "size"), "b": ("w", "nunique"), "m": ("w", "mean")}
        return f.groupby(by, **flags).agg(**named, **more)

    lazy = md.DataFrame(frame, chunk_size=chunk)
    with pytest.MonkeyPatch.context() as patch:
        _sizes(patch, spread)
        patch.setattr(lowering, "MANY_GROUPS", 8)
        for build in (one, several):
            try:
                want = build(frame)
            except Exception as error:  # pandas' own gaps: categories of several keys that are not observed
                with pytest.raises(type(error)):
                    build(lazy, method=how).to_pandas()
                continue
            assert_like(build(lazy, method=how).to_pandas(), want)


@settings(max_examples=80)
@given(
    st.lists(KIND, min_size=1, max_size=2), st.lists(st.integers(0, 6), min_size=1, max_size=40),
    st.fixed_dictionaries({name: st.booleans() for name in ("sort", "dropna", "as_index")}),
    st.integers(4, 30), st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip
@example(["i8", "id"], [*range(7)] * 4, {"sort": False, "dropna": True, "as_index": False}, 9, 1, 2)
@example(
    ["ns"], [*range(7)] * 4, {"sort": True, "dropna": False, "as_index": True}, 9, 1, 2
)  # a chunk with NaT
def test_rows_by_group_in_one_chunk(keys, numbers, flags, chunk, fewer, spread):
    frame = pd.DataFrame({f"k{i}": VALUES[k]([n // (i + 1) for n in numbers]) for i, k in enumerate(keys)})
    by = list(frame.columns)
    frame["v"], frame["w"], frame["s"] = _floats(numbers), np.arange(len(numbers)) % 3, VALUES["str"](numbers)
    lazy = md.DataFrame(frame, chunk_size=chunk)
    named = {"m": ("v", "median"), "n": ("w", "size"), "u": ("s", "nunique"), "k": (by[0], "count")}
    with pytest.MonkeyPatch.context() as patch:
        _sizes(patch, spread)
        patch.setattr(gathered, "FEWER", fewer)
        for again in (by, [by[0], by[0]]):
            for asked in (
                lambda g: g.agg(**named),
                lambda g: g[["v", "w"]].median(),
                lambda g: g.w.agg(["median", "max"]),
            ):
                try:
                    want = asked(frame.groupby(again, **flags))
                except Exception as error:  # pandas' own gaps
                    with pytest.raises(type(error)):
                        asked(lazy.groupby(again, **flags)).to_pandas()
                    continue
                assert_like(asked(lazy.groupby(again, **flags)).to_pandas(), want)


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 40), min_size=30, max_size=60), st.booleans(), st.booleans(),
    st.integers(10, 60), st.sampled_from(["auto", "tree", "shuffle"]), st.sampled_from([2, None]),
)  # fmt: skip
def test_rows_whose_keys_hardly_repeat(numbers, sort, apart, chunk, how, every):
    numbers = np.asarray(numbers)
    frame = pd.DataFrame({"a": numbers % 5, "b": np.arange(len(numbers)) if apart else numbers // 2})
    frame["c"] = VALUES["id"](numbers % 3)
    frame["f"], frame["i"] = _floats(numbers), numbers * 3 - 20
    frame["d"], frame["s"] = VALUES["ns"](numbers), VALUES["str"](numbers)
    named = {
        f"{column}_{name}": (column, name)
        for column, names in {
            "f": ["sum", "count", "min", "max", "first", "last", "mean"],
            "i": ["sum", "min", "size"],
            "d": ["count", "max", "first"],
        }.items()
        for name in names
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "SMALL", 8)
        patch.setattr(groups, "APART", 0.5)
        lazy = md.DataFrame(frame, chunk_size=chunk)
        by = ["a", "b", "c"]
        for more in ({}, {"t": ("s", "min")}):
            got = lazy.groupby(by, sort=sort).agg(**named, **more, method=how, combine_size=every).to_pandas()
            want = frame.groupby(by, sort=sort).agg(**named, **more)
            pd.testing.assert_frame_equal(got, want)


@pytest.mark.parametrize("sort", [True, False])
def test_means_of_whole_numbers_are_those_of_pandas(sort):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"k": rng.integers(0, 9, 999)})
    for dtype in ("i1", "i4", "i8", "u2", "u8", "bool"):
        frame[dtype] = rng.integers(0, 2 if dtype == "bool" else 99, 999).astype(dtype)
    frame["large"] = frame.i8 * 10**13
    frame["c"] = pd.Categorical(frame.k, categories=range(12))
    lazy = md.DataFrame(frame, chunk_size=100)
    got = lazy.groupby("k", sort=sort).mean(numeric_only=True).to_pandas()
    want = frame.groupby("k", sort=sort).mean(numeric_only=True)
    pd.testing.assert_frame_equal(got, want, check_exact=True)
    got = lazy.groupby("c", observed=False, sort=sort)["i8"].mean().to_pandas()
    pd.testing.assert_series_equal(
        got, frame.groupby("c", observed=False, sort=sort)["i8"].mean(), check_exact=True
    )


def test_one_text_of_many_lengths_and_many_pieces():
    parts = [pd.Series(VALUES["id"](range(i, i + 9))) for i in range(3)]
    frame = pd.DataFrame({"k": pd.concat(parts, ignore_index=True), "v": range(27)})
    for chunk in (27, 5):
        got = md.DataFrame(frame, chunk_size=chunk).groupby("k").v.agg(["sum", "nunique", "median"])
        assert_like(got.to_pandas(), frame.groupby("k").v.agg(["sum", "nunique", "median"]))


@pytest.mark.parametrize("chunk", [1, 2, 3])
@pytest.mark.filterwarnings("ignore:invalid value encountered in reduceat")  # pandas' own
def test_infinities_of_both_signs_have_no_sum(chunk):
    frame = pd.DataFrame({"k": [1, 1, 2, 1, 2], "v": [np.inf, -np.inf, 1.0, 2.0, np.nan]})
    got = md.DataFrame(frame, chunk_size=chunk).groupby("k").v.agg(["sum", "mean", "max"])
    assert_like(got.to_pandas(), frame.groupby("k").v.agg(["sum", "mean", "max"]))


FLAGS = {"level": None, "lone": True, "as_index": True, "group_keys": True, "observed": True, "dropna": True}
PARTS = [("f", "sum"), ("f", "count"), ("f", "min"), ("i", "sum"), ("i", "max"), ("d", "first")]
PARTS += [("s", "last"), ("b", "any")]


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 30), max_size=12), min_size=2, max_size=4), st.booleans(), st.booleans())  # fmt: skip
@example([[13], [13], [0, 13], [13]], False, False)  # out of order, and those of several rows in order
def test_few_groups_of_several_rows_are_joined_as_all_are(chunks, sort, ordered):
    chunks = [sorted(set(c)) for c in (map(sorted, chunks) if ordered else chunks)]
    if ordered:
        chunks.sort()
    spec = Grouping((("name", "k"),), sort=sort, **FLAGS)
    made = []
    for numbers in map(np.array, chunks):
        if not len(numbers):
            continue
        table = pd.DataFrame({"key0": numbers.astype("i8")})
        values = numbers * 0.1 + len(made) * 0.7
        values[numbers % 5 == 1] = [-np.inf, np.inf, np.nan][len(made) % 3]
        table[0], table[1] = values, numbers % 3
        table[2] = np.where(numbers % 4 == 0, np.nan, values)
        table[3], table[4] = numbers * 7 - len(made), numbers * len(made)
        table[5], table[6] = VALUES["ns"](numbers), VALUES["str"](numbers)
        table[7] = numbers % 2 == 0
        made.append(table)
    if not made:
        return
    found = []
    for again in (-1.0, 1.0):
        with pytest.MonkeyPatch.context() as patch, np.errstate(invalid="ignore"):  # infinities of both signs
            patch.setattr(tables, "AGAIN", again)
            found.append(tables.together(made, spec=spec, parts=PARTS))
    pd.testing.assert_frame_equal(found[1], found[0], check_exact=True)


FOLDED = {
    name: VALUES[name]
    for name in ("f8", "f4", "i1", "i4", "u1", "i8", "u8", "bool", "ns", "Int64", "arrow", "cat")
    if name in VALUES
}
FOLDED |= {
    "zeros": lambda n: np.array([[0.0, -0.0][i % 2] for i in n]),
    "far": lambda n: np.array([(-1) ** i * 10.0 ** (i * 7 % 37 - 18) / 3 for i in n]),
    "infinite": lambda n: np.array([[1.0, np.inf, -np.inf, np.nan][i % 4] for i in n]),
    "large": lambda n: np.array([(-1) ** i * 2**61 + i for i in n], "i8"),
    "m8": lambda n: np.asarray(n).astype("m8[s]"),
}


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 20)), min_size=1, max_size=40),
    st.sampled_from(sorted(FOLDED)),
    st.sampled_from(["sum", "min", "max", "count", "first", "var"]), st.booleans(), st.booleans(),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:invalid value encountered")  # pandas' own
def test_aggregations_of_groups_are_pandas_to_the_last_bit(rows, kind, how, ordered, skipna):
    number, numbers = np.array(sorted(rows, key=lambda r: r[0]) if ordered else rows).T
    number = np.unique(number, return_inverse=True)[1] - int((number < 0).any())  # without gaps
    values = pd.Series(FOLDED[kind](numbers.tolist()))
    if not (number >= 0).any():
        return
    runs = ordered and number.min() >= 0
    firsts = np.unique(number, return_index=True)[1]
    of = (
        groups.Groups(None, firsts, length=len(number))
        if runs
        else groups.Groups(number, count=number.max() + 1)
    )
    kwargs = {} if skipna or how in ("count", "var") else {"skipna": False}
    by = values[number >= 0].groupby(number[number >= 0])
    try:
        want = pd.Series(getattr(by, how)(**kwargs).array)
    except TypeError:
        with pytest.raises(TypeError):
            folds.aggregated(of, [(values, how, kwargs)])
        return
    found = pd.Series(folds.aggregated(of, [(values, how, kwargs)])[0])
    assert found.dtype == want.dtype
    if isinstance(want.dtype, np.dtype) and want.dtype.kind == "f":
        bits = f"i{want.dtype.itemsize}"
        found, want = (each.fillna(np.nan).to_numpy().view(bits) for each in (found, want))
    assert_like(pd.Series(found), pd.Series(want))


def test_what_is_folded_without_pandas(monkeypatch):
    monkeypatch.setattr(groups.Groups, "of", None)
    of = groups.Groups(np.array([1, 0, 1, -1]), count=2)
    floats = pd.Series([1.5, np.nan, 2.0, 4.0])
    wanted = [
        (pd.Series([1, 2, 3, 4], dtype=dtype), how, {}) for dtype in ("i8", "u8") for how in folds.FOLDS
    ]
    wanted += [(floats, how, {}) for how in ("min", "max", "count")]
    found = [list(map(str, each)) for each in folds.aggregated(of, wanted)]
    assert found[:3] == found[3:6] == [["2", "4"], ["2", "1"], ["2", "3"]]
    assert found[6:9] == [["nan", "1.5"], ["nan", "2.0"], ["0", "2"]]
    in_order = groups.Groups(None, np.array([0, 2]), length=4)
    assert folds.totals(in_order, pd.Series([1, 2, 3, 4])).tolist() == [3.0, 7.0]
    assert folds.totals(in_order, pd.Series([1, 2, 3, 2**52])) is None
    if folds.pandas_adds_in_order():
        assert folds.aggregated(in_order, [(pd.Series([1.0, 2, 3, 4]), "sum", {})])[0].tolist() == [3.0, 7.0]


@settings(max_examples=60)
@given(st.lists(st.integers(-9, 40), min_size=1, max_size=60), st.integers(0, 2**55), st.integers(1, 64))
def test_numbers_told_apart_by_several_tables(numbers, apart, fits):
    code = np.array(numbers, "i8") * apart
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashes, "FITS", fits)
        number, rows = hashes.factorized(code)
    want, distinct = pd.factorize(code)
    np.testing.assert_array_equal(number, want)
    np.testing.assert_array_equal(code[rows], distinct)
    np.testing.assert_array_equal(rows, np.unique(want, return_index=True)[1])


def test_which_numbers_go_to_several_tables():
    many = np.arange(hashes.FEWEST) * 2**40
    assert hashes.mostly_distinct(many)
    assert not hashes.mostly_distinct(many // 2**46)
    assert not hashes.mostly_distinct(many[1:])


@pytest.mark.parametrize("sort", [True, False])
def test_keys_of_more_combinations_than_fit_a_number(sort):
    rng = np.random.default_rng(3)
    keys = [pd.Series(rng.integers(0, 4, 200) * far) for far in (2**40, 2**30, 1, 2**59, 3)]
    found = groups.numbered(keys, sort=sort)
    by = pd.DataFrame(dict(enumerate(keys))).groupby(list(range(len(keys))), sort=sort)
    np.testing.assert_array_equal(found.number, by.ngroup())


def test_groups_of_several_rows():
    number = np.array([0, 2, 1, 2, 3, 0, 2])
    of = groups.Groups(number, np.array([0, 2, 1, 4]))
    rows, at, several = of.several()
    assert rows.tolist() == [0, 1, 3, 5, 6]
    assert at.tolist() == [0, 2]
    assert several.number.tolist() == [0, 1, 1, 0, 1]
    assert several.rows.tolist() == [0, 1]


def test_ranges_follow_tables_whose_keys_follow():
    samples = [pd.Series(s) for s in ([1, 4, 9], [9, 12], [20, 30], [31, 31])]
    assert ranges._cuts(samples, 4).tolist() == [9, 20, 31]
    assert ranges._cuts(samples, 2).tolist() == [20]
    assert ranges._cuts([pd.Series([5, 9]), pd.Series([1, 5])], 3).tolist() == [5]
    assert not len(ranges._cuts([], 4))


@pytest.mark.parametrize("key", ["i8", "f8", "ns", "u2"])
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("as_index", [True, False])
def test_many_groups_in_several_chunks(key, ordered, count, as_index):
    rng = np.random.default_rng(5)
    numbers = np.repeat(np.arange(300), 3) if ordered else rng.integers(0, 300, 900)
    frame = pd.DataFrame({"k": pd.Series(numbers).astype("M8[ns]" if key == "ns" else key)})
    if key in ("f8", "ns"):
        frame.loc[numbers % 10 == 3, "k"] = None
    frame["j"], frame["v"], frame["i"] = numbers % 2, rng.random(900), rng.integers(0, 9, 900)
    by = ["k", "j"][:count]

    def built(f, **how):
        group = f.groupby(by, dropna=not ordered, as_index=as_index)
        return group.agg(a=("v", "sum"), b=("i", "first"), c=("i", "nunique"), n=("v", "size"), **how)

    lazy = md.DataFrame(frame, chunk_size=90)
    got = built(lazy, method="shuffle")
    assert "ranges of the first key" in got.explain(ask=True)
    assert_like(got.to_pandas(), built(frame))
    assert got._result.collection.count > 1
    assert_like(got[got.a > 1].to_pandas(), built(frame)[lambda f: f.a > 1])
    assert_like((got.a + built(lazy, method="shuffle").a).to_pandas(), built(frame).a * 2)
    assert_like(got.merge(lazy[["i"]], left_on="b", right_on="i").to_pandas(), built(frame).merge(frame[["i"]], left_on="b", right_on="i"))  # fmt: skip


@pytest.mark.parametrize("by", ["a", ["a", "b"]])
def test_what_a_table_has_is_not_the_frames_memory(by):
    frame = pd.DataFrame({"a": np.arange(40), "b": np.arange(40) % 3, "v": np.arange(40) / 4})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "SMALL", 8)
        lazy = md.DataFrame(frame, chunk_size=39).execute()
        got = lazy.groupby(by).agg(s=("v", "sum")).reset_index().to_pandas()
    for column in got.columns:
        got[column].array[:] = 7
        got.loc[:, column] = 7
    pd.testing.assert_frame_equal(lazy.to_pandas(), frame)
