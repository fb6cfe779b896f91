"""Least-norm solutions of small dense systems, and ranks, callable from nogil code.

Matrices are row-major. Scales do not matter to the rank: multiplying a row or a column by a power
of two changes no decision.
"""

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
) noexcept nogil
"""Least-norm solution of the square, possibly singular system A x = b.

``a`` is n x n with leading dimension ``lda``, ``b`` and ``x`` have n entries and may
be the same array, ``work`` has ``min_norm_work_size(n)`` doubles, ``iwork`` n ints.

Returns the numerical rank. ``residual`` receives the part of ``b`` outside the range
of A, relative to ``b``, rows weighted by their own magnitude: at rounding level where
the system is consistent.
"""

cdef int numerical_rank(int n, const double* a, int lda, double* work, int* iwork) noexcept nogil
"""The rank of A (n x n, leading dimension ``lda``) as ``min_norm_solve`` decides it, with its work space."""
