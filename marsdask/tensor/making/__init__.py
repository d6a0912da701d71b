"""Tensors made: of data in memory, of a value, of a rule."""
