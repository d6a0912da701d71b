"""Rows and columns by label and position: read, written, renamed."""
