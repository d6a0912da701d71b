"""Memory limits, and the disk that data go to when they are reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marsdask.spill.policy import MemoryPolicy, Thresholds

if TYPE_CHECKING:
    from marsdask.spill.worker import MarsNanny, MarsWorker, cluster_arguments

__all__ = ["MarsNanny", "MarsWorker", "MemoryPolicy", "Thresholds", "cluster_arguments"]


def __getattr__(name: str) -> Any:
    # A policy is read also where no worker will run: distributed is imported with the first worker.
    if name in ("MarsNanny", "MarsWorker", "cluster_arguments"):
        from marsdask.spill import worker

        return getattr(worker, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
