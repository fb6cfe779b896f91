"""Complementary pivoting for mixed linear complementarity problems: the cold start.

Find z with y = A z + b, y_i = 0 where ``cone[i] == 0`` (z_i free) and
0 <= y_i, 0 <= z_i, y_i z_i = 0 where ``cone[i] == 1``. No guess is used, so that the
result depends on A and b alone.
"""

from nsdgen.solvers.rows._mlcp_work cimport MlcpWork

cdef int pivot_limit(int n) noexcept nogil
"""The most exchanges of one path with n complementarity rows."""

cdef int pivot_solve(MlcpWork* work, const double* a, int start, int* bad_row) noexcept nogil
"""Solve the problem bound to ``work`` with a matrix ``a`` (n x n), its own or a shifted one.

Returns a ``PivotVerdict`` (``_equality_pivots.pxd``). PIVOT_SOLVED: ``work.z`` is the solution,
``work.active`` is 1 where y_i = 0 by construction (equality rows and basic z_i), else 0. Both carry the
roundings of the pivots; the caller solves on the active set again.

PIVOT_RAY: ``work.z`` is the direction of the ray. For a positive semidefinite A it proves
that the rows cannot be met: A^T z <= 0, b . z < 0.

PIVOT_INCONSISTENT: ``bad_row[0]`` is the first equality row that contradicts others.

Otherwise z is 0. ``work.pivots`` is increased by the number of exchanges.

With ``start`` = 1, 2, ... one path from another complementary basis than that of z = 0. For matrices that
are not semidefinite: where all paths from z = 0 end on rays, others may arrive. PIVOT_BLOCKED where
``start`` names no other basis; a ray proves nothing there.
"""
