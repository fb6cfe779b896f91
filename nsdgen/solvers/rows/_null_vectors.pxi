"""The null vectors of a small dense matrix, by ``reduce_rows``."""


cdef int _null_vectors(int n, const double* A, double* basis, double* a, int* order) noexcept nogil:
    """Orthonormal vectors that A makes zero, as the columns of (n, k); k. ``order`` (n) is scratch, ``a`` too (n (n + 2))."""
    cdef double* unit = a + <size_t> n * n
    cdef double factor
    cdef int i, j, l, rank, k
    for i in range(n):
        unit[i] = 1.0 / sqrt(fabs(A[i * n + i])) if A[i * n + i] != 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            a[i * n + j] = unit[i] * A[i * n + j] * unit[j]
    rank = reduce_rows(n, n, a, order, unit + n, NO_PIVOT, True)
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
