"""Frictional contacts as nodes of a graph, solved by the solver of a step; callable from nogil code.

The matrix W is stored in block rows: blocks ``start[i]`` ... ``start[i + 1] - 1`` belong
to contact i; block b couples it to contact ``column[b]`` and is ``block + b * dim * dim``,
row-major. Each block row holds its diagonal block, at ``diagonal[i]``. Everything is
expected in normalised units, max |W_ij| = max |q_i| = 1, so that tolerances are relative.
"""

from libc.string cimport memcpy, memset

import numpy as np

from nsdgen.abi.cones cimport COULOMB_2D, COULOMB_3D, FOLLOWS, ROLLING
from nsdgen.solvers._attention cimport interrupted
from nsdgen.solvers._clock cimport now
from nsdgen.solvers.interaction._interaction cimport one_step_attempt, one_step_solve
from nsdgen.solvers.interaction._interaction cimport one_step_free, one_step_init, one_step_reserve
from nsdgen.solvers.interaction._one_step_work cimport FINE_SHIFT, SHIFT, OneStep
from nsdgen.solvers.one_contact._one_contact cimport MAX_DIM, contact_off

cdef struct Contacts:
    int count  # contacts
    int dim  # unknowns of each, see _friction_cone.pxi
    int disks  # friction coefficients of each
    const int* start
    const int* column
    const int* diagonal
    const double* block
    const double* q  # count * dim
    const double* mu  # count * disks

cdef double OWN_AIM = 0.1  # of the tolerance, for a measure of its own
cdef double FINEST = 1e-12  # some thousand roundings beside the load: a smaller tolerance is not reached reliably


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


cdef void _velocity(const Contacts* c, int i, const double* r, double* u) noexcept nogil:
    cdef int b, k, d = c.dim
    for k in range(d):
        u[k] = c.q[i * d + k]
    for b in range(c.start[i], c.start[i + 1]):
        _add_product(d, c.block + b * d * d, r + c.column[b] * d, u)


cdef double natural_residual(const Contacts* c, const double* r, int* worst) noexcept nogil:
    """What the worst of all contacts is off by (``contact_off``) with rho = 1; ``worst`` (or NULL) is its number."""
    cdef double u[MAX_DIM]
    cdef double size, largest = 0.0
    cdef int i
    if worst != NULL:
        worst[0] = 0
    for i in range(c.count):
        _velocity(c, i, r, u)
        size = contact_off(c.dim, c.mu + i * c.disks, 1.0, r + i * c.dim, u)
        if size > largest:
            largest = size
            if worst != NULL:
                worst[0] = i
    return largest


cdef int _lay_out(const Contacts* c, double tolerance, const int* order, OneStep* w) noexcept nogil:
    """The contacts as nodes of a one-step problem; not 0 where memory is missing."""
    cdef int n = c.count, d = c.dim, size = d * d, first = c.start[0], i, b, k, at = 0
    w.changed = w.relaid = 1
    if one_step_reserve(w, n, n * d, c.start[n] - first, <size_t> (c.start[n] - first) * size):
        return -1
    w.n, w.rows = n, n * d
    w.tolerance = max(OWN_AIM * tolerance, FINEST)
    for i in range(n + 1):
        w.row[i] = i * d
        w.start[i] = c.start[i] - first
    for i in range(n):
        w.column[at] = i
        memcpy(w.value + <size_t> at * size, c.block + <size_t> c.diagonal[i] * size, size * sizeof(double))
        at += 1
        for b in range(c.start[i], c.start[i + 1]):
            if b != c.diagonal[i]:
                w.column[at] = c.column[b]
                memcpy(w.value + <size_t> at * size, c.block + <size_t> b * size, size * sizeof(double))
                at += 1
        for k in range(d):
            w.cone[i * d + k] = FOLLOWS
        w.cone[i * d] = COULOMB_2D if d == 2 else COULOMB_3D if d == 3 else ROLLING
        for k in range(c.disks):
            w.bound[2 * i * d + k] = c.mu[i * c.disks + k]
        w.order[i] = i if order == NULL else order[i]
    for b in range(at):
        w.place[b] = <size_t> b * size
    memcpy(w.b, c.q, n * d * sizeof(double))
    return 0


cdef double solve_over_graph(
    const Contacts* c, double* r, double tolerance, const int* order, OneStep* w, int* iterations
) noexcept nogil:
    """All methods of ``_one_step.pxi`` from r (count * dim), overwritten by the better iterate; its natural map.

    ``order`` (count), or NULL for that of the contacts, is the one of elimination. ``w`` is work space, made ready by
    ``one_step_init``; ``iterations`` grows by the sweeps and the Newton steps made.
    """
    cdef double residual = natural_residual(c, r, NULL), reached
    if _lay_out(c, tolerance, order, w):
        return residual
    memcpy(w.z, r, w.rows * sizeof(double))
    one_step_solve(w)
    iterations[0] += w.sweeps + w.iterations
    reached = natural_residual(c, w.z, NULL)
    if not reached < residual:
        return residual
    memcpy(r, w.z, w.rows * sizeof(double))
    return reached


cdef bint _stays_open(const Contacts* c, double* r) noexcept nogil:
    """Whether r = 0 is a solution; r is then 0."""
    cdef int i
    for i in range(c.count):
        if not c.q[i * c.dim] >= 0.0:
            return False
    memset(r, 0, c.count * c.dim * sizeof(double))
    return True


# -------------------------------------------------------------------------- from Python


cdef class ContactProblem:
    """A normalised friction problem in block rows.

    ``blocks`` (blocks, dim, dim), ``column`` (blocks), ``start`` (contacts + 1) are the
    arrays of a block-sparse matrix whose diagonal blocks are all stored; ``q`` is
    (contacts, dim), ``mu`` (contacts, disks). Shapes have been checked by the caller.
    """

    cdef Contacts contacts
    cdef readonly int count, dim
    cdef readonly object blocks, column, start, q, mu, diagonal

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


def solve_parts(
    ContactProblem problem, const int[::1] first, const int[::1] order, double[:, ::1] r, const double[::1] tolerance,
    double[::1] residual, bint finer=False,
):
    """Each part, contacts ``first[k]`` ... ``first[k + 1] - 1``, over its graph to its ``tolerance``.

    ``r`` (contacts, dim) holds the guess and is overwritten by the better iterate, ``residual`` (parts) by its natural
    map; with ``finer`` A is made regular by no more than FINE_SHIFT. ``order`` (contacts) is that of elimination, counted from the start of each part, as columns are. Returns the
    iterations and the seconds taken.
    """
    cdef int k, i, iterations = 0
    cdef Contacts part = problem.contacts
    cdef const Contacts* whole = &problem.contacts
    cdef OneStep w
    cdef double seconds
    with nogil:
        seconds = now()
        one_step_init(&w)
        w.regular = FINE_SHIFT if finer else SHIFT
        for k in range(<int> first.shape[0] - 1):
            i = first[k]
            part.count = first[k + 1] - i
            part.start, part.diagonal = whole.start + i, whole.diagonal + i
            part.q, part.mu = whole.q + i * whole.dim, whole.mu + i * whole.disks
            residual[k] = 0.0
            if not _stays_open(&part, &r[i, 0]):
                residual[k] = solve_over_graph(&part, &r[i, 0], tolerance[k], &order[i], &w, &iterations)
        one_step_free(&w)
        seconds = now() - seconds
    return iterations, seconds


def solve_from(ContactProblem problem, const double[:, :, ::1] starts, const double[::1] reaches, int limit, double tolerance):
    """Reactions (contacts, dim) to ``tolerance`` from the first of ``starts`` that arrives, or None, and how many were tried.

    Each is given up after ``limit`` Newton steps (``one_step_attempt``) with each of ``reaches``.
    """
    cdef OneStep w
    cdef const Contacts* c = &problem.contacts
    cdef int k = 0, j
    cdef bint found = False
    with nogil:
        one_step_init(&w)
        if _lay_out(c, tolerance, NULL, &w) == 0:
            for k in range(<int> starts.shape[0]):
                for j in range(<int> reaches.shape[0]):
                    memcpy(w.z, &starts[k, 0, 0], w.rows * sizeof(double))
                    one_step_attempt(&w, reaches[j], limit)
                    found = natural_residual(c, w.z, NULL) <= tolerance
                    if found or interrupted():
                        break
                if found or interrupted():
                    break
    result = np.array(<double[:problem.count, :problem.dim]> w.z) if found else None
    one_step_free(&w)
    return result, k + 1
