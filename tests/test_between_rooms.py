"""Tensors to frames and back."""

import numpy as np
import pandas as pd

import marsdask.dataframe as md
import marsdask.tensor as mt
from tests.oracle import assert_like


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
