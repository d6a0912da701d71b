"""Elementwise operations: NumPy's ufuncs, a line each, and what NumPy has beside them.

To add one that NumPy has as a ufunc, add its name to the table.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
import toolz
from dask.array.core import elemwise

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import TensorMeta, TupleMeta, scalar_meta, time_as_pandas, time_of
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import (
    NEEDED,
    SCALARS,
    ExecutableTuple,
    Tensor,
    as_operands,
    as_tensor,
    assign,
    boxed,
    delegated,
    given,
    signature,
)
from marsdask.tensor.fold import flat, with_whole


def elementwise(*names: str, owners: Iterable[str] = ()) -> None:
    """Declare NumPy ufuncs by name: public function, fusion, metadata, oracle test follow from it."""
    for name in names:
        ufunc = getattr(np, name)
        operands, said = OPERANDS[ufunc.nin]
        several = dict.fromkeys(("out1", "out2") if ufunc.nout > 1 else ())
        first = signature(dict.fromkeys(operands, NEEDED) | several).parameters.values()
        public(
            name,
            owners=owners,
            signature=inspect.Signature([*first, *SETTINGS]),
            direct=False,
            doc=f"NumPy's `{name}` of each element of {said}.",
        )(partial(_made, name))
        traits, known = ("ufunc",) if ufunc.nout == 1 else (), partial(broadcast_meta, ufunc)
        delegated(name, meta=known, sizes="aligned", traits=traits)(partial(_lower, ufunc))


def _made(
    name: str,
    out: Any = None,
    where: Any = None,
    *,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    out1: Any = None,
    out2: Any = None,
    **operands: Any,
) -> Any:
    extra: dict[str, Any] = {} if dtype is None else {"dtype": np.dtype(dtype)}
    if casting != "same_kind":
        extra["casting"] = casting
    if order not in ("K", "A", "C", "F"):
        raise ArgumentTypeError(f"{name}(order={order!r}): expected 'K', 'A', 'C' or 'F'.")
    if out is None and (frame := frame_among(operands.values())) is not None:
        if (where is not None and where is not True) or order in ("C", "F"):
            what = "order" if order in ("C", "F") else "where"
            raise ArgumentTypeError(
                f"{name}({what}=): not of a {type(frame).__name__}. Hint: .to_tensor() first."
            )
        made = frame.__array_ufunc__(getattr(np, name), "__call__", *operands.values(), **extra)
        return ExecutableTuple(made) if isinstance(made, tuple) else made
    inputs = as_operands(operands.values())
    if all(isinstance(v, SCALARS) for v in inputs):
        inputs[0] = as_tensor(inputs[0])
    result = registry.make(name, *inputs, **extra)
    results = result if isinstance(result, tuple) else (result,)
    if order in ("C", "F"):
        results = tuple(registry.make("copy", r, order) for r in results)
        result = ExecutableTuple(results) if len(results) > 1 else results[0]
    if out1 is not None or out2 is not None:
        if out is not None:
            raise ArgumentTypeError(f"{name}(): give out1= and out2=, or out=, not both.")
        out = (out1, out2)
    outs = out if isinstance(out, tuple) else (out,)
    if all(o is None for o in outs):
        return result  # with where= alone NumPy leaves the rest unset; the values of the whole are as good
    if len(outs) != len(results):
        raise ArgumentTypeError(f"{name}(out=): expected {len(results)} tensors, got {len(outs)}.")
    for o, r in zip(outs, results, strict=True):
        if o is not None:
            r = r if where is None else registry.make("where", as_tensor(where), r, o)
            assign(o, r, casting=casting)
    given = [r if o is None else o for o, r in zip(outs, results, strict=True)]
    return ExecutableTuple(given) if len(given) > 1 else given[0]


def frame_among(operands: Iterable[Any]) -> Any:
    """What NumPy would ask for the result of a ufunc before tensors: a frame keeps its labels. None without one."""
    for v in operands:
        if type(v) is not Tensor and isinstance(v, Handle) and hasattr(type(v), "__array_ufunc__"):
            return v
    return None


OPERANDS = {1: (("x",), "a tensor"), 2: (("x1", "x2"), "two tensors, broadcast against each other")}
SETTINGS = [*inspect.signature(_made).parameters.values()][1:-3]


def _lower(ufunc: np.ufunc, *args: Any, **kwargs: Any) -> Any:
    function = partial(ufunc, **kwargs) if kwargs else ufunc  # Dask knows no casting=
    values = [a for a in args if isinstance(a, da.Array)]
    if ufunc.nout == 1 and any(a.dtype.hasobject for a in values) and not any(a.ndim for a in values):
        # Dask asks what ones give, and NumPy takes text for an array of its own.
        dtype = graph.promised().dtype
        return da.map_blocks(partial(_value_of_objects, dtype, function), *args, dtype=dtype)
    if ufunc.nout == 1:
        return of_each(function, *args)
    return tuple(of_each(toolz.compose(operator.itemgetter(i), function), *args) for i in range(ufunc.nout))


def of_each(function: Callable[..., Any], *args: Any) -> da.Array:
    """An elementwise function of Dask arrays. Of objects Dask would try it on None, so there the dtype is said."""
    if all(not isinstance(a, da.Array) or a.dtype.kind != "O" for a in args):
        return elemwise(function, *args)
    empty = (np.empty((0,), a.dtype) if isinstance(a, da.Array) else a for a in args)
    return elemwise(function, *args, dtype=function(*empty).dtype)


def broadcast_meta(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Metadata of an elementwise function: shapes broadcast, dtype by calling it on nothing."""
    tensors = [a for a in args if isinstance(a, TensorMeta)]
    if any(t.like is not None for t in tensors) and not any(t.shape or t.dtype.kind in "SU" for t in tensors):
        return _meta_of_values(function, args, kwargs)
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
    planes = [t.order for t in tensors if len(t.shape) > 1]
    order = "F" if planes and "C" not in planes else "C"
    if isinstance(result, tuple):
        return TupleMeta(tuple(TensorMeta(shape, r.dtype, order) for r in result))
    return TensorMeta(shape, result.dtype, order)


def _meta_of_values(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Metadata of what values of pandas' give: pandas knows what a Timestamp and another thing make."""
    ones = [
        np.ones((), a.dtype)[()] if isinstance(a, TensorMeta) and a.like is None else getattr(a, "like", a)
        for a in args
    ]
    try:
        result = _of_objects(function, *map(time_as_pandas, ones), **kwargs)
    except TypeError as error:
        raise ArgumentTypeError(str(error)) from None
    return TupleMeta(tuple(map(scalar_meta, result))) if isinstance(result, tuple) else scalar_meta(result)


def _value_of_objects(dtype: np.dtype[Any], function: Callable[..., Any], *values: Any) -> Any:
    made = _of_objects(function, *values)
    return time_of(made, dtype) if dtype.kind in "mM" else made


def _of_objects(function: Callable[..., Any], *values: Any, **kwargs: Any) -> Any:
    return function(*map(boxed, values), **kwargs)


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
        otherwise = math.nan if any(map(math.isnan, lengths)) else 1
        result.append(known.pop() if known else otherwise)
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
delegated("ufunc", meta=broadcast_meta, sizes="aligned")(_lower)  # of any library: SciPy's, numba's


def _of_each(name: str, a: Any, out: Any = None, **setting: Any) -> Any:
    a = as_tensor(a)
    return given(registry.make(name, a, *setting.values()), out, repeated=name == "fix")


FUNCTIONS = {
    **dict.fromkeys(("around", "round", "round_"), signature({"a": NEEDED, "decimals": 0, "out": None})),
    "fix": signature({"a": NEEDED, "out": None}),
    "angle": signature({"a": NEEDED, "deg": False}),
    **dict.fromkeys(("i0", "sinc", "isreal", "iscomplex"), signature({"a": NEEDED})),
}
for _name, _takes in FUNCTIONS.items():
    public(
        _name,
        owners=("Tensor",) if _name == "round" else (),
        status="delegated",
        signature=_takes,
        direct=False,
        doc=f"NumPy's `{_name}` of each element.",
    )(partial(_of_each, "around" if _name.startswith("round") else _name))


@public("nan_to_num")
def nan_to_num(a: Array, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """NumPy's `nan_to_num` of each element."""
    result = registry.make("nan_to_num", a, True, nan, posinf, neginf)
    return result if copy else assign(a, result)


@public("isclose")
def isclose(a: Array, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    """NumPy's `isclose` of each element."""
    return registry.make("isclose", a, *as_operands([b]), rtol, atol, equal_nan)


# Settings are arguments by position: a chain of these and ufuncs then fuses.
for _name in ("around", "fix", "angle", "i0", "sinc", "isreal", "iscomplex", "nan_to_num", "isclose"):
    _function = getattr(np, _name)
    delegated(_name, sizes="aligned", meta=partial(broadcast_meta, _function), traits=("ufunc",))(
        partial(of_each, _function)
    )


@public("clip", owners=("Tensor",))
def clip(
    a: Array, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
) -> Any:
    """Elements limited to an interval."""
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ArgumentError("clip: give a_min and a_max, or min and max, not both.")
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is None and high is None and a.dtype != bool:
        a = registry.make("positive", a)
    for name, bound in (("maximum", low), ("minimum", high)):  # which fuse
        if bound is not None:
            a = registry.make(name, a, *as_operands([bound]))
    return given(a, out, repeated=True)


@public("allclose")
def allclose(a: Array, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether all elements are close, as a lazy truth value."""
    return registry.make("truth", registry.make("all", isclose(a, b, rtol, atol, equal_nan)))


@lowered("truth", sizes="any", status="delegated", meta=lambda a: a)
def _truth(a: da.Array) -> da.Array:
    """A truth value that is fetched as Python's own."""
    return a


@public("array_equal")
def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> Any:
    """Whether shapes and all elements are equal, as a lazy truth value."""
    return registry.make("truth", registry.make("array_equal", a1, a2, bool(equal_nan)))


@lowered("array_equal", meta=lambda *args, **kwargs: TensorMeta((), np.dtype(bool)))
def _array_equal(a1: da.Array, a2: da.Array, equal_nan: bool = False) -> da.Array:
    if a1.shape != a2.shape:
        return da.from_array(np.False_)
    if equal_nan and a1.dtype.kind in "fc" and a2.dtype.kind in "fc":
        return ((a1 == a2) | (da.isnan(a1) & da.isnan(a2))).all()
    return (a1 == a2).all()


@public("isin")
def isin(
    element: Array,
    test_elements: Array,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Any:
    """Whether each element is among `test_elements`, which every chunk gets whole (their unique values)."""
    checks.choice(kind, "isin(kind=)", (None, "sort", "table"))
    return registry.make("isin", element, test_elements, invert=bool(invert))


@lowered("isin", meta=lambda element, *rest, invert=False: TensorMeta(element.shape, np.dtype(bool)))
def _isin(element: da.Array, test_elements: da.Array, *, invert: bool = False) -> da.Array:
    wanted = flat(test_elements)
    if wanted.numblocks[0] > 1:
        wanted = wanted.map_blocks(np.unique, chunks=((np.nan,) * wanted.numblocks[0],), dtype=wanted.dtype)
    return with_whole(partial(np.isin, invert=invert), bool, element, wanted)


@public("in1d")
def in1d(ar1: Array, ar2: Array, assume_unique: bool = False, invert: bool = False) -> Any:
    """`isin` of the flattened elements. NumPy 2 has dropped this name for `isin`."""
    return isin(registry.make("reshape", ar1, (-1,)), ar2, invert=invert)
