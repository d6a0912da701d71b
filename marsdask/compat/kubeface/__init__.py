"""kubeface's names on marsdask's durable map: `import marsdask.compat.kubeface as kubeface`.

>>> import argparse, tempfile
>>> parser = argparse.ArgumentParser()
>>> Client.add_args(parser)
>>> args = parser.parse_args(["--kubeface-backend", "threads", "--kubeface-storage", tempfile.mkdtemp()])
>>> list(Client.from_args(args).map(lambda x: x**2, range(1, 5)))
[1, 4, 9, 16]
"""

from marsdask.compat.kubeface.client import Client
from marsdask.compat.kubeface.job import Job
from marsdask.compat.kubeface.kubernetes_backend import KubernetesBackend
from marsdask.compat.kubeface.local_process_backend import LocalProcessBackend, ThreadsBackend
from marsdask.compat.kubeface.local_process_docker_backend import LocalProcessDockerBackend
from marsdask.compat.kubeface.remote_object import RemoteObject
from marsdask.compat.kubeface.result import Result
from marsdask.compat.kubeface.task import Task
from marsdask.compat.kubeface.worker_configuration import WorkerConfiguration

__all__ = [
    "Client",
    "Job",
    "KubernetesBackend",
    "LocalProcessBackend",
    "LocalProcessDockerBackend",
    "RemoteObject",
    "Result",
    "Task",
    "ThreadsBackend",
    "WorkerConfiguration",
]
