"""Random numbers and random choices."""
