"""QR and SVD: tall and thin ones tiled (a QR per chunk, then one of the stacked factors), the rest in one chunk."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import Unbuilt
from marsdask.options import options
from marsdask.plan import graph, registry
from marsdask.plan.meta import TensorMeta, TupleMeta
from marsdask.plan.registry import Array, lowered, public
from marsdask.tensor.algebra.matrices import ROOM, as_matrix, inexact, meta_of, per_matrix, real
from marsdask.tensor.core import ExecutableTuple
from marsdask.tensor.sampling.draws import RandomState


def tall(a: da.Array) -> da.Array | None:
    """The same matrix in chunks of whole rows, none with fewer rows than columns; None where one chunk is better."""
    if a.ndim != 2 or a.npartitions == 1 or a.nbytes <= options.chunk_store_limit:
        return None
    rows, columns = a.shape
    each = max(int(options.chunk_store_limit // max(columns * a.dtype.itemsize, 1)), columns, 1)
    if rows < 2 * each:
        return None
    count = rows // each
    sizes = [rows // count + (i < rows % count) for i in range(count)]
    graph.rule(f"tall and thin: {count} chunks of rows")
    return a.astype(inexact(a.dtype)).rechunk((tuple(sizes), columns))


METHODS = ("tsqr", "sfqr", None)


@public("linalg.qr", room=ROOM)
def qr(a: Array, mode: str = "reduced", method: str = "tsqr") -> Any:
    """Orthogonal and upper factor. Tall and thin matrices are tiled by rows: then signs may differ from NumPy's."""
    checks.choice(method, "qr(method=)", METHODS)
    if mode == "raw":
        raise Unbuilt.argument("qr", "mode", mode, "mode='reduced' gives the factors.")
    checks.choice(mode, "qr(mode=)", ("reduced", "complete", "r"))
    a = as_matrix(a, "qr")
    return registry.make("linalg.qr", a, mode)


def _qr_meta(a: TensorMeta, mode: str = "reduced") -> Any:
    *batch, m, n = a.shape
    dtype = inexact(a.dtype)
    k = m if mode == "complete" else min(m, n)
    r = TensorMeta((*batch, k, n), dtype)
    return r if mode == "r" else TupleMeta((TensorMeta((*batch, m, k), dtype), r), ("Q", "R"))


@lowered("linalg.qr", meta=_qr_meta)
def _qr(a: da.Array, mode: str = "reduced") -> Any:
    rows = tall(a) if mode != "complete" else None
    if rows is not None:
        q, r = da.linalg.tsqr(rows)
        return r if mode == "r" else (q, r)
    return per_matrix(partial(np.linalg.qr, mode=mode), [(a, 2)], _qr_meta(meta_of(a), mode))


@public(
    "linalg.svd",
    room=ROOM,
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
    checks.choice(method, "svd(method=)", METHODS)
    a = as_matrix(a, "svd", square=bool(hermitian))
    return registry.make("linalg.svd", a, bool(full_matrices), bool(compute_uv), bool(hermitian))


def _svd_meta(a: TensorMeta, full: bool = False, compute_uv: bool = True, hermitian: bool = False) -> Any:
    *batch, m, n = a.shape
    dtype, k = inexact(a.dtype), min(m, n)
    s = TensorMeta((*batch, k), real(dtype))
    if not compute_uv:
        return s
    u, v = TensorMeta((*batch, m, m if full else k), dtype), TensorMeta((*batch, n if full else k, n), dtype)
    return TupleMeta((u, s, v), ("U", "S", "Vh"))


@lowered("linalg.svd", meta=_svd_meta)
def _svd(a: da.Array, full: bool, compute_uv: bool, hermitian: bool) -> Any:
    if not full and not hermitian and a.ndim == 2:
        wide = a.shape[0] < a.shape[1]
        rows = tall(a.T if wide else a)
        if rows is not None:
            u, s, v = da.linalg.tsqr(rows, compute_svd=True)
            if not compute_uv:
                return s
            return (v.T, s, u.T) if wide else (u, s, v)
    function = partial(np.linalg.svd, full_matrices=full, compute_uv=compute_uv, hermitian=hermitian)
    return per_matrix(function, [(a, 2)], _svd_meta(meta_of(a), full, compute_uv))


@public("linalg.randomized_svd", room=ROOM)
def randomized_svd(
    a: Any, n_components: int, n_oversamples: int = 10, n_iter: Any = "auto", power_iteration_normalizer: str = "auto",
    transpose: Any = "auto", flip_sign: bool = True, random_state: Any = 0,
) -> Any:  # fmt: skip
    """The first singular values and vectors of a large matrix, approximately."""
    # Halko, Martinsson, Tropp: a random sketch of the range, a few power iterations, an exact SVD of what is left.
    a = as_matrix(a, "randomized_svd")
    k = checks.whole(n_components, "n_components", 1)
    checks.choice(
        power_iteration_normalizer, "power_iteration_normalizer", ("auto", "QR", "LU", "none", None)
    )
    if transpose == "auto":
        transpose = a.shape[0] < a.shape[1]
    if n_iter == "auto":
        n_iter = 7 if k < 0.1 * min(a.shape) else 4
    state = random_state if isinstance(random_state, RandomState) else RandomState(random_state)
    matrix = a.T if transpose else a
    width = min(k + n_oversamples, *matrix.shape)
    q = state.normal(size=(matrix.shape[1], width))  # type: ignore[attr-defined]
    for _ in range(n_iter):
        q = qr(matrix.T @ qr(matrix @ q)[0])[0]
    q = qr(matrix @ q)[0]
    u, s, v = svd(q.T @ matrix)
    u = q @ u
    if flip_sign:
        signs = registry.make("linalg.signs", v.T if transpose else u)
        u, v = u * signs, v * signs[:, None]
    if transpose:
        return ExecutableTuple((v[:k].T, s[:k], u[:, :k].T))
    return ExecutableTuple((u[:, :k], s[:k], v[:k]))


@lowered("linalg.signs", meta=lambda u: TensorMeta(u.shape[1:], u.dtype))
def signs(u: da.Array) -> da.Array:
    """For each column the sign of its largest element, so that factors come out the same way each time."""
    return u.rechunk({0: -1}).map_blocks(_signs, drop_axis=0, dtype=u.dtype)


def _signs(part: Any) -> Any:
    best = np.abs(part).argmax(axis=0)
    return np.sign(part[best, np.arange(part.shape[1])])
