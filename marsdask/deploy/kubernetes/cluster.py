"""A Dask cluster on Kubernetes that is made: checked, created, waited for, and taken away again if it does not come up."""

from __future__ import annotations

import logging
import time
import warnings
from typing import Any

from marsdask.deploy.kubernetes import addresses, credentials, preflight, removal, specs, states
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.kubernetes.attached import AttachedCluster
from marsdask.deploy.kubernetes.states import State
from marsdask.deploy.kubernetes.waiting import PATIENCE, TAKEN_UP, Blocked, Deadline, Shown
from marsdask.errors import ClusterNotStarted, ClusterStartTimeout, ClusterUnreachable, KubernetesError

logger = logging.getLogger(__name__)

LOG_LINES = 15
EVENTS_EVERY = 3.0
"""Seconds between two looks at events: they are many, and matter only where pods do not come."""


class KubernetesCluster(AttachedCluster):
    """A cluster for the arguments of `new_cluster`; `start()` makes it.

    Making the object checks the arguments and asks nothing of Kubernetes.
    """

    def __init__(self, kube_api_client: Any = None, **arguments: Any):
        self.arguments = args = Arguments.of(**arguments)
        security = credentials.made() if args.security is None else (args.security or None)
        self.secret = credentials.secret(args, security) if security is not None else None
        super().__init__(
            Api(kube_api_client),
            args.namespace,
            args.name,
            service=args.service_name,
            security=security,
            own_namespace=not args.existing_namespace,
        )
        self.spec = specs.cluster(args)

    def start(self) -> str:
        """Make everything and wait until enough workers have registered; gives the endpoint.

        On any failure, an interrupt too, all that was made is deleted. Raises ClusterStartTimeout when `timeout` is
        over, ClusterNotStarted when the cluster cannot come up, NotPermitted and others before anything is made.
        """
        args = self.arguments
        deadline = Deadline(args.timeout)
        preflight.check(self.api, args, self.spec, inside=addresses.inside_a_pod())
        self.tell_of_risks()
        shown = Shown(wanted=args.show_progress)
        try:
            self._create()
            self._wait(deadline, shown)
            shown.done()
            self.check_versions()  # its warning may be an error to the user
        except BaseException as error:
            shown.done()
            self._take_away(error)
            raise
        return self.endpoint

    def tell_of_risks(self) -> None:
        """Warn of what was asked for and lets others in: no encryption, directories of nodes."""
        args = self.arguments
        if not args.encrypted:
            reach = {"NodePort": "the nodes' ports", "LoadBalancer": "the load balancer"}.get(
                args.service_type
            )
            warnings.warn(
                "security=False: whoever reaches "
                + (reach or "the namespace's Services")
                + " can run code on the cluster. Hint: leave security= away, and connections are encrypted.",
                UserWarning,
                stacklevel=5,
            )
        if args.host_paths:
            level = (
                ""
                if args.existing_namespace
                else f"; namespace {args.namespace!r} is labelled 'privileged' for it"
            )
            warnings.warn(
                f"pods see directories of their nodes: {', '.join(args.host_paths)}{level}. Hint: EmptyDirVolumeConfig "
                "gives directories that go with the pod.",
                UserWarning,
                stacklevel=5,
            )

    def _create(self) -> None:
        api, args = self.api, self.arguments
        if self.own_namespace:
            api.call(api.core.create_namespace, specs.namespace(args))
        if self.secret is not None:
            api.call(api.core.create_namespaced_secret, args.namespace, self.secret)
        for policy in specs.network_policies(args):
            api.call(api.networking.create_namespaced_network_policy, args.namespace, policy)
        if args.service_name is not None:
            api.call(api.core.create_namespaced_service, args.namespace, specs.service(args))
        api.made("daskclusters", args.namespace, self.spec)

    def _wait(self, deadline: Deadline, shown: Shown) -> None:
        """Return when enough workers have registered. The phase of the DaskCluster is not looked at: it may stick."""
        wanted, blocked = self.arguments.min_worker_num, Blocked()
        events: list[str] = []
        events_at = -EVENTS_EVERY
        connected = False
        while True:
            found = self._states()
            if not connected and any(s.ready for s in found if s.role == "scheduler"):
                connected = self._try_connecting(deadline)
            if connected and self.registered >= wanted:
                return
            shown(states.line(found, self.registered, wanted))
            if len(found) <= wanted and deadline.passed - events_at >= EVENTS_EVERY:
                events, events_at = self._events(), deadline.passed
            if deadline.over:
                raise self._failure(ClusterStartTimeout, f"not up after {deadline.seconds:g} s", found)
            if blocked.for_seconds(found, events, wanted) > PATIENCE:
                raise self._failure(ClusterNotStarted, f"no way on for {PATIENCE:g} s", found)
            if not found and deadline.passed > TAKEN_UP and not self._taken_up():
                raise ClusterNotStarted(
                    f"no Dask operator has begun with the cluster in {TAKEN_UP:g} s. {preflight.INSTALL}"
                )
            self._pause(deadline, wanted if connected else None)

    def _pause(self, deadline: Deadline, wanted: int | None) -> None:
        """Wait a little; not longer than until enough workers have registered."""
        pause = deadline.left(0.25 if deadline.passed < 30 else 1.0)
        end = time.monotonic() + pause
        while (left := end - time.monotonic()) > 0:
            if wanted is not None and self.registered >= wanted:
                return
            time.sleep(min(0.05, left))

    def _taken_up(self) -> bool:
        made = self.api.get("daskclusters", self.namespace, self.name)
        return bool(made and made.get("status"))

    def _try_connecting(self, deadline: Deadline) -> bool:
        """Whether the scheduler could be reached; its pod is ready, but nodes need a moment to pass connections on."""
        place = self.find()
        if (
            place is None
            or place.host is None
            or not addresses.answers(place.host, place.comm, deadline.left(1.0))
        ):
            return False
        try:
            self.connect(deadline.left(10.0) or 0.1)
        except ClusterUnreachable as error:
            logger.debug("%s", error)
            return False
        return True

    def _failure(self, kind: type[ClusterNotStarted], said: str, found: list[State]) -> ClusterNotStarted:
        """An error that tells why the cluster is not up: pods, events, last log lines."""
        events = self._events()
        wanted = self.arguments.min_worker_num
        why = states.cause(found, events, self.registered, wanted)
        if self.scheduler_comm is None and found and all(s.ready for s in found):
            why = f"the scheduler cannot be reached at {self.service!r}, all pods are ready"
        logs = self._last_lines([s for s in found if not s.ready][:3] or found[:2])
        if self.arguments.log_when_fail:
            for pod, text in self.logs().items():
                logger.error("log of %s:\n%s", pod, text)
        report = states.report(found, events, logs)
        return kind(
            f"The cluster in namespace {self.namespace!r} is {said}: {why}.{states.hint(f'{why} {report}')}\n{report}"
        )

    def _last_lines(self, found: list[State]) -> dict[str, str]:
        """The last log lines of pods: of the container that ended, where one did."""
        logs = {}
        for each in found:
            for previous in (each.label == "CrashLoopBackOff", False):
                try:
                    text = self.api.log(self.namespace, each.name, lines=LOG_LINES, previous=previous)
                except KubernetesError:  # there is no container yet, or none before this one
                    continue
                if text and not text.startswith(
                    "unable to retrieve container logs"
                ):  # cleared away meanwhile
                    logs[each.name] = text
                    break
        return logs

    def _take_away(self, error: BaseException) -> None:
        """Delete what was made; what cannot be deleted is told in a note of the error."""
        try:
            self.disconnect()
            removal.remove(self.api, self.namespace, self.name, own_namespace=self.own_namespace)
        except (KubernetesError, ClusterUnreachable) as again:
            error.add_note(
                f"And it could not be taken away: {again} Hint: marsdask kubernetes stop {self.namespace}"
            )
