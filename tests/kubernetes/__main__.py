"""The tests on Kubernetes: `python -m tests.kubernetes [PYTEST'S ARGUMENTS]` where there is a cluster.

On a node of ours first the tests that can share it, several at a time, for they wait most of the time; then those that
need the operator for themselves. On another cluster all of them one by one.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.kubernetes.node.__main__ import OURS

NOTHING_CHOSEN = 5
AT_ONCE = "3"


def main(words: list[str]) -> int:
    rounds = [["-m", "kubernetes"]]
    if OURS in os.environ:
        rounds = [["-n", AT_ONCE, "-m", "kubernetes and not alone"], ["-m", "kubernetes and alone"]]
    pytest = [sys.executable, "-m", "pytest", "-rs", str(Path(__file__).parent)]
    codes = [subprocess.run([*pytest, *chosen, *words]).returncode for chosen in rounds]
    failed = [code for code in codes if code not in (0, NOTHING_CHOSEN)]
    return failed[0] if failed else min(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
