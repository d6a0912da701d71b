"""What needs the rows before and after: shifts, fills, rolling and expanding windows."""
