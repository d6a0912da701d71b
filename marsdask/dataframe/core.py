"""The handles of frames: DataFrame, Series, Index. Methods come from the registry when `marsdask.dataframe` is imported."""

from __future__ import annotations

import html
import inspect
import math
import operator
import sys
from collections.abc import Callable, Hashable, Iterator
from types import MethodType
from typing import Any

import numpy as np
import pandas as pd

from marsdask.errors import (
    AmbiguousTruth,
    ArgumentTypeError,
    ColumnNotFound,
    ShapeError,
    UnknownLength,
    UnknownName,
)
from marsdask.plan import registry
from marsdask.plan.handle import Handle, held
from marsdask.plan.meta import meta
from marsdask.plan.node import Data, Node, token
from marsdask.session.lazy import Lazy

DOT = "a product of pandas"
LABELLED = {
    pd.DataFrame.__init__.__code__: "pd.DataFrame()",
    pd.Series.__init__.__code__: "pd.Series()",
    pd.DataFrame.__setitem__.__code__: "the assignment of a column of pandas",
    pd.DataFrame.insert.__code__: "insert() of pandas",
    pd.DataFrame.dot.__code__: DOT,
    pd.Series.dot.__code__: DOT,
}
"""Code of pandas that looks at the labels of what is pandas' own, and takes bare values of anything else."""
DRAWING = ("seaborn.",)
"""Libraries that draw a series by its values and labels: without its name they leave an axis without a title."""


def _asked_for_labels(ndim: int) -> tuple[str, bool]:
    """What of those in pandas asks for an array, and whether it was given the frame itself, so that names are lost as well.

    pandas lets nobody say more than an array can: labels were lost without a word.
    """
    frame, inside, what = sys._getframe(2), 0, ""
    while frame.f_globals.get("__name__", "").startswith("pandas.") and frame.f_back is not None:
        what = LABELLED.get(frame.f_code, what)
        frame, inside = frame.f_back, inside + 1
    drawn = ndim == 1 and frame.f_globals.get("__name__", "").startswith(DRAWING)
    return what, inside <= 2 and not drawn


class FrameHandle(Lazy):
    """What DataFrame, Series and Index have in common."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 2000  # above Tensor: ndarray + series and tensor + series are series
    __pandas_priority__ = 5000

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A handle of a node; called as users call it, what the public constructor of the class gives."""
        if args and type(args[0]) is Node:
            return object.__new__(cls)
        return registry.call(registry.lookup(cls.__name__), args, kwargs)

    def __init__(self, node: Any = None, keep: Any = (), *args: Any, **kwargs: Any):
        if type(node) is Node:
            super().__init__(node, keep)

    @property
    def shape(self) -> tuple[float, ...]:
        """Rows (`nan` where only a run can tell) and columns."""
        return tuple(np.nan if math.isnan(n) else int(n) for n in self.known.shape)

    @property
    def ndim(self) -> int:
        return int(self.known.ndim)

    @property
    def size(self) -> float:
        size = math.prod(self.shape)
        return size if math.isnan(size) else int(size)

    @property
    def nsplits(self) -> tuple[tuple[float, ...], ...] | None:
        """Rows per chunk (and the columns, whole), once executed; else None."""
        if not self.is_executed():
            return None
        rows = tuple(self._result.collection.lengths)
        return (rows, (self.shape[1],)) if self.ndim == 2 else (rows,)

    @property
    def empty(self) -> bool:
        """Whether there are no elements. Raises ValueError where that is not known yet."""
        if math.isnan(self.size):
            raise UnknownLength("Tileable object must be executed first")
        return self.size == 0

    def refresh_params(self) -> None:
        """Nothing: shape and dtypes of what has run are those of the data."""

    def __len__(self) -> int:
        if math.isnan(self.shape[0]):
            raise UnknownLength.needed_for("len()")
        return int(self.shape[0])

    def __bool__(self) -> bool:
        raise AmbiguousTruth(
            f"The truth value of a {type(self).__name__} is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all()."
        )

    def to_pandas(
        self,
        session: Any = None,
        fetch_kwargs: dict[str, Any] | None = None,
        batch_size: int | None = None,
        *,
        wait: bool = True,
        **how: Any,
    ) -> Any:
        """The data as pandas, run first if needed; with `wait=False` a future of them. `how`: as for `execute`.

        Batch sizes are accepted; the result is the same.
        """
        said = ({} if batch_size is None else {"batch_size": batch_size}) | (fetch_kwargs or {})
        return self._run_and_fetch(session, said, wait=wait, **how)

    def to_numpy(
        self,
        dtype: Any = None,
        copy: bool = False,
        na_value: Any = pd.api.extensions.no_default,
        *,
        session: Any = None,
        wait: bool = True,
        **how: Any,
    ) -> Any:
        """The data as an ndarray, run first if needed; with `wait=False` a future of it. `how`: as for `execute`."""
        array = operator.methodcaller("to_numpy", dtype=dtype, copy=copy, na_value=na_value)
        return self._run_and_fetch(session, wait=wait, then=array, **how)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        what, itself = _asked_for_labels(self.ndim)
        if what and (what == DOT or not self._is_bare(named=itself)):
            raise ArgumentTypeError(
                f"{what} would take the values of this {type(self).__name__} without their labels. "
                "Hint: give it x.to_pandas(), or make the other operand lazy by md.DataFrame(...)."
            )
        return np.asarray(self._run_and_fetch(), dtype=dtype)

    def _is_bare(self, *, named: bool) -> bool:
        """Whether the values are all there is: labels 0..n-1, and where names count, none."""
        known = self.known
        names = (known.columns if known.ndim == 2 else [known.shown.name]) if named else []
        plain = isinstance(names, pd.RangeIndex) or all(name is None for name in names)
        return known.kind == "Index" or (known.ranged and plain)

    def __getitem__(self, key: Any) -> Any:
        return registry.lookup("frame.getitem").prepare(self, key)  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name == "key":
            return token(self.node)
        own = getattr(type(self), name, None)
        if isinstance(own, property) and own.fget is not None:
            return own.fget(self)  # it raised an AttributeError, which is what people are to see
        raise UnknownName.among(type(self).__name__, name, dir(type(self)))

    def _become(self, other: Any) -> None:
        """Point this handle at what another one points at."""
        self.rebind(other.node, held(other))

    def __repr__(self) -> str:
        return repr(self.fetch()) if self.is_executed() else self.unexecuted_repr()

    def __str__(self) -> str:
        return str(self.fetch()) if self.is_executed() else f"{type(self).__name__}(op={self.node.op})"


def _itself(labels: pd.Index, session: Any = None) -> pd.Index:
    """These labels: they are known without a run."""
    return labels


def _plain(labels: pd.Index, session: Any = None) -> pd.Index:
    """The labels as pandas has them."""
    return labels.view()


def at_hand(labels: pd.Index) -> pd.Index:
    """The same labels with methods of Mars's Index, so that what takes either of the two goes on.

    They are attributes of this one object: a class below pandas' own would be told apart by pandas, its tests and others.
    """
    own = labels.__dict__
    own["execute"] = MethodType(_itself, labels)
    own["fetch"] = own["to_pandas"] = MethodType(_plain, labels)
    return labels


class DataFrame(FrameHandle):
    """A lazy table in chunks of rows: pandas' DataFrame.

    Parameters
    ----------
    data : pandas or marsdask DataFrame, dict, list, ndarray, tensor
    index, columns, dtype, copy
        As in pandas.
    chunk_size : int, tuple or dict, optional
        Rows per chunk. An entry for columns is checked and has no effect: chunks hold whole rows.
    num_partitions : int, optional
        So many chunks of equal length.
    gpu, sparse : False
        Mars's; True raises.
    """

    __slots__ = ("_shown",)
    _shown: tuple[pd.Index, bool, Any] | None
    """The column labels that were handed out, whether they have several levels, and their names then."""

    def __init__(self, node: Any = None, keep: Any = (), *args: Any, **kwargs: Any):
        super().__init__(node, keep)
        self._shown = None

    @property
    def node(self) -> Node:
        """The node this handle points at now; names that were given to its column labels are in it."""
        if (shown := self._shown) is not None:
            labels, several, names = shown
            if (list(labels.names) != names) if several else labels.name is not names:
                self._shown = None
                self._become(registry.make("frame.set_columns", self, labels, meta(self._node).columns))
                self._hand_out(labels)
        return self._node if self._base is None else super().node

    def rebind(self, node: Node, keep: tuple[Any, ...] = ()) -> None:
        """Point this handle at a new node, whose column labels are others."""
        self._shown = None
        super().rebind(node, keep)

    def _hand_out(self, labels: pd.Index) -> pd.Index:
        several = labels.nlevels > 1
        self._shown = (labels, several, list(labels.names) if several else labels.name)
        return labels

    @property
    def columns(self) -> pd.Index:
        """The column labels, known without a run, with Mars's `execute`, `fetch` and `to_pandas` as well. To give them a name is to change the frame, as in pandas."""
        known = self.known.columns
        return self._hand_out(at_hand(known.view())) if self._shown is None else self._shown[0]

    @property
    def dtypes(self) -> pd.Series:
        return self.known.shown.dtypes.copy(deep=False)

    @property
    def axes(self) -> list[Any]:
        """The row labels and the column labels."""
        return [self.index, self.columns]

    def keys(self) -> pd.Index:
        """The column labels."""
        return self.columns

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns)

    def __contains__(self, name: Any) -> bool:
        return name in self.columns

    def __setitem__(self, key: Any, value: Any) -> None:
        registry.lookup("frame.setitem").prepare(self, key, value)  # type: ignore[misc]

    def __delitem__(self, key: Any) -> None:
        if key not in self.columns:
            raise ColumnNotFound.among(key, self.columns)
        self._become(registry.make("frame.select", self, [c for c in self.columns if c != key]))

    def __getattr__(self, name: str) -> Any:
        # What the class has and the object lacks is a slot that is not filled yet.
        if not (name.startswith("__") or hasattr(type(self), name)) and name in self.columns:
            return self[name]
        if name == "key":  # Mars's, where no column has the name
            return token(self.node)
        raise UnknownName.among("DataFrame", name, [*dir(type(self)), *map(str, self.columns)])

    def __setattr__(self, name: str, value: Any) -> None:
        # As in pandas: an existing column is assigned, another name is no new column.
        if hasattr(type(self), name):
            object.__setattr__(self, name, value)
        elif name in self.columns:
            self[name] = value
        else:
            raise UnknownName(
                f"DataFrame has no column or attribute {name!r}. Hint: df[{name!r}] = ... makes a column."
            )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *filter(str.isidentifier, self._ipython_key_completions_())})

    def _ipython_key_completions_(self) -> list[str]:
        """What a prompt offers after `df["`: the names of columns, of several levels those of the first."""
        return [name for name in self.columns.unique(level=0) if isinstance(name, str)]

    def _repr_html_(self) -> str | None:
        """The table of a frame that has run; of another one notebooks show its text, as pandas has it where HTML is off."""
        return self.fetch()._repr_html_() if self.is_executed() else None


class Values(FrameHandle):
    """What Series and Index have in common: one dtype, one name."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        return self.known.shown.dtype

    @property
    def name(self) -> Any:
        """The name of the values, or of the labels."""
        return self.known.shown.name

    def __iter__(self) -> Iterator[Any]:
        return iter(self._run_and_fetch())

    def _repr_html_(self) -> str | None:
        """The table of values that have run, and their dtype; of others notebooks show the text."""
        if not self.is_executed():
            return None
        data = self.fetch()
        rows = data.to_frame() if isinstance(data, pd.Series) else data.to_frame(index=False)
        names = [name if name is not None else "" for name in (getattr(data, "names", None) or [data.name])]
        table = rows.set_axis(names, axis=1)._repr_html_()
        return table and f"{table}<p>{html.escape(f'Length: {len(data)}, dtype: {data.dtype}')}</p>"


class Series(Values):
    """A lazy column in chunks: pandas' Series. Parameters as `DataFrame`'s, and `name`."""

    __slots__ = ()
    __setitem__ = DataFrame.__setitem__
    dtypes = Values.dtype

    @property
    def axes(self) -> list[Any]:
        """The row labels."""
        return [self.index]

    @Values.name.setter
    def name(self, name: Any) -> None:
        if not isinstance(name, Hashable):
            raise ArgumentTypeError(f"Series.name must be a hashable type, got {type(name).__name__}.")
        self._become(registry.make("frame.named", self, name))

    def __contains__(self, label: Any) -> bool:
        return label in self.index.to_pandas()

    def __float__(self) -> float:
        return float(self._run_and_fetch())

    def __int__(self) -> int:
        return int(self._run_and_fetch())


class Index(Values):
    """Lazy row labels in chunks: pandas' Index. Parameters: `data, dtype, copy, name, chunk_size`."""

    __slots__ = ()
    _inside = Values._inside | {"at", "iat", "iloc", "loc", "index"}

    @Values.name.setter
    def name(self, name: Any) -> None:
        self.names = [name]

    @property
    def names(self) -> Any:
        """The names of the levels."""
        return self.known.empty.names

    @names.setter
    def names(self, names: Any) -> None:
        self._become(registry.make("frame.index_named", self, list(names)))

    def __contains__(self, label: Any) -> bool:
        return label in self._run_and_fetch()


class Categorical(Lazy):
    """Lazy values of some categories, without labels, in chunks: pandas' Categorical, what `md.cut` gives of arrays."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    shape, ndim, size, nsplits = FrameHandle.shape, FrameHandle.ndim, FrameHandle.size, FrameHandle.nsplits
    dtype = Values.dtype
    __len__, __bool__, __iter__ = FrameHandle.__len__, FrameHandle.__bool__, Values.__iter__
    to_pandas, __array__ = FrameHandle.to_pandas, FrameHandle.__array__
    __repr__, __str__ = FrameHandle.__repr__, FrameHandle.__str__

    def __eq__(self, other: object) -> Any:
        return (as_frame(self) == other).to_tensor()

    def __ne__(self, other: object) -> Any:
        return (as_frame(self) != other).to_tensor()

    def __getattr__(self, name: str) -> Any:
        raise UnknownName(
            f"{UnknownName.among('Categorical', name, dir(type(self)))} Hint: md.Series(...) of it has all of a series."
        )

    def copy(self) -> Categorical:
        """Another handle of the same values."""
        return self.__copy__()


registry.WRAPPERS["Categorical"] = Categorical
KINDS: dict[str, type[FrameHandle]] = {"DataFrame": DataFrame, "Series": Series, "Index": Index}
registry.WRAPPERS.update(KINDS)


def as_frame(value: Any) -> Any:
    """A frame handle of a pandas object; a handle as it is."""
    if isinstance(value, FrameHandle):
        return value
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)):
        return registry.wrap(Node("frame_data", (Data(value.copy(deep=False)), None)))
    if isinstance(value, Categorical):
        return registry.make("frame.from_categorical", value)
    if isinstance(value, Handle):
        return registry.make("frame.from_tensor", value)
    raise ArgumentTypeError(f"expected a frame or series of marsdask or pandas, got {type(value).__name__}")


registry.CONVERTERS[registry.Frame] = as_frame


def local(value: Any) -> Any:
    """An argument as NumPy or pandas has it, where all of it is needed at once: what is lazy runs."""
    return value._run_and_fetch() if isinstance(value, Lazy) else value


def as_setting(value: Any) -> Any:
    """A setting as pandas has it; several as a list."""
    found = local(value)
    return found.tolist() if found is not value and isinstance(found, np.ndarray) else found


SETTINGS = """
alpha bins columns com ddof decimals frac halflife id_vars items limit min_count min_periods n numeric_only pct percentiles periods q
repeats skipna span subset thresh value_vars width window
"""
registry.SETTINGS["dataframe"] = frozenset(SETTINGS.split())
registry.CONVERTERS[registry.Setting] = as_setting


def as_values(value: Any) -> Any:
    """A frame handle of what pandas' functions take as values: of a list, tuple, range or array a series."""
    if isinstance(value, (list, tuple, range, np.ndarray, pd.api.extensions.ExtensionArray)):
        if np.ndim(value) != 1:
            raise ShapeError(f"Input array must be 1 dimensional, got {np.ndim(value)} dimensions.")
        value = pd.Series(value if len(value) else np.asarray(value))  # of nothing NumPy makes numbers
    return as_frame(value)


def is_array(value: Any) -> bool:
    """Whether these are values without labels or a name: where pandas' functions take them they give arrays."""
    kind = value.known.kind if isinstance(value, Handle) else ""
    return not isinstance(value, (pd.Series, pd.DataFrame)) and kind not in ("Series", "DataFrame")


def as_method(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function of frames as a method has it: what comes first is `self`."""
    first, *rest = inspect.signature(function).parameters.values()
    return inspect.Signature([first.replace(name="self"), *rest])
