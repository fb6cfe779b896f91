"""Solutions with the factors of a sparse LU (``_threshold_lu.pxi``), in halves: what a border adds comes in between."""


cdef void sparse_lu_forward(const SparseLU *f, const double *b, double *x) noexcept nogil:
    cdef int i, j, e
    cdef double value
    for i in range(f.n):
        x[f.position[i]] = b[i]
    for j in range(f.rank):
        value = x[j]
        if value != 0:
            for e in range(f.lower_start[j], f.lower_start[j + 1]):
                x[f.lower_row[e]] -= f.lower[e] * value


cdef void sparse_lu_backward(const SparseLU *f, double *x, double *w) noexcept nogil:
    cdef int j, e
    cdef double value
    for j in range(f.n - 1, -1, -1):
        value = x[j] / f.diagonal[j] if j < f.rank else x[j]
        w[f.pivot_column[j]] = value
        if value != 0:
            for e in range(f.upper_start[j], f.upper_start[j + 1]):
                x[f.upper_row[e]] -= f.upper[e] * value


cdef void sparse_lu_null_vectors(const SparseLU *f, double *x) noexcept nogil:
    cdef int i, j, e, columns = f.n - f.rank
    cdef double *row
    memset(x, 0, <size_t> f.n * columns * sizeof(double))
    for i in range(columns):
        x[<size_t> (f.rank + i) * columns + i] = 1.0
    for j in range(f.n - 1, -1, -1):
        row = x + <size_t> j * columns
        for i in range(columns if j < f.rank else 0):
            row[i] /= f.diagonal[j]
        for e in range(f.upper_start[j], f.upper_start[j + 1]):
            subtract_row(columns, f.upper[e], row, x + <size_t> f.upper_row[e] * columns)


cdef void sparse_lu_forward_transposed(const SparseLU *f, const double *c, double *x) noexcept nogil:
    cdef int j, e
    cdef double total
    for j in range(f.n):
        total = c[f.pivot_column[j]]
        for e in range(f.upper_start[j], f.upper_start[j + 1]):
            total -= f.upper[e] * x[f.upper_row[e]]
        x[j] = total / f.diagonal[j] if j < f.rank else total


cdef void sparse_lu_backward_transposed(const SparseLU *f, double *x, double *t) noexcept nogil:
    cdef int j, e
    cdef double total
    for j in range(f.rank, f.n):
        x[j] = 0.0
        t[f.pivot_row[j]] = 0.0
    for j in range(f.rank - 1, -1, -1):
        total = x[j]
        for e in range(f.lower_start[j], f.lower_start[j + 1]):
            total -= f.lower[e] * x[f.lower_row[e]]
        x[j] = total
        t[f.pivot_row[j]] = total
