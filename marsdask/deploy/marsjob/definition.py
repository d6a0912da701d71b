"""What a MarsJob may say: one schema, from which jobs are checked and the definition for the API server is made.

The fields are those of KubeDL's (training.kubedl.io/v1alpha1, tags v0.2.0 to v0.5.0), with the ranges that its types leave out.
"""

from __future__ import annotations

from typing import Any

from marsdask.deploy.kubernetes.names import body
from marsdask.spill.policy import KUBEDL_BLOCKS

Schema = dict[str, Any]

GROUP, VERSION, PLURAL, KIND = "training.kubedl.io", "v1alpha1", "marsjobs", "MarsJob"
OLD_GROUP = "kubedl.io"
"""Of KubeDL up to 0.2, which Mars's own client posts to."""
API_VERSIONS = (f"{GROUP}/{VERSION}", f"{OLD_GROUP}/{VERSION}")
SCHEDULER, WEB, WORKER = ROLES = ("Scheduler", "WebService", "Worker")
RESTART_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")
CLEAN_POLICIES = ("None", "Running", "All")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
POLICIES = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
"""Fields of a job's spec by which something is done after its objects were made; they may be changed while it runs."""
MOST = 2**31 - 1
"""Of an int32."""

ANYTHING: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
QUANTITY: Schema = {"x-kubernetes-int-or-string": True}
TEXT: Schema = {"type": "string"}


def count(least: int = 0, *, most: int = MOST) -> Schema:
    """A whole number of `least` to `most`."""
    return {"type": "integer", "minimum": least, "maximum": most}


def record(required: tuple[str, ...] = (), /, **properties: Schema) -> Schema:
    """A mapping of these fields and no others."""
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


MEMORY_BLOCK = record(
    plasmaStore=TEXT,
    lockFreeFileIO={"type": "boolean"},
    spillDirs={"type": "array", "items": {"type": "string", "minLength": 1}},
    workerCachePercentage=count(1, most=100),
    workerCacheSize=QUANTITY,
)


def spec(metadata: Schema = ANYTHING, pod: Schema = ANYTHING) -> Schema:
    """Of `spec`; a role's template has such `metadata` and such a `pod` spec."""
    template = record(("spec",), metadata=metadata, spec=pod)
    spot = record(spotReplicaNumber=count(), priorityClassName=TEXT, labels=TEXTS)
    role = record(
        ("template",),
        replicas=count(),
        restartPolicy={"type": "string", "enum": list(RESTART_POLICIES)},
        spotReplicaSpec=spot,
        template=template,
    )
    return record(
        ("marsReplicaSpecs",),
        cleanPodPolicy={"type": "string", "enum": list(CLEAN_POLICIES)},
        ttlSecondsAfterFinished=count(),
        activeDeadlineSeconds=count(most=2**53),  # of what an API server's ranges hold exactly
        backoffLimit=count(),
        schedulingPolicy=record(
            minAvailable=count(), priority=count(-MOST - 1), priorityClassName=TEXT, queue=TEXT
        ),
        cronPolicy=ANYTHING,
        webHost=TEXT,
        **dict.fromkeys(KUBEDL_BLOCKS, MEMORY_BLOCK),
        marsReplicaSpecs={"type": "object", "additionalProperties": role},
    )


def definition() -> dict[str, Any]:
    """The CustomResourceDefinition: columns and fields of KubeDL's v0.3.0, whose tutorial prints them, and what that drops.

    Templates are taken as they are: what is wrong in them is told by path in the job's conditions, all at once.
    """
    unnamed = {"type": "object", "required": ["containers"], "properties": {"containers": containers()}}
    schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": TEXT,
            "kind": TEXT,
            "metadata": {"type": "object"},
            "spec": spec(pod=unnamed | {"x-kubernetes-preserve-unknown-fields": True}),
            "status": ANYTHING,
        },
    }
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [
            {"name": name, "type": kind, "jsonPath": path} for name, (kind, path) in COLUMNS.items()
        ],
    }
    names = {"kind": KIND, "listKind": f"{KIND}List", "plural": PLURAL, "singular": "marsjob"}
    return body(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        {"name": f"{PLURAL}.{GROUP}"},
        spec={"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    )


COLUMNS = {
    "State": ("string", ".status.conditions[-1:].type"),
    "Age": ("date", ".metadata.creationTimestamp"),
    "Finished-TTL": ("integer", ".spec.ttlSecondsAfterFinished"),
    "Max-Lifetime": ("integer", ".spec.activeDeadlineSeconds"),
}
"""What kubectl prints beside the name: type and path of each."""


def containers() -> Schema:
    """One at least, of which no more is known."""
    return {"type": "array", "minItems": 1, "items": dict(ANYTHING)}
