"""Where code runs: in the program ("master"), or in a task."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from marsdask.compat.kubeface.naming import hash_value

MASTER: dict[str, Any] = {"node_type": "master", "task_input_path": None, "task_result_path": None}
_here: ContextVar[dict[str, Any]] = ContextVar("kubeface", default=MASTER)


class _Runtime(Mapping[str, Any]):
    """kubeface's dict; here tasks can be threads of one process, and each has its own."""

    def __getitem__(self, name: str) -> Any:
        return _here.get()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_here.get())

    def __len__(self) -> int:
        return len(_here.get())


RUNTIME_CONTEXT = _Runtime()


@contextlib.contextmanager
def in_task(task_input_path: str = "", task_result_path: str = "") -> Iterator[None]:
    """The block is a task, of these files where it has any."""
    path = task_result_path or uuid.uuid4().hex
    told = {"node_type": "task", "task_input_path": task_input_path, "task_result_path": path}
    before = _here.set(told)
    try:
        yield
    finally:
        _here.reset(before)


def node_id() -> str:
    """A name of the place: 'node-master', or another for each task.

    >>> node_id()
    'node-master'
    """
    if RUNTIME_CONTEXT["node_type"] == "master":
        return "node-master"
    return f"node-{hash_value(RUNTIME_CONTEXT['task_result_path'])}"
