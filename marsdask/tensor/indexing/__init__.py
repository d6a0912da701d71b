"""Elements by position and condition: read, chosen, written."""
