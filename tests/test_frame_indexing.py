"""Getting and setting by label, position and mask, beside pandas: distinct, repeated, text, date and several-level labels."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.errors import MarsDaskError
from tests.oracle import assert_like, fetched

BASE = pd.DataFrame({"k": [3, 1, 2, 3, 5, 1], "v": [1.0, 2, 3, 4, 5, 6], "s": list("xyzxyz")})
FRAMES = {
    "ranged": BASE,
    "unsorted": BASE.set_axis([5, 4, 3, 2, 1, 0]),
    "repeated": BASE.set_axis([5, 4, 3, 5, 1, 0]),
    "text": BASE.set_axis(list("fbcdea")),
    "dates": BASE.set_axis(pd.DatetimeIndex(["2020-01-31", "2020-02-01", "2020-02-02", "2020-02-04", "2020-02-08", "2020-03-01"])),
    "floats": BASE.set_axis([0.5, 1.0, 2.0, 3.5, 4.0, 5.0]),
    "periods": BASE.set_axis(pd.period_range("2020-01", periods=6, freq="M")),
    "levels": BASE.assign(a=[3, 1, 2, 3, 5, 1], b=[1.0, 2, 3, 4, 5, 6]).set_index(["a", "b"]),
}  # fmt: skip

GET = """
df.loc[{2}] | df.loc[[{2}, {1}, {0}]] | df.loc[{1}:{4}] | df.loc[df.s == 'x'] | df.loc[df.s == 'x', 's'] | df.loc[:, 's']
df.loc[{2}, 's'] | df.loc[:, 'v':] | df.loc[::-1] | df.loc[::2] | df.at[{2}, 's'] | df.s.loc[{2}] | df.s.at[{2}] | df.s[{2}]
df.loc[lambda d: d.s == 'y'] | df.loc[{3}:] | df.loc[:{3}] | df.loc[:, ['v', 'k']] | df.loc[:, [True, False, True]]
df.iloc[1:4] | df.iloc[::-2] | df.iloc[[3, 0, -1]] | df.iloc[2] | df.iloc[-1] | df.iloc[1, 1] | df.iloc[:, 1] | df.iloc[1:3, [2, 0]]
df.iloc[[True, False] * 3] | df.iat[2, 1] | df.v.iat[2] | df.v.iloc[4:1:-1] | df.iloc[5:2] | df.iloc[[2, 2]] | df.iloc[9] | df.iloc[[9]] | df.iloc[-7]
df[1:4] | df['k'] | df[['s', 'k']] | df[lambda d: d.k > 1] | df[(raw.k > 1).values] | df[(raw.k > 1).tolist()] | df[df.k > 9] | df['nope'] | df[['k', 'q']]
df.loc[...] | df.loc[..., 's'] | df.iloc[...] | df.s[...] | df.iloc[np.array(2)] | df.s.iloc[np.array(-1)] | df.at[df.k > 1]
df.index[1:3] | df.index[2] | df.v[df.v > 3] | df[[True, False]] | df.v[1:3] | df[df.k > 1].iloc[-2:] | df[df.k > 1].iloc[[1, 0]] | df[df.k > 1].v.iloc[0]
""".replace("\n", " | ")  # fmt: skip
EXTRA = {
    "ranged": "df['c':'e'] | df[1.5:3] | df.iloc[df.k > 1] | df.loc[np.array(2)] | df.s.loc[np.array(5)] | df.loc[2:4] | df.loc[-1] | df.loc[2:100] | df.loc[4:2:-1] | df.loc[[1, 99]]",
    "unsorted": "df.loc[99] | df.loc[[5, 99]] | df.loc[5, 'k'] | df.loc[[5, 1], 'v'] | df.loc[4:0:2] | df.loc[:99]",
    "repeated": "df.loc[[5, 1], 'v'] | df.loc[5:1] | df.loc[[99]] | df.loc[1:0]",
    "text": "df.loc['c':'e'] | df['c':'e'] | df.loc['zz']",
    "dates": "df.loc['2020-02'] | df.loc['2020-02-02':'2020-02-04'] | df.loc['2020-02', 's'] | df['2020-02':]",
    "floats": "df.loc[1.0:3] | df[1.5:4] | df.loc[[4, 0.5]]",
    "periods": "df.loc['2020-02':'2020-04'] | df['2020-03':]",
    "levels": "df.loc[3] | df.loc[(3, 1.0)] | df.loc[[3]] | df.loc[3, 's'] | df.loc[(3, 1.0), 's'] | df.s.loc[3]",
}
KNOWN_ONLY = "df.loc[5] | df.loc[5, 'k'] | df.v[5] | df.at[5, 'v']"


def cases() -> list[tuple[str, str]]:
    found = []
    for name, raw in FRAMES.items():
        labels = [f"pd.{k!r}" if isinstance(k, (pd.Timestamp, pd.Period)) else repr(k) for k in raw.index]
        texts = f"{GET} | {EXTRA[name]}".split(" | ")
        found += [(name, t.strip().format(*labels)) for t in texts if t.strip()]
    return found


def made(raw: pd.DataFrame, lengths: str) -> md.DataFrame:
    """The frame in chunks of two; with unknown lengths and labels it comes out of a filter."""
    if lengths == "known":
        return md.DataFrame(raw, chunk_size=2)
    wide = md.DataFrame(raw.assign(one=1), chunk_size=2)
    return wide[wide.one > 0][list(raw.columns)]


def check(text: str, raw: pd.DataFrame, df: md.DataFrame) -> None:
    names = {"pd": pd, "np": np, "raw": raw}
    try:
        want = eval(text, {**names, "df": raw})
    except Exception as error:
        with pytest.raises(type(error)):
            fetched(eval(text, {**names, "df": df}))
        return
    ours = eval(text, {**names, "df": df})
    length = ours.known.length if hasattr(ours.known, "length") else np.nan
    assert_like(fetched(ours), want)
    assert np.isnan(length) or length == len(want)


@pytest.mark.parametrize("lengths", ["known", "unknown"])
@pytest.mark.parametrize(("name", "text"), cases())
def test_get(name: str, text: str, lengths: str) -> None:
    check(text, FRAMES[name], made(FRAMES[name], lengths))


LEVELS = "df.loc[(1, 2.0):(3, 4.0)] | df.loc[(1, 3.5):] | df.loc[:(3, 1.0)] | df.loc[2:3] | df.loc[(9, 9.0):] | df.loc[(1, 2.0):(5, 5.0):2]"


@pytest.mark.parametrize("lengths", ["known", "unknown"])
@pytest.mark.parametrize("text", LEVELS.split(" | "))
def test_a_span_of_sorted_levels(text: str, lengths: str) -> None:
    raw = FRAMES["levels"].sort_index()
    check(text, raw, made(raw, lengths))


@pytest.mark.parametrize("lengths", ["known", "unknown"])
def test_a_span_of_unsorted_levels_says_what_to_do(lengths: str) -> None:
    with pytest.raises(pd.errors.UnsortedIndexError, match=r"sort_index\(\)"):
        fetched(made(FRAMES["levels"], lengths).loc[(1, 2.0) : (3, 4.0)])


@pytest.mark.parametrize("text", KNOWN_ONLY.split(" | "))
def test_a_repeated_label(text: str) -> None:
    """Where labels are known its rows; where only a run can tell an error that says what to write, never another answer."""
    check(text, FRAMES["repeated"], made(FRAMES["repeated"], "known"))
    with pytest.raises(MarsDaskError, match=r"loc\[\[5\]\] gives its rows"):
        fetched(eval(text, {"df": made(FRAMES["repeated"], "unknown")}))


DATES = {
    "days": pd.date_range("2013-01-01", periods=6),
    "hours": pd.date_range("2013-01-01", periods=9, freq="6h"),
    "zone": pd.date_range("2013-01-01", periods=6, tz="US/Eastern"),
    "months": pd.period_range("2013-01", periods=6, freq="M"),
    "repeated": pd.DatetimeIndex(["2013-01-01", "2013-01-01", "2013-01-02"]),
    "unsorted": pd.DatetimeIndex(["2013-01-03", "2013-01-01", "2013-01-02"]),
}
BY_TEXT = """df.loc['20130101'] | df.loc['2013-01'] | df.loc['2013'] | df.loc['1999'] | df.loc['2013-01-02 06:00'] | df.v['20130101']
df.loc['2013-01', ['v']] | df.loc[['2013-01-01']] | df.v[['2013-01-01']] | df.loc[pd.Timestamp('2013-01-02')] | df.loc['2013-01-02':'2013-02']
""".replace("\n", " | ").removesuffix(" | ")


@pytest.mark.parametrize("lengths", ["known", "unknown"])
@pytest.mark.parametrize("text", BY_TEXT.split(" | "))
@pytest.mark.parametrize("name", DATES)
def test_a_text_names_a_date_or_a_span_of_dates(name: str, text: str, lengths: str) -> None:
    raw = pd.DataFrame({"v": np.arange(len(DATES[name])), "w": 1}, index=DATES[name])
    check(text, raw, made(raw, lengths))


def test_positions_from_a_tensor() -> None:
    df = md.DataFrame(BASE, chunk_size=2)
    assert_like(fetched(df.iloc[mt.tensor([1, 4]).max()]), BASE.iloc[4])
    assert_like(fetched(df.v.iloc[mt.tensor(2)]), BASE.v.iloc[2])
    assert_like(fetched(df.loc[mt.tensor([1, 4]).max()]), BASE.loc[4])
    assert_like(fetched(df.iloc[mt.tensor([4, 0, 3], chunk_size=1)]), BASE.iloc[[4, 0, 3]])
    assert_like(fetched(df.iloc[mt.tensor([True, False] * 3, chunk_size=4)]), BASE.iloc[::2])
    assert_like(fetched(df[mt.tensor(BASE.v.to_numpy()) > 3]), BASE[BASE.v > 3])


@pytest.mark.parametrize(
    "text",
    ["df.iloc[[[1]]]", "df.loc[[[1]]]", "df.v.at[...]", "df.at[[1], 'v']", "df.loc[{1}]", "df.loc[{1: 2}]"],
)
def test_what_is_no_key_is_refused_at_the_call(text: str) -> None:
    with pytest.raises(MarsDaskError, match=r"iloc|at\[|loc"):
        eval(text, {"df": made(BASE, "unknown")})


def test_three_dots_write_all_rows() -> None:
    """As they read. pandas makes a row that is labelled Ellipsis."""
    df = md.DataFrame(BASE, chunk_size=2)
    df.loc[..., "v"] = 3
    df.iloc[np.array(2), 0] = 9
    assert_like(fetched(df), BASE.assign(v=3.0, k=BASE.k.where(BASE.index != 2, 9)))


def test_a_label_of_a_level_writes_all_its_columns() -> None:
    columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")])
    want = pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=columns)
    df = md.DataFrame(want, chunk_size=1)
    df.loc[df["b", "x"] > 3, ["a"]] = 0
    want.loc[want["b", "x"] > 3, ["a"]] = 0
    assert_like(fetched(df), want)


SET = [
    "d['x'] = 1",
    "d['x'] = [1, 2, 3, 4, 5, 6]",
    "d['x'] = None",
    "d['x'] = 't'",
    "d['x'] = pd.Timestamp('2020-01-01')",
    "d['x'] = np.arange(6)",
    "d['x'] = d.k",
    "d['x'] = range(6)",
    "d['x'] = pd.Index(list('abcdef'))",
    "d['x'] = [1]",
    "d[['p', 'q']] = 0",
    "d[['p', 'q']] = d[['k', 'v']]",
    "d[['k', 'v']] = np.ones((6, 2))",
    "d[['p', 'q']] = [1, 2]",
    "d[['p', 'q']] = np.ones((6, 3))",
    "d[d.k > 2] = 0",
    "d[d.v > 2] = None",
    "d[1:3] = 0",
    "d.loc[d.k > 2, 'v'] = 9",
    "d.loc[d.k > 2, 'k'] = 9",
    "d.loc[d.k > 2, 'k'] = 1.5",
    "d.loc[d.k > 2, 'k'] = None",
    "d.loc[d.k > 2, ['k', 'v']] = 0",
    "d.loc[d.k > 2, 'n'] = 7",
    "d.loc[:, 'v'] = 0",
    "d.loc[:, 'n'] = 0",
    "d.loc[5] = 0",
    "d.loc[5, 'k'] = 50",
    "d.loc[99] = [1, 2.0, 'q']",
    "d.loc[99, 'k'] = 5",
    "d.loc[5:3, 'v'] = 0",
    "d.loc[[5, 3], 'v'] = [7, 8]",
    "d.loc[[77], 'v'] = 1",
    "d.loc[d.k > 2, 'v'] = d.v * 10",
    "d.iloc[0, 0] = 100",
    "d.iloc[-1] = 0",
    "d.iloc[1:3, 1] = 8",
    "d.iloc[[0, 2], 1] = [8, 9]",
    "d.iloc[9, 0] = 1",
    "d.iloc[:, 1] = 3",
    "d.iloc[d.k > 2, 1] = 3",
    "d.iloc[1.5:, 1] = 3",
    "d.loc[{5}, 'v'] = 3",
    "d['c':'e'] = 0",
    "d.at[5, 'v'] = 3",
    "d.iat[0, 1] = 3",
    "del d['k']",
    "del d['zz']",
    "d.k = 5",
    "d.iloc[[True, False] * 3, 1] = 0",
    "d['x'] = d.k > 2",
    "d.columns = list('abc')",
    "d.columns = ['a']",
    "d.index = list('abcdef')",
    "d.index.name = 'new'",
    "d.insert(1, 'n', d.v)",
    "d.pop('v')",
    "d['y'] = d.index",
    "s[1] = 5",
    "s.iloc[0] = 9",
    "s[s > 2] = 0",
    "s.loc[5] = 1",
    "s.loc[77] = 1",
    "s.iloc[1:3] = [1, 2]",
    "s[1:3] = 0",
    "s.iat[0] = 9",
    "s.at[5] = 9",
    "s.name = 'w'",
    "s.index = list('abcdef')",
]


def written(text: str, frame: object) -> object:
    names = {"d": frame, "s": frame["v"], "pd": pd, "np": np}  # type: ignore[index]
    exec(text, names)
    return names["s"] if text.startswith("s") else names["d"]


@pytest.mark.parametrize("lengths", ["known", "unknown"])
@pytest.mark.parametrize("name", ["ranged", "unsorted", "repeated"])
@pytest.mark.parametrize("text", SET)
def test_set(text: str, name: str, lengths: str) -> None:
    raw = FRAMES[name]
    frame = made(raw, lengths)
    try:
        want = written(text, raw.copy())
    except Exception as error:
        try:
            ours = written(text, frame)
        except type(error):
            assert_like(fetched(frame), raw)  # no state is left half changed
        else:
            with pytest.raises(type(error)):
                fetched(ours)
        return
    assert_like(fetched(written(text, frame)), want)


def test_a_write_does_not_reach_what_was_taken_before() -> None:
    df = md.DataFrame(BASE, chunk_size=2)
    column, rows, copy, alias = df["k"], df.iloc[0:2], df.copy(), df
    df.loc[0, "k"] = 50
    assert_like(fetched(column), BASE["k"])
    assert_like(fetched(rows), BASE.iloc[0:2])
    assert_like(fetched(copy), BASE)
    assert fetched(alias).loc[0, "k"] == 50


def test_head_of_unknown_lengths_runs_the_first_chunks_only() -> None:
    ran: list[int] = []

    def note(chunk: pd.DataFrame) -> pd.DataFrame:
        ran.append(len(chunk))
        return chunk

    df = md.DataFrame(pd.DataFrame({"a": range(100)}), chunk_size=5)
    seen = df.map_chunk(note, skip_infer=False) if hasattr(df, "map_chunk") else df
    seen = seen[seen.a >= 0]
    ran.clear()
    assert_like(fetched(seen.head(3)), pd.DataFrame({"a": range(3)}))
    assert len(ran) <= 2


def test_rows_dropped_by_labels_of_a_tensor_in_as_many_chunks() -> None:
    lazy = md.DataFrame(BASE, chunk_size=2)
    labels = mt.tensor([4, 1, 0], chunk_size=1)
    pd.testing.assert_frame_equal(lazy.drop(labels).execute().fetch(), BASE.drop([4, 1, 0]))


@pytest.mark.parametrize("kind", [list, np.array, pd.Index])
@pytest.mark.parametrize("rows", [[0, 1], slice(None), [True, False, True, False]])
@pytest.mark.parametrize("value", [7, "text"])
def test_columns_of_a_write_may_be_a_list_an_array_or_an_index(kind: Any, rows: Any, value: Any) -> None:
    plain = pd.DataFrame({"a": [1, 2, 3, 4], "b": [5, 6, 7, 8], "c": [9, 10, 11, 12]}, dtype=object)
    lazy = md.DataFrame(plain, chunk_size=2)
    columns = kind(["a", "b"])
    plain.loc[rows, columns] = value
    lazy.loc[rows, columns] = value
    pd.testing.assert_frame_equal(lazy.execute().fetch(), plain)
    with pytest.raises(KeyError, match="nope"):
        lazy.loc[rows, kind(["a", "nope"])] = value


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
def test_a_key_of_fewer_levels() -> None:
    plain = pd.DataFrame({"a": [1.0, 2, 3]}, index=pd.MultiIndex.from_tuples([(1, "x"), (1, "y"), (2, "x")]))
    lazy = md.DataFrame(plain, chunk_size=2)
    pd.testing.assert_frame_equal(lazy.loc[(1,)].execute().fetch(), plain.loc[(1,)])


def test_a_column_whose_name_begins_with_an_underscore_is_an_attribute() -> None:
    """As merge's `_merge` is; what handles keep for themselves is none."""
    ours = md.DataFrame({"k": [1, 2]}).merge(md.DataFrame({"k": [2]}), how="left", indicator=True)
    assert ours._merge.execute().fetch().tolist() == ["left_only", "both"]
    ours._merge = ours.k
    assert ours.groupby("k")._merge.sum().execute().fetch().tolist() == [1, 2]
    hidden = md.DataFrame({"_node": [1]})
    assert hidden._node is hidden.node
    with pytest.raises(AttributeError, match="no column or attribute '_nobody'"):
        ours._nobody = 1


CELLS = pd.DataFrame(
    {
        "a": [1, -1, 2, 3],
        "b": [1.0, 2, -3, 4],
        "c": pd.Categorical(list("xyxz")),
        "s": list("abcd"),
        "q": pd.array([1, None, 2, 3], dtype="Int64"),
        "t": pd.date_range("2020", periods=4, tz="UTC"),
    }
)


@pytest.mark.parametrize("seed", range(40))
def test_cells_are_set_where_a_frame_is_true(seed: int) -> None:
    """Random columns, compared in random order; what the condition does not have is left as it is."""
    rand = np.random.RandomState(seed)
    whole = CELLS[list(rand.permutation(CELLS.columns)[: rand.randint(2, 7)])]
    numbers = [c for c in whole.columns if c in "abq"]
    names = list(rand.permutation(numbers)[: rand.randint(1, 4)]) if numbers else ["a"]
    value = [0, 9, 2.5, "x", whole.iloc[:, 1:] if seed % 2 else whole][rand.randint(5)]

    def written(frame: Any, value: Any) -> Any:
        frame = frame.copy()
        frame[frame[names] > 1] = value
        return frame.execute().fetch() if hasattr(frame, "execute") else frame

    for chunk_size in (None, 3, 1):
        ours = md.DataFrame(whole, chunk_size=chunk_size)
        told = ours[list(value.columns)] if isinstance(value, pd.DataFrame) else value
        try:
            want = written(whole, value)
        except Exception as error:
            with pytest.raises(KeyError if isinstance(error, KeyError) else (TypeError, ValueError)):
                written(ours, told)
        else:
            assert_like(written(ours, told), want)
