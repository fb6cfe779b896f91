"""Islands of few rows with bounds: the case of the guess, or the one solution."""

cdef enum:
    FEW_BOUNDED_ROWS = 8


cdef extern from *:
    """
    #define NSD_ROWS 8
    #include "nsdgen_step.h"
    #include "nsdgen_box.h"
    """
    ctypedef struct nsd_memory:
        int factored
    int nsd_box_set(int n, const double *a, const double *b, const double *bound, double *z, double *y, double *off,
                    nsd_memory *memory) nogil


cdef void _gather(const OneStep *w, int n, double *a, double *bound) noexcept nogil:
    """A of the island, row by row, and two bounds for each of its rows."""
    cdef const double *block
    cdef int p, q, c, i, j, m, mq, top = w.top
    memset(a, 0, n * n * sizeof(double))
    for p in range(w.begin, w.end):
        m = w.row[p + 1] - w.row[p]
        for c in range(w.start[p], w.start[p + 1]):
            q = w.column[c]
            mq = w.row[q + 1] - w.row[q]
            block = w.value + w.place[c]
            for i in range(m):
                for j in range(mq):
                    a[(w.row[p] - top + i) * n + w.row[q] - top + j] = block[i * mq + j]
    for i in range(n):
        if w.cone[top + i] == BOX:
            bound[2 * i], bound[2 * i + 1] = w.bound[2 * (top + i)], w.bound[2 * (top + i) + 1]
        else:
            bound[2 * i] = -HUGE_VAL if w.cone[top + i] == EQUALITY else 0.0
            bound[2 * i + 1] = HUGE_VAL


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
    cdef int n = w.bottom - w.top
    _gather(w, n, a, bound)
    memcpy(z, w.z + w.top, n * sizeof(double))
    memory.factored = 0
    if not nsd_box_set(n, a, w.b + w.top, bound, z, y, &off, &memory):
        return False
    memcpy(w.z + w.top, z, n * sizeof(double))
    memcpy(w.y + w.top, y, n * sizeof(double))
    w.residual, w.worst_row = off, w.top
    return True
