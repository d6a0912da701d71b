"""`execute`, `fetch` and their kin over several handles, in the session that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from marsdask import checks
from marsdask.errors import NotExecuted
from marsdask.session import current
from marsdask.session.base import Session, handles_of
from marsdask.session.logs import LogPart, part_of
from marsdask.session.opening import get_default_or_create


def execute(
    *tileables: Any,
    session: Session | None = None,
    wait: bool = True,
    show_progress: Any = None,
    warn_duplicated_execution: bool | None = None,
    fuse_enabled: bool | None = None,
    progress_update_interval: float = 1.0,
    extra_config: dict[str, Any] | None = None,
) -> Any:
    """Run one or several in one run. Gives back the same objects: a list, or the bare one.

    Parameters
    ----------
    session : Session, optional
        Where to run; the default session if nobody says.
    wait : bool
        With False an `ExecutionInfo` comes back at once: a future with `progress()` and `cancel()`.
    show_progress : True, False or "auto"
        A text bar on standard error, or none; "auto" shows one in a terminal or notebook. `options.show_progress` if
        nobody says.
    progress_update_interval : float
        Seconds between updates of the bar.
    warn_duplicated_execution, fuse_enabled : bool, optional
        The options `warn_duplicated_execution` and `optimize.fuse` for this run.
    extra_config : dict, optional
        More options by name, for this run.

    An interrupt (Ctrl-C) while it waits cancels the work, also on a cluster. Raises TimeoutError after the `timeout` of
    the session, if it has one.
    """
    handles_of(tileables, "execute")  # before a session is made for what cannot run
    where = get_default_or_create() if session is None else _checked(session)
    return where.execute(
        *tileables,
        wait=wait,
        show_progress=show_progress,
        warn_duplicated_execution=warn_duplicated_execution,
        fuse_enabled=fuse_enabled,
        progress_update_interval=progress_update_interval,
        extra_config=extra_config,
    )


def _checked(session: Any) -> Session:
    return checks.instance(session, "session", Session, "a Session such as new_session() gives")  # type: ignore[no-any-return]


def _holder(handle: Any, session: Session | None) -> Session:
    """The session that is asked for a handle's data."""
    if session is not None:
        return _checked(session)
    result = handle._result if handle.node is not None else None  # a view looks at its base first
    where = result.session if result is not None else current.get_default_session()
    if where is None:
        raise NotExecuted(
            f"No session found: nothing was executed yet. Cannot fetch unexecuted tileable: {handle.unexecuted_repr()}."
        )
    return where


def fetch(*tileables: Any, session: Session | None = None, batch_size: int | None = None) -> Any:
    """The data of one or several executed handles. `batch_size` is accepted as in Mars; the result is the same."""
    handles, bare = handles_of(tileables, "fetch")
    values = [_holder(handle, session).data_of(handle) for handle in handles]
    return values[0] if bare else values


def fetch_infos(
    *tileables: Any, session: Session | None = None, fields: Sequence[str] | None = None
) -> list[dict[str, list[Any]]]:
    """Of each executed handle a dict of lists with an entry for each chunk: where it is, how large, by which key.

    `fields` picks some of data_key, object_id, object_refs, level, memory_size, store_size and bands.
    """
    handles, _ = handles_of(tileables, "fetch_infos")
    return [_holder(handle, session).fetch_infos(handle, fields=fields)[0] for handle in handles]


def fetch_log(
    *tileables: Any, session: Session | None = None, offsets: Any = None, sizes: Any = None
) -> list[LogPart]:
    """What functions have printed so far, one part for each of the objects that `remote.spawn` gave, also while they run.

    Without `offsets` each call goes on where the last one ended. An offset is a number of bytes, or a text such as
    "1K"; negative ones count from the end; a dict gives one for each chunk. `sizes`, 1 MiB where nobody says, bounds
    what is handed out.
    """
    handles, _ = handles_of(tileables, "fetch_log")
    return [part_of(each, offsets, sizes) for each in handles]
