"""Rows that depend on each other and contradict each other by drift: each is asked for what it can be given.

No multipliers meet such rows, and larger ones come ever nearer: what a contradiction c leaves shrinks beside the terms of
multipliers c / SHIFT, which nothing else asks for. So it is measured by the load and not by the reactions found. It is taken
from b, the rows agree then, and the multipliers are those of least norm of rows that agree.
"""

cdef double DRIFT = 1e-5  # of the largest load, by the energy that it moves: what rows may contradict each other by
cdef double AGREE_WELL = 1e-11  # of the same: multipliers c / SHIFT that are 1e-2 of the load
cdef double AGREE_BETTER = 1e-12  # of what presses, where friction brakes by them; rounding adds up by the root of the number of rows
cdef double ROOM = 1e-14  # of the same: what rows with friction are given, so that two of them need not press at once
cdef double HIDES = 100.0  # times the load: multipliers in whose rounding a contradiction is hidden
cdef double GROWN = 2.0  # times: multipliers that fall by so much were those of a contradiction


cdef double _pressing(const OneStep *w) noexcept nogil:
    """The load, where reactions brake that of what presses alone: what slides fast hides what it is braked by."""
    cdef double load = 0.0
    cdef int i
    if not w.friction:
        return w.load
    for i in range(w.top, w.bottom):
        if w.cone[i] != FOLLOWS:
            load = fmax(load, fabs(w.b[i]) * sqrt(w.rho[i]))
    return load


cdef bint _exceed(const OneStep *w, double load) noexcept nogil:
    """Whether reactions move more than this load."""
    cdef int i
    for i in range(w.top, w.bottom):
        if fabs(w.z[i]) * sqrt(w.stiffness[i]) > load:
            return True
    return False


cdef void forget_shares(OneStep *w) noexcept nogil:
    """No guess at all in place of one beside whose terms the load is small, where reactions are open: that of an impact would keep
    its shares at rest."""
    if w.coarse and w.friction and _exceed(w, HIDES * w.load):
        memset(w.z + w.top, 0, (w.bottom - w.top) * sizeof(double))


cdef void _find_left(OneStep *w) noexcept nogil:
    """What multipliers have left of rows that should be zero, into ``way``: of a contact along its plane where it sticks."""
    cdef int i = w.top, k, j, d, first
    cdef bint held, presses
    while i < w.bottom:
        d = block_height(w.cone[i])
        held = w.z[i] > 0.0 if w.cone[i] == COMPLEMENTARITY or d > 1 else (
            w.cone[i] == EQUALITY or w.bound[2 * i] < w.z[i] < w.bound[2 * i + 1])
        presses = w.z[i] > CLOSED * load_of(w, i) * w.rho[i]
        w.way[i] = w.y[i] if held else fmin(w.y[i], 0.0) if w.cone[i] != BOX else 0.0
        for k in range(disk_count(d) if d > 1 else 0):
            first = i + 1 + k * disk_size(d)
            held = presses and norm(disk_size(d), w.z + first) < OFF_BOUND * w.bound[2 * i + k] * w.z[i]
            for j in range(first, first + disk_size(d)):
                w.way[j] = w.y[j] if held else 0.0
        i += d


cdef bint take_drift(OneStep *w, double enough) noexcept nogil:
    """Take from ``b``, which ``asked`` keeps, what the rows of a solution leave; whether that is more than ``enough`` of the
    load, beside friction than AGREE_BETTER of what presses, and no rounding."""
    cdef double left, pressing, largest = 0.0
    cdef int i
    output_rows(w)
    measure_load(w, False)
    _find_left(w)
    pressing = _pressing(w)
    for i in range(w.top, w.bottom):
        left = fabs(w.way[i])
        if left > ROUNDING * w.scale[i] + w.least:
            largest = fmax(largest, left / (pressing * sqrt(w.stiffness[i]) + w.least))
    if not largest > (AGREE_BETTER * sqrt(w.bottom - w.top) if w.friction else enough):
        return False
    copy_rows(w, w.asked, w.b)
    copy_rows(w, w.found, w.z)
    for i in range(w.top, w.bottom):
        w.b[i] -= w.way[i]
    w.evaluated = 0
    return True


cdef bint take_left(OneStep *w) noexcept nogil:
    """Take from ``b`` what is left once more, where reactions are more than what presses; whether they are."""
    cdef int i
    if not _exceed(w, GROWN * _pressing(w)):
        return False
    output_rows(w)
    _find_left(w)
    for i in range(w.top, w.bottom):
        w.b[i] -= w.way[i]
    return True


cdef bint have_fallen(const OneStep *w) noexcept nogil:
    """Whether less presses in all than before, however contacts share it: by what brakes otherwise."""
    cdef double fallen = 0.0
    cdef int i
    for i in range(w.top, w.bottom):
        if w.cone[i] >= COULOMB_2D:
            fallen += (w.found[i] - w.z[i]) * sqrt(w.stiffness[i])
    return fallen > AGREE_BETTER * _pressing(w)


cdef bint ask_again(OneStep *w, bint fallen, int open) noexcept nogil:
    """Give ``b`` back; whether what is left is no more than DRIFT, or no contradiction.

    Where multipliers have ``fallen`` it was what rows contradict each other by, and becomes their ``grain``. Where they have
    not, rows agree, as a joint that is driven and one that hardly gives way do with multipliers of 1e10 times the load; the
    solution is the one that was found where none are ``open``.
    """
    cdef double largest = 0.0
    cdef int i
    copy_rows(w, w.b, w.asked)
    if not (fallen or open):
        copy_rows(w, w.z, w.found)
    w.coarse = w.evaluated = 0
    output_rows(w)
    measure_load(w, False)
    _find_left(w)
    for i in range(w.top, w.bottom):
        largest = fmax(largest, fabs(w.way[i]) / (load_of(w, i) + w.least))
        if fallen:
            w.grain[i] += fabs(w.way[i])
    w.coarse = fallen or w.undetermined.count[w.begin] > 0
    return largest <= DRIFT or not fallen
