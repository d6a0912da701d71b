"""Values that stand for others until somebody needs those: between the tasks of one chain, never outside of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import MethodType
from typing import TYPE_CHECKING, Any


class Late:
    """A value that is made when somebody needs it, by its `whole()`."""

    if TYPE_CHECKING:

        def whole(self) -> Any: ...


def whole(value: Any) -> Any:
    """The value that something stands for; anything else as it is."""
    return value.whole() if isinstance(value, Late) else value


def late(func: Callable[..., Any]) -> Callable[..., Any]:
    """`func`, which may get and give values that stand for others; only a chain calls it so, and to all others it gives whole ones."""

    @wraps(func)
    def made(*args: Any, **kwargs: Any) -> Any:
        return whole(func(*args, **kwargs))

    made.late = func  # type: ignore[attr-defined]
    return made


def knowing(func: Callable[..., Any]) -> Callable[..., Any] | None:
    """What a chain calls in the place of `func`; None where that knows nothing of late values."""
    if type(func) is partial:
        inner = knowing(func.func)
        return inner and partial(inner, *func.args, **func.keywords)
    found = getattr(func, "late", None)
    owner = getattr(func, "__self__", None)
    return found if found is None or owner is None else MethodType(found, owner)
