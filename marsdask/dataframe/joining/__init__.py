"""Several frames made one: merge, join, concat."""
