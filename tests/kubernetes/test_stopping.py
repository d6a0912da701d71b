"""The end of a cluster: asked for, forgotten, without its client, without the operator."""

import signal
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest
from click.testing import CliRunner

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.commands import kubernetes
from marsdask.errors import StillThere
from tests.kubernetes.clusters import PATIENCE, SMALL, cluster, gone, unique, until
from tests.kubernetes.test_failing_to_start import without_operator


@pytest.fixture
def marsdask(api_client, monkeypatch):
    """`marsdask kubernetes ...` on the node."""
    monkeypatch.setattr("marsdask.deploy.kubernetes.api.current", lambda *_: api_client)
    monkeypatch.setattr(Api, "close", lambda _: None)

    def run(*words, code=0):
        done = CliRunner().invoke(kubernetes, words)
        assert done.exit_code == code, done.output
        return done.output

    return run


def stuck(api, where, stop):
    """What sometimes happens: the phase of the cluster stays Pending."""
    while not stop.wait(0.1):
        api.patched("daskclusters", where, "mars", {"status": {"phase": "Pending"}})


def test_the_phase_does_not_matter_and_stopping_twice_is_fine(api, marsdask):
    name, stop = unique(), threading.Event()
    patching = threading.Thread(target=stuck, args=(api, name, stop))
    patching.start()
    with ExitStack() as stack:
        try:
            made = stack.enter_context(cluster(api.client, namespace=name))
        finally:
            stop.set()
            patching.join(PATIENCE)
        assert f"{name}  mars" in marsdask("list")
        made.stop(wait=True, timeout=PATIENCE)
        assert api.namespace(name) is None
        made.stop()
        made.stop(wait=True, timeout=5)
    assert "no namespace" in marsdask("stop", name)
    assert name not in marsdask("list")
    assert "no cluster of marsdask" in marsdask("stop", "default", code=1)


PROGRAM = """
import os, sys, time
from kubernetes import config
from marsdask.deploy.kubernetes import new_cluster
new_cluster(config.new_client_from_config(sys.argv[1]), namespace=sys.argv[2], image=sys.argv[3], worker_cpu=0.1,
            worker_mem="400m", timeout=600, keep=sys.argv[4] == "keep")
print("up", flush=True)
if sys.argv[4] == "die":
    time.sleep(3000)
"""


@pytest.mark.parametrize("end", ["leave", "die"])
def test_leaving_python_stops_a_cluster_and_killing_it_leaves_it_to_the_command(api, place, marsdask, end):
    name = unique()
    words = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(place.kubeconfig), name, SMALL["image"], end]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "up\n"
        if end == "die":
            process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    if end == "die":
        assert api.clusters(name)
        assert f"Stopped mars in {name}" in marsdask("stop", name)
        assert api.namespace(name) is None
    gone(api, name)


@pytest.mark.alone
def test_without_the_operator_a_stop_is_bounded_and_says_why(api, marsdask):
    with cluster(api.client) as made, without_operator(api):
        with pytest.raises(StillThere, match=r"waits for .*Finalizer.*only a running Dask operator.*--force"):
            made.stop(wait=True, timeout=8)
        assert "is gone" in marsdask("stop", made.namespace, "--force")
        until(lambda: api.namespace(made.namespace) is None)
