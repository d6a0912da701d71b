"""What writes into a tensor beside `x[key] = value`: flat, parts of complex numbers, copyto, put, fill_diagonal, ufunc.at."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, UnknownLength
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import Tensor, as_tensor
from marsdask.tensor.indexing.indexing import arguments, lazy, plain_key, settled
from marsdask.tensor.indexing.keys import plain
from marsdask.tensor.indexing.selecting import MODES
from marsdask.tensor.indexing.setitem import fitting, put_part, scattered
from marsdask.tensor.reshaping import reshaped, reshaped_view
from marsdask.tensor.views import assign, become, derived, view


class Flat:
    """`x.flat`: the elements in C order. Reading copies, writing goes to x; values that are too few start again."""

    def __init__(self, tensor: Tensor):
        self.base = tensor

    def _view(self) -> Tensor:
        return reshaped_view(self.base, (-1,))  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._view())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.copy())

    def copy(self) -> Tensor:
        """A copy on one axis."""
        return registry.make("reshape", self.base, (-1,))  # type: ignore[no-any-return]

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.copy().__array__(*args, **kwargs)

    def __getitem__(self, key: Any) -> Tensor:
        return self.copy()[key]  # type: ignore[index, no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        target = self._view()
        if np.ndim(value) and np.size(value) != 1:
            value = fitting(value, target.dtype)
            count = target[key].size  # type: ignore[index]
            if math.isnan(count):
                raise UnknownLength.needed_for("x.flat[...] = several values")
            value = value.reshape(-1)
            if value.size != count:
                value = value[np.arange(int(count)) % value.size]
            value = value.reshape(target[key].shape)  # type: ignore[index]
        put_part(target, key, value)


def _part_of_complex(name: str, val: Array) -> Any:
    x = as_tensor(val)
    if x.dtype.kind == "c":
        return view(x, derived(name), partial(_part_restored, name))
    if name == "real":
        return x
    zeros = registry.make("imag", x)
    zeros.freeze("the imaginary part of real numbers")
    return zeros


def _part_restored(name: str, base: Node, new: Node) -> Node:
    return Node("with_part", (base, new, name))


def _part_meta(val: TensorMeta) -> TensorMeta:
    return TensorMeta(val.shape, np.empty(0, val.dtype).real.dtype, val.order)


def _lower_part(function: Any, val: da.Array) -> da.Array:
    return val.map_blocks(function, dtype=np.empty(0, val.dtype).real.dtype)


for _function, _doc in (
    (np.real, "A view of the real part; the tensor itself where it is real."),
    (np.imag, "A view of the imaginary part; read-only zeros for real numbers."),
):
    _name = _function.__name__
    public(_name, doc=_doc)(partial(_part_of_complex, _name))
    lowered(_name, status="delegated", sizes="any", meta=_part_meta)(partial(_lower_part, _function))


@lowered("with_part", sizes="aligned", status="delegated", meta=lambda x, new, name: x)
def with_part(x: da.Array, new: da.Array, name: str) -> da.Array:
    """x with its real or imaginary part replaced."""
    return da.map_blocks(_with_part, x, new.rechunk(x.chunks), name, dtype=x.dtype)


def _with_part(x: Any, new: Any, name: str) -> Any:
    made = np.array(x)
    setattr(made, name, new)
    return made


def _target(value: Any, function: str) -> Tensor:
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"{function}() writes into a tensor, got {type(value).__name__}. Hint: mt.tensor(...) first."
        )
    return value


@public("copyto")
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Nothing: writes `src` into `dst`, where a mask says so."""
    dst = _target(dst, "copyto")
    if np.isscalar(src) and not isinstance(src, np.generic):
        if not np.can_cast(np.min_scalar_type(src), dst.dtype, casting=casting):
            raise ArgumentTypeError(f"copyto(): cannot cast {src!r} to {dst.dtype} with casting={casting!r}.")
        src = as_tensor(fitting(src, dst.dtype))
    src = as_tensor(src)
    while src.ndim > dst.ndim and src.shape[0] == 1:
        src = src[0]  # type: ignore[index]
    if where is not True:
        if not np.can_cast(src.dtype, dst.dtype, casting=casting):
            raise ArgumentTypeError(
                f"copyto(): cannot cast from {src.dtype} to {dst.dtype} with casting={casting!r}."
            )
        src = registry.make("where", as_tensor(where), src.astype(dst.dtype), dst)
    assign(dst, src, casting=casting, what="copyto")


@public("put", owners=("Tensor",))
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Nothing: writes values at positions of the flat tensor."""
    a = _target(a, "put")
    checks.choice(mode, "put(mode=)", MODES)
    index = np.asarray(ind)
    if mode != "raise":
        if math.isnan(a.size):
            raise UnknownLength.needed_for(f"put(mode={mode!r})")
        index = index % int(a.size) if mode == "wrap" else np.clip(index, 0, int(a.size) - 1)
    if index.size:
        Flat(a)[index.ravel()] = v


@public("fill_diagonal")
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Nothing: writes into the main diagonal of the tensor, in place."""
    a = _target(a, "fill_diagonal")
    if a.ndim < 2:
        raise ArgumentError("fill_diagonal(): array must be at least 2-d.")
    if a.ndim > 2 and len({n for n in a.known.shape if not math.isnan(n)}) > 1:
        raise ShapeError("fill_diagonal(): all dimensions of input must be of equal length.")
    become(a, registry.make("filled_diagonal", a, fitting(val, a.dtype), bool(wrap)))


@lowered("filled_diagonal", meta=lambda a, val, wrap: a)
def filled_diagonal(a: da.Array, val: Any, wrap: bool) -> da.Array:
    """The tensor with another diagonal. Values that are too few start again."""
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ShapeError("fill_diagonal(): all dimensions of input must be of equal length.")
    size = math.prod(a.shape)
    step = a.shape[1] + 1 if a.ndim == 2 else 1 + sum(a.shape[0] ** k for k in range(1, a.ndim))
    end = size if wrap or a.ndim > 2 else min(a.shape[1] * a.shape[1], size)
    where = np.unravel_index(np.arange(0, end, step), a.shape)
    if isinstance(val, da.Array):
        val = reshaped(val, (-1,))
        count = len(where[0])
        if val.size not in (1, count):
            val = val[np.arange(count) % val.size]
    return scattered(a, tuple(where), val)


def ufunc_at(ufunc: np.ufunc, target: Any, key: Any, *operands: Any) -> None:
    """`ufunc.at(target, key, value)`: in place, elements named twice are changed twice."""
    target = _target(target, f"{ufunc.__name__}.at")
    entries = plain_key(key, target.known.shape)
    values = [as_tensor(v) if np.ndim(v) or isinstance(v, Tensor) else v for v in operands]
    samples = [np.zeros(1, v.dtype) if isinstance(v, Tensor) else v for v in values]
    try:
        ufunc.at(np.ones(1, target.dtype), [0], *samples)  # NumPy's own error for a result that does not fit
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{ufunc.__name__}.at(): {error}") from None
    become(target, registry.make("ufunc_at", target, arguments(entries), ufunc.__name__, *values))


@lowered("ufunc_at", meta=lambda x, key, name, value=None: x)
def _ufunc_at(
    x: da.Array, key: tuple[Any, ...], name: str, value: Any = None
) -> Generator[Any, Any, da.Array]:
    """x after `ufunc.at`."""
    known = yield from settled(plain(key, x.shape, lazy), x.shape)
    return scattered(x, known, value, getattr(np, name))


@public("Tensor.fill", owners=("Tensor",))
def fill(self: Array, value: Any) -> None:
    """Nothing: writes one value into all elements."""
    put_part(self, ..., value)
