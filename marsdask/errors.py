"""The errors users see: ours, and at the same time the built-in a user would catch.

A message says what was given, what was expected and what to do next.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

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


class WrongSession(MarsDaskError, ValueError):
    """Data executed in one session was asked of another."""


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


class ClusterUnreachable(MarsDaskError, ConnectionError):
    """No scheduler answers at an address."""


class ObjectNotFound(MarsDaskError, KeyError):
    """A stateful object that nobody made."""

    @classmethod
    def by(cls, name: str, hint: str = "") -> ObjectNotFound:
        return cls(f"there is no remote object {name!r} in this session.{hint}")


class Exited(MarsDaskError, RuntimeError):
    """A function or script ended its process, or would have."""

    @classmethod
    def by(cls, name: str, code: object) -> Exited:
        return cls(f"{name!r} called sys.exit({code!r}).")


class NotPicklable(MarsDaskError, TypeError):
    """Something that cannot be sent to a worker."""

    @classmethod
    def because(cls, what: str, error: Exception, to: str = "to a worker") -> NotPicklable:
        return cls(
            f"{what} cannot be sent {to}: {type(error).__name__}: {error}. Hint: open files, locks and connections "
            "inside of the function, and pass data as arguments."
        )


class WouldRun(MarsDaskError, RuntimeError):
    """Something tried to compute where only metadata may be looked at."""


_adopted: dict[type[Exception], type[Exception]] = {}


def adopt(error: Exception, doing: str) -> Exception:
    """The same error as one of ours: still of its own type, and saying which operation it met.

    For what NumPy or pandas raise where metadata are worked out, that is, at the user's call.
    """
    if isinstance(error, MarsDaskError):
        return error
    kind = type(error)
    if kind not in _adopted:
        _adopted[kind] = type(kind.__name__, (MarsDaskError, kind), {"__module__": __name__})
    ours = _adopted[kind]
    new = ours.__new__(ours)
    said = error.args[0] if isinstance(error, KeyError) and error.args else error
    new.args = (f"{doing}: {said}",)
    return new


def near(name: object, names: Iterable[object]) -> str:
    """A sentence that names the nearest of `names`, or nothing.

    >>> near("sorted", ["sort", "argsort"])
    " Did you mean 'sort'?"
    """
    by_text = {str(n): n for n in names}
    close = difflib.get_close_matches(str(name), by_text, n=1)
    return f" Did you mean {by_text[close[0]]!r}?" if close else ""
