"""How random tensors are drawn: the seed is fixed when the node is made, each chunk has a stream of its own from it.

The streams are NumPy's newer generators (PCG64), so figures differ from `numpy.random.RandomState` of the same seed; the
same seed and the same chunks give the same data, in any session, and again when chunks are computed a second time.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import Op, add
from marsdask.tensor.chunking import check_shape, chunks_of
from marsdask.tensor.core import as_tensor
from marsdask.tensor.elementwise import broadcast_shape

NEEDED = inspect.Parameter.empty
FLOAT, INT = np.dtype("f8"), np.dtype("i8")

# name -> (parameters with defaults, dtype); drawn by the method of that name of numpy.random.Generator
TABLE: dict[str, tuple[dict[str, Any], np.dtype[Any]]] = {
    "beta": ({"a": NEEDED, "b": NEEDED}, FLOAT),
    "binomial": ({"n": NEEDED, "p": NEEDED}, INT),
    "chisquare": ({"df": NEEDED}, FLOAT),
    "exponential": ({"scale": 1.0}, FLOAT),
    "f": ({"dfnum": NEEDED, "dfden": NEEDED}, FLOAT),
    "gamma": ({"shape": NEEDED, "scale": 1.0}, FLOAT),
    "geometric": ({"p": NEEDED}, INT),
    "gumbel": ({"loc": 0.0, "scale": 1.0}, FLOAT),
    "hypergeometric": ({"ngood": NEEDED, "nbad": NEEDED, "nsample": NEEDED}, INT),
    "laplace": ({"loc": 0.0, "scale": 1.0}, FLOAT),
    "logistic": ({"loc": 0.0, "scale": 1.0}, FLOAT),
    "lognormal": ({"mean": 0.0, "sigma": 1.0}, FLOAT),
    "logseries": ({"p": NEEDED}, INT),
    "negative_binomial": ({"n": NEEDED, "p": NEEDED}, INT),
    "noncentral_chisquare": ({"df": NEEDED, "nonc": NEEDED}, FLOAT),
    "noncentral_f": ({"dfnum": NEEDED, "dfden": NEEDED, "nonc": NEEDED}, FLOAT),
    "normal": ({"loc": 0.0, "scale": 1.0}, FLOAT),
    "pareto": ({"a": NEEDED}, FLOAT),
    "poisson": ({"lam": 1.0}, INT),
    "power": ({"a": NEEDED}, FLOAT),
    "rayleigh": ({"scale": 1.0}, FLOAT),
    "standard_cauchy": ({}, FLOAT),
    "standard_exponential": ({}, FLOAT),
    "standard_gamma": ({"shape": NEEDED}, FLOAT),
    "standard_normal": ({}, FLOAT),
    "standard_t": ({"df": NEEDED}, FLOAT),
    "triangular": ({"left": NEEDED, "mode": NEEDED, "right": NEEDED}, FLOAT),
    "uniform": ({"low": 0.0, "high": 1.0}, FLOAT),
    "vonmises": ({"mu": NEEDED, "kappa": NEEDED}, FLOAT),
    "wald": ({"mean": NEEDED, "scale": NEEDED}, FLOAT),
    "weibull": ({"a": NEEDED}, FLOAT),
    "zipf": ({"a": NEEDED}, INT),
    "random_sample": ({}, FLOAT),
    "randint": ({"low": NEEDED, "high": None}, INT),
    "random_integers": ({"low": NEEDED, "high": None}, INT),
}
ALIASES = {"random": "random_sample", "ranf": "random_sample", "sample": "random_sample"}

# Distributions of vectors: parameters, and how long a vector is.
VECTORS: dict[str, tuple[dict[str, Any], np.dtype[Any]]] = {
    "dirichlet": ({"alpha": NEEDED}, FLOAT),
    "multinomial": ({"n": NEEDED, "pvals": NEEDED}, INT),
    "multivariate_normal": ({"mean": NEEDED, "cov": NEEDED}, FLOAT),
}


class RandomState:
    """A source of random tensors: each tensor made takes the next seed of it, when it is made."""

    _source: np.random.SeedSequence

    def __init__(self, seed: Any = None):
        self.seed(seed)

    def seed(self, seed: Any = None) -> None:
        """Start again from `seed`."""
        if isinstance(seed, RandomState):
            self._source = seed._source
            return
        if isinstance(seed, np.random.RandomState):
            seed = seed.get_state(legacy=False)["state"]["key"]
        try:
            self._source = np.random.SeedSequence(seed)
        except TypeError:
            raise ArgumentTypeError(
                f"seed={seed!r}: expected a whole number, a sequence of them, or None."
            ) from None
        except ValueError:
            raise ArgumentError(f"seed={seed!r}: expected 0 or more.") from None

    def next_seed(self) -> int:
        """The seed of the next tensor."""
        low, high = self._source.spawn(1)[0].generate_state(2, np.uint64)
        return int(low) | int(high) << 64

    @classmethod
    def from_numpy(cls, state: np.random.RandomState) -> RandomState:
        """A source seeded from the state of NumPy's."""
        return cls(state)

    def to_numpy(self) -> np.random.RandomState:
        """NumPy's, seeded from this one."""
        return np.random.RandomState(np.random.MT19937(self._source))

    def bytes(self, length: int) -> bytes:
        """Random bytes, at once."""
        return stream(self.next_seed()).bytes(length)

    def rand(self, *shape: int, **kwargs: Any) -> Any:
        """Uniform in [0, 1), of the shape given by whole numbers."""
        return self.random_sample(shape or None, **kwargs)  # type: ignore[attr-defined]

    def randn(self, *shape: int, **kwargs: Any) -> Any:
        """Standard normal, of the shape given by whole numbers."""
        return self.standard_normal(shape or None, **kwargs)  # type: ignore[attr-defined]


DEFAULT = RandomState()
"""What the functions of `mt.random` take their seeds from."""


def stream(seed: int, *place: int) -> np.random.Generator:
    """The stream of one chunk of the tensor of that seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=place)))


def draw(name: str, rng: np.random.Generator, args: Any, shape: Any, dtype: Any) -> Any:
    """Random values of one chunk."""
    if name == "random_sample":
        return (
            rng.random(shape, dtype) if dtype in (np.float32, np.float64) else rng.random(shape).astype(dtype)
        )
    if name == "standard_normal" and dtype in (np.float32, np.float64):
        return rng.standard_normal(shape, dtype)
    if name == "randint":
        return rng.integers(*args, shape, dtype=dtype)
    if name == "random_integers":
        return rng.integers(*args, shape, dtype=dtype, endpoint=True)
    if name == "uniform":  # NumPy's legacy function takes high < low
        low, high = args
        found = rng.random(shape) * (np.asarray(high) - low) + low
    else:
        found = getattr(rng, name)(*args, size=shape)
    return np.asarray(found).astype(dtype, copy=False)


def draw_of(name: str, state: RandomState, arguments: dict[str, Any]) -> Any:
    """The node for a call: checked, and with a seed of its own."""
    defaults, kind = TABLE[name]
    if arguments.pop("gpu", None):
        raise Unbuilt.argument(name, "gpu", True, "leave it out; chunks are NumPy arrays in host memory.")
    if arguments.pop("density", None) is not None:
        raise Unbuilt.argument(name, "density", "...", "sparse tensors are not there; multiply by a mask.")
    values = [arguments.get(k, d) for k, d in defaults.items()]
    if name in ("randint", "random_integers"):
        low, high = values
        values = [1 if name == "random_integers" else 0, low] if high is None else [low, high]
    values = [as_tensor(v) if isinstance(v, registry.Handle) or np.ndim(v) else v for v in values]
    given = arguments.get("dtype")
    try:
        dtype = kind if given is None else np.dtype(given)
    except TypeError:
        raise ArgumentTypeError(f"dtype={given!r}: not a dtype.") from None
    if not any(isinstance(v, registry.Handle) for v in values):
        _check(name, values, dtype)
    size = arguments.get("size")
    shapes = [tuple(v.shape) for v in values if isinstance(v, registry.Handle)]
    size = None if size is None else check_shape(size, "size")
    if size is not None and shapes and not any(n != n for s in shapes for n in s):
        try:
            fits = np.broadcast_shapes(size, *shapes) == size
        except ValueError:
            fits = False
        if not fits:
            raise ArgumentError(f"size={size!r} does not fit parameters of shapes {shapes}.")
    chunk_size = arguments.get("chunk_size")
    if size is not None:
        chunk_size = chunks_of(size, chunk_size, dtype)
    return registry.make(f"random.{name}", state.next_seed(), values, size, chunk_size, dtype)


def _check(name: str, values: Any, dtype: Any) -> None:
    """NumPy's own checks of parameters, on no draws."""
    try:
        draw(name, np.random.default_rng(0), values, 1, dtype)
    except ValueError as error:
        raise ArgumentError(f"{name}: {error}") from None
    except TypeError as error:
        raise ArgumentTypeError(f"{name}: {error}") from None


def _meta(seed: int, values: Any, size: Any, chunk_size: Any, dtype: Any) -> TensorMeta:
    shape = (
        size if size is not None else broadcast_shape(*(v.shape for v in values if isinstance(v, TensorMeta)))
    )
    return TensorMeta(tuple(shape), dtype)


def _lower(name: str, seed: int, values: Any, size: Any, chunk_size: Any, dtype: Any) -> da.Array:
    arrays = [v for v in values if isinstance(v, da.Array)]
    shape = size if size is not None else np.broadcast_shapes(*(v.shape for v in arrays))
    if not shape:
        parts = [None if isinstance(v, da.Array) else v for v in values]
        one = graph.value(
            partial(_scalar, name, seed, parts, dtype),
            *(graph.per_chunk(same, a, lengths=None) for a in arrays),
        )
        return graph.to_array(one, (), dtype, scalar=True)
    chunks = chunks_of(shape, chunk_size, dtype)
    spread = [da.broadcast_to(a, shape).rechunk(chunks) for a in arrays]
    template = tuple(None if isinstance(v, da.Array) else (v,) for v in values)
    function = partial(_chunk, name, seed, template, chunks, dtype)
    return da.map_blocks(
        function, *spread, chunks=chunks, dtype=dtype, meta=np.empty((0,) * len(shape), dtype), token=name
    )


def same(part: Any) -> Any:
    return part


def _scalar(name: str, seed: int, parts: list[Any], dtype: Any, *arrays: Any) -> Any:
    left = iter(arrays)
    args = [next(left)[0] if p is None else p for p in parts]
    return draw(name, stream(seed), args, (), dtype)


def _chunk(
    name: str, seed: int, template: Any, chunks: Any, dtype: Any, *arrays: Any, block_id: Any = ()
) -> Any:
    left = iter(arrays)
    args = [next(left) if t is None else t[0] for t in template]
    shape = tuple(c[i] for c, i in zip(chunks, block_id, strict=True))
    return draw(name, stream(seed, *block_id), args, shape, dtype)


def _signature(defaults: dict[str, Any], *rest: str) -> inspect.Signature:
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shown = [inspect.Parameter(k, both, default=d) for k, d in defaults.items()]
    shown += [inspect.Parameter(k, both, default=None) for k in ("size", *rest)]
    return inspect.Signature(shown)


def _default(prepare: Any, **arguments: Any) -> Any:
    return prepare(DEFAULT, arguments)


def source(public: str, prepare: Any, signature: inspect.Signature, doc: str, lower: Any, meta: Any) -> None:
    """Register a function of `mt.random`, and the method of RandomState by the same name."""
    lower = (
        partial(lower)
        if not isinstance(lower, partial)
        else partial(lower.func, *lower.args, **lower.keywords)
    )
    lower.__doc__ = doc
    op = Op(
        name=f"random.{public}",
        room="tensor.random",
        lower=lower,
        signature=signature,
        status="tiled",
        meta=meta,
        prepare=partial(_default, prepare),
    )
    add(op)

    def method(self: RandomState, *args: Any, **kwargs: Any) -> Any:
        bound = registry.bind(op, args, kwargs)
        return prepare(self, dict(bound.arguments))

    method.__name__ = method.__qualname__ = public
    method.__doc__ = doc
    self_first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = signature.replace(parameters=[self_first, *signature.parameters.values()])  # type: ignore[attr-defined]
    setattr(RandomState, public, method)


for _name in TABLE:
    _rest = (
        ("dtype", "density", "chunk_size", "gpu") if _name == "randint" else ("chunk_size", "gpu", "dtype")
    )
    for _public in (_name, *(a for a, n in ALIASES.items() if n == _name)):
        source(
            _public,
            partial(draw_of, _name),
            _signature(TABLE[_name][0], *_rest),
            f"Draws as NumPy's `{_public}`; parameters may be tensors. The same seed and chunks, the same data.",
            partial(_lower, _name),
            _meta,
        )


def _prepare_shaped(name: str, state: RandomState, arguments: dict[str, Any]) -> Any:
    return draw_of(name, state, {**arguments.pop("kwargs", {}), "size": arguments.get("shape") or None})


def _shaped(*shape: int, **kwargs: Any) -> None:
    """The signature of rand and randn."""


for _public, _name in (("rand", "random_sample"), ("randn", "standard_normal")):
    source(
        _public,
        partial(_prepare_shaped, _name),
        inspect.signature(_shaped),
        f"`{_name}` of the shape given by whole numbers; `chunk_size` and `dtype` by name.",
        partial(_lower, _name),
        _meta,
    )


def _prepare_vectors(name: str, state: RandomState, arguments: dict[str, Any]) -> Any:
    defaults, kind = VECTORS[name]
    if arguments.pop("gpu", None):
        raise Unbuilt.argument(name, "gpu", True, "leave it out; chunks are NumPy arrays in host memory.")
    values = [arguments[k] for k in defaults]
    values = [v if isinstance(v, registry.Handle) or not np.ndim(v) else np.asarray(v) for v in values]
    if not any(isinstance(v, registry.Handle) for v in values):
        try:
            getattr(np.random.default_rng(0), name)(*values, size=1)
        except ValueError as error:
            raise ArgumentError(f"{name}: {error}") from None
    size = arguments.get("size")
    size = () if size is None else check_shape(size, "size")
    dtype = np.dtype(arguments.get("dtype") or kind)
    length = values[-1].shape[-1]
    chunk_size = arguments.get("chunk_size")
    return registry.make(f"random.{name}", state.next_seed(), values, size, length, chunk_size, dtype)


def _vectors_meta(
    seed: int, values: Any, size: Any, length: float, chunk_size: Any, dtype: Any
) -> TensorMeta:
    return TensorMeta((*size, length), dtype)


def _vectors(
    name: str, seed: int, values: Any, size: Any, length: float, chunk_size: Any, dtype: Any
) -> Generator[Any, Any, da.Array]:
    small = [v for v in values if isinstance(v, da.Array)]
    if small:
        answers = yield Ask(*small)
        left = iter([answers] if len(small) == 1 else answers)
        values = [next(left) if isinstance(v, da.Array) else v for v in values]
    length = np.shape(values[-1])[-1]
    wanted = chunk_size[: len(size)] if isinstance(chunk_size, (tuple, list)) else chunk_size
    chunks = (*chunks_of(size, wanted, dtype), (length,)) if size else ((length,),)
    function = partial(_vector_chunk, name, seed, values, chunks, dtype)
    return da.map_blocks(
        function, chunks=chunks, dtype=dtype, meta=np.empty((0,) * len(chunks), dtype), token=name
    )


def _vector_chunk(name: str, seed: int, values: Any, chunks: Any, dtype: Any, block_id: Any = ()) -> Any:
    shape = tuple(c[i] for c, i in zip(chunks[:-1], block_id[:-1], strict=True))
    found = getattr(stream(seed, *block_id), name)(*values, size=shape)
    return np.asarray(found).astype(dtype, copy=False)


for _name in VECTORS:
    source(
        _name,
        partial(_prepare_vectors, _name),
        _signature(
            VECTORS[_name][0],
            *(("check_valid", "tol") if _name == "multivariate_normal" else ()),
            "chunk_size",
            "gpu",
            "dtype",
        ),
        f"Vectors as NumPy's `{_name}` draws them, along a last axis.",
        partial(_vectors, _name),
        _vectors_meta,
    )
