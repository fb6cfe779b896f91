"""Contacts in a plane that resist rolling: three rows, a normal one, one of sliding and one of rolling.

|r_1| <= mu r_0 and |r_2| <= mu_r r_0, each by itself, with ``bound`` = (mu, mu_r). The row of rolling is a velocity as the others are: a turn
times a length of the contact.

Inside of the cone a contact has two pairs of edges, a = (r_0 + c_1, r_0 - c_1, r_0 + c_2, r_0 - c_2) with c = r_k / mu_k, and y >= 0
orthogonal to these, with which the law is that of ``_body_interior.pxi`` for each pair:

    u_0 = sum of y_+ y_- / (y_+ + y_-) over the pairs,  mu_k u_k = (y_+ - y_-) / 2.
"""

cdef enum:
    LOCAL_PASSES = 3  # over the rows of a contact: sweeps need no more of each


cdef inline double _within(double value, double most) noexcept nogil:
    return max(-most, min(most, value))


cdef inline void roll_project(const double *bound, double *r) noexcept nogil:
    """Into the cone: less along tangents."""
    cdef int i
    r[0] = max(0.0, r[0])
    for i in range(2):
        r[1 + i] = _within(r[1 + i], bound[i] * r[0])


cdef inline double roll_off(const double *bound, double rate, const double *r, const double *u) noexcept nogil:
    """The largest violation of the law, in units of r; r is in its cone."""
    cdef double worst = fabs(r[0] - max(0.0, r[0] - u[0] / rate))
    cdef int i
    for i in range(2):
        worst = max(worst, fabs(r[1 + i] - _within(r[1 + i] - u[1 + i] / rate, bound[i] * r[0])))
    return worst


cdef inline void roll_linearize(
    const double *bound, double rho, const double *r, const double *u, double *value, double *by_r, double *by_u
) noexcept nogil:
    """The function of Alart and Curnier of such a contact, and its derivatives (3 x 3) by r and u."""
    cdef double normal = r[0] - rho * u[0], reached, most
    cdef int i, k
    memset(by_r, 0, 9 * sizeof(double))
    memset(by_u, 0, 9 * sizeof(double))
    value[0] = r[0] - max(0.0, normal)
    if normal > 0.0:
        by_u[0] = rho
    else:
        by_r[0] = 1.0
    for i in range(2):
        k, most = 1 + i, bound[i] * max(0.0, normal)
        reached = r[k] - rho * u[k]
        value[k] = r[k] - _within(reached, most)
        if fabs(reached) <= most and normal > 0.0:
            by_u[4 * k] = rho
            continue
        by_r[4 * k] = 1.0
        if normal > 0.0:
            by_r[3 * k] = -bound[i] if reached > 0.0 else bound[i]
            by_u[3 * k] = -rho * by_r[3 * k]


cdef inline double roll_solve(const double *bound, const double *own, double *u, double *r, double *change) noexcept nogil:
    """One contact for its own reactions, row after row; the largest change of u."""
    cdef double largest = 0.0, step
    cdef int i, k, once
    change[0] = change[1] = change[2] = 0.0
    for once in range(LOCAL_PASSES):
        for k in range(3):
            step = r[k] - u[k] / own[4 * k] if own[4 * k] > 0.0 else 0.0
            step = (max(0.0, step) if k == 0 else _within(step, bound[k - 1] * r[0])) - r[k]
            r[k] += step
            change[k] += step
            for i in range(3):
                u[i] += own[3 * i + k] * step
    for k in range(3):
        largest = max(largest, fabs(own[3 * k] * change[0] + own[3 * k + 1] * change[1] + own[3 * k + 2] * change[2]))
    return largest


# ------------------------------------------------------------------------ inside the cone


cdef inline void roll_edges(const double *R, double *a) noexcept nogil:
    """a of (r_0, c_1, c_2), linear."""
    a[0], a[1], a[2], a[3] = R[0] + R[1], R[0] - R[1], R[0] + R[2], R[0] - R[2]


cdef inline void roll_rates(const double *y, double *u) noexcept nogil:
    """(u_0, mu_1 u_1, mu_2 u_2) as y has them."""
    u[0] = y[0] * y[1] / (y[0] + y[1]) + y[2] * y[3] / (y[2] + y[3])
    u[1], u[2] = 0.5 * (y[0] - y[1]), 0.5 * (y[2] - y[3])


cdef inline void roll_slopes(const double *y, const double *dy, double *du) noexcept nogil:
    """What a change of y makes of these."""
    cdef double share
    cdef int i
    du[0] = 0.0
    for i in range(2):
        share = y[2 * i + 1] / (y[2 * i] + y[2 * i + 1])
        du[0] += share * share * dy[2 * i] + (1.0 - share) * (1.0 - share) * dy[2 * i + 1]
        du[1 + i] = 0.5 * (dy[2 * i] - dy[2 * i + 1])


cdef inline void roll_stiffness(const double *a, const double *y, double *M) noexcept nogil:
    """What a change of (r_0, c_1, c_2) makes of the rates (3 x 3) where a y stays as it is, with the other sign."""
    cdef double share, plus, minus
    cdef int i, k
    memset(M, 0, 9 * sizeof(double))
    for i in range(2):
        k, share = 1 + i, y[2 * i + 1] / (y[2 * i] + y[2 * i + 1])
        plus, minus = y[2 * i] / a[2 * i], y[2 * i + 1] / a[2 * i + 1]
        M[0] += share * share * plus + (1.0 - share) * (1.0 - share) * minus
        M[k] = share * share * plus - (1.0 - share) * (1.0 - share) * minus
        M[3 * k], M[4 * k] = 0.5 * (plus - minus), 0.5 * (plus + minus)


cdef inline double roll_to_edge(const double *x, const double *dx) noexcept nogil:
    """How far all of x + t dx (4) stay above zero."""
    cdef double length = HUGE_VAL
    cdef int i
    for i in range(4):
        if dx[i] < 0.0:
            length = min(length, -x[i] / dx[i])
    return length
