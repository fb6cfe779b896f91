"""The equations of a path (``_lemke_path.pxi``) in the cases at hand, and its direction with the factors of other cases.

Units, rows and contacts, are listed and their cases set by the path. The equations that changed since the matrix was
factored are kept beside the factors, at most ``MOST`` of them.
"""

cdef enum:
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

cdef inline bint is_rate(const Unit *u, int k) noexcept nogil:
    """Whether equation k of the unit says y = 0."""
    if u.height == 1:
        return u.case_ == FREE
    return u.case_ == STICK or (u.case_ != OPEN and k == 0)

# ---------------------------------------------------------------------------- equations


cdef void _set_equations(OneStep *w, const Unit *u) noexcept nogil:
    """The derivatives of a unit's equations, rows of y in units of z."""
    cdef int m = w.row[u.node + 1] - w.row[u.node], i = u.row - w.row[u.node], k
    cdef double *by_r = w.by_r + w.own[u.node]
    cdef double *by_u = w.by_u + w.own[u.node]
    for k in range(u.height):
        if is_rate(u, k):
            by_u[(i + k) * (m + 1)] = w.rho[u.row + k]
        else:
            by_r[(i + k) * (m + 1)] = 1.0
    if u.height == 2 and u.case_ >= RIGHT:
        by_r[(i + 1) * m + i] = -_slope(w, u)


cdef inline double _slope(const OneStep *w, const Unit *u) noexcept nogil:
    """r_T / r_N of a contact that slides."""
    return w.bound[2 * u.row] if u.case_ == RIGHT else -w.bound[2 * u.row]


cdef double _value(const OneStep *w, const Unit *u) noexcept nogil:
    """z of a row at its bound."""
    if u.height == 1 and w.cone[u.row] == BOX:
        return w.bound[2 * u.row] if u.case_ == LOWER else w.bound[2 * u.row + 1]
    return 0.0


cdef double row_product(const OneStep *w, int p, int i, const double *v) noexcept nogil:
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


cdef double row_load(const OneStep *w, int i) noexcept nogil:
    """What of y does not depend on z."""
    return w.b[i] - w.shift[i] * w.center[i]


cdef double _left(const OneStep *w, const Unit *u, int k, const double *v) noexcept nogil:
    """The left side of equation k of a unit for v in place of z."""
    if is_rate(u, k):
        return w.rho[u.row + k] * row_product(w, u.node, u.row + k, v)
    if u.height == 2 and k == 1 and u.case_ >= RIGHT:
        return v[u.row + 1] - _slope(w, u) * v[u.row]
    return v[u.row + k]


cdef int refresh_path(OneStep *w, Path *path) noexcept nogil:
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
            w.f[k] = -w.rho[k] * path.c[k] if is_rate(u, k - u.row) else 0.0
    find_direction(w)
    copy_rows(w, path.x, w.move)
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            w.f[k] = -w.rho[k] * (row_load(w, k) + path.t * path.c[k]) if is_rate(u, k - u.row) else _value(w, u)
    find_direction(w)
    copy_rows(w, w.z, w.move)
    for i in range(path.units):
        u = &path.unit[i]
        for k in range(u.row, u.row + u.height):
            w.y[k] = 0.0 if is_rate(u, k - u.row) else row_product(w, u.node, k, w.z) + row_load(w, k) + path.t * path.c[k]
    return 0


# ---------------------------------------------------------------------------- direction


cdef int change_unit(OneStep *w, Path *path, Unit *u) noexcept nogil:
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
        path.right[i] = (-w.rho[u.row + k] * path.c[u.row + k] if is_rate(u, k) else 0.0) - _left(w, u, k, path.x)
    return 0


cdef int find_derivative(OneStep *w, Path *path) noexcept nogil:
    """dz/dt and dy/dt of the cases at hand; 0, or 1 where their equations are singular.

    Both are x + Z s with columns Z that belong to loads on the changed rows alone: all other
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
            path.dy[k] = 0.0 if is_rate(u, k - u.row) else row_product(w, u.node, k, path.dz) + path.c[k]
    return 0
