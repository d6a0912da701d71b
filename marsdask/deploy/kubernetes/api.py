"""The Kubernetes API in dicts, with errors that say what to do. Every call has a time limit."""

from __future__ import annotations

import copy
import json
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from marsdask.deploy.kubernetes import checks
from marsdask.deploy.kubernetes.names import GROUP, VERSION
from marsdask.deploy.kubernetes.states import Deadline, State
from marsdask.errors import ClusterUnreachable, KubernetesError, MissingExtra, NotPermitted

CALL_TIMEOUT = (5.0, 30.0)
"""Seconds to connect, and to wait for an answer."""

AWAY = 60.0
"""Seconds in which a call is made again where the API is busy, or away after it has answered once. It was tried with 30 s away."""
AGAIN = 1.0
"""Seconds until then, where the API does not say."""
BUSY = (429, 503)
"""It has done nothing of what it was asked."""
LOST = (502, 504)
"""It may have: it did not come to an end in time, or what is before it got no answer. So it is with 500 where its store is at fault."""

OWN_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
"""A file in every pod."""
LOG_LINES = 15
"""Of each pod, in an error that says why something does not start."""

Body = dict[str, Any]

logger = logging.getLogger(__name__)


class Api:
    """Calls to one Kubernetes cluster with one user's rights. Not found is None, or False; other refusals raise."""

    def __init__(self, api_client: Any = None):
        self.owned, self.answered = api_client is None, False
        self.deadline: Deadline | None = None  # of who calls, if that comes first
        self.away_at = -math.inf
        self.client = current() if api_client is None else api_client
        good = hasattr(self.client, "configuration") and hasattr(self.client, "call_api")
        expected = f"what kubernetes.config.new_client_from_config() gives, got {type(api_client).__name__}"
        checks.expect(good, "kube_api_client", api_client, expected)
        from kubernetes import client

        self.core = client.CoreV1Api(self.client)
        self.apps = client.AppsV1Api(self.client)
        self.custom = client.CustomObjectsApi(self.client)
        self.networking = client.NetworkingV1Api(self.client)
        self.authorization = client.AuthorizationV1Api(self.client)

    def close(self) -> None:
        """Close the connections, unless the client was given by the user."""
        if self.owned:
            self.client.close()

    def at_once(self) -> Api:
        """The same, which does not ask again: for those who have another way, and must not be held up."""
        other = copy.copy(self)
        other.deadline = Deadline(0)
        return other

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Body | None:
        """The answer of a call as Kubernetes writes it; None where there is no such thing."""
        found = self.raw(function, *args, **kwargs)
        return None if found is None else dict(json.loads(found))

    def listed(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Body]:
        """What a call lists; nothing where Kubernetes does not know of such things."""
        found = self.call(function, *args, **kwargs)
        return list(found["items"]) if found else []

    def raw(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> bytes | None:
        """The bytes of an answer; None where there is no such thing.

        Where the API is busy, or has gone away since it last answered, it is asked again for a minute. What was made by a call
        whose answer was lost is there then: the answer is empty.
        """
        from kubernetes.client import ApiException
        from urllib3.exceptions import HTTPError

        begun, lost = time.monotonic(), False
        while True:
            asked = time.monotonic()
            try:
                # As it comes: the client's own models refuse what they do not expect.
                answer = function(*args, _preload_content=False, _request_timeout=CALL_TIMEOUT, **kwargs)
                found: bytes = answer.data
                answer.release_conn()
            except ApiException as error:
                self.answered = True
                if error.status == 404:
                    return None
                if error.status == 409 and lost and getattr(function, "__name__", "").startswith("create_"):
                    return b"{}"
                halfway = error.status in LOST or (error.status == 500 and "etcdserver" in str(error.body))
                if not (halfway or error.status in BUSY) or self._over(begun):
                    raise refusal(error) from error
                lost = lost or halfway
                self._wait(refusal(error), error.headers)
            except HTTPError as error:
                away = ClusterUnreachable(
                    f"the Kubernetes API at {self.client.configuration.host} does not answer: {error}. Hint: does `kubectl "
                    "version` work?"
                )
                if not self.answered or self._over(begun):  # a wrong address is told at once
                    raise away from error
                lost = True
                self._wait(away, {})
            else:
                self.answered = True
                now = time.monotonic()
                if now - asked > CALL_TIMEOUT[0]:  # urllib3 asks again by itself, and tells nobody
                    self.away_at = now
                return found

    @property
    def answering_for(self) -> float:
        """Seconds since it last had to be asked again, or took long to answer."""
        return time.monotonic() - self.away_at

    def _over(self, begun: float) -> bool:
        return time.monotonic() - begun > AWAY or (self.deadline is not None and self.deadline.over)

    def _wait(self, error: Exception, headers: Mapping[str, str] | None) -> None:
        """Let the API be for a moment; as long as it says, if it does."""
        said = (headers or {}).get("Retry-After", "")
        pause = min(float(said), AWAY) if said.isdecimal() else AGAIN
        logger.info("Asked again in %g s: %s", pause, error)
        time.sleep(pause if self.deadline is None else self.deadline.left(pause))
        self.away_at = time.monotonic()

    # The operator's resources

    def made(self, plural: str, namespace: str, body: Body, *, dry_run: bool = False) -> Body | None:
        """Create one of the operator's resources; a field that its definition does not know is an error."""
        kwargs: Body = {"field_validation": "Strict"} | ({"dry_run": "All"} if dry_run else {})
        function = self.custom.create_namespaced_custom_object
        made = self.call(function, GROUP, VERSION, namespace, plural, body, **kwargs)
        return made if made != {} else self.get(plural, namespace, body["metadata"]["name"])

    def get(self, plural: str, namespace: str, name: str) -> Body | None:
        return self.call(self.custom.get_namespaced_custom_object, GROUP, VERSION, namespace, plural, name)

    def patched(
        self, plural: str, namespace: str, name: str, patch: Body, *, scale: bool = False
    ) -> Body | None:
        function = getattr(self.custom, f"patch_namespaced_custom_object{'_scale' if scale else ''}")
        return self.call(function, GROUP, VERSION, namespace, plural, name, patch, **merging(function))

    def freed(self, plural: str, namespace: str, name: str) -> None:
        """Take the finalizers off one of the operator's resources, as the operator would."""
        self.patched(plural, namespace, name, {"metadata": {"finalizers": None}})

    def deleted(self, plural: str, namespace: str, name: str) -> bool:
        function = self.custom.delete_namespaced_custom_object
        return self.call(function, GROUP, VERSION, namespace, plural, name) is not None

    def resources(self, plural: str, namespace: str | None = None, selector: str | None = None) -> list[Body]:
        """The operator's resources of a kind, in a namespace or in all."""
        where = [plural] if namespace is None else [namespace, plural]
        scope = "cluster" if namespace is None else "namespaced"
        function = getattr(self.custom, f"list_{scope}_custom_object")
        return self.listed(function, GROUP, VERSION, *where, label_selector=selector)

    def clusters(self, namespace: str | None = None, selector: str | None = None) -> list[Body]:
        """The DaskClusters of a namespace, or of all."""
        return self.resources("daskclusters", namespace, selector)

    def knows_dask(self) -> bool:
        """Whether the operator's definitions are installed: every user may ask."""
        return self.call(self.custom.get_api_resources, GROUP, VERSION) is not None

    # Kubernetes' own

    def namespace(self, name: str) -> Body | None:
        return self.call(self.core.read_namespace, name)

    def pods(self, namespace: str, selector: str) -> list[Body]:
        return self.listed(self.core.list_namespaced_pod, namespace, label_selector=selector)

    def services(self, namespace: str, selector: str) -> list[Body]:
        return self.listed(self.core.list_namespaced_service, namespace, label_selector=selector)

    def service(self, namespace: str, name: str) -> Body | None:
        return self.call(self.core.read_namespaced_service, name, namespace)

    def secret(self, namespace: str, name: str) -> Body | None:
        return self.call(self.core.read_namespaced_secret, name, namespace)

    def events(self, namespace: str) -> list[Body]:
        return self.listed(self.core.list_namespaced_event, namespace)

    def warnings(self, namespace: str) -> list[Body]:
        """The events that are none of those of every day."""
        return self.listed(self.core.list_namespaced_event, namespace, field_selector="type!=Normal")

    def log(self, namespace: str, pod: str, *, lines: int, previous: bool = False) -> str | None:
        """The last lines a pod's container has written; None where there is no log."""
        function = self.core.read_namespaced_pod_log
        found = self.raw(function, pod, namespace, tail_lines=lines, previous=previous)
        return None if found is None else found.decode(errors="replace")

    def last_lines(self, namespace: str, pods: Iterable[State]) -> dict[str, str]:
        """The last log lines of pods, by name: of the container that ended, where one did."""
        logs = {}
        for each in pods:
            for previous in (each.label == "CrashLoopBackOff", False):
                try:
                    text = self.log(namespace, each.name, lines=LOG_LINES, previous=previous)
                except KubernetesError:  # there is no container yet, or none before this one
                    continue
                # The log may have been cleared away meanwhile.
                if text and not text.startswith("unable to retrieve container logs"):
                    logs[each.name] = text
                    break
        return logs

    def may(self, verb: str, group: str, resource: str, namespace: str | None) -> bool:
        """Whether this user may do that."""
        resource, _, sub = resource.partition("/")
        what = {"group": group, "resource": resource, "subresource": sub, "namespace": namespace or ""}
        review = self.authorization.create_self_subject_access_review
        answer = self.call(review, {"spec": {"resourceAttributes": {"verb": verb, **what}}})
        return bool(answer and answer["status"]["allowed"])


def merging(function: Callable[..., Any]) -> Body:
    """The argument that makes a patch a merge.

    Clients from 33 on take the first kind of patch they know, earlier ones the one that fits, and have no such argument.
    """
    # They wrap their functions, so what is documented says it.
    known = "_content_type" in signature(function).parameters
    return {"_content_type": "application/merge-patch+json"} if known else {}


def current(kubeconfig: str | None = None, context: str | None = None) -> Any:
    """An API client of the current context, or that given: the kubeconfig, else the pod's own service account."""
    try:
        from kubernetes import client, config
    except ImportError as error:
        raise MissingExtra.needed("kubernetes", "kubernetes", "a cluster on Kubernetes") from error
    try:
        return config.new_client_from_config(kubeconfig, context)  # type: ignore[no-untyped-call, unused-ignore]
    except config.ConfigException as error:
        if kubeconfig or context:
            raise ClusterUnreachable(f"kubeconfig={kubeconfig!r}, context={context!r}: {error}") from error
        settings = client.Configuration()
        try:
            config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call, unused-ignore]
        except config.ConfigException:
            raise ClusterUnreachable(
                f"no Kubernetes cluster is known here: {error} Hint: set KUBECONFIG, or pass "
                "kubernetes.config.new_client_from_config(...)."
            ) from error
        return client.ApiClient(settings)


def own_namespace(kubeconfig: str | None = None, context: str | None = None) -> str:
    """The namespace that kubectl takes where none is given: the context's, else the pod's own, else `default`."""
    from kubernetes import config

    try:
        known, active = config.list_kube_config_contexts(kubeconfig)  # type: ignore[no-untyped-call, unused-ignore]
    except config.ConfigException:
        return OWN_NAMESPACE.read_text().strip() if OWN_NAMESPACE.exists() else "default"
    found = next((each for each in known if each["name"] == context), active)
    return str(found["context"].get("namespace") or "default")


def refusal(error: Any) -> Exception:
    """The server's own words in an error of ours."""
    try:
        said = json.loads(error.body)["message"]
    except (TypeError, ValueError, KeyError):
        said = error.body or error.reason
    if error.status in (401, 403) and "exceeded quota" not in str(said):
        return NotPermitted(
            f"Kubernetes says: {said}. Hint: `marsdask kubernetes rbac` prints the rights that are needed."
        )
    return KubernetesError(f"Kubernetes says ({error.status}): {said}")
