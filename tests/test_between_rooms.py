"""Tensors to frames and back."""

import inspect
import warnings
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.plan import gaps, registry
from tests.oracle import assert_like, fetched


def test_a_tensor_becomes_a_frame_and_back() -> None:
    values = np.arange(12.0).reshape(6, 2)
    t = mt.tensor(values, chunk_size=(4, 1))
    assert_like(t.to_dataframe().execute().fetch(), pd.DataFrame(values))
    named = t.to_dataframe(columns=["a", "b"])
    assert_like(named.execute().fetch(), pd.DataFrame(values, columns=["a", "b"]))
    assert_like(mt.from_dataframe(named).execute().fetch(), values)
    whole = pd.DataFrame({"a": [1, 2]})
    assert_like(mt.from_dataframe(whole).execute().fetch(), whole.to_numpy())
    assert_like(
        mt.from_dataframe(md.DataFrame(whole), dtype="f4").execute().fetch(), whole.to_numpy().astype("f4")
    )


def ufuncs_of(operands: int) -> list[str]:
    of_each = (op for op in registry.in_room("tensor") if op.function and op.name != "matmul")
    named = (op.name for op in of_each if isinstance(op.oracle, np.ufunc))
    return [name for name in named if getattr(np, name, None) and getattr(np, name).nin == operands]


def compared(name: str, whole: tuple[Any, ...], ours: tuple[Any, ...]) -> None:
    """`mt.f(frame)` is what `np.f(frame)` is: a frame with its labels; what pandas refuses is refused."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = getattr(np, name)(*whole)
        except TypeError:
            with pytest.raises(TypeError):
                fetched(getattr(mt, name)(*ours))
        else:
            made = getattr(mt, name)(*ours)
            assert_like(fetched(made), want)
            assert not isinstance(made, tuple) or isinstance(made.execute(), mt.ExecutableTuple)


def test_every_ufunc_gives_frames_of_frames() -> None:
    df = pd.DataFrame({"a": [1.5, 0.25, 3.0], "b": [4, 5, 1]}, index=["x", "y", "z"])
    md_df, s = md.DataFrame(df, chunk_size=2), df["a"].rename("q")
    for name in ufuncs_of(1):
        compared(name, (df,), (md_df,))
        compared(name, (s,), (md.Series(s, chunk_size=2),))
    for name in ufuncs_of(2):
        compared(name, (df["b"], 2), (md_df["b"], 2))
        compared(name, (2, df["b"]), (2, md_df["b"]))
        compared(name, (df[["a"]], df[["a"]]), (md_df[["a"]], md_df[["a"]]))
    assert_like(fetched(mt.negative(md.Index([3, 4]))), pd.Index([-3, -4]))
    assert_like(fetched(mt.around(md_df, 1)), df.round(1))
    assert_like(fetched(mt.exp(md_df, dtype="f4", where=True)), np.exp(df, dtype="f4"))
    assert_like(fetched(mt.add(mt.tensor([1, 2, 3]), md_df["b"])), [1, 2, 3] + df["b"])
    for setting in ({"where": [True]}, {"order": "F"}):
        with pytest.raises(TypeError, match=f"add\\({next(iter(setting))}=\\): not of a DataFrame"):
            mt.add(md_df, 1, **setting)
    assert fetched(mt.add(md_df, 1, out=mt.zeros((3, 2)))).tolist() == (df + 1).to_numpy().tolist()


def test_a_sparse_operand_is_its_values() -> None:
    sparse = scipy.sparse.csr_matrix([[1, 0], [0, -2]])
    assert_like(fetched(mt.arctan2(0, sparse)), np.arctan2(0, sparse.toarray()))
    assert_like(fetched(mt.add(mt.ones((2, 2)), sparse)), 1.0 + sparse.toarray())


def test_numbers_and_notebooks() -> None:
    t = mt.tensor([[1.25, 2.5]], chunk_size=1)
    assert (f"{t.sum():.2f}", f"{t.sum():>6}", f"{t}") == ("3.75", "  3.75", str(t))
    assert (round(t.sum()), round(t.sum(), 1)) == (4, 3.8)
    assert isinstance(round(t.sum()), int)
    assert_like(fetched(round(t, 1)), np.round([[1.25, 2.5]], 1))
    with pytest.raises(TypeError):
        f"{t:.2f}"
    table = mt.ones((3, 2))._repr_html_()
    assert all(f"<td>{text}</td>" in table for text in ("filled", "(3, 2)", "float64"))
    assert mt.tensor(["<b>"]).execute()._repr_html_().count("&lt;b&gt;") == 1
    assert (t.key, t.key == (t + 0).key) == (mt.tensor(t).key, False)
    df = md.DataFrame({"a": [1, 2]})
    assert (df.key, df.a.key != df.key) == (md.DataFrame(df).key, True)
    assert fetched(md.DataFrame({"key": [1]}).key)[0] == 1
    assert [x.refresh_params() for x in (t, df, df.a, df.index)] == [None] * 4
    for made in (mt.shape(t), mt.shape([[1, 2]])):
        assert made == (1, 2)
        assert made.execute().fetch() == [1, 2]


def test_a_prompt_offers_functions_and_no_gaps() -> None:
    offered = dir(mt)
    ours = {"from_dask", "from_xarray", "map_chunk"}
    assert {"linalg", "random", "sum", "Tensor", "float32"} <= {*offered}
    assert {*offered}.difference(dir(np)) <= {*gaps.NAMES["tensor"], *ours}
    for module in (mt, mt.linalg, mt.random):
        assert all(getattr(registry.entry_of(getattr(module, name)), "built", True) for name in dir(module))
        assert not any(
            inspect.ismodule(getattr(module, name)) for name in {*dir(module)} - {"linalg", "random"}
        )


def test_operators_take_texts_decimals_and_dates() -> None:
    """What is no number is compared and added element by element, too: `t == "a"` is no lone False."""
    arrays = {
        "u": np.array(["a", "bb", "c"]),
        "o": np.array(["a", "bb", "c"], object),
        "d": np.array([Decimal(1), Decimal("2.5"), Decimal(3)], object),
        "t": np.array(["2020-01-01", "2020-01-02", "2021-01-01"], "M8[ns]"),
        "td": np.array([1, 2, 3], "m8[D]"),
        "f": np.array([1.0, 2, 3]),
    }
    known = {"Decimal": Decimal, "date": date, "timedelta": timedelta, "pd": pd}
    tensors = {name: mt.tensor(array, chunk_size=2) for name, array in arrays.items()}
    for text in (
        "u == 'a'", "u != 'a'", "u > 'b'", "'b' > u", "u == b'a'", "o == 'a'", "o + 'z'", "o < 'b'", "o == None", "d * Decimal(2)", "Decimal(2) * d",
        "d > Decimal(2)", "d == Decimal(3)", "f == 'a'", "f != 'a'", "f == Decimal(2)", "f == None", "t == pd.Timestamp('2020-01-02')",
        "t - timedelta(days=1)", "td > timedelta(days=1)", "td == pd.Timedelta(days=2)", "f == date(2020, 1, 1)", "f + 'a'", "f * Decimal(2)",
    ):  # fmt: skip
        try:
            want = eval(text, arrays | known)
        except TypeError:
            with pytest.raises(TypeError):
                fetched(eval(text, tensors | known))
        else:
            assert_like(fetched(eval(text, tensors | known)), want)
