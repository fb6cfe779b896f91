# cython: language_level=3
"""Sparse LU with threshold pivoting, one pattern and many sets of values, callable from nogil code.

P W Q = L U column by column (Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9, 1988). The first
factorisation chooses the pivots and finds the patterns of L and U; as long as these pivots stay
good, later ones only compute values and allocate nothing. Every factorisation is proved on one
system of equations; one that is inaccurate chooses its pivots again, the largest ones.

A column without a pivot, to within rounding, is set aside. With ``rank`` < n

    P W Q = [L11  0] [U11  U12]      the last n - rank rows and columns are the *border*:
            [L21  I] [ 0    0 ]      unknowns that W alone does not determine.

Use: ``sparse_lu_init``; ``sparse_lu_pattern`` where the pattern is new; for each set of values fill
``value`` (``clear``, then add each entry at its place) and call ``sparse_lu_factor``; solve any
number of times; ``sparse_lu_free``.
"""

cdef enum SparseLUStatus:
    SPARSE_LU_OK = 0
    SPARSE_LU_NONFINITE = 1
    SPARSE_LU_INACCURATE = 2  # with the largest pivots, too
    SPARSE_LU_NO_MEMORY = 3

cdef struct SparseLU:
    int n, rank
    int *start  # n + 1: W by columns
    int *row
    double *value
    # results: steps of the elimination are numbered 0 ... rank - 1, then comes the border
    int *position  # of each row: its step
    int *pivot_row  # of each step
    int *pivot_column
    # private
    int *order  # columns as they are tried
    int *lower_start  # n + 1: L by columns without its diagonal; rows are steps
    int *lower_row
    double *lower
    int *upper_start  # n + 1: U by columns without its diagonal
    int *upper_row
    double *upper
    double *diagonal
    double *row_scale
    double *column_scale
    double *work
    double *kept
    double *proof
    int *mark
    int *stack
    int *reach
    int known  # pivots have been chosen
    size_t room, room_lower, room_upper, room_entries

cdef void sparse_lu_init(SparseLU *f) noexcept nogil
"""An empty factorisation."""

cdef void sparse_lu_free(SparseLU *f) noexcept nogil
"""Give all memory back."""

cdef int sparse_lu_pattern(SparseLU *f, int n, int count, const int *row, const int *column, const int *order,
                           int *place) noexcept nogil
"""Take a pattern of ``count`` entries, several of which may share a place; 0, or -1 without memory.

``place[e]`` (count) says where entry e stands in ``value``. ``order`` (n) lists the columns as they
should be eliminated, NULL: as they are.
"""

cdef void sparse_lu_clear(SparseLU *f) noexcept nogil
"""All values zero, to be added to."""

cdef int sparse_lu_factor(SparseLU *f) noexcept nogil
"""Factor W; a ``SparseLUStatus``."""

cdef void sparse_lu_forward(const SparseLU *f, const double *b, double *x) noexcept nogil
"""x = L^-1 P b (n, by steps). From ``rank`` on: b of the border less what the pivots explain of it."""

cdef void sparse_lu_backward(const SparseLU *f, double *x, double *w) noexcept nogil
"""w = Q U^-1 x, where x holds the unknowns of the border from ``rank`` on; x is used up."""

cdef void sparse_lu_forward_transposed(const SparseLU *f, const double *c, double *x) noexcept nogil
"""x = U^-T Q^T c (n, by steps). From ``rank`` on: what the unknowns of the border add to c . w."""

cdef void sparse_lu_backward_transposed(const SparseLU *f, double *x, double *t) noexcept nogil
"""t = P^T L^-T x for the pivots alone: t . b is c . w for W w = b without the border; x is used up."""
