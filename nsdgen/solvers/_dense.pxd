# cython: language_level=3
"""Small dense linear algebra for the steppers and solvers, callable from nogil code.

All matrices are row-major ``double*``. Nothing here holds state, takes the lock or
raises; a return value reports what happened. Scales do not matter: multiplying a row
or a column of a matrix by a power of two changes no decision.
"""


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

cdef size_t min_norm_work_size(int n) noexcept nogil
"""Number of doubles of ``work`` that ``min_norm_solve`` needs."""

cdef int min_norm_solve(
    int n,
    const double* a,
    int lda,
    const double* b,
    double* x,
    double* work,
    int* iwork,
    double* residual,
    double* null_weight,
) noexcept nogil
"""Least-norm solution of the square, possibly singular system A x = b.

``a`` is n x n with leading dimension ``lda``, ``b`` and ``x`` have n entries and may
be the same array, ``work`` has ``min_norm_work_size(n)`` doubles, ``iwork`` n ints.

Returns the numerical rank. ``residual`` (or NULL) receives the part of ``b`` outside
the range of A, relative to ``b``, rows weighted by their own magnitude: at rounding
level where the system is consistent. ``null_weight`` (n entries, or NULL) receives in
entry i the norm of row i of an orthonormal null-space basis: 0 where ``x[i]`` is the
same in every solution.
"""

cdef void two_sided_scale(int n, const double* a, double* row, double* column) noexcept nogil
"""Powers of two R, C (n entries each) that bring rows and columns of R A C near maximum 1."""
