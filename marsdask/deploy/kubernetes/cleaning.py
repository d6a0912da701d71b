"""`marsdask kubernetes clean`: what killed workers have left in directories of nodes, removed by a pod on each node.

A worker that ends has removed what it spilled; one that is killed leaves it to the next on its node, which may never come.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from marsdask.deploy.kubernetes import names, specs
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.config import check_path
from marsdask.deploy.kubernetes.operator import checked_image
from marsdask.deploy.kubernetes.states import until
from marsdask.errors import ArgumentError
from marsdask.sizes import shown
from marsdask.spill.directory import SCRATCH, purge

ABSENT = "hostPath type check failed"
"""What Kubernetes says of a pod whose directory is not on the node."""
MOUNT = "/mnt/left"
"""Where the pod sees it."""


class Told(NamedTuple):
    """What was found on one node."""

    node: str
    said: str
    fine: bool = True

    def __str__(self) -> str:
        return f"{self.node}: {self.said}"


def clean(
    api: Api, paths: Sequence[str], *, nodes: Sequence[str] = (), image: str = "", timeout: float = 120
) -> list[Told]:
    """Remove what killed workers left below `paths` of these nodes, or of all; what was found on each.

    Raises ArgumentError for a path that is none, and a node that is not there, before anything is made.
    """
    for path in paths:
        check_path(path, "PATH")
    namespace, image = f"mars-clean-{uuid.uuid4().hex[:8]}", checked_image(image)
    there = [each["metadata"]["name"] for each in api.listed(api.core.list_node)]
    if unknown := sorted({*nodes} - {*there}):
        raise ArgumentError(f"--node {unknown[0]}: there is no such node. Nodes: {', '.join(there)}.")
    api.call(api.core.create_namespace, specs.namespace_of(namespace, "privileged"))
    try:
        for i, node in enumerate(nodes or there):
            for j, path in enumerate(paths):  # each its own, as a node may have one and not the other
                api.call(api.core.create_namespaced_pod, namespace, pod(f"clean-{i}-{j}", node, path, image))
        until(lambda: all(told(api, namespace, each) for each in api.pods(namespace, "")), timeout, every=0.5)
        found = [
            told(api, namespace, each)
            or Told(each["spec"]["nodeName"], f"no answer in {timeout:g} s: {waits_for(each)}", fine=False)
            for each in api.pods(namespace, "")
        ]
        return sorted(found)
    finally:
        api.call(api.core.delete_namespace, namespace)


def pod(name: str, node: str, path: str, image: str) -> dict[str, Any]:
    """One that looks at a directory of a node, which has to be there, as the user that workers are."""
    words = ["python", "-m", __name__, MOUNT]
    spec = specs.bare_pod(name, image, words, specs.BELOW_TMP, {}, {})["spec"]
    (container,) = spec["containers"]
    del container["readinessProbe"]
    spec["volumes"].append({"name": "left", "hostPath": {"path": path, "type": "Directory"}})
    container["volumeMounts"].append({"name": "left", "mountPath": MOUNT})
    spec |= {"nodeName": node, "restartPolicy": "Never", "tolerations": [{"operator": "Exists"}]}
    return names.body("v1", "Pod", {"name": name, "labels": dict(names.MANAGED)}, spec=spec)


def told(api: Api, namespace: str, made: dict[str, Any]) -> Told | None:
    """What a pod has said, None while it runs."""
    name, node = made["metadata"]["name"], made["spec"]["nodeName"]
    phase = made.get("status", {}).get("phase")
    (path,) = (v["hostPath"]["path"] for v in made["spec"]["volumes"] if "hostPath" in v)
    if phase == "Succeeded":
        # What it logs of each directory goes another way, and may come after its answer.
        for line in (api.log(namespace, name, lines=1000) or "").splitlines():
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    return Told(node, f"{path}: {_said(json.loads(line))}")
    if phase in ("Succeeded", "Failed"):
        log = (api.log(namespace, name, lines=5) or "").strip()
        return Told(node, f"{path}: {log or phase}", fine=False)
    about = [e for e in api.warnings(namespace) if e["involvedObject"]["name"] == name]
    if any(ABSENT in e.get("message", "") for e in about):
        return Told(node, f"{path}: there is no such directory")
    return None


def waits_for(made: dict[str, Any]) -> str:
    """Why a pod has not begun."""
    waiting = [
        c["state"]["waiting"]
        for c in made.get("status", {}).get("containerStatuses", ())
        if "waiting" in c.get("state", {})
    ]
    return ", ".join(f"{w.get('reason')} {w.get('message', '')}".strip() for w in waiting) or "its pod runs"


def _said(found: dict[str, int]) -> str:
    gone = (
        f"directories removed: {found['removed']}, {shown(found['bytes'])}" if found["removed"] else "clean"
    )
    return f"{gone}; in use, or another user's: {found['left']}" if found["left"] else gone


def looked(path: str) -> dict[str, int]:
    """Remove what is left in one directory: how many directories and bytes went, and how many stay."""
    places = [path, str(Path(path, SCRATCH))]
    before = _size(path)
    removed = sum(len(purge(place)) for place in places)
    left = sum(len(list(Path(place).glob("*.dirlock"))) for place in places)
    return {"removed": removed, "bytes": max(0, before - _size(path)), "left": left}


def _size(path: str) -> int:
    """Bytes of the files below a directory, some of which may go meanwhile."""
    size = 0
    for folder, _, files in os.walk(path):
        for each in files:
            with contextlib.suppress(OSError):
                size += os.stat(os.path.join(folder, each)).st_size
    return size


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(looked(sys.argv[1]))}\n")
