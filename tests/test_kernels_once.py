"""What tasks make of the same values is made once, and goes with them."""

import gc
import threading
from typing import Any

import pandas as pd
import pytest

from marsdask.dataframe.kernels import once as kept
from marsdask.dataframe.kernels.once import once


def frames(count: int) -> list[pd.DataFrame]:
    return [pd.DataFrame({"a": [i, i]}) for i in range(count)]


@pytest.fixture(autouse=True)
def empty() -> Any:
    before = dict(kept._made)
    yield
    gc.collect()
    assert kept._made == before


def test_made_once_for_the_same_values_and_the_same_question() -> None:
    made: list[Any] = []

    def make(values: Any, *how: Any) -> Any:
        made.append(how)
        return pd.concat(values)

    one, other = frames(2), frames(2)
    first = once(make, one, "a")
    assert once(make, list(one), "a") is first
    assert once(make, one, "b") is not first
    pd.testing.assert_frame_equal(once(make, other, "a"), first)
    assert once(make, other, "a") is not first
    assert made == [("a",), ("b",), ("a",)]


def test_it_goes_with_any_of_its_values() -> None:
    values = frames(2)
    before = len(kept._made)
    once(lambda values: pd.concat(values), values)
    assert len(kept._made) == before + 1
    del values[1]
    gc.collect()
    assert len(kept._made) == before


def test_a_number_that_is_given_again_is_another_value() -> None:
    values, (newer,) = frames(1), frames(1)
    first = once(list, values)
    (key,) = [k for k in kept._made if k[0] is list]
    kept._made[list, (), id(newer)] = kept._made.pop(key)  # as if the first had gone, and nobody had said so
    found = once(list, [newer])
    assert found is not first
    assert found[0] is newer
    kept._made.clear()


def test_threads_wait_for_the_first() -> None:
    values, count, begun, go = frames(2), [], threading.Event(), threading.Event()

    def make(values: Any) -> Any:
        count.append(1)
        begun.set()
        assert go.wait(10)
        return pd.concat(values)

    found: list[Any] = []
    workers = [threading.Thread(target=lambda: found.append(once(make, values))) for _ in range(4)]
    for each in workers:
        each.start()
    assert begun.wait(10)
    go.set()
    for each in workers:
        each.join()
    assert len(count) == 1
    assert len(set(map(id, found))) == 1


def test_what_failed_is_made_again() -> None:
    values, tries = frames(1), []

    def make(values: Any) -> int:
        tries.append(1)
        if len(tries) == 1:
            raise MemoryError
        return len(values)

    with pytest.raises(MemoryError):
        once(make, values)
    assert once(make, values) == 1
