"""What `--every` leaves out: of long tables, and the same each time."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.once
ROOT = str(Path(__file__).parents[1] / "conftest.py")


class Item(SimpleNamespace):
    __hash__ = object.__hash__


def made(function: str, count: int, *marks: str) -> list[Any]:
    return [
        Item(
            nodeid=f"tests/test_x.py::{function}[{i % 3}-{i}]", get_closest_marker=lambda name: name in marks
        )
        for i in range(count)
    ]


def test_one_in_three_of_a_long_table(pytestconfig: pytest.Config) -> None:
    thinned = pytestconfig.pluginmanager.get_plugin(ROOT)._thinned
    long, short, each = made("long", 300), made("short", 20), made("each", 300, "each")
    taken = thinned([*long, *short, *each], 3)
    assert {*short, *each} < taken
    of_long = [item for item in long if item in taken]
    assert 70 < len(of_long) < 130
    assert {item.nodeid.partition("[")[2][0] for item in of_long} == {"0", "1", "2"}
    assert thinned(long, 3) == {*of_long}
