"""Order and equality of rows: exchanges by key, sorts, ranks, duplicates, counts."""
