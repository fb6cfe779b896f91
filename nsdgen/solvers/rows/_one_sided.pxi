"""Changes of multipliers that bounds close, of those that a matrix does not see.

Beside a solution z lie z + F d with A F d = 0 and S F d >= 0: F holds how multipliers may change, S the bounds that
they are at. All such d span the null space but for the rows of S F that are 0 in each of them. Let N be these rows on
the null space and p = N^T (1 + lam) the shortest one with lam >= 0. Where p is 0 no row can leave 0 (Farkas' lemma).
Else p leaves the bounds with N p > 0, and the others are asked again.
"""

cdef double NULLS = 1e-9  # the shift that shows the null space; twice it leaves 1e-6 of what A makes 1e-6 times as long
cdef double SEEN = 1e-4  # of a row of S F: less of it in the null space is rounding
cdef double LEAVES = 1e-5  # of the terms of a row of N p: less is rounding


cdef int closed_changes(
    int n, const double* A, int k, const double* F, bint leading, int m, const double* S
) noexcept nogil:
    cdef int most = max(n, max(k, m)), found = 0
    cdef size_t square = <size_t> most * most
    cdef double* memory
    if not (k and m) or most > MOST_SIDED:
        return 0
    memory = <double*> malloc(6 * square * sizeof(double) + mlcp_work_size(m) + 2 * most * sizeof(int))
    if memory == NULL:
        return 0
    if _null_space(n, A, k, F, leading, memory, memory + square, memory + 2 * square, <int*> (memory + 6 * square)):
        for found in range(2 * m):
            _on_null_space(n, k, F, S + <size_t> found * n, memory, memory + 2 * square + <size_t> found * k)
        found = _implied(k, m, memory + 2 * square, memory + 4 * square, <int*> (memory + 5 * square), <char*> (memory + 6 * square))
    free(memory)
    return found


cdef bint _null_space(
    int n, const double* A, int k, const double* F, bint leading, double* nulls, double* G, double* image, int* pivot
) noexcept nogil:
    """shift^2 (G + shift)^-2 with G = F^T A F, whose columns span its null space; False where it has no factors.

    With ``leading`` G = E^T A F, E the first entry of each column of F.
    The shift is beside the terms of G: where F is a null space itself, G is their rounding.
    """
    cdef double largest = 0.0, own
    cdef int i, j, l
    memset(image, 0, n * k * sizeof(double))
    memset(G, 0, k * k * sizeof(double))
    memset(nulls, 0, k * k * sizeof(double))
    for i in range(n):
        own = 0.0
        for j in range(k):
            own = max(own, fabs(F[i * k + j]))
        for l in range(n):
            for j in range(k):
                image[i * k + j] += A[i * n + l] * F[l * k + j]
                largest = max(largest, own * fabs(A[i * n + l] * F[l * k + j]))
    for i in range(k):
        for l in range(n):
            for j in range(k):
                G[i * k + j] += F[l * k + i] * image[l * k + j]
            if leading and F[l * k + i] != 0.0:
                break
    for i in range(k * k):
        G[i] /= NULLS * largest if largest > 0.0 else 1.0
    for i in range(k):
        G[i * k + i] += 1.0
        nulls[i * k + i] = 1.0
    if lu_factor(k, G, pivot):
        return False
    lu_solve(k, G, pivot, nulls, k)
    lu_solve(k, G, pivot, nulls, k)
    return True


cdef void _on_null_space(
    int n, int k, const double* F, const double* side, const double* nulls, double* row
) noexcept nogil:
    """A row of S F, made 1 long, times the null space."""
    cdef double[MOST_SIDED] along
    cdef double length = 0.0
    cdef int i, j
    memset(along, 0, k * sizeof(double))
    memset(row, 0, k * sizeof(double))
    for i in range(n):
        for j in range(k):
            along[j] += side[i] * F[i * k + j]
    for j in range(k):
        length += along[j] * along[j]
    for i in range(k):
        for j in range(k):
            row[j] += along[i] / sqrt(length) * nulls[i * k + j] if length > 0.0 else 0.0


cdef int _implied(int k, int m, double* N, double* gram, int* cone, char* memory) noexcept nogil:
    """How many dimensions the rows take that are 0 wherever none is negative, with what lies beside them.

    ``N`` has 2 m rows: each, and what lies beside it. Behind it ``cone`` is COMPLEMENTARITY for those.
    """
    cdef double[2 * MOST_SIDED] q, lam, y
    cdef MlcpWork work
    cdef MlcpInfo info
    cdef double terms
    cdef int i, j, found = 0
    cdef bint some = True
    mlcp_work_init(&work, memory, m)
    for i in range(m):
        cone[i] = COMPLEMENTARITY  # EQUALITY: it has left its bound
    while some:
        some = False
        for i in range(m):
            q[i] = lam[i] = terms = 0.0
            for j in range(m):
                gram[i * m + j] = _dot(k, N + 2 * i * k, N + 2 * j * k) if cone[i] != EQUALITY != cone[j] else 0.0
                q[i] += gram[i * m + j]
                terms += fabs(gram[i * m + j])
            if fabs(q[i]) < LEAVES * terms:
                q[i] = 0.0
            if cone[i] == EQUALITY:
                gram[i * m + i] = 1.0
        if solve_rows(m, gram, q, cone, lam, y, &work, &info):
            return 0
        for i in range(m):
            terms = 0.0
            for j in range(m):
                terms += fabs(gram[i * m + j]) * (1.0 + lam[j])
            if cone[i] != EQUALITY and y[i] > LEAVES * terms:
                cone[i], some = EQUALITY, True
    for i in range(2 * m):
        if cone[i // 2] and _is_new(k, N + i * k, found, N):
            memcpy(N + found * k, N + i * k, k * sizeof(double))  # rows before are told already
            found += 1
    return found


cdef bint _is_new(int k, double* row, int count, const double* others) noexcept nogil:
    """Whether a row has more than a share of rounding beside orthonormal others, which are taken from it."""
    cdef double share
    cdef int i, j
    for i in range(count):
        share = _dot(k, row, others + i * k)
        for j in range(k):
            row[j] -= share * others[i * k + j]
    share = sqrt(_dot(k, row, row))
    for j in range(k if share > SEEN else 0):
        row[j] /= share
    return share > SEEN


cdef double _dot(int k, const double* a, const double* b) noexcept nogil:
    cdef double total = 0.0
    cdef int j
    for j in range(k):
        total += a[j] * b[j]
    return total
