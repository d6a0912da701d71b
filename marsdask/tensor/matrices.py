"""Linear algebra by matrix: a stack of matrices is worked on chunk by chunk, one matrix always whole.

What gains from tiling is elsewhere: products in `products.py`, tall and thin QR and SVD in `factors.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError
from marsdask.plan import registry
from marsdask.plan.meta import TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, operation, public
from marsdask.tensor.core import as_tensor
from marsdask.tensor.elementwise import broadcast_shape
from marsdask.tensor.fold import one_chunk, whole_along

ROOM = "tensor.linalg"
NAN = float("nan")


def per_matrix(
    func: Callable[..., Any],
    arrays: Sequence[tuple[da.Array, int]],
    outs: Sequence[tuple[Sequence[Any], Any]],
) -> tuple[da.Array, ...]:
    """`func` on each chunk of stacked matrices; an operand is (array, how many last axes are one matrix or vector).

    `outs`: per result the lengths of its last axes, and its dtype.
    """
    depth = max(a.ndim - core for a, core in arrays)
    batch = tuple(range(depth))
    pairs: list[Any] = []
    for i, (a, core) in enumerate(arrays):
        axes = tuple(range(a.ndim - core, a.ndim))
        a = one_chunk(a, "linalg") if a.ndim == core else whole_along(a, axes)
        own = tuple(-1 - 2 * i - k for k in range(core))
        pairs += [a, (*batch[depth - (a.ndim - core) :], *own)]
    made = da.blockwise(
        partial(_results, func),
        batch,
        *pairs,
        concatenate=True,
        dtype=object,
        meta=np.empty((0,) * depth, object),
    )
    results = []
    for i, (core_shape, dtype) in enumerate(outs):
        axes = tuple(range(depth, depth + len(core_shape)))
        results.append(
            da.blockwise(
                partial(_pick, i, np.dtype(dtype)),
                (*batch, *axes),
                made,
                batch,
                new_axes=dict(zip(axes, core_shape, strict=True)),
                dtype=dtype,
                meta=np.empty((0,) * (depth + len(axes)), dtype),
            )
        )
    return tuple(results)


def _results(func: Any, *parts: Any) -> Any:
    found = func(*parts)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def _pick(i: int, dtype: Any, results: Any) -> Any:
    return np.asarray(results[i]).astype(dtype, copy=False)


def inexact(*dtypes: Any) -> np.dtype[Any]:
    """The dtype linear algebra works in."""
    kind = np.result_type(*dtypes)
    if kind == np.float16:
        raise ArgumentTypeError("array type float16 is unsupported in linalg")
    return kind if kind.kind in "fc" else np.dtype("f8")


def real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of parts of complex numbers."""
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def check_matrix(a: Any, name: str, *, square: bool = False) -> None:
    """NumPy's error for what is no (square) matrix, at the call."""
    if a.ndim < 2:
        raise ShapeError(f"{name}: {a.ndim}-dimensional array given. Array must be at least two-dimensional")
    m, n = a.shape[-2:]
    if square and m == m and n == n and m != n:
        raise ShapeError(f"{name}: last 2 dimensions of the array must be square, got {m:g} x {n:g}")


# name -> (square, lengths of the results' last axes from (m, n), dtypes of results, settings with defaults)
SQUARE: dict[str, Any] = {
    "inv": (True, lambda m, n: [(m, n)], lambda d: [d], {}),
    "det": (True, lambda m, n: [()], lambda d: [d], {}),
    "slogdet": (True, lambda m, n: [(), ()], lambda d: [d, real(d)], {}),
    "pinv": (False, lambda m, n: [(n, m)], lambda d: [d], {"rcond": None, "hermitian": False}),
    "eigh": (True, lambda m, n: [(n,), (m, n)], lambda d: [real(d), d], {"UPLO": "L"}),
    "eigvalsh": (True, lambda m, n: [(n,)], lambda d: [real(d)], {"UPLO": "L"}),
    "svdvals": (False, lambda m, n: [(min(m, n),)], lambda d: [real(d)], {}),
    "matrix_power": (True, lambda m, n: [(m, n)], lambda d: [d], {"n": NAN}),
    "cond": (False, lambda m, n: [()], lambda d: [real(d)], {"p": None}),
    "matrix_rank": (False, lambda m, n: [()], lambda d: [np.dtype(np.intp)], {"tol": None, "hermitian": False}),
}  # fmt: skip
NAMES = {"slogdet": ("sign", "logabsdet"), "eigh": ("eigenvalues", "eigenvectors")}


def _settings(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Those that differ from the default; errors for values NumPy refuses."""
    if settings.get("UPLO", "L") not in ("L", "U"):
        raise ArgumentError(f"{name}(UPLO={settings['UPLO']!r}): expected 'L' or 'U'.")
    if name == "matrix_power" and not isinstance(settings["n"], (int, np.integer)):
        raise ArgumentTypeError("exponent must be an integer")
    return {k: v for k, v in settings.items() if v is not None}


def _prepare_square(name: str, a: Any, **settings: Any) -> Any:
    a = as_tensor(a)
    check_matrix(a, name, square=SQUARE[name][0])
    return registry.make(f"linalg.{name}", a, **_settings(name, settings))


def _square_outs(name: str, a: Any) -> list[tuple[Any, Any]]:
    _, shapes, dtypes, _ = SQUARE[name]
    if name == "matrix_power" and a.dtype.kind in "iu":
        return [(tuple(a.shape[-2:]), a.dtype)]
    return list(zip(shapes(*a.shape[-2:]), dtypes(inexact(a.dtype)), strict=True))


def _square_meta(name: str, a: TensorMeta, **settings: Any) -> Any:
    items = tuple(TensorMeta((*a.shape[:-2], *core), dtype) for core, dtype in _square_outs(name, a))
    if name == "matrix_power" and settings["n"] < 0:
        items = (TensorMeta(a.shape, inexact(a.dtype)),)
    return TupleMeta(items, NAMES[name]) if len(items) > 1 else items[0]


def _square_lower(name: str, a: da.Array, **settings: Any) -> Any:
    function = np.linalg.svd if name == "svdvals" else getattr(np.linalg, name)
    if name == "svdvals":
        settings = {"compute_uv": False}
    known = _square_meta(name, TensorMeta(a.shape, a.dtype), **settings) if name != "svdvals" else None
    outs = _square_outs(name, a)
    if name == "matrix_power" and known is not None:
        outs = [(outs[0][0], known.dtype)]
    made = per_matrix(partial(function, **settings), [(a, 2)], outs)
    return made if len(made) > 1 else made[0]


def _register(name: str) -> None:
    import inspect

    _, _, _, settings = SQUARE[name]
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shown = [inspect.Parameter("a", both)]
    shown += [
        inspect.Parameter(k, both, default=inspect.Parameter.empty if isinstance(d, float) else d)
        for k, d in settings.items()
    ]
    lower = partial(_square_lower, name)
    lower.__doc__ = f"NumPy's `linalg.{name}` of a matrix, or of each in a stack."  # type: ignore[attr-defined]
    registry.add(
        registry.Op(
            name=f"linalg.{name}",
            room=ROOM,
            lower=lower,
            signature=inspect.Signature(shown),
            status="gathered",
            meta=partial(_square_meta, name),
            prepare=partial(_prepare_square, name),
        )
    )


for _name in SQUARE:
    _register(_name)


def _cholesky(a: Any, lower: bool = True, upper: bool = False) -> Any:
    a = as_tensor(a)
    check_matrix(a, "cholesky", square=True)
    return registry.make("linalg.cholesky", a, bool(lower) and not upper)


@operation(
    "linalg.cholesky",
    room=ROOM,
    status="gathered",
    prepare=_cholesky,
    meta=lambda a, lower=True: TensorMeta(a.shape, inexact(a.dtype)),
)
def cholesky(a: Array, lower: bool = True, *, upper: bool = False) -> da.Array:
    """The Cholesky factor: the lower one, as NumPy's; with `lower=False` or `upper=True` the upper."""
    (made,) = per_matrix(partial(_factor, lower), [(a, 2)], [(a.shape[-2:], inexact(a.dtype))])
    return made


def _factor(lower: bool, part: Any) -> Any:
    factor = np.linalg.cholesky(part)
    return factor if lower else np.conj(np.swapaxes(factor, -1, -2))


def _solve_meta(a: TensorMeta, b: TensorMeta, *rest: Any, **settings: Any) -> TensorMeta:
    n = a.shape[-1]
    if b.ndim == 1:
        if b.shape[0] == b.shape[0] and n == n and b.shape[0] != n:
            raise ShapeError(f"solve: {n:g} unknowns and {b.shape[0]:g} right hand sides.")
        return TensorMeta((*a.shape[:-2], n), inexact(a.dtype, b.dtype))
    if not b.ndim or (b.shape[-2] == b.shape[-2] and n == n and b.shape[-2] != n):
        raise ShapeError(f"solve: matrix of {a.shape} does not fit right hand sides of {b.shape}.")
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    return TensorMeta((*batch, n, b.shape[-1]), inexact(a.dtype, b.dtype))


def _prepare_solve(name: str, a: Any, b: Any = None, **settings: Any) -> Any:
    a, b = as_tensor(a), as_tensor(b)
    check_matrix(a, name, square=True)
    return {"a": a, "b": b, **settings}


def _solved(func: Any, a: da.Array, b: da.Array) -> da.Array:
    known = _solve_meta(TensorMeta(a.shape, a.dtype), TensorMeta(b.shape, b.dtype))
    core = 1 if b.ndim == 1 else 2
    (made,) = per_matrix(func, [(a, 2), (b, core)], [(known.shape[-core:], known.dtype)])
    return made


@operation(
    "linalg.solve",
    room=ROOM,
    status="gathered",
    prepare=partial(_prepare_solve, "solve"),
    meta=_solve_meta,
)
def solve(a: Array, b: Array, sym_pos: bool = False) -> da.Array:
    """The solution of linear equations. `sym_pos` only tunes."""
    return _solved(np.linalg.solve, a, b)


def _triangular(lower: bool, trans: Any, unit: bool, a: Any, b: Any) -> Any:
    a = np.tril(a) if lower else np.triu(a)
    if unit:
        index = np.arange(a.shape[-1])
        a = a.copy()
        a[..., index, index] = 1
    if trans in (1, "T", 2, "C"):
        a = np.swapaxes(a.conj() if trans in (2, "C") else a, -1, -2)
    return np.linalg.solve(a, b)


@operation(
    "linalg.solve_triangular",
    room=ROOM,
    status="gathered",
    prepare=partial(_prepare_solve, "solve_triangular"),
    meta=_solve_meta,
)
def solve_triangular(
    a: Array, b: Array, lower: bool = False, trans: Any = 0, unit_diagonal: bool = False
) -> da.Array:
    """The solution of equations whose matrix is triangular; the other triangle is not looked at."""
    return _solved(partial(_triangular, lower, trans, unit_diagonal), a, b)


def _lstsq_meta(a: TensorMeta, b: TensorMeta, rcond: Any = None) -> TupleMeta:
    dtype = inexact(a.dtype, b.dtype)
    rest = tuple(b.shape[1:])
    found = [(a.shape[1], *rest), (NAN,), (), (min(a.shape),)]
    kinds = [dtype, real(dtype), np.dtype(np.int32), real(dtype)]
    return TupleMeta(tuple(TensorMeta(s, k) for s, k in zip(found, kinds, strict=True)))


@lowered(
    "linalg.lstsq",
    room=ROOM,
    status="gathered",
    meta=_lstsq_meta,
)
def lstsq(a: Array, b: Array, rcond: float | None = None) -> Any:
    """Least squares: solution, residuals, rank, singular values."""
    known = _lstsq_meta(TensorMeta(a.shape, a.dtype), TensorMeta(b.shape, b.dtype))
    outs = [(m.shape, m.dtype) for m in known.items]
    return per_matrix(partial(np.linalg.lstsq, rcond=rcond), [(a, 2), (b, b.ndim)], outs)


def _lu_meta(a: TensorMeta) -> TupleMeta:
    m, n = a.shape[-2:]
    dtype = inexact(a.dtype)
    k = min(m, n)
    batch = a.shape[:-2]
    shapes = [(m, m), (m, k), (k, n)]
    return TupleMeta(
        tuple(TensorMeta((*batch, *s), dtype if i else real(dtype)) for i, s in enumerate(shapes))
    )


@public("linalg.lu", room=ROOM, function=True)
def lu(a: Any) -> Any:
    """Permutation, lower and upper factor: `p @ l @ u` is `a`."""
    a = as_tensor(a)
    check_matrix(a, "lu")
    return {"a": a}


def _factored(a: Any) -> Any:
    """Gaussian elimination with row exchanges, a column at a time: `p @ l @ u` is `a`."""
    u = np.array(a, dtype=inexact(a.dtype))
    m, n = u.shape
    k = min(m, n)
    rows = np.arange(m)
    for j in range(k):
        best = j + int(np.argmax(np.abs(u[j:, j])))
        if best != j:
            u[[j, best]] = u[[best, j]]
            rows[[j, best]] = rows[[best, j]]
        if u[j, j] != 0:
            u[j + 1 :, j] /= u[j, j]
            u[j + 1 :, j + 1 :] -= np.outer(u[j + 1 :, j], u[j, j + 1 :])
    p = np.zeros((m, m), real(u.dtype))
    p[rows, np.arange(m)] = 1
    return p, np.tril(u[:, :k], -1) + np.eye(m, k), np.triu(u[:k])


def _stacked_lu(part: Any) -> Any:
    if part.ndim == 2:
        return _factored(part)
    found = [_factored(each) for each in part.reshape(-1, *part.shape[-2:])]
    return tuple(np.reshape([f[i] for f in found], (*part.shape[:-2], *found[0][i].shape)) for i in range(3))


@lowered("linalg.lu", status="gathered", meta=_lu_meta)
def _prepare_lu(a: Array) -> Any:
    return per_matrix(
        _stacked_lu,
        [(a, 2)],
        [(m.shape[a.ndim - 2 :], m.dtype) for m in _lu_meta(TensorMeta(a.shape, a.dtype)).items],
    )
