# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Lemke's path over an interaction graph; the interface is documented in ``_lemke_path.pxd``."""

from libc.math cimport HUGE_VAL, fabs, fmax
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from nsdgen.solvers.interaction._natural_map cimport block_height
from nsdgen.solvers.one_contact._friction_cone cimport NO_SLIP
from nsdgen.solvers.interaction._directions cimport factor_rows, find_columns, find_direction
from nsdgen.solvers.interaction._linearised_rows cimport copy_rows

cdef enum:
    EQUALITY = 0
    COMPLEMENTARITY = 1
    BOX = 2
    COULOMB_2D = 3
    # Cases: what holds with equality. A row:
    LOWER = 0  # z at the lower bound, y >= 0
    FREE = 1  # y = 0
    UPPER = 2  # z at the upper bound, y <= 0
    # A contact:
    OPEN = 0  # r = 0, u_N >= 0
    STICK = 1  # u = 0
    RIGHT = 2  # u_N = 0, r_T = mu r_N, u_T <= 0
    LEFT = 3  # u_N = 0, r_T = -mu r_N, u_T >= 0
    # Other sizes:
    MOST = 48  # equations changed before the matrix is factored again

cdef double BEYOND = 1e-3  # how far before the first pivot the path starts
cdef double SPREAD = 0.5  # of c on normal rows: without ties
cdef double ASIDE = 0.1  # of c on tangential rows, beside its normal part
cdef double EDGE = 1e-6  # how far a guess is moved


cdef struct Unit:
    int row, height, node
    int case_
    int changed  # where its equations stand among those that are not in the factors, or -1


cdef struct Path:
    int units, rows, pivots
    double t
    Unit *unit
    int *changed  # the units of the equations that are not in the factors
    int n_changed
    double *c  # of y = A z + b + t c
    double *x  # dz/dt for the equations in the factors
    double *columns  # MOST x rows: solutions for unit loads on the changed rows
    double *dz
    double *dy
    double *work  # 2 x rows
    double left[MOST * MOST]  # of the changed equations: their left sides for the columns
    double right[MOST]  # what x leaves of them
    double small[MOST * (MOST + 1)]  # both, while they are solved


cdef bint has_path(const OneStep *w) noexcept nogil:
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


# ---------------------------------------------------------------------------- equations


cdef void _set_equations(OneStep *w, const Unit *u) noexcept nogil:
    """The derivatives of a unit's equations, rows of y in units of z."""
    cdef int m = w.row[u.node + 1] - w.row[u.node], i = u.row - w.row[u.node], k
    cdef double *by_r = w.by_r + w.own[u.node]
    cdef double *by_u = w.by_u + w.own[u.node]
    for k in range(u.height):
        if _is_rate(u, k):
            by_u[(i + k) * (m + 1)] = w.rho[u.row + k]
        else:
            by_r[(i + k) * (m + 1)] = 1.0
    if u.height == 2 and u.case_ >= RIGHT:
        by_r[(i + 1) * m + i] = -_slope(w, u)


cdef inline bint _is_rate(const Unit *u, int k) noexcept nogil:
    """Whether equation k of the unit says y = 0."""
    if u.height == 1:
        return u.case_ == FREE
    return u.case_ == STICK or (u.case_ != OPEN and k == 0)


cdef inline double _slope(const OneStep *w, const Unit *u) noexcept nogil:
    """r_T / r_N of a contact that slides."""
    return w.bound[2 * u.row] if u.case_ == RIGHT else -w.bound[2 * u.row]


cdef double _value(const OneStep *w, const Unit *u) noexcept nogil:
    """z of a row at its bound."""
    if u.height == 1 and w.cone[u.row] == BOX:
        return w.bound[2 * u.row] if u.case_ == LOWER else w.bound[2 * u.row + 1]
    return 0.0


cdef double _product(const OneStep *w, int p, int i, const double *v) noexcept nogil:
    """Row i, of node p, of (A + shift) v."""
    cdef const double *block
    cdef const double *part
    cdef double total = w.shift[i] * v[i]
    cdef int c, j, mq
    for c in range(w.start[p], w.start[p + 1]):
        mq = w.row[w.column[c] + 1] - w.row[w.column[c]]
        block = w.value + w.place[c] + (i - w.row[p]) * mq
        part = v + w.row[w.column[c]]
        for j in range(mq):
            total += block[j] * part[j]
    return total


cdef inline double _load(const OneStep *w, int i) noexcept nogil:
    """What of y does not depend on z."""
    return w.b[i] - w.shift[i] * w.center[i]


cdef double _left(const OneStep *w, const Unit *u, int k, const double *v) noexcept nogil:
    """The left side of equation k of a unit for v in place of z."""
    if _is_rate(u, k):
        return w.rho[u.row + k] * _product(w, u.node, u.row + k, v)
    if u.height == 2 and k == 1 and u.case_ >= RIGHT:
        return v[u.row + 1] - _slope(w, u) * v[u.row]
    return v[u.row + k]


cdef int _refresh(OneStep *w, Path *path) noexcept nogil:
    """Factors, z and y at t, and dz/dt of the cases at hand; 0, or 1 where the matrix is singular."""
    cdef Unit *u
    cdef int i, k
    memset(w.by_r + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    memset(w.by_u + w.own[w.begin], 0, (w.own[w.end] - w.own[w.begin]) * sizeof(double))
    for i in range(path.units):
        u = &path.unit[i]
        u.changed = -1
        _set_equations(w, u)
    path.n_changed = 0
    if factor_rows(w, False):
        return 1
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            w.f[k] = -w.rho[k] * path.c[k] if _is_rate(u, k - u.row) else 0.0
    find_direction(w)
    copy_rows(w, path.x, w.move)
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            w.f[k] = -w.rho[k] * (_load(w, k) + path.t * path.c[k]) if _is_rate(u, k - u.row) else _value(w, u)
    find_direction(w)
    copy_rows(w, w.z, w.move)
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            w.y[k] = 0.0 if _is_rate(u, k - u.row) else _product(w, u.node, k, w.z) + _load(w, k) + path.t * path.c[k]
    return 0


# ---------------------------------------------------------------------------- direction


cdef int _change(OneStep *w, Path *path, Unit *u) noexcept nogil:
    """Note the new equations of a unit beside those in the factors; 1 where there is no room for more."""
    cdef int old = path.n_changed, i, j, k
    cdef const Unit *other
    if u.changed < 0:
        if old + u.height > MOST:
            return 1
        u.changed = old
        find_columns(w, u.node, u.row - w.row[u.node], u.height, path.work, path.columns + old * <size_t> path.rows)
        for k in range(u.height):
            path.changed[old + k] = <int> (u - path.unit)
        path.n_changed += u.height
        for i in range(old):
            other = &path.unit[path.changed[i]]
            for j in range(old, path.n_changed):
                path.left[i * MOST + j] = _left(w, other, i - other.changed, path.columns + j * <size_t> path.rows)
    for k in range(u.height):
        i = u.changed + k
        for j in range(path.n_changed):
            path.left[i * MOST + j] = _left(w, u, k, path.columns + j * <size_t> path.rows)
        path.right[i] = (-w.rho[u.row + k] * path.c[u.row + k] if _is_rate(u, k) else 0.0) - _left(w, u, k, path.x)
    return 0


cdef int _find_derivative(OneStep *w, Path *path) noexcept nogil:
    """dz/dt and dy/dt of the cases at hand; 0, or 1 where their equations are singular.

    They are x + Z s with columns Z that belong to loads on the changed rows alone: all other
    equations hold for any s.
    """
    cdef int n = path.n_changed, i, j, k, best
    cdef double *a = path.small
    cdef double *column
    cdef double value
    cdef const Unit *u
    for i in range(n):
        memcpy(a + i * (n + 1), path.left + i * MOST, n * sizeof(double))
        a[i * (n + 1) + n] = path.right[i]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if fabs(a[i * (n + 1) + k]) > fabs(a[best * (n + 1) + k]):
                best = i
        if not fabs(a[best * (n + 1) + k]) > 0.0:
            return 1
        if best != k:
            for j in range(k, n + 1):
                a[k * (n + 1) + j], a[best * (n + 1) + j] = a[best * (n + 1) + j], a[k * (n + 1) + j]
        for i in range(k + 1, n):
            value = a[i * (n + 1) + k] / a[k * (n + 1) + k]
            if value != 0.0:
                for j in range(k + 1, n + 1):
                    a[i * (n + 1) + j] -= value * a[k * (n + 1) + j]
    copy_rows(w, path.dz, path.x)
    for k in range(n - 1, -1, -1):
        value = a[k * (n + 1) + n]
        for j in range(k + 1, n):
            value -= a[k * (n + 1) + j] * a[j * (n + 1) + n]
        value /= a[k * (n + 1) + k]
        a[k * (n + 1) + n] = value
        column = path.columns + k * <size_t> path.rows
        for i in range(w.top, w.bottom):
            path.dz[i] += value * column[i]
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            path.dy[k] = 0.0 if _is_rate(u, k - u.row) else _product(w, u.node, k, path.dz) + path.c[k]
    return 0


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
    if _refresh(w, path):
        return 1
    for i in range(path.units):
        k = path.unit[i].row
        if path.c[k] != 0.0:
            path.t = fmax(path.t, -w.y[k] / path.c[k])
    path.t *= 1.0 + BEYOND
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            if not _is_rate(u, k - u.row):
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
            w.y[j] = _product(w, u.node, j, w.z) + _load(w, j)
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
            path.c[k] -= _product(w, u.node, k, w.z) + _load(w, k)
    path.t = 1.0
    return _refresh(w, path)


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
        if _find_derivative(w, path):
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
        if _change(w, path, u) and _refresh(w, path):
            return False
        path.pivots += 1


cdef bint follow_path(OneStep *w, bint near, int limit) noexcept nogil:
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
