# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""A first round on friction problems that share no body: sweeps, Newton's method, the solver over the graph.

A part is a range of contacts, ``first[k]`` ... ``first[k + 1] - 1``, in an order that keeps
parts together; blocks refer to columns counted from the start of their part.
"""

from libc.math cimport pow
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from nsdgen.solvers._attention cimport interrupted
from nsdgen.abi.cones cimport COULOMB_2D, COULOMB_3D, FOLLOWS, ROLLING
from nsdgen.solvers._clock cimport now
from nsdgen.solvers.contacts._dense_newton cimport newton_doubles, newton_small
from nsdgen.solvers.contacts._gauss_seidel cimport ContactProblem, Contacts, gauss_seidel, natural_residual
from nsdgen.solvers.interaction._one_step cimport one_step_solve
from nsdgen.solvers.interaction._one_step_memory cimport one_step_free, one_step_init, one_step_reserve
from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef enum:
    FEW = 36  # unknowns: up to here the dense method is the faster one
    MOST_NEWTON = 180  # up to here the own dense LU is the faster one
    MOST_GRAPH = 300  # up to here the first round tries the graph
    NEWTON_STEPS = 10
    SMALL_SWEEPS = 4  # before Newton's method where that is cheap
    MIDDLE_SWEEPS = 100  # before Newton's method over the graph, which costs more, where they promise to arrive
    FIRST_SWEEPS = 10
    MOST_SWEEPS = 60
    LONG_SWEEPS = 300  # where Newton's method needs large factors

FIRST_ROUND_UNKNOWNS = MOST_GRAPH

cdef double NEAR = 10.0  # times the tolerance: a promise this close is kept
# of a contact's mean stiffness, in the matrix only: regular with seven digits left, and the answer stays where it is
cdef double NEWTON_SHIFT = 1e-9
# see REACH in contact_newton.py: above 1 fewer steps, between 10 and 100 it matters little
cdef double NEWTON_REACH = 30.0
cdef double OWN_AIM = 0.1  # of the tolerance, for a measure of its own
cdef double FINEST = 1e-12  # some thousand roundings beside the load: a smaller tolerance is not reached reliably


cdef Contacts _part(const Contacts* whole, int first, int last) noexcept nogil:
    cdef Contacts part = whole[0]
    part.count = last - first
    part.start = whole.start + first
    part.diagonal = whole.diagonal + first
    part.q = whole.q + first * whole.dim
    part.mu = whole.mu + first * whole.disks
    return part


cdef bint _stays_open(const Contacts* c, double* r) noexcept nogil:
    """Whether r = 0 is a solution; r is then 0."""
    cdef int i
    for i in range(c.count):
        if not c.q[i * c.dim] >= 0.0:
            return False
    for i in range(c.count * c.dim):
        r[i] = 0.0
    return True


cdef double _sweeps(
    const Contacts* c, double* r, double* best, double tolerance, int most, int* sweeps
) noexcept nogil:
    """Gauss-Seidel as long as its rate promises to arrive in ``most`` sweeps, which nothing else would do for less."""
    cdef int made = 0
    cdef double before = natural_residual(c, r, NULL)
    cdef double residual = gauss_seidel(c, r, best, FIRST_SWEEPS, tolerance, &made)
    while tolerance < residual < before and made < most and not interrupted():
        if residual * pow(residual / before, (most - made) / FIRST_SWEEPS) > NEAR * tolerance:
            break
        before = residual
        residual = gauss_seidel(c, r, best, FIRST_SWEEPS, tolerance, &made)
    sweeps[0] += made
    return residual


# --------------------------------------------------------------------------- the graph


cdef void _minimum_degree(
    int n, const int* start, const int* column, uint64_t* near, int* degree, int* order
) noexcept nogil:
    """Contacts in an order of small fill; ``near`` has n words of n bits, rounded up, ``degree`` n ints."""
    cdef int words = (n + 63) // 64, i, j, k, b, step, w, total
    cdef uint64_t* own
    memset(near, 0, n * words * sizeof(uint64_t))
    for i in range(n):
        for b in range(start[i], start[i + 1]):
            j = column[b]
            if j != i:
                near[i * words + j // 64] |= <uint64_t> 1 << (j % 64)
                near[j * words + i // 64] |= <uint64_t> 1 << (i % 64)
    for i in range(n):
        degree[i] = _bits(near + i * words, words)
    for step in range(n):
        k = -1
        for i in range(n):
            if degree[i] >= 0 and (k < 0 or degree[i] < degree[k]):
                k = i
        order[step] = k
        own = near + k * words
        total = degree[k]
        degree[k] = -1
        if total == n - 1 - step:  # the rest is full: any order will do
            for i in range(n):
                if degree[i] >= 0:
                    step += 1
                    order[step] = i
            return
        for j in range(n):
            if own[j // 64] >> (j % 64) & 1:
                for w in range(words):
                    near[j * words + w] |= own[w]
                near[j * words + k // 64] &= ~(<uint64_t> 1 << (k % 64))
                near[j * words + j // 64] &= ~(<uint64_t> 1 << (j % 64))
                degree[j] = _bits(near + j * words, words)


cdef int _bits(const uint64_t* words, int count) noexcept nogil:
    cdef int i, total = 0
    cdef uint64_t x
    for i in range(count):
        x = words[i]
        while x:
            x &= x - 1
            total += 1
    return total


cdef double _by_graph(
    const Contacts* c, double* r, double tolerance, const int* order, OneStep* w, int* sweeps, int* steps
) noexcept nogil:
    """Newton's method with block-sparse factors, and sweeps (``_one_step.pxd``), from r; r is the better iterate.

    Without ``order`` (contacts) one of small fill is found; the residual is returned.
    """
    cdef int n = c.count, d = c.dim, size = d * d, first = c.start[0], i, b, k, at = 0
    cdef double residual = natural_residual(c, r, NULL), reached
    cdef uint64_t* near
    w.changed = w.relaid = 1
    if one_step_reserve(w, n, n * d, c.start[n] - first, <size_t> (c.start[n] - first) * size):
        return residual
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
    for b in range(at):
        w.place[b] = <size_t> b * size
    if order != NULL:
        memcpy(w.order, order, n * sizeof(int))
    else:
        near = <uint64_t*> malloc(n * ((n + 63) // 64) * sizeof(uint64_t))
        if near == NULL:
            return residual
        _minimum_degree(n, w.start, w.column, near, w.position, w.order)
        free(near)
    memcpy(w.b, c.q, n * d * sizeof(double))
    memcpy(w.z, r, n * d * sizeof(double))
    one_step_solve(w)
    sweeps[0] += w.sweeps
    steps[0] += w.iterations
    reached = natural_residual(c, w.z, NULL)
    if not reached < residual:
        return residual
    memcpy(r, w.z, n * d * sizeof(double))
    return reached


def graph_newton(ContactProblem problem, const int[::1] order, double[:, ::1] r, double tolerance):
    """``_by_graph`` in the elimination ``order`` (contacts) from r (contacts, dim), overwritten by the better iterate.

    Returns the natural map, the sweeps and the Newton steps.
    """
    cdef OneStep w
    cdef int sweeps = 0, steps = 0
    cdef double residual
    with nogil:
        one_step_init(&w)
        residual = _by_graph(&problem.contacts, &r[0, 0], tolerance, &order[0], &w, &sweeps, &steps)
        one_step_free(&w)
    return residual, sweeps, steps


cdef double _small(
    const Contacts* c, double* r, double* best, double tolerance, double* memory, int* pivot,
    OneStep* w, int* sweeps, int* steps,
) noexcept nogil:
    """A few sweeps, Newton's method; where that fails more sweeps, and Newton's method from there."""
    cdef int attempt, n = c.count * c.dim
    cdef int made
    cdef double residual
    if n <= FEW:
        residual = gauss_seidel(c, r, best, SMALL_SWEEPS, tolerance, sweeps)
    else:
        residual = _sweeps(c, r, best, tolerance, MIDDLE_SWEEPS, sweeps)
    if residual > tolerance and n > FEW:
        residual = _by_graph(c, r, tolerance, NULL, w, sweeps, steps)
    for attempt in range(2):
        if residual <= tolerance or n > MOST_NEWTON:
            break
        made = 0
        residual = newton_small(
            c, r, NEWTON_STEPS, tolerance, NEWTON_SHIFT, NEWTON_REACH, memory, pivot, &made
        )
        steps[0] += made
        if residual > tolerance and attempt == 0:
            residual = _sweeps(c, r, best, tolerance, MOST_SWEEPS, sweeps)
    return residual


def first_round(
    ContactProblem problem, const int[::1] first, double[:, ::1] r, const double[::1] tolerance,
    double[::1] residual,
):
    """Each part in turn until its ``tolerance``: open ones, small ones by Newton's method, others by sweeps.

    ``r`` (contacts, dim) holds the guess and is overwritten by the best iterate, ``residual``
    (parts) by its natural map. Returns the sweeps, the Newton steps and the seconds taken.
    """
    cdef int parts = <int> first.shape[0] - 1, k, most = 0, sweeps = 0, steps = 0, small = 0, n
    cdef int dim = problem.dim
    cdef Contacts part
    cdef OneStep graph
    cdef bint graphs = False  # whether a part may need the graph: making it ready takes as long as a small part
    for k in range(parts):
        n = first[k + 1] - first[k]
        most = max(most, n)
        if n * dim <= MOST_NEWTON:
            small = max(small, n)
        graphs = graphs or FEW < n * dim <= MOST_GRAPH
    cdef double* best = <double*> malloc((most * dim + newton_doubles(small, dim)) * sizeof(double))
    cdef int* pivot = <int*> malloc((small * dim + 1) * sizeof(int))
    cdef double* memory = best + most * dim
    if best == NULL or pivot == NULL:
        free(best)
        free(pivot)
        raise MemoryError
    cdef double seconds
    with nogil:
        seconds = now()
        if graphs:
            one_step_init(&graph)
        for k in range(parts):
            part = _part(&problem.contacts, first[k], first[k + 1])
            residual[k] = 0.0
            if _stays_open(&part, &r[first[k], 0]):
                continue
            if part.count * dim > MOST_GRAPH:
                residual[k] = _sweeps(&part, &r[first[k], 0], best, tolerance[k], LONG_SWEEPS, &sweeps)
            else:
                residual[k] = _small(
                    &part, &r[first[k], 0], best, tolerance[k], memory, pivot, &graph, &sweeps, &steps
                )
        if graphs:
            one_step_free(&graph)
        seconds = now() - seconds
    free(best)
    free(pivot)
    return sweeps, steps, seconds
