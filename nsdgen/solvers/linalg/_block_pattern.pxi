"""What a block LU is kept in, and the pattern of its factors: that of the elimination tree of a symmetric matrix."""


cdef void block_lu_init(BlockLU *f) noexcept nogil:
    memset(f, 0, sizeof(BlockLU))


cdef void block_lu_free(BlockLU *f) noexcept nogil:
    free_all(f.size, f.first, f.lower_start, f.upper_start, f.parent, f.mark, f.path, f.lower, f.lower_place, f.upper,
             f.upper_place, f.own_place, f.lower_value, f.upper_value, f.own_value, f.work)
    block_lu_init(f)


cdef int block_lu_reserve(BlockLU *f, int n) noexcept nogil:
    if n < f.room_nodes:
        return 0
    n = max(n + 1, 2 * f.room_nodes)
    if (resize_ints(n, &f.size, &f.first, &f.lower_start, &f.upper_start, &f.parent, &f.mark, &f.path)
            or resize(n, sizeof(size_t), &f.own_place)):
        return -1
    f.room_nodes = n
    return 0


cdef int _reserve_lower(BlockLU *f, int count) noexcept nogil:
    cdef int room
    if count <= f.room_lower:
        return 0
    room = max(count, 2 * f.room_lower)
    if resize_ints(room, &f.lower, &f.upper) or resize(room, sizeof(size_t), &f.lower_place, &f.upper_place):
        return -1
    f.room_lower = room
    return 0


# ------------------------------------------------------------------------------ pattern


cdef void _find_parents(BlockLU *f, int n, const int *start, const int *column) noexcept nogil:
    """The elimination tree; ``path`` holds shortcuts to the roots found so far."""
    cdef int i, k, b, up
    for i in range(n):
        f.parent[i] = -1
        f.path[i] = -1
        for b in range(start[i], start[i + 1]):
            k = column[b]
            while 0 <= k < i:
                up = f.path[k]
                f.path[k] = i
                if up < 0:
                    f.parent[k] = i
                    break
                k = up


cdef int _find_rows(BlockLU *f, int n, const int *start, const int *column) noexcept nogil:
    """The blocks of each row of L: what the tree reaches from the blocks of the matrix.

    They are stored so that every block comes before those that its elimination changes.
    """
    cdef int i, k, b, length, count = 0, top
    for i in range(n):
        f.mark[i] = -1
    f.lower_start[0] = 0
    for i in range(n):
        f.mark[i] = i
        if _reserve_lower(f, count + i + 1):
            return -1
        top = n  # the row is collected from the end of ``path``
        for b in range(start[i], start[i + 1]):
            k = column[b]
            length = 0
            while 0 <= k < i and f.mark[k] != i:
                f.path[length] = k
                f.mark[k] = i
                length += 1
                k = f.parent[k]
            while length > 0:
                length -= 1
                top -= 1
                f.path[top] = f.path[length]
        for k in range(top, n):
            f.lower[count] = f.path[k]
            count += 1
        f.lower_start[i + 1] = count
    return 0


cdef int _lay_out(BlockLU *f, int n) noexcept nogil:
    """U's rows from L's columns, and where every block lies."""
    cdef int i, b, j, count = f.lower_start[n]
    cdef size_t place = 0
    f.largest = 1
    f.even = f.size[0] if n and f.size[0] <= 3 else 0
    for i in range(n + 1):
        f.upper_start[i] = 0
    for b in range(count):
        f.upper_start[f.lower[b] + 1] += 1
    f.first[0] = 0
    for i in range(n):
        f.upper_start[i + 1] += f.upper_start[i]
        f.path[i] = f.upper_start[i]
        f.first[i + 1] = f.first[i] + f.size[i]
        f.largest = max(f.largest, f.size[i])
        if f.size[i] != f.even:
            f.even = 0
        f.own_place[i] = place
        place += f.size[i] * f.size[i]
    if place > f.room_own_value:
        f.room_own_value = 2 * place
        if resize_doubles(f.room_own_value, &f.own_value):
            return -1
    place = 0
    for i in range(n):
        for b in range(f.lower_start[i], f.lower_start[i + 1]):
            j = f.lower[b]
            f.lower_place[b] = place
            f.upper[f.path[j]] = i
            f.path[j] += 1
            place += f.size[i] * f.size[j]
    # The blocks of U have the shapes of L's, turned: together the same room.
    place = 0
    for i in range(n):
        for b in range(f.upper_start[i], f.upper_start[i + 1]):
            f.upper_place[b] = place
            place += f.size[i] * f.size[f.upper[b]]
    if place > f.room_lower_value:
        f.room_lower_value = 2 * place
        if resize_doubles(f.room_lower_value, &f.lower_value, &f.upper_value):
            return -1
    f.n, f.rows = n, f.first[n]
    place = <size_t> f.rows * f.largest + 2 * f.largest * f.largest
    if place > f.room_work:
        f.room_work = 2 * place
        if resize_doubles(f.room_work, &f.work):
            return -1
    return 0


cdef int block_lu_analyse(BlockLU *f, int n, const int *start, const int *column) noexcept nogil:
    f.n = f.rows = 0
    _find_parents(f, n, start, column)
    if _find_rows(f, n, start, column):
        return -1
    return _lay_out(f, n)
