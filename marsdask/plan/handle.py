"""Handles: what a user holds. A handle points at a node; assignment points it at another one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self
from weakref import WeakValueDictionary

from marsdask.plan.node import Node, _set
from marsdask.plan.offered import Offered

READY: list[Callable[[Any], None]] = []
"""Called with every handle that is new, or points at a new node; eager mode hangs here."""


FOR_DASK = ("dask_ml", "dask_glm")
"""Packages that write `x -= y` where x is their caller's: of arrays of Dask that makes another, and changes nothing."""


def in_code_for_dask() -> bool:
    """Whether the operator whose method asks stands in such a package."""
    module: str = sys._getframe(2).f_globals.get("__name__", "")
    return module.partition(".")[0] in FOR_DASK


class Handle(Offered):
    """Base of Tensor, DataFrame, Series, Index, GroupBy and Object.

    A view is a handle whose node is derived from the current node of its base, so that writes go through both
    ways: `derive` makes the view's node from the base's, `restore` the base's node from the view's new one.
    """

    _inside = frozenset(
        [
            "collection",
            "known",
            "node",
            "part_from",
            "rebind",
            "received",
            "unexecuted_repr",
            "view_of",
        ]
    )
    __slots__ = (
        "__weakref__",
        "_base",
        "_derive",
        "_group",
        "_keep",
        "_node",
        "_restore",
        "_result",
        "_seen",
        "_views",
    )
    _node: Node
    _base: Handle | None
    _result: Any
    """The executed data, held for as long as this handle points at it."""
    _keep: tuple[Any, ...]
    """Executed data of inputs, held until this handle is executed itself."""
    _seen: Node | None
    _views: WeakValueDictionary[int, Handle] | None
    """By id: handles compare by elements."""
    _group: list[Any]
    """Executed data of the other results of one operation, shared by their handles."""

    def __init__(self, node: Node, keep: tuple[Any, ...] = ()):
        # Frames look up columns where an attribute is set.
        _set(self, "_node", node)
        _set(self, "_base", None)
        _set(self, "_result", None)
        _set(self, "_keep", keep)
        _set(self, "_seen", None)
        _set(self, "_views", None)
        _set(self, "_group", [])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node,)  # the expression travels, executed data do not

    def __copy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Another handle of the same expression, which holds the same executed data."""
        kind, given = self.__reduce__()[:2]
        other: Self = kind(*given)
        _set(other, "_result", self._result)
        _set(other, "_keep", self._keep)
        _set(other, "_group", self._group)
        return other

    __deepcopy__ = __copy__

    def received(self, value: Any, session: Any) -> Any:
        """What `fetch()` gives back of the fetched data: the data."""
        return value

    @property
    def node(self) -> Node:
        """The node this handle points at now."""
        if self._base is not None:
            now = self._base.node
            if now is not self._seen:
                self._node, self._seen, self._result = self._derive(now), now, None
                self._keep = held(self._base)
        return self._node

    def view_of(
        self, base: Handle, derive: Callable[[Node], Node], restore: Callable[[Node, Node], Node]
    ) -> None:
        """Make this handle a view: it follows `base`, and writes to it reach `base`."""
        self._derive, self._restore = derive, restore
        self._follow(base)
        self._seen = base.node

    def _follow(self, base: Handle) -> None:
        if self._base is not None and self._base._views is not None:
            self._base._views.pop(id(self), None)
        if base._views is None:
            base._views = WeakValueDictionary()
        base._views[id(self)] = self
        self._base = base

    def part_from(self, former: Handle) -> None:
        """Hand the views of this handle to `former`, which stands for what this handle was until now."""
        for view in list((self._views or {}).values()):
            view._follow(former)

    def rebind(self, node: Node, keep: tuple[Any, ...] = ()) -> None:
        """Point this handle, and through a view its base, at a new node."""
        keep = (*held(self), *keep)
        if self._base is not None:
            self._base.rebind(self._restore(self._base.node, node), keep)
            self._seen = self._base.node
        self._node, self._result, self._keep = node, None, keep
        self._moved()

    def _moved(self) -> None:
        """Tell those who want to know that this handle points at a new node."""
        for ready in READY:
            ready(self)


def held(*handles: Handle) -> tuple[Any, ...]:
    """The executed data that work derived from these handles will read."""
    found: dict[int, Any] = {}
    for handle in handles:
        own = handle._result if handle.node is not None else None  # a view looks at its base first
        for result in handle._keep if own is None else (own,):
            found[id(result)] = result
    return tuple(found.values())
