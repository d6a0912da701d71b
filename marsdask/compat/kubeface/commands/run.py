"""Run a job: a Python expression or a shell command for each of some values, and print the results as CSV."""

from __future__ import annotations

import argparse
import contextlib
import csv
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy

from marsdask.compat.kubeface.client import Client
from marsdask.compat.kubeface.common import add_logging_args, configure_logging, log
from marsdask.errors import MarsDaskError
from marsdask.remote.durable import told


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="kubeface-run", description=__doc__)
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument("--shell-command", help="for each value, which replaces {}; its output is the result")
    what.add_argument("--expression", help="of Python, with `value` and `numpy`")
    made.add_argument(
        "--generator-expression", required=True, help="of Python, which gives the values, with `numpy`"
    )
    made.add_argument("--out-csv", metavar="FILE", help="where results go; standard output")
    add_logging_args(made)
    Client.add_args(made)
    return made


def row(function: Any, value: Any) -> tuple[str, str]:
    """A value and what a function gives for it, both as text."""
    return str(value), str(function(value))


@contextlib.contextmanager
def output(path: str | None) -> Iterator[Any]:
    """A file to write, which is there when all of it is; or standard output."""
    if path is None or path == "-":
        yield sys.stdout
    else:
        with told.appearing(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
            yield file


def run(argv: Sequence[str] | None = None) -> None:
    """The command."""
    options = parser()
    args = options.parse_args(argv)
    configure_logging(args)
    if args.shell_command is not None:
        function: Any = told.ShellCommand(args.shell_command)
    else:
        function = told.Expression(args.expression)
    try:
        client = Client.from_args(args)
    except MarsDaskError as error:
        options.error(str(error))
    values = eval(args.generator_expression, {"numpy": numpy})
    with client, output(args.out_csv) as file:
        writer = csv.writer(file)
        writer.writerow(["Value", "Result"])
        writer.writerows(client.map(partial(row, function), values))
    log.info("Wrote: %s", args.out_csv or "standard output")


if __name__ == "__main__":
    run()
