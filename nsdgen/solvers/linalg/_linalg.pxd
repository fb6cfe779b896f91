# cython: language_level=3
"""What other units take of this one."""

cdef enum:
    STACKED = 2048  # doubles: up to here the stack has them, which takes less time than to ask for memory

cdef const double* plain_doubles(object value, int dimensions, Py_ssize_t* shape) noexcept
"""The numbers of an array that is nothing else, with so many dimensions, at most two, and its ``shape``; NULL for all else.

They are there as long as the array is, which the caller holds.
"""

cdef object new_doubles(Py_ssize_t n, double** numbers)
"""An array (n,) of doubles that are not set, and where they are."""

cdef bint fill_rows(object data, object indices, object indptr, int n, double* matrix) except -1
"""The sums of compressed rows into ``matrix`` (n, n); False where they are not plain, or point outside."""

cdef void two_sided_scale(int n, const double* a, double* row, double* column) noexcept nogil
"""Powers of two R, C (n entries each) that bring rows and columns of R A C near maximum 1."""

cdef int lu_factor(int n, double* a, int* pivot) noexcept nogil
"""Factor ``a`` (n x n) in place as P L U with scaled partial pivoting.

On return the strict lower triangle holds L (unit diagonal), the rest U, and
``pivot[k]`` (n entries) is the row exchanged with row ``k`` at stage ``k``.

Returns 0, or 1 + the column whose best pivot is zero to within rounding relative to
the magnitudes of its row and column (also where the data are not finite); ``a`` is
then half factored and of no use. Allocates only for n > 256; -1 if that fails.
"""

cdef int lu_factor_regular(int n, double* a, int* pivot) noexcept nogil
"""The same, and n where rank is lost though no pivot is zero: for those who decide whether a solution is the only one."""

cdef void lu_solve(int n, const double* lu, const int* pivot, double* b, int nrhs) noexcept nogil
"""Overwrite ``b`` (n x nrhs) with the solution X of A X = b, from ``lu_factor``."""

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

cdef void sparse_lu_forward(const SparseLU *f, const double *b, double *x) noexcept nogil
"""x = L^-1 P b (n, by steps). From ``rank`` on: b of the border less what the pivots explain of it."""

cdef void sparse_lu_backward(const SparseLU *f, double *x, double *w) noexcept nogil
"""w = Q U^-1 x, where x holds the unknowns of the border from ``rank`` on; x is used up."""

cdef void sparse_lu_null_vectors(const SparseLU *f, double *x) noexcept nogil
"""A basis of the null space of W, by steps: row j of ``x`` (n x (n - rank)) belongs to unknown ``pivot_column[j]``."""

cdef void sparse_lu_forward_transposed(const SparseLU *f, const double *c, double *x) noexcept nogil
"""x = U^-T Q^T c (n, by steps). From ``rank`` on: what the unknowns of the border add to c . w."""

cdef void sparse_lu_backward_transposed(const SparseLU *f, double *x, double *t) noexcept nogil
"""t = P^T L^-T x for the pivots alone: t . b is c . w for W w = b without the border; x is used up."""

cdef enum SparseLUStatus:
    SPARSE_LU_OK = 0
    SPARSE_LU_NONFINITE = 1
    SPARSE_LU_INACCURATE = 2  # with the largest pivots, too
    SPARSE_LU_NO_MEMORY = 3

cdef int sparse_lu_factor(SparseLU *f) noexcept nogil
"""Factor W; a ``SparseLUStatus``."""

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

# Write block row k (in elimination order): block (k, j), j in the pattern, is size[k] x size[j],
# row-major, at work + size[k] * first[j]. It is zero on entry. Given back: the units of its rows, powers of two in which
# entries (i, j) times unit j / unit i may be compared, or NULL: they are all of one.
ctypedef const double *(*fill_row)(void *matrix, int k, double *work, const int *first) noexcept nogil

cdef int block_lu_factor(BlockLU *f, fill_row fill, void *matrix, double small) noexcept nogil
"""Factor the matrix that ``fill`` writes row by row; 0, or 1 + the block row of a singular pivot.

``deficiency`` counts the pivots below ``small``.
"""

cdef void block_lu_solve(const BlockLU *f, double *x) noexcept nogil
"""Overwrite ``x`` (rows) by the solution for the right-hand side in it."""

cdef void block_lu_solve_many(const BlockLU *f, double *x, int columns, int begin) noexcept nogil
"""The same for ``columns`` right-hand sides, ``x`` (rows, columns), zero before block row ``begin``."""

cdef struct TreeFactors:
    int n
    int held  # the factors at hand are these
    const int *start  # n + 1: where the ancestors of a row begin
    const int *ancestor  # ascending
    double *lower  # row i of L at the places of its ancestors
    double *diagonal  # D

cdef bint tree_factor(TreeFactors *f, const double *a) noexcept nogil
"""Factor ``a`` (n x n, row-major): whether it is symmetric to the bit and its pivots are clearly positive."""

cdef void tree_solve(const TreeFactors *f, double *b, int columns) noexcept nogil
"""Overwrite ``b`` (n x columns) with A^-1 b."""

cdef size_t min_norm_work_size(int n) noexcept nogil
"""Number of doubles of ``work`` that ``min_norm_solve`` needs."""

cdef int min_norm_solve(
    int n, const double* a, int lda, const double* b, double* x, double* work, int* iwork, double* residual
) noexcept nogil
"""Least-norm solution of the square, possibly singular system A x = b.

``a`` is n x n with leading dimension ``lda``, ``b`` and ``x`` have n entries and may
be the same array, ``work`` has ``min_norm_work_size(n)`` doubles, ``iwork`` n ints.

Returns the numerical rank. ``residual`` receives the part of ``b`` outside the range
of A, relative to ``b``, rows weighted by their own magnitude: at rounding level where
the system is consistent.
"""

cdef int numerical_rank(int n, const double* a, int lda, double* work, int* iwork) noexcept nogil
"""The rank of A (n x n, leading dimension ``lda``) as ``min_norm_solve`` decides it, with its work space."""

cdef int null_vectors(
    int n, const double* A, const double* unit, double least, double* basis, double* a, int* order
) noexcept nogil
"""Orthonormal vectors that A makes zero, as the columns of (n, k); k.

``unit`` (n) scales rows and columns; no more than ``least`` is then zero. ``order`` (n), ``a`` (n (n + 1)): scratch.
"""

cdef double NO_PIVOT

cdef int reduce_rows(
    int n, double* a, double least, double share, bint above, int* order, double* largest
) noexcept nogil
"""The rank of ``a`` (n x n), eliminated in place; ``above`` the pivots, too: the unit matrix is then in the first columns.

What is left is zero where it is no more than ``least``, or this share of the largest entry. Column i is column ``order[i]`` (n)
of what was given; ``largest`` (n): scratch.
"""
