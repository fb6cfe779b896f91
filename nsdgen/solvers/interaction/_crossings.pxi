"""A path of F = t F_0 from any z to a solution, case by case, where Newton's method circles between cases.

In the plane F (Alart and Curnier, 1991) is linear in each case of rows and contacts, and continuous: from t = 1 a
line leads to where the next one changes its case, there the next line begins, and t may rise for a while. Lemke's
method is the same of rows alone (B. C. Eaves, 1976). With A + alpha D nothing but z = 0 solves a problem without
loads, so that z is bounded where t is: the path from z, or the one that leaves it the other way, ends at t = 0.

A case ends where one of three functions of x = r - rho u changes its sign: x_N, mu x_N - x_T or mu x_N + x_T; of a row
x less each of its bounds.
"""

cdef enum:
    CROSSINGS = 40  # a longer path is left to an easier problem
    ENDS = 3  # of a case
    LAST_TURNS = 10  # of Newton's method, from where the path ends

cdef double PAST = 1e-12  # of its terms: how far past its end a case is left
cdef double ENDLESS = 1e6  # t: this path comes from infinity

cdef struct Crossing:
    double *f  # F_0
    double *dz  # by t
    double *dy
    double *unused


cdef bint _in_cases(const OneStep *w) noexcept nogil:
    """Whether F is linear in each case."""
    cdef int i
    for i in range(w.top, w.bottom):
        if w.cone[i] > COULOMB_2D:
            return False
    return True


cdef int _ends(const OneStep *w, int i, const double *z, const double *y, bint slopes, double *h) noexcept nogil:
    """The functions h (ENDS) whose signs are the case of a row or contact, or with ``slopes`` those of z and y; how many."""
    cdef double rho = w.reach * w.rho[i], x = z[i] - rho * y[i], across
    cdef int k
    if w.cone[i] == COMPLEMENTARITY:
        h[0] = x
        return 1
    if w.cone[i] == BOX:
        for k in range(2):
            h[k] = x - (0.0 if slopes else w.bound[2 * i + k])
        return 2
    if w.cone[i] == EQUALITY:
        return 0
    across = z[i + 1] - w.reach * w.rho[i + 1] * y[i + 1]
    h[0], h[1], h[2] = x, w.bound[2 * i] * x - across, w.bound[2 * i] * x + across
    return ENDS


cdef bint _find_line(OneStep *w, Crossing *c) noexcept nogil:
    """dz and dy by t in the case at hand; whether it has a line."""
    cdef int p, k, i
    copy_rows(w, w.f, c.f)
    if factor_rows(w, False):
        return False
    find_direction(w)
    copy_rows(w, c.dz, w.move)
    for i in range(w.top, w.bottom):
        c.dy[i] = w.shift[i] * c.dz[i]
    for p in range(w.begin, w.end):
        for k in range(w.start[p], w.start[p + 1]):
            i = w.row[p]
            nsd_block_terms(w.row[p + 1] - i, w.row[w.column[k] + 1] - w.row[w.column[k]], w.value + w.place[k],
                            c.dz + w.row[w.column[k]], c.dy + i, c.unused + i)
    return True


cdef double _next_end(OneStep *w, const Crossing *c, double sign, int *row, int *end) noexcept nogil:
    """How far the case goes where t goes by ``sign``: just past its end, whose ``row`` and function ``end`` are."""
    cdef double h[ENDS]
    cdef double slope[ENDS]
    cdef double nearest = HUGE_VAL, far, past
    cdef int i = w.top, k, count
    row[0] = -1
    while i < w.bottom:
        count = _ends(w, i, w.z, w.y, False, h)
        _ends(w, i, c.dz, c.dy, True, slope)
        for k in range(count):
            if (k and count == ENDS and not h[0] > 0.0) or not h[k] * slope[k] * sign < 0.0:
                continue
            far = fabs(h[k] / slope[k])
            if far < nearest:
                past = PAST * (fabs(w.z[i]) + w.reach * w.rho[i] * w.scale[i]) / fabs(slope[k])
                nearest, row[0], end[0] = far + past, i, k
        i += block_height(w.cone[i])
    return nearest


cdef double _follow(OneStep *w, Crossing *c, double sign) noexcept nogil:
    """From ``z`` at t = 1, at first where t goes by ``sign``; t at their end."""
    cdef double h[ENDS]
    cdef double t = 1.0, far, before
    cdef int turn, row, end, i
    for turn in range(CROSSINGS):
        output_rows(w)
        for i in range(w.top, w.bottom):
            w.y[i] += w.shift[i] * (w.z[i] - w.center[i])
        linearize_rows(w, PLAIN, False)
        if interrupted() or not _find_line(w, c):
            return t
        w.iterations += 1
        if turn:  # on past the end of the case before
            _ends(w, row, c.dz, c.dy, True, h)
            sign = 1.0 if h[end] * before > 0.0 else -1.0
        far = _next_end(w, c, sign, &row, &end)
        if sign < 0.0 and far >= t:
            for i in range(w.top, w.bottom):
                w.z[i] -= t * c.dz[i]
            return 0.0
        t += sign * far
        if not t < ENDLESS:
            return t
        _ends(w, row, c.dz, c.dy, True, h)
        before = sign * h[end]
        for i in range(w.top, w.bottom):
            w.z[i] += sign * far * c.dz[i]
    return t


cdef double cross_cases(OneStep *w, double goal) noexcept nogil:
    """Solve the shifted problem from ``z`` by lines; the residual reached."""
    cdef Crossing c
    cdef double *start
    cdef double reached = HUGE_VAL, t
    cdef size_t rows = w.rows
    start = <double *> malloc(5 * rows * sizeof(double))
    if start == NULL:
        return HUGE_VAL
    c.f, c.dz, c.dy, c.unused = start + rows, start + 2 * rows, start + 3 * rows, start + 4 * rows
    memset(c.unused, 0, rows * sizeof(double))
    copy_rows(w, start, w.z)
    output_rows(w)
    linearize_rows(w, PLAIN, True)
    copy_rows(w, c.f, w.f)
    t = _follow(w, &c, -1.0)
    if not t < ENDLESS:
        copy_rows(w, w.z, start)
        t = _follow(w, &c, 1.0)
    if t == 0.0:
        reached = full_steps(w, True, goal, LAST_TURNS)
    free(start)
    w.evaluated = 0
    return reached
