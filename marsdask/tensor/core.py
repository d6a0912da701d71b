"""The Tensor handle: NumPy's ndarray, lazily. Methods come from the registry when `marsdask.tensor` is imported.

Views are handles derived from a base, so that writes go both ways (NumPy's rule for slices, transposes, reshapes).
"""

from __future__ import annotations

import html
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from marsdask import checks
from marsdask.errors import (
    AmbiguousTruth,
    ArgumentTypeError,
    ReadOnly,
    ShapeError,
    UnknownLength,
    UnknownName,
)
from marsdask.plan import graph, registry
from marsdask.plan.handle import Handle, held, in_code_for_dask
from marsdask.plan.meta import meta, time_as_pandas
from marsdask.plan.node import Data, Node, token
from marsdask.session.base import CACHED
from marsdask.session.lazy import ExecutableTuple as ExecutableTuple  # noqa: PLC0414 - the rooms look for it here
from marsdask.session.lazy import Lazy

SCALARS = (bool, int, float, complex, np.generic)


class Tensor(Lazy):
    """A lazy n-dimensional array in chunks. Made by `mt.tensor`, `mt.ones`, ... and by operations; see `mt.tensor`."""

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    @property
    def shape(self) -> tuple[float, ...]:
        """Length of each axis; `nan` where only a run can tell."""
        return tuple(np.nan if math.isnan(n) else int(n) for n in self.known.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.known.dtype  # type: ignore[no-any-return]

    @property
    def order(self) -> str:
        """'C' or 'F': the memory order that `fetch()` gives."""
        return self.known.order  # type: ignore[no-any-return]

    @property
    def flags(self) -> dict[str, bool]:
        flat = sum(n != 1 for n in self.known.shape) <= 1
        return {"C_CONTIGUOUS": flat or self.order == "C", "F_CONTIGUOUS": flat or self.order == "F"}

    @property
    def ndim(self) -> int:
        return len(self.known.shape)

    @property
    def size(self) -> float:
        size = math.prod(self.known.shape)
        return size if math.isnan(size) else int(size)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> float:
        return self.size * self.dtype.itemsize

    @property
    def key(self) -> str:
        """What tells this expression from others: equal ones have equal keys."""
        return token(self.node)

    @property
    def cache(self) -> bool:
        """Whether the data are held as soon as something that is made of them runs; set it to True for that."""
        return id(self) in CACHED

    @cache.setter
    def cache(self, value: bool) -> None:
        if checks.flag(value, "cache"):
            CACHED[id(self)] = self
        else:
            CACHED.pop(id(self), None)

    def refresh_params(self) -> None:
        """Nothing: shape and dtype of what has run are those of the data."""

    @property
    def T(self) -> Tensor:
        """A view with the axes reversed."""
        return called("transpose", self)  # type: ignore[no-any-return]

    @property
    def real(self) -> Tensor:
        """A view of the real part."""
        return called("real", self)  # type: ignore[no-any-return]

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Tensor:
        """A view of the imaginary part; read-only zeros where there is none."""
        return called("imag", self)  # type: ignore[no-any-return]

    @imag.setter
    def imag(self, value: Any) -> None:
        self.imag[...] = value

    @property
    def _meta(self) -> np.ndarray[Any, Any]:
        # xarray asks for this
        return np.empty((0,) * self.ndim, dtype=self.dtype)

    @property
    def nsplits(self) -> tuple[tuple[float, ...], ...] | None:
        """Chunk lengths per axis, once executed (`nan` for unknown ones); else None."""
        return self._result.collection.chunks if self.is_executed() else None

    @property
    def chunks(self) -> tuple[tuple[float, ...], ...]:
        """Chunk lengths per axis as Dask plans them, which xarray and dask-ml ask for."""
        return self.collection().chunks  # type: ignore[no-any-return]

    def received(self, value: Any, session: Any) -> Any:
        """The data; of `allclose` and its like a `bool`."""
        return bool(value) if self.node.op == "truth" else value

    def to_dask(self) -> da.Array:
        """The `dask.array.Array` this lowers to; functions that write into its chunks raise."""
        return graph.guarded(self.collection())

    def to_numpy(self, session: Any = None, *, wait: bool = True, **how: Any) -> Any:
        """The data as NumPy, run first if needed; with `wait=False` a future of them. `how`: as for `execute`."""
        return self._run_and_fetch(session, wait=wait, **how)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ArgumentTypeError("copy=False: a tensor's data cannot be had without a copy.")
        return np.asarray(self._run_and_fetch(), dtype=dtype)

    def __repr__(self) -> str:
        return repr(self.fetch()) if self.is_executed() else self.unexecuted_repr()

    def _repr_html_(self) -> str:
        """The data of a tensor that has run, as text; of another one what is known."""
        if self.is_executed():
            return f"<pre>{html.escape(repr(self))}</pre>"
        about = {"operation": self.node.op, "shape": self.shape, "dtype": self.dtype}
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(v))}</td></tr>" for name, v in about.items())
        return f"<table><caption>Tensor, not executed</caption>{rows}</table>"

    def __str__(self) -> str:
        return str(self.fetch()) if self.is_executed() else f"Tensor(op={self.node.op}, shape={self.shape})"

    def unexecuted_repr(self) -> str:
        return super().unexecuted_repr().replace(", key=", f", shape={self.shape}, key=")

    def __len__(self) -> int:
        return self._known_length("len()", "len() of unsized object: this tensor has no axes.")

    def __format__(self, spec: str) -> str:
        if spec and self.ndim:
            raise ArgumentTypeError(f"format(x, {spec!r}): expected one number, got {self.ndim} axes.")
        return format(self._single("format()"), spec) if spec else str(self)

    def __round__(self, ndigits: int | None = None) -> Any:
        """A number where there is one, which runs; of several the tensor of their rounded values."""
        if self.ndim:
            return called("around", self, ndigits or 0)
        return round(self._single("round()"), ndigits)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(self._known_length("iteration", "iteration over a 0-d tensor")))

    def _known_length(self, needed_for: str, without_axes: str) -> int:
        if not self.ndim:
            raise ArgumentTypeError(without_axes)
        if math.isnan(self.shape[0]):
            raise UnknownLength.needed_for(needed_for)
        return int(self.shape[0])

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise ArgumentTypeError("only integer scalar tensors can be converted to a scalar index")
        return operator.index(self._single("index"))

    def _single(self, what: str) -> Any:
        if self.size == 1 or math.isnan(self.size):
            data = self._run_and_fetch()
            if not self.ndim:
                return data
            if data.size == 1:
                return data.item()
        raise AmbiguousTruth(
            f"{what} of a tensor with more than one element is ambiguous. Hint: use .any() or .all()."
        )

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def item(self, *args: Any) -> Any:
        """The only element, or that at an index, as a Python scalar. Runs."""
        return np.asarray(self).item(*args)

    def tolist(self) -> Any:
        """The data as nested lists. Runs."""
        return np.asarray(self).tolist()

    def __getattr__(self, name: str) -> Any:
        if hasattr(da.Array, name) and not name.startswith("_"):
            raise UnknownName(
                f"Tensor has no attribute {name!r}. Hint: x.to_dask() is an array of Dask, which has it."
            )
        raise UnknownName.among("Tensor", name, dir(type(self)))


# Python's operators, as ufuncs. `reflected` ones swap their operands.
BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift", "matmul": "matmul", "divmod": "divmod",
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip
COMPARE = {"lt", "le", "gt", "ge", "eq", "ne"}
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


PLAIN = (Tensor, *SCALARS)
"""What stands beside a tensor as it is."""


def _answers(value: Any) -> bool:
    """Whether the other side of an operator knows what to do with a tensor: frames, and what NumPy leaves it to as well."""
    if isinstance(value, (np.ndarray, da.Array)) or pd.api.types.is_scalar(value):
        return False
    known = isinstance(value, Handle) or hasattr(value, "__array_ufunc__")
    return known or hasattr(value, "__array_priority__")


def _operator(name: str, way: str = "") -> Any:
    """The method of a binary operator: as it is, reflected ("r") or in place ("i")."""

    def method(self: Tensor, value: Any) -> Any:
        other = value
        if not isinstance(value, PLAIN):
            if _answers(value):
                return NotImplemented
            (other,) = as_operands([value], beside=[self])
        try:
            result = registry.make(name, *((other, self) if way == "r" else (self, other)))
        except ArgumentTypeError:
            if name not in ("equal", "not_equal"):
                raise
            return called("full_like", self, name == "not_equal", dtype=bool)  # as NumPy answers
        return assign(self, result, what=name) if way == "i" and not in_code_for_dask() else result

    return method


for python, name in BINARY.items():
    ways = [""] if python in COMPARE else ["", "r"] if python == "divmod" else ["", "r", "i"]
    for way in ways:
        setattr(Tensor, f"__{way}{python}__", _operator(name, way))
for python, name in UNARY.items():
    setattr(Tensor, f"__{python}__", lambda self, name=name: registry.make(name, self))


for kind in (bool, int, float, complex):
    setattr(Tensor, f"__{kind.__name__}__", lambda self, kind=kind: kind(self._single(f"{kind.__name__}()")))


def as_tensor(value: Any) -> Tensor:
    """A tensor of anything `mt.asarray` takes; a tensor itself as it is."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Handle):
        return registry.make("to_tensor", value)
    if isinstance(value, da.Array):
        return registry.wrap(Node("from_dask", (Data(value),)))
    if hasattr(value, "toarray") and not hasattr(value, "__array__"):
        value = value.toarray()  # SciPy's sparse ones; chunks are dense
    try:
        array = np.asanyarray(value)
    except ValueError as error:
        raise ArgumentTypeError(f"cannot make a tensor of {type(value).__name__}: {error}") from None
    return registry.wrap(Node("data", (Data(array.copy()), None)))


def as_operand(value: Any) -> Any:
    """A scalar as it is, which has no say in dtypes; pandas' times as NumPy's, if it has them; anything else as a tensor."""
    if isinstance(value, (pd.Timestamp, pd.Timedelta)) and getattr(value, "tzinfo", None) is None:
        return value.to_numpy()
    return value if isinstance(value, SCALARS) else as_tensor(value)


def as_operands(values: Iterable[Any], beside: Iterable[Any] = ()) -> list[Any]:
    """Each as `as_operand` makes it; beside tensors of objects one value is an object, which NumPy leaves as it is.

    Python's times beside one of pandas' are pandas' as well.
    """
    values = list(values)
    if all(isinstance(v, PLAIN) for v in values):
        return values
    tensors = [v for v in (*beside, *values) if isinstance(v, Tensor)]
    if any(t.known.like is not None for t in tensors):
        values = list(map(time_as_pandas, values))
    if any(t.dtype.hasobject for t in tensors):
        values = [
            boxed(v) if v is None or (pd.api.types.is_scalar(v) and not isinstance(v, SCALARS)) else v
            for v in values
        ]
    return list(map(as_operand, values))


def boxed(value: Any) -> np.ndarray[Any, Any]:
    """One value, whatever it is, as an array of objects."""
    if isinstance(value, np.ndarray):
        return value.astype(object)
    box = np.empty((), dtype=object)
    box[()] = value
    return box


def as_tensors(values: Any) -> list[Tensor]:
    """A list of tensors from a sequence, or from a tensor along its first axis."""
    if isinstance(values, (Tensor, np.ndarray, da.Array)):
        values = list(as_tensor(values))
    if not isinstance(values, (list, tuple)):
        raise ArgumentTypeError(f"expected a sequence of tensors, got {type(values).__name__}")
    return [as_tensor(v) for v in values]


NEEDED = inspect.Parameter.empty


def signature(takes: dict[str, Any], by_name: Iterable[str] = ()) -> inspect.Signature:
    """What a member of a family takes: names with their defaults or `NEEDED`, then those that go by name only."""
    both, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    found = [inspect.Parameter(name, both, default=default) for name, default in takes.items()]
    return inspect.Signature([*found, *(inspect.Parameter(name, named, default=None) for name in by_name)])


delegated = partial(registry.lowered, status="delegated", sizes="any")
"""`lowered` for what Dask does with each chunk, whatever its size."""


def called(name: str, *args: Any, **kwargs: Any) -> Any:
    """What the public function of that name gives, wherever it is."""
    return registry.call(registry.lookup(name), args, kwargs)


def check_cast(where: str, given: Any, wanted: Any, casting: Any) -> None:
    """NumPy's error for a dtype that cannot become another by a casting rule."""
    if not np.can_cast(given, wanted, casting=casting):
        raise ArgumentTypeError(
            f"{where}: cannot cast from {given} to {wanted} according to the rule {casting!r}."
        )


def fits(m: float, n: float) -> bool:
    """Whether two lengths may be the same: nan is one that only a run can tell."""
    return m == n or math.isnan(m) or math.isnan(n)


def view(base: Handle, derive: Callable[[Node], Node], restore: Callable[[Node, Node], Node]) -> Any:
    """A handle on `derive(base's node)` that follows its base; `restore(base, view)` is the base after a write.

    A view of something that is no handle (an ndarray just converted) is a plain result.
    """

    def in_order(base: Node, new: Node) -> Node:
        made, order = restore(base, new), meta(base).order
        return made if meta(made).order == order else Node("copy", (made, order))

    handle = registry.wrap(derive(base.node), held(base))
    handle.view_of(base, derive, in_order)
    return handle


def read_only(a: Any, reason: str, name: str, *args: Any) -> Any:
    """A view by an operation that NumPy makes read-only."""

    def refuse(base: Node, new: Node) -> Node:
        raise ReadOnly(f"assignment destination is read-only: {reason}. Hint: write to a .copy().")

    return view(a, lambda base: Node(name, (base, *args)), refuse)


def given(result: Any, out: Any, *, repeated: bool = False) -> Any:
    """The result, in `out` where one is given: of its shape, or one that it is `repeated` to fill."""
    return result if out is None else assign(out, result, repeated=repeated)


def become(target: Handle, made: Handle) -> None:
    """Point a handle at what was made of it."""
    target.rebind(made.node, held(made))


def assign(
    target: Handle, value: Any, *, casting: Any = "same_kind", what: str = "out", repeated: bool = True
) -> Any:
    """`target[...] = value` by NumPy's casting rule: rebinds `target`, returns it. For `out=` and `+=`.

    Raises TypeError for an unsafe cast, ValueError where `value` does not broadcast to the target's shape, or would have
    to where it is not to be `repeated`.
    """
    if not isinstance(target, Handle) or meta(target.node).kind != "Tensor":
        raise ArgumentTypeError(
            f"{what}= takes a tensor, got {type(target).__name__}. Hint: {what}=mt.tensor(...)"
        )
    new, old = meta(value.node), meta(target.node)
    check_cast(what, new.dtype, old.dtype, casting)
    if new.ndim != old.ndim or not all(map(fits, new.shape, old.shape)):
        try:
            grown = np.broadcast_shapes(new.shape, old.shape)
        except ValueError:
            grown = None
        if grown != old.shape or not repeated:
            raise ShapeError(f"{what}: a result of shape {new.shape} does not fit into shape {old.shape}.")
        value = registry.make("broadcast_to", value, tuple(int(n) for n in old.shape))
    if new.dtype != old.dtype:
        value = registry.make("astype", value, old.dtype)
    if new.order != old.order and old.ndim > 1:
        value = registry.make("copy", value, old.order)
    become(target, value)
    return target


registry.WRAPPERS["Tensor"] = Tensor
registry.CONVERTERS[registry.Array] = as_tensor
registry.CONVERTERS[registry.Arrays] = as_tensors
