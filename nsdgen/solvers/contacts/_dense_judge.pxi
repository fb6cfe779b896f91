"""How far an answer to a dense friction problem is off."""


cdef double dense_residual(const Dense* p, double* r, double* u, double* of_load) noexcept nogil:
    """The residual of the certificate at r (n), each contact of which is first put into its cone; u (n) = W r + q.

    Infinite where a number is none. ``of_load`` is ``violation_of_load`` of ``mixed_certificate.py``.
    """
    cdef int i, k, row, d = p.dim
    cdef double terms, size, worst = 0.0
    of_load[0] = 0.0
    for i in range(p.count):
        project_cone(d, p.mu + i * p.disks, r + i * d)
    for i in range(p.count):
        terms = 0.0
        for k in range(d):
            row = i * d + k
            u[row] = nsd_dot_sized(p.n, p.W + <size_t> row * p.n, r, &size) + p.q[row]
            terms = max(terms, size + fabs(p.q[row]))
        judge(p, i, r, u, terms, &worst, of_load)
    return worst


cdef void judge(
    const Dense* p, int i, const double* r, const double* u, double terms, double* worst, double* of_load,
) noexcept nogil:
    """Contact i, of which terms are added up to u, into what is worst."""
    cdef double beside, off
    off = contact_residual(
        p.dim, p.disks, u + i * p.dim, r + i * p.dim, p.mu + i * p.disks, terms, p.m, p.whole, p.unit[i], p.size[i],
        p.load[i], &beside,
    )
    of_load[0] = max(of_load[0], beside)
    if not off <= worst[0]:
        worst[0] = off if off - off == 0.0 else HUGE_VAL
