"""What operations are called in names of tasks, which people read on a dashboard."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

# Owners and rooms without which a name says little.
OWNERS = {"GroupBy", "Rolling", "Expanding", "EWM", "groupby"}
ROOMS = {"random", "linalg", "str", "dt", "cat"}
FUNCTION = ("func", "function")  # parameters that take a user's function


def of_operation(name: str) -> str:
    """The label of an entry of the registry.

    >>> of_operation("frame.__add__"), of_operation("GroupBy.agg"), of_operation("random.rand")
    ('add', 'groupby-agg', 'random.rand')
    """
    owner, _, last = name.rpartition(".")
    last = last.strip("_") or last
    if last == "of":  # the tiled part of what the owner's name says
        return owner
    if owner in OWNERS:
        return spelled(owner.lower(), last)
    return f"{owner}.{last}" if owner in ROOMS else last


def spelled(first: str, rest: str) -> str:
    """Two words in one name. After a "-" Dask's dashboard shows letters only.

    >>> spelled("groupby", "agg"), spelled("groupby", "value_counts")
    ('groupby-agg', 'groupby.value_counts')
    """
    return f"{first}-{rest}" if rest.isalpha() else f"{first}.{rest}"


def written(label: str) -> str:
    """A label as people write what they called.

    >>> written("groupby-agg"), written("sort")
    ('groupby.agg', 'sort')
    """
    return label.replace("-", ".")


def of_call(label: str, arguments: Mapping[str, Any], *, bare: bool = False) -> str:
    """The label of a call, with the function that it is given; `bare`: that function's name alone.

    >>> of_call("groupby-apply", {"func": len}), of_call("apply", {"func": lambda x: x})
    ('groupby.apply(len)', 'apply')
    """
    given = [arguments[name] for name in FUNCTION if name in arguments]
    function = function_name(given[0]) if given else ""
    if bare:
        return function or label
    return f"{written(label)}({function})" if function else label


def unwrapped(function: Any) -> Any:
    """The function of a `functools.partial`."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def function_name(function: Any) -> str:
    """The name of a function as people wrote it; nothing for a lambda or what is no function."""
    function = unwrapped(function)
    name = getattr(function, "__name__", type(function).__name__) if callable(function) else ""
    return name[:40] if name.isidentifier() else ""
