"""Order and equality of elements: sorts, partitions, sets."""
