"""What oracle cases cannot say of frames: laziness, NumPy's protocols, in-place operators, what is asked and dropped."""

import collections
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import option_context
from marsdask.plan import graph, meta, passes
from marsdask.plan.node import walk
from tests.oracle import assert_like, fetched

N = 12
WHOLE = pd.DataFrame(
    {
        "k": [3, 1, 2, 3, 5, 1, 2, 2, 4, 3, 5, 1],
        "v": np.where(np.arange(N) % 5 == 3, np.nan, np.arange(N) * 1.5 - 4),
        "s": list("xyzxyzwxyzab"),
    }
)


def frame(chunk_size: int = 3) -> md.DataFrame:
    return md.DataFrame(WHOLE, chunk_size=chunk_size)


def same(ours: object, want: object) -> None:
    got = ours.execute().fetch()  # type: ignore[attr-defined]
    if isinstance(want, pd.DataFrame):
        pd.testing.assert_frame_equal(got, want, check_freq=False)
    elif isinstance(want, pd.Series):
        pd.testing.assert_series_equal(got, want, check_freq=False)
    else:
        np.testing.assert_allclose(got, want)


def test_nothing_runs_before_execute() -> None:
    df = frame()
    with meta.nothing_runs():
        made = [df.v - df.v.mean(), df[["k", "v"]].describe(), df.v.rolling(3).sum(), df.k.map({1: 2}), df.s.str.upper(), df.query("k > 2"),
                df[["k", "v"]].corr(), df.fillna({"v": df.v.mean()}), df[["k", "v"]] - df[["k", "v"]].mean(), df.k.cumsum(), df.apply(lambda r: r.k, axis=1)]  # fmt: skip
    assert all(not m.is_executed() for m in made)


def test_a_lazy_scalar_keeps_chunks() -> None:
    df = frame()
    centred = (df.v - df.v.mean()).execute()
    assert centred.nsplits == ((3, 3, 3, 3),)
    same(centred, WHOLE.v - WHOLE.v.mean())


def test_numpy_functions_give_frames() -> None:
    df, num = frame(), WHOLE[["k", "v"]]
    same(np.exp(df.v), np.exp(WHOLE.v))
    same(np.add(df[["k", "v"]], 1), num + 1)
    same(np.arange(N) - df.k, np.arange(N) - WHOLE.k)
    same(np.maximum(df.k, df.v), np.maximum(WHOLE.k, WHOLE.v))
    same(np.sum(df.k), np.sum(WHOLE.k))
    same(np.mean(df[["k", "v"]], axis=0), num.mean(axis=0))
    same(2**df.k, 2**WHOLE.k)


def test_tensor_and_series_give_a_series() -> None:
    df = frame()
    x = mt.tensor(np.arange(N) * 2.0, chunk_size=5)
    for ours, want in (
        (x + df.k, np.arange(N) * 2.0 + WHOLE.k),
        (df.k * x, WHOLE.k * np.arange(N) * 2.0),
        (x < df.k, np.arange(N) * 2.0 < WHOLE.k),
    ):
        assert isinstance(ours, md.Series)
        same(ours, want)


def test_in_place_operators_rebind() -> None:
    df, want = frame(), WHOLE.copy()
    alias = column = df.k
    column += 1
    same(alias, WHOLE.k + 1)
    df["v"] *= 2
    want["v"] *= 2
    same(df, want)
    left, other = frame().k, WHOLE.k.copy()
    left += md.Series([1, 2], index=[3, 1])
    other += pd.Series([1, 2], index=[3, 1])
    same(left, other)


def test_divmod_and_unary() -> None:
    df = frame()
    for ours, want in zip(divmod(df.k, 2), divmod(WHOLE.k, 2), strict=True):
        same(ours, want)
    same(-df.k, -WHOLE.k)
    same(~(df.k > 2), ~(WHOLE.k > 2))
    same(abs(df.v), abs(WHOLE.v))


def test_misaligned_comparison_raises() -> None:
    df = frame()
    with pytest.raises(ValueError, match="identically-labeled"):
        (df.k == df.k[df.k > 2]).execute()
    with pytest.raises(ValueError, match="Lengths"):
        df.k + [1, 2]  # noqa: RUF005
    with pytest.raises(TypeError):
        df.s * 1.5 + df.k


def test_renumbered_rows_do_not_meet_their_old_labels() -> None:
    df = frame()
    some = df[df.k > 2]
    fresh = some.reset_index(drop=True)
    kept = WHOLE[WHOLE.k > 2]
    same(fresh.k + fresh.v, kept.reset_index(drop=True).k + kept.reset_index(drop=True).v)
    same(fresh.k + some.k, kept.reset_index(drop=True).k + kept.k)
    same((fresh.k * fresh.v).sum(), (kept.k * kept.v).sum())


def test_reductions_read_only_their_columns() -> None:
    plan = passes.run([frame()[frame().k > 1].agg({"v": ["sum"]}).node])
    seen = [n for n in walk(plan) if n.op == "frame.agg"]
    assert seen
    df = frame()
    made = passes.run([df[df.k > 1].agg({"v": ["sum"]}).node])
    filters = [passes.meta(n).empty for n in walk(made) if n.op == "frame.filter"]
    assert filters
    assert all(list(f.columns) == ["v"] for f in filters)


def test_query_takes_the_callers_variables() -> None:
    df, least = frame(), 2  # noqa: F841 - read by the expression
    same(df.query("k > @least"), WHOLE.query("k > @least"))
    lazy, fixed = df.v.mean(), WHOLE.v.mean()  # noqa: F841
    same(df.query("v > @lazy"), WHOLE.query("v > @fixed"))
    assert df.query("k > 3", inplace=True) is None
    same(df, WHOLE.query("k > 3"))


def test_map_chunk() -> None:
    df = frame()
    same(df.map_chunk(lambda c: c[["k"]] * 2), WHOLE[["k"]] * 2)
    same(
        df.map_chunk(lambda c, chunk_index: c.k + chunk_index[0], with_chunk_index=True),
        WHOLE.k + np.arange(N) // 3,
    )
    same(df.k.map_chunk(lambda c, n: c.head(n), args=(1,)), WHOLE.k.iloc[::3])
    with pytest.raises(TypeError):
        df.map_chunk(lambda c: 3)
    with pytest.raises(TypeError, match="dtypes="):
        df.map_chunk(lambda c: c.nothing)
    given = df.map_chunk(lambda c: c[["k"]].astype("f8") if c.k.max() > 1 else None, dtypes={"k": "f8"})
    assert given.dtypes.to_dict() == {"k": np.dtype("f8")}
    same(given, WHOLE[["k"]].astype("f8"))


def test_failing_functions_ask_for_dtypes() -> None:
    df = frame()
    with pytest.raises(TypeError, match="dtype="):
        df.s.apply(lambda x: {"a": 1}["x" + x])
    same(df.s.apply(lambda x: {"x": 1}.get(x, 0), dtype="i8"), WHOLE.s.apply(lambda x: {"x": 1}.get(x, 0)))
    same(
        df.apply(lambda r: {"x": 1.5}.get(r.s, 0.5), axis=1, dtype="f8", output_type="series"),
        WHOLE.apply(lambda r: {"x": 1.5}.get(r.s, 0.5), axis=1),
    )


def test_what_only_a_run_can_tell_runs() -> None:
    df = frame()
    same(df.dropna(axis=1), WHOLE.dropna(axis=1))
    same(df.dropna(axis="columns", thresh=12), WHOLE.dropna(axis="columns", thresh=12))
    texts = WHOLE.s + " b " + WHOLE.s
    same(md.Series(texts, chunk_size=5).str.split(expand=True), texts.str.split(expand=True))
    same(md.cut(df.k, 3), pd.cut(WHOLE.k, 3))
    same(md.qcut(df.k, 2), pd.qcut(WHOLE.k, 2))
    same(md.get_dummies(df.s), pd.get_dummies(WHOLE.s))


def test_order_facts() -> None:
    rising = md.Series([1, 2, 2, 5, 9], chunk_size=2)
    assert rising.is_monotonic_increasing.execute().fetch()
    assert not rising.check_monotonic(strict=True).execute().fetch()
    assert not rising.is_monotonic_decreasing.execute().fetch()
    assert not rising.is_unique.execute().fetch()
    assert md.Series([5, 1, 3], chunk_size=1).is_unique.execute().fetch()
    assert not md.Series([1, 9, 2, 3], chunk_size=2).is_monotonic_increasing.execute().fetch()


def test_modes_of_columns_of_different_numbers() -> None:
    num = WHOLE[["k", "v"]]
    same(md.DataFrame(num, chunk_size=4).mode(), num.mode())


@pytest.mark.parametrize("chunk_size", [1, 4, 12])
def test_moments_lose_no_digits_far_from_zero(chunk_size: int) -> None:
    far = pd.DataFrame({"a": np.arange(N) * 0.25 + 1e9, "b": np.sqrt(np.arange(N)) + 1e9})
    ours = md.DataFrame(far, chunk_size=chunk_size)
    for name in ("var", "skew", "kurt"):
        np.testing.assert_allclose(getattr(ours, name)().execute().fetch(), getattr(far, name)(), rtol=1e-5)
    np.testing.assert_allclose(ours.corr().execute().fetch(), far.corr(), rtol=1e-6)


def test_reductions_are_trees() -> None:
    many = md.Series(np.arange(64.0), chunk_size=1).sum(combine_size=8)
    same(many, np.arange(64.0).sum())
    keys = graph.keys_of(many.to_dask())
    assert len(keys) == 1
    with pytest.raises(ValueError, match="combine_size"):
        md.Series([1]).sum(combine_size=1)
    with pytest.raises(TypeError, match="skipna"):
        md.Series([1]).sum(skipn=True)


def test_indexes() -> None:
    whole = pd.Series([3, 1, 2, 5, 4], index=[5, 1, 4, 2, 9], name="a")
    ours = md.Series(whole, chunk_size=2)
    same(ours + ours.index, whole + whole.index)
    same(ours + whole.index, whole + whole.index)
    np.testing.assert_array_equal((ours.index > 2).execute().fetch(), whole.index > 2)
    np.testing.assert_array_equal(ours.index.isna().execute().fetch(), whole.index.isna())
    pd.testing.assert_index_equal((ours.index + 1).execute().fetch(), whole.index + 1)
    assert ours.index.max().execute().fetch() == 9
    assert np.ndim(ours) == 1


def test_window_attributes() -> None:
    rolling = frame().rolling(3, min_periods=1)
    assert (rolling.window, rolling.min_periods, rolling.center, rolling.axis) == (3, 1, False, 0)
    with pytest.raises(KeyError, match="nope"):
        rolling["nope"]


def test_exact_quantiles_hold_to_the_gather_limit() -> None:
    many = md.Series(np.arange(4000.0), chunk_size=500)
    same(many.quantile(0.3), pd.Series(np.arange(4000.0)).quantile(0.3))
    with option_context({"gather_limit": 1000}), pytest.raises(MemoryError, match="gather_limit"):
        many.median().execute()


@pytest.mark.parametrize(
    "dtype",
    ["f8", "i4", "object", "str", "Int64", "boolean", "M8[s]", "m8[ns]", "category", "string[pyarrow]"],
)
def test_made_up_rows_are_nobody_elses(dtype: str) -> None:
    """A function that writes into the rows on which it is tried changes nothing for the next."""
    empty = pd.DataFrame({"a": pd.Series([], dtype=dtype)})
    tried = meta.sample(empty)
    want = tried.copy(deep=True)
    tried.iloc[0, 0] = None
    assert tried["a"].isna().any()
    pd.testing.assert_frame_equal(meta.sample(empty), want)


@pytest.mark.parametrize(
    "make",
    [
        lambda frame, names: frame.groupby("k")[names].sum(),
        lambda frame, names: frame.groupby(names).sum(),
        lambda frame, names: frame.groupby("k").agg(dict.fromkeys(["a"], names)),
        lambda frame, names: frame.merge(frame, on=names),
        lambda frame, names: frame.sort_values(names, ascending=False),
    ],
    ids=["selected", "by", "agg", "on", "sort"],
)
def test_a_list_that_changes_after_the_call_changes_nothing(make: Any) -> None:
    plain = pd.DataFrame({"k": [1, 2, 1, 2], "a": [4.0, 3, 2, 1], "sum": [1, 2, 3, 4]})
    names = ["sum"]
    made = make(md.DataFrame(plain, chunk_size=2), names)
    want = make(plain, ["sum"])
    names.append("k")
    pd.testing.assert_frame_equal(made.execute().fetch(), want)


def test_texts_of_an_index_are_joined_with_a_list() -> None:
    plain = pd.Index(list("abc"))
    got = md.Index(plain, chunk_size=2).str.cat(list("xyz"), sep="-").execute().fetch()
    pd.testing.assert_index_equal(got, plain.str.cat(list("xyz"), sep="-"))


def test_a_list_says_the_labels_of_a_groups_result() -> None:
    """`index=` describes what a function gives, so it is seen before the run."""
    frame = md.DataFrame({"k": [1, 2, 1], "a": [1.0, 2, 3]}, chunk_size=2)
    made = frame.groupby("k").apply(
        lambda rows: rows[["a"]], output_type="dataframe", dtypes=pd.Series({"a": "f8"}), index=["text"]
    )
    assert made.known.empty.index.dtype == pd.Index(["text"]).dtype


def test_arguments_without_another_value_refuse_it() -> None:
    frame = md.DataFrame({"a": [1, 2]}, index=pd.date_range("2020", periods=2))
    with pytest.raises(ValueError, match="axis"):
        frame.tshift(1, freq="D", axis=1)
    with pytest.raises(ValueError, match="by_row"):
        frame.apply(len, by_row="maybe")


class Mean(md.CustomReduction):
    pre_with_agg = True

    def pre(self, value: Any) -> Any:
        return value.sum(), value.count()

    def agg(self, total: Any, count: Any) -> Any:
        return total.sum(), count.sum()

    def post(self, total: Any, count: Any) -> Any:
        return total / count


class Distinct(md.CustomReduction):
    def agg(self, values: Any) -> Any:
        return pd.Series(values.unique())

    def post(self, values: Any) -> Any:
        return len(values)


def test_reductions_by_subclassing() -> None:
    df, num = frame(), WHOLE[["k", "v"]]
    for rows, whole in ((df, WHOLE), (df[df.k > 2], WHOLE[WHOLE.k > 2])):
        same(rows[["k", "v"]].agg(Mean()), whole[["k", "v"]].mean())
        same(rows.agg(Distinct()), whole.agg(lambda c: len(c.unique())))
        same(rows.v.agg(Mean()), whole.v.mean())
        same(Distinct()(rows.s), whole.s.nunique())
    same(
        df.agg({"k": [Mean("mine"), "max"], "v": ["sum"]}),
        WHOLE.agg({"k": [Mean("mine"), "max"], "v": ["sum"]}),
    )
    same(df.agg({"k": Mean(), "v": "max"}), WHOLE.agg({"k": "mean", "v": "max"}))
    same(df[["k", "v"]].groupby(df.s).agg(Mean()), num.groupby(WHOLE.s).mean())
    same(df.groupby("s").agg(m=("v", Mean())), WHOLE.groupby("s").agg(m=("v", "mean")))
    with pytest.raises(TypeError, match="agg"):
        md.CustomReduction()


def picky(rows: Any) -> Any:
    """Columns that made-up rows do not lead to."""
    return rows.s.map({"x": 1.0}) if set(rows.s) <= set("xyzwab") and len(rows) > 2 else 1 / 0


@pytest.mark.parametrize("chunk_size", [3, 12])
def test_what_a_run_tells_to_be_a_frame_or_a_series(chunk_size: int) -> None:
    df, number = frame(chunk_size), WHOLE[["k", "v"]]
    for axis in (0, 1):
        for func in (lambda c: c.sum(), lambda c: c + 1, lambda c: pd.Series([1, 2.5])):
            made, want = (
                df[["k", "v"]].apply(func, axis=axis, output_type="df_or_series"),
                number.apply(func, axis=axis),
            )
            with pytest.raises(AttributeError, match="ensure_data"):
                made.shape  # noqa: B018
            same(made, want)
            assert made.data_type == type(want).__name__.lower()
            assert made.data_params["shape"] == made.shape == want.shape
            same(made.ensure_data() + 1, want + 1)
    groups = df.groupby("k").apply(lambda g: g.head(1), output_type="df_or_series")
    same(groups.ensure_data().reset_index(), WHOLE.groupby("k").apply(lambda g: g.head(1)).reset_index())
    assert groups.data_params["dtypes"].tolist() == WHOLE.dtypes[["v", "s"]].tolist()
    with pytest.raises(TypeError, match="made-up rows"):
        df.map_chunk(picky)
    with pytest.raises(TypeError, match="made-up rows"):
        df.map_chunk(picky, output_type="dataframe")
    left_open = df.map_chunk(picky, skip_infer=True)
    same(left_open, picky(WHOLE))
    assert left_open.ensure_data().dtype == "f8"
    same(df.map_chunk(picky, output_type="series"), picky(WHOLE))
    assert df.map_chunk(lambda c: c.k / 2, output_type="series").dtype == "f8"
    with pytest.raises(TypeError, match="dtypes="):
        df.map_chunk(picky, dtypes=pd.Series)
    with pytest.raises(TypeError, match="should return a DataFrame or a Series"):
        df.map_chunk(len, output_type="df_or_series").execute()
    with pytest.raises(AttributeError, match="ensure_data"):
        md.concat([left_open, df])


FRACTIONS = [
    "sum()", "max()", "min()", "prod()", "mode()", "value_counts()", "agg('max')", "agg(['sum', 'max'])", "to_frame('a').sum()",
    "to_frame('a').agg({'a': 'max'})", "to_frame('a').agg(['min', 'max'])",
]  # fmt: skip


@pytest.mark.parametrize("text", FRACTIONS)
def test_fractions_stay_where_whole_numbers_were_told(text: str) -> None:
    """What a function gives is told from made-up rows; the data may say otherwise."""
    whole = pd.Series([1, 2, 3, 4, 4])
    made = [s.map(lambda x: x if x < 3 else x + 0.5) for s in (whole, md.Series(whole, chunk_size=2))]
    want, ours = (eval(f"s.{text}", {"s": s}) for s in made)
    ours = ours.execute().fetch()
    if want.ndim:
        same = pd.testing.assert_frame_equal if want.ndim == 2 else pd.testing.assert_series_equal
        same(ours, want, check_dtype=text != "to_frame('a').sum()")
    else:
        assert ours == want


def test_a_tensor_of_fractions_where_whole_numbers_were_told_is_an_error() -> None:
    made = md.Series([1, 2, 3], chunk_size=2).map(lambda x: x if x < 3 else x + 0.5)
    with pytest.raises(ValueError, match="dtype="):
        mt.tensor(made).max().execute()
    assert mt.tensor(made.execute()).max().execute().fetch() == 3.5


@pytest.mark.filterwarnings("ignore:A future version of pandas will return")
def test_the_frequency_of_dates_is_guessed_from_all_of_them() -> None:
    dates = pd.Series(pd.date_range("2020", periods=5, freq="2D"))
    assert md.Series(dates, chunk_size=2).dt.freq == dates.dt.freq == "2D"
    assert md.Series(dates[[0, 1, 3]], chunk_size=2).dt.freq is None


def test_random_rows_of_groups() -> None:
    df, state = frame(), np.random.RandomState(3)
    made = df.groupby("k").sample(2, random_state=state)
    sizes = WHOLE.groupby("k").size()
    same(made.groupby("k").size(), sizes.clip(upper=2))  # as in Mars, of smaller groups all
    same(df.groupby("k").sample(2, random_state=state), made.execute().fetch())
    assert state.randint(1000) == np.random.RandomState(3).randint(1000)
    drawn = df.groupby("k").v.sample(1)
    same(drawn * 2, drawn.execute().fetch() * 2)
    for mistake, says in (
        ({"errors": "raise"}, "larger sample"),
        ({"errors": "x"}, "errors"),
        ({"weights": df.v}, "weights"),
    ):
        with pytest.raises((ValueError, TypeError), match=says):
            df.groupby("k").sample(9, **mistake).execute()


def test_the_largest_of_objects_is_no_text() -> None:
    numbers = WHOLE[["k"]].astype(object)
    same(md.DataFrame(numbers, chunk_size=3).agg({"k": "max"}), numbers.agg({"k": "max"}))
    same(md.DataFrame(numbers, chunk_size=3).max(), numbers.max())


def test_a_transform_that_is_said_to_be_an_aggregation() -> None:
    made, want = frame().groupby("k")[["v"]], WHOLE.groupby("k")[["v"]]
    same(made.transform(["cummax", "cumcount"], _call_agg=True), want.agg(["cummax", "cumcount"]))
    same(
        frame()[["v"]].transform(lambda c: c.iloc[:-1], _call_agg=True),
        WHOLE[["v"]].agg(lambda c: c.iloc[:-1]),
    )


def test_a_key_that_is_a_column_beside_doubled_names() -> None:
    doubled = pd.concat([WHOLE, WHOLE[["v"]]], axis=1)[["k", "v"]]
    df = md.DataFrame(doubled, chunk_size=3)
    same(df.groupby(df.k).sum(), doubled.groupby(doubled.k).sum())


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    "make", [lambda v: v, lambda v: (1, v), lambda v: [{"k": (v,)}], lambda v: Pair(1, [v])]
)
def test_functions_get_the_values_of_lazy_arguments(make: Any) -> None:
    raw = pd.DataFrame({"k": [1, 1, 2], "v": [1.0, 2.0, 4.0]})
    frame = md.DataFrame(raw, chunk_size=2)

    def told(part: Any, given: Any) -> str:
        return str(given)

    def beside(part: Any, given: Any) -> Any:
        return part.assign(told=str(given))

    for text in (
        "f.apply(told, axis=1, args=(given,))", "f.apply(told, args=(given,))", "f.v.apply(told, args=(given,))", "f.v.agg(told, given=given)",
        "f.groupby('k').v.apply(told, given=given)", "f.groupby('k').v.agg(told, given=given)",
    ):  # fmt: skip
        names = {"told": told, "beside": beside}
        want = eval(text, {**names, "f": raw, "given": make(raw.v.max())})
        assert_like(fetched(eval(text, {**names, "f": frame, "given": make(frame.v.max())})), want)
    assert_like(fetched(frame.map_chunk(beside, args=(make(frame.v.max()),))), beside(raw, make(raw.v.max())))
    given = make(frame.v.to_tensor())
    text = fetched(
        mt.ones(2, chunk_size=1).map_chunk(
            lambda c, g: np.array([str(g)], dtype=object), args=(given,), dtype=object
        )
    )
    assert text.tolist() == [str(make(raw.v.to_numpy()))] * 2


def test_named_tuples_stay_such() -> None:
    one, two = md.Series([1, 2]), mt.arange(3)
    pair = Pair(one, two)
    assert marsdask.execute(pair) is pair
    got = marsdask.fetch(pair)
    assert type(got) is Pair
    assert_like([*got], [pd.Series([1, 2]), np.arange(3)])
    assert marsdask.get_default_session().fetch(pair).b.tolist() == [0, 1, 2]
    assert isinstance(marsdask.fetch((one, two)), list)
    assert marsdask.fetch(marsdask.execute(mt.linalg.qr(mt.eye(2))))._fields == ("Q", "R")


@pytest.mark.parametrize(
    "values", [[1, "a", None, 2.5, 2.5], [1, 1, "a"], ["a", "a", 1], [True, True, "x"], [None] * 3, []]
)
def test_the_most_frequent_object_decides_what_describe_gives(values: list[Any]) -> None:
    raw = pd.DataFrame({"a": pd.Series(values, dtype=object), "n": range(len(values))})
    df = md.DataFrame(raw, chunk_size=2)
    assert_like(fetched(df.a.describe()), raw.a.describe())
    assert_like(fetched(df.describe(include="all")), raw.describe(include="all"))
