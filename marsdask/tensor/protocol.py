"""NumPy's protocols: `np.f(tensor)` is our function of that name, lazily, or a TypeError; never a silent run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache, partial, wraps
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentTypeError, AxisError, ShapeError, near
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Op, lowered
from marsdask.tensor.core import Tensor, as_operand, as_tensor, called, given
from marsdask.tensor.elements.fusion import REDUCTIONS
from marsdask.tensor.indexing.writes import ufunc_at

NAMES = {ufunc.__name__: name for name, ufunc in REDUCTIONS.items()}
"""ufunc.reduce that is a reduction of another name."""


def array_ufunc(
    self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = (), **kwargs: Any
) -> Any:
    """A call, reduce, accumulate, outer, at or reduceat of a ufunc, lazily."""
    outs = out if isinstance(out, tuple) else (out,)
    if any(isinstance(v, Handle) and not isinstance(v, Tensor) for v in (*inputs, *outs)):
        return NotImplemented  # a frame knows what to do
    for each in outs:
        if each is not None and not isinstance(each, Tensor):
            raise ArgumentTypeError(
                f"{ufunc.__name__}(out=): expected a tensor, got {type(each).__name__}. Hint: out=mt.tensor(...)"
            )
    if method == "at":
        return ufunc_at(ufunc, *inputs)
    op = _of_ufunc(ufunc)
    if op is None:
        elementwise = method == "__call__" and not ufunc.signature
        return _of_others(ufunc, inputs, outs, kwargs) if elementwise else NotImplemented
    if method in ("__call__", "outer"):
        if any(o is not None for o in outs):
            kwargs["out"] = outs if ufunc.nout > 1 else outs[0]
        if method == "outer":
            a, b = map(as_tensor, inputs)
            inputs = (a[(..., *[None] * b.ndim)], b)  # type: ignore[index]
        return registry.call(op, inputs, kwargs)
    a, *rest = inputs
    return given(_METHODS[method](ufunc, as_tensor(a), *rest, **kwargs), outs[0] if outs else None)


def _of_ufunc(ufunc: np.ufunc) -> Op | None:
    """The operation of a ufunc: by NumPy's name, or by a name under which a room has it."""
    found = registry.OPS.get(ufunc.__name__)
    if found is not None and found.built and is_numpys(ufunc):
        return found
    return next((op for op in registry.OPS.values() if op.oracle is ufunc and op.built and op.function), None)


def is_numpys(ufunc: np.ufunc) -> bool:
    """Whether a ufunc is what NumPy has by its name: other libraries' may have the same one."""
    return getattr(np, ufunc.__name__, None) is ufunc


def _of_others(ufunc: np.ufunc, inputs: Any, outs: Any, kwargs: dict[str, Any]) -> Any:
    """A ufunc of another library, such as SciPy's special functions and what numba makes, of each element."""
    if kwargs:
        raise ArgumentTypeError(f"{ufunc.__name__}({next(iter(kwargs))}=): not taken with tensors.")
    made = registry.make("ufunc", ufunc, *map(as_operand, inputs))
    if ufunc.nout == 1:
        return given(made, outs[0] if outs else None)
    return tuple(map(given, made, outs or [None] * ufunc.nout))


def _reduce(
    ufunc: np.ufunc, a: Tensor, axis: Any = 0, dtype: Any = None, keepdims: bool = False, **rest: Any
) -> Any:
    name = NAMES.get(ufunc.__name__)
    rest = {k: v for k, v in rest.items() if not (k == "where" and v is True)}
    if name is not None and (dtype is None or name in ("sum", "prod")):
        extra = {} if dtype is None else {"dtype": dtype}
        return called(name, a, axis=axis, keepdims=keepdims, **rest, **extra)
    if rest:
        raise ArgumentTypeError(
            f"np.{ufunc.__name__}.reduce() of a tensor does not take {next(iter(rest))!r}."
        )
    if not a.ndim:
        raise AxisError.outside(axis, 0)
    axes = tuple(range(a.ndim)) if axis is None else checks.axes(axis, a.ndim)
    return _whole(ufunc, "reduce", a, axes, dtype, keepdims=bool(keepdims))


def _accumulate(ufunc: np.ufunc, a: Tensor, axis: int = 0, dtype: Any = None) -> Any:
    axis = checks.axis(axis, a.ndim)
    name = {"add": "cumsum", "multiply": "cumprod"}.get(ufunc.__name__)
    if name is not None:
        return called(name, a, axis=axis, dtype=dtype)
    return _whole(ufunc, "accumulate", a, (axis,), dtype)


def _reduceat(ufunc: np.ufunc, a: Tensor, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    if isinstance(indices, Handle):
        raise ArgumentTypeError(f"np.{ufunc.__name__}.reduceat(): expected indices in memory, got a tensor.")
    return _whole(ufunc, "reduceat", a, (checks.axis(axis, a.ndim),), dtype, np.asarray(indices))


def _whole(
    ufunc: Any, method: str, a: Tensor, axes: Any, dtype: Any, indices: Any = None, *, keepdims: bool = True
) -> Any:
    dtype = None if dtype is None else np.dtype(dtype)
    return registry.make("ufunc_along", a, ufunc.__name__, method, axes, dtype, indices, keepdims)


_METHODS = {"reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat}


def _along_meta(
    a: Any, name: str, method: str, axes: tuple[int, ...], dtype: Any, indices: Any, keepdims: bool
) -> TensorMeta:
    length = {"reduce": 1, "reduceat": None if indices is None else len(indices)}.get(method)
    shape = tuple(length if i in axes and length is not None else n for i, n in enumerate(a.shape))
    shape = tuple(n for i, n in enumerate(shape) if keepdims or i not in axes)
    one = np.ones((1,) * len(a.shape), a.dtype)
    return TensorMeta(shape, _along(one, name, method, axes, dtype, None if indices is None else [0]).dtype)


@lowered("ufunc_along", meta=_along_meta)
def ufunc_along(
    a: da.Array, name: str, method: str, axes: tuple[int, ...], dtype: Any, indices: Any, keepdims: bool
) -> da.Array:
    """`ufunc.reduce`, `accumulate` or `reduceat`, with whole axes in a chunk: right for every ufunc, in any order."""
    whole = graph.rechunked(a, dict.fromkeys(axes, -1))
    made = _along_meta(a, name, method, axes, dtype, indices, keepdims=True)
    chunks = tuple((made.shape[i],) if i in axes else c for i, c in enumerate(whole.chunks))
    done = whole.map_blocks(_along, name, method, axes, dtype, indices, chunks=chunks, dtype=made.dtype)
    return done if keepdims else done[tuple(0 if i in axes else slice(None) for i in range(a.ndim))]


def _along(block: Any, name: str, method: str, axes: tuple[int, ...], dtype: Any, indices: Any) -> Any:
    extra = () if indices is None else (indices,)
    where = {"axis": axes, "keepdims": True} if method == "reduce" else {"axis": axes[0]}
    return getattr(getattr(np, name), method)(block, *extra, dtype=dtype, **where)


def _outer_of_vectors(a: Any, b: Any) -> Any:
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        raise ShapeError(
            f"Input arrays must be one-dimensional, but they have {np.ndim(a)} and {np.ndim(b)} axes."
        )
    return called("outer", a, b)


def _same_base(a: Any, b: Any, max_work: Any = None) -> bool:
    """Whether two tensors are one, or views of one: writes go both ways. With what is in memory nothing is shared."""
    while isinstance(a, Handle) and a._base is not None:
        a = a._base
    while isinstance(b, Handle) and b._base is not None:
        b = b._base
    return a is b


# What is answered from metadata, or has another name here. NumPy's linalg has some of the main namespace's names, a few narrower.
SPECIAL = {
    "may_share_memory": _same_base,
    "shares_memory": _same_base,
    "iscomplexobj": lambda x: x.dtype.kind == "c",
    "isrealobj": lambda x: x.dtype.kind != "c",
    "can_cast": lambda source, to, casting="safe": np.can_cast(source.dtype if isinstance(source, Handle) else source, to, casting),
    "min_scalar_type": lambda a: a.dtype,
    "concat": "concatenate",
    "permute_dims": "transpose",
    "amax": "max",
    "amin": "min",
    "trapezoid": "trapz",
    "linalg.matmul": partial(called, "matmul"),
    "linalg.outer": _outer_of_vectors,
    "linalg.tensordot": partial(called, "tensordot"),
    "linalg.trace": partial(called, "trace", axis1=-2, axis2=-1),
}  # fmt: skip


def array_function(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """The function of the same name and submodule, or a TypeError that names it."""
    if any(issubclass(kind, Handle) and not issubclass(kind, Tensor) for kind in types):
        return NotImplemented  # a frame knows what to do
    module, name = str(func.__module__), str(func.__name__)
    special = SPECIAL.get(f"{module}.{name}".removeprefix("numpy."))
    if callable(special):
        return special(*args, **kwargs)
    room = "tensor" + module.removeprefix("numpy")
    ours = {op.public: op for op in registry.in_room(room) if op.function and op.built}
    op = ours.get(special or name)
    if op is None:
        raise ArgumentTypeError(
            f"no implementation found for '{module}.{name}' on tensors of marsdask.{near(name, ours)} "
            "Hint: docs/coverage.md lists what is there; x.to_dask() is Dask's own collection, lazy as x is, "
            "which other libraries may know better; np.asarray(x) runs x and gives NumPy's array."
        )
    return registry.call(op, args, {**_defaults(func, op, args, kwargs), **kwargs})


def _defaults(func: Any, op: Op, args: Any, kwargs: Any) -> dict[str, Any]:
    """NumPy's defaults of the arguments left out, where ours are others (`svd(full_matrices=)`)."""
    ours = op.signature.parameters
    given_here = op.signature.bind_partial(*args).arguments if len(args) <= len(ours) else {}
    return {
        name: theirs.default
        for name, theirs in _parameters(func).items()
        if isinstance(theirs.default, (bool, int, float, str))
        and name in ours
        and name not in given_here
        and name not in kwargs
        and theirs.default != ours[name].default
    }


@cache
def _parameters(func: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(func).parameters
    except ValueError:  # functions in C do not tell in every version of NumPy
        return {}


ASKED = frozenset([
    "all", "amax", "amin", "any", "argmax", "argmin", "argpartition", "argsort", "around", "array_split", "clip", "cumprod", "cumsum",
    "delete", "fix", "flip", "hsplit", "insert", "max", "mean", "min", "prod", "ptp", "repeat", "rollaxis", "round", "split",
    "squeeze", "std", "sum", "take", "transpose", "var",
])  # fmt: skip
"""Functions whose answer NumPy leaves to the object, or gives as what the object is."""


def asking(function: Any) -> Any:
    """A function of `mt` that asks a frame first, as NumPy's function of that name does."""
    theirs = getattr(np, function.__name__)

    @wraps(function)
    def asked(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else kwargs.get("a")
        if isinstance(first, Handle) and hasattr(first, "__array_function__") and type(first) is not Tensor:
            return first.__array_function__(theirs, (), args, kwargs)
        return function(*args, **kwargs)

    return asked


def arrow_array(self: Tensor, type: Any = None) -> Any:
    """What `pa.array` makes of a tensor of one axis; runs."""
    import pyarrow as pa

    return pa.array(np.asarray(self), type=type)


def arrow_capsules(self: Tensor, requested_schema: Any = None) -> Any:
    """The Arrow PyCapsule protocol for a tensor of one axis, which polars asks for; runs."""
    return arrow_array(self).__arrow_c_array__(requested_schema)


Tensor.__arrow_array__ = arrow_array  # type: ignore[attr-defined]
Tensor.__arrow_c_array__ = arrow_capsules  # type: ignore[attr-defined]
Tensor.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
Tensor.__array_function__ = array_function  # type: ignore[attr-defined]
