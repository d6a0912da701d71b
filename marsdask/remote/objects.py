"""`spawn`: a plain function as a lazy object."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from marsdask import checks
from marsdask import session as sessions
from marsdask.engine.workers import workers_of
from marsdask.errors import ArgumentTypeError, NoWorkers, UnknownName
from marsdask.plan import graph, registry
from marsdask.plan.lower import Keep, Steps
from marsdask.plan.meta import ObjectMeta, TupleMeta, meta
from marsdask.plan.node import Data, mapped, token
from marsdask.plan.registry import lowered, public
from marsdask.remote.jobs import TRIES, Call, Slot, handed, received, task_of
from marsdask.session import Session
from marsdask.session.lazy import Lazy
from marsdask.session.logs import Log


class Object(Lazy):
    """What a plain function will give, or has given: made by `remote.spawn`."""

    __slots__ = ()

    def to_object(self, session: Session | None = None, *, wait: bool = True, **how: Any) -> Any:
        """The value, run first if needed; with `wait=False` a future of it. `how`: as for `execute`."""
        return self._run_and_fetch(session, wait=wait, **how)

    def fetch_log(self, session: Session | None = None, offsets: Any = None, sizes: Any = None) -> Any:
        """What the function has printed since the last call, also while it runs: see `marsdask.fetch_log`."""
        return sessions.fetch_log(self, session=session, offsets=offsets, sizes=sizes)[0]

    def progress(self) -> float:
        """How far the function is: 1 after it has run, before that what it said by `get_context().set_progress`."""
        return 1.0 if self.is_executed() else self._log.progress

    def copy(self) -> Object:
        """Another handle of the same call."""
        return self.__copy__()

    def received(self, value: Any, session: Session) -> Any:
        return received(value, session, self.node)

    @property
    def _log(self) -> Log:
        node = self.node.args[0] if self.node.op == "item" else self.node
        return node.args[0].value.log  # type: ignore[no-any-return]

    __repr__ = Lazy.unexecuted_repr

    def __str__(self) -> str:
        return f"Object(op={self.node.op})"

    def __getattr__(self, name: str) -> Any:
        raise UnknownName.among("Object", name, dir(type(self)))


registry.WRAPPERS["Object"] = Object


@public("spawn", differs="`retry_when_fail` tries again after any error, three times at most")
def spawn(
    func: Callable[..., Any],
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    retry_when_fail: bool = False,
    resolve_tileable_input: bool = False,
    n_output: int | None = None,
    *,
    resources: dict[str, float] | None = None,
    expect_worker: str | None = None,
    expect_band: tuple[str, str] | None = None,
) -> Any:
    """A lazy `Object` of what `func(*args, **kwargs)` will give; a list of `n_output` of them where that is given.

    Parameters
    ----------
    func : function
        Runs on a thread of this process, or on a worker of the cluster.
    args : tuple; kwargs : dict
        Objects in them, also inside of lists, tuples and dicts, arrive as values. Tensors and frames arrive executed,
        as handles over chunks that stay where they are: `fetch()` what is needed, or compute on.
    retry_when_fail : bool
        Run it again after an error, three times at most.
    resolve_tileable_input : bool
        Tensors and frames arrive as NumPy and pandas.
    n_output : int, optional
        So many values are returned, and each is an Object.
    resources : dict, optional
        What a worker must offer, such as {"GPU": 1}; no effect on threads.
    expect_worker : str; expect_band : (str, str)
        Run on the worker of that address.
    """
    checks.function(func, "spawn(func=)")
    if not isinstance(args, tuple) or hasattr(args, "execute"):
        args = (args,)
    for name in {} if kwargs is None else checks.instance(kwargs, "spawn(kwargs=)", dict, "a dict"):
        if not isinstance(name, str):
            raise ArgumentTypeError(f"spawn(kwargs={kwargs!r}): {name!r} cannot be the name of an argument.")
    checks.flag(retry_when_fail, "spawn(retry_when_fail=)")
    checks.flag(resolve_tileable_input, "spawn(resolve_tileable_input=)")
    if n_output is not None:
        n_output = checks.whole(n_output, "spawn(n_output=)", least=1)
    handles: list[Any] = []

    def slotted(leaf: Any) -> Any:
        if isinstance(leaf, Lazy):
            handles.append(leaf)
            return Slot(len(handles) - 1)
        return registry.frozen(leaf, [])

    call = Call(
        func,
        mapped(args, slotted),
        mapped(kwargs or {}, slotted),
        tries=TRIES if retry_when_fail else 1,
        resolve=resolve_tileable_input,
        n_output=n_output,
        where=_where(resources, expect_worker, expect_band),
        metas=[None if isinstance(h, Object) else meta(h.node) for h in handles],
        tokens=[token(h.node) for h in handles],
    )
    made = registry.make("spawn", Data(call), handles)
    if n_output is None:
        return made
    return list(made) if n_output > 1 else made[0]


def _where(resources: Any, worker: Any, band: Any) -> dict[str, Any]:
    """What a cluster must know of where the function may run."""
    where: dict[str, Any] = {}
    if resources is not None:
        numbers = isinstance(resources, dict) and all(
            isinstance(k, str) and isinstance(v, (int, float)) and not isinstance(v, bool) and v > 0
            for k, v in resources.items()
        )
        if not numbers:
            raise ArgumentTypeError(f"spawn(resources={resources!r}): expected a dict such as {{'GPU': 1}}.")
        where["resources"] = dict(resources)
    if band is not None:
        if not isinstance(band, tuple) or not band or worker not in (None, band[0]):
            raise ArgumentTypeError(
                f"spawn(expect_band={band!r}): expected (address of a worker, 'numa-0'), of the same worker as expect_worker."
            )
        worker = band[0]
    if worker is not None:
        where["workers"] = [checks.instance(worker, "spawn(expect_worker=)", str, "the address of a worker")]
    return {k: v for k, v in where.items() if v}


def _known(call: Data, inputs: Any) -> Any:
    count = call.value.n_output
    return ObjectMeta() if count is None else TupleMeta((ObjectMeta(),) * count)


@lowered("spawn", sizes="any", meta=_known)
def _lowered(call: Data, inputs: list[Any]) -> Steps:
    plan: Call = call.value
    session = sessions.get_default_or_create()
    _check_places(plan, session)
    numbers = [i for i, known in enumerate(plan.metas) if known is not None]  # of tensors and frames
    kept: Any = ()
    if numbers:
        kept = yield Keep(*(inputs[i] for i in numbers))
        kept = kept if len(numbers) > 1 else (kept,)
    task = task_of(plan, inputs, handed(plan, dict(zip(numbers, kept, strict=True))), session)
    if plan.n_output is None:
        return task
    return tuple(graph.per_chunk(operator.getitem, task, i, lengths=None) for i in range(plan.n_output))


def _check_places(call: Call, session: Session) -> None:
    """An error where no worker may ever run the function: the scheduler would wait for ever."""
    wanted, need = call.where, call.where.get("resources", {})
    if not wanted:
        return
    if session.client is None:
        workers: dict[str, Any] = {session.address: {"resources": need}}  # of no effect on threads
    else:
        workers = workers_of(session.client)
    for address in wanted.get("workers", ()):
        if address not in workers:
            raise NoWorkers(
                f"spawn({call.name}, expect_worker={address!r}): the workers are {sorted(workers)}."
            )
    if not any(all(w["resources"].get(k, 0) >= n for k, n in need.items()) for w in workers.values()):
        raise NoWorkers(
            f"spawn({call.name}, resources={need!r}): no worker offers that. Hint: start workers with --resources."
        )
