"""What has to be so before anything is made: said with the command that cures it."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from typing import Any

from marsdask.deploy.kubernetes import rights, specs
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.kubernetes.names import ASKS, labels_of
from marsdask.errors import ArgumentError, KubernetesError, NotPermitted

INSTALL = "Hint: an administrator runs `marsdask kubernetes install` once for the whole cluster."


def check(api: Api, args: Arguments, made: list[dict[str, Any]], *, inside: bool) -> list[dict[str, Any]]:
    """An error if a cluster cannot come up: definitions, rights, namespace, operator, quota.

    Gives the DaskCluster and its DaskWorkerGroups as they have to be made: with a token for an operator that brings it, and limits
    where a quota asks for some.
    """
    if not api.knows_dask():
        raise KubernetesError(
            f"this Kubernetes cluster does not know Dask's resources (kubernetes.dask.org/v1). {INSTALL}"
        )
    check_rights(api, args, inside=inside)
    # Who may not look, as with a Role in one namespace, learns it a little later, from Kubernetes itself.
    with suppress(NotPermitted):
        check_namespace(api, args)
    with suppress(NotPermitted):
        if check_operator(api) and args.encrypted:
            made = [specs.asked_by(made[0], secrets.token_urlsafe(24)), *made[1:]]
    with suppress(NotPermitted):
        if args.existing_namespace:
            quotas = api.listed(api.core.list_namespaced_resource_quota, args.namespace)
            kinds = asked_limits(quotas)
            made = [specs.limited(each, kinds) for each in made]
            check_quotas(quotas, args.namespace, demand(made, args.min_worker_num))
    return made


def missing_rights(api: Api, namespace: str, needed: Iterable[rights.Rule]) -> list[str]:
    """What of these this user may not do there, as 'verb resource'."""
    asked = [
        (verb, group, resource, None if resource == "namespaces" else namespace)
        for group, resource, verbs in needed
        for verb in verbs
        if (verb, resource) not in NOT_ASKED
    ]
    with ThreadPoolExecutor(8, thread_name_prefix="marsdask-rights") as pool:
        allowed = pool.map(lambda each: api.may(*each), asked)
        return [f"{each[0]} {each[2]}" for each, ok in zip(asked, allowed, strict=True) if not ok]


def check_rights(api: Api, args: Arguments, *, inside: bool) -> None:
    """An error that lists everything this user may not do and would have to."""
    needed = rights.rules(
        args.service_type,
        own_namespace=not args.existing_namespace,
        inside=inside,
        groups=bool(args.worker_groups),
    )
    if missing := missing_rights(api, args.namespace, needed):
        scope = f" --namespace {args.namespace}" if args.existing_namespace else ""
        kind = "" if args.may_forward else f" --service-type {args.service_type}"
        raise NotPermitted(
            f"this user may not: {', '.join(missing)}. Hint: `marsdask kubernetes rbac{scope}{kind}` prints the rights that are "
            "needed; an administrator applies them."
        )


NOT_ASKED = {
    ("list", "namespaces"),
    ("list", "resourcequotas"),
    ("patch", "daskclusters"),
    ("delete", "networkpolicies"),
}
"""Rights that only `marsdask kubernetes list` and `stop` use, that go with the namespace, or without which less is known."""


def check_namespace(api: Api, args: Arguments) -> None:
    """An error if the namespace is there and should not be, or the other way round."""
    found = api.namespace(args.namespace)
    if found is None and args.existing_namespace:
        raise ArgumentError(
            f"namespace={args.namespace!r}: there is none. Hint: leave existing_namespace away, and it is made."
        )
    going = found is not None and "deletionTimestamp" in found["metadata"]
    if found is not None and not going and not args.existing_namespace:
        raise ArgumentError(
            f"namespace={args.namespace!r} exists already, and stop() would delete it. Hint: another name, or "
            "existing_namespace=True, then stop() leaves it."
        )
    if going:
        raise ArgumentError(
            f"namespace={args.namespace!r} is being deleted. Hint: another name, or once `kubectl get namespace "
            f"{args.namespace}` finds none."
        )
    level = (labels_of(found) if found else {}).get("pod-security.kubernetes.io/enforce", "privileged")
    if args.host_paths and level != "privileged":
        raise ArgumentError(
            f"hostPath volumes ({', '.join(args.host_paths)}) are forbidden in namespace {args.namespace!r}: its Pod "
            f"Security is {level!r}. Hint: use EmptyDirVolumeConfig, or another namespace."
        )


def check_operator(api: Api) -> bool:
    """An error if no Dask operator runs; whether every one that does asks by token."""
    operators = operators_of(api)
    if trouble := operator_trouble(operators):
        raise KubernetesError(trouble)
    return all((each["metadata"].get("annotations") or {}).get(ASKS) == "token" for each in operators)


def operators_of(api: Api) -> list[dict[str, Any]]:
    """The Deployments of Dask's operators."""
    return list(filter(is_operator, api.listed(api.apps.list_deployment_for_all_namespaces)))


def operator_trouble(operators: Sequence[dict[str, Any]]) -> str:
    """Why no Dask operator works here, or nothing."""
    if not operators:
        return f"no Dask operator runs in this Kubernetes cluster. {INSTALL}"
    if not any(d.get("status", {}).get("availableReplicas") for d in operators):
        where = operators[0]["metadata"]
        return (
            f"the Dask operator {where['namespace']}/{where['name']} is there, but none of its pods is ready. "
            f"Hint: kubectl describe pods -n {where['namespace']}, `marsdask kubernetes status`."
        )
    return ""


def is_operator(deployment: dict[str, Any]) -> bool:
    """Whether a Deployment runs Dask's operator: ours, the Helm chart's, anybody's."""
    return any(
        "dask-kubernetes-operator" in each["image"]
        or any("dask_kubernetes" in word for word in (*each.get("command", ()), *each.get("args", ())))
        for each in deployment["spec"]["template"]["spec"]["containers"]
    )


AUTOSCALERS = "autoscaler", "karpenter", "auto-mode"
"""What is in the names of components that add nodes where pods find no room."""


def autoscaled(api: Api, namespace: str) -> bool:
    """Whether such a component has said something of the namespace's pods: on managed clusters it shows nowhere else."""
    said = api.listed(api.core.list_namespaced_event, namespace, field_selector="type=Normal")
    names = {each.get("reportingComponent") or each.get("source", {}).get("component", "") for each in said}
    return any(part in name for name in names for part in AUTOSCALERS)


def demand(made: Sequence[dict[str, Any]], workers: int) -> dict[str, Decimal]:
    """What the scheduler and so many workers of a DaskCluster and DaskWorkerGroups take of a quota at least, by the quota's own keys."""
    found = defaultdict(Decimal, pods=Decimal(1 + workers))
    service = made[0]["spec"]["scheduler"]["service"]["type"]
    found["services.nodeports"] = Decimal(2 if service in ("NodePort", "LoadBalancer") else 0)
    found["services.loadbalancers"] = Decimal(service == "LoadBalancer")
    found.update(taken(made[0]["spec"]["scheduler"]))
    each = [
        taken(group) for one in made for group in [one["spec"]["worker"]] for _ in range(group["replicas"])
    ]
    for key in {key for one in each for key in one}:
        found[key] += sum(sorted(one.get(key, Decimal(0)) for one in each)[:workers])
    for name in ("cpu", "memory"):
        found[name] = found.get(f"requests.{name}", Decimal(0))
    return found


def taken(pod: dict[str, Any]) -> dict[str, Decimal]:
    """What a pod takes of a quota."""
    from kubernetes.utils import parse_quantity

    found: dict[str, Decimal] = defaultdict(Decimal)
    for container in pod["spec"]["containers"]:
        for kind, amounts in container.get("resources", {}).items():
            for name, amount in amounts.items():
                found[f"{kind}.{name}"] += parse_quantity(amount)
    return found


def asked_limits(quotas: list[dict[str, Any]]) -> set[str]:
    """Of what every container has to have a limit: Kubernetes makes no pod without, where a quota counts it."""
    hard = {key for quota in quotas for key in quota["spec"].get("hard", ())}
    return {name for name in specs.LIMITS if f"limits.{name}" in hard}


def check_quotas(quotas: list[dict[str, Any]], namespace: str, wanted: dict[str, Decimal]) -> None:
    """An error if a quota of the namespace does not leave enough."""
    from kubernetes.utils import parse_quantity

    for quota in quotas:
        status = quota.get("status", {})
        for key, hard in status.get("hard", {}).items():
            free = parse_quantity(hard) - parse_quantity(status.get("used", {}).get(key, "0"))
            if wanted.get(key, Decimal(0)) > free:
                raise KubernetesError(
                    f"the quota {quota['metadata']['name']!r} of namespace {namespace!r} leaves {free:f} of {key}, and the "
                    f"scheduler with the workers it needs takes {wanted[key]:f}. Hint: ask for less, or have it raised."
                )
