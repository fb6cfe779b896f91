"""How many reactions a solution with friction leaves undetermined."""

MOST_ROWS = 300  # of the matrix: up to here the count is cheap beside the solution

cdef int MOST = MOST_ROWS
cdef double REGULAR = 1e-6  # of the largest one: a squared pivot of Cholesky's method that is no matter of rounding
cdef double LEFT_BY_ROUNDING = 1e-13  # of that: what is left where all others are made up, at most
cdef double SYMMETRIC = 1e-13  # of the largest entry


cdef int undetermined(const Answer* p) noexcept nogil:
    cdef int most = p.n, changes
    cdef double* memory
    cdef int* first
    if p.n > MOST:
        return 0
    # Changes of r (most x dim) with the first row of each, their images (n), the products of both, a factor.
    memory = <double*> malloc(
        (<size_t> most * (p.dim + 2 * most) + p.n + min_norm_work_size(most)) * sizeof(double)
        + 3 * most * sizeof(int)
    )
    if memory == NULL:
        return -1
    first = <int*> (memory + <size_t> most * (p.dim + 2 * most) + p.n + min_norm_work_size(most))
    changes = _changes(p, memory, first)
    most = _open(p, changes, memory, first, memory + <size_t> most * p.dim) if changes else 0
    free(memory)
    return most


cdef int _changes(const Answer* p, double* change, int* first) noexcept nogil:
    """What may change while no contact changes its case, dim entries from row ``first`` on each; how many."""
    cdef int i, k, made = 0, d = p.dim
    for i in range(p.count):
        for k in range(contact_changes(
                d, p.mu + i * p.disks, p.r[i * d], p.u + i * d, p.unit[i] * p.load[i] / p.size[i],
                p.load[i] / p.unit[i], change + made * d)):
            first[made] = i * d
            made += 1
    return made


cdef int _open(
    const Answer* p, int k, const double* change, const int* first, double* work
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

    -1 where it is not symmetric, or rounding might decide. ``factor`` has k x k entries, ``order`` k ints. What is left
    of the diagonal is kept in the factor's, until its row is a pivot's.
    """
    cdef int i, j, best
    cdef double largest = 0.0, pivot, held
    cdef double* row
    for i in range(k):
        order[i] = i
        factor[<size_t> i * k + i] = gram[<size_t> i * k + i]
        largest = fmax(largest, fabs(gram[<size_t> i * k + i]))
    for i in range(k):
        for j in range(i):
            if fabs(gram[<size_t> i * k + j] - gram[<size_t> j * k + i]) > SYMMETRIC * largest:
                return -1
    for j in range(k):
        best = j
        for i in range(j + 1, k):
            if factor[<size_t> i * k + i] > factor[<size_t> best * k + best]:
                best = i
        row = factor + <size_t> j * k
        pivot = factor[<size_t> best * k + best]
        if not pivot > REGULAR * largest:
            return j if fabs(pivot) <= LEFT_BY_ROUNDING * k * largest else -1
        factor[<size_t> best * k + best] = row[j]
        order[j], order[best] = order[best], order[j]
        for i in range(j):
            held = row[i]
            row[i] = factor[<size_t> best * k + i]
            factor[<size_t> best * k + i] = held
        row[j] = pivot = sqrt(pivot)
        for i in range(j + 1, k):
            held = gram[<size_t> order[i] * k + order[j]] - nsd_dot_sized(j, factor + <size_t> i * k, row, &held)
            factor[<size_t> i * k + j] = held / pivot
            factor[<size_t> i * k + i] -= factor[<size_t> i * k + j] * factor[<size_t> i * k + j]
    return k


# -------------------------------------------------------------------------- from Python


def undetermined_reactions(object W, object r, object u, object mu):
    """``undetermined`` in natural units: W (n, n), dense or sparse, r and u (n,), ``mu`` (contacts, disks)."""
    cdef Answer p
    p.n, p.count, p.disks = len(r), len(mu), mu.shape[1]
    if not 0 < p.n <= MOST:
        return 0
    p.dim = p.n // p.count
    cdef const double[:, ::1] matrix = np.ascontiguousarray(W if isinstance(W, np.ndarray) else W.toarray())
    cdef const double[:, ::1] friction = np.ascontiguousarray(mu)
    cdef const double[::1] reactions = np.ascontiguousarray(r), velocities = np.ascontiguousarray(u)
    cdef const double[::1] one = np.ones(p.count)
    p.W, p.mu, p.r, p.u = &matrix[0, 0], &friction[0, 0], &reactions[0], &velocities[0]
    p.unit = p.size = p.load = &one[0]
    cdef int found = undetermined(&p)
    if found < 0:
        raise MemoryError
    return found
