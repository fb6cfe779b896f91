"""The arrays of a one-step problem over an interaction graph: made, enlarged, given back."""


cdef void one_step_init(OneStep *w) noexcept nogil:
    memset(w, 0, sizeof(OneStep))
    w.tolerance = 1e-8
    w.regular = SHIFT
    w.reach = WARM
    w.changed = w.relaid = 1  # nothing is known of a graph yet
    block_lu_init(&w.lu)


cdef int _resize(OneStep *w, int nodes, int rows, int blocks) noexcept nogil:
    """Room for so many of each, nothing where that is 0; 0, or -1 without memory."""
    return (
        resize_ints(nodes, &w.row, &w.start, &w.order, &w.position, &w.node, &w.lu_start, &w.island, &w.kinds,
                    &w.undetermined.count, &w.undetermined.turning, &w.undetermined.still)
        | resize_doubles(rows, &w.b, &w.z, &w.y, &w.scale, &w.grain, &w.f, &w.rho, &w.stiffness, &w.unit, &w.shift, &w.move,
                         &w.best, &w.guess, &w.center, &w.way, &w.asked, &w.found)
        | resize_doubles(2 * rows, &w.scratch, &w.bound) | resize_ints(rows, &w.cone, &w.undetermined.at)
        | resize_doubles(MAX_DIM * rows, &w.undetermined.change) | resize_ints(blocks, &w.column, &w.lu_column)
        | resize(nodes, sizeof(size_t), &w.own) | resize(nodes, sizeof(uint64_t), &w.undetermined.cases)
        | resize(nodes, sizeof(uint64_t), &w.undetermined.directions)
        | resize(blocks, sizeof(size_t), &w.place)
    )


cdef void one_step_free(OneStep *w) noexcept nogil:
    _resize(w, 0, 0, 0)
    free_all(w.value, w.by_r, w.by_u, w.kept_r, w.kept_u, w.entry)
    sparse_lu_free(&w.mixed_lu)
    block_lu_free(&w.lu)
    one_step_init(w)


cdef int one_step_reserve(OneStep *w, int n, int rows, int blocks, size_t values) noexcept nogil:
    if n + 1 > w.room_n or rows > w.room_rows or blocks > w.room_blocks:
        n = max(n + 1, 2 * w.room_n) if n + 1 > w.room_n else w.room_n
        rows = max(rows, 2 * w.room_rows) if rows > w.room_rows else max(w.room_rows, 1)
        blocks = max(blocks, 2 * w.room_blocks) if blocks > w.room_blocks else max(w.room_blocks, 1)
        if _resize(w, n, rows, blocks):
            return -1
        w.room_n, w.room_rows, w.room_blocks = n, rows, blocks
    if values > w.room_values:
        values = max(values, 2 * w.room_values)
        if resize_doubles(values, &w.value):
            return -1
        w.room_values = values
    return 0
