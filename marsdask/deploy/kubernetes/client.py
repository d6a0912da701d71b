"""`new_cluster`: Mars's way to a cluster on Kubernetes, and the object that a program holds of it."""

from __future__ import annotations

import atexit
import contextlib
import html
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, Self
from urllib.parse import urlsplit

from marsdask.deploy.kubernetes import checks, credentials, names
from marsdask.deploy.kubernetes.addresses import Place
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.arguments import SIGNATURE, declared
from marsdask.deploy.kubernetes.cluster import AttachedCluster, KubernetesCluster
from marsdask.engine.address import is_loopback
from marsdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    ClusterUnreachable,
    KubernetesError,
    NotPermitted,
)
from marsdask.session import Session, new_session

logger = logging.getLogger(__name__)

_live: dict[int, KubernetesClusterClient] = {}
"""Clusters that end with this process."""


class KubernetesClusterClient:
    """A cluster on Kubernetes: its session, its size, its end.

    `KubernetesClusterClient(cluster)` is for a `KubernetesCluster`, which `start()` makes. With
    `KubernetesClusterClient(api_client, namespace, endpoint)` another process joins a cluster that is there; it needs the
    rights of `marsdask kubernetes rbac --reader` only, and nothing on Dask's resources. `security` is for a cluster that
    has certificates of your own; else they are read from the namespace's Secret. The endpoint is what the cluster's own
    `endpoint` says, or an address such as 'tls://host:port'.
    """

    def __init__(
        self,
        cluster: Any = None,
        namespace: str | None = None,
        endpoint: str | None = None,
        *,
        security: Any = None,
        default: bool = True,
    ):
        self._session: Session | None = None
        self._default = checks.flag(default, "default")
        if isinstance(cluster, AttachedCluster) or (namespace is None and hasattr(cluster, "start")):
            if namespace is not None or endpoint is not None:
                raise ArgumentTypeError(
                    "KubernetesClusterClient(cluster): a cluster knows its namespace and endpoint; give it alone."
                )
            self.cluster = cluster
            return
        if namespace is None or endpoint is None:
            raise ArgumentTypeError(
                "KubernetesClusterClient(): expected a KubernetesCluster, or api_client, namespace and endpoint."
            )
        checks.label(namespace, "namespace")
        self.cluster = joined(Api(cluster), namespace, endpoint, security)
        self._open(self.cluster.disconnect)

    def start(self) -> Self:
        """Make the cluster and a session on it, the default one. It ends with this process unless `keep` was given.

        SIGTERM ends the process as `sys.exit(143)` does then, where it is called in the main thread and nobody else handles
        the signal: Python by itself would end without a word to anybody.
        """
        if not self.cluster.arguments.keep:
            _leave_at_sigterm()
        with _ending_as_told():
            self.cluster.start()
            self._open(self.cluster.stop)
            if not self.cluster.arguments.keep:
                _live[id(self)] = self
        return self

    def _open(self, otherwise: Callable[[], None]) -> None:
        """Make the session; where that fails, `otherwise` ends what it would have been on."""
        try:
            self._session = new_session(self.cluster, default=self._default)
        except BaseException:
            otherwise()
            raise

    @property
    def namespace(self) -> str:
        return str(self.cluster.namespace)

    @property
    def endpoint(self) -> str:
        """The cluster's web address, for browsers and for `KubernetesClusterClient` elsewhere."""
        return str(self.cluster.endpoint)

    @property
    def session(self) -> Session | None:
        """The session on the cluster; None before `start` and after `stop`."""
        return self._session

    @property
    def dashboard_link(self) -> str:
        return str(self.cluster.dashboard_link)

    def scale(self, n: int, worker_group: str = names.DEFAULT_GROUP) -> None:
        """Ask for `n` workers of a group, the first ones or one of `worker_groups`; those that go hand their data over first."""
        self.cluster.scale(n, worker_group)

    def adapt(self, minimum: int = 0, maximum: int | None = None) -> None:
        """Let the operator choose the number of the first workers by the work there is; `maximum` is needed."""
        self.cluster.adapt(minimum, maximum)

    def wait_for_workers(self, n: int, timeout: float | None = None) -> None:
        """Return when `n` workers have registered; TimeoutError after `timeout` seconds."""
        self.cluster.wait_for_workers(n, timeout)

    def logs(self, tail: int = 1000) -> dict[str, str]:
        """The last `tail` lines of every pod, by the pod's name."""
        return dict(self.cluster.logs(tail))

    def close(self) -> None:
        """Let go of the cluster without ending it."""
        _live.pop(id(self), None)
        session, self._session = self._session, None
        with contextlib.ExitStack() as each:
            each.callback(self.cluster.disconnect)
            if session is not None:
                each.callback(session.close)

    def stop(self, wait: bool = False, timeout: float = 0) -> None:  # noqa: FBT001, FBT002 Mars's signature
        """End the cluster and its namespace; stopping twice is fine.

        With `wait` return only when everything is gone; StillThere tells what stays after `timeout` seconds, or after
        300 where `timeout` is 0.
        """
        try:
            self.close()
        finally:
            self.cluster.stop(wait=wait, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _rows(self) -> list[tuple[str, str]]:
        if self.cluster.place is None:
            return [("namespace", self.namespace), ("state", "not started")]
        dask: Any = None if self._session is None else self._session.engine.client  # type: ignore[attr-defined]
        state = "closed" if dask is None else str(dask.status)
        return [
            ("namespace", self.namespace),
            ("endpoint", self.endpoint),
            ("workers", str(len(dask.nthreads()) if state == "running" else 0)),
            ("encrypted", "yes" if self.cluster.security else "no"),
            ("state", state),
        ]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(map(' '.join, self._rows()))}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in self._rows()
        )
        link = html.escape(self.dashboard_link)
        if link:
            rows += f'<tr><th>dashboard</th><td><a href="{link}" target="_blank">{link}</a></td></tr>'
        return f"<table>{rows}</table>"


def joined(api: Api, namespace: str, endpoint: str, security: Any) -> AttachedCluster:
    """The cluster of a namespace that an endpoint belongs to; nothing is connected yet."""
    host, port = _endpoint(endpoint)
    name, service = _service_at(api, namespace, port)
    if security is None and (secret := api.secret(namespace, names.secret(name))) is not None:
        security = credentials.from_secret(secret["data"])
        if security is None:
            raise ArgumentError(
                f"the cluster in namespace {namespace!r} has certificates of its owner's. Hint: pass security=, the one it was "
                "made with."
            )
    try:  # who may not look whether a namespace was made for its cluster does not get to delete it either
        own = names.is_ours(api.namespace(namespace))
    except NotPermitted:
        own = False
    cluster = AttachedCluster(
        api, namespace, name, service=service, security=security or None, own_namespace=own
    )
    if urlsplit(endpoint).scheme != "http":  # the scheduler's own address: nothing has to be looked up
        cluster.place = Place(host, port, port)
    # What such a cluster calls its endpoint is a port of the process that made it.
    cluster.forwarded = is_loopback(host)
    cluster.connect()
    return cluster


def _endpoint(endpoint: Any) -> tuple[str, int]:
    """Host and port of an endpoint."""
    with contextlib.suppress(ValueError):  # no port
        parts = urlsplit(endpoint if isinstance(endpoint, str) else "")
        if parts.scheme in ("http", "tls", "tcp") and parts.hostname and parts.port:
            return parts.hostname, parts.port
    raise ArgumentError(
        f"endpoint={endpoint!r}: expected what the cluster's own endpoint says, such as 'http://10.0.0.1:30123'."
    )


def _service_at(api: Api, namespace: str, port: int) -> tuple[str, str]:
    """Names of the cluster and of the Service that a port belongs to: a namespace may hold several clusters."""
    found = [s for s in api.services(namespace, names.CLUSTER) if "selector" in s["spec"]]
    if not found:
        raise ClusterUnreachable(
            f"namespace={namespace!r} holds no cluster. Hint: `marsdask kubernetes list` shows all."
        )
    ports = {id(s): {n for p in s["spec"]["ports"] for n in (p["port"], p.get("nodePort"))} for s in found}
    found.sort(key=lambda s: (port not in ports[id(s)], s["spec"]["type"] == "ClusterIP"))
    clusters = {s["metadata"]["labels"][names.CLUSTER] for s in found}
    if len(clusters) > 1 and port not in ports[id(found[0])]:
        raise ArgumentError(
            f"endpoint: its port {port} belongs to none of the clusters of namespace {namespace!r}: "
            f"{', '.join(sorted(clusters))}."
        )
    metadata = found[0]["metadata"]
    return metadata["labels"][names.CLUSTER], metadata["name"]


@declared
def new_cluster(*args: Any, **kwargs: Any) -> KubernetesClusterClient:
    """A Dask cluster in a namespace of its own, with a session on it that `execute()` uses from now on.

    Returns when `min_worker_num` workers have registered at the scheduler. On any failure what was made is deleted again,
    and the error tells pods, events and log lines. Arguments after `timeout` are given by name; what is in parentheses below
    holds where nobody says. docs/kubernetes.md has more.

    Raises ArgumentError or ArgumentTypeError, which name the argument, before anything is asked of Kubernetes;
    NotPermitted and KubernetesError before anything is made; ClusterStartTimeout and ClusterNotStarted after that.
    """
    try:
        given = SIGNATURE.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise ArgumentTypeError(f"new_cluster(): {error}.") from None
    named = given.pop("kwargs", {})
    cluster_cls = named.pop("cluster_cls", KubernetesCluster)
    return KubernetesClusterClient(cluster_cls(given.pop("kube_api_client", None), **given, **named)).start()


def _leave_at_sigterm() -> None:
    alone = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if alone and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminated)


_told: list[int] = []
"""With which status this process was told to end."""


def _terminated(number: int, _: Any) -> None:
    signal.signal(number, signal.SIG_IGN)  # stopping takes seconds, in which whoever asked asks again
    _told.append(128 + number)
    raise SystemExit(128 + number)


@contextlib.contextmanager
def _ending_as_told() -> Iterator[None]:
    """The exit that a signal asks for, also where it came in the midst of a library that made an error of it, as pydantic does."""
    try:
        yield
    except Exception as error:
        if _told:
            raise SystemExit(_told[0]) from error
        raise
    if _told:
        raise SystemExit(_told[0])


def _forked() -> None:
    """What this process has made is not its child's to stop."""
    _live.clear()
    _told.clear()
    if signal.getsignal(signal.SIGTERM) is _terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


os.register_at_fork(after_in_child=_forked)


@atexit.register
def _stop_at_exit() -> None:
    """End the clusters that this process made and did not stop; a word for each that cannot be."""
    for client in list(_live.values()):
        try:
            client.stop()
        except (KubernetesError, ClusterUnreachable) as error:
            logger.warning(
                "the cluster in namespace %s could not be stopped: %s Hint: marsdask kubernetes stop %s",
                client.namespace,
                error,
                client.namespace,
            )
