"""Tasks in processes, or threads, of this machine."""

from __future__ import annotations

import argparse
from typing import Any, Self

from marsdask.compat.kubeface.backend import Backend
from marsdask.compat.kubeface.common import note
from marsdask.compat.kubeface.worker_configuration import DEFAULT, WorkerConfiguration
from marsdask.errors import ArgumentError


class LocalProcessBackend(Backend):
    """Processes that are started when a task needs them, and end a minute after the last one."""

    name = "local-process"
    where = "processes"

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> Self:
        return cls(WorkerConfiguration.from_args(args))

    def __init__(self, worker_configuration: WorkerConfiguration = DEFAULT):
        self.worker_configuration = worker_configuration
        said = worker_configuration.non_default_fields()
        if worker_configuration.kubeface_install_policy == "never":
            said.discard("kubeface_install_policy")  # nothing is installed here
        if "path_prefix" in said:
            said.discard("path_prefix")
            note("path_prefix", worker_configuration.path_prefix, "tasks run with this program's own Python")
        if said:
            name = min(said)
            raise ArgumentError(
                f"{name}={getattr(worker_configuration, name)!r}: the backend {self.name!r} runs tasks in the environment of "
                "this program, and installs nothing. Hint: take the backend 'local-process-docker' or 'kubernetes'."
            )

    def place(self, max_simultaneous_tasks: int, storage: str) -> Any:
        return self.where


class ThreadsBackend(LocalProcessBackend):
    """Threads of this process. kubeface has none; they start at once, and tasks share memory."""

    name = "threads"
    where = "threads"
    processes = False
