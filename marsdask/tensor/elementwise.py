"""Elementwise operations: NumPy's ufuncs, a line each, and how they are lowered and fused.

To add one that NumPy has as a ufunc, add its name to the table.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from dask.array.core import elemwise

from marsdask.errors import ArgumentTypeError, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta, TupleMeta
from marsdask.plan.registry import Op, add
from marsdask.tensor.core import SCALARS, as_tensor
from marsdask.tensor.views import assign


def elementwise(*names: str, methods: bool = False, **entry: Any) -> None:
    """Register NumPy ufuncs by name: public function, fusion, metadata, oracle test follow from it."""
    for name in names:
        ufunc = getattr(np, name)
        add(
            Op(
                name=name,
                room="tensor",
                lower=_documented(partial(_lower, ufunc), name, ufunc),
                signature=_signature(ufunc),
                status="delegated",
                meta=partial(broadcast_meta, ufunc),
                owners=("Tensor",) if methods else (),
                sizes="aligned",
                prepare=partial(_prepare, name, ufunc),
                traits=frozenset({"ufunc"} if ufunc.nout == 1 else ()),
                **entry,
            )
        )


def _documented(lower: Any, name: str, ufunc: np.ufunc) -> Any:
    operands = "tensor" if ufunc.nin == 1 else "two tensors, broadcast against each other"
    lower.__doc__ = f"NumPy's `{name}` of each element of {'a ' if ufunc.nin == 1 else ''}{operands}."
    return lower


def _signature(ufunc: np.ufunc) -> inspect.Signature:
    kind = inspect.Parameter
    names = ["x"] if ufunc.nin == 1 else [f"x{i + 1}" for i in range(ufunc.nin)]
    both = kind.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [
            *(kind(n, both) for n in names),
            kind("out", both, default=None),
            kind("where", both, default=None),
            kind("casting", kind.KEYWORD_ONLY, default="same_kind"),
            kind("order", kind.KEYWORD_ONLY, default="K"),
            kind("dtype", kind.KEYWORD_ONLY, default=None),
        ]
    )


def _prepare(
    name: str,
    ufunc: np.ufunc,
    out: Any = None,
    where: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    **operands: Any,
) -> Any:
    inputs = [v if isinstance(v, SCALARS) else as_tensor(v) for v in operands.values()]
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
    if out is None or (isinstance(out, tuple) and all(o is None for o in out)):
        return result  # with where= alone NumPy leaves the rest unset; the values of the whole are as good
    outs = out if isinstance(out, tuple) else (out,)
    results = result if ufunc.nout > 1 else (result,)
    if len(outs) != len(results):
        raise ArgumentTypeError(f"{name}(out=): expected {len(results)} tensors, got {len(outs)}.")
    done = tuple(
        o
        if o is None
        else assign(
            o, r if where is None else registry.make("where", as_tensor(where), r, o), casting=casting
        )
        for o, r in zip(outs, results, strict=True)
    )
    return done if ufunc.nout > 1 else done[0]


def _lower(ufunc: np.ufunc, *args: Any, **kwargs: Any) -> Any:
    if ufunc.nout == 1:
        return elemwise(ufunc, *args, **kwargs)
    first = partial(_output, ufunc, kwargs)
    return tuple(elemwise(partial(first, i), *args) for i in range(ufunc.nout))


def _output(ufunc: np.ufunc, kwargs: dict[str, Any], i: int, *args: Any) -> Any:
    return ufunc(*args, **kwargs)[i]


def broadcast_meta(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Metadata of an elementwise function: shapes broadcast, dtype by calling it on nothing."""
    tensors = [a for a in args if isinstance(a, TensorMeta)]
    shape = broadcast_shape(*(t.shape for t in tensors))
    empty = [np.empty((0,) if a.shape else (), a.dtype) if isinstance(a, TensorMeta) else a for a in args]
    if not any(isinstance(e, np.ndarray) and e.shape for e in empty):
        empty = [e.reshape(1)[:0] if isinstance(e, np.ndarray) else e for e in empty]
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
elementwise("conj", "conjugate", methods=True)
