"""What cannot be sent is named: the user's function, not a task of Dask's."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import remote
from marsdask.errors import MarsDaskError
from marsdask.session import Session

pytestmark = [pytest.mark.processes, pytest.mark.oldest]


def locked() -> Callable[[Any], Any]:
    lock = threading.Lock()

    def keeps_a_lock(block: Any) -> Any:
        with lock:
            return block

    return keeps_a_lock


def gives_a_lock(block: Any) -> Any:
    return np.array([threading.Lock()], dtype=object)


FRAME = pd.DataFrame({"a": [1, 2, 3]})
TO_A_WORKER: dict[str, Callable[[], Any]] = {
    "tensor": lambda: mt.ones((4,), chunk_size=2).map_chunk(locked(), dtype="f8") + 1,
    "rows": lambda: md.DataFrame(FRAME, chunk_size=2).apply(locked(), axis=1),
    "groups": lambda: md.DataFrame(FRAME, chunk_size=2).groupby("a").apply(locked()),
    "function": lambda: remote.spawn(locked(), args=(1,)),
}


@pytest.mark.parametrize("name", TO_A_WORKER)
def test_functions_that_cannot_travel(name: str, on_cluster: Session) -> None:
    with pytest.raises(
        TypeError, match=r"function '.*keeps_a_lock'.* cannot be sent to a worker: .*lock"
    ) as caught:
        TO_A_WORKER[name]().execute()
    assert isinstance(caught.value, MarsDaskError)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_results_that_cannot_travel(on_cluster: Session) -> None:
    t = mt.ones((2,), chunk_size=2).map_chunk(gives_a_lock, dtype=object, shape=(1,)).execute()
    with pytest.raises(TypeError, match=r"the result of 'gives_a_lock' cannot be sent to you") as caught:
        t.fetch()
    assert len(str(caught.value)) < 500
