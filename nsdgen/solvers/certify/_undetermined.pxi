"""How many reactions a solution leaves undetermined.

They may change by the columns of C: those of contacts (``contact_changes``), and rows of other cones by themselves. What changes
no velocity is the null space of C^T A C. Where contacts slide more may change: friction follows its load, and only the
first row of each column must stay as it is. E has these rows alone. The null space of E^T A C beyond the other one is of
loads that turn the motion: a plate that slides and spins on four feet.
"""

MOST_ROWS = MOST_COUNTED

cdef double REGULAR = 1e-6  # of the largest entry: a squared pivot of Cholesky's method that is no matter of rounding
cdef double LEFT_BY_ROUNDING = 1e-13  # of that, for each row: what is left where all others are made up, at most


cdef int undetermined(const Answer* p) noexcept nogil:
    cdef double[MOST_COUNTED * MAX_DIM] change
    cdef int[MOST_COUNTED] at
    cdef int i, j, made, d = p.dim, k = 0
    cdef bint slides = False
    if p.n > MOST_COUNTED:
        return 0
    for i in range(p.count):
        made = contact_changes(d, p.mu + i * p.disks, p.r[i * d], p.u + i * d, p.unit[i] * p.load[i] / p.size[i],
                               p.load[i] / p.unit[i], change + k * d)
        for j in range(d * made):
            change[k * d + j] *= p.unit[i]
            slides = slides or 0 < j < d and change[k * d + j] != 0.0
        for j in range(made):
            at[k + j] = i * d
        k += made
    return open_changes(p.n, p.W, k, d, change, at, slides, LEFT_BY_ROUNDING * k) if k else 0


cdef int open_changes(
    int n, const double* A, int k, int d, const double* change, const int* at, bint leading, double rounding
) noexcept nogil:
    cdef size_t square = <size_t> k * k, size = 2 * square + n + 2 * k
    cdef double[STACKED] room
    cdef double* gram = room
    cdef double* value
    cdef double* product
    cdef double* target
    cdef int* place
    cdef int i, j, m, found
    cdef const double* row
    cdef double total, share
    if size > STACKED:
        gram = <double*> malloc(size * sizeof(double))
    if gram == NULL:
        return -1
    target, value = gram, gram + 2 * square
    place = <int*> (value + k)
    product = value + 2 * k  # n: a row of C^T A where a column has several entries
    for j in range(k):  # most columns have one entry
        place[j] = -1
        for m in range(d):
            if change[j * d + m] != 0.0:
                if place[j] >= 0:
                    place[j] = -1
                    break
                place[j], value[j] = at[j] + m, change[j * d + m]
    for i in range(k):
        row, share = A + <size_t> at[i] * n, change[i * d]
        if place[i] >= 0:
            row, share = A + <size_t> place[i] * n, value[i]
        elif not leading:
            memset(product, 0, n * sizeof(double))
            for m in range(min(d, n - at[i])):
                nsd_add(n, change[i * d + m], row + <size_t> m * n, product)
            row, share = product, 1.0
        for j in range(k):
            if place[j] >= 0:
                target[j] = share * (value[j] * row[place[j]])
                continue
            total = 0.0
            for m in range(min(d, n - at[j])):
                total += change[j * d + m] * row[at[j] + m]
            target[j] = share * total
        target += k
    found = k if _is_definite(k, gram, gram + square) else reduce_rows(k, gram, 0.0, rounding, False, place, value)
    if gram != room:
        free(gram)
    return k - found


cdef bint _is_definite(int k, const double* gram, double* half) noexcept nogil:
    """Whether the symmetric part is definite, by Cholesky's method: then the matrix is regular, however little symmetric.

    ``half`` has k x k entries, of which those above the diagonal are used.
    """
    cdef int i, j
    cdef double largest = 0.0
    cdef double* row = half
    for i in range(k):
        for j in range(i, k):
            row[j] = gram[<size_t> i * k + j] + gram[<size_t> j * k + i]
        largest = max(largest, row[i])
        row += k
    row = half
    for j in range(k):
        if not row[j] > REGULAR * largest:
            return False
        for i in range(j + 1, k):
            if row[i] != 0.0:
                nsd_add(k - i, -row[i] / row[j], row + i, half + <size_t> i * k + i)
        row += k
    return True


# -------------------------------------------------------------------------- from Python


def undetermined_reactions(object W, object r, object u, object mu):
    """``undetermined`` in natural units: W (n, n), dense or sparse, r and u (n,), ``mu`` (contacts, disks)."""
    cdef Answer p
    p.n, p.count, p.disks = len(r), len(mu), mu.shape[1]
    if not 0 < p.n <= MOST_COUNTED:
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
