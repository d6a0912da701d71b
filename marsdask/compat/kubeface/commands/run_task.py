"""Run the task in a file, and write its result to another one. Containers run it; SIGUSR1 has it print its stack."""

from __future__ import annotations

import argparse
import faulthandler
import io
import signal
from collections.abc import Sequence

from marsdask import pickles
from marsdask.compat.kubeface import context, serialization, storage
from marsdask.compat.kubeface.common import add_logging_args, configure_logging, log
from marsdask.compat.kubeface.result import Result
from marsdask.compat.kubeface.task import Task
from marsdask.errors import NotPicklable, TaskFailed


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="_kubeface-run-task", description=__doc__)
    made.add_argument("input_path", help="path or URL")
    made.add_argument("result_path", help="path or URL; {result_type} and {result_time} in it are filled in")
    made.add_argument("--delete-input", action="store_true", help="remove the first file in the end")
    add_logging_args(made)
    return made


def pickled(result: Result, label: str) -> bytes:
    """A result as bytes that can be read again, whatever it is: a value that cannot travel is an error, in words at worst."""
    try:
        content = pickles.result(result)
        if result.exception is not None:
            serialization.loads(content)
        return content
    except BaseException as error:  # noqa: BLE001 - pickling runs anybody's code
        frames = result.exception_traceback_string or ""
        if result.exception is None:
            said: Exception = NotPicklable.because(f"the result of {label}", error, "to you")
        else:
            said = TaskFailed.unpicklable(label, repr(result.exception), frames)
        return pickles.result(
            Result(result.start_time, result.end_time, result.input_size, said, frames or str(error))
        )


def run(argv: Sequence[str] | None = None) -> None:
    """The command. It ends with 0 also where the task has failed: the result says so."""
    args = parser().parse_args(argv)
    configure_logging(args)
    faulthandler.register(signal.SIGUSR1, all_threads=True, chain=False)
    content = storage.get(args.input_path).read()
    with context.in_task(args.input_path, args.result_path):
        try:
            task = serialization.loads(content)
        except BaseException as error:  # noqa: BLE001 - unpickling runs anybody's code
            task = Task(_raises, (error,))
        log.info("Running %r", task)
        result = task.run(input_size=len(content))
    result.log()
    path = args.result_path
    for name, value in (("result_type", result.result_type), ("result_time", int(result.end_time))):
        path = path.replace(f"{{{name}}}", str(value))
    storage.put(path, io.BytesIO(pickled(result, repr(task))))
    log.info("Wrote: %s", path)
    if args.delete_input:
        storage.delete(args.input_path)


def _raises(error: BaseException) -> None:
    raise error


if __name__ == "__main__":
    run()
