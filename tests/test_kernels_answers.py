"""Answers joined by the kernel are pandas' own: values, labels, name."""

import operator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from marsdask.dataframe.kernels import answers
from marsdask.dataframe.rows.arithmetic import operate

COUNT = answers.FEWEST


def asked(seed: int, **how: Any) -> pd.Series:
    return pd.Series(np.random.default_rng(seed).random(COUNT) > 0.5, **how)


@pytest.mark.parametrize("name", ["and", "or", "xor"])
@pytest.mark.parametrize(("left", "right"), [("a", "a"), ("a", "b"), (None, None), ("a", None)])
def test_values_labels_and_name(name: str, left: Any, right: Any) -> None:
    labels = np.arange(COUNT)[::-1]
    one, other = asked(1, name=left, index=labels), asked(2, name=right, index=labels)
    found = answers.joined(name, one, other)
    assert found is not None
    does = getattr(operator, f"__{name}__")
    pd.testing.assert_series_equal(found, does(one, other))
    pd.testing.assert_series_equal(operate(f"__{name}__", one, other, {}), does(one, other))
    pd.testing.assert_series_equal(operate(f"__r{name}__", one, other, {}), does(other, one))


OTHERS = [
    lambda s: s.iloc[1:],
    lambda s: s.iloc[::-1],
    lambda s: s.astype("boolean"),
    lambda s: s.astype(object),
    lambda s: s.astype("i8"),
    lambda s: s.rename(3),
    lambda s: s.set_flags(allows_duplicate_labels=False),
    lambda s: s.to_frame(),
    lambda s: s.to_numpy(),
    lambda s: True,
    lambda s: s.iloc[: COUNT - 1],
]


@pytest.mark.parametrize("other", OTHERS)
def test_all_else_is_for_pandas(other: Any) -> None:
    one = asked(1)
    assert answers.joined("and", one, other(one)) is None
    assert answers.joined("and", other(one), one) is None or isinstance(other(one), pd.DataFrame)


def test_a_result_can_be_written_to() -> None:
    found = answers.joined("or", asked(1), asked(2))
    assert found is not None
    found.iloc[0] = True
    assert found.iloc[0]
