# cython: language_level=3
"""What other units take of this one."""

from libc.float cimport DBL_EPSILON
from libc.math cimport HUGE_VAL, fabs, sqrt

cdef extern from *:
    """
    static const double NO_SLIP = 1e100;  /* a coefficient from which on nothing slides; its square is a number */
    static const double CLOSED = 1e-9;  /* of the load: a smaller normal reaction is rounding */
    static const double AT_REST = 1e-7;  /* of the load: a smaller rate is none; what touches without load may take some */
    """
    const double NO_SLIP
    const double CLOSED
    const double AT_REST

cdef enum:
    MAX_DIM = 5  # rows of a contact that rolls

cdef inline int disk_count(int dim) noexcept nogil:
    """How many friction disks a contact has: 2 for dim 5, otherwise 1."""
    return 2 if dim == 5 else 1

cdef inline int disk_size(int dim) noexcept nogil:
    """Unknowns in each disk: 1 for dim 2, otherwise 2. Disk k starts at 1 + k * size."""
    return 1 if dim == 2 else 2

cdef double scaled_norm(double a, double b) noexcept nogil
"""Euclidean norm of (a, b) whose squares are too large or too small."""

cdef inline double norm(int n, const double* x) noexcept nogil:
    """Euclidean norm of n <= 2 numbers, without overflow."""
    cdef double total
    if n == 1:
        return fabs(x[0])
    total = x[0] * x[0] + x[1] * x[1]
    return sqrt(total) if 1e-280 < total < 1e280 else scaled_norm(x[0], x[1])

cdef int contact_changes(
    int dim, const double* mu, double r_n, const double* u, double push, double rate, double* change
) noexcept nogil
"""How the reaction of a contact may change while its case stays, ``dim`` entries each; how many ways there are.

None where it is open. One that touches, loaded or not, may change its normal reaction, with the friction of each disk
that slides, and freely the friction of each disk that does not. ``push`` and ``rate`` are the load as a reaction
and as a velocity; ``change`` has room for dim x dim.
"""

cdef double two_disks_height(const double* mu, double x, const double* length) noexcept nogil
"""x_N of the nearest point of a cone with two disks: ``length`` (2) of what is in them, ``x`` above."""

cdef inline double disk_radius(double mu, double r_n) noexcept nogil:
    """What friction may amount to beside the normal reaction r_n."""
    if not r_n > 0.0:
        return 0.0
    return mu * r_n if mu < NO_SLIP else HUGE_VAL

cdef inline void project_cone(int dim, const double* mu, double* x) noexcept nogil:
    """Replace x (dim) by the nearest point of K."""
    cdef int k, i, disks = disk_count(dim), size = disk_size(dim)
    cdef double length[2]
    cdef double radius, shrink
    for k in range(disks):
        length[k] = norm(size, x + 1 + k * size)
    if disks == 2:
        x[0] = two_disks_height(mu, x[0], length)
    elif x[0] > 0.0 and length[0] <= disk_radius(mu[0], x[0]):
        return
    elif mu[0] < NO_SLIP:
        x[0] = (x[0] + mu[0] * length[0]) / (1.0 + mu[0] * mu[0])
    if x[0] < 0.0:
        x[0] = 0.0
    for k in range(disks):
        radius = disk_radius(mu[k], x[0])
        if length[k] > radius:
            shrink = radius / length[k]
            for i in range(size):
                x[1 + k * size + i] *= shrink

cdef inline double friction_off(int size, double radius, double rho, const double* r, const double* u) noexcept nogil:
    """Largest entry of r - P(r - u / rho), ``size`` entries of one disk."""
    cdef double x[2]
    cdef double length, shrink, worst = 0.0
    cdef int i
    for i in range(size):
        x[i] = r[i] - u[i] / rho
    length = norm(size, x)
    shrink = radius / length if length > radius else 1.0
    for i in range(size):
        worst = max(worst, fabs(r[i] - shrink * x[i]))
    return worst

cdef inline double direction_off(double radius, double rho, const double* r, const double* u, double blur) noexcept nogil:
    """|u_T| / rho, or what r_T + mu r_N u_T / |u_T| is if that is less: two entries, zero where Coulomb's law holds.

    A wrong direction of friction moves ``friction_off`` by its product with the speed only. ``blur`` is what u is off by
    where r is right to its last digits: a speed below that has no direction.
    """
    cdef double speed = norm(2, u)
    cdef double lacking[2]
    cdef int i
    if not speed > blur:
        return 0.0
    if not radius < HUGE_VAL:
        return speed / rho
    for i in range(2):
        lacking[i] = r[i] + radius * (u[i] / speed)
    return min(speed / rho, max(norm(2, lacking) - radius * (blur / speed), 0.0))

cdef inline double contact_off(int dim, const double* mu, double rho, const double* r, const double* u) noexcept nogil:
    """The largest violation of the law, zero exactly at the solutions, or what of u it cannot see.

    Infinite where a number is infinite or none.
    """
    cdef int i, k, size = disk_size(dim)
    cdef double worst, largest = 0.0, moving = 0.0, numbers = 0.0
    for i in range(dim):
        numbers += (r[i] - r[i]) + (u[i] - u[i])
        largest = max(largest, fabs(r[i]))
        moving = max(moving, fabs(u[i]))
    if numbers != 0.0:
        return HUGE_VAL
    worst = max(-r[0], -u[0] / rho if u[0] < 0.0 else min(u[0] / rho, largest))
    for k in range(disk_count(dim)):
        i = 1 + k * size
        worst = max(worst, friction_off(size, disk_radius(mu[k], r[0]), rho, r + i, u + i))
    # A u that is smaller than half a rounding of r, times rho, is lost in r - u / rho.
    return max(worst, min(0.5 * DBL_EPSILON * largest, moving / rho))

cdef void linearize_contact(
    int dim, const double* mu, double rho_n, double rho_t, const double* r, const double* u, double* f, double* by_r,
    double* by_u
) noexcept nogil
"""The Alart-Curnier function f (dim) and its derivatives by r and by u (dim x dim).

f_N = r_N - max(0, x_N) with x_N = r_N - rho_n u_N; for each disk f_T = r_T - P(x_T) with
x_T = r_T - rho_t u_T and P the projection on the disk of radius mu max(0, x_N). It
vanishes at the solutions and has units of r; rho has units of r over units of u. At its
kinks the derivatives are those of one side. Derived by nsdgen: ``generated/alart_curnier.pxd``.
"""

cdef double solve_contact(int dim, const double* w, const double* q, const double* mu, double* r) noexcept nogil
"""Solve one contact; ``w`` (dim x dim, row-major), ``q`` (dim), ``mu`` as in ``_friction_cone.pxi``.

On entry ``r`` (dim) is a guess, of which only the direction of sliding is used, and only
where it is a solution. On return it is the best candidate. Returns what that is off by (``contact_off``)
with the rate m = max |W_ij|, in units of max |q| / m, or a bound of it. Values far above rounding mean that the contact has no solution (W_NN = 0 and q_N < 0) or none was found.
"""

cdef bint begin_contact(const double* w, const double* q, double mu, double* r) noexcept nogil
"""Solve one contact in space roughly: exactly where it opens or sticks, otherwise it slides where sticking would pull it.

False where that is none, ``r`` is then a guess still.
"""
