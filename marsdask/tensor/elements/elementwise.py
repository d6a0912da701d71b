"""Elementwise operations: NumPy's ufuncs, a line each, and how they are lowered and fused.

To add one that NumPy has as a ufunc, add its name to the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from dask.array.core import elemwise

from marsdask.errors import ArgumentTypeError, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta, TupleMeta
from marsdask.plan.registry import lowered, public
from marsdask.tensor.core import SCALARS, as_tensor
from marsdask.tensor.views import assign


def elementwise(*names: str, owners: Iterable[str] = ()) -> None:
    """Declare NumPy ufuncs by name: public function, fusion, metadata, oracle test follow from it."""
    for name in names:
        ufunc = getattr(np, name)
        unary = ufunc.nin == 1
        operands = "a tensor" if unary else "two tensors, broadcast against each other"
        public(name, owners=owners, doc=f"NumPy's `{name}` of each element of {operands}.")(
            partial(_unary if unary else _binary, name)
        )
        lowered(
            name,
            status="delegated",
            meta=partial(broadcast_meta, ufunc),
            sizes="aligned",
            traits={"ufunc"} if ufunc.nout == 1 else (),
        )(partial(_lower, ufunc))


def _unary(
    name: str,
    x: Any,
    out: Any = None,
    where: Any = None,
    *,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
) -> Any:
    return _made(name, [x], out, where, casting, order, dtype)


def _binary(
    name: str,
    x1: Any,
    x2: Any,
    out: Any = None,
    where: Any = None,
    *,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
) -> Any:
    return _made(name, [x1, x2], out, where, casting, order, dtype)


def _made(name: str, operands: list[Any], out: Any, where: Any, casting: str, order: str, dtype: Any) -> Any:
    inputs = [v if isinstance(v, SCALARS) else as_tensor(v) for v in operands]
    if all(isinstance(v, SCALARS) for v in inputs):
        inputs[0] = as_tensor(inputs[0])
    extra = {} if dtype is None else {"dtype": np.dtype(dtype)}
    if casting != "same_kind":
        extra["casting"] = casting
    if order not in ("K", "A", "C", "F"):
        raise ArgumentTypeError(f"{name}(order={order!r}): expected 'K', 'A', 'C' or 'F'.")
    result = registry.make(name, *inputs, **extra)
    if order in ("C", "F"):
        result = registry.make("copy", result, order)
    outs = out if isinstance(out, tuple) else (out,)
    if all(o is None for o in outs):
        return result  # with where= alone NumPy leaves the rest unset; the values of the whole are as good
    results = result if isinstance(result, tuple) else (result,)
    if len(outs) != len(results):
        raise ArgumentTypeError(f"{name}(out=): expected {len(results)} tensors, got {len(outs)}.")
    done = list(outs)
    for i, (o, r) in enumerate(zip(outs, results, strict=True)):
        if o is not None:
            r = r if where is None else registry.make("where", as_tensor(where), r, o)
            done[i] = assign(o, r, casting=casting)
    return tuple(done) if len(done) > 1 else done[0]


def _lower(ufunc: np.ufunc, *args: Any, **kwargs: Any) -> Any:
    if ufunc.nout == 1:
        return elemwise(ufunc, *args, **kwargs)
    return tuple(elemwise(partial(_output, ufunc, kwargs, i), *args) for i in range(ufunc.nout))


def _output(ufunc: np.ufunc, kwargs: dict[str, Any], i: int, *args: Any) -> Any:
    return ufunc(*args, **kwargs)[i]


def broadcast_meta(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Metadata of an elementwise function: shapes broadcast, dtype by calling it on nothing."""
    tensors = [a for a in args if isinstance(a, TensorMeta)]
    shape = broadcast_shape(*(t.shape for t in tensors))
    # Tensors without axes count as scalars for NumPy's dtype, unless there is nothing else.
    whole = not any(t.shape for t in tensors)
    empty = [
        np.empty((0,) if a.shape or whole else (), a.dtype) if isinstance(a, TensorMeta) else a for a in args
    ]
    try:
        result = function(*empty, **kwargs)
    except TypeError as error:
        raise ArgumentTypeError(str(error)) from None
    order = "F" if tensors and all(t.order == "F" for t in tensors) else "C"
    if isinstance(result, tuple):
        return TupleMeta(tuple(TensorMeta(shape, r.dtype, order) for r in result))
    return TensorMeta(shape, result.dtype, order)


def broadcast_shape(*shapes: tuple[float, ...]) -> tuple[float, ...]:
    """NumPy's broadcasting, `nan` lengths included: an unknown one fits everything but gives way to none other than 1.

    >>> broadcast_shape((3, 1), (4,))
    (3, 4)
    """
    ndim = max(map(len, shapes), default=0)
    result: list[float] = []
    for lengths in zip(*((1,) * (ndim - len(s)) + tuple(s) for s in shapes), strict=True):
        known = {n for n in lengths if n != 1 and not math.isnan(n)}
        if len(known) > 1:
            raise ShapeError(
                "operands could not be broadcast together with shapes "
                + " ".join(str(tuple(s)) for s in shapes)
            )
        unknown = any(math.isnan(n) for n in lengths)
        result.append(known.pop() if known else math.nan if unknown else 1)
    return tuple(result)


elementwise(
    "add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "power", "float_power", "remainder", "mod",
    "fmod", "divmod", "negative", "positive", "absolute", "abs", "fabs", "rint", "sign", "heaviside",
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square", "cbrt", "reciprocal", "gcd", "lcm",
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "hypot", "sinh", "cosh", "tanh", "arcsinh", "arccosh",
    "arctanh", "deg2rad", "rad2deg", "degrees", "radians", "logaddexp", "logaddexp2", "maximum", "minimum", "fmax", "fmin",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor",
    "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "invert", "left_shift", "right_shift", "isfinite", "isinf",
    "isnan", "signbit", "copysign", "nextafter", "spacing", "modf", "ldexp", "frexp", "floor", "ceil", "trunc",
)  # fmt: skip
elementwise("conj", "conjugate", owners=["Tensor"])
