"""Where a scheduler can be reached, from its Service and its pod: pure functions of the API's own dicts."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any, NamedTuple

from marsdask.deploy.kubernetes.names import COMM, WEB


class Place(NamedTuple):
    """Host and ports of a scheduler; a host of None is reached by forwarding."""

    host: str | None
    comm: int
    web: int


def place(service: Mapping[str, Any], pod: Mapping[str, Any] | None, *, inside: bool) -> Place | None:
    """Where a scheduler is, or None if that is not known yet.

    NodePort: the node of the scheduler's own pod, which is in the cluster whatever other nodes are. LoadBalancer: what
    the balancer was given. ClusterIP: the Service's name, from `inside` of the cluster only.
    """
    spec, metadata = service["spec"], service["metadata"]
    by_name = {p["name"]: p for p in spec["ports"]}
    if spec["type"] == "NodePort":
        host = (pod or {}).get("status", {}).get("hostIP")
        ports = [by_name[name].get("nodePort") for name in (COMM, WEB)]
        return Place(host, *ports) if host and all(ports) else None
    ports = [by_name[name]["port"] for name in (COMM, WEB)]
    if spec["type"] == "LoadBalancer":
        given = service.get("status", {}).get("loadBalancer", {}).get("ingress") or [{}]
        host = given[0].get("hostname") or given[0].get("ip")
        return Place(host, *ports) if host else None
    if inside:
        return Place(f"{metadata['name']}.{metadata['namespace']}", *ports)
    targets = {p["name"]: p["containerPort"] for p in _container(pod)["ports"]} if pod else None
    return Place(None, targets[COMM], targets[WEB]) if targets else None


def _container(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    """The container that has the scheduler's ports: a user may have added others."""
    found: Mapping[str, Any] = next(
        c for c in pod["spec"]["containers"] if COMM in {p.get("name") for p in c.get("ports", ())}
    )
    return found


def inside_a_pod() -> bool:
    """Whether this process runs in a pod whose cluster names Services in its DNS: asked only there, as it can take long."""
    if "KUBERNETES_SERVICE_HOST" not in os.environ:
        return False
    try:
        socket.getaddrinfo("kubernetes.default", 443)
    except socket.gaierror:
        return False
    return True


def host_port(host: str, port: int) -> str:
    """Of an address; IPv6 in brackets.

    >>> host_port("fd00::1", 8786)
    '[fd00::1]:8786'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def answers(host: str, port: int, timeout: float) -> bool:
    """Whether something listens there."""
    try:
        with socket.create_connection((host, port), timeout=timeout):
            return True
    except OSError:
        return False
