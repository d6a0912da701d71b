"""Kubernetes objects laid over each other, as users' own wishes are laid over what we make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEYS = ("name", "mountPath", "key", "containerPort")
"""What entries of a list are told apart by, the first that an entry has."""


def merged(base: Any, wish: Any) -> Any:
    """`base` with `wish` laid over it: dicts key by key, lists of named entries by name, anything else replaced.

    None in a wish takes a key away. Neither argument is changed.

    >>> merged({"a": 1, "env": [{"name": "X", "value": "1"}]}, {"a": None, "env": [{"name": "X", "value": "2"}]})
    {'env': [{'name': 'X', 'value': '2'}]}
    """
    if isinstance(base, Mapping) and isinstance(wish, Mapping):
        both = dict(base)
        for key, value in wish.items():
            if value is None:
                both.pop(key, None)
            else:
                both[key] = merged(both.get(key), value)
        return both
    if isinstance(wish, Mapping):
        return merged({}, wish)
    if isinstance(base, list) and isinstance(wish, list) and all(_name(e) for e in (*base, *wish)):
        by_name = {_name(each): each for each in base}
        for each in wish:
            by_name[_name(each)] = merged(by_name.get(_name(each)), each)
        return list(by_name.values())
    return wish


def _name(entry: Any) -> Any:
    """What tells an entry of a list from the others, or nothing."""
    if not isinstance(entry, Mapping):
        return None
    return next(((key, entry[key]) for key in KEYS if key in entry), None)


def with_wishes(pod: Mapping[str, Any], *wishes: Mapping[str, Any]) -> dict[str, Any]:
    """A pod template, `{"metadata": ..., "spec": ...}`, with the user's laid over it in turn.

    A container of a wish that has no name is the pod's own.
    """
    made = dict(pod)
    for wish in wishes:
        made = merged(made, _named(wish, made["spec"]["containers"][0]["name"]))
    return made


def _named(wish: Mapping[str, Any], name: str) -> dict[str, Any]:
    spec = wish.get("spec")
    if not isinstance(spec, Mapping) or not isinstance(spec.get("containers"), list):
        return dict(wish)
    containers = [{"name": name, **c} if isinstance(c, Mapping) else c for c in spec["containers"]]
    return {**wish, "spec": {**spec, "containers": containers}}
