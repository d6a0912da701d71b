"""A cluster that comes up: waited for, told of meanwhile, and given up with its cause once it cannot."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from distributed.comm.addressing import unparse_host_port

from marsdask.deploy.kubernetes import preflight, states
from marsdask.deploy.kubernetes.states import PATIENCE, Blocked, Deadline, Shown, State, neglected, until
from marsdask.errors import ClusterNotStarted, ClusterStartTimeout

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.cluster import KubernetesCluster

logger = logging.getLogger(__name__)

EVENTS_EVERY = 3.0
"""Seconds between two looks at events: they are many, and matter only where pods do not come."""
FORWARDED = 10.0
"""Seconds that a scheduler which is Ready does not answer before the Kubernetes API is gone through, where nobody said how."""
SILENT = {"NodePort": 15.0, "ClusterIP": 15.0, "LoadBalancer": 300.0}
"""Seconds after which it is given up. Nodes pass connections on within a second or two; a provider takes minutes to make a
load balancer, and to have its name known."""


class Start:
    """One start, from the moment when everything was asked for."""

    def __init__(self, cluster: KubernetesCluster, deadline: Deadline, shown: Shown):
        self.cluster, self.args, self.deadline, self.shown = cluster, cluster.arguments, deadline, shown
        self.blocked = Blocked()
        self.events: list[str] = []
        self.events_at = -EVENTS_EVERY
        self.connected = self.grows = False
        self.may_forward: bool | None = None  # not asked yet
        self.silent_since: float | None = None
        self.silent = ""

    def wait(self) -> None:
        """Return when enough workers have registered. The phase of the DaskCluster is not looked at: it may stick."""
        cluster, deadline, wanted = self.cluster, self.deadline, self.args.min_worker_num
        while True:
            found = cluster._states()
            if not self.connected and any(s.ready for s in found if s.role == "scheduler"):
                self._connect(found)
            if self.connected and cluster.registered >= wanted:
                return
            if self.connected and self.args.idle_timeout is not None:
                cluster.tell_alive()
            registered = cluster.registered if self.connected else None
            self.shown(states.line(found, registered, wanted, self.silent))
            if len(found) <= wanted and deadline.passed - self.events_at >= EVENTS_EVERY:
                self.events, self.events_at = cluster._events(), deadline.passed
            if deadline.over:
                raise self._failure(ClusterStartTimeout, f"is not up after {deadline.seconds:g} s", found)
            if self.blocked.for_seconds(found, self.events, wanted) > PATIENCE and not self._more_nodes():
                raise self._failure(
                    ClusterNotStarted, f"has not been able to come up for {PATIENCE:g} s", found
                )
            if not found and neglected(deadline, cluster.api.answering_for):
                made = cluster.api.get("daskclusters", cluster.namespace, cluster.name)
                if not made or not made.get("status"):
                    raise ClusterNotStarted(
                        f"no Dask operator has begun with the cluster in {deadline.passed:.0f} s. {preflight.INSTALL}"
                    )
            self._pause()

    def _pause(self) -> None:
        """Wait a little; not longer than until enough workers have registered."""
        pause = self.deadline.left(0.25 if self.deadline.passed < 30 else 1.0)
        until(
            lambda: self.connected and self.cluster.registered >= self.args.min_worker_num, pause, every=0.05
        )

    def _connect(self, found: Sequence[State]) -> None:
        """Try to reach the scheduler, whose pod is Ready. Where it is silent, go another way, or give it up."""
        place, patience = self.cluster.find(), SILENT[self.args.service_type]
        self.silent, reached = "", False
        if place is None:
            kind = self.args.service_type
            what = "its load balancer has no address" if kind == "LoadBalancer" else "its Service has no port"
            self.silent = f"{what} yet"
        elif place.host is not None:
            try:
                socket.create_connection((place.host, place.comm), timeout=self.deadline.left(1.0)).close()
            except OSError as error:
                self.silent = f"{unparse_host_port(place.host, place.comm)} does not answer ({error})"
            else:
                reached, patience = True, PATIENCE
                try:
                    self.cluster.connect(self.deadline.left(10.0) or 0.1)
                    self.connected = True
                except OSError as error:  # ClusterUnreachable is one
                    cause = error.__cause__ or error
                    where = unparse_host_port(place.host, place.comm)
                    where += " (through the Kubernetes API)" * (self.cluster.forward is not None)
                    said = str(cause) or type(cause).__name__
                    self.silent = f"{where} takes connections and says nothing ({said})"
        if self.silent:
            self._silent(found, patience, reached=reached)
        else:
            self.silent_since = None

    def _silent(self, found: Sequence[State], patience: float, *, reached: bool) -> None:
        """Where it has been silent for long: go through the Kubernetes API, or give the cluster up."""
        cluster, now = self.cluster, time.monotonic()
        self.silent_since = self.silent_since or now
        passed = now - self.silent_since
        if self.args.may_forward and not (reached or cluster.forwarded) and passed > FORWARDED:
            if self.may_forward is None:
                self.may_forward = cluster.api.may("create", "", "pods/portforward", cluster.namespace)
            if self.may_forward:
                logger.warning(
                    "Scheduler: %s. It is reached through the Kubernetes API instead. Hint: service_type='ClusterIP' says so from "
                    "the start.",
                    self.silent,
                )
                cluster.forwarded, self.silent_since = True, None
                return
        if passed > patience:
            raise self._failure(ClusterNotStarted, f"could not be reached for {passed:.0f} s", found)

    def _more_nodes(self) -> bool:
        """Whether somebody may be adding the nodes that are missing."""
        self.grows = self.grows or (
            self.blocked.for_nodes and preflight.autoscaled(self.cluster.api, self.cluster.namespace)
        )
        return self.grows and self.blocked.for_nodes

    def _failure(self, kind: type[ClusterNotStarted], said: str, found: Sequence[State]) -> ClusterNotStarted:
        """An error that tells why the cluster is not up: pods, events, last log lines."""
        cluster, events = self.cluster, self.cluster._events()
        if self.silent and any(s.ready for s in found if s.role == "scheduler"):
            why = f"the scheduler's pod is Ready, and {self.silent}"
            if self.may_forward is False:
                why += "; this user may not go through the Kubernetes API (create pods/portforward)"
        else:
            why = states.cause(found, events, cluster.registered, self.args.min_worker_num)
        logs = cluster.api.last_lines(
            cluster.namespace, [s for s in found if not s.ready][:3] or list(found[:2])
        )
        if self.args.log_when_fail:
            for pod, text in cluster.logs().items():
                logger.error("log of %s:\n%s", pod, text)
        report = states.report(found, events, logs)
        hint = states.hint(why) or states.hint(report)
        return kind(f"The cluster in namespace {cluster.namespace!r} {said}: {why}.{hint}\n{report}")
