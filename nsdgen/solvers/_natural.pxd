# cython: language_level=3
"""The natural map of one row: zero exactly where (y, z) satisfies the row's cone."""

cdef double natural_row(int cone, double diagonal, double z, double y, double *scale) noexcept nogil
"""|natural map| of a row with multiplier ``z`` and output ``y``, in units of y.

``diagonal`` is the row's diagonal entry of A, which turns z into units of y; where it is
not positive only the signs of z count. ``scale`` (magnitude of the terms of y) grows by
the magnitude of the converted multiplier. Cones as in ``nsdgen.abi.Cone``.
"""
