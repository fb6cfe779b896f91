"""How many reactions a solution with friction leaves undetermined."""

cdef enum:
    ROOM = 2048  # doubles: up to here the stack has them, which takes less time than to ask for memory

MOST_ROWS = 300  # of the matrix: up to here the count is cheap beside the solution

cdef int MOST = MOST_ROWS
cdef double REGULAR = 1e-6  # of the largest one: a squared pivot of Cholesky's method that is no matter of rounding
cdef double LEFT_BY_ROUNDING = 1e-13  # of that: what is left where all others are made up, at most
cdef double SYMMETRIC = 1e-13  # of the largest entry


cdef inline int _ways(const Answer* p, int i, double* change) noexcept nogil:
    return contact_changes(p.dim, p.mu + i * p.disks, p.r[i * p.dim], p.u + i * p.dim,
                           p.unit[i] * p.load[i] / p.size[i], p.load[i] / p.unit[i], change)


cdef int undetermined(const Answer* p) noexcept nogil:
    cdef int i, j, made, d = p.dim, n = p.n, k = 0
    cdef size_t doubles = <size_t> n * (d + n) + min_norm_work_size(n)
    cdef double room[ROOM]
    cdef double* change = room
    cdef int* contact
    if n > MOST:
        return 0
    # Changes of r (k x dim, k <= n) with the contact of each, their products, a factor.
    if doubles + 2 * n > ROOM:
        change = <double*> malloc(doubles * sizeof(double) + 3 * n * sizeof(int))
    if change == NULL:
        return -1
    contact = <int*> (change + doubles)
    for i in range(p.count):
        made = _ways(p, i, change + k * d)
        for j in range(made):
            contact[k + j] = i
        k += made
    if k:
        k = _open(p, k, change, contact, change + k * d)
    if change != room:
        free(change)
    return k


cdef int _open(const Answer* p, int k, const double* change, const int* contact, double* gram) noexcept nogil:
    """k minus the rank of the products C^T D W D C of the k changes."""
    cdef int i, j, l, m, d = p.dim, n = p.n, found
    cdef double* factor = gram + <size_t> k * k
    cdef double* product = factor  # n: a row of C^T W, before there is a factor
    cdef const double* part
    cdef double total, unit
    for i in range(k):
        memset(product, 0, n * sizeof(double))
        for l in range(d):
            if change[i * d + l] != 0.0:
                nsd_add(n, change[i * d + l], p.W + <size_t> (contact[i] * d + l) * n, product)
        unit = p.unit[contact[i]]
        for j in range(k):
            part = product + contact[j] * d
            total = part[0] * change[j * d]
            for m in range(1, d):
                total += part[m] * change[j * d + m]
            gram[<size_t> i * k + j] = total * unit * p.unit[contact[j]]
    found = _rank_by_pivots(k, gram, factor, contact + k)
    if found < 0:
        found = numerical_rank(k, gram, k, factor, contact + k)
    return k - found


cdef int _rank_by_pivots(int k, const double* gram, double* factor, int* order) noexcept nogil:
    """The rank of a matrix that is semidefinite by Cholesky's method with the largest pivots on its symmetric part.

    Where that is definite the matrix is regular, however little symmetric. -1 where it is neither, or rounding might
    decide. ``factor`` has k x k entries, ``order`` k ints. What is left of the diagonal is kept in the factor's, until
    its row is a pivot's.
    """
    cdef int i, j, l, best
    cdef double largest = 0.0, apart = 0.0, pivot, held, share
    cdef double[2] made
    cdef double* row
    for i in range(k):
        order[i] = i
        factor[<size_t> i * k + i] = gram[<size_t> i * k + i]
        largest = max(largest, fabs(gram[<size_t> i * k + i]))
    for i in range(k):
        for j in range(i):
            apart = max(apart, fabs(gram[<size_t> i * k + j] - gram[<size_t> j * k + i]))
    for j in range(k):
        best = j
        for i in range(j + 1, k):
            if factor[<size_t> i * k + i] > factor[<size_t> best * k + best]:
                best = i
        row = factor + <size_t> j * k
        pivot = factor[<size_t> best * k + best]
        if not pivot > REGULAR * largest:
            return j if fabs(pivot) <= LEFT_BY_ROUNDING * k * largest and apart <= SYMMETRIC * largest else -1
        factor[<size_t> best * k + best] = row[j]
        order[j], order[best] = order[best], order[j]
        for i in range(j):
            held = row[i]
            row[i] = factor[<size_t> best * k + i]
            factor[<size_t> best * k + i] = held
        row[j] = pivot = sqrt(pivot)
        share = 1.0 / pivot
        for i in range(j + 1, k, 2):
            if i + 1 < k:
                nsd_dot_two(j, factor + <size_t> i * k, k, row, made)
            else:
                made[0] = nsd_dot_sized(j, factor + <size_t> i * k, row, &held)
            for l in range(i, min(i + 2, k)):
                held = 0.5 * (gram[<size_t> order[l] * k + order[j]] + gram[<size_t> order[j] * k + order[l]]) - made[l - i]
                factor[<size_t> l * k + j] = held = held * share
                factor[<size_t> l * k + l] -= held * held
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
