"""Lemke's path over an interaction graph: complementary pivoting for rows and contacts in the plane.

A contact is open, sticks or slides to one of two sides, a row is at a bound or free: in each of
these cases the one-step problem is linear. Along y = A z + b + t c, with c > 0 on the normal
rows, it has for large t one solution, where all contacts are open. From there the solutions
are followed down to t = 0: t may turn back on the way, which Newton's method cannot do. For the
matrices of mechanics (A + shift positive definite, Coulomb's law) the path ends at a solution.

A pivot changes the equations of one contact. The factors of a base case are kept for some
pivots and corrected by the equations that changed since, so that a pivot costs a few
solutions with factors at hand: the whole about n pivots of cost n.
"""

cdef double BEYOND = 1e-3  # how far before the first pivot the path starts
cdef double SPREAD = 0.5  # of c on normal rows: without ties
cdef double ASIDE = 0.1  # of c on tangential rows, beside its normal part
cdef double EDGE = 1e-6  # how far a guess is moved


cdef bint has_path(const OneStep *w) noexcept nogil:
    """Whether all rows of the island have finitely many linear cases."""
    cdef int i
    for i in range(w.top, w.bottom):
        if w.cone[i] > COULOMB_2D or (w.cone[i] == COULOMB_2D and w.bound[2 * i] >= NO_SLIP):
            return False
    return True


cdef double _noise(int i) noexcept nogil:
    """A number in [0, 1) that belongs to i, always the same."""
    cdef uint64_t x = <uint64_t> i * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u
    x ^= x >> 31
    x *= 0xBF58476D1CE4E5B9u
    x ^= x >> 29
    return (x >> 11) * 1.1102230246251565e-16


# --------------------------------------------------------------------------------- pivot


cdef inline void _keep_first(double value, double slope, int unit, int next, double *least, int *who,
                             int *case_) noexcept nogil:
    """What must stay positive and falls: it ends its case after value / -slope."""
    cdef double length
    if slope < 0.0:
        length = fmax(value, 0.0) / -slope
        if length < least[0]:
            least[0], who[0], case_[0] = length, unit, next


cdef double _first_end(const OneStep *w, const Path *path, double sign, int *who, int *case_) noexcept nogil:
    """How far the cases at hand hold along sign * d/dt; which unit changes, and to which case."""
    cdef double least = HUGE_VAL, z, y, dz, dy, mu
    cdef const Unit *u
    cdef int i, k
    for i in range(path.units):
        u = &path.unit[i]
        k = u.row
        z, y, dz, dy = w.z[k], w.y[k], sign * path.dz[k], sign * path.dy[k]
        if u.height == 1:
            if w.cone[k] == EQUALITY:
                continue
            if u.case_ == LOWER:
                _keep_first(y, dy, i, FREE, &least, who, case_)
            elif u.case_ == UPPER:
                _keep_first(-y, -dy, i, FREE, &least, who, case_)
            elif w.cone[k] == COMPLEMENTARITY:
                _keep_first(z, dz, i, LOWER, &least, who, case_)
            else:
                if w.bound[2 * k] > -HUGE_VAL:
                    _keep_first(z - w.bound[2 * k], dz, i, LOWER, &least, who, case_)
                if w.bound[2 * k + 1] < HUGE_VAL:
                    _keep_first(w.bound[2 * k + 1] - z, -dz, i, UPPER, &least, who, case_)
            continue
        mu = w.bound[2 * k]
        if u.case_ == OPEN:
            _keep_first(y, dy, i, RIGHT, &least, who, case_)
        elif u.case_ == STICK:
            _keep_first(mu * z - w.z[k + 1], mu * dz - sign * path.dz[k + 1], i, RIGHT, &least, who, case_)
            _keep_first(mu * z + w.z[k + 1], mu * dz + sign * path.dz[k + 1], i, LEFT, &least, who, case_)
        else:
            _keep_first(z, dz, i, OPEN, &least, who, case_)
            if u.case_ == RIGHT:
                _keep_first(-w.y[k + 1], -sign * path.dy[k + 1], i, STICK, &least, who, case_)
            else:
                _keep_first(w.y[k + 1], sign * path.dy[k + 1], i, STICK, &least, who, case_)
    return least


cdef double _entering(const OneStep *w, const Path *path, const Unit *u, int before) noexcept nogil:
    """The slope, by t, of what was zero in the case before and must grow now."""
    cdef int k = u.row
    if u.height == 1:
        if u.case_ == FREE:
            return path.dz[k] if before == LOWER else -path.dz[k]
        return path.dy[k] if u.case_ == LOWER else -path.dy[k]
    if u.case_ == OPEN:
        return path.dy[k]
    if before == OPEN:
        return path.dz[k]
    if u.case_ == STICK:
        return w.bound[2 * k] * path.dz[k] + (path.dz[k + 1] if before == LEFT else -path.dz[k + 1])
    return path.dy[k + 1] if u.case_ == LEFT else -path.dy[k + 1]


cdef void _list_units(OneStep *w, Path *path) noexcept nogil:
    """The rows and contacts of the island."""
    cdef Unit *u
    cdef int p, i
    for p in range(w.begin, w.end):
        i = w.row[p]
        while i < w.row[p + 1]:
            u = &path.unit[path.units]
            path.units += 1
            u.row, u.height, u.node, u.case_ = i, block_height(w.cone[i]), p, LOWER
            i += u.height


cdef int _start(OneStep *w, Path *path) noexcept nogil:
    """All contacts open, all rows at a bound, and t where this ends; 0, or 1 where it is singular."""
    cdef Unit *u
    cdef int i, k
    for i in range(path.units):
        u = &path.unit[i]
        k = u.row
        path.c[k] = (1.0 + SPREAD * _noise(k)) / w.rho[k]
        if u.height == 2:
            path.c[k + 1] = ASIDE * (_noise(k + 1) - 0.5) / w.rho[k + 1]
        elif w.cone[k] == EQUALITY:
            u.case_, path.c[k] = FREE, 0.0
        elif w.cone[k] == BOX and not w.bound[2 * k] > -HUGE_VAL:
            u.case_ = UPPER if w.bound[2 * k + 1] < HUGE_VAL else FREE
            path.c[k] = -path.c[k] if u.case_ == UPPER else 0.0
    if refresh_path(w, path):
        return 1
    for i in range(path.units):
        k = path.unit[i].row
        if path.c[k] != 0.0:
            path.t = fmax(path.t, -w.y[k] / path.c[k])
    path.t *= 1.0 + BEYOND
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            if not is_rate(u, k - u.row):
                w.y[k] += path.t * path.c[k]
    return 0


cdef int _start_near(OneStep *w, Path *path) noexcept nogil:
    """The cases of the guess, moved a little so that none is on an edge, and what makes it a solution."""
    cdef Unit *u
    cdef double load = 0.0, stiffness
    cdef double[2] s
    cdef int i, k, j
    for k in range(w.top, w.bottom):
        load = fmax(load, fabs(w.b[k]))
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.height):
            j = u.row + k
            w.y[j] = row_product(w, u.node, j, w.z) + row_load(w, j)
            path.x[j] = w.z[j] - w.rho[j] * w.y[j] + EDGE * (_noise(j) - 0.5) * (fabs(w.z[j]) + w.rho[j] * load)
    for i in range(path.units):
        u = &path.unit[i]
        k = u.row
        s[0], s[1] = path.x[k], path.x[k + 1] if u.height == 2 else 0.0
        _set_case(w, u, s)
        for j in range(u.height):
            # y = (z - s) / rho, and z the nearest point in the cone
            stiffness = 1.0 / w.rho[k + j]
            path.c[k + j] = -stiffness * (path.x[k + j] - s[j])
            w.z[k + j] = s[j]
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            path.c[k] -= row_product(w, u.node, k, w.z) + row_load(w, k)
    path.t = 1.0
    return refresh_path(w, path)


cdef void _set_case(const OneStep *w, Unit *u, double *s) noexcept nogil:
    """The case of z - rho y = s, and z itself, in place."""
    cdef int k = u.row
    cdef double limit
    if u.height == 2:
        limit = w.bound[2 * k] * s[0]
        if s[0] <= 0.0:
            u.case_ = OPEN
            s[0] = s[1] = 0.0
        elif fabs(s[1]) <= limit:
            u.case_ = STICK
        else:
            u.case_ = RIGHT if s[1] > 0.0 else LEFT
            s[1] = limit if s[1] > 0.0 else -limit
        return
    u.case_ = FREE
    if w.cone[k] == COMPLEMENTARITY and s[0] <= 0.0:
        u.case_, s[0] = LOWER, 0.0
    elif w.cone[k] == BOX and s[0] <= w.bound[2 * k]:
        u.case_, s[0] = LOWER, w.bound[2 * k]
    elif w.cone[k] == BOX and s[0] >= w.bound[2 * k + 1]:
        u.case_, s[0] = UPPER, w.bound[2 * k + 1]


cdef bint _pivot(OneStep *w, Path *path, int limit) noexcept nogil:
    cdef double sign = -1.0, length
    cdef int who = 0, next = 0, before, i
    cdef Unit *u
    while True:
        if interrupted() or find_derivative(w, path):
            return False
        if path.pivots:
            length = _entering(w, path, u, before)
            if not fabs(length) > 0.0:
                return False
            sign = 1.0 if length > 0.0 else -1.0
        length = _first_end(w, path, sign, &who, &next)
        if sign < 0.0 and length >= path.t:
            for i in range(w.top, w.bottom):
                w.z[i] -= path.t * path.dz[i]
            return True
        if not length < HUGE_VAL or path.pivots == limit:
            return False
        path.t += sign * length
        for i in range(w.top, w.bottom):
            w.z[i] += sign * length * path.dz[i]
            w.y[i] += sign * length * path.dy[i]
        u = &path.unit[who]
        before, u.case_ = u.case_, next
        if before == OPEN and u.height == 2 and w.y[u.row + 1] > 0.0:
            u.case_ = LEFT
        if change_unit(w, path, u) and refresh_path(w, path):
            return False
        path.pivots += 1


cdef bint follow_path(OneStep *w, bint near, int limit) noexcept nogil:
    """Follow the path, at most ``limit`` pivots; whether it arrived, with its end in ``z``.

    With ``near`` it starts from the guess in ``z`` and a c that makes the guess a solution for t = 1:
    short where it arrives, but it need not arrive at all. The end solves the problem with the matrix
    A + shift. Where the path does not arrive, ``z`` is what it was.
    """
    cdef size_t rows = w.rows
    cdef bint arrived = False
    cdef Path path
    cdef char *memory = <char *> malloc(
        rows * sizeof(Unit) + MOST * sizeof(int) + (7 + MOST) * rows * sizeof(double))
    if memory == NULL:
        return False
    memset(&path, 0, sizeof(Path))
    path.rows = w.rows
    path.c = <double *> memory
    path.x = path.c + rows
    path.dz = path.x + rows
    path.dy = path.dz + rows
    path.work = path.dy + rows
    path.columns = path.work + 2 * rows
    path.unit = <Unit *> (path.columns + (MOST + 1) * rows)
    path.changed = <int *> (path.unit + rows)
    copy_rows(w, path.columns + MOST * rows, w.z)
    w.settled = 0
    _list_units(w, &path)
    if not (_start_near(w, &path) if near else _start(w, &path)):
        arrived = _pivot(w, &path, limit)
    w.iterations += path.pivots
    w.settled = 0
    if not arrived:
        copy_rows(w, w.z, path.columns + MOST * rows)
    free(memory)
    return arrived
