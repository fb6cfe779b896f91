"""The rows of one node solved for its own multipliers, all others given: what sweeps do at each node."""

cdef enum:
    MOST_ROWS = 5

cdef void solve_own_rows(
    int m, const int *cone, const double *bound, const double *own, double *u, double *z
) noexcept nogil
"""Block after block of the m rows, each exactly. ``own`` (m x m), ``bound`` two for each row.

``z`` (m) are multipliers, ``u`` (m) what y is with them; both are brought up to date.
"""
