"""Scales of the rows and columns of dense row-major matrices, callable from nogil code."""

cdef void equilibrate(int n, const double* a, int lda, double* row, double* column) noexcept nogil
"""Reciprocal row maxima, then column maxima of the row-scaled matrix (0 for a zero row).

``a`` is n x n with leading dimension ``lda``; ``row`` and ``column`` have n entries.
"""

cdef void two_sided_scale(int n, const double* a, double* row, double* column) noexcept nogil
"""Powers of two R, C (n entries each) that bring rows and columns of R A C near maximum 1."""
