"""What a command line says, as Python has it: functions, items and files of results."""

from __future__ import annotations

import ast
import contextlib
import csv
import importlib
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TextIO

import numpy as np

from marsdask.errors import ArgumentError, MissingFile, adopt


class Expression:
    """A function of an expression in `value`, and in `numpy`. It is evaluated: this is code of whoever gives it."""

    def __init__(self, text: str):
        self.text = text
        self.__name__ = text if len(text) <= 40 else f"{text[:37]}..."
        tree = _parsed(text, "--expression")
        uses = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.versions = {"numpy": np.__version__} if uses & {"np", "numpy"} else {}

    def __call__(self, value: Any) -> Any:
        return eval(self.text, {"numpy": np, "np": np, "value": value})


class ShellCommand:
    """A function that runs a command of the shell, in which `{}` or `{0}` is the value, or `{name}` a column; what it printed.

    Values are put in as they are: quote them in the command, where they may have blanks.
    """

    def __init__(self, text: str):
        self.text = text
        self.__name__ = text if len(text) <= 40 else f"{text[:37]}..."

    def __call__(self, value: Any) -> str:
        row = value if isinstance(value, dict) else {}
        done = subprocess.run(self.text.format(value, **row), shell=True, stdout=subprocess.PIPE, check=False)
        text = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            error = subprocess.CalledProcessError(done.returncode, self.text, text)
            error.add_note(f"of {value!r}; it printed:\n{text}")
            raise error
        return text


def _parsed(text: str, option: str) -> ast.Expression:
    try:
        return ast.parse(text.strip(), option, "eval")
    except (SyntaxError, ValueError) as error:
        raise ArgumentError(f"{option}={text!r}: expected a Python expression: {error}.") from error


def function_of(text: str) -> Callable[[Any], Any]:
    """The function that MODULE:NAME says; modules of the working directory are found, too."""
    module, found, name = text.partition(":")
    if not (found and module and name):
        raise ArgumentError(f"--function={text!r}: expected MODULE:NAME, as 'train:fit'.")
    if (here := os.getcwd()) not in sys.path:
        sys.path.insert(0, here)
    try:
        value: Any = importlib.import_module(module)
    except ImportError as error:
        raise adopt(error, f"--function={text!r}") from error
    for part in name.split("."):
        if not hasattr(value, part):
            raise ArgumentError(f"--function={text!r}: module {module!r} has no {name!r}.")
        value = getattr(value, part)
    if not callable(value):
        raise ArgumentError(f"--function={text!r}: expected a function, got {type(value).__name__}.")
    return value  # type: ignore[no-any-return]


def generated(text: str) -> Iterable[Any]:
    """The items of an expression in `numpy`."""
    _parsed(text, "--generator-expression")
    found = eval(text.strip(), {"numpy": np, "np": np})
    if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
        raise ArgumentError(
            f"--generator-expression={text!r}: expected something to iterate over, got {type(found).__name__}."
        )
    return found


READ = (".csv", ".jsonl", ".txt")


def read(path: str) -> tuple[Iterator[Any], int]:
    """The items of a file and how many there are: rows as dicts, values of lines of JSON, or lines of text."""
    file = Path(path)
    if file.suffix not in READ:
        raise ArgumentError(f"--input={path!r}: expected a file whose name ends with .csv, .jsonl or .txt.")
    if not file.is_file():
        raise MissingFile(f"--input={path!r}: no such file.")
    with file.open("rb") as lines:
        count = sum(1 for line in lines if line.strip())
    if file.suffix == ".csv":
        return _rows(file), max(count - 1, 0)
    return (_values if file.suffix == ".jsonl" else _lines)(file), count


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    import pandas as pd

    for part in pd.read_csv(file, chunksize=1000):
        yield from part.to_dict("records")


def _values(file: Path) -> Iterator[Any]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise ArgumentError(
                        f"--input={str(file)!r}: line {number} is no JSON: {error}."
                    ) from error


def _lines(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield line.rstrip("\n")


class Writer(Protocol):
    """Takes items with their results."""

    def add(self, value: Any, result: Any) -> None:
        """One more."""

    def end(self) -> None:
        """All were added."""


class Csv:
    """Rows of `Value,Result`, as kubeface has them, both as text; of items that are rows their columns instead of `Value`."""

    def __init__(self, stream: TextIO):
        self.rows = csv.writer(stream, lineterminator="\n")
        self.columns: list[str] | None = None

    def add(self, value: Any, result: Any) -> None:
        row = value if isinstance(value, dict) else {"Value": value}
        if self.columns is None:
            self.columns = [str(name) for name in row]
            self.rows.writerow([*self.columns, "Result"])
        elif self.columns != [str(name) for name in row]:
            raise ArgumentError(f"item {value!r} has other columns than those before it: {self.columns}.")
        self.rows.writerow([*map(str, row.values()), str(result)])

    def end(self) -> None:
        if self.columns is None:
            self.rows.writerow(["Value", "Result"])


class Jsonl:
    """A line of JSON for each: {"value": ..., "result": ...}."""

    def __init__(self, stream: TextIO):
        self.stream = stream

    def add(self, value: Any, result: Any) -> None:
        try:
            line = json.dumps({"value": value, "result": result}, default=_plain, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise adopt(error, f"--out-jsonl: the result of {value!r}") from error
        self.stream.write(f"{line}\n")

    def end(self) -> None:
        """Lines need no end."""


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is nothing that JSON has")


class Parquet:
    """A table of the same columns as `Csv` has, with their types."""

    def __init__(self, path: str):
        self.path, self.rows = path, list[dict[str, Any]]()

    def add(self, value: Any, result: Any) -> None:
        row: Mapping[str, Any] = value if isinstance(value, dict) else {"Value": value}
        self.rows.append({**row, "Result": result})

    def end(self) -> None:
        import pandas as pd

        try:
            pd.DataFrame(self.rows, columns=None if self.rows else ["Value", "Result"]).to_parquet(
                self.path, index=False
            )
        except (TypeError, ValueError) as error:
            raise adopt(error, f"--out-parquet={self.path!r}") from error


@contextlib.contextmanager
def writing(form: str, path: str | None) -> Iterator[Writer]:
    """What writes results to a file that is there when all of them are; without a path to standard output, as they come."""
    if path is None:
        yield Csv(sys.stdout) if form == "csv" else Jsonl(sys.stdout)
        sys.stdout.flush()
        return
    with appearing(path) as part:
        if form == "parquet":
            yield Parquet(part)
        else:
            with open(part, "w", encoding="utf-8", newline="") as stream:
                yield Csv(stream) if form == "csv" else Jsonl(stream)


@contextlib.contextmanager
def appearing(path: str) -> Iterator[str]:
    """Where to write a file that is at `path` when all of it is written; a pipe or a device is written to as it is."""
    if _is_no_file(path):
        yield path
        return
    target = os.path.realpath(path)  # a link stays one
    part = f"{target}.{uuid.uuid4().hex}.part"
    try:
        yield part
        os.replace(part, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def _is_no_file(path: str) -> bool:
    """Whether that is a pipe or a device; or /dev/stdout, which a shell may have led to a file."""
    there = os.path.exists(path) and not os.path.isfile(path)
    return there or os.path.abspath(path).startswith(("/dev/fd/", "/dev/std", "/proc/"))


def check_output(option: str, path: str) -> None:
    """Raises before anything runs where a file cannot be written."""
    if _is_no_file(path) and not os.path.isdir(path) and os.access(path, os.W_OK):
        return
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise ArgumentError(
            f"{option}={path!r}: expected a file in a folder that is there and can be written to."
        )
