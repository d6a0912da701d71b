"""`mt`: NumPy's API on chunked arrays."""

from marsdask import registry
from marsdask.tensor import creation, elementwise, fusion, reduction
from marsdask.tensor.core import ExecutableTuple, Tensor
__all__ = registry.fill(globals(), "tensor")
registry.attach(Tensor, "Tensor")
