"""A checkpoint outlives everything: the client, the scheduler and the workers are killed, and finished chunks do not run again."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.processes import ROOT, Bare
from tests.processes import PATIENCE, process, until

pytestmark = [pytest.mark.processes, pytest.mark.slow]
CHUNKS = 12

# The workers are in its folder. All but the first few calls wait until there is a file "go".
PROGRAM = """
import os, sys, time
import numpy as np
import marsdask.tensor as mt
from marsdask import new_session

def slow(block):
    with open("calls", "a") as log:
        log.write(f"{int(block[0]) // 5} ")
    with open("calls") as log:
        few = len(log.read().split()) <= 6
    while not few and not os.path.exists("go"):
        time.sleep(0.05)
    return block * 2

session = new_session(sys.argv[1])
t = mt.arange(60, chunk_size=5).map_chunk(slow, dtype="i8").checkpoint(sys.argv[2])
assert (t.fetch() == np.arange(60) * 2).all()
assert (t + 1).execute().fetch()[-1] == 119
session.close()
print("right")
"""


def test_go_on_where_it_was(tmp_path: Path) -> None:
    folder, calls = tmp_path / "kept", tmp_path / "calls"
    (tmp_path / "program.py").write_text(PROGRAM)
    with Bare(tmp_path) as cluster:

        def client() -> Any:
            words = [sys.executable, "program.py", cluster.address, str(folder)]
            env = os.environ | {"PYTHONPATH": str(ROOT)}
            return process(*words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        cluster.start()
        with client() as first:
            until(lambda: len(list(folder.glob("chunk-*[0-9]"))) >= 3, "three finished chunks")
            first.kill()
            first.communicate(timeout=PATIENCE)
        cluster.end()
        unready = set(
            folder.glob("*.part")
        )  # of a worker that was killed while it wrote; they go when they are old
        finished = {int(p.name[-6:]) for p in folder.glob("chunk-??????")}
        before = Counter(map(int, calls.read_text().split()))
        assert 3 <= len(finished) < CHUNKS

        (tmp_path / "go").touch()
        cluster.start()
        with client() as second:
            said, complained = second.communicate(timeout=PATIENCE)
        assert said == "right\n", complained
        after = Counter(map(int, calls.read_text().split()))
    assert set(after) == set(range(CHUNKS))
    for chunk in range(CHUNKS):
        assert after[chunk] - before[chunk] == (chunk not in finished), chunk
    assert set(folder.glob("*.part")) <= unready
