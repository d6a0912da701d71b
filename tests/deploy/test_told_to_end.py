"""A signal in the midst of the start of a cluster."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys
from types import SimpleNamespace
from marsdask.deploy.kubernetes import client

class Cluster:
    arguments = SimpleNamespace(keep=False)

    def start(self):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            for _ in range(10**9): pass
        except SystemExit as error:
            if sys.argv[1] == "wrapped":
                raise ValueError("SchemaError: SystemExit: 143") from error
            if sys.argv[1] == "as it is":
                raise

    def stop(self):
        print("stopped", flush=True)

made = client.KubernetesClusterClient.__new__(client.KubernetesClusterClient)
made.cluster = Cluster()
made._open = lambda otherwise: None
made.start()
print("went on")
"""


@pytest.mark.parametrize("how", ["as it is", "wrapped", "swallowed"])
def test_a_signal_ends_the_start_whatever_a_library_makes_of_it(how: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=False)
    assert done.returncode == 143, done.stderr
    assert "went on" not in done.stdout
