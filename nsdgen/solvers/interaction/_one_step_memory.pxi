"""The arrays of a one-step problem over an interaction graph: made, enlarged, given back."""


cdef void one_step_init(OneStep *w) noexcept nogil:
    memset(w, 0, sizeof(OneStep))
    w.tolerance = 1e-8
    w.regular = SHIFT
    w.reach = WARM
    w.changed = w.relaid = 1  # nothing is known of a graph yet
    block_lu_init(&w.lu)
    block_lu_init(&w.undetermined.lu)


cdef int _resize(OneStep *w, int nodes, int rows, int blocks) noexcept nogil:
    """Room for so many of each, nothing where that is 0; 0, or -1 without memory."""
    cdef int **of_nodes[13]
    cdef double **of_rows[14]
    cdef int **of_blocks[3]
    of_nodes[:] = [
        &w.row, &w.start, &w.order, &w.position, &w.node, &w.lu_start, &w.island, &w.kinds, &w.undetermined.count,
        &w.undetermined.width, &w.undetermined.position, &w.undetermined.node, &w.undetermined.start,
    ]
    of_rows[:] = [
        &w.b, &w.z, &w.y, &w.scale, &w.grain, &w.f, &w.rho, &w.stiffness, &w.shift, &w.move, &w.best, &w.guess, &w.center,
        &w.way,
    ]
    of_blocks[:] = [&w.column, &w.lu_column, &w.undetermined.neighbour]
    cdef double **of_sides[2]
    of_sides[:] = [&w.scratch, &w.bound]
    cdef int **cone = &w.cone
    return (
        resize_ints(of_nodes, 13, nodes) | resize_doubles(of_rows, 14, rows) | resize_doubles(of_sides, 2, 2 * rows)
        | resize_ints(&cone, 1, rows) | resize_ints(of_blocks, 3, blocks)
    )


cdef void one_step_free(OneStep *w) noexcept nogil:
    _resize(w, 0, 0, 0)
    free(w.place)
    free(w.value)
    free(w.own)
    free(w.by_r)
    free(w.by_u)
    free(w.kept_r)
    free(w.kept_u)
    free(w.entry)
    free(w.undetermined.columns)
    sparse_lu_free(&w.mixed_lu)
    block_lu_free(&w.undetermined.lu)
    block_lu_free(&w.lu)
    one_step_init(w)


cdef int one_step_reserve(OneStep *w, int n, int rows, int blocks, size_t values) noexcept nogil:
    if n + 1 > w.room_n or rows > w.room_rows or blocks > w.room_blocks:
        n = max(n + 1, 2 * w.room_n) if n + 1 > w.room_n else w.room_n
        rows = max(rows, 2 * w.room_rows) if rows > w.room_rows else max(w.room_rows, 1)
        blocks = max(blocks, 2 * w.room_blocks) if blocks > w.room_blocks else max(w.room_blocks, 1)
        if (_resize(w, n, rows, blocks) or grow(<void **> &w.own, n, sizeof(size_t))
                or grow(<void **> &w.undetermined.columns, n, sizeof(uint64_t))
                or grow(<void **> &w.place, blocks, sizeof(size_t))):
            return -1
        w.room_n, w.room_rows, w.room_blocks = n, rows, blocks
    if values > w.room_values:
        values = max(values, 2 * w.room_values)
        if grow_doubles(&w.value, values):
            return -1
        w.room_values = values
    return 0
