"""How small terms may be; a file of its own, for compiled code that steps load reads it without SciPy."""

LEAST = 1e-305  # of the terms of a row: smaller ones are rounded like subnormal numbers
