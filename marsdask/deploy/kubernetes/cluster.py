"""A Dask cluster on Kubernetes: made, waited for, reached, scaled, looked at, and taken away again.

`AttachedCluster` is one whose objects are there, `KubernetesCluster` one that is made for the arguments of `new_cluster`.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
import warnings
from typing import Any, Literal, cast

import distributed
from dask_kubernetes.operator import KubeCluster
from distributed.comm import CommClosedError
from distributed.comm.addressing import unparse_host_port
from distributed.comm.core import FatalCommClosedError
from distributed.core import Status, rpc
from distributed.deploy import Cluster
from distributed.utils import Log, Logs
from distributed.utils_comm import retry

from marsdask.deploy.kubernetes import (
    addresses,
    checks,
    credentials,
    killed,
    names,
    preflight,
    routes,
    specs,
    states,
)
from marsdask.deploy.kubernetes.addresses import Forward, Place
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.kubernetes.images import WATCHED, warn_of_differences
from marsdask.deploy.kubernetes.removal import LONGEST_WAIT, remove, wait_gone
from marsdask.deploy.kubernetes.starting import Start
from marsdask.deploy.kubernetes.states import Deadline, Shown, State, until
from marsdask.engine.address import WEB_TOKEN, with_token
from marsdask.errors import (
    ClusterUnreachable,
    KubernetesError,
    NotPermitted,
    NoWorkers,
    SchedulerLost,
)

CONNECT_TIMEOUT = 30.0
"""Seconds to reach a scheduler that is said to be there."""
LOST = 4
"""Connections that may be lost one after another, in five seconds, before a cluster is given up that has come up."""
RECONNECT_TIMEOUT = 300.0
"""Seconds in which a lost scheduler's pod is made again, on another node if need be."""
AUTOSCALER_ENDS = 5.0
"""Seconds that a deleted autoscaler is waited for. It was gone after 0.1 to 0.3, and one in 14 sizes was undone without.
The operator may keep one that has just been made for longer; a size is set then all the same."""


class AttachedCluster(KubeCluster):  # type: ignore[misc] # it has no types
    """A KubeCluster that speaks to Kubernetes by the API client it was given, and to Dask by TLS.

    KubeCluster itself takes credentials from the process's surroundings only, knows no TLS and waits without a clock, so
    everything of it that speaks to a server is our own; nothing here reads KUBECONFIG, and two clusters with different
    credentials live beside each other.
    """

    def __init__(
        self, api: Api, namespace: str, name: str, *, service: str | None, security: Any, own_namespace: bool
    ):
        # Past KubeCluster's own, which would start at once, from Dask's configuration and the environment.
        Cluster.__init__(self, name=name, quiet=True)
        self.api, self.namespace, self.service = api, namespace, service or names.own_service(name)
        self.security, self.own_namespace = security, own_namespace
        self.shutdown_on_close = self.jupyter = False
        self.place: Place | None = None
        self.forwarded = False  # through the Kubernetes API, whatever the Service offers
        self.forward: Forward | None = None
        self._end = threading.RLock()
        self.scheduler_comm: Any = None
        self.web_token: str | None = None
        self.status: Status

    # Cluster's own compare names, and ours are equal in different namespaces.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __del__(self) -> None:
        if getattr(self, "status", None) is Status.running:  # one that was not started has nothing to close
            super().__del__()

    # Where it is

    def find(self) -> Place | None:
        """Where the scheduler can be reached, or None if that is not known yet; forwards its ports if need be."""
        service = self.api.service(self.namespace, self.service)
        if service is None:
            return None
        pods = self.scheduler_pods()
        inside = service["spec"]["type"] == "ClusterIP" and addresses.inside_a_pod()
        self.place = addresses.place(
            service, pods[0] if pods else None, inside=inside, forwarded=self.forwarded
        )
        if self.place is not None and self.place.host is None:
            ports = self.place.comm, self.place.web
            if self.forward is None:
                self.forward = Forward(self.api.client, self.namespace, self._scheduler_pod_name, ports)
            self.place = Place("127.0.0.1", *map(self.forward.local, ports))
        return self.place

    def scheduler_pods(self) -> list[dict[str, Any]]:
        """The scheduler's pod, one that goes away last."""
        return sorted(self._pods("scheduler"), key=lambda p: "deletionTimestamp" in p["metadata"])

    def _scheduler_pod_name(self) -> str:
        pods = self.scheduler_pods()
        if not pods:
            raise KubernetesError(f"the cluster in namespace {self.namespace!r} has no scheduler's pod")
        return str(pods[0]["metadata"]["name"])

    @property
    def comm_address(self) -> str:
        """The scheduler's address as clients of Dask take it."""
        return f"{'tls' if self.security else 'tcp'}://{self._host_port('comm')}"

    @property
    def endpoint(self) -> str:
        """The cluster's web address. With TLS it is for looking and for finding the cluster again, else for sessions too."""
        return f"http://{self._host_port('web')}"

    def _host_port(self, port: Literal["comm", "web"]) -> str:
        if self.place is None or self.place.host is None:
            raise ClusterUnreachable(f"the scheduler in namespace {self.namespace!r} has no address yet")
        return unparse_host_port(self.place.host, getattr(self.place, port))

    @property
    def dashboard_link(self) -> str:
        """The pages, with the token that they ask for: whoever has the link sees them."""
        return with_token(f"{self.endpoint}/status", self.web_token) if self.place else ""

    # Connecting

    @property
    def connection_args(self) -> dict[str, Any]:
        return dict(self.security.get_connection_args("client")) if self.security else {}

    def connect(self, timeout: float = CONNECT_TIMEOUT) -> None:
        """Connect to the scheduler. ClusterUnreachable if it does not answer within `timeout` seconds."""
        if self.place is None and self.find() is None:
            raise ClusterUnreachable(
                f"the Service {self.service!r} of namespace {self.namespace!r} has no address. Hint: kubectl get "
                f"services,pods -n {self.namespace}."
            )
        if not self._loop_runner.is_started():
            self._loop_runner.start()
        try:
            self.sync(lambda: asyncio.wait_for(self._start(), timeout))
        except (OSError, TimeoutError) as error:
            raise ClusterUnreachable(
                f"the scheduler at {self.comm_address} does not answer: {str(error) or type(error).__name__}. Hint: can this "
                "machine reach the nodes' ports? Else use service_type='ClusterIP', which goes through the Kubernetes API."
            ) from error

    async def _start(self) -> None:
        if self.scheduler_comm is not None:
            await self.scheduler_comm.close_rpc()
        self.scheduler_comm = rpc(self.comm_address, connection_args=self.connection_args)
        await Cluster._start(self)
        if self.security:
            self.web_token = await self.scheduler_comm.get_metadata(keys=[WEB_TOKEN], default=None)

    def session_client(self, *, as_default: bool, timeout: float | None = None) -> Any:
        """A client for a session. Without a timeout it waits for a lost scheduler as long as pods may take."""
        deadline = Deadline(timeout or RECONNECT_TIMEOUT)
        lost, made = 0, cast(Any, TellingClient)
        while True:
            try:
                with warnings.catch_warnings():  # `start` tells differences of versions
                    warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
                    return made(self, set_as_default=as_default, timeout=max(deadline.left(math.inf), 0.1))
            except CommClosedError as error:  # it answered, and went away before it knew the client
                lost += 1
                if lost > LOST or deadline.over or isinstance(error, FatalCommClosedError):
                    raise
                logger.warning("The connection of a new session was lost: %s\n%s", error, self._told())
                time.sleep(deadline.left(1.0))

    def check_there(self) -> None:
        """SchedulerLost where the cluster has been deleted; nothing where that cannot be seen."""
        try:
            there = self.api.at_once().get("daskclusters", self.namespace, self.name)
        except (KubernetesError, ClusterUnreachable) as error:
            logger.debug("%s", error)
            return
        if there is None or "deletionTimestamp" in there["metadata"]:
            raise SchedulerLost.with_cluster(self.namespace, self._ends())

    def _ends(self) -> str:
        """Why a cluster may be gone that this object has not stopped."""
        return "somebody has stopped it, or it has ended by itself"

    def _told(self) -> str:
        """What Kubernetes says of the scheduler's pod, for the log."""
        try:
            found = states.states(self._pods("scheduler"))
            return states.report(found, self._events(), self.api.last_lines(self.namespace, found))
        except (KubernetesError, ClusterUnreachable) as error:
            return f"Kubernetes does not tell why: {error}"

    async def _versions(self) -> Any:
        """What the scheduler has installed."""
        # The image's label says the same, but the Kubernetes API shows no labels of images.
        return await retry(
            lambda: self.scheduler_comm.versions(packages=list(WATCHED)),
            count=LOST,
            delay_min=0.5,
            delay_max=5,
            operation="versions",
        )

    @property
    def registered(self) -> int:
        """How many workers the scheduler has, as it last said."""
        return len(self.scheduler_info["workers"])

    # Changing it

    def scale(self, n: int, worker_group: str = names.DEFAULT_GROUP) -> None:
        """Ask for `n` workers of a group; those that go hand their data to others first. Ends what `adapt` began."""
        checks.count(n, "n", least=0)
        checks.label(worker_group, "worker_group")
        # Until the operator has let go of the autoscaler, what it was about to do could still undo a new size.
        until(
            lambda: not self.api.deleted("daskautoscalers", self.namespace, self.name),
            AUTOSCALER_ENDS,
            every=0.1,
        )
        group = names.worker_group(self.name, worker_group)
        self._want(group, n, adaptive=False)
        patch = {"spec": {"replicas": n}}
        if self.api.patched("daskworkergroups", self.namespace, group, patch, scale=True) is None:
            raise KubernetesError(
                f"there is no worker group {worker_group!r} of cluster {self.name!r} in namespace {self.namespace!r}. Hint: "
                f"kubectl get daskworkergroups -n {self.namespace}."
            )

    def adapt(self, minimum: int = 0, maximum: int | None = None) -> None:
        """Let the operator choose the number of workers by the work there is, between `minimum` and `maximum`.

        Of the first ones: those of `worker_groups` stay as many as they are, and count for what is there.
        """
        checks.count(minimum, "minimum", least=0)
        checks.count(maximum, "maximum")
        fit = maximum is None or minimum <= maximum
        checks.expect(fit, "minimum", minimum, f"at most maximum, which is {maximum}")
        self._want(names.worker_group(self.name, names.DEFAULT_GROUP), minimum, adaptive=True)
        spec = {"cluster": self.name, "minimum": minimum, "maximum": maximum}
        there = self.api.patched("daskautoscalers", self.namespace, self.name, {"spec": spec})
        if there is not None and "deletionTimestamp" in there["metadata"]:
            raise KubernetesError(
                f"adapt(): the operator has not let go yet of the autoscaler that scale() ended in namespace {self.namespace!r}. "
                "Hint: call adapt() again in a minute."
            )
        if there is None:
            metadata = names.metadata(self.name, self.namespace, self.name)
            body = names.body(f"{names.GROUP}/{names.VERSION}", "DaskAutoscaler", metadata, spec=spec)
            self.api.made("daskautoscalers", self.namespace, body)

    def _want(self, group: str, least: int, *, adaptive: bool) -> None:
        """Tell the scheduler, which lets the operator retire a group's workers down to the size that was wanted."""
        if self.status is not Status.running:
            return  # let go of
        error = self._tell(**routes.wanted(group, least, adaptive=adaptive))
        if error is not None:
            logger.warning(
                "The scheduler could not be told its new size, and may not help the operator to choose who goes: what those "
                "workers hold is computed again. %s",
                str(error) or type(error).__name__,
            )

    def tell_alive(self) -> None:
        """Have the cluster not be idle for `routes.HOLDS` seconds from now, if it can be reached."""
        if self.status is Status.running:
            self._tell(keys=[routes.ALIVE], value=time.time())

    def _tell(self, **metadata: Any) -> Exception | None:
        """Set metadata of the scheduler's; why that could not be done, or None."""
        try:
            self.sync(self.scheduler_comm.set_metadata, **metadata, callback_timeout=CONNECT_TIMEOUT)
        except (OSError, TimeoutError) as error:
            return error
        return None

    def add_worker_group(self, *args: Any, **kwargs: Any) -> None:
        raise KubernetesError(
            "worker groups of such a cluster are made with it. Hint: new_cluster(worker_groups=[{'name': ..., ...}]), then scale()."
        )

    delete_worker_group = add_worker_group

    def wait_for_workers(self, n_workers: int, timeout: float | None = None) -> None:
        """Return when `n_workers` have registered; NoWorkers, a TimeoutError, tells their pods after `timeout` seconds."""
        checks.count(n_workers, "n")
        if timeout is not None:
            checks.seconds(timeout, "timeout")
        try:
            super().wait_for_workers(n_workers, timeout)
        except TimeoutError as error:
            raise NoWorkers(f"{error} s.\n{states.report(self._states(), self._events(), {})}") from error

    # Looking at it

    def _pods(self, role: str = "", *, api: Api | None = None) -> list[dict[str, Any]]:
        """The cluster's pods, or those of one role."""
        of_role = f",{names.COMPONENT}={role}" if role else ""
        return (api or self.api).pods(self.namespace, f"{names.CLUSTER}={self.name}{of_role}")

    def _states(self) -> list[State]:
        return states.states(self._pods())

    def _events(self) -> list[str]:
        return states.warnings_of(self.api.warnings(self.namespace))

    def logs(self, tail: int = 1000) -> dict[str, str]:
        """The last `tail` lines of every pod, by the pod's name."""
        checks.count(tail, "tail")
        found = {}
        for pod in self._pods():
            name = pod["metadata"]["name"]
            try:
                found[name] = self.api.log(self.namespace, name, lines=tail) or ""
            except NotPermitted:
                raise
            except KubernetesError as error:  # the container has not started
                found[name] = f"no log: {error}"
        return found

    def killed(self) -> list[tuple[float, dict[str, Any]]]:
        """Workers whose containers the kernel has killed for their memory, as Dask tells of those it stops itself."""
        return killed.events_of(
            self._pods("worker", api=self.api.at_once()), "tls" if self.security else "tcp"
        )

    async def _get_logs(self, *_: Any, **__: Any) -> Any:
        return Logs({name: Log(text) for name, text in (await asyncio.to_thread(self.logs)).items()})

    # Ending

    def disconnect(self) -> None:
        """Let go of the scheduler; the cluster goes on."""
        with self._end:
            if self._loop_runner.is_started():
                try:
                    if self.status not in (Status.created, Status.closed):
                        self.sync(Cluster._close, self, callback_timeout=10)
                    elif self.scheduler_comm is not None:
                        self.sync(self.scheduler_comm.close_rpc, callback_timeout=10)
                except Exception:  # such as one that has ended Dask's watch of the workers long before
                    text = "A connection to the scheduler in namespace %r was not closed as it should be."
                    logger.warning(text, self.namespace, exc_info=True)
                self._loop_runner.stop()
            self.status = Status.closed
            if self.forward is not None:
                self.forward.close()
                self.forward = None

    async def _close(self, timeout: float = 3600) -> None:
        await Cluster._close(self)

    def close(self, timeout: float | None = None) -> None:
        """Let go of the scheduler, as `disconnect`; `stop` ends the cluster."""
        self.disconnect()

    def stop(self, wait: bool = False, timeout: float = 0) -> None:  # noqa: FBT001, FBT002 Mars's signature
        """End the cluster and, if it was made for it, its namespace. Stopping twice is fine.

        With `wait` return only when everything is gone; StillThere tells what stays after `timeout` seconds, or after
        300 where `timeout` is 0.
        """
        checks.flag(wait, "wait")
        if timeout:
            checks.seconds(timeout, "timeout")
        where = (self.api, self.namespace, self.name)
        try:
            self.disconnect()
        finally:
            remove(*where, own_namespace=self.own_namespace)
        if wait:
            wait_gone(*where, own_namespace=self.own_namespace, timeout=timeout or LONGEST_WAIT)

    def __exit__(self, *error: object) -> None:
        self.stop()


class TellingClient(distributed.Client):  # type: ignore[misc, unused-ignore] # it has no types
    """A client that also knows of workers which the kernel has killed with their container."""

    def get_events(self, topic: str | None = None) -> Any:
        found = super().get_events(topic)
        if topic != killed.TOPIC or not isinstance(self.cluster, AttachedCluster):
            return found
        return (*found, *self.cluster.killed())


logger = logging.getLogger(__name__)


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
        self.spec, self.group_specs = specs.cluster(args), specs.worker_groups(args)
        if security is not None and (end := credentials.end(security)) is not None:
            self.spec["metadata"]["annotations"] = {names.CERTIFIED: end.isoformat()}

    def start(self) -> str:
        """Make everything and wait until enough workers have registered; gives the endpoint.

        On any failure, an interrupt too, all that was made is deleted. Raises ClusterStartTimeout when `timeout` is
        over, ClusterNotStarted when the cluster cannot come up, NotPermitted and others before anything is made.
        """
        args = self.arguments
        self.api.deadline = deadline = Deadline(args.timeout)
        self.spec, *self.group_specs = preflight.check(
            self.api, args, [self.spec, *self.group_specs], inside=addresses.inside_a_pod()
        )
        self.tell_of_risks()
        try:
            with Shown(wanted=args.show_progress) as shown:
                self._create()
                Start(self, deadline, shown).wait()
            warn_of_differences(self.sync(self._versions))  # the warning may be an error to the user
        except BaseException as error:
            self.api.deadline = None
            try:
                self.stop()
            except (KubernetesError, ClusterUnreachable) as again:
                error.add_note(
                    f"And it could not be taken away: {again} Hint: marsdask kubernetes stop {self.namespace}"
                )
            raise
        self.api.deadline = None
        return self.endpoint

    def _ends(self) -> str:
        args = self.arguments
        said = {name: getattr(args, name) for name in ("idle_timeout", "max_lifetime")}
        itself = " or ".join(f"{name}={seconds:g} s" for name, seconds in said.items() if seconds is not None)
        return (
            f"it has ended by itself ({itself}), or somebody has stopped it"
            if itself
            else "somebody has stopped it"
        )

    def tell_of_risks(self) -> None:
        """Warn of what was asked for and lets others in: no encryption, directories of nodes."""
        args, risks = self.arguments, []
        if not args.encrypted:
            reached = {
                "NodePort": "the nodes' ports",
                "ClusterIP": "the namespace's Services",
                "LoadBalancer": "the load balancer",
            }[args.service_type]
            risks.append(
                f"security=False: whoever reaches {reached} can run code on "
                "the cluster. Hint: leave security= away, and connections are encrypted."
            )
        if args.host_paths:
            level = f"; namespace {args.namespace!r} is labelled 'privileged' for it"
            risks.append(
                f"pods see directories of their nodes: {', '.join(args.host_paths)}{level * self.own_namespace}. Hint: "
                "EmptyDirVolumeConfig gives directories that go with the pod."
            )
        for risk in risks:
            warnings.warn(risk, UserWarning, stacklevel=5)

    def _create(self) -> None:
        api, args = self.api, self.arguments
        if self.own_namespace:
            api.call(api.core.create_namespace, specs.namespace(args))
        owner = api.made("daskclusters", args.namespace, self.spec)
        if owner is None:
            raise KubernetesError(f"namespace {args.namespace!r} went away while its cluster was made.")
        # Pods take longer than these; what a cluster leaves that ends by itself is its namespace, empty.
        if self.secret is not None:
            api.call(api.core.create_namespaced_secret, args.namespace, specs.owned(self.secret, owner))
        for policy in specs.network_policies(args):
            api.call(
                api.networking.create_namespaced_network_policy, args.namespace, specs.owned(policy, owner)
            )
        if args.service_name is not None:
            api.call(
                api.core.create_namespaced_service, args.namespace, specs.owned(specs.service(args), owner)
            )
        for group in self.group_specs:  # whose pods come at once, and want the Secret
            api.made("daskworkergroups", args.namespace, specs.owned(group, owner))
