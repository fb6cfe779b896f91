"""Solutions with the factors of a sparse LU (``_threshold_lu.pxd``), in halves: what a border adds comes in between."""


cdef void sparse_lu_forward(const SparseLU *f, const double *b, double *x) noexcept nogil
"""x = L^-1 P b (n, by steps). From ``rank`` on: b of the border less what the pivots explain of it."""

cdef void sparse_lu_backward(const SparseLU *f, double *x, double *w) noexcept nogil
"""w = Q U^-1 x, where x holds the unknowns of the border from ``rank`` on; x is used up."""

cdef void sparse_lu_forward_transposed(const SparseLU *f, const double *c, double *x) noexcept nogil
"""x = U^-T Q^T c (n, by steps). From ``rank`` on: what the unknowns of the border add to c . w."""

cdef void sparse_lu_backward_transposed(const SparseLU *f, double *x, double *t) noexcept nogil
"""t = P^T L^-T x for the pivots alone: t . b is c . w for W w = b without the border; x is used up."""
