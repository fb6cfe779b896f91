"""Exact solvers of one frictional contact, u = W r + q, callable from nogil code.

Unknowns, cones and the law are those of ``_friction_cone.pxi``. All cases are tried: take-off
(q_N >= 0), sticking (W r = -q inside the cone), sliding (dim 2: two signs; dim 3: the
quartic of ``_slip_directions.pxi``; dim 5: sliding or rolling alone by the same quartic after the
sticking rows are eliminated, both at once by alternating between the two directions).
The likely cases are tried first (``_likely_cases.pxi``); where none of them is exact, all are, and the
candidate that is least off wins, in dim 5 after a few Newton steps. Where W is singular, so that a contact cannot be
solved by division, none may be exact: others take it from there.
"""

cdef double NEAR = 1e-2  # a guess this good is worth Newton's method at once


cdef bint _offer_slip2(Local* p) noexcept nogil:
    """dim 2: r_T = +- mu r_N."""
    cdef double r[2]
    cdef double stiffness
    cdef int side
    for side in range(-1, 2, 2):
        stiffness = p.w[0] + side * p.mu[0] * p.w[1]
        if stiffness == 0.0:
            continue
        r[0] = -p.q[0] / stiffness
        r[1] = side * p.mu[0] * r[0]
        if offer(p, r):
            return True
    return False


cdef bint _offer_frictionless(Local* p) noexcept nogil:
    """r_N alone, for disks of radius zero."""
    cdef double r[MAX_DIM]
    memset(r, 0, p.dim * sizeof(double))
    if p.w[0] == 0.0:
        return False
    r[0] = -p.q[0] / p.w[0]
    return offer(p, r)


cdef void _offer_all(Local* p, const double* guess) noexcept nogil:
    cdef int k
    cdef bint slippery = True
    for k in range(disk_count(p.dim)):
        slippery = slippery and p.mu[k] == 0.0
    if slippery and _offer_frictionless(p):
        return
    if offer_stick(p):
        return
    if p.dim == 2:
        _offer_slip2(p)
    elif p.dim == 3:
        offer_slip3(p)
    else:
        offer_rolling(p, guess)


cdef double solve_contact(int dim, const double* w, const double* q, const double* mu, double* r) noexcept nogil:
    cdef Local p
    cdef double guess[MAX_DIM]
    cdef double bound
    if q[0] >= 0.0:
        memset(r, 0, dim * sizeof(double))
        return 0.0
    if dim != 5 and quick_contact(dim, w, q, mu[0], r, &bound):
        return bound
    p.dim, p.w, p.q, p.mu, p.r = dim, w, q, mu, r
    p.size, p.load = _largest(dim * dim, w), _largest(dim, q)
    memcpy(guess, r, dim * sizeof(double))
    memset(r, 0, dim * sizeof(double))
    if p.size == 0.0:
        return HUGE_VAL
    p.best = measure(&p, r)
    # Sweeps come back to a contact with what was its solution just before.
    if dim == 5 and guess[0] > 0.0 and measure(&p, guess) < NEAR and polish(&p, guess):
        return p.best
    _offer_all(&p, guess)
    return p.best
