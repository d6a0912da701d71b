"""`mt`: NumPy's API on chunked arrays."""

from typing import Any

from marsdask import registry
from marsdask.errors import UnknownName
from marsdask.tensor import convert, creation, elementwise, fusion, reduction, sort
from marsdask.tensor.core import ExecutableTuple, Tensor
__all__ = registry.fill(globals(), "tensor")
registry.attach(Tensor, "Tensor")


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.tensor", name, __all__)
