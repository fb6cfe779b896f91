"""The rows of one node solved for its own multipliers, all others given: what sweeps do at each node."""


cdef void solve_own_rows(
    int m, const int *cone, const double *bound, const double *own, double *u, double *z
) noexcept nogil:
    cdef double block[MOST_ROWS * MOST_ROWS]
    cdef double q[MOST_ROWS]
    cdef double x[MOST_ROWS]
    cdef double value
    cdef int i = 0, j, k, d
    while i < m:
        d = block_height(cone[i])
        for k in range(d):
            q[k], x[k] = u[i + k], z[i + k]
            for j in range(d):
                block[k * d + j] = own[(i + k) * m + i + j]
                q[k] -= block[k * d + j] * z[i + j]
        if d > 1:
            if q[0] >= 0.0 and d < MOST_ROWS:  # it takes off
                memset(x, 0, d * sizeof(double))
            elif solve_contact(d, block, q, bound + 2 * i, x) == HUGE_VAL:
                i += d
                continue
        elif block[0] > 0.0 or (block[0] < 0.0 and cone[i] == EQUALITY):
            value = -q[0] / block[0]
            if cone[i] == COMPLEMENTARITY:
                value = fmax(0.0, value)
            elif cone[i] == BOX:
                value = fmax(bound[2 * i], fmin(bound[2 * i + 1], value))
            x[0] = value
        for k in range(d):
            value = x[k] - z[i + k]
            z[i + k] = x[k]
            for j in range(m if value != 0.0 else 0):
                u[j] += own[j * m + i + k] * value
        i += d
