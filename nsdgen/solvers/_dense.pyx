# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Small dense linear algebra: LU, and rank-revealing least-norm solutions.

The interface is documented in ``_dense.pxd``.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs, frexp, ldexp, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    STACK_ROWS = 256  # up to here the row and column scales live on the stack
    TOGETHER = 256  # columns whose maxima are looked for at once

# Pivots below this many units of rounding, times n, are zero. Matrices such as
# H M^-1 H^T arrive with a few roundings of their own, hence not just 1.
cdef double PIVOT_ROUNDINGS = 64.0
cdef double NULL_WEIGHT_FLOOR = 1e-11
cdef uint64_t EXPONENT = 0x7FF0000000000000  # the bits of a double that hold it


# ----------------------------------------------------------------------------- scales


cdef inline double _largest(int n, const double* a) noexcept nogil:
    """max |a[j]|, two maxima at a time: one alone waits for each comparison."""
    cdef int j = 0
    cdef double one = 0.0, two = 0.0
    while j + 2 <= n:
        one = fabs(a[j]) if fabs(a[j]) > one else one
        two = fabs(a[j + 1]) if fabs(a[j + 1]) > two else two
        j += 2
    if j < n and fabs(a[j]) > one:
        one = fabs(a[j])
    return one if one > two else two


cdef inline double _largest_scaled(int n, const double* a, const double* scale) noexcept nogil:
    """max |a[j]| scale[j], in the same way."""
    cdef int j = 0
    cdef double one = 0.0, two = 0.0, size, next_size
    while j + 2 <= n:
        size = fabs(a[j]) * scale[j]
        next_size = fabs(a[j + 1]) * scale[j + 1]
        one = size if size > one else one
        two = next_size if next_size > two else two
        j += 2
    if j < n:
        size = fabs(a[j]) * scale[j]
        one = size if size > one else one
    return one if one > two else two


cdef inline void _raise(int n, const double* a, double factor, double* largest) noexcept nogil:
    """largest[j] = max(largest[j], factor |a[j]|)."""
    cdef int j
    cdef double size
    for j in range(n):
        size = fabs(a[j]) * factor
        largest[j] = size if size > largest[j] else largest[j]


cdef void _equilibrate(
    int n, const double* a, int lda, double* row, double* column
) noexcept nogil:
    """Reciprocal row maxima, then column maxima of the row-scaled matrix (0 for a zero row)."""
    cdef int i, j
    cdef double largest
    for j in range(n):
        column[j] = 0.0
    for i in range(n):
        largest = _largest(n, a + i * lda)
        row[i] = 1.0 / largest if largest > 0.0 else 0.0
        _raise(n, a + i * lda, row[i], column)


cdef inline double _power_of_two(double x) noexcept nogil:
    """The least power of two above x > 0."""
    cdef uint64_t bits
    cdef double power
    cdef int exponent
    memcpy(&bits, &x, sizeof(double))
    bits &= EXPONENT
    if bits == 0 or bits == EXPONENT:  # subnormal, infinite
        frexp(x, &exponent)
        return ldexp(1.0, exponent)
    memcpy(&power, &bits, sizeof(double))
    return 2.0 * power


cdef void two_sided_scale(int n, const double* a, double* row, double* column) noexcept nogil:
    # Column by column the matrix would be read across its rows: a few columns go together.
    cdef double most[TOGETHER]
    cdef int i, j, sweep, first, count
    cdef double largest
    for i in range(n):
        row[i] = 1.0
        column[i] = 1.0
    for sweep in range(4):
        for i in range(n):
            largest = _largest_scaled(n, a + <size_t> i * n, column)
            if largest > 0.0:
                # Geometric mean of the old scale and the one that would make it 1.
                row[i] = sqrt(row[i] / largest)
        first = 0
        while first < n:
            count = min(n - first, TOGETHER)
            for j in range(count):
                most[j] = 0.0
            for i in range(n):
                _raise(count, a + <size_t> i * n + first, row[i], most)
            for j in range(count):
                if most[j] > 0.0:
                    column[first + j] = sqrt(column[first + j] / most[j])
            first += count
    for i in range(n):
        row[i] = _power_of_two(row[i])
        column[i] = _power_of_two(column[i])


# --------------------------------------------------------------------------------- LU


cdef inline void _swap_rows(int n, double* a, int i, int k) noexcept nogil:
    cdef int j
    cdef double held
    for j in range(n):
        held = a[i * n + j]
        a[i * n + j] = a[k * n + j]
        a[k * n + j] = held


cdef inline void _subtract_row(int count, double factor, const double* row, double* target) noexcept nogil:
    # Four at a time, all read before any is written: compilers make vector instructions of it.
    cdef int j = 0
    cdef double one, two, three, four
    if factor == 0.0:
        return
    while j + 4 <= count:
        one = target[j] - factor * row[j]
        two = target[j + 1] - factor * row[j + 1]
        three = target[j + 2] - factor * row[j + 2]
        four = target[j + 3] - factor * row[j + 3]
        target[j] = one
        target[j + 1] = two
        target[j + 2] = three
        target[j + 3] = four
        j += 4
    while j < count:
        target[j] -= factor * row[j]
        j += 1


cdef int _eliminate(int n, double* a, int* pivot, double* row, double* column) noexcept nogil:
    """Gaussian elimination; ``row`` and ``column`` are the scales of ``_equilibrate``."""
    cdef int i, j, k, best_row
    cdef double best, size, factor
    cdef double tolerance = PIVOT_ROUNDINGS * n * DBL_EPSILON
    for k in range(n):
        best = -1.0
        best_row = k
        for i in range(k, n):
            size = fabs(a[i * n + k]) * row[i]
            if size > best:
                best = size
                best_row = i
        # Written so that a NaN counts as singular.
        if not (best > tolerance * column[k]):
            return 1 + k
        pivot[k] = best_row
        if best_row != k:
            _swap_rows(n, a, k, best_row)
            row[best_row] = row[k]
        for i in range(k + 1, n):
            if a[i * n + k] == 0.0:
                continue
            factor = a[i * n + k] / a[k * n + k]
            a[i * n + k] = factor
            _subtract_row(n - k - 1, factor, a + k * n + k + 1, a + i * n + k + 1)
    return 0


cdef int lu_factor(int n, double* a, int* pivot) noexcept nogil:
    cdef double stack[2 * STACK_ROWS]
    cdef double* scale = stack
    cdef int outcome
    if n == 1:
        pivot[0] = 0
        return 0 if a[0] != 0.0 and a[0] - a[0] == 0.0 else 1
    if n > STACK_ROWS:
        scale = <double*> malloc(2 * <size_t> n * sizeof(double))
        if scale == NULL:
            return -1
    _equilibrate(n, a, n, scale, scale + n)
    outcome = _eliminate(n, a, pivot, scale, scale + n)
    if scale != stack:
        free(scale)
    return outcome


cdef void _lu_solve_one(int n, const double* lu, const int* pivot, double* b) noexcept nogil:
    """The single right-hand side: sums stay in registers."""
    cdef int i, j
    cdef double total
    for i in range(n):
        if pivot[i] != i:
            total = b[i]
            b[i] = b[pivot[i]]
            b[pivot[i]] = total
    for i in range(1, n):
        total = b[i]
        for j in range(i):
            total -= lu[i * n + j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= lu[i * n + j] * b[j]
        b[i] = total / lu[i * n + i]


cdef void lu_solve(
    int n, const double* lu, const int* pivot, double* b, int nrhs
) noexcept nogil:
    cdef int i, j, k
    cdef double held
    if n == 1:
        for j in range(nrhs):
            b[j] /= lu[0]
        return
    if nrhs == 1:
        _lu_solve_one(n, lu, pivot, b)
        return
    for i in range(n):
        if pivot[i] != i:
            for j in range(nrhs):
                held = b[i * nrhs + j]
                b[i * nrhs + j] = b[pivot[i] * nrhs + j]
                b[pivot[i] * nrhs + j] = held
    for i in range(1, n):
        for k in range(i):
            _subtract_row(nrhs, lu[i * n + k], b + k * nrhs, b + i * nrhs)
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            _subtract_row(nrhs, lu[i * n + k], b + k * nrhs, b + i * nrhs)
        for j in range(nrhs):
            b[i * nrhs + j] /= lu[i * n + i]


# ---------------------------------------------------------------- least-norm solutions
#
# Matrices below are stored by column: column j is the contiguous run w + j * rows. A
# reflector H = I - tau v v^T with v[k] = 1 keeps the rest of v below the diagonal.


cdef double _norm(int count, const double* x) noexcept nogil:
    """Euclidean norm, safe from overflow and underflow of the squares."""
    cdef int i
    cdef double largest = 0.0, total = 0.0
    for i in range(count):
        if fabs(x[i]) > largest:
            largest = fabs(x[i])
    if largest == 0.0:
        return 0.0
    for i in range(count):
        total += (x[i] / largest) * (x[i] / largest)
    return largest * sqrt(total)


cdef double _make_reflector(int count, double* x) noexcept nogil:
    """Turn x into (beta, v[1:]) with H x = (beta, 0, ..., 0); returns tau."""
    cdef int i
    cdef double alpha = x[0], norm = _norm(count, x), beta
    if norm == 0.0:
        return 0.0
    beta = -norm if alpha >= 0.0 else norm
    for i in range(1, count):
        x[i] /= alpha - beta
    x[0] = beta
    return (beta - alpha) / beta


cdef void _reflect(int count, const double* v, double tau, double* x) noexcept nogil:
    """x <- (I - tau v v^T) x, where v[0] is read as 1."""
    cdef int i
    cdef double total = x[0]
    for i in range(1, count):
        total += v[i] * x[i]
    total *= tau
    x[0] -= total
    _subtract_row(count - 1, total, v + 1, x + 1)


cdef void _swap_columns(int rows, double* w, int* order, int j, int k) noexcept nogil:
    cdef int i, held = order[j]
    cdef double value
    order[j] = order[k]
    order[k] = held
    for i in range(rows):
        value = w[j * rows + i]
        w[j * rows + i] = w[k * rows + i]
        w[k * rows + i] = value


cdef double _rest_norm(double norm, double gone, double* reference) noexcept nogil:
    """The norm of a column without its first entry; negative where too much of it cancels.

    ``reference`` is the norm when it was last computed from the entries.
    """
    cdef double share
    if norm == 0.0:
        return 0.0
    share = max(0.0, 1.0 - (gone / norm) * (gone / norm))
    if share * (norm / reference[0]) * (norm / reference[0]) <= 1e-7:
        return -1.0
    return norm * sqrt(share)


cdef int _pivoted_qr(int n, double* w, int* order, double* c, double* norm) noexcept nogil:
    """QR with column pivoting of the n x n matrix w; c <- Q^T c; returns the rank.

    ``norm`` (2 n) is scratch: the norms of what is left of the columns, updated, and the
    last ones that were computed from the entries.
    """
    cdef int j, k, best_column
    cdef double best, tau, first = 0.0
    for j in range(n):
        norm[j] = norm[n + j] = _norm(n, w + j * n)
    for k in range(n):
        best = -1.0
        best_column = k
        for j in range(k, n):
            if norm[j] > best:
                best = norm[j]
                best_column = j
        # What decides about the rank is computed, not updated.
        best = _norm(n - k, w + best_column * n + k)
        if k == 0:
            first = best
        if not (best > PIVOT_ROUNDINGS * n * DBL_EPSILON * first):
            return k
        if best_column != k:
            _swap_columns(n, w, order, k, best_column)
            norm[best_column] = norm[k]
            norm[n + best_column] = norm[n + k]
        tau = _make_reflector(n - k, w + k * n + k)
        for j in range(k + 1, n):
            _reflect(n - k, w + k * n + k, tau, w + j * n + k)
            norm[j] = _rest_norm(norm[j], w[j * n + k], &norm[n + j])
            if norm[j] < 0.0:
                norm[j] = norm[n + j] = _norm(n - k - 1, w + j * n + k + 1)
        _reflect(n - k, w + k * n + k, tau, c + k)
    return n


cdef void _row_space(
    int n, int rank, const double* w, const int* order, const double* column, double* g, double* tau
) noexcept nogil:
    """QR of G^T, where G x = c are the rank equations left by ``_pivoted_qr``, unscaled.

    Row k of G is stored as column k of ``g`` (n x rank); ``tau`` has rank entries.
    """
    cdef int j, k
    for k in range(rank):
        for j in range(n):
            g[k * n + order[j]] = w[j * n + k] / column[order[j]] if j >= k else 0.0
    for k in range(rank):
        tau[k] = _make_reflector(n - k, g + k * n + k)
        for j in range(k + 1, rank):
            _reflect(n - k, g + k * n + k, tau[k], g + j * n + k)


cdef void _shortest(
    int n, int rank, const double* g, const double* tau, const double* c, double* x
) noexcept nogil:
    """The x of least norm with G x = c: x = Q (T^-T c, 0), where G^T = Q (T, 0)."""
    cdef int j, k
    for k in range(n):
        x[k] = c[k] if k < rank else 0.0
    for k in range(rank):
        for j in range(k):
            x[k] -= g[k * n + j] * x[j]
        x[k] /= g[k * n + k]
    for k in range(rank - 1, -1, -1):
        _reflect(n - k, g + k * n + k, tau[k], x + k)


cdef void _null_rows(
    int n, int rank, const double* g, const double* tau, double* unit, double* weight
) noexcept nogil:
    """weight[i] = norm of the part of the unit vector e_i in the null space of G."""
    cdef int i, k
    for i in range(n):
        for k in range(n):
            unit[k] = 1.0 if k == i else 0.0
        for k in range(rank):
            _reflect(n - k, g + k * n + k, tau[k], unit + k)
        weight[i] = _norm(n - rank, unit + rank)
        if weight[i] < NULL_WEIGHT_FLOOR:
            weight[i] = 0.0


cdef size_t min_norm_work_size(int n) noexcept nogil:
    return 2 * <size_t> n * n + 7 * <size_t> n


cdef int min_norm_solve(
    int n,
    const double* a,
    int lda,
    const double* b,
    double* x,
    double* work,
    int* iwork,
    double* residual,
    double* null_weight,
) noexcept nogil:
    # The rank is decided on the equilibrated matrix R A C (rows, then columns, brought
    # to maximum 1), so that units do not matter. A least norm does depend on the units
    # of x, and it is wanted in those of the caller: hence the surviving equations are
    # written in x again (G x = c, columns divided by C) and the shortest solution is
    # taken there by a second QR. The row scaling R drops out of a consistent system.
    cdef double* w = work
    cdef double* g = w + <size_t> n * n
    cdef double* row = g + <size_t> n * n
    cdef double* column = row + n
    cdef double* c = column + n
    cdef double* tau = c + n
    cdef double* unit = tau + n
    cdef double* norms = unit + n
    cdef int i, j, rank
    cdef double size
    _equilibrate(n, a, lda, row, column)
    for j in range(n):
        iwork[j] = j
        if column[j] == 0.0:
            column[j] = 1.0
        column[j] = 1.0 / column[j]
        c[j] = row[j] * b[j] if row[j] > 0.0 else b[j]
        for i in range(n):
            w[j * n + i] = row[i] * a[i * lda + j] * column[j]
    size = _norm(n, c)
    rank = _pivoted_qr(n, w, iwork, c, norms)
    if residual != NULL:
        residual[0] = _norm(n - rank, c + rank) / size if size > 0.0 else 0.0
    _row_space(n, rank, w, iwork, column, g, tau)
    _shortest(n, rank, g, tau, c, x)
    if null_weight != NULL:
        _null_rows(n, rank, g, tau, unit, null_weight)
    return rank


# -------------------------------------------------------------------------- from Python


def rank(const double[:, ::1] a):
    """The rank of a square matrix (n >= 1), decided as ``min_norm_solve`` decides it."""
    cdef int n = <int> a.shape[0], found
    cdef double* work = <double*> malloc((min_norm_work_size(n) + 2 * <size_t> n) * sizeof(double))
    cdef int* order = <int*> malloc(n * sizeof(int))
    if work == NULL or order == NULL:
        free(work)
        free(order)
        raise MemoryError
    cdef double* zero = work + min_norm_work_size(n)
    memset(zero, 0, 2 * n * sizeof(double))
    with nogil:
        found = min_norm_solve(n, &a[0, 0], n, zero, zero + n, work, order, NULL, NULL)
    free(work)
    free(order)
    return found
