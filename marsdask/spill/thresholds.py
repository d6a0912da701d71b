"""Where Dask's memory manager acts: target, spill, pause, terminate, and their order, which Dask does not check."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from marsdask.errors import ArgumentError

Off = Literal[False]

KEYS = "distributed.worker.memory."
DEFAULTS = {"target": 0.6, "spill": 0.7, "pause": 0.8, "terminate": 0.95}
MOST_CACHE = 0.85
"""The most of a worker's memory that is kept for data: above it nothing is left to compute in."""
LEAST_TARGET = 0.1
"""The least, where Python itself fills a small worker."""
STEP = 0.05
"""What pausing stays above spilling."""


@dataclass(frozen=True)
class Thresholds:
    """Shares of the memory limit at which Dask's memory manager acts; False is never. In order, checked."""

    target: float | Off
    spill: float | Off
    pause: float | Off
    terminate: float | Off
    notes: tuple[str, ...] = ()

    def to_dask_config(self) -> dict[str, float | Off]:
        return {KEYS + name: getattr(self, name) for name in DEFAULTS}


def give_way(found: dict[str, Any], said: Mapping[str, Any], names: dict[str, str], notes: list[str]) -> None:
    """Where pausing was set, spilling begins below it unless that was set too."""
    if not said["pause"]:
        return
    most = round(found["pause"] - STEP, 4)
    for name in ("spill", "target"):
        if said[name] is None and found[name] and found[name] > most:
            notes.append(
                f"{name} moved from {found[name]:.0%} to {most:.0%} of memory: {names['pause']} needs it."
            )
            found[name], names[name] = most, f"{name}={most}"


def check_order(found: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """target <= spill < pause < terminate; what is switched off is left out."""
    there = [name for name in DEFAULTS if found[name] is not False]
    for low, high in itertools.pairwise(there):
        wrong = found[low] > found[high] if (low, high) == ("target", "spill") else found[low] >= found[high]
        if wrong:
            raise ArgumentError(
                f"{names[low]} and {names[high]}: {low} begins at {found[low]:.0%} of memory, {high} at {found[high]:.0%}. "
                "Hint: the order is target, spill, pause, terminate."
            )
