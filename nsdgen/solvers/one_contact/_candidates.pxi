"""One contact while it is being solved: candidates are offered, the best one is kept."""

cdef struct Local:
    int dim
    const double* w
    const double* q
    const double* mu
    double size  # max |W_ij|
    double load  # max |q_i|
    double best  # residual of r
    double* r  # the best candidate so far

cdef enum:
    POLISH_STEPS = 12  # near a root four bring rounding; the others lead there
    HALVINGS = 8  # to 1/128 of a step: a shorter one leads nowhere

cdef double EXACT = 1e-14  # a candidate this good ends the search


cdef inline void velocity(int dim, const double* w, const double* q, const double* r, double* u) noexcept nogil:
    """u = W r + q."""
    cdef int i, j
    for i in range(dim):
        u[i] = q[i]
        for j in range(dim):
            u[i] += w[i * dim + j] * r[j]


cdef double measure(Local* p, const double* r) noexcept nogil:
    """What r is off by (``contact_off``) in units of load / size."""
    cdef double u[MAX_DIM]
    velocity(p.dim, p.w, p.q, r, u)
    return contact_off(p.dim, p.mu, p.size, r, u) * p.size / p.load


cdef bint offer(Local* p, const double* r) noexcept nogil:
    """Keep r if it is the best so far; whether the search may end: r is exact to rounding."""
    cdef double residual = measure(p, r)
    if residual < p.best:
        p.best = residual
        memcpy(p.r, r, p.dim * sizeof(double))
    return p.best <= EXACT


cdef bint good_enough(const Local* p) noexcept nogil:
    """Whether the best candidate needs no rescue."""
    return p.best <= 1e-11


cdef bint offer_stick(Local* p) noexcept nogil:
    """Offer the solution of W r = -q: no motion at all. Whether the search may end."""
    cdef double factor[MAX_DIM * MAX_DIM]
    cdef int pivot[MAX_DIM]
    cdef double r[MAX_DIM]
    cdef int i
    memcpy(factor, p.w, p.dim * p.dim * sizeof(double))
    for i in range(p.dim):
        r[i] = -p.q[i]
    if lu_factor(p.dim, factor, pivot) != 0:
        return False
    lu_solve(p.dim, factor, pivot, r, 1)
    return offer(p, r)


cdef bint offer_slip3(Local* p) noexcept nogil:
    """dim 3: offer all roots of the quartic."""
    cdef double e[2 * MAX_DIRECTIONS]
    cdef double r[3]
    cdef int i, count = slip_directions(p.w, p.q, p.mu[0], e)
    for i in range(count):
        if slip_reaction(p.w, p.q, p.mu[0], e + 2 * i, r) and offer(p, r):
            return True
    return False


cdef bint polish(Local* p, const double* start) noexcept nogil:
    """Semismooth Newton steps on the Alart-Curnier function from ``start``, while they help.

    Every iterate is offered. Returns whether the best candidate is good enough.
    """
    cdef double f[MAX_DIM]
    cdef double u[MAX_DIM]
    cdef double r[MAX_DIM]
    cdef double trial[MAX_DIM]
    cdef double by_r[MAX_DIM * MAX_DIM]
    cdef double by_u[MAX_DIM * MAX_DIM]
    cdef int pivot[MAX_DIM]
    cdef int step, i, j, k, d = p.dim
    cdef double residual, before, length
    memcpy(r, start, d * sizeof(double))
    residual = measure(p, r)
    for step in range(POLISH_STEPS):
        velocity(d, p.w, p.q, r, u)
        linearize_contact(d, p.mu, 1.0 / p.size, 1.0 / p.size, r, u, f, by_r, by_u)
        for i in range(d):
            for k in range(d):
                for j in range(d):
                    by_r[i * d + j] += by_u[i * d + k] * p.w[k * d + j]
        if lu_factor(d, by_r, pivot) != 0:
            break
        lu_solve(d, by_r, pivot, f, 1)
        before = residual
        length = 1.0
        for k in range(HALVINGS):
            for i in range(d):
                trial[i] = r[i] - length * f[i]
            residual = measure(p, trial)
            if residual < before:
                break
            length *= 0.5
        if not residual < before:
            break
        memcpy(r, trial, d * sizeof(double))
        if offer(p, r):
            return True
    return good_enough(p)
