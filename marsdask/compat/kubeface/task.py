"""What a task calls, and how what became of it is kept."""

from __future__ import annotations

import time
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marsdask.compat.kubeface import context
from marsdask.compat.kubeface.result import Result
from marsdask.errors import Exited
from marsdask.remote.durable.asked import label_of


def listed(value: Any) -> Any:
    """A generator's values, for it does not travel; else the value itself."""
    return list(value) if isinstance(value, types.GeneratorType) else value


class Task:
    """A call that can travel: `function(*args, **kwargs)`."""

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ):
        self.function, self.args, self.kwargs = function, tuple(args), dict(kwargs or {})

    def __repr__(self) -> str:
        return f"<Task {label_of(self.function)}>"

    def call(self) -> Any:
        """What the function gives back; its error is raised."""
        return listed(self.function(*self.args, **self.kwargs))

    def run(self, input_size: int | None = None) -> Result:
        """The same as a Result, which has the error, too, and sys.exit() is one."""
        start = time.time()
        try:
            value = self.call()
        except BaseException as error:  # noqa: BLE001 - the end of a task is its own error, whatever it is
            text = traceback.format_exc()
            if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
                error = Exited.by(label_of(self.function), error)
            return Result(start, time.time(), input_size, error, text)
        return Result(start, time.time(), input_size, return_value=value)


def run(task: Task) -> Result:
    """The result of a task that went well; the error of another is raised, so that it runs again in the next program."""
    start = time.time()
    value = task.call()
    return Result(start, time.time(), return_value=value)


@dataclass(frozen=True)
class Call:
    """A function as tasks call it. It is named by the function alone."""

    func: Callable[[Any], Any]

    def __call__(self, item: Any) -> Any:
        with context.in_task():
            return listed(self.func(item))

    def __dask_tokenize__(self) -> Any:
        return self.func
