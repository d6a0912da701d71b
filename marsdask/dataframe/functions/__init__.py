"""Functions and expressions of users."""
