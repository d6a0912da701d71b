"""Groups of rows: what they are grouped by, the object in between, and how its methods are lowered."""
