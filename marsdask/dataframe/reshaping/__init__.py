"""Other shapes and other chunks of the same data."""
