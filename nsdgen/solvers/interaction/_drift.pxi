"""Rows that depend on each other and contradict each other by drift: each is asked for what it can be given.

No multipliers meet such rows, and larger ones come ever nearer: what a contradiction c leaves shrinks beside the terms of
multipliers c / SHIFT, which nothing else asks for. So it is measured by the load and not by the reactions found. It is taken
from b, the rows agree then, and the multipliers are those of least norm of rows that agree.
"""

cdef double DRIFT = 1e-5  # of the largest load, by the energy that it moves: what rows may contradict each other by
cdef double AGREE_WELL = 1e-11  # of the same: multipliers c / SHIFT that are 1e-2 of the load
cdef double GROWN = 2.0  # times: multipliers that fall by so much were those of a contradiction


cdef double _left_of(const OneStep *w, int i) noexcept nogil:
    """What a multiplier has left of a y that should be zero."""
    if w.cone[i] == COMPLEMENTARITY:
        return w.y[i] if w.z[i] > 0.0 else fmin(w.y[i], 0.0)
    return w.y[i] if w.cone[i] == EQUALITY or w.bound[2 * i] < w.z[i] < w.bound[2 * i + 1] else 0.0


cdef bint take_drift(OneStep *w, double enough) noexcept nogil:
    """Take from ``b``, which ``asked`` keeps, what rows without friction leave of a solution; whether that is more than
    ``enough`` of the load, and no rounding."""
    cdef double left, largest = 0.0
    cdef int i
    if w.friction:
        return False
    output_rows(w)
    measure_load(w, False)
    for i in range(w.top, w.bottom):
        w.way[i] = _left_of(w, i)
        left = fabs(w.way[i])
        if left > ROUNDING * w.scale[i] + w.least:
            largest = fmax(largest, left / (load_of(w, i) + w.least))
    if not largest > enough:
        return False
    copy_rows(w, w.asked, w.b)
    copy_rows(w, w.found, w.z)
    for i in range(w.top, w.bottom):
        w.b[i] -= w.way[i]
    w.evaluated = 0
    return True


cdef bint ask_again(OneStep *w, double before, int open) noexcept nogil:
    """Give ``b`` back; whether what is left is no more than DRIFT, or no contradiction.

    Where multipliers, of the size ``before``, have fallen, it was what rows contradict each other by, and becomes their ``grain``.
    Where they have not, rows agree, as a joint that is driven and one that hardly gives way do with multipliers of 1e10 times
    the load; the solution is the one that was found where none are ``open``.
    """
    cdef bint fallen = GROWN * size_of(w, w.z) < before
    cdef double largest = 0.0
    cdef int i
    copy_rows(w, w.way, w.b)
    copy_rows(w, w.b, w.asked)
    if not (fallen or open):
        copy_rows(w, w.z, w.found)
    w.coarse = w.evaluated = 0
    output_rows(w)
    measure_load(w, False)
    for i in range(w.top, w.bottom):
        if w.way[i] != w.b[i]:
            largest = fmax(largest, fabs(w.y[i]) / (load_of(w, i) + w.least))
            if fallen:
                w.grain[i] += fabs(w.y[i])
    w.coarse = fallen or w.undetermined.count[w.begin] > 0
    return largest <= DRIFT or not fallen
