"""NumPy's functions of frames, series and labels: `np.f` and `mt.f` of ours are what `np.f` is of pandas' own."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from tests.oracle import assert_like, fetched

FRAME = pd.DataFrame({"a": [np.nan, 1.5, 3.0], "b": [4, -5, 1]}, index=["x", "y", "z"])
SERIES = FRAME["a"].rename("q")
LABELS = pd.Index([3, 4, 2], name="i")
GIVEN = {
    "frame": (FRAME, md.DataFrame(FRAME, chunk_size=2)),
    "floats": (SERIES, md.Series(SERIES, chunk_size=2)),
    "labels": (LABELS, md.Index(LABELS, chunk_size=2)),
}
CALLS: dict[str, Any] = {
    "f(x)": lambda f, x: f(x),
    "f(x, axis=0)": lambda f, x: f(x, axis=0),
    "f(x, axis=1)": lambda f, x: f(x, axis=1),
    "f(x, axis=None)": lambda f, x: f(x, axis=None),
    "f(x, 1)": lambda f, x: f(x, 1),
    "f(x, 1, 2)": lambda f, x: f(x, 1, 2),
    "f(x, 1, axis=0)": lambda f, x: f(x, 1, axis=0),
    "f(x, [2, 0, 1])": lambda f, x: f(x, [2, 0, 1]),
    "f(x, ddof=1)": lambda f, x: f(x, ddof=1),
    "f(x, x)": lambda f, x: f(x, x),
    "f(x > 2, x, 0)": lambda f, x: f(x > 2, x, 0),
    "f(2, x)": lambda f, x: f(2, x),
    "f([x, x], axis=0)": lambda f, x: f([x, x], axis=0),
    "f(x, x.T)": lambda f, x: f(x, x.T),
    "f([True, False, True], x)": lambda f, x: f([True, False, True], x),
}
OTHER = {
    "empty": "has any values", "empty_like": "has any values", "zeros": "takes a shape", "ones": "takes a shape", "full": "takes a shape",
    "indices": "takes a shape", "unravel_index": "takes a shape", "broadcast_to": "takes a shape", "tile": "takes numbers", "roll": "takes numbers",
    "bincount": "NumPy cuts off the fractions of what is no array", "searchsorted": "of what is not sorted says nothing",
    "column_stack": "looks at the labels of columns", "stack": "looks at the labels of columns", "vstack": "looks at the labels of columns",
    "hstack": "looks at the labels of columns", "dstack": "looks at the labels of columns", "concatenate": "looks at the labels of columns",
    "compress": "wraps labels in the second place", "rollaxis": "gives back what it was given",
    "ediff1d": "gives labels or an array, by its arguments",
}  # fmt: skip
"""Functions that are not compared, and why."""
NAMES = [
    name
    for name in dir(mt)
    if name in dir(np)
    and callable(theirs := getattr(np, name))
    and not isinstance(theirs, (type, np.ufunc))
    and name not in OTHER
]
REFUSED = {
    ("angle", "f(x, [2, 0, 1])"), ("angle", "f([True, False, True], x)"), ("dot", "f(x, 1)"),
    ("histogram", "f(x > 2, x, 0)"), ("histogram_bin_edges", "f(x > 2, x, 0)"),
    ("isclose", "f(x > 2, x, 0)"), ("allclose", "f(x > 2, x, 0)"), ("fix", "f(x, x)"), ("fix", "f(2, x)"), ("fix", "f(x, x.T)"), ("fix", "f(x, [2, 0, 1])"),
    ("full_like", "f([True, False, True], x)"), ("clip", "f(x > 2, x, 0)"), ("repeat", "f([True, False, True], x)"),
    ("inner", "f(x, 1)"), ("trapz", "f([True, False, True], x)"),
}  # fmt: skip
"""Calls that mean nothing: `out=` that is a frame, a truth value for an array."""
with warnings.catch_warnings(action="ignore"):  # NumPy 2.5 would have `trunc`
    KEPT = {("fix", "labels")} if isinstance(np.fix(LABELS), np.ndarray) else set()
"""What older NumPy makes an array of, and newer leaves as it is."""


def same(got: Any, want: Any) -> None:
    assert_like(got, want)
    for one, right in zip(got, want, strict=True) if isinstance(want, (tuple, list)) else [(got, want)]:
        labelled = (pd.DataFrame, pd.Series, pd.Index)
        assert isinstance(one, labelled) == isinstance(right, labelled), (type(one), type(right))


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_numpy_are_what_they_are_of_pandas(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for kind, (whole, ours) in GIVEN.items():
            for call, made in CALLS.items():
                if (name, call) in REFUSED or (name, kind) in KEPT:
                    continue
                try:
                    want = made(getattr(np, name), whole.copy())
                except Exception:
                    continue
                for module in (np, mt) if call in ("f(x)", "f(x, 1)") else (mt,):
                    try:
                        same(fetched(made(getattr(module, name), ours)), want)
                    except Exception as error:
                        raise AssertionError(f"{module.__name__}.{name}: {call} of {kind}") from error


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
def test_ufuncs_reduce_with_what_is_missing(ufunc: np.ufunc) -> None:
    for kind in ("frame", "floats"):
        whole, ours = GIVEN[kind]
        assert_like(fetched(ufunc.reduce(ours)), ufunc.reduce(whole))


def test_a_frame_by_name() -> None:
    whole, ours = GIVEN["frame"]
    assert_like(fetched(np.trapezoid(ours)), np.trapezoid(whole))
    assert_like(fetched(mt.clip(a=ours, a_min=0, max=2)), whole.clip(0, 2))
    assert_like(fetched(mt.sum(a=ours, axis=0)), whole.sum())


def test_arguments_that_pandas_refuses_are_of_the_values() -> None:
    whole, ours = GIVEN["frame"]
    for made in (
        lambda f, x: f.sum(x, keepdims=True),
        lambda f, x: f.sum(x, axis=0, dtype="f4"),
        lambda f, x: f.max(x, axis=1, keepdims=True, initial=2),
        lambda f, x: f.std(x, 0, "f8"),
    ):
        assert_like(fetched(made(mt, ours)), made(np, whole.to_numpy()))
    assert_like(fetched(mt.sum(ours, axis=0, keepdims=False)), whole.sum(skipna=True))
