"""What kopf loads for MarsJobs: what is kept of what it hears, and when it starts anew."""

import asyncio
import copy
import logging
import os
import signal

import kopf
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


class Keeper:
    """What is heard of, look by look."""

    def __init__(self, *heard: set[str]):
        self.heard, self.world = list(heard), self

    def uids(self) -> set[str]:
        return self.heard.pop(0)


def guarded(monkeypatch, looks: int, definitions, heard, listed) -> list:
    """What is killed within so many looks, each of which finds the next of everything."""
    ended: list = []
    told, uids = iter(definitions), iter(listed)
    monkeypatch.setattr(handlers, "read_definition", lambda api: next(told))
    monkeypatch.setattr(handlers, "there", lambda api: next(uids))
    monkeypatch.setattr(handlers, "LOOKED", 0.01)
    monkeypatch.setattr(os, "kill", lambda *what: ended.append(what))
    memo = kopf.Memo(api=None, kept={"keeper": Keeper(*heard)})

    async def run() -> None:
        task = asyncio.create_task(handlers.guard(memo, "a"))
        while not task.done() and memo.kept["keeper"].heard:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()

    asyncio.run(run())
    return ended


@pytest.mark.parametrize("then", [None, definition("b")], ids=["gone", "another"])
def test_it_ends_when_its_definition_is_gone(monkeypatch, then) -> None:
    ended = guarded(monkeypatch, 2, [definition("a"), then], [{"x"}] * 2, [{"x"}] * 2)
    assert ended == [(os.getpid(), signal.SIGTERM)]


def test_it_ends_when_it_has_missed_an_end(monkeypatch) -> None:
    """Seen twice: what is being deleted just now is heard of soon."""
    good = [definition("a")] * 3
    assert guarded(monkeypatch, 3, good, [{"x", "y"}, {"x"}, {"x"}], [{"x"}] * 3) == []
    assert guarded(monkeypatch, 3, good, [{"x", "y"}] * 3, [{"x"}] * 3) == [(os.getpid(), signal.SIGTERM)]


def test_of_two_of_one_name_the_later_counts() -> None:
    made = [
        {"metadata": {"uid": uid, "creationTimestamp": f"2026-01-01T00:00:0{uid}Z"}} for uid in ("2", "1")
    ]
    world = handlers.Indexed({("a", "b"): made}, {("a", "b"): made}, {("a", "b"): made})
    assert world.job(("a", "b"))["metadata"]["uid"] == "2"
    assert world.cluster(("a", "b"))["metadata"]["uid"] == "2"
    assert world.job(("a", "c")) is None
    assert world.uids() == {"1", "2"}


def test_one_keeper_is_for_all_objects() -> None:
    """kopf gives each object a copy of its memo."""
    memo = kopf.Memo(api=None, kept={})
    known = {"jobs": {}, "clusters": {}, "pods": {}}
    assert handlers.keeper(copy.copy(memo), known) is handlers.keeper(copy.copy(memo), known)
