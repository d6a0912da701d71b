"""Where a scheduler can be reached: from its Service and its pod, or through the Kubernetes API where that is the only way."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlparse

from marsdask.deploy.kubernetes.names import COMM, WEB, ports_of
from marsdask.errors import KubernetesError, MarsDaskError


class Place(NamedTuple):
    """Host and ports of a scheduler; a host of None is reached by forwarding."""

    host: str | None
    comm: int
    web: int


def place(
    service: Mapping[str, Any], pod: Mapping[str, Any] | None, *, inside: bool, forwarded: bool = False
) -> Place | None:
    """Where a scheduler is, or None if that is not known yet.

    NodePort: the node of the scheduler's own pod, which is in the cluster whatever other nodes are. LoadBalancer: what
    the balancer was given. ClusterIP: the Service's name, from `inside` of the cluster only. `forwarded`: none of these
    answers.
    """
    if forwarded:
        return _to_forward(pod)
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
    return _to_forward(pod)


def _to_forward(pod: Mapping[str, Any] | None) -> Place | None:
    targets = ports_of(pod)
    return Place(None, targets[COMM], targets[WEB]) if targets else None


def inside_a_pod() -> bool:
    """Whether this process runs in a pod whose cluster names Services in its DNS: asked only there, as it can take long."""
    try:
        return "KUBERNETES_SERVICE_HOST" in os.environ and bool(socket.getaddrinfo("kubernetes.default", 443))
    except socket.gaierror:
        return False


logger = logging.getLogger(__name__)

NO_ANSWER = 30
"""Seconds after which a connection to the API server is given up: distributed's own `comm.timeouts.tcp`."""


class Forward:
    """Listens on 127.0.0.1, a port for each of the pod's `ports`, and passes connections on until it is closed.

    The pod is asked for at each connection: after a scheduler was started again, new connections reach the new one.
    """

    def __init__(self, api_client: Any, namespace: str, pod: Callable[[], str], ports: Iterable[int]):
        self.configuration = api_client.configuration
        self.headers = dict(api_client.default_headers)
        self.namespace, self.pod = namespace, pod
        self.open: set[Any] = set()  # sockets of both sides
        self.threads: list[threading.Thread] = []
        self.closed = False
        self._lock = threading.Lock()
        self.listeners = {port: socket.create_server(("127.0.0.1", 0)) for port in ports}
        for port, listener in self.listeners.items():
            self._run(self._accept, listener, port)

    def local(self, port: int) -> int:
        """The port of this machine that stands for the pod's."""
        return int(self.listeners[port].getsockname()[1])

    def close(self) -> None:
        """End all connections; closing twice is fine."""
        with self._lock:
            self.closed, left = True, [*self.listeners.values(), *self.open]
        for each in left:
            end(each)
        for thread in self.threads:
            if thread is not threading.current_thread():
                thread.join(timeout=5)

    def _run(self, function: Callable[..., None], *args: Any) -> threading.Thread:
        thread = threading.Thread(target=function, args=args, daemon=True, name="marsdask-forward")
        thread.start()
        with self._lock:
            self.threads = [t for t in self.threads if t.is_alive()] + [thread]
        return thread

    def _accept(self, listener: socket.socket, port: int) -> None:
        while not self.closed:
            try:
                near, _ = listener.accept()
            except OSError:  # closed
                return
            self._run(self._pass_on, near, port)

    def _pass_on(self, near: socket.socket, port: int) -> None:
        """Join one connection to the pod's port, for as long as both sides stay open."""
        try:
            joined = self._to_pod(port)
        except (MarsDaskError, OSError) as error:
            logger.warning("no connection to port %s of the scheduler's pod: %s", port, error)
            near.close()
            return
        far = joined.socket(port)
        with self._lock:
            if self.closed:
                end(near)
                end(far)
                return
            self.open |= {near, far}
        others = [self._run(copy, far, near), self._run(end_with_thread, joined)]
        copy(near, far)
        for each in others:
            each.join()
        with self._lock:
            self.open -= {near, far}
        if (said := joined.error(port)) and not self.closed:
            logger.warning("a connection to port %s of the scheduler's pod ended: %s", port, said)

    def _to_pod(self, port: int) -> Any:
        """kubernetes's PortForward to the pod's port."""
        from kubernetes import client
        from kubernetes.client import ApiException
        from kubernetes.stream import portforward

        forwarded = partial(portforward.func, _quietly_joined, *portforward.args[1:])
        # portforward() changes its API client while it connects, so it gets one of its own.
        api_client = client.ApiClient(self.configuration)
        api_client.default_headers.update(self.headers)
        connect = client.CoreV1Api(api_client).connect_get_namespaced_pod_portforward
        try:
            joined = forwarded(connect, self.pod(), self.namespace, ports=str(port))
        except ApiException as error:
            raise KubernetesError(str(error.reason)) from error
        finally:
            api_client.close()
        to_server = joined.websocket.sock  # None: it has ended already
        if to_server is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            # What is not acknowledged would be sent for a quarter of an hour where the network went away.
            to_server.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, NO_ANSWER * 1000)
        return joined


def _quietly_joined(configuration: Any, _method: str, url: str, **kwargs: Any) -> Any:
    """What kubernetes's `portforward_call` gives, whose thread takes a connection that broke for one that ended.

    It sends to the API server without looking whether that is still there, and an error in it is printed as a thread's.
    """
    from kubernetes.client import ApiException
    from kubernetes.stream import ws_client

    class Joined(ws_client.PortForward):  # type: ignore[misc]
        def _proxy(self) -> None:
            try:
                super()._proxy()
            except OSError as error:
                logger.debug("a connection to the scheduler's pod broke: %s", error)

    query = kwargs.get("query_params") or parse_qsl(urlparse(url).query, keep_blank_values=True)
    ports = [int(value) for name, value in query if name == "ports"]
    try:
        websocket = ws_client.create_websocket(
            configuration, ws_client.get_websocket_url(url, query), kwargs.get("headers")
        )
    except Exception as error:
        raise ApiException(status=0, reason=str(error)) from error
    return Joined(websocket, ports)


def copy(source: Any, target: Any) -> None:
    """Pass on what comes, until one side ends; then both are ended."""
    with suppress(OSError):  # the other side is gone: the same as its end
        while data := source.recv(2**16):
            target.sendall(data)
    end(source)
    end(target)


def end_with_thread(joined: Any) -> None:
    """Close the far side when kubernetes's thread for it has ended: after an error it leaves its sockets open.

    They would be closed once nothing holds the error, which a program that keeps it never comes to. What came before is still read.
    """
    for thread in threading.enumerate():
        if getattr(thread, "_target", None) == joined._proxy:
            thread.join()
    joined.websocket.shutdown()
    for port in joined.local_ports.values():
        port.python.close()


def end(each: Any) -> None:
    """Close a socket so that whoever waits for it wakes up."""
    with suppress(OSError):  # it was not connected, or is closed already
        each.shutdown(socket.SHUT_RDWR)
    each.close()
