"""CSV and parquet, read and written."""
