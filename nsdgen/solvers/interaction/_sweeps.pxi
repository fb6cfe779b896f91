"""What is left to one island of a one-step problem; it starts from ``z`` and leaves its best iterate there."""

cdef enum:
    SWEEP_ROUNDS = 4
    FIRST_SWEEPS = 20  # of a round, doubled from one to the next


cdef void _sweep(OneStep *w) noexcept nogil:
    """One pass of block Gauss-Seidel, each block of rows solved exactly."""
    cdef double q[MAX_DIM]
    cdef double own[MAX_DIM * MAX_DIM]
    cdef double x[MAX_DIM]
    cdef const double *diagonal
    cdef const double *block
    cdef double value
    cdef int p, c, i, j, k, d, m, mq, base, cone
    for p in range(w.begin, w.end):
        base = w.row[p]
        m = w.row[p + 1] - base
        diagonal = w.value + w.place[w.start[p]]
        i = 0
        while i < m:
            cone = w.cone[base + i]
            d = block_height(cone)
            for k in range(d):
                q[k] = w.b[base + i + k]
                for c in range(w.start[p], w.start[p + 1]):
                    mq = w.row[w.column[c] + 1] - w.row[w.column[c]]
                    block = w.value + w.place[c] + (i + k) * mq
                    for j in range(mq):
                        q[k] += block[j] * w.z[w.row[w.column[c]] + j]
                for j in range(d):
                    own[k * d + j] = diagonal[(i + k) * m + i + j]
                    q[k] -= own[k * d + j] * w.z[base + i + j]
                x[k] = w.z[base + i + k]
            if d > 1:
                if solve_contact(d, own, q, w.bound + 2 * (base + i), x) != HUGE_VAL:
                    memcpy(w.z + base + i, x, d * sizeof(double))
            elif own[0] > 0.0 or (own[0] < 0.0 and cone == EQUALITY):
                value = -q[0] / own[0]
                if cone == COMPLEMENTARITY:
                    value = fmax(0.0, value)
                elif cone == BOX:
                    value = fmax(w.bound[2 * (base + i)], fmin(w.bound[2 * (base + i) + 1], value))
                w.z[base + i] = value
            i += d


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
        least = fmin(least, proximal_rounds(w))
        if least <= GOOD:
            break
        sweeps *= 2
    return least
