"""`mt.linalg`: linear algebra on chunked tensors."""

from typing import Any

from marsdask.errors import UnknownName
from marsdask.plan import registry
from marsdask.tensor.algebra import matrices, products  # noqa: F401  # they register what this room is filled with

# NumPy and Mars have these in both places.
SHARED = ("dot", "inner", "innerproduct", "matmul", "tensordot", "vdot", "trace", "outer")
globals().update({name: registry.function_of(registry.lookup(name)) for name in SHARED})

__all__ = [*SHARED, *registry.fill(globals(), "tensor.linalg")]  # names come from the registry


def __dir__() -> list[str]:
    return [*__all__]


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.tensor.linalg", name, __all__)
