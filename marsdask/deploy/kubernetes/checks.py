"""Checks of single arguments: each gives back the value in the form that specs use, or raises an error that names it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from marsdask.errors import ArgumentError, ArgumentTypeError

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_IMAGE = re.compile(
    r"((?=[^/]*[.:]|localhost/)[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?"  # the registry
    r"[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*"
    r"(:[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESOURCE = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LABEL_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)


def expect(good: object, name: str, value: Any, expected: str) -> Any:
    """The value, or an error that names the argument where it is not as expected."""
    if not good:
        raise ArgumentError(f"{name}={value!r}: expected {expected}.")
    return value


def _number(value: Any, *kinds: type) -> bool:
    """Whether it is a number of these kinds; True is none."""
    return isinstance(value, kinds) and not isinstance(value, bool)


def count(value: Any, name: str, *, least: int = 1) -> int:
    """A whole number from `least` on."""
    good = _number(value, int) and value >= least
    return int(expect(good, name, value, f"a whole number from {least} on"))


def cpu(value: Any, name: str) -> int:
    """Thousandths of a core: 0.5, 4, '4' and '500m' are understood."""
    text, scale = str(value).strip(), 1000
    if isinstance(value, str) and text.endswith("m"):
        text, scale = text[:-1], 1
    try:
        number = Decimal(text) * scale if _number(value, int, float, str) else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    good = number.is_finite() and 1 <= number <= 10**7
    expect(good, name, value, "a number of cores above 0, such as 4, 0.5 or '500m'")
    return math.ceil(number)


def ratio(value: Any, name: str) -> float:
    """A factor from 1 on."""
    good = _number(value, int, float) and 1 <= value < math.inf
    return float(expect(good, name, value, "a number from 1 on: the limit is that many times the request"))


def seconds(value: Any, name: str) -> float:
    """A finite number of seconds above 0."""
    good = _number(value, int, float) and 0 < value < math.inf
    return float(expect(good, name, value, "a number of seconds above 0"))


def port(value: Any, name: str) -> int:
    """A port that a process without rights of its own may open."""
    good = _number(value, int) and 1024 <= value < 65536
    return int(expect(good, name, value, "a port from 1024 to 65535"))


def flag(value: Any, name: str) -> bool:
    """True or False."""
    return bool(expect(isinstance(value, bool), name, value, "True or False"))


def text(value: Any, name: str) -> str:
    """A text that is not empty and has no blanks or control characters."""
    good = isinstance(value, str) and value and value.isprintable() and " " not in value
    return str(expect(good, name, value, "a text without blanks"))


def image(value: Any, name: str) -> str:
    """A reference to an image, as registries take them."""
    good = isinstance(value, str) and len(value) <= 1024 and _IMAGE.fullmatch(value)
    return str(
        expect(good, name, value, "an image such as 'registry.example:5000/team/marsdask:v1', in lower case")
    )


def label(value: Any, name: str) -> str:
    """A name that Kubernetes takes: lower case letters, digits and '-'."""
    good = isinstance(value, str) and _LABEL.fullmatch(value)
    expected = "at most 63 lower case letters, digits and '-', first and last no '-'"
    return str(expect(good, name, value, expected))


def mapping(value: Any, name: str) -> dict[str, Any]:
    """A dict whose keys are texts."""
    if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
        raise ArgumentTypeError(f"{name}={value!r}: expected a dict whose keys are texts.")
    return dict(value)


def resources(value: Any, name: str) -> dict[str, float]:
    """How much of what a worker has; names with a domain are Kubernetes' own, of which there are whole ones."""
    found = mapping(value, name)
    for key, each in found.items():
        one = {key: each}
        taken = "for these worker_cpu= and worker_mem="
        expect(key not in ("cpu", "memory"), name, one, taken)
        expect(_RESOURCE.fullmatch(key), name, one, "names such as 'GPU' or 'nvidia.com/gpu'")
        good = _number(each, int, float) and 0 < each < math.inf
        expect(good, name, one, "numbers above 0")
        whole = "/" not in key or each == int(each)
        expect(whole, name, one, "whole numbers of what Kubernetes gives")
    return found


def env(value: Any, name: str) -> dict[str, str]:
    """Environment variables; numbers become texts."""
    found = mapping(value, name)
    for key, each in found.items():
        one = {key: each}
        expect(_ENV.fullmatch(key), name, one, "names of letters, digits and '_'")
        plain = isinstance(each, (str, int, float)) and "\0" not in str(each)
        expect(plain, name, one, "texts or numbers as values; for others use pod_template=")
    return {key: str(each) for key, each in found.items()}


def labels(value: Any, name: str) -> dict[str, str]:
    """Labels of pods; those of the operator are not ours to give."""
    found = mapping(value, name)
    operators = "no label that starts with 'dask.org/': the operator finds its pods by them"
    allowed = "letters, digits, '-', '_' and '.', at most 63 each, as Kubernetes' labels have"
    for key, each in found.items():
        expect(not key.startswith("dask.org/"), name, {key: each}, operators)
        good = _LABEL_KEY.fullmatch(key) and isinstance(each, str) and _LABEL_VALUE.fullmatch(each)
        expect(good, name, {key: each}, allowed)
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
    if isinstance(value, str) and value and "\0" not in value:
        return ("/bin/sh", "-c", value)
    several = isinstance(value, (list, tuple)) and value
    good = several and all(isinstance(v, str) and v and "\0" not in v for v in value)
    return tuple(expect(good, name, value, "a list of texts, such as ['/bin/sh', '-c', 'sync']"))


def dicts(value: Any, name: str) -> tuple[dict[str, Any], ...]:
    """A list of dicts, as Kubernetes writes them."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise ArgumentTypeError(f"{name}={value!r}: expected a list of dicts.")
    return tuple(mapping(each, name) for each in value)
