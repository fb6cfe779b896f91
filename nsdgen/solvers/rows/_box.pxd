"""The linear box problem, dense, callable from nogil code.

Given A (n x n, row-major), b and lo <= hi (infinite where there is no bound), find z with
y = A z + b and -y in N_[lo,hi](z), that is, row by row

    lo < z < hi: y = 0        z = lo < hi: y >= 0        z = hi > lo: y <= 0

and any y where lo = hi. Rows with lo = 0, hi = inf are complementarity rows, rows without
bounds equality rows. Use as in ``_mlcp.pxd``.
"""

from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork

cdef struct BoxWork:
    double tolerance  # of the certificate; set to 1e-8 by box_work_init
    # What follows is private to the solver.
    MlcpWork mlcp
    int size, rows, count, pivots, scaled
    const double* a
    const double* b
    const double* lo
    const double* hi
    double* factor  # n x n: the matrix of the rows inside, factored
    double* right
    double* large  # the complementarity problem: rows x rows
    double* large_b
    double* large_z
    double* large_y
    int* large_cone
    int* state  # n: -1 at lo, 0 inside, 1 at hi
    int* index  # n: the rows inside
    int* pivot
    int* moving  # n: rows with lo < hi, in order; the first rows of ``large``
    int* capped  # n: those with two finite bounds; each adds a row to ``large``

cdef size_t box_work_size(int n, int two_sided) noexcept nogil
"""Bytes for problems of at most ``n`` rows, at most ``two_sided`` of them with two bounds."""

cdef void box_work_init(BoxWork* work, void* memory, int n, int two_sided) noexcept nogil
"""Lay out ``work`` over ``memory`` (aligned for doubles), which the caller owns."""

cdef int box_solve(
    int n,
    const double* a,
    const double* b,
    const double* lo,
    const double* hi,
    double* z,
    double* y,
    BoxWork* work,
    MlcpInfo* info,
) noexcept nogil
"""Solve the problem; returns ``info.status``, an ``MlcpStatus``.

On entry ``z`` (n) is a guess: a row is taken to be at the bound that z meets or passes,
otherwise inside. On return z is within its bounds and the signs and zeros of ``y`` are
exact. Where z is not unique (``info.rank_deficiency`` > 0) and A is semidefinite, z is the
solution nearest to its lower bounds (the upper ones where these are infinite, zero where
both are), whatever the guess; only where a multiplier is zero to rounding may the guess
decide which of the solutions is taken for the only one.
"""
