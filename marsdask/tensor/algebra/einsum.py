"""Einstein sums: letters per axis, then a contraction of chunks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from string import ascii_letters
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import lowered, public
from marsdask.tensor.algebra.products import contracted, fits
from marsdask.tensor.core import as_tensor, check_cast
from marsdask.tensor.indexing.selecting import given


def _einsum_parts(subscripts: str, shapes: Sequence[tuple[float, ...]]) -> tuple[list[list[str]], list[str]]:
    """Letters of each operand and of the result; those behind `...` are numbered from the right."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
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


def _interleaved(operands: Sequence[Any]) -> tuple[str, Sequence[Any]]:
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
    given_ones: Sequence[Any] = operands
    if not isinstance(subscripts, str):
        subscripts, given_ones = _interleaved([subscripts, *operands])
    tensors = [as_tensor(o) for o in given_ones]
    if not tensors:
        raise ArgumentError("einsum: expected at least one operand.")
    if dtype is not None:
        dtype = np.dtype(dtype)
        for t in tensors:
            check_cast("einsum", t.dtype, dtype, casting)
    parts = _einsum_parts(subscripts, [t.shape for t in tensors])
    result = registry.make("einsum.of", parts, dtype, *tensors)
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
                lengths[letter] = n if not (n == 1 and known != known) else known
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
    func = partial(np.einsum, _letters(letters, out))
    return contracted(func, tuple(numbers[c] for c in out), gone, fixed, kind)


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
