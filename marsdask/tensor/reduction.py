"""Reductions: the public names, over the table of `states.py`."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ShapeError, Unbuilt
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Op, add
from marsdask.tensor.core import as_tensor
from marsdask.tensor.fold import (
    axes_of,
    flat,
    fold,
    joined_at_once,
    one_axis,
    reduced_shape,
    refuse_empty,
    result_dtype,
)
from marsdask.tensor.states import NOTHING, SCALAR_AXIS, TABLE
from marsdask.tensor.views import assign

ALIASES = {"amax": "max", "amin": "min", "product": "prod"}

METHODS = {"sum", "prod", "any", "all", "max", "min", "ptp", "mean", "var", "std", "argmax", "argmin"}
FUSED = {"sum", "prod", "any", "all", "max", "min"}


def _lower(
    name: str,
    a: Any,
    axis: Any = None,
    keepdims: bool = False,
    where: Any = None,
    every: Any = None,
    **settings: Any,
) -> da.Array:
    how = TABLE[name]
    dtype = _dtype(name, a.dtype, settings)
    if name in PLACES and axis is None:
        shape = (1,) * a.ndim
        a, axis = flat(a), (0,)
        found = fold(a, axis, how.chunk, how.combine, how.finish, dtype, label=name, every=every)
        return found.reshape(shape) if keepdims else found
    chunk = partial(_masked, how.chunk, settings) if where is not None else partial(how.chunk, **settings)
    finish = partial(how.finish, **settings)
    return fold(
        a, axis, chunk, how.combine, finish, dtype, keepdims=keepdims, where=where, label=name, every=every
    )


def _masked(chunk: Any, settings: dict[str, Any], part: Any, axes: Any, where: Any) -> Any:
    return chunk(part, axes, where=where, **settings)


PLACES = {name for name in TABLE if "arg" in name}


def _dtype(name: str, dtype: Any, settings: dict[str, Any]) -> np.dtype[Any]:
    kwargs = {k: v for k, v in settings.items() if k in ("dtype",)}
    return result_dtype(getattr(np, name), dtype, **kwargs)


def _meta(
    name: str,
    a: TensorMeta,
    axis: Any = None,
    keepdims: bool = False,
    where: Any = None,
    every: Any = None,
    **settings: Any,
) -> TensorMeta:
    if not TABLE[name].identity and "initial" not in settings:
        refuse_empty(a, axis, name)
        if where is not None:
            raise ArgumentError(f"{name}(where=) needs initial= too: {name} has no identity.")
    if where is not None and where.ndim > a.ndim:
        raise ShapeError(f"{name}(where=): shape {where.shape} does not broadcast to {a.shape}.")
    return TensorMeta(reduced_shape(a, axis, keepdims), _dtype(name, a.dtype, settings))


def _prepare(
    name: str,
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    combine_size: Any = None,
    **given: Any,
) -> Any:
    a = as_tensor(a)
    takes = TABLE[name].takes
    kwargs: dict[str, Any] = {}
    axes: tuple[int, ...] | None
    if name in PLACES:
        axes = None if axis is None else (one_axis(axis, a.ndim),)
    else:
        # NumPy's ufuncs let a scalar be reduced along "its" axis; what is more than a ufunc does not.
        alone = not a.ndim and axis in (0, -1) and name.removeprefix("nan") in SCALAR_AXIS
        axes = None if alone else axes_of(axis, a.ndim)
    if axes is not None:
        kwargs["axis"] = axes
    if keepdims:
        kwargs["keepdims"] = True
    if combine_size is not None:
        kwargs["every"] = joined_at_once(combine_size)
    if given.get("correction") is not None:
        if given.get("ddof"):
            raise ArgumentError("ddof and correction can't be provided simultaneously.")
        given["ddof"] = given["correction"]
    if given.get("mean") is not None:
        raise Unbuilt.argument(
            name, "mean", given["mean"], "leave it out: the mean is found in the same pass."
        )
    for key in ("dtype", "initial", "ddof", "where"):
        value = given.get(key, takes.get(key))
        if key in takes and value is not takes[key] and value is not None:
            kwargs[key] = np.dtype(value) if key == "dtype" else value
    if (where := kwargs.get("where")) is True:
        del kwargs["where"]
    elif where is not None:
        kwargs["where"] = as_tensor(where)
    result = registry.make(name, a, **kwargs)
    return result if out is None else assign(out, result)


def _signature(name: str) -> inspect.Signature:
    """NumPy's parameters, with Mars's `combine_size`."""
    kind = inspect.Parameter
    both, named = kind.POSITIONAL_OR_KEYWORD, kind.KEYWORD_ONLY
    takes = TABLE[name].takes
    shown = [kind("a", both), kind("axis", both, default=None)]
    positional = [k for k in ("dtype",) if k in takes]
    shown += [kind(k, both, default=None) for k in positional]
    if name != "count_nonzero":
        shown.append(kind("out", both, default=None))
    if "ddof" in takes:
        shown.append(kind("ddof", both, default=0))
    shown.append(kind("keepdims", both, default=False))
    shown.append(kind("combine_size", both, default=None))
    rest = [k for k in takes if k not in ("dtype", "ddof")]
    shown += [kind(k, named, default=None if takes[k] is NOTHING else takes[k]) for k in rest]
    return inspect.Signature(shown)


def _register(public: str, name: str) -> None:
    lower = partial(_lower, name)
    lower.__doc__ = f"NumPy's `{public}` over axes, chunk by chunk, joined in a tree."  # type: ignore[attr-defined]
    add(
        Op(
            name=public,
            room="tensor",
            lower=lower,
            signature=_signature(name),
            status="tiled",
            meta=partial(_meta, name),
            owners=("Tensor",) if public in METHODS else (),
            sizes="aligned",
            prepare=partial(_prepare, name),
            traits=frozenset({"reducible"} if public in FUSED else ()),
        )
    )


for _name in TABLE:
    _register(_name, _name)
for _public, _name in ALIASES.items():
    _register(_public, _name)
