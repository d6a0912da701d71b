"""What became of a task: its value or its error, and where and how long it ran."""

from __future__ import annotations

import platform
import socket
import sys
import time
from datetime import timedelta
from typing import Any

from marsdask.compat.kubeface import serialization, storage
from marsdask.compat.kubeface.common import human_readable_memory_size, log
from marsdask.errors import ArgumentError, ArgumentTypeError


def get_process_info() -> dict[str, Any]:
    """What is worth knowing of this process when something went wrong in it."""
    return {
        "invocation_args": list(sys.argv),
        "python_version": sys.version,
        "hostname": socket.gethostname(),
        "platform": platform.platform(),
    }


class Result:
    """Times in seconds since 1970; `result_type` is "value" or "exception"."""

    def __init__(
        self,
        start_time: float,
        end_time: float,
        input_size: int | None = None,
        exception: BaseException | None = None,
        exception_traceback_string: str | None = None,
        return_value: Any = None,
        process_info: dict[str, Any] | None = None,
    ):
        if exception is not None and return_value is not None:
            raise ArgumentError(f"return_value={return_value!r}: expected None beside an exception.")
        self.start_time, self.end_time, self.input_size = start_time, end_time, input_size
        self.exception, self.exception_traceback_string = exception, exception_traceback_string
        self.return_value = return_value
        self.process_info = get_process_info() if process_info is None else process_info
        self.result_type = "value" if exception is None else "exception"
        self.serialization_info: dict[str, Any] = {}
        """Where it was read from, and its size there."""

    @classmethod
    def from_storage(cls, storage_path: str) -> Result:
        """The result that is in a file."""
        content = storage.get(storage_path).read()
        found = serialization.loads(content)
        if not isinstance(found, cls):
            raise ArgumentTypeError(
                f"storage_path={storage_path!r}: expected a Result, got {type(found).__name__}."
            )
        found.serialization_info = {"storage_path": storage_path, "result_bytes": len(content)}
        return found

    def run_seconds(self) -> float:
        """How long it ran."""
        return self.end_time - self.start_time

    def description(self, indent: str = "") -> str:
        """Lines for people."""
        told = {
            "result type": self.result_type,
            "began": time.asctime(time.localtime(self.start_time)),
            "ran for": str(timedelta(seconds=self.run_seconds())),
            "host": self.process_info.get("hostname", "?"),
            "platform": self.process_info.get("platform", "?"),
            "Python": self.process_info.get("python_version", "?"),
            "command": " ".join(self.process_info.get("invocation_args", ())),
        }
        if self.input_size is not None:
            told["input"] = human_readable_memory_size(self.input_size)
        if "result_bytes" in self.serialization_info:
            told["result"] = human_readable_memory_size(self.serialization_info["result_bytes"])
        if self.exception is None:
            told["value of type"] = type(self.return_value).__name__
        else:
            told["exception"] = repr(self.exception)
            told["traceback"] = self.exception_traceback_string or ""
        return "\n".join(f"{indent}{name}: {value}" for name, value in told.items())

    def log(self) -> None:
        """Tell of it in the log: an error where it is one."""
        (log.debug if self.exception is None else log.error)("Result of a task:\n%s", self.description("  "))

    def raise_if_exception(self) -> None:
        """Raise its error, if it has one."""
        if self.exception is not None:
            raise self.exception
