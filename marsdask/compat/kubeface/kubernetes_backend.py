"""Tasks on workers in Kubernetes, by marsdask's own `new_cluster`; kubeface made a pod for each task."""

from __future__ import annotations

import argparse
import math
import shlex
import threading
from collections.abc import Mapping
from typing import Any, Self

from marsdask import checks
from marsdask.compat.kubeface.backend import Backend
from marsdask.compat.kubeface.common import log, note
from marsdask.compat.kubeface.storage import is_local
from marsdask.compat.kubeface.worker_configuration import DEFAULT, WorkerConfiguration
from marsdask.deploy.kubernetes.names import WEB
from marsdask.remote.durable.pods import Pods

POLICIES = ("Always", "IfNotPresent", "Never")
USER = 10001
"""Who runs in the pods: many images leave it at root, whom these may not have."""
INSTALLING = 900
"""Seconds that a pod may install before Kubernetes begins it again."""
PREPARE = """\
set -e
export USER="${USER:-kubeface}"
python=$(command -v python3 || command -v python) || { echo "There is no Python in PATH=$PATH" >&2; exit 1; }
export PIP_PYTHON="$python" PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_BREAK_SYSTEM_PACKAGES=1
if "$python" -c 'import sys; sys.exit(sys.prefix != sys.base_prefix)'; then
    export PIP_USER=1 PYTHONUSERBASE=/tmp/packages
else
    export PIP_PREFIX=/tmp/packages
    PYTHONPATH=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib", vars={"base": "/tmp/packages"}))')
    export PYTHONPATH
fi
export PATH="/tmp/packages/bin:$PATH"
command -v pip >/dev/null || { "$python" -m venv /tmp/pip; PATH="$PATH:/tmp/pip/bin"; }
"""
"""What comes before installing: only /tmp can be written, an image's Python may have no pip, and one in a virtual environment
knows no packages of a user."""
BEGIN = 'if command -v tini >/dev/null; then exec tini -g -- "$@"; else exec "$@"; fi'
"""What comes after it: the pod's own arguments, by tini where that is there, as in marsdask's image."""


class KubernetesBackend(Backend):
    """A cluster that is made when a job needs it, with a worker for each of the tasks that may run at a time."""

    name = "kubernetes"
    unseen = "what this machine alone has"

    @staticmethod
    def add_args(parser: Any) -> None:
        add = parser.add_argument
        add("--kubeface-kubernetes-cluster", help="a context of kubectl's configuration; the current one")
        add(
            "--kubeface-kubernetes-task-resources-cpu",
            type=float,
            default=1,
            help="cores of a task (%(default)s)",
        )
        add(
            "--kubeface-kubernetes-task-resources-memory-mb",
            type=float,
            default=1000.0,
            help="its memory (%(default)s)",
        )
        add("--kubeface-kubernetes-retries", type=int, default=12, help="no effect")
        add(
            "--kubeface-kubernetes-image-pull-policy",
            choices=POLICIES,
            default="Always",
            help="when nodes fetch the image (%(default)s)",
        )

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> Self:
        begin = "kubeface_kubernetes_"
        own = {
            name.removeprefix(begin): value for name, value in vars(args).items() if name.startswith(begin)
        }
        return cls(WorkerConfiguration.from_args(args), **own)

    def __init__(
        self,
        worker_configuration: WorkerConfiguration | None = DEFAULT,
        cluster: str | None = None,
        task_resources_cpu: float = 1,
        task_resources_memory_mb: float = 1000.0,
        retries: int = 12,
        image_pull_policy: str = "Always",
    ):
        self.worker_configuration = worker_configuration or DEFAULT
        self.image_pull_policy = checks.choice(image_pull_policy, "image_pull_policy", POLICIES)
        self.cluster = None if cluster is None else checks.name(cluster, "cluster")
        self.task_resources_cpu = checks.number(task_resources_cpu, "task_resources_cpu", above=0)
        self.task_resources_memory_mb = checks.number(
            task_resources_memory_mb, "task_resources_memory_mb", above=0
        )
        self.retries = checks.whole(retries, "retries", least=0)
        self.resources = {"cpu": math.ceil(self.task_resources_cpu)}  # all threads of a worker
        self._pods: Pods | None = None
        self._lock = threading.Lock()
        self._tell()

    def _tell(self) -> None:
        if self.retries != 12:
            note("retries", self.retries, "the operator tries until the cluster is there")

    def __reduce__(self) -> Any:
        return KubernetesBackend, (
            self.worker_configuration, self.cluster, self.task_resources_cpu, self.task_resources_memory_mb, 12, self.image_pull_policy,
        )  # fmt: skip

    def supports_storage(self, path: str) -> bool:
        return not is_local(path)

    def place(self, max_simultaneous_tasks: int, storage: str) -> Any:
        with self._lock:
            if self._pods is None:
                self._pods = made(self.cluster, storage, arguments(self, max_simultaneous_tasks))
            return self._pods.cluster.session

    def close(self) -> None:
        with self._lock:
            pods, self._pods = self._pods, None
        if pods is not None:
            pods.end()


def template(configuration: WorkerConfiguration) -> dict[str, Any] | None:
    """What is laid over the pods so that they install what their tasks need before they start.

    Nothing where all is as nobody said, for marsdask's own image has what it needs.
    """
    if not configuration.non_default_fields():
        return None
    prefix = configuration.path_prefix
    path = [f'export PATH={shlex.quote(prefix)}:"$PATH"\n'] if prefix else []
    script = "".join([*path, PREPARE, *(f"{step}\n" for step in configuration.installing()), BEGIN])
    container = {
        "command": ["sh", "-c", script, "sh"],
        "startupProbe": {
            "httpGet": {"path": "/health", "port": WEB},
            "periodSeconds": 1,
            "timeoutSeconds": 3,
            "failureThreshold": INSTALLING,
        },
    }
    return {"spec": {"securityContext": {"runAsUser": USER}, "containers": [container]}}


def arguments(backend: KubernetesBackend, max_simultaneous_tasks: int) -> Mapping[str, Any]:
    """What `marsdask.deploy.kubernetes.new_cluster` is asked for.

    kubeface's own image has no marsdask in it: where no other is named, the default of `new_cluster` is taken. The call
    returns when the first worker is there, for kubeface's pods waited for room, too.
    """
    configuration = backend.worker_configuration
    image = None if configuration.image == DEFAULT.image else configuration.image
    return {
        "worker_num": max_simultaneous_tasks,
        "min_worker_num": 1,
        "worker_cpu": backend.task_resources_cpu,
        "worker_mem": int(backend.task_resources_memory_mb * 2**20),
        "image": image,
        "image_pull_policy": backend.image_pull_policy,
        "pod_template": template(configuration),
    }


def made(context: str | None, storage: str, given: Mapping[str, Any]) -> Pods:
    """The cluster. It is not the default session: what else the program does stays where it was."""
    from kubernetes import config

    from marsdask.session import clear_default_session, get_default_session

    before = get_default_session()
    log.info("Making a cluster of %s workers.", given["worker_num"])
    pods = Pods(storage, None, config.new_client_from_config(context=context))
    pods.make(**given)
    if before is not None:
        before.as_default()
    else:
        clear_default_session()
    return pods
