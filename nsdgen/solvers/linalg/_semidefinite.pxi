"""Symmetric semidefinite matrices by Cholesky's method with the largest pivots: ranks, and solutions of least norm."""

cdef double REGULAR = 1e-6  # of the largest one: a squared pivot of Cholesky's method that is no matter of rounding
cdef double LEFT_BY_ROUNDING = 1e-13  # of that: what is left where all others are made up, at most
cdef double SYMMETRIC = 1e-13  # of the largest entry


cdef int rank_by_pivots(int k, const double* gram, double* factor, int* order, bint symmetric) noexcept nogil:
    cdef int i, j, l, best
    cdef double largest = 0.0, apart = 0.0, pivot, held, share
    cdef double[2] made
    cdef double* row
    for i in range(k):
        order[i] = i
        factor[<size_t> i * k + i] = gram[<size_t> i * k + i]
        largest = max(largest, fabs(gram[<size_t> i * k + i]))
    for i in range(k if symmetric else 0):
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


cdef int semidefinite_rows(
    int n, const double* a, int lda, const double* b, double* g, double* c, double* work, int* order, double* residual
) noexcept nogil:
    """Equations G x = c that say what A x = b says where A is clearly singular and semidefinite; their number, 0 where it is
    not, or rounding might decide.

    With D = diag(A)^-1/2, S = D A D, L L^T the symmetric part of S (L: n x rank), which has the null space of S, and J the
    rows of the pivots: G = L^T / D, a row n long, and c = L_J^T S_JJ^-1 (D b)_J. ``residual`` as of ``min_norm_solve``.
    """
    cdef double* scaled = work
    cdef double* factor = scaled + <size_t> n * n
    cdef double* unit = factor + <size_t> n * n
    cdef double* d = unit + n  # L_J^-1 (D b)_J
    cdef double total, size = 0.0, left = 0.0
    cdef int i, j, k, rank
    for i in range(n):
        if not a[i * lda + i] > 0.0:
            return 0
        unit[i] = 1.0 / sqrt(a[i * lda + i])
    for i in range(n):
        for j in range(n):
            scaled[i * n + j] = unit[i] * a[i * lda + j] * unit[j]
    rank = rank_by_pivots(n, scaled, factor, order, False)
    if not (0 < rank < n and _sees_nothing_else(n, rank, scaled, factor, order, d)):
        return 0
    for i in range(n):
        total = unit[order[i]] * b[order[i]]
        size += total * total
        if i < rank:
            c[i] = total
        for k in range(min(i, rank)):
            total -= factor[i * n + k] * d[k]
        if i < rank:
            d[i] = total / factor[i * (n + 1)]
        else:
            left += total * total
        for k in range(rank):
            g[k * n + order[i]] = factor[i * n + k] / unit[order[i]] if k <= i else 0.0
    residual[0] = sqrt(left / size) if size > 0.0 else 0.0
    for i in range(rank):
        for j in range(rank):
            d[i * rank + j] = scaled[order[i] * n + order[j]]
    if lu_factor(rank, d, order + n):
        return 0
    lu_solve(rank, d, order + n, c, 1)
    for i in range(rank):
        c[i] *= factor[i * (n + 1)]
        for k in range(i + 1, rank):
            c[i] += factor[k * n + i] * c[k]
    return rank


cdef bint _sees_nothing_else(int n, int rank, const double* a, const double* factor, const int* order, double* v) noexcept nogil:
    """Whether pivots that are left are zero to elimination as well, and ``a`` makes nothing of a vector that its symmetric part
    makes nothing of, which no pattern could hide: its null space is then the same."""
    cdef double total, size, zero = PIVOT_ROUNDINGS * n * DBL_EPSILON
    cdef int i, j
    for i in range(rank, n):
        if not factor[i * (n + 1)] <= zero:
            return False
        v[i] = sqrt(i + 2.0)
    for j in range(rank - 1, -1, -1):
        v[j] = 0.0
        for i in range(j + 1, n):
            v[j] -= factor[i * n + j] * v[i]
        v[j] /= factor[j * n + j]
    for i in range(n):
        total = size = 0.0
        for j in range(n):
            total += a[i * n + order[j]] * v[j]
            size += fabs(a[i * n + order[j]] * v[j])
        if not fabs(total) <= zero * size:
            return False
    return True
