"""`run_script`: a Python script in several copies, each of which knows its rank."""

from __future__ import annotations

import builtins
import contextvars
import os
import sys
from collections import ChainMap
from collections.abc import Iterator, MutableMapping, MutableSequence
from pathlib import Path
from types import CodeType
from typing import Any

from marsdask import checks
from marsdask.errors import ArgumentError, ArgumentTypeError, Exited, MissingFile, adopt
from marsdask.options import within
from marsdask.plan import registry
from marsdask.session import Session, get_default_session
from marsdask.session.logs import StandIn


def run_script(
    script: Any,
    data: dict[str, Any] | None = None,
    n_workers: int = 1,
    command_argv: list[str] | None = None,
    session: Session | None = None,
    retry_when_fail: bool = False,
    run_kwargs: dict[str, Any] | None = None,
) -> Any:
    """An executed Object of a script that has run in `n_workers` copies; `fetch()` gives `{'status': 'ok'}`.

    Parameters
    ----------
    script : path, file object or text
        A text is a script where it has a line break, else a path.
    data : dict, optional
        Variables of the script by name. Tensors and frames stay what they are, executed.
    n_workers : int
        Copies. Each finds its number in `os.environ["RANK"]` and how many there are in `os.environ["WORLD_SIZE"]`,
        and the session in the variable `session`.
    command_argv : list of str, optional
        `sys.argv[1:]` of the script.
    retry_when_fail : bool
        Run a copy again after an error, three times at most.
    run_kwargs : dict, optional
        Arguments of `execute()`: with `{'wait': False}` an ExecutionInfo comes back.

    >>> run_script("total = x + 1\\nassert total == 42", data={"x": 41}).fetch()
    {'status': 'ok'}
    """
    checks.whole(n_workers, "run_script(n_workers=)", least=1)
    data = {} if data is None else checks.instance(data, "run_script(data=)", dict, "a dict")
    how = {} if run_kwargs is None else checks.instance(run_kwargs, "run_script(run_kwargs=)", dict, "a dict")
    for key in data:
        if not isinstance(key, str) or not key.isidentifier():
            raise ArgumentError(f"run_script(data=): {key!r} cannot be the name of a variable.")
    argv = command_argv or []
    if not isinstance(argv, (list, tuple)) or not all(isinstance(a, str) for a in argv):
        raise ArgumentTypeError(f"run_script(command_argv={command_argv!r}): expected a list of texts.")
    text, name = _text(script)
    try:
        compile(text, name, "exec")
    except (SyntaxError, ValueError) as error:
        raise adopt(error, f"run_script(script={name!r})") from error
    spawn = registry.function_of(registry.lookup("spawn"))
    copy = Script(text, name, list(argv), n_workers)
    copies = [spawn(copy, (rank, data), retry_when_fail=retry_when_fail) for rank in range(n_workers)]
    return spawn(all_done, (copies,)).execute(session=session, **how)


def _text(script: Any) -> tuple[str, str]:
    """The text of a script, and what to call it."""
    if not isinstance(script, (str, os.PathLike)) and hasattr(script, "read"):
        text = script.read()
        name = str(getattr(script, "name", "<script>"))
        return text.decode("utf-8") if isinstance(text, bytes) else text, name
    checks.instance(script, "run_script(script=)", (str, os.PathLike), "a path, a file object or a text")
    if isinstance(script, str) and "\n" in script:
        return script, "<script>"
    path = Path(script)
    if not path.is_file():
        raise MissingFile(
            f"run_script(script={str(script)!r}): no such file. Hint: a script given as text has a line break."
        )
    return path.read_text(encoding="utf-8"), str(path)


def all_done(copies: list[None]) -> dict[str, str]:
    """What a script gives back once all copies have run."""
    return {"status": "ok"}


class Script:
    """One script: what runs a copy of it, as Python runs a script."""

    def __init__(self, text: str, path: str, argv: list[str], count: int):
        self.text, self.path, self.argv, self.count = text, path, argv, count
        self.__name__ = Path(path).stem.strip("<>")  # on the dashboard, and in errors

    def __call__(self, rank: int, data: dict[str, Any]) -> None:
        code: CodeType = compile(self.text, self.path, "exec")
        place = {"RANK": str(rank), "WORLD_SIZE": str(self.count)}
        variables = {"__name__": "__main__", "__file__": self.path, "__builtins__": builtins}
        variables |= {"session": get_default_session(), **data}
        argv = ["script", *self.argv]
        with _os_environ.used(), _sys_argv.used(), within(_environ, place), within(_argv, argv):
            try:
                exec(code, variables)
            except SystemExit as end:
                if end.code not in (None, 0):
                    raise Exited.by(self.path, end) from end


_environ: contextvars.ContextVar[dict[str, str] | None] = contextvars.ContextVar(
    "marsdask-environ", default=None
)
_argv: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("marsdask-argv", default=None)


class Environ(MutableMapping[str, str]):
    """`os.environ` of a process in which several copies run: each sees its own rank."""

    def __init__(self, below: Any):
        self.below = below

    def _home(self, key: str) -> Any:
        """Where a variable is, or will be."""
        mine = _environ.get() or {}
        return mine if key in mine else self.below

    def __getitem__(self, key: str) -> str:
        return self._home(key)[key]  # type: ignore[no-any-return]

    def __setitem__(self, key: str, value: str) -> None:
        self._home(key)[key] = value

    def __delitem__(self, key: str) -> None:
        del self._home(key)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(ChainMap(_environ.get() or {}, self.below))

    def __len__(self) -> int:
        return len(ChainMap(_environ.get() or {}, self.below))

    # What `os.environ` makes of the above.
    copy, __or__, __ror__, __ior__ = (
        vars(type(os.environ))[name] for name in ("copy", "__or__", "__ror__", "__ior__")
    )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


class Argv(MutableSequence[str]):
    """`sys.argv` of a process in which several scripts run."""

    def __init__(self, below: Any):
        self.below = below

    @property
    def data(self) -> list[str]:
        mine = _argv.get()
        return self.below if mine is None else mine  # type: ignore[no-any-return]

    def __getitem__(self, at: Any) -> Any:
        return self.data[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self.data[at] = value

    def __delitem__(self, at: Any) -> None:
        del self.data[at]

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        return self.data == other

    def __repr__(self) -> str:
        return repr(self.data)

    def insert(self, index: int, value: str) -> None:
        self.data.insert(index, value)


_os_environ, _sys_argv = StandIn(os, "environ", Environ), StandIn(sys, "argv", Argv)
