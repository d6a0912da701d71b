"""Every module of the rooms is imported with them, in any order: an operation in a file that nobody imports would be lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import marsdask
from tests.processes import PATIENCE

ROOT = Path(marsdask.__file__).parent
TENSOR, FRAME = "marsdask.tensor", "marsdask.dataframe"
CODE = """
import json, sys, importlib

def modules():
    return sorted(m for m in sys.modules if m.startswith(("marsdask.tensor", "marsdask.dataframe")))

importlib.import_module(sys.argv[1])
alone = modules()
importlib.import_module(sys.argv[2])
from marsdask.plan.registry import OPS
print(json.dumps([alone, modules(), sorted(OPS)]))
"""


def imported(first: str, second: str) -> Any:
    """In a new process: the modules with the first room alone, with both, and the operations that there are then."""
    words = [sys.executable, "-c", CODE, first, second]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def files_of(room: str) -> set[str]:
    paths = [
        p.relative_to(ROOT.parent).with_suffix("")
        for p in ROOT.joinpath(room.partition(".")[2]).rglob("*.py")
    ]
    return {".".join(p.parts).removesuffix(".__init__") for p in paths}


def test_every_file_is_imported_with_its_room_in_any_order() -> None:
    tensor, *tensor_first = imported(TENSOR, FRAME)
    frame, *frame_first = imported(FRAME, TENSOR)
    assert sorted(files_of(TENSOR) - set(tensor)) == []
    assert sorted(files_of(FRAME) - set(frame)) == []
    assert tensor_first == frame_first


def test_what_a_cluster_starts_does_not_import_what_only_tasks_need() -> None:
    """A nanny and an idle worker with pandas and Dask's arrays have 80 to 100 MB more each."""
    started = [
        "marsdask.deploy.supervisor",
        "marsdask.deploy.worker",
        "marsdask.deploy.preload",
        "marsdask.deploy.web",
        "marsdask.deploy.kubernetes.killed",
        "marsdask.deploy.kubernetes.leaving",
        "marsdask.spill.worker",
    ]
    code = "import sys; [__import__(m) for m in sys.argv[1:]]; print(*{'pandas', 'dask.array'}.intersection(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, *started], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


def test_tensors_on_threads_do_not_import_what_only_clusters_need() -> None:
    """The import costs more than a small run."""
    code = """
import sys, numpy as np, marsdask.tensor as mt
x = mt.tensor(np.random.default_rng(0).random((400, 8)), chunk_size=100)
for made in (*mt.linalg.svd(x), mt.sort(x, axis=0), mt.topk(x, 2, axis=0), x.rechunk(50) + 1, mt.median(x), mt.cumsum(x, axis=0)):
    made.execute().fetch()
print(*{"distributed", "tornado"}.intersection(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr
