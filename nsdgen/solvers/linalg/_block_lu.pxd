"""LU of a block-sparse matrix of symmetric pattern, callable from nogil code.

The matrix has ``n`` block rows and columns of sizes ``size[k]`` (1 to some ten). It is
factored in the order given, without exchanges between block rows, with exchanges inside
each diagonal block: meant for matrices whose symmetric part is positive definite, as
those of contacts are once they are shifted, where no exchanges are needed. A pivot block
that is singular all the same ends the factorisation.

Rows are eliminated one after the other (up-looking), along the elimination tree, so that
the work is that of the nonzero blocks of L and U. Use: ``block_lu_init`` once;
``block_lu_analyse`` whenever the pattern changed (``_block_pattern.pxd``); for each set of values fill the matrix
by ``BlockRows`` and call ``block_lu_factor``; ``block_lu_solve`` any number of times;
``block_lu_free``. Memory grows where it must and is kept.
"""


ctypedef void (*fill_row)(void *matrix, int k, double *work, const int *first) noexcept nogil
# Write block row k (in elimination order): block (k, j), j in the pattern, is size[k] x size[j],
# row-major, at work + size[k] * first[j]. It is zero on entry.

cdef int block_lu_factor(BlockLU *f, fill_row fill, void *matrix, double small) noexcept nogil
"""Factor the matrix that ``fill`` writes row by row; 0, or 1 + the block row of a singular pivot.

``deficiency`` counts the pivots below ``small``.
"""

cdef void block_lu_solve(const BlockLU *f, double *x) noexcept nogil
"""Overwrite ``x`` (rows) by the solution for the right-hand side in it."""

cdef void block_lu_solve_many(const BlockLU *f, double *x, int columns, int begin) noexcept nogil
"""The same for ``columns`` right-hand sides, ``x`` (rows, columns), zero before block row ``begin``."""
