"""Rows reduced to one: sums, moments, quantiles, and facts about all rows."""
