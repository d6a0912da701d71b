"""The errors users see: ours, and at the same time the built-in a user would catch.

A message says what was given, what was expected and what to do next. Those of all rooms stand here, so that one page shows
what may be caught.
"""

from __future__ import annotations

import concurrent.futures
import difflib
import errno
from collections.abc import Iterable, Sequence

import numpy as np


class MarsDaskError(Exception):
    """Every error marsdask raises on purpose derives from this one."""

    # KeyError prints repr(message); ours are sentences.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ArgumentError(MarsDaskError, ValueError):
    """An argument has a value that the operation cannot take."""


class ArgumentTypeError(MarsDaskError, TypeError):
    """An argument has a type, or a name, that the operation cannot take."""

    @classmethod
    def unknown_keyword(cls, function: str, name: str, known: Iterable[str]) -> ArgumentTypeError:
        return cls(f"{function}() got an unexpected keyword argument {name!r}.{near(name, known)}")


class JobRefused(ArgumentError):
    """A MarsJob that cannot be run as it is written; `causes` are all of its faults, each a path and a sentence."""

    def __init__(self, causes: Sequence[tuple[str, str]]) -> None:
        self.causes = tuple(causes)
        super().__init__("\n".join(f"{path}: {message}" for path, message in self.causes))

    def __reduce__(self) -> tuple[type[JobRefused], tuple[Sequence[tuple[str, str]]]]:
        return type(self), (self.causes,)


class ShapeError(MarsDaskError, ValueError):
    """Shapes or lengths do not fit each other."""


class UnknownLength(MarsDaskError, ValueError):
    """A length that only a run can tell was needed without a run."""

    @classmethod
    def needed_for(cls, what: str) -> UnknownLength:
        return cls(f"{what} needs a length that is not known yet. Hint: call .execute() first.")


class AxisError(MarsDaskError, np.exceptions.AxisError):
    """An axis that the tensor does not have."""

    @classmethod
    def outside(cls, axis: object, ndim: int) -> AxisError:
        return cls(f"axis {axis!r} is out of bounds for a tensor of {ndim} dimension{'s' * (ndim != 1)}.")


class AmbiguousTruth(MarsDaskError, ValueError):
    """The truth of more than one element was asked for."""


class ColumnNotFound(MarsDaskError, KeyError):
    """A column that is not there."""

    @classmethod
    def among(cls, name: object, columns: Iterable[object]) -> ColumnNotFound:
        names = list(columns)
        shown = ", ".join(repr(c) for c in names[:10]) + (", ..." if len(names) > 10 else "")
        return cls(f"column {name!r} not found; the columns are {shown}.{near(name, names)}")


class LabelNotFound(MarsDaskError, KeyError):
    """A row label that is not there."""


class IndexOutOfRange(MarsDaskError, IndexError):
    """A position outside of the axis, or an index of a kind that cannot index."""


class ReadOnly(MarsDaskError, ValueError):
    """A write to a result that NumPy makes read-only."""


class UnknownName(MarsDaskError, AttributeError):
    """A name that marsdask does not have."""

    @classmethod
    def among(cls, owner: str, name: str, names: Iterable[str]) -> UnknownName:
        return cls(f"{owner} has no attribute {name!r}.{near(name, names)}")


class Unbuilt(MarsDaskError, NotImplementedError):
    """A gap that the coverage page lists with its reason."""

    @classmethod
    def operation(cls, name: str, reason: str) -> Unbuilt:
        return cls(f"{name!r} is not built: {reason}. Hint: docs/coverage.md lists what is.")

    @classmethod
    def argument(cls, function: str, argument: str, value: object, hint: str) -> Unbuilt:
        return cls(f"{function}({argument}={value!r}) is not built. Hint: {hint}")


class UnbuiltAttribute(Unbuilt, AttributeError):
    """A gap that is no function; `hasattr` says False."""


class NotExecuted(MarsDaskError, ValueError):
    """Data was asked of something that has not run."""


class MissingFile(MarsDaskError, FileNotFoundError):
    """A path that matches no file."""


class MissingExtra(MarsDaskError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def needed(cls, package: str, extra: str, purpose: str) -> MissingExtra:
        return cls(f"{purpose} needs {package!r}. Hint: pip install 'marsdask[{extra}]'")


class SessionClosed(MarsDaskError, RuntimeError):
    """A session that was closed was asked to work."""


class Forked(SessionClosed):
    """A process that `os.fork()` has made was to work on a cluster of the process that it was made of."""

    @classmethod
    def of(cls, parent: int) -> Forked:
        return cls(
            f"process {parent} has a session on a cluster and made this one by os.fork(), which takes no threads or connections "
            "along. Hint: start processes by multiprocessing's method 'spawn' or 'forkserver', or fork before the first "
            "session; new_session() without a cluster works here, too."
        )


class WrongSession(MarsDaskError, ValueError):
    """Data executed in one session was asked of another."""


class Cancelled(MarsDaskError, concurrent.futures.CancelledError):
    """An execution that somebody has cancelled."""


class TookTooLong(MarsDaskError, TimeoutError):
    """An execution that was not done in the time allowed; it was cancelled."""

    @classmethod
    def attempt(cls, task: str, seconds: float) -> TookTooLong:
        return cls(f"{task} was not done after {seconds:g} s, its timeout=; its process was ended.")

    @classmethod
    def after(cls, seconds: float) -> TookTooLong:
        return cls(
            f"not done after {seconds:g} s, the session's timeout=; what was running was cancelled. Hint: open the "
            "session with a longer timeout, or execute(wait=False) and result(timeout=)."
        )


class NoSuchSession(MarsDaskError, KeyError):
    """A session was to be joined that nobody has opened."""


class TooLargeForOneChunk(MarsDaskError, MemoryError):
    """An operation that works in one chunk was given more than one worker should hold."""


class WorkerLost(MarsDaskError, RuntimeError):
    """A task ended worker after worker, so the scheduler gave it up."""

    @classmethod
    def by(cls, operation: str, worker: str, times: int) -> WorkerLost:
        return cls(
            f"{operation!r} was running when {times} workers died, the last of them {worker}; it was not tried again. "
            "Hint: look at that worker's log; a crash in native code or a kill from outside leaves no Python error."
        )

    @classmethod
    def isolated(cls, task: str, code: int, memory: int) -> WorkerLost:
        """A process of its own ended with this code, negative where a signal ended it; `memory`: bytes it had when last seen."""
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return cls(
            f"the process of {task} ended {how}, with {memory:,} bytes of memory when last seen. Hint: a crash in native "
            "code, os._exit(), or a kill from outside leaves no Python error; signal 9 is often the kernel's, for memory."
        )


class OutOfWorkerMemory(WorkerLost, MemoryError):
    """A task needed more memory than a worker may use."""

    @classmethod
    def by_nanny(cls, operation: str, worker: str, used: int, limit: int) -> OutOfWorkerMemory:
        return cls(
            f"{operation!r} needed more memory than a worker has: {worker} was restarted at {used:,} of {limit:,} "
            "bytes, and so were those that tried before. Hint: smaller chunks (chunk_size=), or workers with more memory."
        )


class NoWorkers(MarsDaskError, TimeoutError):
    """There was no worker to run a task in the time allowed."""

    @classmethod
    def waited(cls, operation: str, seconds: float, states: Sequence[str]) -> NoWorkers:
        """`states`: what each worker that is connected says of itself."""
        paused = states.count("paused")
        if paused and paused == len(states):
            why = (
                f"all {paused} workers are paused, for their memory is full: no spill directory took more, or it is no data "
                "that could be spilled. Hint: workers with more memory or larger spill directories, or smaller chunks "
                "(chunk_size=)"
            )
        elif states:
            why = f"the workers that are connected are {', '.join(sorted(set(states)))}. Hint: start another worker"
        else:
            why = "no worker is connected. Hint: start one, or see in the log of those that were there why they left"
        return cls(f"{operation!r} found no worker in time: it waited {seconds:g} s, and {why}.")


class ClusterUnreachable(MarsDaskError, ConnectionError):
    """No scheduler answers at an address."""


class SpillFull(MarsDaskError, OSError):
    """A value that no spill directory could take; `reasons` says by path why."""

    errno = errno.ENOSPC

    @classmethod
    def of(cls, key: object, size: int, reasons: Iterable[tuple[str, str]]) -> SpillFull:
        hint = "give the worker more or larger spill directories, larger quotas, or more memory"
        return cls._telling(f"the {size:,} bytes of {short(key)} could not be spilled", reasons, hint, key)

    @classmethod
    def everywhere(cls, workers: int, reasons: Iterable[tuple[str, str]]) -> SpillFull:
        """`workers` that can do nothing more, and why each of their directories takes nothing."""
        who = "the only worker is" if workers == 1 else f"all {workers} workers are"
        what = f"{who} paused: memory is full, and the spill directories take no more"
        hint = "larger spill directories or quotas, more memory, or fewer results that are held at a time"
        return cls._telling(what, reasons, hint)

    @classmethod
    def _telling(
        cls, what: str, reasons: Iterable[tuple[str, str]], hint: str, key: object = None
    ) -> SpillFull:
        by_path = list(reasons)
        told = "; ".join(f"{path}: {reason}" for path, reason in by_path)
        error = cls(f"{what}. {told}. Hint: {hint}.")
        error.key, error.reasons = key, by_path
        return error

    key: object = None
    reasons: list[tuple[str, str]] = []


class SpillDamaged(MarsDaskError, OSError):
    """A spilled value that is not on disk as it was written: changed, truncated, missing, or unreadable."""

    errno = errno.EIO

    @classmethod
    def of(cls, key: object, path: str, reason: str) -> SpillDamaged:
        error = cls(f"the spilled value of {short(key)} in {path!r} is damaged: {reason}.")
        error.key, error.path, error.reason = key, path, reason
        return error

    key: object = None
    path: str = ""
    reason: str = ""


class BadSpillDirectory(MarsDaskError, OSError):
    """A spill directory that cannot be used as it was given."""

    @classmethod
    def because(cls, path: str, reason: object) -> BadSpillDirectory:
        return cls(
            f"the spill directory {path!r} cannot be used: {reason}. Hint: name directories that this worker's user "
            "can make or write to."
        )


class EncryptionMismatch(ClusterUnreachable):
    """A scheduler and a client do not agree on encryption or certificates."""

    @classmethod
    def because(cls, address: str, error: Exception) -> EncryptionMismatch:
        return cls(
            f"address={address!r}: no encrypted connection: {error}. Hint: does security= name the authority (tls_ca_file) "
            "and a client certificate that the scheduler trusts, and does it speak TLS?"
        )


class KubernetesError(MarsDaskError, RuntimeError):
    """Kubernetes refused something, or did not do it."""


class NotPermitted(KubernetesError, PermissionError):
    """Kubernetes does not let this user do something."""


class InUse(KubernetesError):
    """Something cannot be removed because clusters need it."""


class ClusterNotStarted(KubernetesError):
    """A cluster did not come up; nothing of it is left. The message tells the pods, their events and last log lines."""


class ClusterStartTimeout(ClusterNotStarted, TimeoutError):
    """A cluster was not up in the time allowed."""


class StillThere(KubernetesError, TimeoutError):
    """A cluster that was stopped was not gone in the time allowed."""


class SchedulerLost(ClusterUnreachable):
    """The scheduler of a session went away and did not come back in time."""

    @classmethod
    def after(cls, address: str, seconds: float) -> SchedulerLost:
        return cls(
            f"the scheduler at {address} went away and was not back after {seconds:g} s. Hint: start it again at the same "
            "address and call execute() once more: expressions are kept here and run again. Where it comes back at "
            "another address, close() this session and open one there. options.cluster.reconnect_timeout is how long to wait."
        )

    @classmethod
    def with_cluster(cls, namespace: str, ends: str) -> SchedulerLost:
        return cls(
            f"the cluster in namespace {namespace!r} is gone: {ends}. Hint: new_cluster() makes another, and execute() once more "
            "runs there what was kept here as expressions."
        )


class DataLost(MarsDaskError, RuntimeError):
    """The cluster forgot data of executed expressions, and running them again was given up."""

    @classmethod
    def because(cls, reason: str) -> DataLost:
        return cls(
            f"the cluster lost data that this needs: {reason}. Hint: execute() runs again what was lost, at most "
            "options.cluster.recompute_limit times in one call; checkpoint() keeps data in files."
        )


class BadCheckpoint(MarsDaskError, ValueError):
    """A path that cannot take, or does not hold, the checkpoint asked for."""

    @classmethod
    def at(cls, path: str, reason: object, hint: str) -> BadCheckpoint:
        return cls(f"checkpoint(path={path!r}): {reason}. Hint: {hint}.")


class CheckpointDamaged(MarsDaskError, OSError):
    """A chunk of a checkpoint that is not in its file as it was written: changed, truncated or missing."""

    @classmethod
    def of(cls, path: str, reason: str) -> CheckpointDamaged:
        return cls(
            f"the chunk in {path!r} is damaged: {reason}. Hint: checkpoint() of the same expression at the same path makes "
            "this chunk again, and no other."
        )


class CheckpointFull(MarsDaskError, OSError):
    """A file of a checkpoint that could not be written: the disk is full, or fails."""

    @classmethod
    def of(cls, path: str, size: int, free: int | None, error: OSError) -> CheckpointFull:
        """`size` bytes were to go to `path`; `free` is what the file system has, None where nobody knows."""
        room = "" if free is None else f", {free:,} bytes are free there"
        made = cls(
            f"{size:,} bytes could not be written to {path!r}: {error.strerror or error}{room}. Hint: make room there, or "
            "choose another path; checkpoint() again makes what is missing, and nothing else."
        )
        made.errno = error.errno
        return made


class BadStorage(MarsDaskError, ValueError):
    """A place that cannot keep the files of a durable map."""

    @classmethod
    def at(cls, url: str, reason: object, hint: str) -> BadStorage:
        return cls(f"storage={url!r}: {reason}. Hint: {hint}.")


class JobNotFound(MarsDaskError, KeyError):
    """A map, or an item of it, that the storage knows nothing of."""

    @classmethod
    def among(cls, job: str, url: str, jobs: Iterable[str]) -> JobNotFound:
        return cls(f"there is no map {job!r} in {url!r}.{near(job, jobs)}")

    @classmethod
    def task(cls, job: str, number: int, known: Sequence[int]) -> JobNotFound:
        which = f"those that have are {', '.join(map(str, known[:20]))}" if known else "none has"
        return cls(f"task {number} of {job!r} has not failed; {which}.")


class StillActive(MarsDaskError, RuntimeError):
    """Files are to be removed that a map which is running needs."""

    @classmethod
    def of(cls, name: str, jobs: Sequence[str]) -> StillActive:
        return cls(
            f"cleanup({name!r}): {', '.join(jobs)} is active. Hint: close() its results, or wait until it is done."
        )


class ObjectNotFound(MarsDaskError, KeyError):
    """A stateful object that nobody made."""

    @classmethod
    def by(cls, name: str, hint: str = "") -> ObjectNotFound:
        return cls(f"there is no remote object {name!r} in this session.{hint}")


class Exited(MarsDaskError, RuntimeError):
    """A function or script ended its process, or would have."""

    @classmethod
    def by(cls, name: str, end: BaseException) -> Exited:
        how = f"called sys.exit({end.code!r})" if isinstance(end, SystemExit) else f"raised {end!r}"
        return cls(f"{name!r} {how}.")


class TaskFailed(MarsDaskError, RuntimeError):
    """What a task has raised, in words, where the exception itself cannot leave its worker."""

    @classmethod
    def unpicklable(cls, operation: str, said: str, frames: str) -> TaskFailed:
        """`said`: the exception's `repr()`; `frames`: its traceback, as text."""
        return cls(
            f"{operation!r} raised {said}, which cannot be pickled. Hint: an exception that has no locks, files or "
            f"connections in it, and whose arguments are those of its class, comes as it is. It was raised here:\n{frames}"
        )

    @staticmethod
    def is_uncatchable(error: object) -> bool:
        """Whether an event loop cannot carry it from a task to whoever waits."""
        return isinstance(error, StopIteration) or not isinstance(error, Exception)

    @classmethod
    def uncatchable(cls, operation: str, said: str, frames: str) -> TaskFailed:
        """The same of what is no error to Python's event loops: they would end, or take it for their own."""
        return cls(
            f"{operation!r} raised {said}, which is no error of a function. Hint: raise a subclass of Exception, other than "
            f"StopIteration. It was raised here:\n{frames}"
        )


class NotPicklable(MarsDaskError, TypeError):
    """Something that cannot be sent to a worker, or back."""

    why: BaseException

    @classmethod
    def because(cls, what: str, error: BaseException, to: str = "to a worker") -> NotPicklable:
        made = cls(
            f"{what} cannot be sent {to}: {type(error).__name__}: {error}. Hint: open files, locks and connections "
            "inside of the function, and pass data as arguments."
        )
        made.why = error
        return made

    @classmethod
    def spilling(cls, key: object, error: Exception) -> NotPicklable:
        # Dask adds the whole value to its message.
        said = str(error.args[0] if error.args else error)[:300]
        return cls(
            f"the value of {short(key)} cannot be written to disk: {type(error).__name__}: {said}. Hint: smaller chunks "
            "stay in memory; values of open files, locks and connections cannot leave it."
        )


class ModuleMissing(MarsDaskError, ModuleNotFoundError):
    """A process that is to run a function lacks a module that the function needs."""

    @classmethod
    def on(cls, where: str, module: str) -> ModuleMissing:
        return cls(
            f"{where} has no module {module!r}, which the function needs. Hint: install it there; modules of your own that "
            "the function refers to travel with it.",
            name=module,
        )


class WouldRun(MarsDaskError, RuntimeError):
    """Something tried to compute where only metadata may be looked at."""


_adopted: dict[type[Exception], type[Exception]] = {}


def adopt(error: Exception, doing: str) -> Exception:
    """The same error as one of ours: still of its own type, and saying what people were `doing`, if that has a name.

    For what NumPy or pandas raise where metadata are worked out, that is, at the user's call.
    """
    if isinstance(error, MarsDaskError):
        return error
    kind = type(error)
    if kind not in _adopted:
        _adopted[kind] = type(kind.__name__, (MarsDaskError, kind), {"__module__": __name__})
    new = _adopted[kind].__new__(_adopted[kind])
    said = error.args[0] if isinstance(error, KeyError) and error.args else error
    new.args = (f"{doing}: {said}" if doing else said,)
    return new


def near(name: object, names: Iterable[object]) -> str:
    """A sentence that names the nearest of `names`, or nothing.

    >>> near("sorted", ["sort", "argsort"])
    " Did you mean 'sort'?"
    """
    by_text = {str(n): n for n in names}
    close = difflib.get_close_matches(str(name), by_text, n=1)
    return f" Did you mean {by_text[close[0]]!r}?" if close else ""


def short(key: object, width: int = 100) -> str:
    """`repr(key)`, cut in the middle where it is long: fused tasks have long names.

    >>> short("add-" + "0" * 200, width=20)
    "'add-000...00000000'"
    """
    text = repr(key)
    if len(text) <= width:
        return text
    head = (width - 3) // 2
    return f"{text[:head]}...{text[-(width - 3 - head) :]}"
