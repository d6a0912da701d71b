"""The tests on Kubernetes: `python -m tests.kubernetes [PYTEST'S ARGUMENTS]`, after `python -m tests.kubernetes.node build`.

On two nodes side by side, as they wait most of the time: on one the tests that can share it, several at once, on the other those
that need its operator for themselves. On a cluster of MARSDASK_TEST_KUBECONFIG all of them one by one.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.kubernetes.node.__main__ import FOREIGN

PYTEST = [sys.executable, "-m", "pytest", "-rs", str(Path(__file__).parent)]
ON_A_NODE = [sys.executable, "-m", "tests.kubernetes.node", "run", "--", *PYTEST]
WITH_MARSJOBS = [sys.executable, "-m", "tests.kubernetes.node", "run", "--marsjobs", "--", *PYTEST]
SHARED = ["-n", "3", "-m", "kubernetes and not alone"]
ALONE = ["-m", "kubernetes and alone"]
NOTHING_CHOSEN = 5


def main(words: list[str]) -> int:
    if FOREIGN in os.environ:
        codes = [subprocess.run([*PYTEST, "-m", "kubernetes", *words]).returncode]
    else:
        codes = side_by_side([*WITH_MARSJOBS, *SHARED, *words], [*ON_A_NODE, *ALONE, *words])
    failed = [code for code in codes if code not in (0, NOTHING_CHOSEN)]
    return failed[0] if failed else min(codes)


def side_by_side(shown: list[str], kept: list[str]) -> list[int]:
    """How two commands end. What the second says is shown when both have ended, which each does by itself when interrupted."""
    with tempfile.TemporaryFile() as said:
        started = [subprocess.Popen(shown), subprocess.Popen(kept, stdout=said, stderr=subprocess.STDOUT)]
        try:
            return [each.wait() for each in started]
        finally:
            for each in started:
                each.wait()
            said.seek(0)
            sys.stdout.write(said.read().decode(errors="replace"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
