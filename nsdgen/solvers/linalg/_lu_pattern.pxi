"""What a sparse LU is kept in: its arrays, their room, and W by columns, whose entries share places where they coincide."""


cdef void sparse_lu_init(SparseLU *f) noexcept nogil:
    memset(f, 0, sizeof(SparseLU))


cdef void sparse_lu_free(SparseLU *f) noexcept nogil:
    free_all(f.start, f.lower_start, f.upper_start, f.position, f.pivot_row, f.pivot_column, f.order, f.mark, f.reach, f.stack,
             f.diagonal, f.row_scale, f.column_scale, f.work, f.kept, f.proof, f.row, f.value, f.lower_row, f.lower, f.upper_row,
             f.upper)
    sparse_lu_init(f)


# ------------------------------------------------------------------------------ pattern


cdef int _reserve(SparseLU *f, size_t n, size_t count) noexcept nogil:
    if n > f.room or f.start == NULL:
        if (resize_ints(n + 1, &f.start, &f.lower_start, &f.upper_start, &f.position, &f.pivot_row, &f.pivot_column,
                        &f.order, &f.mark, &f.reach)
                or resize_doubles(max(n, 1), &f.diagonal, &f.row_scale, &f.column_scale, &f.work, &f.kept, &f.proof)
                or resize_ints(2 * max(n, 1), &f.stack)):
            return -1
        f.room = n
    if count > f.room_entries or f.row == NULL:
        if resize_ints(max(count, 1), &f.row) or resize_doubles(max(count, 1), &f.value):
            return -1
        f.room_entries = count
    return 0


cdef int sparse_lu_pattern(SparseLU *f, int n, int count, const int *row, const int *column, const int *order,
                           int *place) noexcept nogil:
    cdef int *by_row = NULL
    cdef int i
    if _reserve(f, n, count) or resize_ints(count, &by_row):
        return -1
    f.n = n
    f.known = 0
    for i in range(n):
        f.order[i] = i if order == NULL else order[i]
    _sort(n, count, row, NULL, f.mark, by_row)
    _sort(n, count, column, by_row, f.mark, place)
    _merge(f, count, row, column, place, by_row)
    free(by_row)
    return 0


cdef void _sort(int n, int count, const int *key, const int *before, int *first, int *after) noexcept nogil:
    """Entries in the order of their keys, 0 ... n - 1; equal ones as they stood in ``before`` (or by number)."""
    cdef int i, e, next = 0, held
    memset(first, 0, n * sizeof(int))
    for e in range(count):
        first[key[e]] += 1
    for i in range(n):
        held = first[i]
        first[i] = next
        next += held
    for i in range(count):
        e = i if before == NULL else before[i]
        after[first[key[e]]] = e
        first[key[e]] += 1


cdef void _merge(SparseLU *f, int count, const int *row, const int *column, int *place, int *sorted_) noexcept nogil:
    """W by columns from its entries in order (``place`` on entry), which share places where they coincide."""
    cdef int i, e, k = -1, last = -1
    for i in range(count):
        sorted_[i] = place[i]
    memset(f.start, 0, (f.n + 1) * sizeof(int))
    for i in range(count):
        e = sorted_[i]
        if last < 0 or row[e] != row[last] or column[e] != column[last]:
            k += 1
            f.row[k] = row[e]
            f.start[column[e] + 1] += 1
        place[e] = k
        last = e
    for i in range(f.n):
        f.start[i + 1] += f.start[i]


cdef void sparse_lu_clear(SparseLU *f) noexcept nogil:
    memset(f.value, 0, f.start[f.n] * sizeof(double))
