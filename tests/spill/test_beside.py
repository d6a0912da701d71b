"""Room in a small worker's memory for what is no data, and messages that fit in beside it."""

from types import SimpleNamespace
from typing import Any

import dask
import pytest

from marsdask.engine.base import Room
from marsdask.session.base import _cutting_anew
from marsdask.sizes import MIB
from marsdask.spill.buffer import MarsSpillBuffer
from marsdask.spill.policy import MemoryPolicy
from marsdask.spill.worker import BESIDE_LOOKS, Beside, _messages

LIMIT = 512 * MIB


def test_data_get_less_room_while_a_process_has_other_things(tmp_path: Any) -> None:
    policy = MemoryPolicy()
    data = MarsSpillBuffer(str(tmp_path), **policy.buffer_arguments(LIMIT, taken=65 * MIB))
    process = [65 * MIB]
    monitor = SimpleNamespace(get_process_memory=lambda: process[0])
    beside = Beside(SimpleNamespace(data=data, monitor=monitor, policy=policy), LIMIT)  # type: ignore[arg-type]
    before = data.n

    def now(mib: int, looks: int) -> float:
        process[0] = mib * MIB
        for _ in range(looks):
            beside.look()
        return float(data.n)

    assert now(300, 1) == now(300, 1) < before  # as soon as it has them
    assert now(65, 1) == before
    assert now(300, 2) == before  # what one task takes for a moment is nothing lasting
    assert now(300, BESIDE_LOOKS) == pytest.approx(0.7 * LIMIT - 300 * MIB)
    assert now(500, BESIDE_LOOKS) == pytest.approx(0.1 * LIMIT)  # the least


def test_messages_are_small_beside_a_small_worker() -> None:
    name = "distributed.worker.transfer.message-bytes-limit"
    assert _messages(LIMIT) == {name: 16 * MIB}
    assert _messages(None) == {}
    assert _messages(4 * 2**30) == {name: 50_000_000}
    with dask.config.set({name: "2 MiB"}):
        assert _messages(LIMIT) == {name: 2 * MIB}


def test_arrays_are_cut_anew_in_small_steps_where_memory_is_short() -> None:
    name, how = "array.chunk-size", "array.rechunk.method"
    assert _cutting_anew(Room(2, 2 * 2**30)) == _cutting_anew(Room(2)) == {}
    assert _cutting_anew(Room(2, LIMIT)) == {name: 32 * MIB, how: "tasks"}
    with dask.config.set({name: "8 MiB", how: "p2p"}):
        assert _cutting_anew(Room(2, LIMIT)) == {name: 8 * MIB, how: "p2p"}
