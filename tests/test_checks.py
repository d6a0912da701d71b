"""One way to check each kind of argument: what passes comes back as it is used, what does not is named with what was expected."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from marsdask import checks
from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    ColumnNotFound,
    IndexOutOfRange,
    MarsDaskError,
    ShapeError,
)


def test_what_is_right_comes_back_as_it_is_used() -> None:
    assert checks.choice("a", "how", ("a", None)) == "a"
    assert checks.choice(None, "how", ("a", None)) is None
    assert checks.flag(np.True_, "wait") is True
    assert checks.whole(np.int8(3), "n") == 3
    assert type(checks.whole(np.int8(3), "n")) is int
    assert checks.number(2, "timeout", above=0) == 2.0
    assert checks.axis(-1, 3) == 2
    assert checks.axes([-1, 0], 3) == (2, 0)
    assert checks.axes(1, 3) == (1,)
    assert [checks.frame_axis(a, 2, "drop") for a in (0, "index", "rows", 1, "columns")] == [0, 0, 0, 1, 1]
    assert checks.columns(["b"], pd.DataFrame({"b": [1]})) == ["b"]
    for given, expected in ((2, 2.0), (2, float("nan")), (float("nan"), 2), (float("nan"), float("nan"))):
        checks.same_length(given, expected)


FRAME = pd.DataFrame({"key": [1]})


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: checks.choice("x", "rank(method=)", ("a", "b")), ArgumentError, "rank(method='x'): expected 'a' or 'b'."),
        (lambda: checks.choice(1, "keep", (True, "last")), ArgumentError, "keep=1: expected True or 'last'."),
        (lambda: checks.choice(np.arange(2), "how", ("a",)), ArgumentError, "how=array([0, 1]): expected 'a'."),
        (lambda: checks.flag(1, "f(wait=)"), ArgumentTypeError, "f(wait=1): expected True or False, got int."),
        (lambda: checks.whole(True, "f(n=)"), ArgumentTypeError, "f(n=True): expected a whole number, got bool."),
        (lambda: checks.whole(0, "n", 1), ArgumentError, "n=0: expected a whole number from 1 on."),
        (lambda: checks.whole(2.0, "n", 1), ArgumentTypeError, "n=2.0: expected a whole number from 1 on, got float."),
        (lambda: checks.number(0, "timeout", above=0), ArgumentError, "timeout=0: expected a finite number above 0."),
        (lambda: checks.number(float("nan"), "q"), ArgumentError, "q=nan: expected a finite number."),
        (lambda: checks.function(3, "map(func=)"), ArgumentTypeError, "map(func=3): expected a function, got int."),
        (lambda: checks.instance(3, "s", str, "a text"), ArgumentTypeError, "s=3: expected a text, got int."),
        (lambda: checks.same_length(2, 3.0), ShapeError, "Length mismatch: Expected axis has 3 elements, new values have 2"),
        (lambda: checks.same_length(2, 3, "{given}, not {expected}", IndexOutOfRange), IndexOutOfRange, "2, not 3"),
        (lambda: checks.axis(3, 3), AxisError, "axis 3 is out of bounds for a tensor of 3 dimensions."),
        (lambda: checks.axis(1.0, 3), ArgumentTypeError, "axis=1.0: expected a whole number."),
        (lambda: checks.axes((0, -3), 3), ArgumentError, "axis=(0, -3): repeated axis"),
        (lambda: checks.frame_axis(1, 1, "drop"), ArgumentError, "drop(axis=1): No axis named 1 for object type Series"),
        (lambda: checks.frame_axis(True, 2, "drop"), ArgumentError, "drop(axis=True): No axis named True"),
        (lambda: checks.columns(["kye"], FRAME), ColumnNotFound, "column 'kye' not found; the columns are 'key'."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_what_was_expected(
    call: Any, error: type[MarsDaskError], says: str
) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()
