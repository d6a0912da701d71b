"""The file of a value that was read stays: it is not written again, and goes where others need the room."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spill.conformance import files
from tests.spill.test_buffer import KB, kb, make


def test_what_was_read_is_not_written_again(tmp_path: Path) -> None:
    with make(tmp_path, 10 * KB) as b:
        for i in range(6):
            b[i] = kb(3, i)
        written = b.cumulative_metrics["disk-write", "count"]
        for _ in range(3):  # each comes back, and pushes others out
            for i in range(6):
                assert b[i].tolist() == kb(3, i).tolist()
        assert b.cumulative_metrics["disk-write", "count"] == written + 3  # those that were never on disk
        assert len(b) == len(list(b)) == len(dict(b.items())) == 6
        b[0] = kb(3, 100)
        for i in range(1, 6):
            b[i]
        assert 0 not in b.fast
        assert b[0][0] == 100
        for i in range(6):
            del b[i]
        assert files(tmp_path) == []
        assert b.spilled_total == (0, 0)


@pytest.mark.parametrize("bounds", [{"max_spill": 13 * KB}, {"quotas": [13 * KB]}])
def test_files_of_values_in_memory_make_room(tmp_path: Path, bounds: dict[str, object]) -> None:
    with make(tmp_path, 10 * KB, **bounds) as b:
        for i in range(6):
            b[i] = kb(3, i)
        for i in range(3):
            b[i]
        for i in range(6):
            assert b[i][0] == i
        b[6] = kb(3, 6)
        assert [b[i][0] for i in range(7)] == list(range(7))
        assert b.spilled_total.disk <= 13 * KB
        assert b.spilled_total.memory == sum(b.store.sizes[k].memory for k in b.slow if k not in b.fast)
