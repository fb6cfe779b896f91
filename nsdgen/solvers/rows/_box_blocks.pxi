"""``box_solve`` for Python: one dense matrix, or many independent blocks of a sparse one."""


cdef void _gather(
    const int[::1] indptr, const int[::1] indices, const double[::1] data,
    const int* rows, int count, const int* position, double* a,
) noexcept nogil:
    """The dense matrix of one block; columns outside of it are left out."""
    cdef int i, k
    for i in range(count * count):
        a[i] = 0.0
    for i in range(count):
        for k in range(indptr[rows[i]], indptr[rows[i] + 1]):
            if position[indices[k]] >= 0:
                a[i * count + position[indices[k]]] += data[k]


cdef void _largest(const double[::1] lower, const double[::1] upper, const int[::1] first, const int[::1] order,
                   int* most, int* most_caps) noexcept:
    """The most rows of a block, and the most of a block that are bounded on both sides."""
    cdef int k, i, caps
    for k in range(<int> first.shape[0] - 1):
        caps = 0
        for i in range(first[k], first[k + 1]):
            caps += lower[order[i]] > -INFINITY and upper[order[i]] < INFINITY
        most[0] = max(most[0], first[k + 1] - first[k])
        most_caps[0] = max(most_caps[0], caps)


def solve_blocks(
    const int[::1] indptr, const int[::1] indices, const double[::1] data, const double[::1] q,
    const double[::1] lower, const double[::1] upper, const int[::1] first, const int[::1] order,
    double[::1] z, double[::1] y, int[::1] status, int[::1] worst, double tolerance,
):
    """``box_solve`` for independent blocks of rows of a CSR matrix, one after the other.

    Block k is rows ``order[first[k]:first[k + 1]]``. ``z`` (n) holds the guess and is
    overwritten on these rows, as are ``y`` (n), ``status`` and ``worst`` (one entry a block:
    ``MlcpStatus`` and the worst row of the whole problem). Returns (method, pivots,
    rank_deficiency, seconds): of the latest stage any block needed, then sums.
    """
    cdef int blocks = <int> first.shape[0] - 1, n = <int> q.shape[0]
    cdef int k, i, row, count, most = 0, most_caps = 0, method = 0, pivots = 0, deficiency = 0
    cdef const int* rows
    cdef BoxWork work
    cdef MlcpInfo info
    _largest(lower, upper, first, order, &most, &most_caps)
    cdef size_t m = <size_t> most
    cdef size_t needed = (m * m + 5 * m) * sizeof(double) + box_work_size(most, most_caps) + n * sizeof(int)
    cdef double* a = <double*> malloc(needed)
    if a == NULL:
        raise MemoryError
    cdef double* part = a + m * m  # q, lower, upper, z and y of one block
    cdef int* position = <int*> (<char*> (part + 5 * m) + box_work_size(most, most_caps))
    box_work_init(&work, part + 5 * m, most, most_caps)
    work.tolerance = tolerance
    cdef double seconds
    listen(1)
    with nogil:
        seconds = now()
        for i in range(n):
            position[i] = -1
        for k in range(blocks):
            count = first[k + 1] - first[k]
            rows = &order[first[k]]
            for i in range(count):
                row = rows[i]
                position[row] = i
                part[i], part[m + i] = q[row], lower[row]
                part[2 * m + i], part[3 * m + i] = upper[row], z[row]
            _gather(indptr, indices, data, rows, count, position, a)
            status[k] = box_solve(count, a, part, part + m, part + 2 * m, part + 3 * m, part + 4 * m, &work, &info)
            worst[k] = rows[info.worst_row] if info.worst_row >= 0 else -1
            for i in range(count):
                row = rows[i]
                position[row] = -1
                z[row] = part[3 * m + i]
                y[row] = part[4 * m + i]
            method = max(method, info.method)
            pivots += info.pivots
            deficiency += info.rank_deficiency
        seconds = now() - seconds
    listen(-1)
    free(a)
    answer()
    return method, pivots, deficiency, seconds


def solve_dense(
    const double[:, ::1] matrix, const double[::1] q, const double[::1] lower, const double[::1] upper, double[::1] z,
    double[::1] y, double tolerance
):
    """``box_solve`` for one dense matrix (n >= 1); ``z`` holds the guess, ``z`` and ``y`` the result.

    Returns (status, method, pivots, rank_deficiency, worst_row, seconds).
    """
    cdef int n = <int> q.shape[0], i, caps = 0
    cdef BoxWork work
    cdef MlcpInfo info
    for i in range(n):
        caps += lower[i] > -INFINITY and upper[i] < INFINITY
    cdef void* memory = malloc(box_work_size(n, caps))
    if memory == NULL:
        raise MemoryError
    box_work_init(&work, memory, n, caps)
    work.tolerance = tolerance
    cdef double seconds
    listen(1)
    with nogil:
        seconds = now()
        box_solve(n, &matrix[0, 0], &q[0], &lower[0], &upper[0], &z[0], &y[0], &work, &info)
        seconds = now() - seconds
    listen(-1)
    free(memory)
    answer()
    return info.status, info.method, info.pivots, info.rank_deficiency, info.worst_row, seconds
