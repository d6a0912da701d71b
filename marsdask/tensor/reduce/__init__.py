"""Elements reduced along axes: sums, moments, quantiles, histograms, running totals."""
