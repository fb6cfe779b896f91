"""Islands of few rows with bounds: the case of the guess, or the one solution."""

cdef enum:
    FEW_BOUNDED_ROWS = 8  # the NSD_ROWS of ``nsd_box_set``


cdef void dense_rows(const OneStep *w, int begin, int end, double *a) noexcept nogil:
    cdef const double *block
    cdef int p, q, c, i, j, m, mq, top = w.row[begin], n = w.row[end] - top
    memset(a, 0, n * n * sizeof(double))
    for p in range(begin, end):
        m = w.row[p + 1] - w.row[p]
        for c in range(w.start[p], w.start[p + 1]):
            q = w.column[c]
            mq = w.row[q + 1] - w.row[q]
            block = w.value + w.place[c]
            for i in range(m):
                for j in range(mq):
                    a[(w.row[p] - top + i) * n + w.row[q] - top + j] = block[i * mq + j]


cdef bint few_rows(OneStep *w) noexcept nogil:
    """Whether the island at hand, of at most ``FEW_BOUNDED_ROWS`` rows without friction, is solved by the case of its
    guess.

    Where it is, ``z``, ``y`` and ``residual`` are those of the solution, which is clearly in its case. Where it is not
    (a row between two cases, dependent rows, numbers that are not finite) nothing is changed.
    """
    cdef double[FEW_BOUNDED_ROWS * FEW_BOUNDED_ROWS] a
    cdef double[2 * FEW_BOUNDED_ROWS] bound
    cdef double[FEW_BOUNDED_ROWS] z
    cdef double[FEW_BOUNDED_ROWS] y
    cdef double off
    cdef nsd_memory memory
    cdef int n = w.bottom - w.top, i
    dense_rows(w, w.begin, w.end, a)
    for i in range(n):
        row_bounds(w.cone[w.top + i], w.bound + 2 * (w.top + i), &bound[2 * i], &bound[2 * i + 1])
    memcpy(z, w.z + w.top, n * sizeof(double))
    memory.factored = 0
    if not nsd_box_set(n, a, w.b + w.top, bound, z, y, &off, &memory):
        return False
    memcpy(w.z + w.top, z, n * sizeof(double))
    memcpy(w.y + w.top, y, n * sizeof(double))
    w.residual, w.worst_row = off, w.top
    return True
