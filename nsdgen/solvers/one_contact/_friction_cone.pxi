"""Friction cones of one contact: projection, violations of the law, Alart-Curnier linearisation.

Every solver spends its time on these: they are written here so that compilers can put them in place.

A contact has ``dim`` unknowns r, normal first, and a velocity u in the same order:

    dim 2: (N, T)                     |r_T| <= mu r_N
    dim 3: (N, T1, T2)                |r_T| <= mu r_N
    dim 5: (N, T1, T2, R1, R2)        |r_T| <= mu r_N and |r_R| <= mu_r r_N

``mu`` points to the coefficients of the contact: one number, for dim 5 two (mu, mu_r).
The law is K* contains u~, orthogonal to r in K, with u~ = u + (mu |u_T| + mu_r |u_R|) e_N.
A coefficient of ``NO_SLIP`` or more, an infinite one too, means that what is closed does not slide.

What a contact is off by is counted law by law, in units of r, with an exchange rate rho (units of u over units of r):

    it pulls                 -r_N
    it penetrates            -u_N / rho
    it acts at a distance    u_N / rho, or the largest |r_i| if that is less
    its friction is another  |r_T - P(r_T - u_T / rho)|, P the projection on the disk of radius mu r_N

The natural map of De Saxcé's law, r - P_K(r - u~ / rho), is zero at the same (r, u). But a penetration moves it by
1 / mu of itself: with a large coefficient it would pass.
"""


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


# --------------------------------------------------------------------------- changes


cdef int contact_changes(
    int dim, const double* mu, double r_n, const double* u, double push, double rate, double* change
) noexcept nogil:
    cdef int k, j, first, made = 1, size = disk_size(dim)
    cdef double speed
    if not r_n > CLOSED * push and fabs(u[0]) > AT_REST * rate:
        return 0
    memset(change, 0, dim * dim * sizeof(double))
    change[0] = 1.0
    for k in range(disk_count(dim)):
        first = 1 + k * size
        speed = norm(size, u + first)
        for j in range(first, first + size if speed > AT_REST * rate or mu[k] > 0.0 else first):
            if speed > AT_REST * rate:
                change[j] = -mu[k] * u[j] / speed
            else:
                change[made * dim + j] = 1.0
                made += 1
    return made


# ---------------------------------------------------------------------- linearisation


cdef void _linearize_two_disks(
    const double* mu, double rho_n, double rho_t, const double* r, const double* u, double* f, double* by_r,
    double* by_u
) noexcept nogil:
    """Sliding and rolling: each disk and the normal, which they share, are a contact of three rows."""
    cdef double[3] own_r, own_u, own_f
    cdef double[9] own_by_r, own_by_u
    cdef int[3] place
    cdef int k, i, j
    memset(by_r, 0, 25 * sizeof(double))
    memset(by_u, 0, 25 * sizeof(double))
    place[0] = 0
    for k in range(2):
        place[1], place[2] = 1 + 2 * k, 2 + 2 * k
        for i in range(3):
            own_r[i], own_u[i] = r[place[i]], u[place[i]]
        alart_curnier_3(rho_n, rho_t, mu[k], own_r, own_u, own_f, own_by_r, own_by_u)
        for i in range(3):
            f[place[i]] = own_f[i]
            for j in range(3):
                by_r[5 * place[i] + place[j]] = own_by_r[3 * i + j]
                by_u[5 * place[i] + place[j]] = own_by_u[3 * i + j]


cdef void linearize_contact(
    int dim, const double* mu, double rho_n, double rho_t, const double* r, const double* u, double* f, double* by_r,
    double* by_u
) noexcept nogil:
    if dim == 3:
        alart_curnier_3(rho_n, rho_t, mu[0], r, u, f, by_r, by_u)
    elif dim == 2:
        alart_curnier_2(rho_n, rho_t, mu[0], r, u, f, by_r, by_u)
    else:
        _linearize_two_disks(mu, rho_n, rho_t, r, u, f, by_r, by_u)


# -------------------------------------------------------------------------- from Python


def projected(const double[:, ::1] mu, const double[:, ::1] r):
    """The nearest points of the cones of all contacts; ``mu`` is (contacts, disks), r and the result (contacts, dim)."""
    cdef double[:, ::1] x = np.array(r)
    cdef int i
    for i in range(<int> x.shape[0]):
        project_cone(<int> x.shape[1], &mu[i, 0], &x[i, 0])
    return np.asarray(x)


def linearized(const double[:, ::1] mu, const double[:, ::1] rho, const double[:, ::1] r, const double[:, ::1] u):
    """``linearize_contact`` of all contacts: f (contacts, dim), by_r and by_u (contacts, dim, dim).

    ``mu`` is (contacts, disks), ``rho`` (contacts, 2): normal, tangential.
    """
    cdef int count = <int> r.shape[0], dim = <int> r.shape[1], i
    cdef double[:, ::1] f = np.empty((count, dim))
    cdef double[:, :, ::1] by_r = np.empty((count, dim, dim)), by_u = np.empty((count, dim, dim))
    for i in range(count):
        linearize_contact(
            dim, &mu[i, 0], rho[i, 0], rho[i, 1], &r[i, 0], &u[i, 0], &f[i, 0], &by_r[i, 0, 0], &by_u[i, 0, 0]
        )
    return np.asarray(f), np.asarray(by_r), np.asarray(by_u)
