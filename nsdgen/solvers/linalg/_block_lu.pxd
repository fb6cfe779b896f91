# cython: language_level=3
"""LU of a block-sparse matrix of symmetric pattern, callable from nogil code.

The matrix has ``n`` block rows and columns of sizes ``size[k]`` (1 to some ten). It is
factored in the order given, without exchanges between block rows, with exchanges inside
each diagonal block: meant for matrices whose symmetric part is positive definite, as
those of contacts are once they are shifted, where no exchanges are needed. A pivot block
that is singular all the same ends the factorisation.

Rows are eliminated one after the other (up-looking), along the elimination tree, so that
the work is that of the nonzero blocks of L and U. Use: ``block_lu_init`` once;
``block_lu_analyse`` whenever the pattern changed; for each set of values fill the matrix
by ``BlockRows`` and call ``block_lu_factor``; ``block_lu_solve`` any number of times;
``block_lu_free``. Memory grows where it must and is kept.
"""

ctypedef void (*fill_row)(void *matrix, int k, double *work, const int *first) noexcept nogil
# Write block row k (in elimination order): block (k, j), j in the pattern, is size[k] x size[j],
# row-major, at work + size[k] * first[j]. It is zero on entry.

cdef struct BlockLU:
    int n, rows
    int deficiency  # pivots that ``small`` says are zero but for the shift
    int even  # the size of all block rows, 1 to 3, or 0: larger, or they differ
    int truncate  # given: whether unknowns with such a pivot are left at zero
    int *size
    int *first  # n + 1: first row of each block row
    int *lower_start  # n + 1: blocks of L, row by row
    int *lower  # their columns
    size_t *lower_place
    int *upper_start  # n + 1: blocks of U beyond the diagonal, row by row
    int *upper
    size_t *upper_place
    size_t *own_place
    double *lower_value
    double *upper_value
    double *own_value  # inverses of the diagonal blocks of U
    double *work
    # private
    int *parent
    int *mark
    int *path
    int room_nodes, room_lower, largest
    size_t room_rows, room_lower_value, room_own_value, room_work

cdef void block_lu_init(BlockLU *f) noexcept nogil
"""An empty factorisation."""

cdef void block_lu_free(BlockLU *f) noexcept nogil
"""Give all memory back."""

cdef int block_lu_reserve(BlockLU *f, int n) noexcept nogil
"""Room for n block rows, so that ``size`` may be filled in; 0, or -1 without memory."""

cdef int block_lu_analyse(BlockLU *f, int n, const int *start, const int *column) noexcept nogil
"""The pattern of L and U; ``f.size`` (n) has been filled in.

The blocks of row k are ``column[start[k]]`` ... ``column[start[k + 1] - 1]``, in elimination
order; the pattern must be symmetric, columns outside 0 ... n - 1 and the diagonal are
ignored. Returns 0, or -1 without memory.
"""

cdef int block_lu_factor(BlockLU *f, fill_row fill, void *matrix, double small) noexcept nogil
"""Factor the matrix that ``fill`` writes row by row; 0, or 1 + the block row of a singular pivot.

``deficiency`` counts the pivots below ``small``.
"""

cdef void block_lu_solve(const BlockLU *f, double *x) noexcept nogil
"""Overwrite ``x`` (rows) by the solution for the right-hand side in it."""

cdef void block_lu_solve_many(const BlockLU *f, double *x, int columns, int begin) noexcept nogil
"""The same for ``columns`` right-hand sides, ``x`` (rows, columns), zero before block row ``begin``."""
