"""What is on a node of ours, by looking at the node: every object of its API, every process, container, mount and file of pods.

With a node that is up, before and after: `python -m tests.kubernetes.node enter -- python -m tests.kubernetes.left > FILE`; `diff`
tells what has been left. Directories that are named after it are looked at, too.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from tests.kubernetes.node.__main__ import OURS
from tests.kubernetes.node.machine import run
from tests.kubernetes.node.node import Node

PASSING = "events", "leases"
"""Kinds that tell of what was, and who is alive; they end by themselves."""

KEPT = "dask-scratch-space"
"""A directory of Dask's, empty: another worker may be about to use it."""


def there(node: Node, folders: Sequence[Path] = ()) -> set[str]:
    """A line for everything that is there."""
    return {*objects(node), *processes(node), *containers(node), *files(node, folders)}


def objects(node: Node) -> Iterator[str]:
    """What the API server lists, of all kinds that it knows, as its administrator sees it."""
    groups = json.loads(node.answer("/apis"))["groups"]
    versions = ["/api/v1", *(f"/apis/{each['preferredVersion']['groupVersion']}" for each in groups)]
    for version in versions:
        for kind in json.loads(node.answer(version))["resources"]:
            name = kind["name"]
            if {"list", "watch"} <= {*kind["verbs"]} and name not in PASSING:
                for each in json.loads(node.answer(f"{version}/{name}"))["items"]:
                    meta = each["metadata"]
                    yield f"object {name} {meta.get('namespace', '-')}/{meta['name']}"


def processes(node: Node) -> Iterator[str]:
    """Those in the control groups of pods, and what holds them."""
    for pid in node.pods():
        with contextlib.suppress(psutil.NoSuchProcess):
            yield f"process {' '.join(psutil.Process(pid).cmdline())} ({pid})"
    for each in psutil.process_iter(["cmdline"]):
        words = each.info["cmdline"] or ()
        if f"{node.run}/containerd.sock" in words and "-id" in words:
            yield f"process shim of {words[words.index('-id') + 1]}"


def containers(node: Node) -> Iterator[str]:
    for each in run(*node.ctr, "containers", "ls", "-q").split():
        yield f"container {each}"


def files(node: Node, folders: Sequence[Path]) -> Iterator[str]:
    """Directories, logs, addresses, mounts and control groups of pods, and whatever is in these folders."""
    of_pods = ("kubelet/pods/*", "pods/*", "addresses/*/*.*.*.*")
    yield from (f"file {each}" for pattern in of_pods for each in node.state.glob(pattern))
    yield from (f"file {each}" for folder in folders for each in folder.rglob("*") if each.name != KEPT)
    yield from (f"file {each}" for each in node.elsewhere())
    yield from (f"mount {each}" for each in node.mounts())
    for group in node.cgroups():
        yield from (f"control group {folder}" for folder, _, _ in os.walk(group))


if __name__ == "__main__":
    print(*sorted(there(Node(os.environ[OURS]), [*map(Path, sys.argv[1:])])), sep="\n")
