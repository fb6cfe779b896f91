"""Principal pivots for the equality rows of a dictionary, before Lemke's method (``_lemke.pxi``) takes the rest.

All y of equality rows are zero and all their z are free, so that any such y may be
exchanged with any such z. Rows and columns where that has yet to happen are pending.
"""


cdef extern from *:
    """
    static const double WEAK_PIVOT = 1e-7;  /* of equality rows: prefer a pair with a complementarity row */
    """
    const double WEAK_PIVOT

cdef enum PivotVerdict:
    PIVOT_SOLVED = 0
    PIVOT_RAY = 1  # Lemke's method left along a ray
    PIVOT_INCONSISTENT = 2  # the equality rows contradict each other
    PIVOT_BLOCKED = 3  # the equality rows cannot be eliminated by complementary pivots
    PIVOT_LIMIT = 4  # too many pivots

cdef int exchange_equalities(Dictionary* d, int* bad_row) noexcept nogil
"""Exchange the y of the equality rows for their z, with complete pivoting; a ``PivotVerdict``."""
