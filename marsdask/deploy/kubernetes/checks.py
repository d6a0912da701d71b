"""Checks of single arguments: each gives back the value in the form that specs use, or raises an error that names it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from marsdask.errors import ArgumentError, ArgumentTypeError

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LABEL_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)


def bad(name: str, value: object, expected: str) -> ArgumentError:
    return ArgumentError(f"{name}={value!r}: expected {expected}.")


def count(value: Any, name: str, *, least: int = 1) -> int:
    """A whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise bad(name, value, f"a whole number from {least} on")
    return int(value)


def cpu(value: Any, name: str) -> int:
    """Thousandths of a core: 0.5, 4, '4' and '500m' are understood."""
    expected = "a number of cores above 0, such as 4, 0.5 or '500m'"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise bad(name, value, expected)
    text, scale = str(value).strip(), 1000
    if isinstance(value, str) and text.endswith("m"):
        text, scale = text[:-1], 1
    try:
        number = Decimal(text) * scale
    except InvalidOperation:
        raise bad(name, value, expected) from None
    if not number.is_finite() or not 1 <= number <= 10**7:
        raise bad(name, value, expected)
    return math.ceil(number)


def ratio(value: Any, name: str) -> float:
    """A factor from 1 on."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1 <= value < math.inf:
        raise bad(name, value, "a number from 1 on: the limit is that many times the request")
    return value


def seconds(value: Any, name: str) -> float:
    """A finite number of seconds above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise bad(name, value, "a number of seconds above 0")
    return float(value)


def port(value: Any, name: str) -> int:
    """A port that a process without rights of its own may open."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1024 <= value < 65536:
        raise bad(name, value, "a port from 1024 to 65535")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise bad(name, value, "True or False")
    return value


def text(value: Any, name: str) -> str:
    """A text that is not empty and has no blanks."""
    if not isinstance(value, str) or not value or re.search(r"\s", value):
        raise bad(name, value, "a text without blanks")
    return value


def label(value: Any, name: str, *, most: int = 63) -> str:
    """A name that Kubernetes takes: lower case letters, digits and '-'."""
    if not isinstance(value, str) or len(value) > most or not _LABEL.fullmatch(value):
        raise bad(name, value, f"at most {most} lower case letters, digits and '-', first and last no '-'")
    return value


def mapping(value: Any, name: str) -> dict[str, Any]:
    """A dict whose keys are texts."""
    if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
        raise ArgumentTypeError(f"{name}={value!r}: expected a dict whose keys are texts.")
    return dict(value)


def env(value: Any, name: str) -> dict[str, str]:
    """Environment variables; numbers become texts."""
    found = {}
    for key, each in mapping(value, name).items():
        if not _ENV.fullmatch(key):
            raise bad(name, {key: each}, "names of letters, digits and '_'")
        if not isinstance(each, (str, int, float)):
            raise bad(name, {key: each}, "texts or numbers as values; for others use pod_template=")
        found[key] = str(each)
    return found


def labels(value: Any, name: str) -> dict[str, str]:
    """Labels of pods; those of the operator are not ours to give."""
    found = {}
    for key, each in mapping(value, name).items():
        if key.startswith("dask.org/"):
            raise bad(
                name,
                {key: each},
                "no label that starts with 'dask.org/': the operator finds its pods by them",
            )
        if not _LABEL_KEY.fullmatch(key) or not isinstance(each, str) or not _LABEL_VALUE.fullmatch(each):
            raise bad(
                name,
                {key: each},
                "letters, digits, '-', '_' and '.', at most 63 each, as Kubernetes' labels have",
            )
        found[key] = each
    return found


def texts(value: Any, name: str, *, separators: str = ",") -> tuple[str, ...]:
    """Several texts: a list, or one text with separators."""
    if isinstance(value, str):
        value = [part.strip() for part in re.split(f"[{re.escape(separators)}]", value) if part.strip()]
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise ArgumentTypeError(f"{name}={value!r}: expected a list of texts.")
    return tuple(text(each, name) for each in value)


def command(value: Any, name: str) -> tuple[str, ...]:
    """A command line as a list; a text is given to a shell."""
    if isinstance(value, str) and value:
        return ("/bin/sh", "-c", value)
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(v, str) and v for v in value):
        raise bad(name, value, "a list of texts, such as ['/bin/sh', '-c', 'sync']")
    return tuple(value)


def dicts(value: Any, name: str) -> tuple[dict[str, Any], ...]:
    """A list of dicts, as Kubernetes writes them."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise ArgumentTypeError(f"{name}={value!r}: expected a list of dicts.")
    return tuple(mapping(each, name) for each in value)
