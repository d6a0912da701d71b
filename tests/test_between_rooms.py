"""Tensors to frames and back."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.plan import registry
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
