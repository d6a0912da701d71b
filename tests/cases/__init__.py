"""What the oracle tests compare: the cases of each operation, a file a family.

A tensor's case is the text of arguments, `"x, axis=0"`, or with `f` in it a whole expression, `"f(x)[0]"`; names are those
of `tests.oracle.ARRAYS`. A frame's case is a whole expression over the names of `tests.oracle.FRAMES`, with `md` for the
module; where several operations share it, `OP` stands for the name of each.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

CASES: dict[str, tuple[str, ...]] = {}
"""The texts, by the operation's name in the registry."""
ORACLES: dict[str, Callable[..., Any]] = {}
"""What a tensor operation is compared with where NumPy's function of its name is not it."""


def cases(names: str, *texts: str) -> None:
    """Add cases to the operations of these names, separated by blanks."""
    for name in names.split():
        public = name.rpartition(".")[2]
        CASES[name] = (*CASES.get(name, ()), *(text.replace("OP", public) for text in texts))


def oracle(name: str, function: Callable[..., Any]) -> None:
    """Compare an operation with this function."""
    ORACLES[name] = function


for _found in walk_packages(__path__, f"{__name__}."):
    import_module(_found.name)
