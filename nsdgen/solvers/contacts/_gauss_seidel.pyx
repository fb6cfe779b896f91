# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Block nonlinear Gauss-Seidel over contacts; the interface is documented in ``_gauss_seidel.pxd``."""

from libc.math cimport HUGE_VAL, fabs
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from nsdgen.solvers._attention cimport interrupted
from nsdgen.solvers.one_contact._friction_cone cimport MAX_DIM, contact_off, linearize_contact, project_cone
from nsdgen.solvers.one_contact._contact_solver cimport solve_contact

cdef enum:
    CHECK_EVERY = 10

cdef double SHORTEST = 0.4  # relaxation: never a smaller part of a local step
cdef double SHORTEN = 0.85  # after a sweep that made it worse: six of these lead from 1 to SHORTEST
# after a sweep that helped: slower than SHORTEN, or the iterates would circle again at once
cdef double LENGTHEN = 1.05


cdef inline void _add_product(int dim, const double* a, const double* x, double* y) noexcept nogil:
    """y += a x; dim 3 and 2 written out, this is where the time goes."""
    cdef int i, j
    if dim == 3:
        y[0] += a[0] * x[0] + a[1] * x[1] + a[2] * x[2]
        y[1] += a[3] * x[0] + a[4] * x[1] + a[5] * x[2]
        y[2] += a[6] * x[0] + a[7] * x[1] + a[8] * x[2]
    elif dim == 2:
        y[0] += a[0] * x[0] + a[1] * x[1]
        y[1] += a[2] * x[0] + a[3] * x[1]
    else:
        for i in range(dim):
            for j in range(dim):
                y[i] += a[i * dim + j] * x[j]


cdef void contact_velocity(const Contacts* c, int i, const double* r, double* u) noexcept nogil:
    cdef int b, k, d = c.dim
    for k in range(d):
        u[k] = c.q[i * d + k]
    for b in range(c.start[i], c.start[i + 1]):
        _add_product(d, c.block + b * d * d, r + c.column[b] * d, u)


cdef double natural_residual(const Contacts* c, const double* r, int* worst) noexcept nogil:
    cdef double u[MAX_DIM]
    cdef double size, largest = 0.0
    cdef int i
    if worst != NULL:
        worst[0] = 0
    for i in range(c.count):
        contact_velocity(c, i, r, u)
        size = contact_off(c.dim, c.mu + i * c.disks, 1.0, r + i * c.dim, u)
        if size > largest:
            largest = size
            if worst != NULL:
                worst[0] = i
    return largest


cdef double _sweep(const Contacts* c, double* r, double part) noexcept nogil:
    """One pass over all contacts; returns the largest change of a reaction."""
    cdef double q[MAX_DIM]
    cdef double x[MAX_DIM]
    cdef double* old
    cdef double change = 0.0
    cdef int i, b, k, d = c.dim
    for i in range(c.count):
        old = r + i * d
        for k in range(d):
            q[k] = c.q[i * d + k]
            x[k] = old[k]
        for b in range(c.start[i], c.start[i + 1]):
            if b != c.diagonal[i]:
                _add_product(d, c.block + b * d * d, r + c.column[b] * d, q)
        if solve_contact(d, c.block + c.diagonal[i] * d * d, q, c.mu + i * c.disks, x) == HUGE_VAL:
            continue
        for k in range(d):
            # The end point is taken as it is: a sum would lose its exact zeros.
            if part < 1.0:
                x[k] = old[k] + part * (x[k] - old[k])
            change = max(change, fabs(x[k] - old[k]))
            old[k] = x[k]
    return change


cdef bint _is_zero(int n, const double* r) noexcept nogil:
    cdef int i
    for i in range(n):
        if r[i] != 0.0:
            return False
    return True


cdef double gauss_seidel(
    const Contacts* c, double* r, double* best, int limit, double tolerance, int* sweeps
) noexcept nogil:
    cdef size_t size = c.count * c.dim * sizeof(double)
    # At a cold start no one asks how far r = 0 is off, unless the first sweep does not do.
    cdef bint cold = _is_zero(c.count * c.dim, r)
    cdef double residual, before, least = HUGE_VAL if cold else natural_residual(c, r, NULL)
    cdef double change, part = 1.0
    cdef int k
    memcpy(best, r, size)
    before = least
    for k in range(1, limit + 1):
        if least <= tolerance or interrupted():
            break
        change = _sweep(c, r, part)
        sweeps[0] += 1
        if k > 1 and k % CHECK_EVERY and k < limit and change > tolerance:
            continue
        residual = natural_residual(c, r, NULL)
        if cold and residual > tolerance:
            least = before = natural_residual(c, best, NULL)
        cold = False
        if residual < least:
            least = residual
            memcpy(best, r, size)
        part = min(1.0, part * LENGTHEN) if residual < before else max(SHORTEST, part * SHORTEN)
        before = residual
    memcpy(r, best, size)
    return least


# -------------------------------------------------------------------------- from Python


cdef class ContactProblem:
    """A normalised friction problem in block rows, for ``friction`` and ``newton_friction``.

    ``blocks`` (blocks, dim, dim), ``column`` (blocks), ``start`` (contacts + 1) are the
    arrays of a block-sparse matrix whose diagonal blocks are all stored; ``q`` is
    (contacts, dim), ``mu`` (contacts, disks). Shapes have been checked by the caller.
    """

    def __init__(self, blocks, column, start, diagonal, q, mu):
        self.blocks, self.column, self.start, self.diagonal = blocks, column, start, diagonal
        self.q, self.mu = q, mu
        cdef const double[:, :, ::1] block_view = blocks
        cdef const int[::1] column_view = column
        cdef const int[::1] start_view = start
        cdef const int[::1] diagonal_view = diagonal
        cdef const double[:, ::1] q_view = q
        cdef const double[:, ::1] mu_view = mu
        self.count = <int> q_view.shape[0]
        self.dim = <int> q_view.shape[1]
        self.contacts.count = self.count
        self.contacts.dim = self.dim
        self.contacts.disks = <int> mu_view.shape[1]
        # The arrays are attributes, and so outlive these pointers.
        self.contacts.block = &block_view[0, 0, 0]
        self.contacts.column = &column_view[0]
        self.contacts.start = &start_view[0]
        self.contacts.diagonal = &diagonal_view[0]
        self.contacts.q = &q_view[0, 0]
        self.contacts.mu = &mu_view[0, 0]

    def residual(self, const double[:, ::1] r):
        """Largest natural map at r (contacts, dim) and the contact that has it."""
        cdef int worst = 0
        cdef double value
        with nogil:
            value = natural_residual(&self.contacts, &r[0, 0], &worst)
        return value, worst

    def residuals(self, const double[:, ::1] r, double[::1] value):
        """Natural map of each contact at r (contacts, dim), into ``value`` (contacts)."""
        cdef double u[MAX_DIM]
        cdef const Contacts* c = &self.contacts
        cdef int i
        for i in range(c.count):
            contact_velocity(c, i, &r[0, 0], u)
            value[i] = contact_off(c.dim, c.mu + i * c.disks, 1.0, &r[i, 0], u)

    def project(self, double[:, ::1] x):
        """Each contact of x (contacts, dim) replaced by the nearest point of its cone."""
        cdef const Contacts* c = &self.contacts
        cdef int i
        with nogil:
            for i in range(c.count):
                project_cone(c.dim, c.mu + i * c.disks, &x[i, 0])

    def sweep(self, double[:, ::1] r, int limit, double tolerance):
        """``gauss_seidel`` from r (contacts, dim), in place; returns residual and sweeps made."""
        cdef int sweeps = 0
        cdef double value
        cdef double* best = <double*> malloc(self.count * self.dim * sizeof(double))
        if best == NULL:
            raise MemoryError
        with nogil:
            value = gauss_seidel(&self.contacts, &r[0, 0], best, limit, tolerance, &sweeps)
        free(best)
        return value, sweeps

    def linearize(
        self,
        const double[:, ::1] rho,
        const double[:, ::1] r,
        double[:, ::1] f,
        double[:, :, ::1] by_r,
        double[:, :, ::1] by_u,
    ):
        """``linearize_contact`` of every contact; ``rho`` (contacts, 2) holds rho_n, rho_t."""
        cdef double u[MAX_DIM]
        cdef const Contacts* c = &self.contacts
        cdef int i
        with nogil:
            for i in range(c.count):
                contact_velocity(c, i, &r[0, 0], u)
                linearize_contact(
                    c.dim, c.mu + i * c.disks, rho[i, 0], rho[i, 1], &r[i, 0], u,
                    &f[i, 0], &by_r[i, 0, 0], &by_u[i, 0, 0],
                )
