"""Contacts in a plane that resist rolling: three rows, a normal one, one of sliding and one of rolling.

|r_1| <= mu r_0 and |r_2| <= mu_r r_0, each by itself, with ``bound`` = (mu, mu_r). The row of rolling is a velocity as the others are: a turn
times a length of the contact.
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
