"""Frames made: of data in memory, of tensors, of other dtypes, of a sample."""
