"""Files in and out beside pandas: CSV in byte ranges, parquet in row groups, lazy writers, and what is read at all."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import marsdask.dataframe as md
from marsdask import option_context
from marsdask.dataframe.files import arrow
from marsdask.errors import MarsDaskError
from marsdask.plan import passes
from marsdask.plan.node import walk

RAW = pd.DataFrame({
    "k": np.arange(400) % 7, "v": np.arange(400) * 1.5, "s": [f"w{i % 13}" for i in range(400)], "n": np.arange(400)[::-1],
})  # fmt: skip
SMALL: dict[str, Any] = {"chunk_bytes": 900, "head_bytes": 300}


def same(ours: Any, want: pd.DataFrame) -> None:
    """Equal data, and what was said before the run holds."""
    known = ours.known
    pd.testing.assert_frame_equal(ours.execute().fetch(), want)
    pd.testing.assert_series_equal(known.empty.dtypes, want.dtypes)
    assert np.isnan(known.length) or known.length == len(want)
    assert known.empty.index.names == want.index.names


@pytest.fixture
def csv(tmp_path: Path) -> str:
    path = tmp_path / "raw.csv"
    RAW.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("keywords", [
    {}, {"index_col": 0}, {"index_col": "s", "usecols": ["s", "n"]}, {"usecols": [1, 2]}, {"usecols": ["n", "k"]}, {"header": None, "skiprows": 1},
    {"names": list("abcd"), "skiprows": 1}, {"skiprows": [1, 2]}, {"nrows": 333}, {"nrows": 0}, {"dtype": {"k": "float32"}}, {"skipfooter": 2, "engine": "python"},
    {"na_values": ["w3"]}, {"usecols": lambda c: c != "v"}, {"dtype": str}, {"converters": {"s": str.upper}}, {"index_col": False}, {"header": 0, "names": list("abcd")},
])  # fmt: skip
def test_read_csv_in_many_chunks(csv: str, keywords: dict[str, Any]) -> None:
    same(md.read_csv(csv, **SMALL, **keywords), pd.read_csv(csv, **keywords))


def test_read_csv_of_many_files(tmp_path: Path) -> None:
    for i in range(3):
        RAW.iloc[i * 100 : i * 100 + 100].to_csv(tmp_path / f"part-{i}.csv", index=False)
    want = RAW.iloc[:300]
    for path in (
        str(tmp_path),
        tmp_path / "part-*.csv",
        [tmp_path / f"part-{i}.csv" for i in range(3)],
        f"file://{tmp_path}/part-*.csv",
    ):
        same(md.read_csv(path), want)
        same(md.read_csv(path, **SMALL), want)
    assert (
        list(
            md.read_csv(str(tmp_path), incremental_index=False, merge_small_files=False)
            .execute()
            .fetch()
            .index
        )
        == [*range(100)] * 3
    )


@pytest.mark.parametrize("index_col", [0, 1, "b", [0, 1]])
def test_read_csv_labels_of_some_columns(tmp_path: Path, index_col: Any) -> None:
    """Labels by number or name, of which pandas makes a RangeIndex, stay where only other columns are read."""
    pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6], "d": [7, 8]}).to_csv(tmp_path / "a.csv", index=False)
    expected = pd.read_csv(tmp_path / "a.csv", index_col=index_col)
    frame = md.read_csv(tmp_path / "a.csv", index_col=index_col)
    same(frame, expected)
    same(frame[["d"]], expected[["d"]])


@pytest.mark.parametrize("suffix", ["csv.gz", "csv.zip", "csv.bz2", "csv.xz"])
def test_read_csv_compressed(tmp_path: Path, suffix: str) -> None:
    RAW.to_csv(tmp_path / f"raw.{suffix}", index=False)
    same(md.read_csv(tmp_path / f"raw.{suffix}"), RAW)


def test_read_csv_with_line_ends_in_quotes(tmp_path: Path) -> None:
    raw = RAW.assign(s=['a\nb,"c' if i % 3 else "x" for i in range(len(RAW))])
    raw.to_csv(tmp_path / "q.csv", index=False)
    same(md.read_csv(tmp_path / "q.csv", **SMALL), raw)
    late = RAW.assign(s=["x"] * 200 + ["a\nb\nc"] * 200)  # the head shows no quotes
    late.to_csv(tmp_path / "late.csv", index=False)
    with pytest.raises(ValueError, match="chunk_bytes=None"):  # noqa: PT012
        for size in range(700, 720):  # some of these cut inside of quotes; the others are right
            same(md.read_csv(tmp_path / "late.csv", chunk_bytes=size, head_bytes=300), late)
    same(md.read_csv(tmp_path / "late.csv", chunk_bytes=None, head_bytes=300), late)


def test_read_csv_where_a_later_chunk_has_another_dtype(tmp_path: Path) -> None:
    raw = RAW.assign(n=RAW.n.astype(float).where(RAW.index != 390).astype("Int64"))
    raw.to_csv(tmp_path / "holes.csv", index=False)
    with pytest.raises(ValueError, match=r"column 'n' is int64 .* dtype=\{'n': 'float64'\}"):
        md.read_csv(tmp_path / "holes.csv", **SMALL).execute()
    same(
        md.read_csv(tmp_path / "holes.csv", dtype={"n": "float64"}, **SMALL),
        pd.read_csv(tmp_path / "holes.csv"),
    )
    digits = pd.DataFrame({"c": ["a1"] * 50 + ["007"] * 350, "f": [1.5] * 50 + [2] * 350})
    digits.to_csv(tmp_path / "digits.csv", index=False)
    same(md.read_csv(tmp_path / "digits.csv", **SMALL), pd.read_csv(tmp_path / "digits.csv"))


def test_read_csv_categories_are_those_of_the_whole(csv: str) -> None:
    ours = md.read_csv(csv, dtype={"s": "category"}, **SMALL).execute().fetch()
    pd.testing.assert_frame_equal(ours, pd.read_csv(csv, dtype={"s": "category"}))


def test_read_csv_dates(tmp_path: Path) -> None:
    pd.DataFrame({"t": pd.date_range("2020", periods=300), "a": range(300)}).to_csv(
        tmp_path / "t.csv", index=False
    )
    same(
        md.read_csv(tmp_path / "t.csv", parse_dates=["t"], **SMALL),
        pd.read_csv(tmp_path / "t.csv", parse_dates=["t"]),
    )


def leaves(handle: Any) -> list[Any]:
    return [n for n in walk(passes.run([handle.node])) if n.op in ("csv", "parquet", "frame.renumber")]


def test_only_columns_that_are_looked_at_are_read_and_labels_nobody_sees_are_not_made(
    csv: str, tmp_path: Path
) -> None:
    RAW.to_parquet(tmp_path / "raw.parquet", row_group_size=90)
    for read in (
        lambda: md.read_csv(csv, **SMALL),
        lambda: md.read_parquet(tmp_path / "raw.parquet", groups_as_chunks=True),
    ):
        frame = read()
        total = frame[frame.k > 2].v.sum()
        assert [(n.op in ("csv", "parquet"), n.args[1]) for n in leaves(total)] == [(True, ["k", "v"])]
        assert total.execute().fetch() == RAW[RAW.k > 2].v.sum()
        with option_context({"optimize.drop": False}):
            assert read().v.sum().execute().fetch() == RAW.v.sum()


@pytest.mark.parametrize("keywords", [{}, {"groups_as_chunks": True}])
def test_read_parquet(tmp_path: Path, keywords: dict[str, Any]) -> None:
    raw = RAW.assign(
        c=pd.Categorical(list("ab") * 200, categories=["b", "a", "z"]),
        t=pd.date_range("2020", periods=400, freq="h"),
    )
    path = tmp_path / "raw.parquet"
    raw.to_parquet(path, row_group_size=90)
    same(md.read_parquet(path, **keywords), raw)
    assert len(md.read_parquet(path)) == 400  # from the footer
    same(md.read_parquet(path, columns=["v", "s"], **keywords), raw[["v", "s"]])
    for where in (slice(85, 95), slice(0, 5), slice(-3, None), slice(200, 10, -50), [3, 399, 90]):
        same(md.read_parquet(path, **keywords).iloc[where], raw.iloc[where])
    same(md.read_parquet(path, **keywords)[["n"]].head(3), raw[["n"]].head(3))
    for columns in (None, ["v"]):
        want = pd.read_parquet(path, columns=columns, filters=[("k", ">", 3)])
        same(md.read_parquet(path, columns=columns, filters=[("k", ">", 3)], **keywords), want)
    labelled = raw.set_index("s")
    labelled.to_parquet(tmp_path / "labelled.parquet", row_group_size=90)
    same(md.read_parquet(tmp_path / "labelled.parquet", **keywords), labelled)
    same(md.read_parquet(tmp_path / "labelled.parquet", columns=["v"], **keywords), labelled[["v"]])
    spaced = raw.set_axis(pd.RangeIndex(5, 805, 2))
    spaced.to_parquet(tmp_path / "spaced.parquet", row_group_size=90)
    same(md.read_parquet(tmp_path / "spaced.parquet", **keywords), spaced)
    same(md.read_parquet(tmp_path / "spaced.parquet", **keywords).iloc[100:110], spaced.iloc[100:110])


@pytest.mark.parametrize("keywords", [{}, {"dtype_backend": "numpy_nullable"}, {"dtype_backend": "pyarrow"}])
@pytest.mark.parametrize("column", [
    [1, 2, None, 4], [True, False, None, True], [1.0, 2.0, None, 4.0], [1.0, 2.0, 3.0, 4.0], pd.array([1, 2, None, 4], "Int8"), pd.array([1, 2, 3, 4], "UInt16"),
    pd.array([True, True, None, False], "boolean"), pd.array(["a", "b", None, "c"], "string"), pd.array([1, 2, None, 4], "int32[pyarrow]"), pd.array([1.0, 2.0, 3.0, 4.0], "Float32"),
    np.array([1, 2, 3, 4], "f4"), np.array([1, 2, 3, 4], "u1"), pd.period_range("2020", periods=4), pd.date_range("2020", periods=4, tz="Asia/Tokyo"),
])  # fmt: skip
def test_read_parquet_of_any_dtype(column: Any, keywords: dict[str, Any], tmp_path: Path) -> None:
    """Of whole numbers with holes pandas makes doubles, also where a row group has none; what pandas has noted of dtypes it keeps."""
    path = tmp_path / "any.parquet"
    table = pa.Table.from_pandas(
        pd.DataFrame({"a": pd.Series(column, dtype=getattr(column, "dtype", object)), "b": range(4)})
    )
    pq.write_table(table, path, row_group_size=2)
    want = pd.read_parquet(path, **keywords)
    for apart in (True, False):
        ours = md.read_parquet(path, groups_as_chunks=apart, **keywords)
        same(ours, want)
        same(ours[["a"]], want[["a"]])
        same(ours[ours.b > 2], want[want.b > 2])
        same(ours.iloc[1:3], want.iloc[1:3])


def test_what_was_read_can_be_written_to(tmp_path: Path) -> None:
    RAW.to_parquet(tmp_path / "raw.parquet")
    ours, want = md.read_parquet(tmp_path / "raw.parquet").execute().fetch(), RAW.copy()
    for frame in (ours, want):
        frame.loc[3, "k"] = 50
        frame["v"] += 1
        frame.iloc[5, 3] = -1
    pd.testing.assert_frame_equal(ours, want)
    pd.testing.assert_frame_equal(md.read_parquet(tmp_path / "raw.parquet").execute().fetch(), RAW)


def test_read_parquet_text_of_few_values(tmp_path: Path) -> None:
    """Read by its codes; of many values, with holes, cut in groups, and with a column of a like name inside of another."""
    rows = 4000
    raw = pd.DataFrame({
        "few": np.array(["a", "bb", "", None, "ü"], dtype=object)[np.arange(rows) % 5], "many": [f"t{i}" for i in range(rows)],
        "none": pd.array([None] * rows, "str"), "nested": [{"few": "x"}] * rows,
    })  # fmt: skip
    raw.to_parquet(tmp_path / "text.parquet", row_group_size=900)
    with pq.ParquetFile(tmp_path / "text.parquet") as file:
        assert arrow.in_codes(file, [0, 1], list(raw.columns)) == ["few", "none"]
    for keywords in ({}, {"dtype_backend": "pyarrow"}):
        want = pd.read_parquet(tmp_path / "text.parquet", **keywords)
        same(md.read_parquet(tmp_path / "text.parquet", **keywords), want)
        same(md.read_parquet(tmp_path / "text.parquet", groups_as_chunks=True, **keywords), want)


def test_read_parquet_of_many_files(tmp_path: Path) -> None:
    for i in range(4):
        RAW.iloc[i * 100 : i * 100 + 100].reset_index(drop=True).to_parquet(tmp_path / f"{i}.parquet")
    for path in (tmp_path, str(tmp_path / "*.parquet")):
        for merge in (True, False):
            same(md.read_parquet(path, merge_small_files=merge), RAW)
            same(md.read_parquet(path, merge_small_files=merge).iloc[95:205], RAW.iloc[95:205])


@pytest.mark.parametrize("index", [None, "row", "dates", "two"])
def test_labels_are_read_without_columns(tmp_path: Path, index: str | None) -> None:
    raw = RAW.set_axis(pd.RangeIndex(400, 0, -1, name=index), axis=0).rename_axis(columns=None)
    if index == "dates":
        raw = raw.set_axis(pd.date_range("2020", periods=400, name="dates"), axis=0)
    elif index == "two":
        raw = raw.set_axis([*raw.index], axis=0).set_index(raw.columns[0], append=True)
    (tmp_path / "parts").mkdir()
    raw.to_parquet(tmp_path / "one.parquet", row_group_size=90)
    raw.iloc[:150].to_parquet(tmp_path / "parts" / "1.parquet")
    raw.iloc[150:].to_parquet(tmp_path / "parts" / "2.parquet")
    for path in (tmp_path / "one.parquet", tmp_path / "parts"):
        frame, want = md.read_parquet(path, groups_as_chunks=True), pd.read_parquet(path)
        assert frame.index.names == want.index.names
        for part in (slice(None), slice(5), slice(-3, None)):
            pd.testing.assert_index_equal(frame.iloc[part].index.execute().fetch(), want.iloc[part].index)


@pytest.mark.parametrize("label", ["name", "", None])
def test_names_of_labels_are_those_of_the_header(tmp_path: Path, label: str | None) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}, index=pd.Index(["x", "y", "z"]))
    frame.to_csv(tmp_path / "a.csv", index_label=label)
    for column in (0, [0, 1]):
        want = pd.read_csv(tmp_path / "a.csv", index_col=column)
        same(md.read_csv(tmp_path / "a.csv", index_col=column, chunk_bytes=9), want)


def test_writers_are_lazy(tmp_path: Path) -> None:
    df = md.DataFrame(RAW, chunk_size=130)
    one = df.to_csv(tmp_path / "new" / "one.csv", index=False)
    assert not (tmp_path / "new").exists()
    assert len(one.execute().fetch()) == 0
    assert (tmp_path / "new" / "one.csv").read_text() == RAW.to_csv(index=False)
    df.to_csv(tmp_path / "many-*.csv").execute()
    assert len(list(tmp_path.glob("many-*.csv"))) == 4
    df.to_csv(tmp_path / "one.csv.gz", index=False).execute()
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "one.csv.gz"), RAW)
    df.to_parquet(tmp_path / "folder").execute()
    same(md.read_parquet(tmp_path / "folder"), RAW)
    df.to_parquet(tmp_path / "parts", partition_cols=["k"]).execute()
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == [f"k={i}" for i in range(7)]


BAD = {
    "md.read_csv('/nope.csv')": (FileNotFoundError, "nope.csv"),
    "md.read_csv(csv + '.*.nope')": (FileNotFoundError, "no file matches"),
    "md.read_csv(csv, separator=',')": (TypeError, "separator"),
    "md.read_csv(csv, chunk_bytes='x')": (ValueError, "chunk_bytes"),
    "md.read_csv(csv, chunk_bytes=0)": (ValueError, "chunk_bytes"),
    "md.read_csv(csv, nrows=-1)": (ValueError, "nrows"),
    "md.read_csv(csv, memory_scale=-1)": (ValueError, "memory_scale"),
    "md.read_csv(csv, gpu=True)": (NotImplementedError, "gpu"),
    "md.read_csv(csv, chunksize=5)": (NotImplementedError, "chunksize"),
    "md.read_csv(csv, usecols=['zz'])": (ValueError, "zz"),
    "md.read_csv(5)": (TypeError, "path"),
    "md.read_parquet('/nope')": (FileNotFoundError, "nope"),
    "md.read_parquet(pq, columns=['vv'])": (KeyError, "Did you mean 'v'"),
    "md.read_parquet(pq, columns='v')": (TypeError, "columns"),
    "md.read_parquet(pq, engine='x')": (ValueError, "engine"),
    "md.read_parquet(pq, engine='fastparquet')": (NotImplementedError, "engine"),
    "md.read_parquet(pq, colums=['v'])": (TypeError, "Did you mean 'columns'"),
    "df.to_csv()": (NotImplementedError, "path"),
    "df.to_csv(csv, separator=';')": (TypeError, "separator"),
    "df.to_parquet(pq, partition_cols='zz')": (ValueError, "zz"),
}


@pytest.mark.parametrize("name", ["one.tar.gz", "one.csv.zip", "a::b.csv", "~one.csv"])
def test_one_file_of_any_name_as_pandas_writes_it(name: str, tmp_path: Path) -> None:
    md.DataFrame(RAW, chunk_size=100).to_csv(tmp_path / name, index=False).execute()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / name), pd.read_csv(io.StringIO(RAW.to_csv(index=False)))
    )


@pytest.mark.parametrize("text", BAD)
def test_bad_input(text: str, csv: str, tmp_path: Path) -> None:
    RAW.to_parquet(tmp_path / "raw.parquet")
    kind, said = BAD[text]
    with pytest.raises(kind, match=said) as error:
        eval(text, {"md": md, "csv": csv, "pq": str(tmp_path / "raw.parquet"), "df": md.DataFrame(RAW)})
    assert isinstance(error.value, MarsDaskError)


@pytest.mark.parametrize("odd", ["007", "", "inf"])
@pytest.mark.parametrize("few", [{}, {"keep_default_na": False}])
@pytest.mark.parametrize("strict", [True, False])
def test_read_csv_text_is_text_where_much_of_it_looks_like_something_else(
    odd: str, few: dict[str, Any], strict: bool, tmp_path: Path
) -> None:
    """More lines than pandas looks at together: there it finds other dtypes, and warns that it does."""
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(["c,d", *["x,1"] * 50, *[f"{odd},1"] * 270_000, *["y,2"] * 50]))
    want = pd.read_csv(path, dtype={"c": "str"}, **few)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "ignore")
        for size in (None, 700_000):
            same(md.read_csv(path, head_bytes=100, chunk_bytes=size, **few), want)
            same(md.read_csv(path, head_bytes=100, chunk_bytes=size, **few)[["c"]], want[["c"]])
