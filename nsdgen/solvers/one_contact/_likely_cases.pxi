"""One contact in the plane or in space, u = W r + q with q_N < 0: the likely cases, cheaply.

The projection on a disk shortens distances, so that a solution is judged without it. With r in K, what r is
off by is at most |u|; with r on the boundary, r_T = mu r_N e, it is at most |u_N| and the distance of u_T
from -s e for any s >= 0, the direction in which r_T is the nearest point.
"""

cdef double ROUNDED = 1e-14  # of the terms of a row: rounding
cdef double GOOD = 1e-11  # of max |q|: never accept more
cdef double REGULAR = 1e-12  # of max |W_ij|: a smaller pivot is left to those who decide about rank
cdef double SLIDING = 0.98  # of mu r_N: a guess with so much friction seems to slide


cdef inline double _largest(int n, const double* x) noexcept nogil:
    cdef int i
    cdef double largest = 0.0
    for i in range(n):
        largest = max(largest, fabs(x[i]))
    return largest


cdef inline double _allowed(int dim, double size, double load, const double* r) noexcept nogil:
    """What of u may be left over: the rounding of W r + q."""
    return min(ROUNDED * (load + size * _largest(dim, r)), GOOD * load)


cdef inline bint _stick3(const double* w, const double* q, double floor, double* r) noexcept nogil:
    """W r = -q by elimination with partial pivoting; whether all pivots are above ``floor``."""
    cdef const double* a = w
    cdef const double* b = w + 3
    cdef const double* c = w + 6
    cdef double qa = -q[0], qb = -q[1], qc = -q[2], b1, b2, c1, c2, inverse, factor
    if fabs(b[0]) > fabs(a[0]) and fabs(b[0]) >= fabs(c[0]):
        a, b = b, a
        qa, qb = qb, qa
    elif fabs(c[0]) > fabs(a[0]):
        a, c = c, a
        qa, qc = qc, qa
    if not fabs(a[0]) > floor:
        return False
    inverse = 1.0 / a[0]
    factor = b[0] * inverse
    b1 = b[1] - factor * a[1]
    b2 = b[2] - factor * a[2]
    qb -= factor * qa
    factor = c[0] * inverse
    c1 = c[1] - factor * a[1]
    c2 = c[2] - factor * a[2]
    qc -= factor * qa
    if fabs(c1) > fabs(b1):
        b1, c1 = c1, b1
        b2, c2 = c2, b2
        qb, qc = qc, qb
    if not fabs(b1) > floor:
        return False
    factor = c1 / b1
    c2 -= factor * b2
    if not fabs(c2) > floor:
        return False
    r[2] = (qc - factor * qb) / c2
    r[1] = (qb - b2 * r[2]) / b1
    r[0] = (qa - a[1] * r[1] - a[2] * r[2]) * inverse
    return True


cdef inline bint _slides(
    int dim, const double* w, const double* q, double mu, double size, double load, const double* e,
    const double* r, double* bound,
) noexcept nogil:
    """Whether r, sliding along -e, is exact; ``bound`` of what it is off by."""
    cdef double u[3]
    cdef double off, along = 0.0
    cdef int i
    velocity(dim, w, q, r, u)
    for i in range(1, dim):
        along += u[i] * e[i - 1]
    off = max(along, 0.0)  # moving with its friction, not against it
    for i in range(1, dim):
        off += fabs(u[i] - along * e[i - 1])
    off += fabs(u[0])
    bound[0] = off / load
    return off <= _allowed(dim, size, load, r)


cdef inline bint _sticks(
    int dim, const double* w, const double* q, double mu, double size, double load, const double* r,
    double* bound,
) noexcept nogil:
    """Whether r is in its cone and W r + q is rounding; ``bound`` of what it is off by."""
    cdef double u[3]
    cdef double off = 0.0
    cdef int i
    if not norm(dim - 1, r + 1) <= mu * r[0]:
        return False
    velocity(dim, w, q, r, u)
    for i in range(dim):
        off += fabs(u[i])
    bound[0] = off / load
    return off <= _allowed(dim, size, load, r)


cdef inline bint _frictionless(
    int dim, const double* w, const double* q, double size, double load, double* r, double* bound
) noexcept nogil:
    """The reaction without friction: motion along the contact does not matter."""
    cdef int i
    if not w[0] > REGULAR * size:
        return False
    r[0] = -q[0] / w[0]
    for i in range(1, dim):
        r[i] = 0.0
    bound[0] = fabs(w[0] * r[0] + q[0]) / load
    return True


cdef bint _quick2(const double* w, const double* q, double mu, double* r, double* bound) noexcept nogil:
    cdef double size = _largest(4, w), load = _largest(2, q), floor = REGULAR * size
    cdef double determinant, stiffness, side
    cdef double x[2]
    if mu == 0.0:
        return _frictionless(2, w, q, size, load, r, bound)
    determinant = w[0] * w[3] - w[1] * w[2]
    side = -q[1]
    if fabs(determinant) > floor * size:
        x[0] = (w[1] * q[1] - w[3] * q[0]) / determinant
        x[1] = (w[2] * q[0] - w[0] * q[1]) / determinant
        if _sticks(2, w, q, mu, size, load, x, bound):
            r[0], r[1] = x[0], x[1]
            return True
        if x[0] > 0.0:
            side = x[1]
    side = 1.0 if side >= 0.0 else -1.0
    stiffness = w[0] + side * mu * w[1]
    if not stiffness > floor:
        return False
    x[0] = -q[0] / stiffness
    x[1] = side * mu * x[0]
    if not _slides(2, w, q, mu, size, load, &side, x, bound):
        return False
    r[0], r[1] = x[0], x[1]
    return True


cdef bint _slide_near(
    const double* w, const double* q, double mu, double size, double load, double e1, double e2,
    double* r, double* bound,
) noexcept nogil:
    """Sliding along -e with e near (e1, e2), of any length; whether that is exact. ``r`` is the reaction then."""
    cdef double length = sqrt(e1 * e1 + e2 * e2)
    cdef double x[3]
    cdef double e[2]
    if not 1e-140 < length < 1e140:
        return False
    e[0], e[1] = e1 / length, e2 / length
    if not (follow_slip(w, q, mu, e) and slip_reaction(w, q, mu, e, x)):
        return False
    if not _slides(3, w, q, mu, size, load, e, x, bound):
        return False
    memcpy(r, x, sizeof(x))
    return True


cdef bint _quick3(const double* w, const double* q, double mu, double* r, double* bound) noexcept nogil:
    cdef double size = _largest(9, w), load = _largest(3, q), limit, normal
    cdef double x[3]
    cdef bint regular
    if mu == 0.0:
        return _frictionless(3, w, q, size, load, r, bound)
    regular = _stick3(w, q, REGULAR * size, x)
    if regular and _sticks(3, w, q, mu, size, load, x, bound):
        memcpy(r, x, sizeof(x))
        return True
    limit = SLIDING * mu * r[0]
    if r[0] > 0.0 and r[1] * r[1] + r[2] * r[2] >= limit * limit:
        if _slide_near(w, q, mu, size, load, r[1], r[2], r, bound):
            return True
    # Friction may act where it would to keep the contact from moving: exact where W_TT is isotropic ...
    elif regular and _slide_near(w, q, mu, size, load, x[1], x[2], r, bound):
        return True
    # ... or against the motion without friction.
    if not w[0] > REGULAR * size:
        return False
    normal = -q[0] / w[0]
    return _slide_near(w, q, mu, size, load, -q[1] - w[3] * normal, -q[2] - w[6] * normal, r, bound)


cdef bint quick_contact(int dim, const double* w, const double* q, double mu, double* r, double* bound) noexcept nogil:
    """Try sticking, then sliding near the likely direction; whether one of them is exact to rounding.

    Units, guess and result are those of ``solve_contact``, dim 2 or 3. On success ``r`` is the solution
    and ``bound`` is not below what it is off by; otherwise both are left alone. Nothing
    is decided here that needs a choice: W nearly singular, a double root, a border case are left to others.
    """
    return _quick2(w, q, mu, r, bound) if dim == 2 else _quick3(w, q, mu, r, bound)


cdef bint begin_contact(const double* w, const double* q, double mu, double* r) noexcept nogil:
    """Open, sticking, or sliding as if W_TT were isotropic: where the equations of several contacts may begin."""
    cdef double x[3]
    cdef double e[2]
    cdef double length
    if q[0] >= 0.0:
        memset(r, 0, 3 * sizeof(double))
        return True
    if not (mu > 0.0 and _stick3(w, q, REGULAR * _largest(9, w), x)):
        return False
    length = norm(2, x + 1)
    if length <= mu * x[0]:
        memcpy(r, x, sizeof(x))
        return True
    e[0], e[1] = x[1] / length, x[2] / length
    if not slip_reaction(w, q, mu, e, x):
        return False
    memcpy(r, x, sizeof(x))
    return True
