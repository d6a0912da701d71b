"""MarsJobs on a node: the tutorial's job made small, and what becomes of it."""

import contextlib
import copy
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.marsjob.beside import JOB_LABEL
from marsdask.deploy.marsjob.definition import GROUP, PLURAL, ROLES, VERSION
from tests.kubernetes.clusters import IMAGE, namespace, until

TUTORIAL = yaml.safe_load((Path(__file__).parents[1] / "deploy" / "jobs" / "tutorial.yaml").read_text())
RECORDED = os.environ.get("MARSDASK_RECORD_PODS", "")
"""A folder into which tests write pods as the node has them; `tests/deploy/jobs/recorded` is made so."""


def small(name: str = "demo", **spec: Any) -> dict[str, Any]:
    """The tutorial's job with one worker, as much as it needs, and these fields of its spec."""
    job = copy.deepcopy(TUTORIAL)
    job["metadata"] = {"name": name, "annotations": {"marsdask.org/image": IMAGE}}
    for role in ROLES:
        found = job["spec"]["marsReplicaSpecs"][role]
        found["replicas"] = 1
        pod = found["template"]["spec"]
        del pod["serviceAccountName"]
        pod["containers"][0]["resources"] = {
            "requests": {"cpu": "50m", "memory": "350Mi"},
            "limits": {"memory": "350Mi"},
        }
    del job["spec"]["webHost"]
    job["spec"] |= spec
    return job


def role(job: dict[str, Any], name: str) -> dict[str, Any]:
    return job["spec"]["marsReplicaSpecs"][name]


def container(job: dict[str, Any], name: str) -> dict[str, Any]:
    return role(job, name)["template"]["spec"]["containers"][0]


class Job:
    """A MarsJob that is there."""

    def __init__(self, api: Api, where: str, name: str):
        self.api, self.where, self.name = api, where, name

    def body(self) -> dict[str, Any]:
        function = self.api.custom.get_namespaced_custom_object
        return self.api.call(function, GROUP, VERSION, self.where, PLURAL, self.name) or {}

    def conditions(self) -> list[dict[str, Any]]:
        """What its status says; one condition of each type, always."""
        found = self.body().get("status", {}).get("conditions", [])
        types = [each["type"] for each in found]
        assert len(types) == len(set(types)), types
        return found

    def last(self) -> dict[str, Any]:
        return (self.conditions() or [{"type": "", "message": "", "reason": ""}])[-1]

    def becomes(self, state: str, sign: str = "") -> dict[str, Any]:
        """Its last condition, when that is `state` with `sign` in its message."""

        def so() -> dict[str, Any] | None:
            found = self.last()
            return found if found["type"] == state and sign in found["message"] else None

        try:
            return until(so)
        except AssertionError as error:
            raise AssertionError(f"{self.name} is not {state} with {sign!r}: {self.conditions()}") from error

    def pods(self, component: str = "") -> list[dict[str, Any]]:
        selector = f"{JOB_LABEL}={self.name}" + (f",dask.org/component={component}" if component else "")
        found = self.api.pods(self.where, selector)
        return [each for each in found if "deletionTimestamp" not in each["metadata"]]

    def changed(self, patch: dict[str, Any]) -> None:
        """As `kubectl patch --type merge` does."""
        function = self.api.custom.patch_namespaced_custom_object
        self.api.call(
            function,
            GROUP,
            VERSION,
            self.where,
            PLURAL,
            self.name,
            patch,
            _content_type="application/merge-patch+json",
        )

    def deleted(self) -> None:
        function = self.api.custom.delete_namespaced_custom_object
        self.api.call(function, GROUP, VERSION, self.where, PLURAL, self.name)

    def events(self) -> list[str]:
        """Reasons of its events, in their order."""
        found = [e for e in self.api.events(self.where) if e["involvedObject"]["kind"] == "MarsJob"]
        found = [e for e in found if e["involvedObject"]["name"] == self.name]
        return [e["reason"] for e in sorted(found, key=lambda e: e["metadata"]["resourceVersion"])]

    def recorded(self, what: str, component: str, ended: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until a pod has so ended, and keep its pods in a file where that is asked for."""
        until(lambda: any(map(ended, self.pods(component))), what=f"{what} of a {component}")
        if RECORDED:
            pods = self.pods()
            for pod in pods:
                pod["metadata"].pop("managedFields", None)
                pod["spec"] = {"nodeName": pod["spec"].get("nodeName")}
            (Path(RECORDED) / f"{what}.json").write_text(json.dumps(pods, indent=1, sort_keys=True) + "\n")


@contextlib.contextmanager
def applied(api: Api, job: dict[str, Any]) -> Iterator[Job]:
    """A job in a namespace of its own."""
    with namespace(api) as where:
        yield create(api, where, job)


def create(api: Api, where: str, job: dict[str, Any]) -> Job:
    function = api.custom.create_namespaced_custom_object
    body = copy.deepcopy(job)
    body["metadata"]["namespace"] = where
    made = api.call(function, GROUP, VERSION, where, PLURAL, body)
    return Job(api, where, made["metadata"]["name"])


def program(api: Api, where: str, text: str, name: str = "program") -> str:
    """What a program says that runs in a pod of the namespace."""
    made = {
        "name": "program",
        "image": IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "args": ["python", "-c", text],
    }
    pod = {"metadata": {"name": name}, "spec": {"restartPolicy": "Never", "containers": [made]}}
    api.call(api.core.create_namespaced_pod, where, pod)

    def phase() -> str:
        found = api.call(api.core.read_namespaced_pod, name, where)["status"]["phase"]
        return found if found in ("Succeeded", "Failed") else ""

    ended = until(phase)
    told = api.log(where, name, lines=200) or ""
    assert ended == "Succeeded", told
    return told
