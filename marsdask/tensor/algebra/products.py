"""Products and Einstein sums: every one a contraction of chunks, summed over the chunks of contracted axes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import chain
from string import ascii_letters
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, IndexOutOfRange, ShapeError
from marsdask.plan import graph, registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.session import room
from marsdask.tensor.core import as_tensor, assign, check_cast, fits, given
from marsdask.tensor.elements.elementwise import broadcast_shape
from marsdask.tensor.fold import flat, fold, loop_dtype, result_dtype

Index = tuple[int, ...]


def contracted(
    func: Callable[..., Any],
    kept: Index,
    gone: Index,
    operands: Sequence[tuple[da.Array, Index]],
    dtype: np.dtype[Any],
) -> da.Array:
    """`func` of matching chunks (its result has the axes `kept`), added up over the axes `gone`.

    Keeps NumPy's dtype: whole numbers are not widened, booleans are joined by `or`.
    """
    pairs: list[Any] = []
    for array, index in operands:
        if not array.size:  # Dask cannot bring chunks of nothing into line
            array = da.zeros(array.shape, chunks=-1, dtype=array.dtype)
        pairs += [array, index]
    indexes = [index for _, index in operands]
    add = np.logical_or if dtype.kind == "b" else np.add
    out = (*kept, *gone)
    chunks, aligned = da.core.unify_chunks(*pairs)
    large = _are_large([chunks[i] for i in kept], [chunks[i] for i in gone], dtype)
    if large and not all(map(graph.is_generated, aligned)):
        made, plus = partial(_product, func, 0, dtype), partial(add, dtype=loop_dtype(dtype))
        return _in_turn(made, plus, kept, gone, chunks, [*zip(aligned, indexes, strict=True)], dtype)
    parts = da.blockwise(
        partial(_product, func, len(gone), dtype),
        out,
        *chain.from_iterable(zip(aligned, indexes, strict=True)),
        adjust_chunks=dict.fromkeys(gone, 1),
        dtype=dtype,
        meta=np.empty((0,) * len(out), dtype),
    )
    axes = tuple(range(len(kept), len(out)))
    if not axes:
        return parts
    if all(parts.numblocks[a] == 1 for a in axes):
        return parts[(..., *(0 for _ in axes))] if kept else parts.reshape(())
    added = partial(add.reduce, dtype=loop_dtype(dtype), keepdims=True)
    return fold(parts, axes, added, partial(reduce, add), np.asarray, dtype, label="product")


def _are_large(sums: Sequence[Index], gone: Sequence[Index], dtype: np.dtype[Any]) -> bool:
    """Whether the parts of one sum should not be in memory at once, and there are sums enough for all threads."""
    count, nbytes = math.prod(map(len, sums)), math.prod(map(max, sums)) * dtype.itemsize
    parts = math.prod(map(len, gone))
    return count >= room.room().threads and parts > 1 and parts * nbytes > room.most_bytes()


def _in_turn(
    product: Callable[..., Any],
    add: Any,
    kept: Index,
    gone: Index,
    chunks: dict[int, Index],
    operands: Sequence[tuple[da.Array, Index]],
    dtype: np.dtype[Any],
) -> da.Array:
    """Products of chunks, each added to those before it by the task that makes it: no more than a sum and a part are there.

    Matrices that were there, with their product three times the memory, 8 x 8 blocks, on two workers of 512 MiB: 86 s, where each
    wrote 3.9 GiB and read 8.8. Parts made first and then added: 107 s, 9.0 and 13.8; of matrices that are made anew for each
    product that is the faster, 64 s and nothing read.
    """
    axes, arrays = tuple(chunks[i] for i in kept), [array for array, _ in operands]
    total: Any = None
    for rest in np.ndindex(*(len(chunks[i]) for i in gone)):
        step = partial(_step, product, add, total, operands, (*kept, *gone), rest)
        needs = arrays if total is None else [total, *arrays]
        total = graph.blocks(step, axes, dtype, needs, "product", alone=True)
    return total


def _step(
    product: Any, add: Any, total: Any, operands: Any, order: Index, rest: Index, at: Index
) -> tuple[Any, ...]:
    """The task for one chunk of a sum: its product of chunks, added to what there is."""
    where = dict(zip(order, (*at, *rest), strict=True))
    parts = [
        graph.Block(a, tuple(where[i] if n > 1 else 0 for i, n in zip(index, a.numblocks, strict=True)))
        for a, index in operands
    ]
    return (product, *parts) if total is None else (_plus, product, add, graph.Block(total, at), *parts)


def _plus(product: Callable[..., Any], add: Any, total: Any, *parts: Any) -> Any:
    return add(total, product(*parts))


def _product(func: Any, gone: int, dtype: Any, *parts: Any) -> Any:
    result = np.asarray(func(*parts))
    return result.reshape(result.shape + (1,) * gone).astype(dtype, copy=False)


def _check(function: str, a: TensorMeta, b: TensorMeta, m: float, n: float) -> None:
    if not fits(m, n):
        raise ShapeError(f"{function}: shapes {a.shape} and {b.shape} not aligned: {m:g} != {n:g}.")


def _of_two(name: str, a: Array, b: Array, out: Any = None) -> Any:
    return given(registry.make(name, a, b), out, repeated=name == "outer")


_doc = "The dot product: over the last axis of `a` and the last but one of `b`."
public("dot", owners=["Tensor"], doc=_doc)(partial(_of_two, "dot"))
public("outer", doc="The products of all pairs of elements.")(partial(_of_two, "outer"))


@public("matmul")
def matmul(
    a: Array, b: Array, out: Any = None, *, dtype: Any = None, order: str = "K", casting: str = "same_kind"
) -> Any:
    """The matrix product; leading axes are broadcast."""
    checks.choice(order, "matmul(order=)", "KACF")
    if not a.ndim or not b.ndim:
        raise ArgumentError(
            "matmul: Input operand does not have enough dimensions (a scalar). Hint: use * for scalars."
        )
    made = registry.make("matmul", a, b)
    if dtype is not None:
        check_cast("matmul", made.dtype, dtype, casting)
        made = registry.make("astype", made, np.dtype(dtype))
    if order == "F" or (order == "A" and a.order == b.order == "F"):
        made = registry.make("copy", made, "F")
    return made if out is None else assign(out, made, casting=casting)


def _matmul_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    _check("matmul", a, b, a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0])
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    columns = b.shape[-1:] if b.ndim > 1 else ()
    return TensorMeta((*batch, *a.shape[-2:-1], *columns), result_dtype(np.matmul, a.dtype, b.dtype))


@lowered("matmul", meta=_matmul_meta)
def _matmul(a: da.Array, b: da.Array) -> da.Array:
    depth = max(a.ndim, b.ndim, 2) - 2
    batch, k = tuple(range(depth)), depth + 2
    row = (depth,) if a.ndim > 1 else ()
    column = (depth + 1,) if b.ndim > 1 else ()
    left = (*batch[depth - max(a.ndim - 2, 0) :], *row, k)
    right = (*batch[depth - max(b.ndim - 2, 0) :], k, *column)
    dtype = result_dtype(np.matmul, a.dtype, b.dtype)
    return contracted(np.matmul, (*batch, *row, *column), (k,), [(a, left), (b, right)], dtype)


@lowered(
    "outer",
    meta=lambda a, b: TensorMeta((math.prod(a.shape), math.prod(b.shape)), np.result_type(a.dtype, b.dtype)),
)
def _outer(a: da.Array, b: da.Array) -> da.Array:
    return flat(a)[:, None] * flat(b)[None, :]


def _tensordot_axes(axes: Any, a: TensorMeta, b: TensorMeta) -> tuple[Index, Index]:
    if isinstance(axes, (int, np.integer)):
        if axes < 0 or axes > min(a.ndim, b.ndim):
            raise IndexOutOfRange(
                f"tensordot(axes={axes}): {a.ndim} and {b.ndim} dimensions have no {axes} axes to sum over."
            )
        return tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    try:
        sides = [tuple(side) if np.iterable(side) else side for side in axes]
        given_left, given_right = sides
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"axes={axes!r}: expected a whole number or two sequences.") from None
    left, right = checks.axes(given_left, a.ndim, "axes"), checks.axes(given_right, b.ndim, "axes")
    if len(left) != len(right):
        raise ShapeError(
            f"tensordot(axes={axes!r}): shape-mismatch for sum: {len(left)} and {len(right)} axes."
        )
    return left, right


def _tensordot_meta(a: TensorMeta, b: TensorMeta, axes: Any = 2) -> TensorMeta:
    both = _tensordot_axes(axes, a, b)
    for m, n in zip(*both, strict=True):
        if not fits(a.shape[m], b.shape[n]):
            raise ShapeError(
                f"tensordot(axes={axes!r}): shape-mismatch for sum: {a.shape[m]:g} and {b.shape[n]:g}."
            )
    sides = zip((a, b), both, strict=True)
    shape = tuple(n for side, gone in sides for i, n in enumerate(side.shape) if i not in gone)
    return TensorMeta(shape, result_dtype(np.dot, a.dtype, b.dtype))


@lowered("tensordot", room="tensor", meta=_tensordot_meta)
def tensordot(a: Array, b: Array, axes: Any = 2) -> da.Array:
    """The sum of products over the given axes of both."""
    axes = _tensordot_axes(axes, a, b)
    return _over(partial(np.tensordot, axes=axes), axes, a, b)


def _over(func: Any, axes: tuple[Index, Index], a: da.Array, b: da.Array) -> da.Array:
    """`func` of matching chunks, summed over axes of both."""
    left, gone = tuple(range(a.ndim)), axes[0]
    same = dict(zip(axes[1], gone, strict=True))
    right = tuple(same.get(n, a.ndim + n) for n in range(b.ndim))
    kept = tuple(i for i in (*left, *right) if i not in gone)
    return contracted(func, kept, gone, [(a, left), (b, right)], result_dtype(np.dot, a.dtype, b.dtype))


def _last_axes(name: str, a: Any, b: Any) -> tuple[Index, Index]:
    """What `dot` and `inner` sum over: the last axis of `a`, and of `b` the last but one (`dot`) or the last."""
    return (a.ndim - 1,), (max(b.ndim - 2, 0) if name == "dot" else b.ndim - 1,)


def _last_axes_meta(name: str, a: TensorMeta, b: TensorMeta) -> TensorMeta:
    if not a.ndim or not b.ndim:
        return TensorMeta(a.shape or b.shape, result_dtype(np.dot, a.dtype, b.dtype))
    axes = _last_axes(name, a, b)
    _check(name, a, b, a.shape[-1], b.shape[axes[1][0]])
    return _tensordot_meta(a, b, axes)


@lowered("dot", meta=partial(_last_axes_meta, "dot"))
def _dot(a: da.Array, b: da.Array) -> da.Array:
    return _over(np.dot, _last_axes("dot", a, b), a, b) if a.ndim and b.ndim else a * b


@lowered("inner", room="tensor", meta=partial(_last_axes_meta, "inner"))
@lowered("innerproduct", room="tensor", meta=partial(_last_axes_meta, "inner"))
def inner(a: Array, b: Array) -> da.Array:
    """The sum of products over the last axes."""
    return _over(np.inner, _last_axes("inner", a, b), a, b) if a.ndim and b.ndim else a * b


@lowered("vdot", room="tensor", meta=lambda a, b: TensorMeta((), result_dtype(np.dot, a.dtype, b.dtype)))
def vdot(a: Array, b: Array) -> da.Array:
    """The dot product of all elements in C order, the first conjugated."""
    if a.size != b.size:
        raise ShapeError(f"vdot: cannot match {a.size} elements with {b.size}.")
    return inner(flat(a).conj() if a.dtype.kind == "c" else flat(a), flat(b))  # type: ignore[arg-type]


def _kron_meta(a: TensorMeta, b: TensorMeta) -> TensorMeta:
    ndim = max(a.ndim, b.ndim)
    left, right = ((1,) * (ndim - t.ndim) + tuple(t.shape) for t in (a, b))
    return TensorMeta(tuple(map(operator.mul, left, right)), np.result_type(a.dtype, b.dtype))


@lowered("kron", room="tensor", meta=_kron_meta)
def kron(a: Array, b: Array) -> da.Array:
    """The Kronecker product."""
    ndim = max(a.ndim, b.ndim)
    if not ndim:
        return a * b
    a = a.reshape((1,) * (ndim - a.ndim) + a.shape)
    b = b.reshape((1,) * (ndim - b.ndim) + b.shape)
    for axis in range(ndim):
        a, b = da.expand_dims(a, 2 * axis + 1), da.expand_dims(b, 2 * axis)
    b = graph.rechunked(b, {2 * i + 1: -1 for i in range(ndim)})
    product = a * b
    return product.reshape(tuple(product.shape[2 * i] * product.shape[2 * i + 1] for i in range(ndim)))


@public("trace", owners=["Tensor"])
def trace(
    a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """The sum along a diagonal."""
    if a.ndim < 2:
        raise ArgumentError("diag requires an array of at least two dimensions")
    first, second = checks.axis(axis1, a.ndim), checks.axis(axis2, a.ndim)
    if first == second:
        raise ArgumentError("axis1 and axis2 cannot be the same")
    return given(registry.make("trace", a, int(offset), first, second, dtype and np.dtype(dtype)), out)


lowered("trace")(da.trace)


def _einsum_parts(subscripts: str, shapes: Sequence[tuple[float, ...]]) -> tuple[list[list[str]], list[str]]:
    """Letters of each operand and of the result; those behind `...` are numbered from the right."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ArgumentError(f"einsum({subscripts!r}): {len(terms)} subscripts for {len(shapes)} operands.")
    found: list[list[str]] = []
    most = 0
    for term, shape in zip(terms, shapes, strict=True):
        before, gap, behind = term.partition("...")
        if not all(c.isalpha() for c in before + behind):
            raise ArgumentError(f"einsum({subscripts!r}): invalid subscript in {term!r}.")
        hidden = len(shape) - len(before + behind)
        if hidden < 0 or (hidden and not gap):
            raise ArgumentError(
                f"einsum({subscripts!r}): subscript {term!r} does not fit {len(shape)} dimensions."
            )
        found.append([*before, *_dots(hidden), *behind])
        most = max(most, hidden)
    used = [c for term in found for c in term]
    if arrow:
        before, gap, behind = right.partition("...")
        out = [*before, *(_dots(most) if gap else []), *behind]
        if len(set(out)) != len(out):
            raise ArgumentError(f"einsum({subscripts!r}): output subscripts include one twice.")
        if unknown := [c for c in out if c not in used]:
            raise ArgumentError(f"einsum({subscripts!r}): output subscript {unknown[0]!r} is in no operand.")
    else:
        out = [*_dots(most), *sorted({c for c in used if not c.startswith(".") and used.count(c) == 1})]
    return found, out


def _dots(count: int) -> list[str]:
    return [f".{i}" for i in range(count, 0, -1)]


def _letter(number: Any) -> str:
    return "..." if number is ... else ascii_letters[checks.whole(number, "einsum(): a subscript", 0)]


def _interleaved(operands: Sequence[Any]) -> tuple[str, Any]:
    """The other spelling of einsum, `einsum(x, [0, 1], y, [1, 2], [0, 2])`, as subscripts."""
    count = len(operands) // 2
    indexes = [*operands[1::2], *operands[2 * count :]]  # the result's last, where it is given
    texts = ["".join(map(_letter, index)) for index in indexes]
    return "->".join([",".join(texts[:count]), *texts[count:]]), operands[: 2 * count : 2]


@public("einsum")
def einsum(
    subscripts: Any,
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = False,
) -> Any:
    """Sums of products in Einstein's notation."""
    if not isinstance(subscripts, str):
        subscripts, operands = _interleaved([subscripts, *operands])
    tensors = [as_tensor(o) for o in operands]
    if not tensors:
        raise ArgumentError("einsum: expected at least one operand.")
    if dtype is not None:
        dtype = np.dtype(dtype)
        for t in tensors:
            check_cast("einsum()", t.dtype, dtype, casting)
    result = registry.make(
        "einsum.of", _einsum_parts(subscripts, [t.shape for t in tensors]), dtype, *tensors
    )
    if order in ("C", "F"):
        result = registry.make("copy", result, order)
    return given(result, out)


def _einsum_meta(parts: Any, dtype: Any, *tensors: TensorMeta) -> TensorMeta:
    terms, out = parts
    lengths: dict[str, float] = {}
    for term, tensor in zip(terms, tensors, strict=True):
        for letter, n in zip(term, tensor.shape, strict=True):
            known = lengths.get(letter, 1)
            if known == 1 or known != known:
                lengths[letter] = known if n == 1 else n
            elif n != 1 and not fits(known, n):
                raise ShapeError(
                    f"einsum: operands could not be broadcast together: {letter!r} is {known:g} and {n:g}."
                )
    return TensorMeta(tuple(lengths[c] for c in out), dtype or np.result_type(*(t.dtype for t in tensors)))


@lowered("einsum.of", meta=_einsum_meta)
def einsum_of(parts: Any, dtype: Any, *arrays: da.Array) -> da.Array:
    """`einsum` once its subscripts are letters per axis."""
    terms, out = parts
    kind = dtype or np.result_type(*(a.dtype for a in arrays))
    numbers = {c: i for i, c in enumerate(dict.fromkeys(c for t in terms for c in t))}
    fixed, letters = [], []
    for term, array in zip(terms, arrays, strict=True):
        if dtype is not None:
            array = array.astype(dtype)
        once = list(dict.fromkeys(term))
        if len(once) < len(term):
            array = _diagonal(array, term, once)
        fixed.append((array, tuple(numbers[c] for c in once)))
        letters.append(once)
    gone = tuple(numbers[c] for c in numbers if c not in out)
    kept = tuple(numbers[c] for c in out)
    return contracted(partial(np.einsum, _letters(letters, out)), kept, gone, fixed, kind)


def _diagonal(array: da.Array, term: list[str], once: list[str]) -> da.Array:
    """The same array with axes of equal letters made one."""
    kept = [i for i, c in enumerate(term) if term.count(c) == 1]
    joined = [c for c in once if term.count(c) > 1]
    order = [*(term[i] for i in kept), *joined]
    new_axes = {array.ndim + i: array.shape[term.index(c)] for i, c in enumerate(joined)}
    line = da.blockwise(
        partial(np.einsum, _letters([term], order)),
        (*kept, *new_axes),
        array,
        tuple(range(array.ndim)),
        dtype=array.dtype,
        concatenate=True,
        new_axes=new_axes,
    )
    return line.transpose([order.index(c) for c in once])


def _letters(terms: Sequence[Sequence[str]], out: Sequence[str]) -> str:
    """Subscripts with plain letters only."""
    plain = dict(zip(dict.fromkeys(c for t in terms for c in t), ascii_letters, strict=False))
    left, right = ["".join(plain[c] for c in t) for t in terms], "".join(plain[c] for c in out)
    return f"{','.join(left)}->{right}"
