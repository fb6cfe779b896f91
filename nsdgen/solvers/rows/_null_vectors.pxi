"""The null vectors of a small dense matrix."""

cdef int null_vectors(int n, const double* A, const double* unit, double* basis, double* a, int* order) noexcept nogil:
    cdef int i, j, rank, k
    for i in range(n):
        for j in range(n):
            a[i * n + j] = unit[i] * A[i * n + j] * unit[j]
    rank = eliminate_rows(n, n, NO_PIVOT, a, order, a + <size_t> n * n)
    reduce_rows(rank, n, a)
    k = n - rank
    memset(basis, 0, n * k * sizeof(double))
    for j in range(k):
        basis[j * n + order[rank + j]] = unit[order[rank + j]]
        for i in range(rank):
            basis[j * n + order[i]] = -a[i * n + rank + j] * unit[order[i]]
    make_orthonormal(n, k, basis)
    memcpy(a, basis, n * k * sizeof(double))
    for i in range(n):
        for j in range(k):
            basis[i * k + j] = a[j * n + i]
    return k
