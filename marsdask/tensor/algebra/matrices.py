"""Linear algebra by matrix: a stack of matrices is worked on chunk by chunk, one matrix always whole.

What gains from it is tiled: products (in `products.py`), and QR and SVD of tall and thin matrices, a QR per chunk and then one of
the stacked factors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, ShapeError, Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.meta import NAN, TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.core import NEEDED, ExecutableTuple, Tensor, fits, signature
from marsdask.tensor.elements.elementwise import broadcast_shape
from marsdask.tensor.fold import per_matrix, reduced_shape
from marsdask.tensor.sampling import RandomState

ROOM = "tensor.linalg"
gathered = partial(lowered, room=ROOM, status="gathered")


def inexact(*dtypes: Any) -> np.dtype[Any]:
    """The dtype linear algebra works in."""
    kind = np.result_type(*dtypes)
    if kind == np.float16:
        raise ArgumentTypeError("array type float16 is unsupported in linalg")
    return kind if kind.kind in "fc" else np.dtype("f8")


def real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of parts of complex numbers."""
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def matrix_shape(a: Tensor | TensorMeta, name: str, *, square: bool = False) -> tuple[float, ...]:
    """The shape of a (square) matrix or a stack of them; NumPy's error for what is none."""
    if a.ndim < 2:
        raise ShapeError(f"{name}: {a.ndim}-dimensional array given. Array must be at least two-dimensional")
    m, n = a.shape[-2:]
    if square and not fits(m, n):
        raise ShapeError(f"{name}: last 2 dimensions of the array must be square, got {m:g} x {n:g}")
    return a.shape


# name -> (square, lengths of the results' last axes from (m, n), dtypes of results)
OF_MATRIX: dict[str, tuple[bool, Callable[..., Any], Callable[..., Any]]] = {
    "inv": (True, lambda m, n: [(m, n)], lambda d: [d]),
    "det": (True, lambda m, n: [()], lambda d: [d]),
    "slogdet": (True, lambda m, n: [(), ()], lambda d: [d, real(d)]),
    "pinv": (False, lambda m, n: [(n, m)], lambda d: [d]),
    "eigh": (True, lambda m, n: [(n,), (m, n)], lambda d: [real(d), d]),
    "eigvalsh": (True, lambda m, n: [(n,)], lambda d: [real(d)]),
    "svdvals": (False, lambda m, n: [(min(m, n),)], lambda d: [real(d)]),
    "matrix_power": (True, lambda m, n: [(m, n)], lambda d: [d]),
    "cond": (False, lambda m, n: [()], lambda d: [real(d)]),
    "matrix_rank": (False, lambda m, n: [()], lambda d: [np.dtype(np.intp)]),
    "cholesky": (True, lambda m, n: [(m, n)], lambda d: [d]),
}
NAMES = {"slogdet": ("sign", "logabsdet"), "eigh": ("eigenvalues", "eigenvectors")}


def _matrix_meta(name: str, a: TensorMeta, **settings: Any) -> Any:
    square, shapes, dtypes = OF_MATRIX[name]
    *batch, m, n = matrix_shape(a, name, square=square)
    whole = name == "matrix_power" and a.dtype.kind in "iuO" and settings["n"] >= 0
    kinds = [a.dtype] if whole else dtypes(inexact(a.dtype))
    items = tuple(TensorMeta((*batch, *core), d) for core, d in zip(shapes(m, n), kinds, strict=True))
    return TupleMeta(items, NAMES[name]) if len(items) > 1 else items[0]


def _matrix_lower(name: str, a: da.Array, **settings: Any) -> Any:
    known = _matrix_meta(name, a, **settings)
    return per_matrix(partial(getattr(np.linalg, name), **settings), [(a, 2)], known)


# name -> what it takes beside the matrix
SETTINGS: dict[str, dict[str, Any]] = {
    "eigh": {"UPLO": "L"},
    "eigvalsh": {"UPLO": "L"},
    "matrix_power": {"n": NEEDED},
    "pinv": {"rcond": None, "hermitian": False},
    "cond": {"p": None},
    "matrix_rank": {"tol": None, "hermitian": False},
}


def _of_matrix(name: str, a: Array, **settings: Any) -> Any:
    if "UPLO" in settings:
        checks.choice(settings["UPLO"], f"{name}(UPLO=)", ("L", "U"))
    if not isinstance(settings.get("n", 0), (int, np.integer)):
        raise ArgumentTypeError("exponent must be an integer")
    return registry.make(f"linalg.{name}", a, **{k: v for k, v in settings.items() if v is not None})


for _name in OF_MATRIX:
    if _name != "cholesky":
        _takes = signature({"a": NEEDED, **SETTINGS.get(_name, {})})
        _doc = f"NumPy's `linalg.{_name}` of a matrix, or of each in a stack."
        public(f"linalg.{_name}", room=ROOM, signature=_takes, direct=False, doc=_doc)(
            partial(_of_matrix, _name)
        )
    lowered(f"linalg.{_name}", status="gathered", meta=partial(_matrix_meta, _name))(
        partial(_matrix_lower, _name)
    )


@public("linalg.cholesky", room=ROOM)
def cholesky(a: Array, lower: bool = True, *, upper: bool = False) -> Any:
    """The Cholesky factor: the lower one, as NumPy's; with `lower=False` or `upper=True` the upper."""
    return _of_matrix("cholesky", a, upper=upper or not lower)


def _solve_meta(name: str, a: Any, b: Any, *rest: Any, **settings: Any) -> TensorMeta:
    *_, n = matrix_shape(a, name, square=True)
    columns = b.shape[-1:] if b.ndim > 1 else ()
    if not b.ndim or not fits(n, b.shape[-2 if columns else 0]):
        raise ShapeError(f"solve: matrix of {a.shape} does not fit right hand sides of {b.shape}.")
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    return TensorMeta((*batch, n, *columns), inexact(a.dtype, b.dtype))


def _solved(func: Any, a: da.Array, b: da.Array) -> da.Array:
    return per_matrix(func, [(a, 2), (b, min(b.ndim, 2))], _solve_meta("solve", a, b))


@gathered("linalg.solve", meta=partial(_solve_meta, "solve"))
def solve(a: Array, b: Array, sym_pos: bool = False) -> Any:
    """The solution of linear equations. `sym_pos` only tunes."""
    return _solved(np.linalg.solve, a, b)


@gathered("linalg.solve_triangular", meta=partial(_solve_meta, "solve_triangular"))
def solve_triangular(
    a: Array, b: Array, lower: bool = False, trans: Any = 0, unit_diagonal: bool = False
) -> Any:
    """The solution of equations whose matrix is triangular; the other triangle is not looked at."""
    return _solved(partial(_triangular, lower, trans, unit_diagonal), a, b)


def _triangular(lower: bool, trans: Any, unit: bool, a: Any, b: Any) -> Any:
    a = np.tril(a) if lower else np.triu(a)
    if unit:  # `a` is a copy already
        index = np.arange(a.shape[-1])
        a[..., index, index] = 1
    if trans in (1, "T", 2, "C"):
        a = np.swapaxes(a.conj() if trans in (2, "C") else a, -1, -2)
    return np.linalg.solve(a, b)


def _lstsq_meta(a: TensorMeta, b: TensorMeta, rcond: Any = None) -> TupleMeta:
    dtype = inexact(a.dtype, b.dtype)
    solution, residuals = TensorMeta((a.shape[1], *b.shape[1:]), dtype), TensorMeta((NAN,), real(dtype))
    rank, singular = TensorMeta((), np.dtype(np.int32)), TensorMeta((min(a.shape),), real(dtype))
    return TupleMeta((solution, residuals, rank, singular))


@gathered("linalg.lstsq", meta=_lstsq_meta)
def lstsq(a: Array, b: Array, rcond: float | None = None) -> Any:
    """Least squares: solution, residuals, rank, singular values."""
    return per_matrix(partial(np.linalg.lstsq, rcond=rcond), [(a, 2), (b, b.ndim)], _lstsq_meta(a, b))


def _lu_meta(a: TensorMeta) -> TupleMeta:
    *batch, m, n = matrix_shape(a, "lu")
    k, dtype = min(m, n), inexact(a.dtype)
    results = (((m, m), real(dtype)), ((m, k), dtype), ((k, n), dtype))
    return TupleMeta(tuple(TensorMeta((*batch, *core), kind) for core, kind in results))


@gathered("linalg.lu", meta=_lu_meta)
def lu(a: Array) -> Any:
    """Permutation, lower and upper factor: `p @ l @ u` is `a`."""
    factored = np.vectorize(_factored, signature="(m,n)->(m,m),(m,k),(k,n)")
    return per_matrix(factored, [(a, 2)], _lu_meta(a))


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


def tall(a: da.Array) -> da.Array | None:
    """The same matrix in chunks of whole rows, none with fewer rows than columns; None where one chunk is better."""
    if a.ndim != 2 or a.npartitions == 1 or a.nbytes <= options.chunk_store_limit:
        return None
    rows, columns = a.shape
    each = max(int(options.chunk_store_limit // max(columns * a.dtype.itemsize, 1)), columns, 1)
    count = rows // each
    if count < 2:
        return None
    sizes = [rows // count + (i < rows % count) for i in range(count)]
    graph.rule(f"tall and thin: {count} chunks of rows")
    return graph.rechunked(a.astype(inexact(a.dtype)), (tuple(sizes), columns))


METHODS = ("tsqr", "sfqr", None)


def _qr_meta(a: TensorMeta, mode: str = "reduced", method: str = "tsqr") -> Any:
    checks.choice(method, "qr(method=)", METHODS)
    if mode == "raw":
        raise Unbuilt.argument("qr", "mode", mode, "mode='reduced' gives the factors.")
    checks.choice(mode, "qr(mode=)", ("reduced", "complete", "r"))
    *batch, m, n = matrix_shape(a, "qr")
    dtype = inexact(a.dtype)
    k = m if mode == "complete" else min(m, n)
    r = TensorMeta((*batch, k, n), dtype)
    return r if mode == "r" else TupleMeta((TensorMeta((*batch, m, k), dtype), r), ("Q", "R"))


@lowered("linalg.qr", room=ROOM, meta=_qr_meta)
def qr(a: Array, mode: str = "reduced", method: str = "tsqr") -> Any:
    """Orthogonal and upper factor. Tall and thin matrices are tiled by rows: then signs may differ from NumPy's."""
    rows = tall(a) if mode != "complete" else None
    if rows is not None:
        q, r = da.linalg.tsqr(rows)
        return r if mode == "r" else (q, r)
    return per_matrix(partial(np.linalg.qr, mode=mode), [(a, 2)], _qr_meta(a, mode))


def _svd_meta(
    a: TensorMeta,
    full_matrices: bool = False,
    compute_uv: bool = True,
    hermitian: bool = False,
    method: str = "tsqr",
) -> Any:
    checks.choice(method, "svd(method=)", METHODS)
    *batch, m, n = matrix_shape(a, "svd", square=hermitian)
    dtype, k = inexact(a.dtype), min(m, n)
    s = TensorMeta((*batch, k), real(dtype))
    if not compute_uv:
        return s
    left, right = (m, n) if full_matrices else (k, k)
    u, v = TensorMeta((*batch, m, left), dtype), TensorMeta((*batch, right, n), dtype)
    return TupleMeta((u, s, v), ("U", "S", "Vh"))


@lowered(
    "linalg.svd",
    room=ROOM,
    meta=_svd_meta,
    differs="`full_matrices` is False unless given, as in Mars: the full factor of a tall matrix has rows squared.",
)
def svd(
    a: Array,
    full_matrices: bool = False,
    compute_uv: bool = True,
    hermitian: bool = False,
    method: str = "tsqr",
) -> Any:
    """Singular values and vectors. Tall or wide matrices are tiled: then signs may differ from NumPy's."""
    if not full_matrices and not hermitian and a.ndim == 2:
        wide = a.shape[0] < a.shape[1]
        rows = tall(a.T if wide else a)
        if rows is not None:
            u, s, v = da.linalg.tsqr(rows, compute_svd=True)
            if not compute_uv:
                return s
            return (v.T, s, u.T) if wide else (u, s, v)
    known = _svd_meta(a, full_matrices, compute_uv, hermitian)
    settings = {"full_matrices": full_matrices, "compute_uv": compute_uv, "hermitian": hermitian}
    return per_matrix(partial(np.linalg.svd, **settings), [(a, 2)], known)


@public("linalg.randomized_svd", room=ROOM)
def randomized_svd(
    a: Array, n_components: int, n_oversamples: int = 10, n_iter: Any = "auto", power_iteration_normalizer: str = "auto",
    transpose: Any = "auto", flip_sign: bool = True, random_state: Any = 0,
) -> Any:  # fmt: skip
    """The first singular values and vectors of a large matrix, approximately."""
    # Halko, Martinsson, Tropp: a random sketch of the range, a few power iterations, an exact SVD of what is left.
    rows, columns = matrix_shape(a, "randomized_svd")
    k = checks.whole(n_components, "n_components", 1)
    checks.choice(
        power_iteration_normalizer, "power_iteration_normalizer", ("auto", "QR", "LU", "none", None)
    )
    if transpose == "auto":
        transpose = rows < columns
    if n_iter == "auto":
        n_iter = 7 if k < 0.1 * min(rows, columns) else 4
    make = registry.make
    state = random_state if isinstance(random_state, RandomState) else RandomState(random_state)
    matrix = a.T if transpose else a
    width = min(k + n_oversamples, *matrix.shape)
    q = state.normal(size=(matrix.shape[1], width))  # type: ignore[attr-defined]
    for _ in range(n_iter):
        q = make("linalg.qr", matrix.T @ make("linalg.qr", matrix @ q)[0])[0]
    q = make("linalg.qr", matrix @ q)[0]
    u, s, v = make("linalg.svd", q.T @ matrix)
    u = q @ u
    if flip_sign:
        signs = make("linalg.signs", v.T if transpose else u)
        u, v = u * signs, v * signs[:, None]
    if transpose:
        return ExecutableTuple((v[:k].T, s[:k], u[:, :k].T))
    return ExecutableTuple((u[:, :k], s[:k], v[:k]))


@lowered("linalg.signs", meta=lambda u: TensorMeta(u.shape[1:], u.dtype))
def signs(u: da.Array) -> da.Array:
    """For each column the sign of its largest element, so that factors come out the same way each time."""
    return graph.rechunked(u, {0: -1}).map_blocks(_signs, drop_axis=0, dtype=u.dtype)


def _signs(part: Any) -> Any:
    best = np.abs(part).argmax(axis=0)
    return np.sign(part[best, np.arange(part.shape[1])])


@public("linalg.norm", room=ROOM)
def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of a vector or matrix, by any `ord`."""
    make = registry.make
    if x.dtype.kind not in "fc":
        x = make("multiply", x, 1.0)
    keep: dict[str, Any] = {"keepdims": True} if keepdims else {}
    axes = tuple(range(x.ndim)) if axis is None else checks.axes(axis, x.ndim)
    euclidean = {1: (None, 2), 2: (None, "fro", "f")}.get(len(axes), (None,) if axis is None else ())
    if ord in euclidean:
        reduced = {} if axis is None else {"axis": tuple(sorted(axes))}
        squares = make("square", make("absolute", x) if x.dtype.kind == "c" else x)
        total = make("sum", squares, **reduced, **keep)
        lone = x.dtype == object and axis is None  # an object has no root, a number it is has
        return make("sqrt", make("astype", total, np.dtype("f8")) if lone else total)
    if len(axes) == 1:
        return _vector_norm(x, ord, {"axis": axes, **keep})
    if len(axes) != 2:
        raise ArgumentError("Improper number of dimensions to norm.")
    if ord in (1, -1, np.inf, -np.inf):
        along, over = axes if abs(ord) == 1 else axes[::-1]
        sums = make("sum", make("absolute", x), axis=(along,), **keep)
        over -= int(not keepdims and along < over)
        return make("max" if ord > 0 else "min", sums, axis=(over,), **keep)
    if ord in ("nuc", 2, -2):
        return make("linalg.spectral", x, ord, axes, bool(keepdims))
    raise ArgumentError(f"Invalid norm order for matrices: ord={ord!r}.")


def _vector_norm(x: Any, ord: Any, along: dict[str, Any]) -> Any:
    make = registry.make
    if isinstance(ord, str):
        raise ArgumentError(f"Invalid norm order {ord!r} for vectors")
    if ord == 0:
        return make("sum", make("not_equal", x, 0), dtype=real(x.dtype), **along)
    sizes = make("absolute", x)
    if ord in (np.inf, -np.inf):
        return make("max" if ord > 0 else "min", sizes, **along)
    if ord == 1:
        return make("sum", sizes, **along)
    return make("power", make("sum", make("power", sizes, ord), **along), 1 / ord)


@lowered(
    "linalg.spectral",
    status="gathered",
    meta=lambda x, ord, axes, keepdims: TensorMeta(reduced_shape(x, axes, keepdims), real(x.dtype)),
)
def spectral(x: da.Array, ord: Any, axes: Any, keepdims: bool) -> da.Array:
    """Matrix norms that need singular values."""
    known = TensorMeta(tuple(n for i, n in enumerate(x.shape) if i not in axes), real(x.dtype))
    made = per_matrix(partial(_spectral, ord), [(da.moveaxis(x, axes, (-2, -1)), 2)], known)
    return da.expand_dims(made, axes) if keepdims else made


def _spectral(ord: Any, part: Any) -> Any:
    values = np.linalg.svd(part, compute_uv=False)
    return values.sum(axis=-1) if ord == "nuc" else values.max(axis=-1) if ord == 2 else values.min(axis=-1)
