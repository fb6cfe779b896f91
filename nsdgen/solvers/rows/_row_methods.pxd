# cython: language_level=3
"""What other units take of this one."""

from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork

cdef size_t mlcp_work_size(int n) noexcept nogil
"""Bytes of memory that problems of size up to ``n`` need."""

cdef void mlcp_work_init(MlcpWork* work, void* memory, int n) noexcept nogil
"""Lay out ``work`` over ``memory`` (``mlcp_work_size(n)`` bytes, aligned for doubles).

The caller owns the memory and keeps it as long as ``work`` is used.
"""

cdef int mlcp_solve(
    int n, const double* A, const double* b, const int* cone, double* z, double* y, MlcpWork* work, MlcpInfo* info
) noexcept nogil
"""Solve the problem; returns ``info.status``. ``A``, ``b``, ``cone`` are only read.

On entry ``z`` (n) is a guess, of which only the signs matter: z_i > 0 on a
complementarity row says that the row is active. Zeros are a fine guess.

On return ``z`` and ``y`` (n) satisfy z_i >= 0, y_i >= 0 and z_i y_i = 0 exactly on
complementarity rows and y_i = 0 on equality rows; ``info.residual``, computed from A, b
and z alone, says how well y = A z + b holds: the violation of row i divided by
|b_i| + sum_j |A_ij z_j|, so that the units of rows and of z do not matter.

Where z is not unique (``info.rank_deficiency`` > 0, as ``open_rows`` counts, where it does not |J| - rank(A_JJ), with J
the equality rows, the positive z_i and the rows with z_i = y_i = 0) it is the solution of least Euclidean norm, whatever the guess. For a matrix
that is not semidefinite, isolated solutions may differ with the guess, and the norm is least among
those on the same rows only.

On failure ``z`` is the last iterate, clipped to its sign conditions, and y = A z + b.
"""

cdef enum:
    MOST_SIDED = 48  # rows, changes, or bounds of ``closed_changes``

cdef int closed_changes(
    int n, const double* A, int k, const double* F, bint leading, int m, const double* S
) noexcept nogil
"""How many of the dimensions of {d: A F d = 0}, A (n x n), F (n x k), have S F d >= 0 for no d but 0.

With ``leading`` E^T A F in place of A F, E the first entry of each column of F.

``S`` has 2 m rows of n: each bound, and behind it what is 0 where that is, or zeros. 0 where there are more than ``MOST_SIDED``.
"""

cdef int open_rows(
    int n, const double* A, const double* b, const double* low, const double* high, const double* z, const double* y
) noexcept nogil
"""In how many directions other solutions lie beside the solution ``z``, with y = A z + b and z between its bounds.

-1 where that depends on which of several ways is taken, which problems that are not monotone have, and of more than
``MOST_SIDED`` rows.
"""

cdef int monotone_changes(int n, const double* A, const double* low, const double* high, double* basis) noexcept nogil
"""Changes by which solutions may differ, whatever b is, into the columns of ``basis`` (n, k); k, -1: not monotone."""

cdef struct Share:
    # A bound of multipliers: constant + slope z_load - |q| >= 0, q the multipliers of ``width`` rows from ``row`` on, or
    # sign z_row where that is one; load -1: none.
    double constant, slope, sign, size  # size: of what it bounds, where there is no load
    int load, row, width

cdef int bounded_shares(int n, const double* A, double* z, int m, const Share* bound) noexcept nogil
"""Replace ``z`` (n) by what A (n x n) does not tell from it, within ``m`` bounds: the shortest, a hair within them.

Where none is within all of them those that none can meet are missed by as little as can be. The dimension of all that
lie within, -1 where z is left as it was: A tells it from all others, or there are too many rows.
"""
