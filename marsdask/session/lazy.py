"""Lazy: what all handles that can run have in common, Dask's collection protocol included."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar

import dask
import numpy as np

from marsdask import session as sessions
from marsdask.options import get, option_context
from marsdask.plan import graph, registry
from marsdask.plan.handle import READY, Handle
from marsdask.plan.meta import TensorMeta, meta
from marsdask.plan.node import Node, leaf, token
from marsdask.plan.registry import lowered
from marsdask.session import Session
from marsdask.session.base import inside
from marsdask.session.checkpoint import checkpoint
from marsdask.session.explain import explain
from marsdask.session.progress import finished_future, followed


class Lazy(Handle):
    """What all handles that can run have in common."""

    __slots__ = ("_collection",)
    _collection: tuple[Node, Any]

    def execute(self, session: Session | None = None, **kwargs: Any) -> Any:
        """Run, hold the result, and return self. `wait=False` returns an ExecutionInfo."""
        return sessions.execute(self, session=session, **kwargs)

    def fetch(self, session: Session | None = None, **kwargs: Any) -> Any:
        """The data as NumPy or pandas. Raises ValueError if this was not executed."""
        return sessions.fetch(self, session=session, **kwargs)

    def fetch_infos(self, session: Session | None = None, fields: Any = None) -> Any:
        """Where each chunk of the executed data is, and how large: see `marsdask.session.fetch_infos`."""
        (infos,) = sessions.fetch_infos(self, session=session, fields=fields)
        return infos

    def checkpoint(
        self,
        path: Any,
        storage_options: dict[str, Any] | None = None,
        *,
        overwrite: bool = False,
        session: Session | None = None,
    ) -> Any:
        """Run, with each chunk into a file as soon as it is done, hold the result, and return self, which reads the files from now on.

        A program that was interrupted goes on here when it is run again, also in another process: chunks that have a file
        do not run again. What led here is forgotten; a lost worker costs reading files.

        Parameters
        ----------
        path : str or PathLike
            A folder, or a URL of one that fsspec knows, which this process and all workers see. New, empty, or of an
            earlier checkpoint of the same expression. Its chunks may be pickles: read only what you trust.
        storage_options : dict, optional
            For fsspec.
        overwrite : bool
            Discard the checkpoint of another expression.

        Raises ValueError where the path cannot be used or holds another expression, before anything runs; an OSError when
        a file that is read later has changed. Random tensors without a seed are another expression in every process.
        """
        checkpoint(self, path, storage_options, overwrite=overwrite, session=session)
        return self

    def is_executed(self) -> bool:
        """Whether the data are there."""
        node = self.node
        result = self._result
        if result is None and node.op == "item" and (default := sessions.get_default_session()) is not None:
            result = default.result_of(self)
        return result is not None and not result.session.closed

    def unexecuted_repr(self) -> str:
        return f"{type(self).__name__} <op={self.node.op}, key={token(self.node)}>"

    @property
    def known(self) -> Any:
        """The metadata: exact after execute()."""
        node = self.node
        return self._result.meta if self._result is not None else meta(node)

    def _run_and_fetch(
        self,
        session: Session | None = None,
        fetch_kwargs: dict[str, Any] | None = None,
        *,
        wait: bool = True,
        then: Callable[[Any], Any] | None = None,
        **how: Any,
    ) -> Any:
        """The data, or what `then` makes of them, running first where that has not happened; with `wait=False` a future.

        `how` are arguments of `execute`, `fetch_kwargs` those of `fetch`.
        """

        def fetched() -> Any:
            data = self.fetch(session=session, **(fetch_kwargs or {}))
            return data if then is None else then(data)

        if how or wait is not True or not self.is_executed():
            done = self.execute(session=session, wait=wait, **how)
            return fetched() if wait else followed(done, fetched)
        return fetched()

    def explain(self, **kwargs: Any) -> str:
        """What this is and what will run: see `marsdask.session.explain`."""
        return explain(self, **kwargs)

    def collection(self) -> Any:
        """The Dask collection this lowers to; questions it asks are answered now. The same until it is rebound."""
        node = self.node
        if getattr(self, "_collection", (None,))[0] is not node:
            if self._result is not None:
                return self._result.session.intact(self._result).collection
            (collection,), kept = sessions.get_default_or_create().lowered([node])
            self._collection = (node, graph.settled(collection, kept) if kept else collection)
        return self._collection[1]

    # Dask's collection protocol.
    def __dask_graph__(self) -> Any:
        return self.collection().__dask_graph__()

    def __dask_keys__(self) -> Any:
        return self.collection().__dask_keys__()

    def __dask_layers__(self) -> Any:
        return self.collection().__dask_layers__()

    def __dask_tokenize__(self) -> Any:
        return token(self.node)

    @property
    def __dask_optimize__(self) -> Any:
        return type(self.collection()).__dask_optimize__

    @property
    def __dask_scheduler__(self) -> Any:
        return type(self.collection()).__dask_scheduler__

    def __dask_postcompute__(self) -> Any:
        return self.collection().__dask_postcompute__()

    def __dask_postpersist__(self) -> Any:
        rebuild, args = self.collection().__dask_postpersist__()
        return _persisted, (rebuild, args, self.node)

    def compute(self, **kwargs: Any) -> Any:
        """Dask's own spelling: the data, through `dask.compute`."""
        (result,) = dask.compute(self, traverse=False, **kwargs)
        return result

    def persist(self, **kwargs: Any) -> Any:
        """Dask's own spelling: the same handle over computed chunks, through `dask.persist`."""
        (result,) = dask.persist(self, traverse=False, **kwargs)
        return result

    def visualize(self, filename: str = "marsdask", **kwargs: Any) -> Any:
        """Draw the Dask graph (needs graphviz)."""
        return dask.visualize(self, filename=filename, traverse=False, **kwargs)


def _persisted(dsk: Any, rebuild: Any, args: Any, node: Node, **kwargs: Any) -> Any:
    return registry.wrap(leaf("from_dask", rebuild(dsk, *args, **kwargs), meta(node)))


def _from_dask_meta(data: Any) -> Any:
    collection = data.value
    if isinstance(collection, graph.Chunks) and collection.node is not None:
        return meta(collection.node)
    return TensorMeta(tuple(collection.shape), np.dtype(collection.dtype))


@lowered("from_dask", sizes="any", status="delegated", meta=_from_dask_meta, traits=("theirs",))
def _from_dask(data: Any) -> Any:
    """A Dask collection of the user's."""
    return data.value


class ExecutableTuple(tuple[Any, ...]):
    """Several lazy objects that run together; what is no lazy object is known, and stays as it is."""

    _make: ClassVar[Any] = tuple  # what is made of them has nothing to run
    _plain: ClassVar[Any]  # the namedtuple that fetch() gives, where there are field names

    def __new__(cls, values: Iterable[Any] = ()) -> ExecutableTuple:
        """Of a namedtuple one with its field names."""
        named = cls is ExecutableTuple and hasattr(values, "_fields")
        return tuple.__new__(_named(type(values)) if named else cls, values)

    def __repr__(self) -> str:
        return repr(self._plain(*self)) if hasattr(self, "_fields") else tuple.__repr__(self)

    def execute(self, session: Any = None, **kwargs: Any) -> Any:
        """Run all in one run; `wait=False` returns an ExecutionInfo."""
        lazy = [each for each in self if hasattr(each, "fetch")]
        if not lazy:
            return self
        done = sessions.execute(*lazy, session=session, **kwargs)
        return self if isinstance(done, (list, Lazy)) else done

    def fetch(self, session: Any = None, **kwargs: Any) -> Any:
        """The data of each, as a list (the same namedtuple where it has field names)."""
        values = [each.fetch(session=session, **kwargs) if hasattr(each, "fetch") else each for each in self]
        if hasattr(self, "_fields"):
            return self._plain(*values)
        return tuple(values) if len(values) < 2 else values

    def to_object(self, session: Session | None = None, *, wait: bool = True, **kwargs: Any) -> Any:
        """Run and fetch; with `wait=False` a future of the data."""
        fetch = partial(self.fetch, session=session)
        done = self.execute(session=session, wait=wait, **kwargs)
        if not wait and done is not self:
            return followed(done, fetch)
        return fetch() if wait else finished_future(fetch())

    def fetch_log(self, session: Session | None = None, offsets: Any = None, sizes: Any = None) -> Any:
        """What each has printed: see `marsdask.fetch_log`."""
        return sessions.fetch_log(*self, session=session, offsets=offsets, sizes=sizes)


def _wrap_tuple(node: Node, keep: tuple[Any, ...]) -> ExecutableTuple:
    """An ExecutableTuple, with attributes where the operation names its results."""
    known = meta(node)
    items = tuple(registry.wrap(Node("item", (node, i)), keep) for i in range(len(known.items)))
    for item in items:  # executing one executes all, and each handle keeps the data of all
        item._group = items[0]._group
    if not known.fields:
        return ExecutableTuple(items)
    return _named(collections.namedtuple("Results", known.fields))(items)


def _named(plain: Any) -> type[ExecutableTuple]:
    """The ExecutableTuple with the field names of a namedtuple, which its data come in."""
    names = {f: property(operator.itemgetter(i)) for i, f in enumerate(plain._fields)}
    own = {"_fields": plain._fields, "_plain": plain, **names}
    return type("ExecutableTuple", (ExecutableTuple,), own)


registry.WRAPPERS["Tuple"] = _wrap_tuple


def _eager(handle: Any) -> None:
    if get("eager_mode") and isinstance(handle, Lazy) and not inside():
        with option_context({"eager_mode": False}):
            handle.execute()
        for view in list((handle._views or {}).values()):  # which follow what was written into
            _eager(view)


READY.append(_eager)
