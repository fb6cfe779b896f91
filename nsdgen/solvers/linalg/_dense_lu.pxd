"""LU factors of small dense matrices for the steppers and solvers, callable from nogil code.

All matrices are row-major ``double*``. Nothing here holds state, takes the lock or
raises; a return value reports what happened. Scales do not matter: multiplying a row
or a column of a matrix by a power of two changes no decision.
"""

cdef enum:
    # Pivots below this many units of rounding, times n, are zero. Matrices such as
    # H M^-1 H^T arrive with a few roundings of their own, hence not just 1.
    PIVOT_ROUNDINGS = 64


cdef int lu_factor(int n, double* a, int* pivot) noexcept nogil
"""Factor ``a`` (n x n) in place as P L U with scaled partial pivoting.

On return the strict lower triangle holds L (unit diagonal), the rest U, and
``pivot[k]`` (n entries) is the row exchanged with row ``k`` at stage ``k``.

Returns 0, or 1 + the column whose best pivot is zero to within rounding relative to
the magnitudes of its row and column (also where the data are not finite); ``a`` is
then half factored and of no use. Allocates only for n > 256; -1 if that fails.
"""

cdef void lu_solve(
    int n, const double* lu, const int* pivot, double* b, int nrhs
) noexcept nogil
"""Overwrite ``b`` (n x nrhs) with the solution X of A X = b, from ``lu_factor``."""
