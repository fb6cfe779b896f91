# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Friction cones of one contact; the interface is documented in ``_friction_cone.pxd``."""

from libc.math cimport HUGE_VAL, fabs, sqrt

from nsdgen.solvers.generated.alart_curnier cimport (
    alart_curnier_2, alart_curnier_3, alart_curnier_5,
)


cdef double scaled_norm(double a, double b) noexcept nogil:
    cdef double ratio
    a = fabs(a)
    b = fabs(b)
    if a < b:
        a, b = b, a
    if not a > 0.0:
        return a + b  # zero, or not a number
    ratio = b / a
    return a * sqrt(1.0 + ratio * ratio)


# ------------------------------------------------------------------------- projection


cdef double two_disks_height(const double* mu, double x, const double* length) noexcept nogil:
    """The t >= 0 that minimises (t - x)^2 + sum_k max(0, length_k - mu_k t)^2.

    Its derivative is increasing and piecewise linear: of the roots of its pieces the
    one that is a root of the whole is right.
    """
    cdef int subset, k
    cdef double top, bottom, t, slope, best = HUGE_VAL, height = 0.0
    for subset in range(4):
        top = x
        bottom = 1.0
        for k in range(2):
            if subset >> k & 1:
                top += mu[k] * length[k]
                bottom += mu[k] * mu[k]
        t = top / bottom
        slope = t - x
        for k in range(2):
            slope -= mu[k] * max(0.0, length[k] - mu[k] * t)
        if fabs(slope) < best:
            best = fabs(slope)
            height = t
    return max(height, 0.0)


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
