"""`mt.stats`: statistical tests. The coverage page says what is there."""

from marsdask.plan import registry

__all__ = [*registry.fill(globals(), "tensor.stats")]
