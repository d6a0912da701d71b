"""Which reshapes are views: NumPy's answer depends on strides, so views keep count of theirs without data.

A tensor that is no view lies in memory in its order. A view's layout is what NumPy's own view of a stand-in has: an
array of the right shape and strides over one byte, of which nothing is ever read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from marsdask.plan.handle import Handle
from marsdask.plan.meta import PLACEHOLDERS
from marsdask.plan.node import Node

_NOTHING = np.zeros(1, "u1")


def stand_in(
    shape: Sequence[float], strides: Sequence[int] | None = None, order: str = "C"
) -> np.ndarray[Any, Any]:
    """An array of that shape over one byte. Its elements must not be looked at."""
    lengths = [PLACEHOLDERS[0] if math.isnan(n) else int(n) for n in shape]
    if strides is None:
        steps = [max(n, 1) for n in lengths]
        strides = [math.prod(steps[i + 1 :] if order == "C" else steps[:i]) for i in range(len(steps))]
    return np.lib.stride_tricks.as_strided(_NOTHING, lengths, strides, writeable=False)


def layout(handle: Any) -> np.ndarray[Any, Any]:
    """A stand-in laid out as the tensor is."""
    base: Handle | None = handle._base
    if base is None:
        return stand_in(handle.known.shape, order=handle.known.order)
    below = layout(base)
    # What the view says: after a write its own node says what was written.
    node: Node = handle._derive(base.node)
    if node.op == "slice":
        found = below[node.args[1]]
        return found if isinstance(found, np.ndarray) else stand_in(())
    if node.op == "transpose":
        return below.transpose(node.args[1])
    if node.op == "reshape":
        _, shape, order = node.args
        strides = view_strides(below, shape, order)
        if strides is not None:
            return stand_in(_full(below, shape), strides)
    if node.op == "broadcast_to":
        return np.broadcast_to(below, node.args[1])
    return stand_in(handle.known.shape, order=handle.known.order)


def _full(x: np.ndarray[Any, Any], shape: Sequence[int]) -> tuple[int, ...]:
    rest = math.prod(n for n in shape if n != -1)
    return tuple(x.size // rest if n == -1 else n for n in shape) if rest else tuple(max(n, 0) for n in shape)


def reshape_is_view(handle: Any, shape: Sequence[int], order: str) -> bool:
    """Whether NumPy gives a view for `handle.reshape(shape, order=order)`."""
    return view_strides(layout(handle), shape, order) is not None


def view_strides(x: np.ndarray[Any, Any], shape: Sequence[int], order: str) -> list[int] | None:
    """The strides of a reshaped view, or None where the elements would have to move.

    Runs of old axes and runs of new axes of the same product are matched; within a run of old axes each must step over
    exactly the next.
    """
    new = _full(x, shape)
    if x.size != math.prod(new) or not x.size:
        # Unknown lengths that do not divide, or nothing to move.
        return list(stand_in(new, order=order).strides)
    old = [(n, s) for n, s in zip(x.shape, x.strides, strict=True) if n != 1]
    target = list(new)
    if order == "F":
        old.reverse()
        target.reverse()
    strides: list[int] = []
    i = j = 0
    while i < len(old):
        have, want = old[i][0], 1
        a, b = i + 1, j
        while have != want:
            if want < have:
                want *= target[b]
                b += 1
            else:
                have *= old[a][0]
                a += 1
        if any(old[k][1] != old[k + 1][0] * old[k + 1][1] for k in range(i, a - 1)):
            return None
        strides += [old[a - 1][1] * math.prod(target[k + 1 : b]) for k in range(j, b)]
        i, j = a, b
    strides += [1] * (len(target) - j)
    if order == "F":
        strides.reverse()
    return strides
