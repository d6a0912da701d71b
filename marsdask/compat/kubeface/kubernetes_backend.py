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

POLICIES = ("Always", "IfNotPresent", "Never")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What follows a path prefix: nobody can ask an image for its own."""


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
        self._made: Any = None
        self._lock = threading.Lock()
        self._tell()

    def _tell(self) -> None:
        if self.retries != 12:
            note("retries", self.retries, "the operator tries until the cluster is there")
        if self.worker_configuration.pip_packages and self.worker_configuration.image == DEFAULT.image:
            packages = self.worker_configuration.pip_packages
            note("pip_packages", packages, "marsdask's own image installs nothing at its start")
        for name in ("pip", "kubeface_install_policy", "kubeface_install_command"):
            if name in self.worker_configuration.non_default_fields():
                value = getattr(self.worker_configuration, name)
                note(name, value, "marsdask has to be in the image")

    def __reduce__(self) -> Any:
        return KubernetesBackend, (
            self.worker_configuration, self.cluster, self.task_resources_cpu, self.task_resources_memory_mb, 12, self.image_pull_policy,
        )  # fmt: skip

    def supports_storage(self, path: str) -> bool:
        return not is_local(path)

    def place(self, max_simultaneous_tasks: int) -> Any:
        with self._lock:
            if self._made is None:
                self._made = made(self.cluster, arguments(self, max_simultaneous_tasks))
            return self._made.session

    def close(self) -> None:
        with self._lock:
            cluster, self._made = self._made, None
        if cluster is not None:
            cluster.stop()


def environment(configuration: WorkerConfiguration) -> dict[str, str]:
    """The environment of pods.

    >>> environment(WorkerConfiguration(pip_packages=["mhcflurry", "keras<3"]))
    {'EXTRA_PIP_PACKAGES': "mhcflurry 'keras<3'"}
    """
    said = {}
    if configuration.pip_packages:
        said["EXTRA_PIP_PACKAGES"] = shlex.join(configuration.pip_packages)
    if configuration.path_prefix:
        said["PATH"] = f"{configuration.path_prefix}:{PATH}"
    return said


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
        "extra_env": environment(configuration),
    }


def made(context: str | None, given: Mapping[str, Any]) -> Any:
    """The cluster. It is not the default session: what else the program does stays where it was."""
    from kubernetes import config

    from marsdask.deploy.kubernetes import new_cluster
    from marsdask.session import clear_default_session, get_default_session

    before = get_default_session()
    log.info("Making a cluster of %s workers.", given["worker_num"])
    cluster = new_cluster(config.new_client_from_config(context=context), **given)
    if before is not None:
        before.as_default()
    else:
        clear_default_session()
    return cluster
