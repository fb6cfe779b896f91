"""The null vectors of a small dense matrix, by elimination with the largest pivots of all rows and columns."""

cdef double NO_PIVOT = 1e-10  # of the largest entry: the rounding of directions in which disks slide tells nothing of loads


cdef int null_vectors(
    int n, const double* A, const double* unit, double least, double* basis, double* a, int* order
) noexcept nogil:
    cdef double factor
    cdef int i, j, l, rank, k
    for i in range(n):
        for j in range(n):
            a[i * n + j] = unit[i] * A[i * n + j] * unit[j]
    rank = reduce_rows(n, a, least, order, a + <size_t> n * n)
    k = n - rank
    memset(basis, 0, n * k * sizeof(double))
    for j in range(k):
        basis[order[rank + j] * k + j] = unit[order[rank + j]]
        for i in range(rank):
            basis[order[i] * k + j] = -a[i * n + order[rank + j]] * unit[order[i]]
        for l in range(2 * j + 1):  # twice is enough
            factor = 0.0
            for i in range(n):
                factor += basis[i * k + j] * basis[i * k + l % j] if l < 2 * j else basis[i * k + j] * basis[i * k + j]
            for i in range(n):
                if l < 2 * j:
                    basis[i * k + j] -= factor * basis[i * k + l % j]
                else:
                    basis[i * k + j] /= sqrt(factor)
    return k


cdef int reduce_rows(int n, double* a, double least, int* order, double* largest) noexcept nogil:
    cdef int* at = order + n  # where rows are ``largest``: they stay so where they have no entry in the column of a pivot
    cdef double factor, first = 0.0
    cdef int i, j, row, column, rank = 0
    for i in range(n):
        order[i] = i
    for i in range(n):
        at[i] = _largest_left(n, a + i * n, 0, order, largest + i)
        first = max(first, largest[i])
    while rank < n:
        row = rank
        for i in range(rank, n):
            row = i if largest[i] > largest[row] else row
        if largest[row] <= max(least, NO_PIVOT * first):
            break
        column = at[row]
        largest[row], at[row] = largest[rank], at[rank]
        for i in range(rank + 1, n):
            at[i] = column if at[i] == rank else at[i]
        order[rank], order[column] = order[column], order[rank]
        for j in range(n):
            factor = a[rank * n + j]
            a[rank * n + j] = a[row * n + j]
            a[row * n + j] = factor
        factor = a[rank * n + order[rank]]
        for j in range(n):
            a[rank * n + j] /= factor
        for i in range(n):
            factor = a[i * n + order[rank]]
            if i == rank or factor == 0.0:
                continue
            for j in range(n):
                a[i * n + j] -= factor * a[rank * n + j]
            if i > rank:
                at[i] = _largest_left(n, a + i * n, rank + 1, order, largest + i)
        rank += 1
    return rank


cdef int _largest_left(int n, const double* row, int first, const int* order, double* size) noexcept nogil:
    """Where in the order, from ``first`` on, a row is largest, and how large."""
    cdef int j, at = first
    size[0] = 0.0
    for j in range(first, n):
        if fabs(row[order[j]]) > size[0]:
            at, size[0] = j, fabs(row[order[j]])
    return at
