"""Kubernetes objects of one cluster, made from its arguments: dicts, without a null, ready to be sent.

Quantities are texts and ports have names, as the operator's definitions want them. Users' own wishes are laid over them last.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Collection, Mapping
from typing import Any

from marsdask.deploy.kubernetes import credentials, leaving, names
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.engine import guard

Spec = dict[str, Any]

WORKER_WEB_PORT = 8789
BELOW_TMP = {"HOME": "/tmp", "DASK_TEMPORARY_DIRECTORY": "/tmp"}
"""Variables by which a process writes nowhere else."""
USER_GROUP = 1000
"""The group that the certificates belong to, in the containers."""

ROUTES = (
    "distributed.http.scheduler.prometheus",
    "distributed.http.scheduler.info",
    "distributed.http.scheduler.json",
    "distributed.http.health",
    "distributed.http.proxy",
    "distributed.http.statics",
    "marsdask.deploy.kubernetes.routes",  # what the operator asks
)
"""What the scheduler's web port serves: Dask's own list and ours. The list replaces the default."""


NANNY = [
    word
    for name in ("killed", "leaving")
    for word in ("--preload-nanny", f"marsdask.deploy.kubernetes.{name}")
]
"""Words by which a worker's nanny tells of kills, and leaves its pod as it should."""
LOCKED = ["--preload", "marsdask.deploy.kubernetes.lock"]
"""Words by which a worker's pages ask for the token."""
LIVENESS = {
    "httpGet": {"path": "/health", "port": names.WEB},
    "initialDelaySeconds": 30,
    "periodSeconds": 20,
    "timeoutSeconds": 10,
    "failureThreshold": 6,
}
"""Of a scheduler that has not answered for two minutes."""


def namespace(args: Arguments) -> Spec:
    """The namespace, with the level of Pod Security that its pods need."""
    return namespace_of(args.namespace, "privileged" if args.host_paths else "restricted")


def namespace_of(name: str, level: str) -> Spec:
    """A namespace of ours, with a level of Pod Security."""
    labels = {**names.MANAGED, "name": name}
    labels |= {f"pod-security.kubernetes.io/{mode}": level for mode in ("enforce", "warn", "audit")}
    return names.body("v1", "Namespace", {"name": name, "labels": labels})


def cluster(args: Arguments) -> Spec:
    """The DaskCluster, of which the operator makes everything else."""
    metadata = {"name": args.name, "namespace": args.namespace, "labels": dict(names.MANAGED)}
    spec = {
        # Anything but 0 has the operator ask the scheduler, which knows of an end at a certain time, too.
        "idleTimeout": math.ceil(args.idle_timeout or args.max_lifetime or 0),
        "scheduler": {
            **with_wishes(_scheduler_pod(args), *args.supervisor.templates),
            "service": _service_spec(args, own=args.service_name is None),
        },
        "worker": _workers(args, args),
    }
    return names.body(f"{names.GROUP}/{names.VERSION}", "DaskCluster", metadata, spec=spec)


def worker_groups(args: Arguments) -> list[Spec]:
    """The DaskWorkerGroups beside the one that the operator makes of the DaskCluster."""
    return [
        names.body(
            f"{names.GROUP}/{names.VERSION}",
            "DaskWorkerGroup",
            names.metadata(names.worker_group(args.name, each.group), args.namespace, args.name),
            spec={"cluster": args.name, "worker": _workers(args, each)},
        )
        for each in args.worker_groups
    ]


def _workers(args: Arguments, of: Arguments) -> Spec:
    return {"replicas": of.worker_num, **with_wishes(_worker_pod(args, of), *of.worker.templates)}


LIMITS = {"cpu": "1", "memory": "1Gi"}
"""What a container is limited to that says nothing, where a quota wants a limit; its request, where that is more.

A scheduler asks for a tenth of a core and 256 MiB. With two workers it takes 60 MiB, with a graph of 100,000 tasks 494 MiB, and a
core while that comes.
"""


def limited(made: Spec, kinds: Collection[str]) -> Spec:
    """A DaskCluster or DaskWorkerGroup with a limit of these for every container that has none."""
    from kubernetes.utils import parse_quantity

    if not kinds:
        return made
    made = copy.deepcopy(made)
    for role in made["spec"].keys() & {"scheduler", "worker"}:
        pod = made["spec"][role]["spec"]
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            asked = container.get("resources", {}).get("requests", {})
            least = {name: max(LIMITS[name], asked.get(name, "0"), key=parse_quantity) for name in kinds}
            container["resources"] = merged({"limits": least}, container.get("resources", {}))
    return made


def asked_by(made: Spec, token: str) -> Spec:
    """The DaskCluster with a token of the operator's, by which only it is answered: it finds it here, too."""
    container = {"name": "scheduler", "env": [{"name": variable(guard.OPERATOR_TOKEN), "value": token}]}
    wish: Spec = {"spec": {"scheduler": {"spec": {"containers": [container]}}}}
    return dict(merged(made, wish))


def token_in(spec: Mapping[str, Any]) -> str | None:
    """The token that `asked_by` has put into the spec of a DaskCluster."""
    containers = spec.get("scheduler", {}).get("spec", {}).get("containers", ())
    wanted = variable(guard.OPERATOR_TOKEN)
    return next(
        (e["value"] for c in containers for e in c.get("env", ()) if e["name"] == wanted and "value" in e),
        None,
    )


def owned(made: Spec, owner: Spec) -> Spec:
    """An object that goes with the DaskCluster, however that ends."""
    reference = {key: owner[key] for key in ("apiVersion", "kind")} | {
        key: owner["metadata"][key] for key in ("name", "uid")
    }
    return made | {"metadata": made["metadata"] | {"ownerReferences": [reference]}}


def service(args: Arguments) -> Spec:
    """The Service by the name that the user chose; the operator's own is then inside of the cluster only."""
    metadata = names.metadata(str(args.service_name), args.namespace, args.name)
    return names.body("v1", "Service", metadata, spec=_service_spec(args, own=True))


def _service_spec(args: Arguments, *, own: bool) -> Spec:
    ports = {names.COMM: args.supervisor.port, names.WEB: args.web_port}
    return {
        "type": args.service_type if own else "ClusterIP",
        "selector": {names.CLUSTER: args.name, names.COMPONENT: "scheduler"},
        "ports": [{"name": n, "protocol": "TCP", "port": p, "targetPort": n} for n, p in ports.items()],
    }


def network_policies(args: Arguments) -> list[Spec]:
    """Who may connect: workers hear their cluster; the scheduler's two ports also those who are let in by its Service.

    With a Service of type ClusterIP that is this namespace; the web port is open to other namespaces for the operator.
    """
    mine = {"podSelector": {"matchLabels": {names.CLUSTER: args.name}}}
    comm, web = ({"protocol": "TCP", "port": name} for name in (names.COMM, names.WEB))
    outside: list[Spec] = [{"ports": [comm, web]}]
    if args.service_type == "ClusterIP":
        outside = [
            {"from": [{"podSelector": {}}], "ports": [comm, web]},
            {"from": [{"namespaceSelector": {}}], "ports": [web]},
        ]
    allowed = {"worker": [{"from": [mine]}], "scheduler": [{"from": [mine]}, *outside]}
    return [
        names.body(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            names.metadata(f"{args.name}-{role}", args.namespace, args.name),
            spec={
                "podSelector": {"matchLabels": {names.CLUSTER: args.name, names.COMPONENT: role}},
                "policyTypes": ["Ingress"],
                "ingress": ingress,
            },
        )
        for role, ingress in allowed.items()
    ]


def _scheduler_pod(args: Arguments) -> Spec:
    port, web = args.supervisor.port, args.web_port
    words = ["dask", "scheduler", "--dashboard-address", f":{web}", "--preload", "marsdask.deploy.web"]
    if args.encrypted:
        words += ["--protocol", "tls", "--host", "tls://0.0.0.0", "--port", str(port)]
    else:  # one web port for pages and sessions, as http://host:port has it in Mars
        words += ["--protocol", "tcp,ws", "--host", "0.0.0.0", "--port", f"{port},{web}"]
    memory, ratio = args.supervisor_mem, args.supervisor_mem_limit_ratio
    resources = {"requests": {"cpu": f"{args.supervisor.millicores}m", "memory": str(memory)}}
    if ratio is not None:
        resources["limits"] = {"memory": str(int(memory * ratio))}
    settings = {
        "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": json.dumps(ROUTES),
        "DASK_MARSDASK__ALLOW_ORIGIN": json.dumps(_own_names(args)),
    }
    if args.idle_timeout:
        settings[variable(names.IDLE)] = repr(args.idle_timeout)
    if args.max_lifetime:
        settings[variable(names.ENDS)] = repr(time.time() + args.max_lifetime)
    pod = _pod(args, args.name, "scheduler", words, settings, resources, web)
    pod["spec"]["containers"][0]["livenessProbe"] = dict(LIVENESS)
    return pod


def _own_names(args: Arguments) -> list[str]:
    """The names of the scheduler's Services, as pods may spell them; the web port takes no others.

    All of them where a provider names the address of a load balancer, which nobody knows before, and anybody reaches.
    """
    if args.service_type == "LoadBalancer":
        return ["*"]
    services = [names.own_service(args.name), *([args.service_name] if args.service_name else [])]
    domains = ("", f".{args.namespace}", f".{args.namespace}.svc", f".{args.namespace}.svc.cluster.local")
    return [service + domain for service in services for domain in domains]


def variable(key: str) -> str:
    """The variable that says a key of Dask's configuration."""
    return f"DASK_{key.replace('.', '__').replace('-', '_').upper()}"


def _worker_pod(args: Arguments, of: Arguments) -> Spec:
    """A worker of the group that `of` says, in the cluster of `args`."""
    scheme = "tls" if args.encrypted else "tcp"
    words = ["dask", "worker", "--name", "$(DASK_WORKER_NAME)", "--nthreads", str(of.threads)]
    words += [*of.policy.command_line(), "--dashboard-address", f":{WORKER_WEB_PORT}"]
    words += ["--protocol", scheme, "--worker-port", str(of.worker.port)]
    if of.worker_resources:
        words += ["--resources", ",".join(f"{name}={n}" for name, n in of.worker_resources.items())]
    words += [*NANNY, *LOCKED]
    cores = {"cpu": f"{of.worker.millicores}m"}
    devices = {name: str(int(n)) for name, n in of.worker_resources.items() if "/" in name}
    resources = {kind: cores | memory | devices for kind, memory in of.policy.resources().items()}
    env = {
        "DASK_SCHEDULER_ADDRESS": f"{scheme}://{names.own_service(args.name)}.{args.namespace}:{args.supervisor.port}",
        "MARS_CPU_TOTAL": str(of.threads),
        **of.policy.to_env(),
    }
    return _pod(of, args.name, "worker", words, env, resources, WORKER_WEB_PORT)


def _pod(
    args: Arguments,
    cluster: str,
    role: str,
    words: list[str],
    env: dict[str, str],
    resources: Spec,
    web_port: int,
) -> Spec:
    part = args.worker if role == "worker" else args.supervisor
    volumes = (*args.extra_volumes, *(args.worker_spill_paths if role == "worker" else ()))
    words += [word for module in part.modules for word in ("--preload", module)]
    env = {
        **BELOW_TMP,
        **(credentials.env(role) if args.encrypted else {}),
        **env,
        **part.env,
    }
    ports = {names.COMM: part.port, names.WEB: web_port}
    tls = credentials.volumes(role, names.secret(cluster)) if args.encrypted else []
    pod = bare_pod(role, args.image, words, env, resources, ports)
    spec = pod["spec"]
    spec["volumes"] += [*tls, *(v.volume() for v in volumes)]
    if role == "worker":
        spec["terminationGracePeriodSeconds"] = leaving.LONGEST
    (container,) = spec["containers"]
    container["volumeMounts"] += [*(credentials.mounts() if tls else ()), *(v.mount() for v in volumes)]
    if args.image_pull_policy:
        container["imagePullPolicy"] = args.image_pull_policy
    if args.pre_stop_command:
        container["lifecycle"] = {"preStop": {"exec": {"command": list(args.pre_stop_command)}}}
        spec["terminationGracePeriodSeconds"] += 20
    wishes = {
        "imagePullSecrets": [{"name": name} for name in args.image_pull_secrets],
        "nodeSelector": dict(args.node_selectors),
        "tolerations": [dict(t) for t in args.tolerations],
    }
    spec |= {name: wish for name, wish in wishes.items() if wish}
    return {**({"metadata": {"labels": dict(part.labels)}} if part.labels else {}), "spec": spec}


def bare_pod(
    name: str,
    image: str | None,
    words: list[str],
    env: Mapping[str, str],
    resources: Spec,
    ports: Mapping[str, int],
) -> Spec:
    """A pod of one container, ready when its web port answers: no root, no token, nothing written but below /tmp."""
    container: Spec = {
        "name": name,
        **({"image": image} if image else {}),
        "args": words,
        "env": [{"name": variable, "value": value} for variable, value in env.items()],
        "resources": resources,
        "ports": [{"name": n, "containerPort": port, "protocol": "TCP"} for n, port in ports.items()],
        "readinessProbe": {
            "httpGet": {"path": "/health", "port": names.WEB},
            "periodSeconds": 1,
            "timeoutSeconds": 3,
            "failureThreshold": 3,
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
    spec: Spec = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "fsGroup": USER_GROUP,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationGracePeriodSeconds": 10,
        "containers": [container],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }
    return {"spec": spec}


KEYS = ("mountPath", "name", "key", "containerPort")
"""What entries of a list are told apart by, the first that an entry has: a volume may be mounted at several paths."""


def merged(base: Any, wish: Any) -> Any:
    """`base` with `wish` laid over it: dicts key by key, lists of named entries by name, anything else replaced.

    None in a wish takes a key away. Neither argument is changed.

    >>> merged({"a": 1, "env": [{"name": "X", "value": "1"}]}, {"a": None, "env": [{"name": "X", "value": "2"}]})
    {'env': [{'name': 'X', 'value': '2'}]}
    """
    if isinstance(wish, Mapping):
        both = dict(base) if isinstance(base, Mapping) else {}
        for key, value in wish.items():
            if value is None:
                both.pop(key, None)
            else:
                both[key] = merged(both.get(key), value)
        return both
    if isinstance(base, list) and isinstance(wish, list) and all(_name(e) for e in (*base, *wish)):
        by_name = {_name(each): each for each in base}
        for each in wish:
            by_name[_name(each)] = merged(by_name.get(_name(each)), each)
        return list(by_name.values())
    return wish


def _name(entry: Any) -> Any:
    """What tells an entry of a list from the others, or nothing."""
    named = isinstance(entry, Mapping)
    return next(((key, entry[key]) for key in KEYS if named and key in entry), None)


def with_wishes(pod: Mapping[str, Any], *wishes: Mapping[str, Any]) -> dict[str, Any]:
    """A pod template, `{"metadata": ..., "spec": ...}`, with the user's laid over it in turn.

    A container of a wish that has no name is the pod's own.
    """
    made = dict(pod)
    for wish in wishes:
        made = merged(made, _named(wish, made["spec"]["containers"][0]["name"]))
    return made


def _named(wish: Mapping[str, Any], name: str) -> dict[str, Any]:
    spec = wish.get("spec")
    if not isinstance(spec, Mapping) or not isinstance(spec.get("containers"), list):
        return dict(wish)
    containers = [{"name": name, **c} if isinstance(c, Mapping) else c for c in spec["containers"]]
    return {**wish, "spec": {**spec, "containers": containers}}
