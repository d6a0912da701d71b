"""One call of a function, and what came of it; run as a script, in a process of its own.

As a script this is `python -P child.py FD`: it reads what to call from standard input, answers on the file descriptor FD, and ends
when standard input does, for then who asked is gone. It imports little, since it starts for each task.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO, NoReturn

LENGTH = struct.Struct("<Q")
MOST_TEXT = 20_000
"""Characters of a traceback: an endless recursion has millions."""


def outcome(func: Callable[[Any], Any], pickled: bytes, label: str) -> dict[str, Any]:
    """What calling `func` with a pickled item gives: {"result": its pickle}, or what is known of its error."""
    from marsdask import errors, pickles

    try:
        with pickles.missing("the process that ran it"):
            item = pickle.loads(pickled)
        value = func(item)
    except BaseException as error:  # noqa: BLE001 - the end of a task is its own error, whatever it is
        if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
            exited = errors.Exited.by(label, error)
            exited.__cause__ = error
            return failure(exited, label, final=False)
        return failure(error, label, final=isinstance(error, errors.ModuleMissing))
    try:
        return {"result": pickles.result(value)}
    except BaseException as error:  # noqa: BLE001 - pickling runs anybody's code
        return failure(
            errors.NotPicklable.because(f"the result of {label}", error, "to you"), label, final=True
        )


def failure(error: BaseException, label: str, *, final: bool) -> dict[str, Any]:
    """What is known of an error; `final`: another attempt would not help."""
    from marsdask import errors, pickles

    own = error.__traceback__
    below = own.tb_next if own is not None and own.tb_frame.f_code is outcome.__code__ else None
    frames = "".join(traceback.format_exception(type(error), error, below or own))[-MOST_TEXT:]
    said = _said(error)
    if errors.TaskFailed.is_uncatchable(error):
        error = errors.TaskFailed.uncatchable(label, said, frames)
    try:
        pickled: bytes | None = pickles.result(error.with_traceback(None))
        again = pickle.loads(pickled or b"")
        if not isinstance(again, BaseException):
            pickled = None
    except BaseException:  # noqa: BLE001 - pickling runs anybody's code
        pickled = None
    return {"error": pickled, "said": said, "frames": frames, "final": final}


def _said(error: BaseException) -> str:
    try:
        return repr(error)[:2000]
    except Exception:  # noqa: BLE001 - runs anybody's code
        return type(error).__qualname__


def read(stream: BinaryIO) -> bytes | None:
    """The next message; None at the end."""
    head = _exactly(stream, LENGTH.size)
    return None if head is None else _exactly(stream, LENGTH.unpack(head)[0])


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts, left = [], size
    while left:
        part = stream.read(min(left, 2**24))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def write(stream: BinaryIO, message: bytes) -> None:
    """Send a message."""
    stream.write(LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def _ends_with(stream: BinaryIO) -> None:
    while stream.read(2**16):
        pass
    os._exit(1)


def main() -> NoReturn:
    """The script."""
    asks = sys.stdin.buffer
    answers = os.fdopen(int(sys.argv[1]), "wb")
    asked = read(asks)
    if asked is None:
        os._exit(1)
    threading.Thread(target=_ends_with, args=(asks,), daemon=True).start()
    function, item, label, path = pickle.loads(asked)
    sys.path[:] = path
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    try:
        from marsdask import pickles

        with pickles.missing("the process that ran it"):
            func = pickles.opened(function).func
    except BaseException as error:  # noqa: BLE001 - unpickling runs anybody's code
        told = failure(error, label, final=True)
    else:
        told = outcome(func, item, label)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    write(answers, pickle.dumps(told))
    answers.close()
    os._exit(0)  # threads that the function has left do not keep it


if __name__ == "__main__":
    main()
