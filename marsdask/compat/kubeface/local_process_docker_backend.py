"""Tasks that each run in a container of this machine."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Any, Self

from marsdask import checks, pickles
from marsdask.compat.kubeface import serialization
from marsdask.compat.kubeface.backend import Backend, Function
from marsdask.compat.kubeface.common import log
from marsdask.compat.kubeface.result import Result
from marsdask.compat.kubeface.storage import is_local
from marsdask.compat.kubeface.task import Task
from marsdask.compat.kubeface.worker_configuration import DEFAULT, WorkerConfiguration
from marsdask.errors import Exited, MissingFile
from marsdask.plan import code
from marsdask.remote.durable.asked import label_of

MOUNT = "/kubeface-data"
TAIL = 2000
"""Characters of what a container printed that its error shows."""


class LocalProcessDockerBackend(Backend):
    """A container for each task; threads of this process start them and wait."""

    name = "local-process-docker"

    @staticmethod
    def add_args(parser: Any) -> None:
        parser.add_argument(
            "--kubeface-local-process-docker-command", default="docker", help="docker's command (%(default)s)"
        )

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> Self:
        return cls(WorkerConfiguration.from_args(args), args.kubeface_local_process_docker_command)

    def __init__(self, worker_configuration: WorkerConfiguration = DEFAULT, docker_command: str = "docker"):
        self.worker_configuration = worker_configuration
        self.docker_command = checks.name(docker_command, "docker_command")

    def place(self, max_simultaneous_tasks: int, storage: str) -> Any:
        return "threads"

    def wrapped(self, function: Function, storage: str) -> Function:
        return InContainer(function, self, storage)

    def command(self, folder: str, storage: str) -> list[str]:
        """What runs the task whose files are in a folder.

        Storage on this machine is at the same place in the container, where remote objects and clients look for it.
        """
        volumes = [f"{folder}:{MOUNT}"]
        if is_local(storage):
            path = os.path.abspath(storage.partition("://")[2] or storage)
            volumes.append(f"{path}:{path}")
        run = self.worker_configuration.command(f"{MOUNT}/input", f"{MOUNT}/result")
        options = [each for volume in volumes for each in ("-v", volume)]
        image = self.worker_configuration.image
        return [*shlex.split(self.docker_command), "run", "--rm", *options, image, "sh", "-c", run]


@dataclass
class InContainer:
    """A function that runs each item in a container. It is named by the function, and by what the container is made of."""

    func: Function
    backend: LocalProcessDockerBackend
    storage: str
    _packed: bytes = field(default=b"", repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    def __dask_tokenize__(self) -> Any:
        return (self.func, vars(self.backend.worker_configuration))

    def __reduce__(self) -> Any:
        return InContainer, (self.func, self.backend, self.storage)

    def __call__(self, item: Any) -> Any:
        name = label_of(self.func)
        with tempfile.TemporaryDirectory(prefix="kubeface-") as folder:
            with open(f"{folder}/input", "wb") as file:
                file.write(serialization.dumps(Task(opened_call, (self._pickled(), item))))
            command = self.backend.command(folder, self.storage)
            log.info("Running a task of %r: %s", name, shlex.join(command))
            try:
                done = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
            except FileNotFoundError as error:
                raise MissingFile(
                    f"docker_command={self.backend.docker_command!r}: there is no such command. Hint: install docker, or say "
                    "another one, as 'podman'."
                ) from error
            log.debug("%s", done.stdout.decode("utf-8", "replace"))
            if not os.path.exists(f"{folder}/result"):
                tail = done.stdout.decode("utf-8", "replace")[-TAIL:]
                raise Exited(
                    f"a task of {name!r}: its container ended with exit code {done.returncode} and no result.\n{tail}"
                )
            result = Result.from_storage(f"{folder}/result")
        if result.exception is not None:
            result.exception.add_note(f"In the container:\n{result.exception_traceback_string}")
        result.raise_if_exception()
        return result.return_value

    def _pickled(self) -> bytes:
        with self._lock:
            if not self._packed:
                walk = code.Walk(self.func)
                self._packed = pickles.packed(self.func, walk.modules.values(), walk.imported)
            return self._packed


def opened_call(packed: bytes, item: Any) -> Any:
    """In the container: call a function as it travelled."""
    return pickles.opened(packed).func(item)
