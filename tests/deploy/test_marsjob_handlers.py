"""What kopf loads for MarsJobs: what is kept of what it hears, and when it starts anew."""

import asyncio
import logging
import os
import signal

import pytest

from marsdask.deploy.marsjob import handlers
from marsdask.deploy.marsjob.operator import MODULE

pytestmark = pytest.mark.once

METADATA = {
    "name": "demo",
    "managedFields": [{"manager": "kubectl"}],
    "annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "kopf.zalando.org/last-handled-configuration": "{}",
        "kubedl.io/network-mode": "host",
        "marsdask.org/generation": "1",
    },
}
KEPT = {"name": "demo", "annotations": {"kubedl.io/network-mode": "host", "marsdask.org/generation": "1"}}


def test_it_is_the_module_that_the_operator_loads() -> None:
    assert handlers.__name__ == MODULE


def test_no_copies_of_objects_are_kept() -> None:
    spec = {"worker": {"replicas": 2, "spec": {}}, "scheduler": {}}
    body = {"metadata": METADATA, "spec": spec, "status": {"phase": "Running"}}
    found = asyncio.run(handlers.jobs(namespace="a", name="demo", body=body))
    assert found == {("a", "demo"): {**body, "metadata": KEPT}}
    found = asyncio.run(handlers.clusters(namespace="a", name="demo", body=body))
    assert found == {("a", "demo"): {"metadata": KEPT, "spec": {"worker": {"replicas": 2}}}}
    labels = {"marsdask.org/marsjob": "demo"}
    pod = {**body, "spec": {"nodeName": "node", "containers": []}}
    found = asyncio.run(handlers.pods(namespace="a", labels=labels, body=pod))
    assert found == {
        ("a", "demo"): {"metadata": KEPT, "status": {"phase": "Running"}, "spec": {"nodeName": "node"}}
    }


def definition(uid: str, *, served: bool = True) -> dict:
    conditions = [{"type": "Established", "status": str(served)}]
    return {"metadata": {"uid": uid}, "status": {"conditions": conditions}}


def test_it_waits_for_a_definition_that_is_served(monkeypatch) -> None:
    told = iter([None, definition("a", served=False), definition("a")])
    monkeypatch.setattr(handlers, "read_definition", lambda api: next(told))
    monkeypatch.setattr(handlers.owners, "PAUSE", 0.01)
    assert asyncio.run(handlers.definition_of(None, logging.getLogger("operator"))) == "a"


@pytest.mark.parametrize("then", [None, definition("b")], ids=["gone", "another"])
def test_it_ends_when_its_definition_is_gone(monkeypatch, then) -> None:
    told, ended = iter([definition("a"), then]), []
    monkeypatch.setattr(handlers, "read_definition", lambda api: next(told))
    monkeypatch.setattr(handlers, "LOOKED", 0.01)
    monkeypatch.setattr(os, "kill", lambda *what: ended.append(what))
    asyncio.run(handlers.guard(None, "a"))
    assert ended == [(os.getpid(), signal.SIGTERM)]
