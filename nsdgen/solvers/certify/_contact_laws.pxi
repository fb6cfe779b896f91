"""What each contact is off by, law by law: the numbers of the certificate, for many contacts at once."""


def law_violations(
    const double[:, :] u, const double[:, :] r, const double[:, :] mu, const double[:] rho, const double[:] terms,
    double[:] off,
):
    """What each contact is off by, in units of r, into ``off`` (contacts,); infinite where a number is none.

    ``u`` and ``r`` are (contacts, dim), ``mu`` (contacts, disks), ``rho`` > 0 (contacts,) units of u over those of r.
    ``terms`` (contacts,) are the sizes of what u is a sum of, whose rounding blurs its direction; infinite ones leave
    the direction of sliding to the natural map alone. The largest of

    - what it pulls, -r_N, and penetrates, -u_N / rho;
    - what it acts at a distance: u_N / rho, or the largest |r_i| if that is less;
    - for each disk, r_T - P(r_T - u_T / rho), P the projection on the disk of radius mu r_N (P. Alart and
      A. Curnier, 1991). It is zero where Coulomb's law holds, but where sliding is slow a wrong direction of friction
      moves it by the product of both only. So both by themselves: |u_T| / rho, or r_T + mu r_N u_T / |u_T| if that is
      less;
    - a u that is lost in the rounding of r - u / rho.
    """
    cdef Py_ssize_t i
    cdef int dim = <int> u.shape[1], disks = <int> mu.shape[1]
    cdef double undirected
    for i in range(u.shape[0]):
        off[i] = contact_violation(dim, disks, &u[i, 0], &r[i, 0], &mu[i, 0], rho[i], terms[i], &undirected)


def contact_residuals(
    const double[:, :] u, const double[:, :] r, const double[:, :] mu, const double[:] terms, double m, double whole,
    const double[:] unit, const double[:] size, const double[:] load, double[:] residual,
):
    """The residual of each contact into ``residual`` (contacts,), as ``contact_residual`` has them one by one."""
    cdef Py_ssize_t i
    cdef int dim = <int> u.shape[1], disks = <int> mu.shape[1]
    cdef double of_load
    for i in range(u.shape[0]):
        residual[i] = contact_residual(
            dim, disks, &u[i, 0], &r[i, 0], &mu[i, 0], terms[i], m, whole, unit[i], size[i], load[i], &of_load
        )


cdef double contact_residual(
    int dim, int disks, const double* u, const double* r, const double* mu, double terms, double m, double whole,
    double unit, double size, double load, double* of_load,
) noexcept nogil:
    cdef double rho = size / (unit * unit), common, residual, lost
    cdef double off = contact_violation(dim, disks, u, r, mu, rho, terms, &common) * (size / unit)
    cdef double own = off / min(max(terms * unit, LEAST_TERMS * load), load)
    if rho != m:
        contact_violation(dim, disks, u, r, mu, m, HUGE_VAL, &common)
    common *= m / whole
    of_load[0] = common
    if off <= FINE * load:
        residual = off / load
    elif own - own == 0.0 and common - common == 0.0:
        residual = max(own, common)
    else:
        return HUGE_VAL
    lost = off / (terms * unit) if terms > 0.0 else 0.0
    if lost <= LOST and off <= DISTINCT * load and off <= DISTINCT * whole * unit:
        residual = min(lost, residual)
    return residual


cdef inline double _larger(double a, double b) noexcept nogil:
    """b where it is no number: ``max`` would drop it."""
    return a if a > b else b


cdef inline double _smaller(double a, double b) noexcept nogil:
    return a if a < b else b


cdef inline double contact_violation(
    int dim, int disks, const double* u, const double* r, const double* mu, double rho, double terms, double* undirected
) noexcept nogil:
    """What ``law_violations`` says of one contact; the same by the natural map alone is ``undirected``."""
    cdef double acting = 0.0, moving = 0.0, numbers = 0.0, apart = u[0] / rho, directed = 0.0, worst, radius, held
    cdef int i, k, first, size
    for i in range(dim):
        numbers += (u[i] - u[i]) + (r[i] - r[i])
        acting = _larger(acting, fabs(r[i]))
        moving = _larger(moving, fabs(u[i]))
    undirected[0] = HUGE_VAL if numbers != 0.0 else 0.0
    if numbers != 0.0 or (acting == 0.0 and apart >= 0.0):  # none, or open
        return undirected[0]
    moving /= rho
    worst = _larger(-r[0], -apart if apart < 0.0 else _smaller(apart, acting))
    for k in range(disks):
        first = 1 + 2 * k
        size = min(2, dim - first)
        radius = disk_radius(mu[k], r[0])
        held = 0.0
        for i in range(first, first + size):
            held = _larger(held, fabs(r[i]))
        # Less the rounding of r at the rim of its disk.
        worst = _larger(worst, friction_off(size, radius, rho, r + first, u + first) - LAST_DIGITS * held)
        if size == 2 and terms < HUGE_VAL:
            directed = _larger(directed, direction_off(radius, rho, r + first, u + first, ROUNDING * terms))
    # Half a rounding of r: a smaller u / rho is lost in r - u / rho.
    undirected[0] = _larger(worst, _smaller(0.5 * DBL_EPSILON * acting, moving))
    return _larger(undirected[0], directed)


NOISE = 1e-13  # of the largest |b| of all parts: what the rounding of common motions may leave in one
SEEN = 1e4  # times |b| of a contact: what rounding is there would have left more, in other units it is nothing

cdef double LAST_DIGITS = 4.0 * DBL_EPSILON  # of r: what its projection on a disk may leave
cdef double ROUNDING = 32.0 * DBL_EPSILON  # of its terms: what u may be off by where r is right to its last digits

cdef double FINE = 1e-12  # of the load: right in its own units
cdef double LOST = 1e-14  # of its own terms: no r in double precision does better
cdef double DISTINCT = 1e-4  # of the load: what rounding may leave
cdef double LEAST_TERMS = 1e-4  # of the load: what the terms of a contact count for at least
