"""Sweeps of exact contacts over a dense problem, each started from a mixture of those before it.

A solution is what a sweep leaves as it is. Where the cases of contacts have settled a sweep is a smooth map g with
f(r) = g(r) - r, and the mixture g_k - sum_j c_j (g_j+1 - g_j) with the c that minimise |f_k - sum_j c_j (f_j+1 - f_j)|
is what a secant method over the last sweeps gives (D. G. Anderson, 1965): as many sweeps as a Krylov method
needs with Gauss-Seidel's method to precondition it, without a derivative. Where a sweep changes more than those
before it, what is remembered is forgotten.
"""

cdef enum:
    DEPTH = 8  # sweeps that are remembered

cdef struct Sweeps:
    const Dense* p
    double* weight  # n, as all that follow unless said otherwise: 1 / (scale aim), what a change of r counts
    double* before  # where the last sweep started
    double* ended  # where it ended
    double* off  # what it changed, weighted
    double* best  # where the sweep that changed least ended
    double* ends  # DEPTH x n: differences of the ends of sweeps
    double* offs  # DEPTH x n: differences of their changes, weighted
    double products[DEPTH * DEPTH]  # of offs with each other
    int held  # differences
    int next  # place of the next one
    double least  # change of the sweep that changed least

cdef double WORSE = 10.0  # times the least change: what is remembered misleads
cdef double ALIKE = 1e-13  # of its own product: a difference that others make up says nothing


cdef size_t sweeps_doubles(int n) noexcept nogil:
    """Doubles of ``memory`` for ``sweeps_begin``."""
    return <size_t> n * (5 + 2 * DEPTH)


cdef void sweeps_begin(Sweeps* s, const Dense* p, double* memory) noexcept nogil:
    """Make ready; nothing is remembered."""
    cdef int i, k, n = p.n
    s.p = p
    s.weight = memory
    s.before = s.weight + n
    s.ended = s.before + n
    s.off = s.ended + n
    s.best = s.off + n
    s.ends = s.best + n
    s.offs = s.ends + DEPTH * n
    s.held = s.next = -1
    s.least = HUGE_VAL
    for i in range(p.count):
        s.weight[i * p.dim] = 1.0 / (p.scale[i] * p.aim[i])
        for k in range(1, p.dim):
            s.weight[i * p.dim + k] = s.weight[i * p.dim]


cdef inline void _product(const Dense* p, int i, const double* r, double* x) noexcept nogil:
    """x (dim) = the rows of contact i of W r."""
    cdef const double* row = p.W + <size_t> i * p.dim * p.n
    if p.dim == 2:
        nsd_dot_two(p.n, row, p.n, r, x)
    else:
        nsd_dot_three(p.n, row, p.n, r, x)
        if p.dim == 5:
            nsd_dot_two(p.n, row + 3 * <size_t> p.n, p.n, r, x + 3)


cdef double sweep(Sweeps* s, double* r, bint rough) noexcept nogil:
    """One pass over all contacts from r (n), ``rough`` or exact; the largest change of a reaction, in units of the aim."""
    cdef const Dense* p = s.p
    cdef double q[MAX_DIM]
    cdef double x[MAX_DIM]
    cdef double change = 0.0
    cdef double* own
    cdef int i, k, d = p.dim
    memcpy(s.before, r, p.n * sizeof(double))
    for i in range(p.count):
        own = r + i * d
        for k in range(d):
            x[k] = own[k]
            own[k] = 0.0
        _product(p, i, r, q)
        for k in range(d):
            q[k] += p.q[i * d + k]
        if not (rough and begin_contact(p.own + i * d * d, q, p.mu[i], x)):
            if solve_contact(d, p.own + i * d * d, q, p.mu + i * p.disks, x) == HUGE_VAL:
                memcpy(x, s.before + i * d, d * sizeof(double))
        for k in range(d):
            own[k] = x[k]
            change = max(change, fabs(x[k] - s.before[i * d + k]) * s.weight[i * d + k])
    if change < s.least:
        s.least = change
        memcpy(s.best, r, p.n * sizeof(double))
    elif not change <= WORSE * s.least:
        s.held = s.next = -1
    return change


cdef void mix(Sweeps* s, double* r) noexcept nogil:
    """r after a sweep becomes the mixture of the last sweeps' ends that would change least, were sweeps linear."""
    cdef int i, j, n = s.p.n, slot
    cdef double off
    cdef double share[DEPTH + 1]
    cdef double product[DEPTH + 1]
    cdef double* ends
    cdef double* offs
    if s.held < 0:  # nothing to compare with yet
        s.held = s.next = 0
        for i in range(n):
            s.off[i] = (r[i] - s.before[i]) * s.weight[i]
        memcpy(s.ended, r, n * sizeof(double))
        return
    slot = s.next
    ends, offs = s.ends + slot * n, s.offs + slot * n
    for i in range(n):
        off = (r[i] - s.before[i]) * s.weight[i]
        offs[i] = off - s.off[i]
        ends[i] = r[i] - s.ended[i]
        s.off[i] = off
        s.ended[i] = r[i]
    s.held = min(s.held + 1, DEPTH)
    s.next = (slot + 1) % DEPTH
    for j in range(0, s.held, 2):  # the last one may be of a difference that is not there: it is not read
        nsd_dot_two(n, s.offs + j * n, n, offs, product + j)
        nsd_dot_two(n, s.offs + j * n, n, s.off, share + j)
    for j in range(s.held):
        s.products[slot * DEPTH + j] = s.products[j * DEPTH + slot] = product[j]
    _shares(s, slot, share)
    for j in range(s.held):
        if share[j] != 0.0:
            nsd_add(n, -share[j], s.ends + j * n, r)


cdef void _shares(const Sweeps* s, int latest, double* share) noexcept nogil:
    """The c of the least change, from the products of differences with what changed, the latest ones first.

    A difference that those before it make up gets nothing. The products are factored as L L^T.
    """
    cdef double factor[DEPTH * DEPTH]
    cdef double inverse[DEPTH]
    cdef double x[DEPTH]
    cdef int place[DEPTH]
    cdef int i, j, k, before, kept = 0
    cdef double total, own, left
    cdef double* row = factor
    for k in range(s.held):
        i = (latest - k + DEPTH) % DEPTH
        own = left = s.products[i * DEPTH + i]
        for j in range(kept):
            total = s.products[i * DEPTH + place[j]]
            for before in range(j):
                total -= row[before] * factor[j * DEPTH + before]
            row[j] = total * inverse[j]
            left -= row[j] * row[j]
        if not left > ALIKE * own:
            continue
        inverse[kept] = 1.0 / sqrt(left)
        place[kept] = i
        total = share[i]
        for j in range(kept):
            total -= row[j] * x[j]
        x[kept] = total * inverse[kept]
        kept += 1
        row += DEPTH
    for i in range(s.held):
        share[i] = 0.0
    for j in range(kept - 1, -1, -1):
        for k in range(j + 1, kept):
            x[j] -= factor[k * DEPTH + j] * x[k]
        x[j] *= inverse[j]
        share[place[j]] = x[j]
