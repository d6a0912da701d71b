"""Random tensors, orders and choices: the seed is fixed when the node is made, each chunk has a stream of its own from it.

The streams are NumPy's newer generators (PCG64), so figures differ from `numpy.random.RandomState` of the same seed; the
same seed and the same chunks give the same data, in any session, and again when chunks are computed a second time.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Generator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, Unbuilt
from marsdask.plan import graph, registry
from marsdask.plan.lower import Ask
from marsdask.plan.meta import TensorMeta
from marsdask.plan.registry import lowered, public
from marsdask.session.room import count_by_bytes
from marsdask.tensor.chunking import check_shape, chunks_of
from marsdask.tensor.core import NEEDED, Tensor, as_tensor, assign, called, signature
from marsdask.tensor.elements.elementwise import broadcast_shape
from marsdask.tensor.making.creation import refuse_gpu

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
# Other names of `random_sample`.
ALIASES = ("random", "ranf", "sample")

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


DEFAULT = RandomState()
"""What the functions of `mt.random` take their seeds from."""


def stream(seed: int, *place: int) -> np.random.Generator:
    """The stream of one chunk of the tensor of that seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=place)))


def draw(name: str, rng: np.random.Generator, args: Any, shape: Any, dtype: Any) -> Any:
    """Random values of one chunk."""
    if name in ("random_sample", "standard_normal") and dtype in (np.float32, np.float64):
        return (rng.random if name == "random_sample" else rng.standard_normal)(shape, dtype)
    if name in ("randint", "random_integers"):
        return rng.integers(*args, shape, dtype=dtype, endpoint=name == "random_integers")
    if name == "uniform":  # NumPy's legacy function takes high < low
        low, high = args
        found = rng.random(shape) * (np.asarray(high) - low) + low
    else:
        found = getattr(rng, "random" if name == "random_sample" else name)(*args, size=shape)
    return np.asarray(found).astype(dtype, copy=False)


def source(name: str, function: Any, **entry: Any) -> None:
    """Declare a function of `mt.random`, and the method of RandomState by the same name. `function` takes the state first."""
    public(f"random.{name}", room="tensor.random", **entry)(partial(function, DEFAULT))
    op = registry.lookup(f"random.{name}")

    def method(self: RandomState, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = registry.spread(op, registry.bind(op, args, kwargs))
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = op.doc
    self_first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters, gives = [self_first, *op.signature.parameters.values()], inspect.signature(function)
    method.__signature__ = op.signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=gives.return_annotation
    )
    setattr(RandomState, name, method)


def _arguments(name: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name, without those that only dense chunks in host memory allow."""
    given = registry.bind(registry.lookup(f"random.{name}"), args, kwargs)
    refuse_gpu(name, given.get("gpu"))
    if given.get("density") is not None:
        raise Unbuilt.argument(name, "density", "...", "sparse tensors are not there; multiply by a mask.")
    return given


def _dtype(given: Any, own: np.dtype[Any]) -> np.dtype[Any]:
    try:
        return own if given is None else np.dtype(given)
    except TypeError:
        raise ArgumentTypeError(f"dtype={given!r}: not a dtype.") from None


def _check(name: str, values: Any, dtype: Any) -> None:
    """NumPy's own checks of parameters, on no draws; those of tensors are checked when they are known."""
    if any(isinstance(v, registry.Handle) for v in values):
        return
    try:
        draw(name, np.random.default_rng(0), values, 1, dtype)
    except ValueError as error:
        raise ArgumentError(f"{name}: {error}") from None
    except TypeError as error:
        raise ArgumentTypeError(f"{name}: {error}") from None


def drawn(name: str, state: RandomState, *args: Any, **kwargs: Any) -> Tensor:
    """A tensor of a distribution of numbers, with a seed of its own."""
    given = _arguments(name, args, kwargs)
    defaults, kind = TABLE[name]
    values = [given.get(k, d) for k, d in defaults.items()]
    if name in ("randint", "random_integers") and values[1] is None:
        values = [1 if name == "random_integers" else 0, values[0]]
    values = [as_tensor(v) if isinstance(v, registry.Handle) or np.ndim(v) else v for v in values]
    dtype = _dtype(given.get("dtype"), kind)
    _check(name, values, dtype)
    size, chunk_size = given.get("size"), given.get("chunk_size")
    if size is not None:
        size = check_shape(size, "size")
        chunk_size = chunks_of(size, chunk_size, dtype, count_by_bytes)  # the same seed, the same data
        shapes = [v.shape for v in values if isinstance(v, registry.Handle)]
        known = not any(math.isnan(n) for shape in shapes for n in shape)
        if known and broadcast_shape(size, *shapes) != size:
            raise ArgumentError(f"size={size!r} does not fit parameters of shapes {shapes}.")
    return registry.make(f"random.{name}", state.next_seed(), values, size, chunk_size, dtype)


def _meta(seed: int, values: Any, size: Any, chunk_size: Any, dtype: Any) -> TensorMeta:
    shapes = [size] if size is not None else [v.shape for v in values if isinstance(v, TensorMeta)]
    return TensorMeta(broadcast_shape(*shapes), dtype)


def _lower(name: str, seed: int, values: Any, size: Any, chunk_size: Any, dtype: Any) -> da.Array:
    arrays = [v for v in values if isinstance(v, da.Array)]
    template = [... if isinstance(v, da.Array) else v for v in values]
    shape = size if size is not None else np.broadcast_shapes(*(a.shape for a in arrays))
    if not shape:
        draw_one = partial(_chunk, name, seed, template, (), dtype)
        one = graph.per_chunk(draw_one, *arrays, lengths=None) if arrays else graph.value(draw_one)
        return graph.to_array(one, (), dtype, scalar=True)
    chunks = chunks_of(shape, chunk_size, dtype, count_by_bytes)
    spread = [graph.rechunked(da.broadcast_to(a, shape), chunks) for a in arrays]
    return in_chunks(partial(_chunk, name, seed, template, chunks, dtype), chunks, dtype, name, *spread)


def in_chunks(function: Any, chunks: Any, dtype: Any, token: str, *arrays: da.Array) -> da.Array:
    """An array of what `function` draws for each chunk by its place, `block_id`."""
    nothing = np.empty((0,) * len(chunks), dtype)
    return da.map_blocks(function, *arrays, chunks=chunks, dtype=dtype, meta=nothing, token=token)


def _chunk(
    name: str, seed: int, template: list[Any], chunks: Any, dtype: Any, *arrays: Any, block_id: Any = ()
) -> Any:
    given = _parameters(template, arrays)
    return draw(name, stream(seed, *block_id), given, block_shape(chunks, block_id), dtype)


def _parameters(template: list[Any], arrays: Any) -> list[Any]:
    """Parameters of a distribution, with this chunk's arrays in the places of `...`."""
    left = iter(arrays)
    return [next(left) if v is ... else v for v in template]


def block_shape(chunks: Any, block_id: Any) -> tuple[int, ...]:
    """The shape of the chunk at a place; of axes that have no chunk sizes here nothing is said."""
    return tuple(lengths[i] for lengths, i in zip(chunks, block_id, strict=False))


for _name, (_defaults, _) in TABLE.items():
    _rest = (
        ("dtype", "density", "chunk_size", "gpu") if _name == "randint" else ("chunk_size", "gpu", "dtype")
    )
    for _public in (_name, *(ALIASES if _name == "random_sample" else ())):
        source(
            _public,
            partial(drawn, _name),
            signature=signature({**_defaults, "size": None, **dict.fromkeys(_rest)}),
            doc=f"Draws as NumPy's `{_public}`; parameters may be tensors. The same seed and chunks, the same data.",
        )
    lowered(f"random.{_name}", meta=_meta)(partial(_lower, _name))


def _shaped(name: str, state: RandomState, *shape: int, **kwargs: Any) -> Tensor:
    return drawn(name, state, size=shape or None, **kwargs)


for _public, _name in (("rand", "random_sample"), ("randn", "standard_normal")):
    source(
        _public,
        partial(_shaped, _name),
        doc=f"`{_name}` of the shape given by whole numbers; `chunk_size` and `dtype` by name.",
    )


def _drawn_vectors(name: str, state: RandomState, *args: Any, **kwargs: Any) -> Tensor:
    given = _arguments(name, args, kwargs)
    defaults, kind = VECTORS[name]
    values = [given[k] for k in defaults]
    values = [v if isinstance(v, registry.Handle) or not np.ndim(v) else np.asarray(v) for v in values]
    _check(name, values, kind)
    size = () if given.get("size") is None else check_shape(given["size"], "size")
    dtype = _dtype(given.get("dtype"), kind)
    length, chunk_size = values[-1].shape[-1], given.get("chunk_size")
    return registry.make(f"random.{name}", state.next_seed(), values, size, length, chunk_size, dtype)


def _vectors(
    name: str, seed: int, values: Any, size: Any, length: float, chunk_size: Any, dtype: Any
) -> Generator[Any, Any, da.Array]:
    small = [v for v in values if isinstance(v, da.Array)]
    if small:
        answers = yield Ask(*small)
        template = [... if isinstance(v, da.Array) else v for v in values]
        values = _parameters(template, [answers] if len(small) == 1 else answers)
    wanted = chunk_size[: len(size)] if isinstance(chunk_size, (tuple, list)) else chunk_size
    chunks = chunks_of(size, wanted, dtype, count_by_bytes) if size else ()
    function = partial(_chunk, name, seed, values, chunks, dtype)
    return in_chunks(function, (*chunks, (np.shape(values[-1])[-1],)), dtype, name)


for _name, (_defaults, _) in VECTORS.items():
    _more = ("check_valid", "tol") if _name == "multivariate_normal" else ()
    source(
        _name,
        partial(_drawn_vectors, _name),
        signature=signature({**_defaults, **dict.fromkeys(("size", *_more, "chunk_size", "gpu", "dtype"))}),
        doc=f"Vectors as NumPy's `{_name}` draws them, along a last axis.",
    )
    lowered(
        f"random.{_name}",
        meta=lambda seed, values, size, length, chunk_size, dtype: TensorMeta((*size, length), dtype),
    )(partial(_vectors, _name))

source("bytes", RandomState.bytes)
source("seed", RandomState.seed, doc="Starts `mt.random` again from a seed.")


def _is_number(value: Any) -> bool:
    """Whether a whole number is given, that stands for all numbers below it."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def permuted(state: RandomState, x: Any, axis: int = 0, chunk_size: Any = None) -> Tensor:
    """A random order of elements along an axis, over all chunks."""
    if _is_number(x):
        x = called("arange", checks.whole(x, "x", 0), dtype=INT, chunk_size=chunk_size)
    elif chunk_size is not None:
        x = registry.make("rechunk", as_tensor(x), chunk_size)
    x = as_tensor(x)
    if not x.ndim:
        raise ArgumentError("x must be an integer or at least 1-dimensional")
    axis = checks.axis(axis, x.ndim)
    mixed = registry.make("random.permuted", called("swapaxes", x, 0, axis), state.next_seed())
    return called("swapaxes", mixed, 0, axis) if axis else mixed


@lowered("random.permuted", meta=lambda x, seed: TensorMeta(x.shape, x.dtype))
def permuted_chunks(x: da.Array, seed: int) -> da.Array:
    """Every element goes to a chunk at random and the chunk is shuffled: each order is as likely as any other."""
    chunks = graph.from_array(x)
    if chunks.count > 1:
        count = chunks.count
        chunks = graph.per_chunk(np.asarray, chunks, lengths=None)
        numbered = graph.per_chunk(partial(_scattered, seed, count), chunks, number=True, lengths=None)
        chunks = graph.exchange(numbered, list, np.concatenate, count)
    mixed = graph.per_chunk(partial(_mixed, seed), chunks, number=True)
    return graph.to_array(mixed, tuple(x.shape[1:]), x.dtype)


def _scattered(seed: int, count: int, i: int, part: Any) -> list[Any]:
    home = stream(seed, 0, i).integers(count, size=len(part))
    return [part[rows] for rows in graph.rows_of_places(home, count)]


def _mixed(seed: int, i: int, part: Any) -> Any:
    return stream(seed, 1, i).permutation(part)


def chosen(
    state: RandomState,
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    chunk_size: Any = None,
    gpu: Any = None,
) -> Tensor:
    """Elements drawn with or without putting back, by probabilities where given."""
    refuse_gpu("choice", gpu)
    from_numbers = _is_number(a)
    a = int(a) if from_numbers else as_tensor(a)
    if not from_numbers and a.ndim != 1:
        raise ArgumentError("a must be 1-dimensional or a whole number")
    count = a if from_numbers else a.shape[0]
    shape = () if size is None else check_shape(size, "size")
    many = math.prod(shape)
    if (from_numbers and count < 0) or (count == 0 and many):
        raise ArgumentError("a must be greater than 0 unless no samples are taken")
    if not replace and many > count:
        raise ArgumentError(
            f"Cannot take a larger sample than population when replace is False: {many} of {count:g}."
        )
    if p is not None and not isinstance(p, registry.Handle):  # a tensor is checked when it is known
        p = np.asarray(p, dtype="f8")
        _check_shares(p, count)
    if not replace and p is None:
        order = permuted(state, a, chunk_size=chunk_size if from_numbers else None)[:many]
        return registry.make("reshape", order, shape) if len(shape) != 1 else order
    if p is None and count == count:
        places = drawn("randint", state, 0, count, shape, chunk_size=chunk_size)
    else:
        settings = (state.next_seed(), count, shape, p, bool(replace), chunk_size)
        places = registry.make("random.places", None if from_numbers else a, *settings)
    return places if from_numbers else a[places]


def _check_shares(p: Any, count: float) -> None:
    """NumPy's checks of probabilities."""
    if p.ndim != 1:
        raise ArgumentError("'p' must be 1-dimensional")
    if count == count and len(p) != count:
        raise ArgumentError("'a' and 'p' must have same size")
    if np.any(~(p >= 0)):
        raise ArgumentError("probabilities are not non-negative")
    if abs(p.sum() - 1) > 1e-8:
        raise ArgumentError("probabilities do not sum to 1")


@lowered("random.places", meta=lambda a, seed, count, shape, *rest: TensorMeta(shape, INT))
def places(
    a: Any, seed: int, count: float, shape: Any, p: Any, replace: bool, chunk_size: Any
) -> Generator[Any, Any, da.Array]:
    """Positions drawn by probabilities, which every chunk gets; without putting back, in one chunk."""
    count = int(a.shape[0] if a is not None else count)
    if isinstance(p, da.Array):
        p = yield Ask(p)
        _check_shares(p, count)
    chunks = chunks_of(shape, chunk_size, INT, count_by_bytes)
    if replace and shape:
        below = None if p is None else np.cumsum(p) / np.sum(p)
        return in_chunks(partial(_places_chunk, seed, count, below, chunks), chunks, INT, "choice")
    one = graph.value(partial(_one_draw, seed, count, shape, p, replace))
    if not shape:
        return graph.to_array(one, (), INT, scalar=True)
    flat = graph.to_array(one.with_lengths((math.prod(shape),)), (), INT)
    return graph.rechunked(flat.reshape(shape), chunks)


def _one_draw(seed: int, count: int, shape: Any, p: Any, replace: bool) -> Any:
    return np.asarray(stream(seed).choice(count, math.prod(shape), replace=replace, p=p)).reshape(
        -1 if shape else ()
    )


def _places_chunk(seed: int, count: int, below: Any, chunks: Any, block_id: Any = ()) -> Any:
    rng, shape = stream(seed, *block_id), block_shape(chunks, block_id)
    if below is None:
        return rng.integers(count, size=shape)
    return np.searchsorted(below, rng.random(shape), side="right")


def _shuffled(state: RandomState, x: Any) -> None:
    """Puts a tensor in random order in place, along its first axis; gives back None."""
    checks.instance(x, "shuffle(x=)", registry.Handle, "a tensor, such as mt.tensor(...)")
    assign(x, permuted(state, x), what="shuffle")


source("permutation", permuted)
source("choice", chosen)
source("shuffle", _shuffled)
