"""Ranks and null vectors of dense matrices, by elimination with the largest pivots of all rows and columns."""

cdef double NO_PIVOT = 1e-10  # of the largest entry: the rounding of directions in which disks slide tells nothing of loads


cdef int null_vectors(
    int n, const double* A, const double* unit, double least, double* basis, double* a, int* order
) noexcept nogil:
    cdef double factor
    cdef int i, j, l, rank, k
    for i in range(n):
        for j in range(n):
            a[i * n + j] = unit[i] * A[i * n + j] * unit[j]
    rank = reduce_rows(n, a, least, NO_PIVOT, True, order, a + <size_t> n * n)
    k = n - rank
    memset(basis, 0, n * k * sizeof(double))
    for j in range(k):
        basis[order[rank + j] * k + j] = unit[order[rank + j]]
        for i in range(rank):
            basis[order[i] * k + j] = -a[i * n + rank + j] * unit[order[i]]
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


cdef int reduce_rows(
    int n, double* a, double least, double share, bint above, int* order, double* largest
) noexcept nogil:
    cdef size_t size = n
    cdef double* own
    cdef double factor, best = 0.0, first = 0.0
    cdef int i, j, row, column, rank
    for i in range(n):
        order[i], largest[i] = i, nsd_largest(n, a + i * size)
        first = max(first, largest[i])
    for rank in range(n):
        row, own = rank, a + rank * size
        for i in range(rank, n):
            row = i if largest[i] > largest[row] else row
        best, largest[row] = largest[row], largest[rank]
        if not best > max(least, share * first):
            return rank
        column = rank
        while fabs(a[row * size + column]) != best:
            column += 1
        order[rank], order[column] = order[column], order[rank]
        for j in range(rank, n):
            own[j], a[row * size + j] = a[row * size + j], own[j]
        for i in range(0 if above else rank, n):
            a[i * size + rank], a[i * size + column] = a[i * size + column], a[i * size + rank]
        factor = own[rank]
        for j in range(rank, n):
            own[j] /= factor
        for i in range(0 if above else rank + 1, n):
            factor = a[i * size + rank]
            if i == rank or factor == 0.0:
                continue
            a[i * size + rank] = 0.0
            nsd_add(n - rank - 1, -factor, own + rank + 1, a + i * size + rank + 1)
            if i > rank:  # a row without an entry in the column of a pivot stays as it is
                largest[i] = nsd_largest(n - rank - 1, a + i * size + rank + 1)
    return n
