"""Products, contractions, and linear algebra."""
