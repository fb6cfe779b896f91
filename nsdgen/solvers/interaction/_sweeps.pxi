"""Sweeps of Gauss-Seidel, each block of rows solved exactly: the last resort of an island, from ``z`` to its best iterate."""

cdef enum:
    SWEEP_ROUNDS = 4  # 300 sweeps in all: what these do not bring near is for the public solvers
    FIRST_SWEEPS = 20  # of a round, doubled from one to the next


cdef void solve_own_rows(
    int m, const int *cone, const double *bound, const double *own, double *u, double *z
) noexcept nogil:
    cdef double block[MAX_DIM * MAX_DIM]
    cdef double q[MAX_DIM]
    cdef double x[MAX_DIM]
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
            if q[0] >= 0.0 and d < MAX_DIM:  # it takes off
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


cdef void _sweep(OneStep *w) noexcept nogil:
    """One pass of block Gauss-Seidel, each block of rows solved exactly."""
    cdef int p, row
    for p in range(w.begin, w.end):
        row = w.row[p]
        memcpy(w.y + row, w.b + row, (w.row[p + 1] - row) * sizeof(double))
        output_node(w, p)
        solve_own_rows(w.row[p + 1] - row, w.cone + row, w.bound + 2 * row, w.value + w.place[w.start[p]], w.y + row,
                       w.z + row)


cdef double sweep_and_step(OneStep *w) noexcept nogil:
    """Sweeps of Gauss-Seidel and damped Newton steps in turn, more sweeps each time; the residual reached."""
    cdef double least = HUGE_VAL
    cdef int turn, k, sweeps = FIRST_SWEEPS
    for turn in range(SWEEP_ROUNDS):
        for k in range(sweeps):
            if interrupted():
                return least
            _sweep(w)
        w.sweeps += sweeps
        least = damped_steps(w, False, FINE, DAMPED_STEPS)
        if least > FINE:
            least = fmin(least, full_steps(w, False, FINE, DAMPED_STEPS))
        if least <= GOOD:
            break
        least = fmin(least, proximal_rounds(w, LONG_PATIENCE))
        if least <= GOOD:
            break
        sweeps *= 2
    return least
