"""How many reactions a solution leaves undetermined.

They may change by the columns of C: those of contacts (``contact_changes``), and rows of other cones by themselves. What changes
no velocity is the null space of C^T A C. Where contacts slide more may change: friction follows its load, and only the
first row of each column must stay as it is. E has these rows alone. The null space of E^T A C beyond the other one is of
loads that turn the motion: a plate that slides and spins on four feet.
"""

MOST_ROWS = MOST_COUNTED

cdef double REGULAR = 1e-6  # of the largest one: a squared pivot of Cholesky's method that is no matter of rounding
cdef double SYMMETRIC = 1e-13  # of the largest entry
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
    cdef size_t square = <size_t> k * k
    cdef double[STACKED] room
    cdef double* gram = room
    cdef int i, j, l, m, first, found
    cdef double* product
    cdef const double* part
    cdef double total
    if 2 * square + n + k > STACKED:
        gram = <double*> malloc((2 * square + n + k) * sizeof(double))
    if gram == NULL:
        return -1
    product = gram + 2 * square  # n: a row of C^T A or E^T A
    for i in range(k):
        memset(product, 0, n * sizeof(double))
        part = change + i * d
        for l in range(d):
            if part[l] != 0.0:
                nsd_add(n, part[l], A + <size_t> (at[i] + l) * n, product)
                if leading:
                    break
        for j in range(k):
            part = change + j * d
            first = at[j]
            total = part[0] * product[first]
            for m in range(1, min(d, n - first)):
                total += part[m] * product[first + m]
            gram[<size_t> i * k + j] = total
    found = _rank_by_pivots(k, gram, gram + square, <int*> (product + n), rounding)
    if found < 0:
        found = _rank_by_elimination(k, gram, rounding)
    if gram != room:
        free(gram)
    return k - found


cdef int _rank_by_pivots(int k, const double* gram, double* factor, int* order, double rounding) noexcept nogil:
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
            return j if fabs(pivot) <= rounding * largest and apart <= SYMMETRIC * largest else -1
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


cdef int _rank_by_elimination(int k, double* a, double rounding) noexcept nogil:
    """The rank by Gauss's method with the largest pivots of all; destroys a."""
    cdef int i, j, l, row, column
    cdef double largest = 0.0, best, held
    for j in range(k):
        best, row, column = 0.0, j, j
        for i in range(j, k):
            held = nsd_largest(k - j, a + <size_t> i * k + j)
            if held > best:
                best, row = held, i
        for l in range(k - 1, j - 1, -1):
            if fabs(a[<size_t> row * k + l]) == best:
                column = l
        largest = best if j == 0 else largest
        if not best > rounding * largest:
            return j
        for l in range(k):
            a[<size_t> j * k + l], a[<size_t> row * k + l] = a[<size_t> row * k + l], a[<size_t> j * k + l]
        for i in range(j, k):
            a[<size_t> i * k + j], a[<size_t> i * k + column] = a[<size_t> i * k + column], a[<size_t> i * k + j]
        for i in range(j + 1, k):
            if a[<size_t> i * k + j] != 0.0:
                nsd_add(k - j - 1, -a[<size_t> i * k + j] / a[<size_t> j * k + j], a + <size_t> j * k + j + 1,
                        a + <size_t> i * k + j + 1)
    return k


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
