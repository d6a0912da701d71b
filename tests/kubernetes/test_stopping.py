"""The end of a cluster: asked for, forgotten, without its client, without the operator."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import dask
import pytest
from click.testing import CliRunner

import marsdask.tensor as mt
from marsdask.deploy.kubernetes import names, rights
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.commands import kubernetes
from marsdask.errors import SchedulerLost, StillThere
from tests.kubernetes.clusters import (
    PATIENCE,
    SMALL,
    cluster,
    gone,
    namespace,
    quota,
    unique,
    until,
    user_with,
)
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
if sys.argv[4] in ("die", "terminated"):
    time.sleep(3000)
"""


@pytest.mark.parametrize("end", ["leave", "terminated", "terminated early", "die"])
def test_leaving_python_stops_a_cluster_and_killing_it_leaves_it_to_the_command(api, place, marsdask, end):
    name = unique()
    words = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(place.kubeconfig), name, SMALL["image"], end]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        if end == "terminated early":
            until(lambda: api.clusters(name))
        else:
            assert process.stdout.readline() == "up\n"
        if end != "leave":
            process.send_signal(signal.SIGKILL if end == "die" else signal.SIGTERM)
        assert process.wait(PATIENCE) == {"leave": 0, "die": -signal.SIGKILL}.get(end, 143)
    if end == "die":
        assert api.clusters(name)
        assert f"Stopped mars in {name}" in marsdask("stop", name)
        assert api.namespace(name) is None
    gone(api, name)


def test_a_user_of_one_namespace_looks_and_lists_there(api, monkeypatch, marsdask):
    with namespace(api) as name, user_with(api, name, rights.role(None, name)) as user:
        monkeypatch.setattr("marsdask.deploy.kubernetes.api.current", lambda *_: user)
        assert "no clusters of marsdask in namespace" in marsdask("list", "--namespace", name)
        quota(api, name, pods=9)
        with cluster(user, namespace=name, existing_namespace=True):
            header, row = marsdask("list", "--namespace", name).splitlines()
            assert header.split() == ["NAMESPACE", "CLUSTER", "WORKERS", "AGE", "CERTIFICATES", "STATE"]
            assert row.index("364d") == header.index("CERTIFICATES")
            assert row.index("there") == header.index("STATE")
            said = marsdask("status", "--namespace", name)
            for part in (
                "all that new_cluster needs",
                "not seen: that takes",
                "1, the operator has begun with 1",
                "small: 2 of 9 pods",
            ):
                assert part in said
        assert "Hint: --namespace NAME" in marsdask("list", code=1)
        assert "Hint: --namespace NAME" in marsdask("status", code=3)
        said = marsdask("status", "--namespace", "default", code=1)
        assert "! this user may not: create daskclusters" in said
        assert "rbac --namespace default" in said


def left(api, where):
    """Objects of ours in a namespace, by kind."""
    kinds = {
        "DaskClusters": lambda: api.clusters(where),
        "pods": lambda: api.pods(where, ""),
        "services": lambda: api.listed(api.core.list_namespaced_service, where),
        "secrets": lambda: api.listed(api.core.list_namespaced_secret, where),
        "policies": lambda: api.listed(api.networking.list_namespaced_network_policy, where),
    }
    return {kind: len(found) for kind, listed in kinds.items() if (found := listed())}


@pytest.mark.parametrize(("end", "seconds"), [("idle_timeout", 20), ("max_lifetime", 3600)])
def test_a_cluster_ends_by_itself_and_its_session_says_so(api, marsdask, end, seconds):
    def end_now(key: str = names.ENDS) -> float:  # it travels by value
        was = dask.config.get(key)
        dask.config.set({key: time.time()})
        return was

    began = time.time()
    with cluster(api.client, service_name="marsservice", **{end: seconds}) as made:
        assert int(mt.ones(3).sum().execute().fetch()) == 3
        assert left(api, made.namespace)["DaskClusters"] == 1
        client, working = made.session.engine.client, None
        if end == "idle_timeout":  # what works is let be
            client.submit(time.sleep, seconds + 15).result()
        else:  # and here it is not
            working = client.submit(time.sleep, 3000)
            ends = client.run_on_scheduler(end_now)
            assert seconds <= ends - began < seconds + PATIENCE
        until(lambda: left(api, made.namespace) == {}, what="nothing but the namespace is left")
        assert f"{made.namespace}  -" in marsdask("list")
        with pytest.raises(SchedulerLost, match=rf"ended by itself \({end}={seconds} s\).*new_cluster"):
            mt.ones(4).sum().execute()
        del working


@pytest.mark.alone
def test_without_the_operator_a_stop_is_bounded_and_says_why(api, marsdask):
    with cluster(api.client) as made, without_operator(api):
        with pytest.raises(StillThere, match=r"waits for .*Finalizer.*only a running Dask operator.*--force"):
            made.stop(wait=True, timeout=8)
        assert "is gone" in marsdask("stop", made.namespace, "--force")
        until(lambda: api.namespace(made.namespace) is None)
