# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Friction cones of one contact; the interface is documented in ``_cone.pxd``."""

from libc.float cimport DBL_EPSILON
from libc.math cimport HUGE_VAL, fabs, sqrt

cdef double BLIND = 0.5 * DBL_EPSILON  # of r: a smaller u / rho is lost in r - u / rho

from nsdgen.solvers.generated.alart_curnier cimport (
    alart_curnier_2, alart_curnier_3, alart_curnier_5,
)


cdef int disk_count(int dim) noexcept nogil:
    return 2 if dim == 5 else 1


cdef int disk_size(int dim) noexcept nogil:
    return 1 if dim == 2 else 2


cdef double norm(int n, const double* x) noexcept nogil:
    cdef double a = fabs(x[0]), b, ratio
    if n == 1:
        return a
    b = fabs(x[1])
    if a < b:
        a, b = b, a
    if not a > 0.0:
        return a
    ratio = b / a
    return a * sqrt(1.0 + ratio * ratio)


# ------------------------------------------------------------------------- projection


cdef double _height(
    int disks, const double* mu, double x, const double* length
) noexcept nogil:
    """The t >= 0 that minimises (t - x)^2 + sum_k max(0, length_k - mu_k t)^2.

    Its derivative is increasing and piecewise linear: of the roots of its pieces the
    one that is a root of the whole is right.
    """
    cdef int subset, k
    cdef double top, bottom, t, slope, best = HUGE_VAL, height = 0.0
    for subset in range(1 << disks):
        top = x
        bottom = 1.0
        for k in range(disks):
            if subset >> k & 1:
                top += mu[k] * length[k]
                bottom += mu[k] * mu[k]
        t = top / bottom
        slope = t - x
        for k in range(disks):
            slope -= mu[k] * max(0.0, length[k] - mu[k] * t)
        if fabs(slope) < best:
            best = fabs(slope)
            height = t
    return max(height, 0.0)


cdef void project_cone(int dim, const double* mu, double* x) noexcept nogil:
    cdef int k, i, disks = disk_count(dim), size = disk_size(dim)
    cdef double length[2]
    cdef double radius, shrink
    for k in range(disks):
        length[k] = norm(size, x + 1 + k * size)
    x[0] = _height(disks, mu, x[0], length)
    for k in range(disks):
        radius = mu[k] * x[0]
        if length[k] > radius:
            shrink = radius / length[k]
            for i in range(size):
                x[1 + k * size + i] *= shrink


cdef double natural_contact(
    int dim, const double* mu, double rho, const double* r, const double* u, double* f
) noexcept nogil:
    cdef int i, k, size = disk_size(dim)
    cdef double augmented = u[0], worst = 0.0, largest = 0.0, moving = 0.0
    for k in range(disk_count(dim)):
        augmented += mu[k] * norm(size, u + 1 + k * size)
    f[0] = r[0] - augmented / rho
    for i in range(1, dim):
        f[i] = r[i] - u[i] / rho
    project_cone(dim, mu, f)
    for i in range(dim):
        f[i] = r[i] - f[i]
        # Written so that a NaN is not overlooked.
        if not (fabs(f[i]) <= worst):
            worst = fabs(f[i])
        largest = max(largest, fabs(r[i]))
        moving = max(moving, fabs(u[i]))
    worst = max(worst, min(BLIND * largest, moving / rho))
    return worst if worst == worst else HUGE_VAL


# ---------------------------------------------------------------------- linearisation


cdef void linearize_contact(
    int dim,
    const double* mu,
    double rho_n,
    double rho_t,
    const double* r,
    const double* u,
    double* f,
    double* by_r,
    double* by_u,
) noexcept nogil:
    if dim == 3:
        alart_curnier_3(rho_n, rho_t, mu[0], r, u, f, by_r, by_u)
    elif dim == 2:
        alart_curnier_2(rho_n, rho_t, mu[0], r, u, f, by_r, by_u)
    else:
        alart_curnier_5(rho_n, rho_t, mu, r, u, f, by_r, by_u)
