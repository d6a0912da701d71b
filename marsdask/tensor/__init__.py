"""`mt`: NumPy's API on chunked arrays."""

from typing import Any

from marsdask.errors import UnknownName
from marsdask.plan import gaps, registry
from marsdask.tensor.core import ExecutableTuple, Tensor
from marsdask.tensor.making.objects import VALUES
from marsdask.tensor.protocol import ASKED, asking

registry.discover(__name__)
globals().update(VALUES)
__all__ = ["ExecutableTuple", "Tensor", *VALUES, *registry.fill(globals(), "tensor")]
globals().update({name: asking(globals()[name]) for name in ASKED})
registry.attach(Tensor, "Tensor")


def __dir__() -> list[str]:
    return [*__all__, "linalg", "random"]


def __getattr__(name: str) -> Any:
    raise UnknownName.among("marsdask.tensor", name, __all__)


gaps.close(__name__)
