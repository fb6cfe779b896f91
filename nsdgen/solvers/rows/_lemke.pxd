# cython: language_level=3
"""Complementary pivoting for mixed linear complementarity problems: the cold start.

Find z with y = A z + b, y_i = 0 where ``cone[i] == 0`` (z_i free) and
0 <= y_i, 0 <= z_i, y_i z_i = 0 where ``cone[i] == 1``. No guess is used, so that the
result depends on A and b alone.
"""

cdef int pivot_limit(int n) noexcept nogil
"""The most exchanges of one path with n complementarity rows."""

cdef size_t pivot_work_doubles(int n) noexcept nogil
cdef size_t pivot_work_ints(int n) noexcept nogil
"""Numbers of doubles of ``work`` and of ints of ``iwork`` that ``pivot_solve`` needs."""

cdef int pivot_solve(
    int n,
    const double* a,
    const double* b,
    const int* cone,
    double* z,
    int* active,
    double* work,
    int* iwork,
    int* pivots,
    int* bad_row,
) noexcept nogil
"""Solve the problem. a: n x n row-major; b, cone, z, active: n entries.

A ``PivotVerdict`` (``_equality_pivots.pxd``). PIVOT_SOLVED: ``z`` is the solution, ``active`` is 1 where y_i = 0 by construction
(equality rows and basic z_i), else 0. Both carry the roundings of the pivots; the
caller solves on the active set again.

PIVOT_RAY: ``z`` is the direction of the ray. For a positive semidefinite A it proves
that the rows cannot be met: A^T z <= 0, b . z < 0.

PIVOT_INCONSISTENT: ``bad_row[0]`` is the first equality row that contradicts others.

Otherwise z is 0. ``pivots[0]`` is increased by the number of exchanges.
"""

cdef int pivot_solve_from(
    int start,
    int n,
    const double* a,
    const double* b,
    const int* cone,
    double* z,
    int* active,
    double* work,
    int* iwork,
    int* pivots,
    int* bad_row,
) noexcept nogil
"""``pivot_solve`` by one path from another complementary basis, that of ``start`` = 1, 2, ...

For matrices that are not semidefinite: where all paths from z = 0 end on rays, others may
arrive. PIVOT_BLOCKED where ``start`` names no other basis; a ray proves nothing here.
"""
