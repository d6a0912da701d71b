"""What a client needs of where its tasks run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Self

from marsdask.errors import ArgumentError

Function = Callable[[Any], Any]


class Backend:
    """A place for tasks: the `cluster` of a durable client, and what is to be done with functions before they go there."""

    name = ""
    processes = True
    """Whether tasks run elsewhere than in this process."""
    unseen = "the memory of this process"
    resources: Mapping[str, Any] | None = None
    """What a task asks for."""

    @staticmethod
    def add_args(parser: Any) -> None:
        """Add this backend's own options to a parser."""

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> Self:
        """Of what a parser has found."""
        return cls()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def supports_storage(self, path: str) -> bool:
        """Whether tasks see this storage."""
        return not (self.processes and path.startswith("memory://"))

    def check(self, storage: str) -> None:
        """Raises ArgumentError where tasks would not see this storage."""
        if not self.supports_storage(storage):
            raise ArgumentError(
                f"storage={storage!r}: the backend {self.name!r} needs storage that its tasks see, and not {self.unseen}. "
                "Hint: a bucket, as 'gs://bucket/folder' or 's3://bucket/folder'."
            )

    def place(self, max_simultaneous_tasks: int, storage: str) -> Any:
        """What a durable client takes as its `cluster`."""
        raise NotImplementedError

    def wrapped(self, function: Function, storage: str) -> Function:
        """A function as the cluster calls it."""
        return function

    def close(self) -> None:
        """End what was started."""
