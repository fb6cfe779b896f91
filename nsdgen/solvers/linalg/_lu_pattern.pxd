"""What a sparse LU is kept in: its arrays, their room, and W by columns, whose entries share places where they coincide."""

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
