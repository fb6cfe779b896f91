"""The arrays of a one-step problem over an interaction graph: made, enlarged, given back."""


cdef void one_step_init(OneStep *w) noexcept nogil:
    memset(w, 0, sizeof(OneStep))
    w.tolerance = 1e-8
    w.regular = SHIFT
    w.reach = WARM
    w.changed = w.relaid = 1  # nothing is known of a graph yet
    block_lu_init(&w.lu)
    block_lu_init(&w.undetermined.lu)


cdef void one_step_free(OneStep *w) noexcept nogil:
    free(w.row)
    free(w.start)
    free(w.column)
    free(w.place)
    free(w.value)
    free(w.order)
    free(w.cone)
    free(w.bound)
    free(w.b)
    free(w.z)
    free(w.y)
    free(w.scale)
    free(w.f)
    free(w.rho)
    free(w.stiffness)
    free(w.shift)
    free(w.move)
    free(w.best)
    free(w.guess)
    free(w.center)
    free(w.scratch)
    free(w.way)
    free(w.own)
    free(w.by_r)
    free(w.by_u)
    free(w.kept_r)
    free(w.kept_u)
    free(w.position)
    free(w.node)
    free(w.lu_start)
    free(w.lu_column)
    free(w.island)
    free(w.kinds)
    free(w.entry)
    free(w.undetermined.count)
    free(w.undetermined.columns)
    free(w.undetermined.width)
    free(w.undetermined.position)
    free(w.undetermined.node)
    free(w.undetermined.start)
    free(w.undetermined.neighbour)
    sparse_lu_free(&w.mixed_lu)
    block_lu_free(&w.undetermined.lu)
    block_lu_free(&w.lu)
    one_step_init(w)


cdef int one_step_reserve(OneStep *w, int n, int rows, int blocks, size_t values) noexcept nogil:
    cdef int room, lost = 0
    if n + 1 > w.room_n:
        room = max(n + 1, 2 * w.room_n)
        lost |= grow_ints(&w.row, room) | grow_ints(&w.start, room) | grow_ints(&w.order, room)
        lost |= grow_ints(&w.position, room) | grow_ints(&w.node, room) | grow_ints(&w.lu_start, room)
        lost |= grow_ints(&w.island, room) | grow_ints(&w.kinds, room) | grow_ints(&w.undetermined.count, room)
        lost |= grow_ints(&w.undetermined.width, room) | grow_ints(&w.undetermined.position, room)
        lost |= grow_ints(&w.undetermined.node, room) | grow_ints(&w.undetermined.start, room)
        lost |= grow(<void **> &w.undetermined.columns, room, sizeof(uint64_t))
        lost |= grow(<void **> &w.own, room, sizeof(size_t))
        if lost:
            return -1
        w.room_n = room
    if rows > w.room_rows:
        room = max(rows, 2 * w.room_rows)
        lost |= grow_doubles(&w.b, room) | grow_doubles(&w.z, room) | grow_doubles(&w.y, room)
        lost |= grow_doubles(&w.scale, room) | grow_doubles(&w.f, room) | grow_doubles(&w.rho, room)
        lost |= grow_doubles(&w.stiffness, room)
        lost |= grow_doubles(&w.shift, room) | grow_doubles(&w.move, room) | grow_doubles(&w.best, room)
        lost |= grow_doubles(&w.guess, room) | grow_doubles(&w.center, room)
        lost |= grow_doubles(&w.scratch, 2 * room) | grow_doubles(&w.way, room)
        lost |= grow_doubles(&w.bound, 2 * room) | grow_ints(&w.cone, room)
        if lost:
            return -1
        w.room_rows = room
    if blocks > w.room_blocks:
        room = max(blocks, 2 * w.room_blocks)
        lost |= grow_ints(&w.column, room) | grow_ints(&w.lu_column, room)
        lost |= grow_ints(&w.undetermined.neighbour, room)
        lost |= grow(<void **> &w.place, room, sizeof(size_t))
        if lost:
            return -1
        w.room_blocks = room
    if values > w.room_values:
        values = max(values, 2 * w.room_values)
        if grow_doubles(&w.value, values):
            return -1
        w.room_values = values
    return 0
