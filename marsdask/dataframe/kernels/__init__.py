"""What works on the columns of one chunk: NumPy and pandas, no handles and no graphs."""
