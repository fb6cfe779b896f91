# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Semismooth Newton for a handful of contacts, dense; the method is that of ``newton_friction``."""

from libc.math cimport sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from nsdgen.solvers._attention cimport interrupted
from nsdgen.solvers.one_contact._friction_cone cimport MAX_DIM, linearize_contact
from nsdgen.solvers.linalg._dense_lu cimport lu_factor, lu_solve
from nsdgen.solvers.contacts._gauss_seidel cimport ContactProblem, Contacts, contact_velocity, natural_residual

cdef enum:
    HALVINGS = 8

# of the merit, for the length of a step: Armijo's constant, so small that any true descent is taken
cdef double DECREASE = 1e-4
cdef double SOFT = 1e-8  # of the mean stiffness of a contact: a direction without its own scale

cdef struct Newton:
    const Contacts* contacts
    int n  # unknowns
    double reach
    double shift
    double* f  # n, as all that follow unless said otherwise
    double* r
    double* trial
    double* step
    double* best
    double* own_shift  # contacts
    double* rho  # contacts x 2
    double* by_u  # contacts x dim x dim
    double* matrix  # n x n
    int* pivot
    bint assembled  # F_r and F_u are those of r


cdef size_t _doubles(int n, int count, int dim) noexcept nogil:
    return 5 * n + 3 * count + count * dim * dim + n * n


cdef void _lay_out(Newton* w, double* memory) noexcept nogil:
    cdef int n = w.n, count = w.contacts.count, d = w.contacts.dim
    w.f = memory
    w.r = w.f + n
    w.trial = w.r + n
    w.step = w.trial + n
    w.best = w.step + n
    w.own_shift = w.best + n
    w.rho = w.own_shift + count
    w.by_u = w.rho + 2 * count
    w.matrix = w.by_u + count * d * d


cdef void _scale(Newton* w) noexcept nogil:
    """rho and eps of each contact, from the diagonal of its own block."""
    cdef const Contacts* c = w.contacts
    cdef const double* own
    cdef double normal, tangent, mean
    cdef int i, k, d = c.dim
    for i in range(c.count):
        own = c.block + c.diagonal[i] * d * d
        normal = own[0]
        tangent = 0.0
        for k in range(1, d):
            tangent += own[k * d + k]
        mean = (normal + tangent) / d
        tangent /= d - 1
        if not mean > 0.0:
            mean = 1.0
        w.rho[2 * i] = w.reach / (normal if normal > SOFT * mean else mean)
        w.rho[2 * i + 1] = w.reach / (tangent if tangent > SOFT * mean else mean)
        w.own_shift[i] = w.shift * mean


cdef double _merit(Newton* w, const double* r, bint assemble) noexcept nogil:
    """2-norm of F(r), into w.f; with ``assemble`` F_r and F_u as well."""
    cdef const Contacts* c = w.contacts
    cdef double u[MAX_DIM]
    cdef double by_r[MAX_DIM * MAX_DIM]
    cdef double by_u[MAX_DIM * MAX_DIM]
    cdef double total = 0.0
    cdef int i, k, j, d = c.dim, size = d * d
    if assemble:
        for k in range(w.n * w.n):
            w.matrix[k] = 0.0
    for i in range(c.count):
        contact_velocity(c, i, r, u)
        linearize_contact(
            d, c.mu + i * c.disks, w.rho[2 * i], w.rho[2 * i + 1], r + i * d, u, w.f + i * d,
            by_r, by_u,
        )
        if assemble:
            memcpy(w.by_u + i * size, by_u, size * sizeof(double))
            for k in range(d):
                for j in range(d):
                    w.matrix[(i * d + k) * w.n + i * d + j] = by_r[k * d + j]
        for k in range(d):
            total += w.f[i * d + k] * w.f[i * d + k]
    return sqrt(total)


cdef bint _direction(Newton* w) noexcept nogil:
    """w.step = J^-1 F, J = F_r + F_u (W + eps I); whether J is regular."""
    cdef const Contacts* c = w.contacts
    cdef const double* block
    cdef const double* by_u
    cdef const double* u
    cdef double* row
    cdef double entry
    cdef int i, b, k, l, j, d = c.dim
    for i in range(c.count):
        by_u = w.by_u + i * d * d
        for b in range(c.start[i], c.start[i + 1]):
            block = c.block + b * d * d
            for k in range(d):
                row = w.matrix + (i * d + k) * w.n + c.column[b] * d
                if d == 3:
                    u = by_u + 3 * k
                    for j in range(3):
                        row[j] += u[0] * block[j] + u[1] * block[3 + j] + u[2] * block[6 + j]
                    continue
                for l in range(d):
                    entry = by_u[k * d + l]
                    if entry == 0.0:
                        continue
                    for j in range(d):
                        row[j] += entry * block[l * d + j]
        for k in range(d):
            for j in range(d):
                w.matrix[(i * d + k) * w.n + i * d + j] += by_u[k * d + j] * w.own_shift[i]
    memcpy(w.step, w.f, w.n * sizeof(double))
    if lu_factor(w.n, w.matrix, w.pivot) != 0:
        return False
    lu_solve(w.n, w.matrix, w.pivot, w.step, 1)
    return True


cdef bint _search(Newton* w, double* merit) noexcept nogil:
    """Move w.r along the step as far as F falls; whether it does at all."""
    cdef double length = 1.0, new
    cdef int attempt, k
    w.assembled = False
    for attempt in range(HALVINGS):
        for k in range(w.n):
            w.trial[k] = w.r[k] - length * w.step[k]
        # Nearly always the full step will do.
        w.assembled = attempt == 0
        new = _merit(w, w.trial, w.assembled)
        if new <= (1.0 - DECREASE * length) * merit[0]:
            merit[0] = new
            memcpy(w.r, w.trial, w.n * sizeof(double))
            return True
        length *= 0.5
    return False


cdef double _run(Newton* w, double* r, int limit, double tolerance, int* steps) noexcept nogil:
    """Newton's method from r, which is overwritten by the best iterate; its residual."""
    cdef double residual, least = natural_residual(w.contacts, r, NULL), merit
    cdef size_t size = w.n * sizeof(double)
    memcpy(w.r, r, size)
    merit = _merit(w, w.r, True)
    while steps[0] < limit and least > tolerance and not interrupted():
        if not _direction(w):
            break
        steps[0] += 1
        if not _search(w, &merit):
            break
        residual = natural_residual(w.contacts, w.r, NULL)
        if residual < least:
            least = residual
            memcpy(r, w.r, size)
        if not w.assembled and least > tolerance:
            _merit(w, w.r, True)
    return least


cdef size_t newton_doubles(int count, int dim) noexcept nogil:
    return _doubles(count * dim, count, dim)


cdef double newton_small(
    const Contacts* contacts, double* r, int limit, double tolerance, double shift, double reach,
    double* memory, int* pivot, int* steps,
) noexcept nogil:
    cdef Newton w
    w.contacts = contacts
    w.n = contacts.count * contacts.dim
    w.shift = shift
    w.reach = reach
    w.pivot = pivot
    _lay_out(&w, memory)
    _scale(&w)
    return _run(&w, r, limit, tolerance, steps)


def newton_dense(
    ContactProblem problem, double[:, ::1] r, int limit, double tolerance, double shift,
    double reach,
):
    """At most ``limit`` steps from r (contacts, dim), overwritten by the best iterate.

    ``shift`` is eps relative to the mean diagonal of each contact's block, ``reach`` is
    rho relative to the inverse of that diagonal. Returns the natural map and the steps.
    """
    cdef int steps = 0
    cdef double residual
    cdef double* memory = <double*> malloc(newton_doubles(problem.count, problem.dim) * sizeof(double))
    cdef int* pivot = <int*> malloc(problem.count * problem.dim * sizeof(int))
    if memory == NULL or pivot == NULL:
        free(memory)
        free(pivot)
        raise MemoryError
    with nogil:
        residual = newton_small(
            &problem.contacts, &r[0, 0], limit, tolerance, shift, reach, memory, pivot, &steps
        )
    free(memory)
    free(pivot)
    return residual, steps
