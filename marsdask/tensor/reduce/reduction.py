"""Reductions: the public names, over the table of `states.py`."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ShapeError, Unbuilt
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import as_tensor, assign
from marsdask.tensor.elements.fusion import REDUCTIONS
from marsdask.tensor.fold import (
    axes_of,
    flat,
    fold,
    joined_at_once,
    reduced_shape,
    refuse_empty,
    result_dtype,
)
from marsdask.tensor.reduce.states import NOTHING, TABLE

ALIASES = {"amax": "max", "amin": "min", "product": "prod"}

METHODS = {"sum", "prod", "any", "all", "max", "min", "ptp", "mean", "var", "std", "argmax", "argmin"}

PLACES = {name for name in TABLE if "arg" in name}


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
    shape = (1,) * a.ndim
    line = name in PLACES and axis is None
    if line:
        a, axis = flat(a), (0,)
    chunk, finish = partial(how.chunk, **settings), partial(how.finish, **settings)
    found = fold(
        a, axis, chunk, how.combine, finish, dtype, keepdims=keepdims and not line, where=where, label=name,
        every=every,
    )  # fmt: skip
    return found.reshape(shape) if keepdims and line else found


def _dtype(name: str, dtype: Any, settings: dict[str, Any]) -> np.dtype[Any]:
    return result_dtype(getattr(np, name), dtype, **{k: v for k, v in settings.items() if k == "dtype"})


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


def _reduced(name: str, positional: tuple[str, ...], a: Any, *args: Any, **given: Any) -> Any:
    """A node of the reduction; arguments that are NumPy's defaults are left out, so that equal calls are equal."""
    given = {k: v for k, v in {**dict(zip(positional, args, strict=False)), **given}.items() if v is not None}
    a, takes = as_tensor(a), TABLE[name].takes
    axis = given.get("axis")
    kwargs: dict[str, Any] = {}
    # NumPy's ufuncs let a scalar be reduced along "its" axis; what is more than a ufunc does not.
    if axis is not None and (a.ndim or name.removeprefix("nan") not in REDUCTIONS or axis not in (0, -1)):
        kwargs["axis"] = (checks.axis(axis, a.ndim),) if name in PLACES else axes_of(axis, a.ndim)
    if given.get("keepdims"):
        kwargs["keepdims"] = True
    if "combine_size" in given:
        kwargs["every"] = joined_at_once(given["combine_size"])
    if "mean" in given:
        raise Unbuilt.argument(
            name, "mean", given["mean"], "leave it out: the mean is found in the same pass."
        )
    if "correction" in given:
        if given.get("ddof"):
            raise ArgumentError("ddof and correction can't be provided simultaneously.")
        given["ddof"] = given["correction"]
    if "dtype" in given:
        kwargs["dtype"] = np.dtype(given["dtype"])
    for key in ("initial", "ddof"):
        if key in given and given[key] is not takes[key]:
            kwargs[key] = given[key]
    if given.get("where", True) is not True:
        kwargs["where"] = as_tensor(given["where"])
    result = registry.make(name, a, **kwargs)
    return assign(given["out"], result) if "out" in given else result


def _signature(name: str) -> inspect.Signature:
    """NumPy's parameters, with Mars's `combine_size`."""
    takes = TABLE[name].takes
    settings: dict[str, Any] = {"axis": None}
    settings |= {"dtype": None} if "dtype" in takes else {}
    settings |= {"out": None} if name != "count_nonzero" else {}
    settings |= {"ddof": 0} if "ddof" in takes else {}
    settings |= {"keepdims": False, "combine_size": None}
    both, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    rest = {k: None if v is NOTHING else v for k, v in takes.items() if k not in settings}
    return inspect.Signature(
        [
            inspect.Parameter("a", both),
            *(inspect.Parameter(k, both, default=v) for k, v in settings.items()),
            *(inspect.Parameter(k, named, default=v) for k, v in rest.items()),
        ]
    )


for _public, _name in (*zip(TABLE, TABLE, strict=True), *ALIASES.items()):
    _shown = _signature(_name)
    public(
        _public,
        signature=_shown,
        owners=("Tensor",) if _public in METHODS else (),
        doc=f"NumPy's `{_public}` over axes, chunk by chunk, joined in a tree.",
    )(partial(_reduced, _name, tuple(_shown.parameters)[1:]))
for _name in TABLE:
    lowered(
        _name,
        sizes="aligned",
        meta=partial(_meta, _name),
        traits=("reducible",) if _name in REDUCTIONS else (),
    )(partial(_lower, _name))
