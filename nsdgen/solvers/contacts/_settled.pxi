"""Contacts in the plane whose cases have settled: what is left is linear."""

cdef enum:
    MOST_SETTLED = 64  # unknowns of what is left: up to here it costs less than the sweeps it saves

cdef enum:
    OPEN = 0
    STICKS = 2  # -1 and 1: slides, friction on that side


cdef bint settle(const double* r, const double* mu, int count, signed char* cases) noexcept nogil:
    """Note the case of each contact in the plane at the end of a sweep; whether all are as noted before."""
    cdef int i
    cdef signed char now
    cdef bint same = True
    for i in range(count):
        if not r[2 * i] > 0.0:
            now = OPEN
        elif fabs(r[2 * i + 1]) < mu[i] * r[2 * i]:
            now = STICKS
        else:
            now = 1 if r[2 * i + 1] >= 0.0 else -1
        same = same and now == cases[i]
        cases[i] = now
    return same


cdef size_t settled_doubles(int n) noexcept nogil:
    """Doubles of ``memory`` for ``solve_settled``."""
    return n + MOST_SETTLED * (MOST_SETTLED + 1) + MOST_SETTLED


cdef bint solve_settled(const Dense* p, const signed char* cases, double* memory) noexcept nogil:
    """The reactions of contacts that keep their cases at the start of ``memory`` (n); whether they are determined, and
    few."""
    cdef double* a = memory + p.n
    cdef double* x = a + MOST_SETTLED * MOST_SETTLED
    cdef int* pivot = <int*> (x + MOST_SETTLED)
    cdef int i, j, k = 0, row = 0, column
    cdef const double* w
    for i in range(p.count):
        k += 0 if cases[i] == OPEN else 2 if cases[i] == STICKS else 1
    if k > MOST_SETTLED:
        return False
    for i in range(2 * p.count):
        if cases[i // 2] == OPEN or (i % 2 and cases[i // 2] != STICKS):
            continue
        w = p.W + <size_t> i * p.n
        column = row * k
        for j in range(p.count):
            if cases[j] == STICKS:
                a[column] = w[2 * j] * p.unit[j]
                a[column + 1] = w[2 * j + 1] * p.unit[j]
                column += 2
            elif cases[j] != OPEN:
                a[column] = (w[2 * j] + cases[j] * p.mu[j] * w[2 * j + 1]) * p.unit[j]
                column += 1
        x[row] = -p.q[i]
        row += 1
    if k and lu_factor(k, a, pivot) != 0:
        return False
    if k:
        lu_solve(k, a, pivot, x, 1)
    memset(memory, 0, p.n * sizeof(double))
    k = 0
    for j in range(p.count):
        if cases[j] == OPEN:
            continue
        memory[2 * j] = x[k] * p.unit[j]
        if cases[j] == STICKS:
            memory[2 * j + 1] = x[k + 1] * p.unit[j]
            k += 1
        else:
            memory[2 * j + 1] = cases[j] * p.mu[j] * memory[2 * j]
        k += 1
    return True
