"""Row by row: how frames are brought to the same rows, and what depends on a row alone."""
