"""Views: handles derived from a base, so that writes go both ways (NumPy's rule for slices, transposes, reshapes)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from marsdask.errors import ArgumentTypeError, ShapeError
from marsdask.plan import registry
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import meta
from marsdask.plan.node import Node


def view(base: Handle, derive: Callable[[Node], Node], restore: Callable[[Node, Node], Node]) -> Any:
    """A handle on `derive(base's node)` that follows its base; `restore(base, view)` is the base after a write.

    A view of something that is no handle (an ndarray just converted) is a plain result.
    """
    handle = registry.wrap(derive(base.node), held(base))
    handle.view_of(base, derive, restore)
    return handle


def derived(name: str, *args: Any) -> Callable[[Node], Node]:
    """For `view`: the node of an operation of its base and `args`."""
    return partial(_derived, name, args)


def _derived(name: str, args: tuple[Any, ...], base: Node) -> Node:
    return Node(name, (base, *args))


def given(result: Any, out: Any) -> Any:
    """The result, in `out` where one is given."""
    return result if out is None else assign(out, result)


def become(target: Handle, made: Handle) -> None:
    """Point a handle at what was made of it."""
    target.rebind(made.node, held(made))


def assign(target: Handle, value: Any, *, casting: Any = "same_kind", what: str = "out") -> Any:
    """`target[...] = value` by NumPy's casting rule: rebinds `target`, returns it. For `out=` and `+=`.

    Raises TypeError for an unsafe cast, ValueError where `value` does not broadcast to the target's shape.
    """
    if not isinstance(target, Handle) or meta(target.node).kind != "Tensor":
        raise ArgumentTypeError(
            f"{what}= takes a tensor, got {type(target).__name__}. Hint: {what}=mt.tensor(...)"
        )
    new, old = meta(value.node), meta(target.node)
    if not np.can_cast(new.dtype, old.dtype, casting=casting):
        raise ArgumentTypeError(
            f"{what}: cannot cast from {new.dtype} to {old.dtype} with casting={casting!r}."
        )
    same = len(new.shape) == len(old.shape) and all(
        a == b or a != a or b != b for a, b in zip(new.shape, old.shape, strict=True)
    )
    if not same:
        try:
            fits = np.broadcast_shapes(new.shape, old.shape) == old.shape
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError(f"{what}: a result of shape {new.shape} does not fit into shape {old.shape}.")
        value = registry.make("broadcast_to", value, tuple(int(n) for n in old.shape))
    if new.dtype != old.dtype:
        value = registry.make("astype", value, old.dtype)
    become(target, value)
    return target
