"""Cases of tensor/writes."""

from tests.cases import cases

# fmt: off
cases("real", "z", "x", "i", "3 + 4j")
cases("imag", "z", "x", "i")
