"""What a block LU is kept in, and the pattern of its factors: that of the elimination tree of a symmetric matrix."""

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
