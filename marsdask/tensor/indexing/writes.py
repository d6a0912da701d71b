"""What writes into a tensor: `x[key] = value` for any key and any chunks, flat, parts of complex numbers, copyto, put, ufunc.at."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError, ShapeError, UnknownLength
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle
from marsdask.plan.node import Node
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import SCALARS, Tensor, as_tensor, assign, become, check_cast, read_only, view
from marsdask.tensor.elements.elementwise import broadcast_meta
from marsdask.tensor.indexing.indexing import is_field, lone_mask, part, pieces_of, settled, within
from marsdask.tensor.indexing.keys import (
    FULL,
    as_key,
    check_fits,
    fancy_shape,
    is_fancy,
    placed,
    plain,
    result_shape,
    without_truths,
)
from marsdask.tensor.reshaping import reshaped, reshaped_view


def put_part(target: Any, key: Any, value: Any) -> None:
    """`target[key] = value`: rebinds the target, and through a view its base."""
    if is_field(key, target.dtype):
        put_part(part(target, key), ..., value)
        return
    key, first = without_truths(key)
    if first:
        put_part(part(target, first), key, value)
        return
    entries = plain(key, target.known.shape)
    new = fitting(value, target.dtype)
    if isinstance(new, Handle):
        check_fits(new.known.shape, result_shape(entries, target.known.shape))
    become(target, registry.make("setitem", target, entries, new))


def fitting(value: Any, dtype: np.dtype[Any]) -> Any:
    """A value to assign: a tensor, or a scalar of the dtype by NumPy's rules of assignment."""
    data = isinstance(value, (Handle, da.Array, np.ndarray))
    if isinstance(value, Tensor) or (data and getattr(value, "ndim", False)):
        return as_tensor(value)
    try:
        record = dtype.names is not None and isinstance(value, tuple)
        if record or isinstance(value, SCALARS) or not np.ndim(value):
            cell = np.empty((), dtype)
            cell[()] = value
            return cell[()]
        return as_tensor(np.array(value, dtype=dtype))
    except MarsDaskError:
        raise
    except (TypeError, ValueError) as error:
        kind = ShapeError if isinstance(error, ValueError) else ArgumentTypeError
        raise kind(f"cannot assign {value!r}: {error}.") from None


@lowered("setitem", meta=lambda x, key, value: x)
def setitem(x: da.Array, key: tuple[Any, ...], value: Any) -> Any:
    """x with the elements that a key names replaced."""
    entries = plain(key, x.shape)
    at = lone_mask(entries)
    if at is not None and (masked := _where(x, entries, at, value)) is not None:
        return masked
    return scattered(x, (yield from settled(entries, x.shape)), value)


def _where(x: da.Array, key: tuple[Any, ...], at: int, value: Any) -> da.Array | None:
    """Assignment by a mask chunk by chunk, where no value belongs to one selected row only; else None."""
    entries = [e for e in key if not isinstance(e, str)]
    if any(e is None or (isinstance(e, slice) and e != FULL) for e in entries):
        return None
    mask: da.Array = key[at]
    behind = sum(isinstance(e, slice) for e in key[at + 1 :])
    if isinstance(value, da.Array):
        check_fits(value.shape, (math.nan,) * (x.ndim - mask.ndim + 1))
        value = reshaped(value, value.shape[max(value.ndim - (x.ndim - mask.ndim + 1), 0) :])
        at_mask = value.ndim - behind - 1
        if at_mask >= 0:
            if value.shape[at_mask] != 1:
                return None
            value = reshaped(value, (*value.shape[:at_mask], *(1,) * mask.ndim, *value.shape[at_mask + 1 :]))
        value = value.astype(x.dtype)
        if any(v not in (1, n) for v, n in zip(reversed(value.shape), reversed(x.shape), strict=False)):
            raise ShapeError(
                f"could not broadcast input of shape {value.shape} into the masked part of {x.shape}."
            )
    return da.where(mask[(..., *(None,) * behind)], value, x)


def scattered(x: da.Array, key: tuple[Any, ...], value: Any, how: np.ufunc | None = None) -> da.Array:
    """x with `value` written at a settled key; with `how`, that ufunc's `at` is applied instead."""
    fancy = tuple(int(n) for n in fancy_shape(key))
    shape = tuple(int(n) for n in result_shape(key, x.shape))
    entries = [e for e in key if e is not None and not isinstance(e, str)]
    fancy_axes = [i for i, e in enumerate(entries) if is_fancy(e)]
    other_axes = [i for i, e in enumerate(entries) if not is_fancy(e)]
    pieces = {i: pieces_of(entries[i], x.chunks[i]) for i in other_axes}
    moves = isinstance(value, da.Array)
    if moves:
        check_fits(value.shape, shape)
    if not math.prod(shape):
        return x
    if moves:
        value = _laid_out(value, placed(key, fancy), shape, entries, pieces)
    points = [np.broadcast_to(entries[i], fancy).ravel() for i in fancy_axes]
    groups = _by_chunk(points, [x.chunks[i] for i in fancy_axes])
    order = (*fancy_axes, *other_axes)
    sliced = [i for i in other_axes if isinstance(entries[i], slice)]

    def make(index: tuple[int, ...]) -> Any:
        block = graph.Block(x, index)
        members, local = groups.get(tuple(index[i] for i in fancy_axes), (None, []))
        if (fancy_axes and members is None) or any(index[i] not in pieces[i] for i in other_axes):
            return block
        where_in = (*local, *(as_key(pieces[i][index[i]][0]) for i in other_axes))
        if not moves:
            return (_written, block, order, where_in, value, None, how)
        where = (*([0] if fancy_axes else []), *(pieces[i][index[i]][1] for i in sliced))
        return (_written, block, order, where_in, graph.Block(value, where), members, how)

    return graph.blocks(make, x.chunks, x.dtype, [x, value] if moves else [x])


def _written(
    block: Any, order: tuple[int, ...], local: tuple[Any, ...], value: Any, members: Any, how: np.ufunc | None
) -> Any:
    """A copy of a chunk with a piece written into it."""
    new = np.array(block, copy=True)
    target = new.transpose(order)
    if members is not None:
        value = value[members]
    if how is None:
        target[local] = value
    else:
        how.at(target, local, *([value] if how.nin == 2 else []))
    return new


def _laid_out(
    value: da.Array, place: list[Any], shape: tuple[int, ...], entries: list[Any], pieces: dict[int, Any]
) -> da.Array:
    """The value with its fancy axes as one first axis, in one chunk, and its sliced axes in step with the pieces."""
    value = reshaped(value, value.shape[max(value.ndim - len(shape), 0) :])
    value = da.broadcast_to(value, shape)[tuple(0 if source[0] == "new" else FULL for source in place)]
    sources = [source for source in place if source[0] != "new"]
    fancy = [i for i, source in enumerate(sources) if source[0] == "fancy"]
    sliced = [i for i, source in enumerate(sources) if source[0] == "axis"]
    value = value.transpose((*fancy, *sliced))
    chunks: list[Any] = []
    flips: list[Any] = []
    if len(pieces) < len(entries):  # some are fancy
        value = reshaped(value, (-1, *value.shape[len(fancy) :]))
        chunks, flips = [value.shape[:1]], [FULL]
    for i in sliced:
        axis = sources[i][1]
        flips.append(slice(None, None, -1) if (entries[axis].step or 1) < 0 else FULL)
        chunks.append(tuple(len(positions) for positions, _ in pieces[axis].values()))
    return graph.rechunked(value[tuple(flips)], tuple(chunks)) if chunks else value


def _by_chunk(
    points: list[Any], chunks: list[tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[Any, list[Any]]]:
    """Points by the chunk they are in: which points, and where in the chunk. The order among them stays."""
    if not points or not len(points[0]):
        return {}
    starts = [np.cumsum([0, *c[:-1]]) for c in chunks]
    numbers = [np.searchsorted(s, p, side="right") - 1 for s, p in zip(starts, points, strict=True)]
    flat = np.ravel_multi_index(numbers, [len(c) for c in chunks])
    order = np.argsort(flat, kind="stable")
    cuts = np.flatnonzero(np.diff(flat[order])) + 1
    groups = {}
    for members in np.split(order, cuts):
        index = tuple(int(n[members[0]]) for n in numbers)
        groups[index] = (members, [p[members] - s[i] for p, s, i in zip(points, starts, index, strict=True)])
    return groups


@public("Tensor.__setitem__", owners=("Tensor",))
def setitem_method(self: Array, key: Any, value: Any) -> None:
    """Write into the tensor, and into all it shares elements with. Values are cast as NumPy casts them in assignments."""
    put_part(self, key, value)


class Flat:
    """`x.flat`: the elements in C order. Reading copies, writing goes to x; values that are too few start again."""

    def __init__(self, tensor: Tensor):
        self.base = tensor

    def __len__(self) -> int:
        return len(self.copy())

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
        target = reshaped_view(self.base, (-1,))
        if np.ndim(value) and np.size(value) != 1:
            value = fitting(value, target.dtype)
            count = target[key].size
            if math.isnan(count):
                raise UnknownLength.needed_for("x.flat[...] = several values")
            value = value.reshape(-1)
            if value.size != count:
                value = value[np.arange(int(count)) % value.size]
            value = value.reshape(target[key].shape)
        put_part(target, key, value)


Tensor.flat = property(  # type: ignore[attr-defined]
    Flat,
    lambda self, value: Flat(self).__setitem__(..., value),
    doc="The elements on one axis: `x.flat[1:3] = 0` writes into x.",
)


def _part_of_complex(name: str, val: Array) -> Any:
    if val.dtype.kind == "c":
        return view(
            val, lambda base: Node(name, (base,)), lambda base, new: Node("with_part", (base, new, name))
        )
    return val if name == "real" else read_only(val, "the imaginary part of real numbers", "imag")


for _function, _doc in (
    (np.real, "A view of the real part; the tensor itself where it is real."),
    (np.imag, "A view of the imaginary part; read-only zeros for real numbers."),
):
    _name = _function.__name__
    public(_name, doc=_doc)(partial(_part_of_complex, _name))
    lowered(_name, status="delegated", sizes="any", meta=partial(broadcast_meta, _function))(
        partial(elemwise, _function)
    )


@lowered("with_part", sizes="aligned", status="delegated", meta=lambda x, new, name: x)
def with_part(x: da.Array, new: da.Array, name: str) -> da.Array:
    """x with its real or imaginary part replaced."""
    return da.map_blocks(_with_part, x, graph.rechunked(new, x.chunks), name, dtype=x.dtype)


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
        check_cast("copyto()", np.min_scalar_type(src), dst.dtype, casting)
        src = as_tensor(fitting(src, dst.dtype))
    src = as_tensor(src)
    while src.ndim > dst.ndim and src.shape[0] == 1:
        src = src[0]  # type: ignore[index]
    if where is not True:
        check_cast("copyto()", src.dtype, dst.dtype, casting)
        src = registry.make("where", as_tensor(where), src.astype(dst.dtype), dst)
    assign(dst, src, casting=casting, what="copyto")


@public("put", owners=("Tensor",))
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Nothing: writes values at positions of the flat tensor."""
    a = _target(a, "put")
    index = within("put", np.asarray(ind), a.size, mode)
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
        val, count = reshaped(val, (-1,)), len(where[0])
        val = val if val.size in (1, count) else val[np.arange(count) % val.size]
    return scattered(a, tuple(where), val)


def ufunc_at(ufunc: np.ufunc, target: Any, key: Any, *operands: Any) -> None:
    """`ufunc.at(target, key, value)`: in place, elements named twice are changed twice."""
    target = _target(target, f"{ufunc.__name__}.at")
    entries = plain(key, target.known.shape)
    values = [as_tensor(v) if np.ndim(v) or isinstance(v, Tensor) else v for v in operands]
    samples = [np.zeros(1, v.dtype) if isinstance(v, Tensor) else v for v in values]
    try:
        ufunc.at(np.ones(1, target.dtype), [0], *samples)  # NumPy's own error for a result that does not fit
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{ufunc.__name__}.at(): {error}") from None
    become(target, registry.make("ufunc_at", target, entries, ufunc.__name__, *values))


@lowered("ufunc_at", meta=lambda x, key, name, value=None: x)
def _ufunc_at(
    x: da.Array, key: tuple[Any, ...], name: str, value: Any = None
) -> Generator[Any, Any, da.Array]:
    """x after `ufunc.at`."""
    known = yield from settled(plain(key, x.shape), x.shape)
    return scattered(x, known, value, getattr(np, name))


@public("Tensor.fill", owners=("Tensor",))
def fill(self: Array, value: Any) -> None:
    """Nothing: writes one value into all elements."""
    put_part(self, ..., value)
