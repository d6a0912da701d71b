"""Element by element: NumPy's ufuncs, rounding, and how chains of them become one kernel."""
