"""Elementwise functions of NumPy's that are no ufuncs, and questions about elements."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask.errors import ArgumentError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, Op, add, operation
from marsdask.tensor.core import SCALARS, as_tensor
from marsdask.tensor.elementwise import broadcast_meta
from marsdask.tensor.fold import flat
from marsdask.tensor.views import assign

# name -> (how many tensors it takes, its other parameters with their defaults)
TABLE: dict[str, tuple[int, dict[str, Any]]] = {
    "around": (1, {"decimals": 0, "out": None}),
    "fix": (1, {"out": None}),
    "i0": (1, {}),
    "sinc": (1, {}),
    "angle": (1, {"deg": False}),
    "isreal": (1, {}),
    "iscomplex": (1, {}),
    "nan_to_num": (1, {"copy": True, "nan": 0.0, "posinf": None, "neginf": None}),
    "isclose": (2, {"rtol": 1e-5, "atol": 1e-8, "equal_nan": False}),
}
ALIASES = {"round": "around", "round_": "around"}
METHODS = ("round",)


def _signature(name: str) -> inspect.Signature:
    count, settings = TABLE[name]
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["a"] if count == 1 else ["a", "b"]
    parameters = [inspect.Parameter(n, both) for n in names]
    parameters += [inspect.Parameter(n, both, default=d) for n, d in settings.items()]
    return inspect.Signature(parameters)


def _prepare(name: str, a: Any, b: Any = None, out: Any = None, **settings: Any) -> Any:
    count, defaults = TABLE[name]
    operands = [a] if count == 1 else [a, b]
    operands = [v if isinstance(v, SCALARS) and i else as_tensor(v) for i, v in enumerate(operands)]
    known = {k: settings.get(k, d) for k, d in defaults.items() if k != "out"}
    # By position: a chain of these and ufuncs then fuses. Trailing defaults are left out, so that equal calls are equal.
    values = list(known.values())
    while (
        values
        and values[-1] is list(known.values())[len(values) - 1]
        and values[-1] == list(defaults.values())[len(values) - 1]
    ):
        values.pop()
    result = registry.make(name, *operands, *values)
    if name == "nan_to_num" and not known["copy"]:
        return assign(operands[0], result)
    return result if out is None else assign(out, result)


def _lower(name: str, *args: Any) -> da.Array:
    return elemwise(getattr(np, name), *args)


def _register(public: str, name: str) -> None:
    lower = partial(_lower, name)
    lower.__doc__ = f"NumPy's `{public}` of each element."  # type: ignore[attr-defined]
    add(
        Op(
            name=public,
            room="tensor",
            lower=lower,
            signature=_signature(name),
            status="delegated",
            meta=partial(broadcast_meta, getattr(np, name)),
            owners=("Tensor",) if public in METHODS else (),
            sizes="aligned",
            prepare=partial(_prepare, name),
            traits=frozenset({"ufunc"}) if public == name else frozenset(),
        )
    )


for _name in TABLE:
    _register(_name, _name)
for _public, _name in ALIASES.items():
    _register(_public, _name)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **given: Any) -> Any:
    """`maximum` and `minimum`, which fuse."""
    low, high = given.get("min", a_min), given.get("max", a_max)
    if (a_min is not None and given.get("min") is not None) or (
        a_max is not None and given.get("max") is not None
    ):
        raise ArgumentError("clip: give a_min and a_max, or min and max, not both.")
    result = as_tensor(a)
    if low is None and high is None:
        result = registry.make("positive", result) if result.dtype != bool else result
    if low is not None:
        result = registry.make("maximum", result, low if isinstance(low, SCALARS) else as_tensor(low))
    if high is not None:
        result = registry.make("minimum", result, high if isinstance(high, SCALARS) else as_tensor(high))
    return result if out is None else assign(out, result)


@operation(
    "clip",
    room="tensor",
    owners=["Tensor"],
    sizes="aligned",
    prepare=_clip,
)  # fmt: skip
def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
) -> Any:
    """Elements limited to an interval."""


@operation(
    "allclose",
    room="tensor",
    sizes="any",
    prepare=lambda a, b=None, rtol=1e-5, atol=1e-8, equal_nan=False: _all(_prepare("isclose", a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)),
)  # fmt: skip
def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether all elements are close, as a lazy truth value."""


def _all(result: Any) -> Any:
    return registry.make("all", result)


def _array_equal(a1: Any, a2: Any = None, equal_nan: bool = False) -> Any:
    a1, a2 = as_tensor(a1), as_tensor(a2)
    alike = a1.ndim == a2.ndim and all(
        m == n or m != m or n != n for m, n in zip(a1.shape, a2.shape, strict=True)
    )
    if not alike:
        return as_tensor(np.False_)
    return {"a1": a1, "a2": a2, "equal_nan": bool(equal_nan)}


@operation(
    "array_equal",
    room="tensor",
    prepare=_array_equal,
    meta=lambda *args, **kwargs: TensorMeta((), np.dtype(bool)),
)
def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> da.Array:
    """Whether shapes and all elements are equal, as a lazy truth value."""
    if a1.shape != a2.shape:
        return da.from_array(np.False_)
    same = a1 == a2
    if equal_nan and a1.dtype.kind in "fc" and a2.dtype.kind in "fc":
        same = same | (da.isnan(a1) & da.isnan(a2))
    return same.all()


def _isin(
    element: Any,
    test_elements: Any = None,
    assume_unique: bool = False,
    invert: bool = False,
    kind: Any = None,
) -> Any:
    if kind not in (None, "sort", "table"):
        raise ArgumentError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    return {"element": element, "test_elements": test_elements, "invert": bool(invert)}


def _isin_meta(element: TensorMeta, test_elements: TensorMeta, *, invert: bool = False) -> TensorMeta:
    return TensorMeta(element.shape, np.dtype(bool))


@operation("isin", room="tensor", prepare=_isin, meta=_isin_meta)
def isin(
    element: Array,
    test_elements: Array,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> da.Array:
    """Whether each element is among `test_elements`, which every chunk gets whole (their unique values)."""
    index = tuple(range(element.ndim))
    wanted = flat(test_elements)
    if wanted.numblocks[0] > 1:
        wanted = wanted.map_blocks(np.unique, chunks=((np.nan,) * wanted.numblocks[0],), dtype=wanted.dtype)
    found = partial(_among, invert)
    return da.blockwise(
        found, index, element, index, wanted, (-1,), dtype=bool, concatenate=True, align_arrays=False
    )


def _among(invert: bool, part: Any, wanted: Any) -> Any:
    return np.isin(part, wanted, invert=invert)


def _in1d(
    ar1: Any, ar2: Any = None, assume_unique: bool = False, invert: bool = False, kind: Any = None
) -> Any:
    flat = registry.make("reshape", as_tensor(ar1), -1)
    return registry.make("isin", flat, as_tensor(ar2), invert=bool(invert))


@operation(
    "in1d",
    room="tensor",
    sizes="any",
    prepare=_in1d,
)
def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """`isin` of the flattened elements. NumPy 2 has dropped this name for `isin`."""
