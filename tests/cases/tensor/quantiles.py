"""Cases of tensor/quantiles."""

from tests.cases import cases

# fmt: off
cases(
    "median nanmedian",
    "x", "x, axis=0", "x, axis=1, keepdims=True", "i", "h, axis=0", "h", "c3, axis=(0, 2)", "v", "b, axis=0", "x, axis=4", "s0", "n, axis=-1", "vn",
    "e", "z",
    "c3, axis=1, keepdims=True", "f, axis=(0, 1)",
)
cases(
    "percentile nanpercentile",
    "x, 30", "x, 30, axis=0", "x, [5, 50.5, 99], axis=1", "x, [5, 50.5, 99]", "i, [5, 50.5, 99], axis=0, keepdims=True", "h, 30, axis=0",
    "c3, [5, 50.5, 99], axis=(0, 2)", "x, 30, keepdims=True", "z, 30", "vn, [5, 50.5, 99]", "x, [[5, 50.5, 99]]",
    "x, [5, 50.5, 99], method='inverted_cdf'", "x, [5, 50.5, 99], method='averaged_inverted_cdf'", "x, [5, 50.5, 99], method='closest_observation'",
    "x, [5, 50.5, 99], method='interpolated_inverted_cdf'", "x, [5, 50.5, 99], method='hazen'", "x, [5, 50.5, 99], method='weibull'",
    "x, [5, 50.5, 99], method='linear'", "x, [5, 50.5, 99], method='median_unbiased'", "x, [5, 50.5, 99], method='normal_unbiased'",
    "x, [5, 50.5, 99], method='lower'", "x, [5, 50.5, 99], method='higher'", "x, [5, 50.5, 99], method='midpoint'",
    "x, [5, 50.5, 99], method='nearest'", "i, [5, 50.5, 99], axis=0, method='inverted_cdf'",
    "i, [5, 50.5, 99], axis=0, method='averaged_inverted_cdf'", "i, [5, 50.5, 99], axis=0, method='closest_observation'",
    "i, [5, 50.5, 99], axis=0, method='interpolated_inverted_cdf'", "i, [5, 50.5, 99], axis=0, method='hazen'",
    "i, [5, 50.5, 99], axis=0, method='weibull'", "i, [5, 50.5, 99], axis=0, method='linear'", "i, [5, 50.5, 99], axis=0, method='median_unbiased'",
    "i, [5, 50.5, 99], axis=0, method='normal_unbiased'", "i, [5, 50.5, 99], axis=0, method='lower'", "i, [5, 50.5, 99], axis=0, method='higher'",
    "i, [5, 50.5, 99], axis=0, method='midpoint'", "i, [5, 50.5, 99], axis=0, method='nearest'", "x, 30, method='no'",
    "x, [5, 50.5, 99], method='inverted_cdf', weights=u", "x, 30, weights=u", "x, np.array([5, 50.5, 99], 'f4')",
    "x, 30, axis=1, method='inverted_cdf', weights=np.array([1, 2, 0, 4, 1])",
)
cases("percentile quantile nanpercentile nanquantile", "x, 101", "x, -1", "x, 0", "x, 1", "x.astype('f4'), 0.33, axis=0", "x.astype('f4'), np.float64(0.33)")
cases(
    "quantile nanquantile",
    "x, 0.3", "x, 0.3, axis=0", "x, [0.05, 0.5, 0.99], axis=1", "x, [0.05, 0.5, 0.99]", "i, [0.05, 0.5, 0.99], axis=0, keepdims=True",
    "h, 0.3, axis=0", "c3, [0.05, 0.5, 0.99], axis=(0, 2)", "x, 0.3, keepdims=True", "z, 0.3", "vn, [0.05, 0.5, 0.99]", "x, [[0.05, 0.5, 0.99]]",
    "x, [0.05, 0.5, 0.99], method='inverted_cdf'", "x, [0.05, 0.5, 0.99], method='averaged_inverted_cdf'",
    "x, [0.05, 0.5, 0.99], method='closest_observation'", "x, [0.05, 0.5, 0.99], method='interpolated_inverted_cdf'",
    "x, [0.05, 0.5, 0.99], method='hazen'", "x, [0.05, 0.5, 0.99], method='weibull'", "x, [0.05, 0.5, 0.99], method='linear'",
    "x, [0.05, 0.5, 0.99], method='median_unbiased'", "x, [0.05, 0.5, 0.99], method='normal_unbiased'", "x, [0.05, 0.5, 0.99], method='lower'",
    "x, [0.05, 0.5, 0.99], method='higher'", "x, [0.05, 0.5, 0.99], method='midpoint'", "x, [0.05, 0.5, 0.99], method='nearest'",
    "i, [0.05, 0.5, 0.99], axis=0, method='inverted_cdf'", "i, [0.05, 0.5, 0.99], axis=0, method='averaged_inverted_cdf'",
    "i, [0.05, 0.5, 0.99], axis=0, method='closest_observation'", "i, [0.05, 0.5, 0.99], axis=0, method='interpolated_inverted_cdf'",
    "i, [0.05, 0.5, 0.99], axis=0, method='hazen'", "i, [0.05, 0.5, 0.99], axis=0, method='weibull'", "i, [0.05, 0.5, 0.99], axis=0, method='linear'",
    "i, [0.05, 0.5, 0.99], axis=0, method='median_unbiased'", "i, [0.05, 0.5, 0.99], axis=0, method='normal_unbiased'",
    "i, [0.05, 0.5, 0.99], axis=0, method='lower'", "i, [0.05, 0.5, 0.99], axis=0, method='higher'",
    "i, [0.05, 0.5, 0.99], axis=0, method='midpoint'", "i, [0.05, 0.5, 0.99], axis=0, method='nearest'", "x, 0.3, method='no'",
    "x, [0.05, 0.5, 0.99], method='inverted_cdf', weights=u", "x, 0.3, weights=u", "x, np.array([0.05, 0.5, 0.99], 'f4')",
    "x, 0.3, axis=1, method='inverted_cdf', weights=np.array([1, 2, 0, 4, 1])",
)
cases("median", "xo", "xo, axis=0", "vo")
cases("quantile", "xo, 0.3, axis=0")
