"""`mt.random`: NumPy's legacy names on chunked tensors.

>>> import marsdask.tensor as mt
>>> mt.random.RandomState(7).normal(size=(10, 4), chunk_size=5).shape
(10, 4)
"""

from typing import Any

from marsdask.errors import UnknownName
from marsdask.plan import registry
from marsdask.tensor.sampling import RandomState

__all__ = ["RandomState", *registry.fill(globals(), "tensor.random")]  # names come from the registry
registry.attach(RandomState, "RandomState")


def __dir__() -> list[str]:
    return [*__all__]


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.tensor.random", name, __all__)
