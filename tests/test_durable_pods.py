"""The end of clusters on Kubernetes that are made for maps: told by a storage, with a Kubernetes that only remembers."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from marsdask.deploy import kubernetes
from marsdask.errors import KubernetesError
from marsdask.remote.durable import client, pods, status
from marsdask.remote.durable.pods import Pods
from marsdask.remote.durable.storage import Storage
from tests.processes import until

HOST = "https://here:6443"


class Kubernetes:
    """Namespaces, the clusters in them, and what was deleted."""

    def __init__(self) -> None:
        self.configuration, self.call_api = SimpleNamespace(host=HOST), None
        self.there: dict[str, bool] = {}  # whether a cluster is in it
        self.deleted: list[str] = []
        self.refuses = False
        self.alive: list[str] = []  # who was told to be needed

    def new_cluster(self, api_client: Any, *, namespace: str, **given: Any) -> Any:
        assert api_client is self
        assert given == {"worker_num": 3, "idle_timeout": client.IDLE}
        self.there[namespace] = True
        inner = SimpleNamespace(tell_alive=lambda: self.alive.append(namespace))
        return SimpleNamespace(namespace=namespace, stop=lambda: self.delete(namespace), cluster=inner)

    def delete(self, namespace: str) -> None:
        if self.refuses:
            raise KubernetesError("not today")
        self.deleted.append(namespace)
        del self.there[namespace]


class Api:
    def __init__(self, made: Kubernetes) -> None:
        self.client = made

    def close(self) -> None:
        """Nothing is open."""

    def namespace(self, name: str) -> Any:
        labels = {"app.kubernetes.io/managed-by": "marsdask"}
        return {"metadata": {"name": name, "labels": labels}} if name in self.client.there else None

    def clusters(self, name: str) -> list[Any]:
        return [{}] if self.client.there.get(name) else []


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    made = Kubernetes()
    monkeypatch.setattr(kubernetes, "new_cluster", made.new_cluster)
    monkeypatch.setattr("marsdask.deploy.kubernetes.api.Api", Api)
    monkeypatch.setattr(
        "marsdask.deploy.kubernetes.removal.remove", lambda api, name, *_, **__: api.client.delete(name)
    )
    return made


def told(folder: Path) -> list[str]:
    """The namespaces that the storage knows of."""
    return Storage.at(folder, pods.NAME, None).names(pods.FOLDER)


def tell(folder: Path, namespace: str, **facts: Any) -> None:
    """What a program has told of a cluster before it was made."""
    said = {"kubernetes": HOST, "master": status.me(), "at": time.time()} | facts
    storage = Storage.at(folder, pods.NAME, None)
    storage.make(pods.FOLDER)
    storage.put(pods.FOLDER, f"{namespace}.json", json.dumps(said).encode())


def dead() -> dict[str, Any]:
    """A program of this machine that is over."""
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    return status.me() | {"pid": int(done.stdout)}


def test_a_cluster_is_told_of_until_it_is_gone(there: Kubernetes, tmp_path: Path) -> None:
    ours = Pods(str(tmp_path), None, there)
    ours.end()
    made = ours.make(worker_num=3)
    assert told(tmp_path) == [f"{made.namespace}.json"]
    other = Pods(str(tmp_path), None, there)
    other.make(worker_num=3)
    other.end()
    assert there.there == {made.namespace: True}
    there.refuses = True
    with pytest.raises(KubernetesError):
        ours.end()
    assert told(tmp_path) == [f"{made.namespace}.json"]


def test_a_cluster_is_told_that_its_program_lives(
    there: Kubernetes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pods, "EVERY", 0.01)
    ours = Pods(str(tmp_path), None, there)
    made = ours.make(worker_num=3)
    until(lambda: len(there.alive) > 2, "it was told three times")
    ours.end()
    assert set(there.alive) == {made.namespace}
    until(
        lambda: not [each for each in threading.enumerate() if each.name == "marsdask-map-pods"], "it ended"
    )


def test_what_a_killed_program_left_is_taken_away(
    there: Kubernetes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    there.there = {"runs": True, "ended": False, "killed-early": False}
    for name in there.there:
        tell(tmp_path, name, master=dead())
    tell(tmp_path, "never-made", master=dead())
    with caplog.at_level("INFO"):
        made = Pods(str(tmp_path), None, there).make(worker_num=3)
    assert sorted(there.deleted) == ["ended", "killed-early", "runs"]
    assert told(tmp_path) == [f"{made.namespace}.json"]
    assert caplog.text.count("whose program is gone") == 3


def test_what_others_use_stays(there: Kubernetes, tmp_path: Path) -> None:
    there.there = {
        "mine": True,
        "elsewhere": True,
        "of-another": True,
        "ended-elsewhere": False,
        "begins-elsewhere": False,
    }
    remote = status.me() | {"host": "elsewhere"}
    tell(tmp_path, "mine")
    tell(tmp_path, "of-another", kubernetes="https://there:6443", master=dead())
    for name in ("elsewhere", "ended-elsewhere", "gone-elsewhere"):
        tell(tmp_path, name, master=remote, at=time.time() - 2 * pods.LEFT_AFTER)
    tell(tmp_path, "begins-elsewhere", master=remote)
    Pods(str(tmp_path), None, there).take_away()
    assert there.deleted == ["ended-elsewhere"]
    assert sorted(told(tmp_path)) == [
        "begins-elsewhere.json",
        "elsewhere.json",
        "mine.json",
        "of-another.json",
    ]


def test_what_cannot_be_taken_away_is_told_and_left(
    there: Kubernetes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    there.there, there.refuses = {"left": True}, True
    tell(tmp_path, "left", master=dead())
    Storage.at(tmp_path, pods.NAME, None).put(pods.FOLDER, "damaged.json", b"{")
    Pods(str(tmp_path), None, there).make(worker_num=3)
    assert "left, made for maps, could not be taken away: not today" in caplog.text
    assert "damaged, made for maps" in caplog.text
    assert {"left.json", "damaged.json"} < set(told(tmp_path))
