# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Certificate and rank of an answer; the interface is documented in ``_dense_judge.pxd``."""

from libc.math cimport HUGE_VAL, fabs, fmax, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from nsdgen.solvers.certify._contact_laws cimport contact_residual
from nsdgen.solvers.certify.undetermined import CLOSED as _CLOSED, MOST_ROWS as _MOST_ROWS, MOVING as _MOVING
from nsdgen.solvers.linalg._dense_rows cimport nsd_add, nsd_dot_sized, nsd_dot_two
from nsdgen.solvers.linalg._min_norm cimport min_norm_work_size, numerical_rank
from nsdgen.solvers.one_contact._friction_cone cimport project_cone

cdef int MOST_ROWS = _MOST_ROWS
cdef double CLOSED = _CLOSED
cdef double MOVING = _MOVING
cdef double REGULAR = 1e-6  # of the largest one: a squared pivot of Cholesky's method that is no matter of rounding
cdef double ROUNDING = 1e-13  # of that: what is left where all others are made up, at most
cdef double SYMMETRIC = 1e-13  # of the largest entry


cdef double dense_residual(const Dense* p, double* r, double* u) noexcept nogil:
    cdef int i, k, row, d = p.dim
    cdef double terms, size, off, worst = 0.0
    for i in range(p.count):
        project_cone(d, p.mu + i * p.disks, r + i * d)
    for i in range(p.count):
        terms = 0.0
        for k in range(d):
            row = i * d + k
            u[row] = nsd_dot_sized(p.n, p.W + <size_t> row * p.n, r, &size) + p.q[row]
            terms = fmax(terms, size + fabs(p.q[row]))
        off = contact_residual(
            d, p.disks, u + i * d, r + i * d, p.mu + i * p.disks, terms, p.m, p.whole, p.unit[i], p.size[i], p.load[i]
        )
        if not off <= worst:
            worst = off if off - off == 0.0 else HUGE_VAL
    return worst


# ------------------------------------------------------------------------ what is left open


cdef int dense_undetermined(const Dense* p, const double* r, const double* u) noexcept nogil:
    cdef int i, most = 0, free_changes, n = p.n, d = p.dim
    cdef double* memory
    cdef int* first
    if n > MOST_ROWS:
        return 0
    for i in range(p.count):
        if r[i * d] * p.size[i] / (p.unit[i] * p.load[i]) > CLOSED:
            most += d
    if most == 0:
        return 0
    # Changes of r (most x dim) with the first row of each, their images (n), the products of both, a factor.
    memory = <double*> malloc(
        (<size_t> most * (d + 2 * most) + n + min_norm_work_size(most)) * sizeof(double) + 3 * most * sizeof(int)
    )
    if memory == NULL:
        return -1
    first = <int*> (memory + <size_t> most * (d + 2 * most) + n + min_norm_work_size(most))
    free_changes = _changes(p, r, u, memory, first)
    most = _open(p, free_changes, memory, first, memory + <size_t> most * d)
    free(memory)
    return most


cdef int _changes(const Dense* p, const double* r, const double* u, double* change, int* first) noexcept nogil:
    """What may change while no contact changes its case, dim entries from row ``first`` on each; how many."""
    cdef int i, j, k, start, stop, made = 0, d = p.dim
    cdef double speed, own
    cdef double* x
    for i in range(p.count):
        if not r[i * d] * p.size[i] / (p.unit[i] * p.load[i]) > CLOSED:
            continue
        x = change + made * d
        memset(x, 0, d * sizeof(double))
        x[0] = 1.0
        first[made] = i * d
        made += 1
        for k in range(p.disks):
            start, stop = 1 + 2 * k, min(d, 3 + 2 * k)
            speed = 0.0
            for j in range(start, stop):
                own = u[i * d + j] * p.unit[i] / p.load[i]
                speed += own * own
            speed = sqrt(speed)
            if speed > MOVING:
                for j in range(start, stop):
                    x[j] = -(p.mu[i * p.disks + k] / speed) * (u[i * d + j] * p.unit[i] / p.load[i])
            elif p.mu[i * p.disks + k] > 0.0:
                for j in range(start, stop):
                    memset(change + made * d, 0, d * sizeof(double))
                    change[made * d + j] = 1.0
                    first[made] = i * d
                    made += 1
    return made


cdef int _open(
    const Dense* p, int k, const double* change, const int* first, double* work
) noexcept nogil:
    """k minus the rank of the products C^T D W D C of the k changes."""
    cdef int i, j, l, d = p.dim, n = p.n, found
    cdef double* image = work
    cdef double* gram = image + n
    cdef double* factor = gram + <size_t> k * k
    cdef const double* other
    cdef double total, unit
    for i in range(k):
        memset(image, 0, n * sizeof(double))
        for l in range(d):
            if change[i * d + l] != 0.0:
                nsd_add(n, change[i * d + l], p.W + <size_t> (first[i] + l) * n, image)
        unit = p.unit[first[i] // d]
        for j in range(k):
            other = change + j * d
            total = 0.0
            for l in range(d):
                total += image[first[j] + l] * other[l]
            gram[<size_t> i * k + j] = total * unit * p.unit[first[j] // d]
    found = _rank_by_pivots(k, gram, factor, <int*> (first + k))
    if found < 0:
        found = numerical_rank(k, gram, k, factor, <int*> (first + k))
    return k - found


cdef int _rank_by_pivots(int k, const double* gram, double* factor, int* order) noexcept nogil:
    """The rank of a matrix that is symmetric and semidefinite by Cholesky's method with the largest pivots.

    -1 where it is not symmetric, or rounding might decide. ``factor`` has k x k entries, ``order`` 2 k ints.
    """
    cdef int i, j
    cdef double largest = 0.0
    for i in range(k):
        order[i] = i
        largest = fmax(largest, fabs(gram[<size_t> i * k + i]))
    for i in range(k):
        for j in range(i):
            if fabs(gram[<size_t> i * k + j] - gram[<size_t> j * k + i]) > SYMMETRIC * largest:
                return -1
    return _pivoted(k, gram, factor, order, largest)


cdef int _pivoted(int k, const double* gram, double* factor, int* order, double largest) noexcept nogil:
    """``_rank_by_pivots`` where ``order`` counts from 0 and ``largest`` is the largest diagonal entry.

    What is left of the diagonal is kept in the factor's, until its row is a pivot's.
    """
    cdef int i, j, best, held_row
    cdef double pivot, held
    cdef double two[2]
    cdef double* row
    for i in range(k):
        factor[<size_t> i * k + i] = gram[<size_t> i * k + i]
    for j in range(k):
        best = j
        for i in range(j + 1, k):
            if factor[<size_t> i * k + i] > factor[<size_t> best * k + best]:
                best = i
        pivot = factor[<size_t> best * k + best]
        if not pivot > REGULAR * largest:
            return j if fabs(pivot) <= ROUNDING * k * largest else -1
        if best != j:
            factor[<size_t> best * k + best] = factor[<size_t> j * k + j]
            factor[<size_t> j * k + j] = pivot
            order[j], order[best] = order[best], order[j]
            for i in range(j):
                held = factor[<size_t> j * k + i]
                factor[<size_t> j * k + i] = factor[<size_t> best * k + i]
                factor[<size_t> best * k + i] = held
        pivot = sqrt(pivot)
        row = factor + <size_t> j * k
        held_row = order[j]
        i = j + 1
        while i < k:
            two[0] = two[1] = 0.0
            if i + 1 < k:
                nsd_dot_two(j, factor + <size_t> i * k, k, row, two)
            else:
                two[0] = nsd_dot_sized(j, factor + <size_t> i * k, row, &held)
            for best in range(min(2, k - i)):
                held = (gram[<size_t> order[i + best] * k + held_row] - two[best]) / pivot
                factor[<size_t> (i + best) * k + j] = held
                factor[<size_t> (i + best) * k + i + best] -= held * held
            i += 2
        row[j] = pivot
    return k
