"""What a job has beside its DaskCluster: KubeDL's Services and Ingress, and a NetworkPolicy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marsdask.deploy.kubernetes import names
from marsdask.deploy.marsjob.definition import GROUP, WEB
from marsdask.deploy.marsjob.job import PREFIX, Job, host_of

Spec = dict[str, Any]

JOB_LABEL = f"{PREFIX}marsjob"
"""On every object that is made for a job: its name."""
MARS_PORT = 11111
"""Where KubeDL's Services are."""
COMM_PORT, WEB_PORT = 8786, 8787
"""Dask's operator tells workers the first of these; there is no choice."""
NGINX = "nginx.ingress.kubernetes.io/"


def metadata(job: Job, name: str) -> Spec:
    """Of an object of a job's."""
    labels = {"group-name": GROUP, "job-name": job.name, **job.labels, JOB_LABEL: job.name}
    return {"name": name, "namespace": job.namespace, "labels": labels}


def encrypted(job: Job) -> bool:
    """Whether connections of a job's pods are."""
    return job.options.get("security") == "tls"


def own_service(job: Job) -> Spec:
    """The spec of the Service that Dask's operator makes."""
    ports = {names.COMM: COMM_PORT, names.WEB: WEB_PORT}
    return {
        "type": "ClusterIP",
        "selector": pods(job, "scheduler"),
        "ports": [{"name": n, "protocol": "TCP", "port": p, "targetPort": n} for n, p in ports.items()],
    }


def pods(job: Job, role: str) -> dict[str, str]:
    """What the pods of a role are selected by."""
    return {names.CLUSTER: job.name, names.COMPONENT: role}


def services(job: Job) -> Iterable[Spec]:
    """KubeDL's names and port for what Dask has elsewhere."""
    web = job.roles.get(WEB)
    wanted = {f"{job.name}-scheduler-0": (names.COMM, {"mars-port": MARS_PORT})}
    ports = {"mars-port": MARS_PORT, "http": 80}
    count = web.replicas if web else 0
    wanted |= {f"{job.name}-webservice-{i}": (names.WEB, ports) for i in range(count)}
    for name, (target, ports) in wanted.items():
        yield names.body(
            "v1",
            "Service",
            metadata(job, name),
            spec={
                "selector": pods(job, "scheduler"),
                "ports": [
                    {"name": n, "protocol": "TCP", "port": p, "targetPort": target} for n, p in ports.items()
                ],
            },
        )


def network_policy(job: Job) -> Spec:
    """Workers hear their own cluster only; they run whatever they are sent."""
    mine = {"podSelector": {"matchLabels": {names.CLUSTER: job.name}}}
    return names.body(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        metadata(job, f"{job.name}-worker"),
        spec={
            "podSelector": {"matchLabels": pods(job, "worker")},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [mine]}],
        },
    )


def ingress(job: Job, ingress_class: str | None) -> Spec:
    """A path for each WebService, as KubeDL has it, in the form that Kubernetes takes since 1.22."""
    host = host_of(job.spec["webHost"])
    paths = []
    for i in range(job.roles[WEB].replicas):
        service = f"{job.name}-webservice-{i}"
        path = f"/mars/{job.namespace}/{service}"
        paths += [
            {
                "path": each,
                "pathType": "ImplementationSpecific",
                "backend": {"service": {"name": service, "port": {"name": "http"}}},
            }
            for each in (f"{path}/(.*)", path)
        ]
    described = metadata(job, job.name) | {
        "annotations": {
            f"{NGINX}rewrite-target": "/$1",
            f"{NGINX}use-regex": "true",
            f"{NGINX}proxy-body-size": "0",
            f"{NGINX}proxy-read-timeout": "86400",  # a session that waits is no dead one
            f"{NGINX}proxy-send-timeout": "86400",
        }
    }
    spec: Spec = {"rules": [{"host": host, "http": {"paths": paths}}]}
    if ingress_class:
        spec["ingressClassName"] = ingress_class
    return names.body("networking.k8s.io/v1", "Ingress", described, spec=spec)
