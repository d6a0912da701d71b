"""Amounts of memory as people write them: Mars's sizes, shares in percent, and Kubernetes' quantities."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from marsdask.errors import ArgumentError

MIB = 2**20
LEAST_MEMORY = 64 * MIB
"""Python with NumPy and pandas takes more than this before it holds any data."""

_SIZE = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?P<unit>%|[kmgtp]?b?|[kmgtp]ib?)", re.IGNORECASE
)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_QUANTITY = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<unit>[eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE]?)"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def parse_amount(value: Any, name: str, *, least: int = 1) -> int | float:
    """Bytes, an int; or a share in (0, 1], a float. `name` is what an error calls the value.

    Units are powers of 1024 whichever way they are written, as in Mars: `16g`, `16G`, `16GB` and `16Gi` are equal. `40%`
    and numbers up to 1 are shares of a whole that only the caller knows.

    >>> parse_amount("16GB", "worker_mem") == 16 * 2**30
    True
    >>> parse_amount("40%", "worker_cache_mem")
    0.4

    Raises ArgumentError for anything else, for less than `least` bytes, and for a share of nothing or of more than all.
    """
    number, unit = 0.0, ""
    if isinstance(value, str) and (found := _SIZE.fullmatch(value.strip())):
        number, unit = float(found["number"]), found["unit"].lower().rstrip("ib")
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        number = float(value)
    else:
        raise ArgumentError(
            f"{name}={value!r}: expected a size such as '512m', '4g' or 4294967296, or a share such as '40%'."
        )
    if unit == "%" or (not unit and 0 < number <= 1):
        share = number / 100 if unit else number
        if not 0 < share <= 1:
            raise ArgumentError(f"{name}={value!r}: expected a share above 0 and up to 100%.")
        return share
    size = int(number * 1024 ** _POWERS[unit])
    if size < least:
        raise ArgumentError(f"{name}={value!r}: expected {shown(least)} or more, got {shown(size)}.")
    return size


def parse_size(value: Any, name: str, *, least: int = 1) -> int:
    """Bytes of a size as Mars writes it.

    >>> parse_size("1.5k", "size_limit")
    1536

    Raises ArgumentError as `parse_amount` does, and for a share.
    """
    amount = parse_amount(value, name, least=least)
    if not isinstance(amount, int):
        raise ArgumentError(f"{name}={value!r}: expected a size such as '512m' or '4g', got a share.")
    return amount


def parse_quantity(value: Any, name: str) -> int:
    """Bytes of a Kubernetes quantity, in which `1G` is 10**9, `1Gi` 2**30, `1e3` a thousand and `1E` 10**18.

    >>> parse_quantity("1.5Gi", "memory"), parse_quantity("129e6", "memory")
    (1610612736, 129000000)

    Rounded up to whole bytes, as Kubernetes does. Raises ArgumentError for what is none, and for less than one byte.
    """
    size = math.ceil(quantity(value, name))
    if size < 1:
        raise ArgumentError(f"{name}={value!r}: expected more than nothing.")
    return size


MOST_POWER = 30
"""Of ten, in a quantity: a quettabyte."""


def quantity(value: Any, name: str) -> Decimal:
    """The number of a Kubernetes quantity: cores, bytes or pieces.

    >>> quantity("1500m", "cpu")
    Decimal('1.500')

    Raises ArgumentError for what is none.
    """
    plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    found = _QUANTITY.fullmatch(str(value).strip()) if plain else None
    if found is None:
        raise ArgumentError(f"{name}={value!r}: expected a quantity such as '512Mi' or '4G'.")
    number, unit = Decimal(found["number"]), found["unit"]
    if unit in _BINARY:
        return number * Decimal(1024 ** _BINARY[unit])
    power = _DECIMAL[unit] if unit in _DECIMAL else int(unit[1:])
    if abs(power) > MOST_POWER:
        raise ArgumentError(f"{name}={value!r}: expected a quantity of less than 1e{MOST_POWER}.")
    return number.scaleb(power)


def shown(size: float) -> str:
    """Bytes for people.

    >>> shown(3 * 2**29), shown(512)
    ('1.5 GiB', '512 bytes')
    """
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if abs(size) >= 1024**power:
            return f"{size / 1024**power:.4g} {unit}"
    return f"{size:.0f} bytes"
