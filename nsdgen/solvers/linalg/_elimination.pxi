"""Elimination with the largest pivots of all rows and columns: ranks, and what a small dense matrix does not see."""

cdef extern from *:
    """
    #include "nsdgen_dense.h"
    /* Take the row of a pivot, own[0], from the rows below it so that their first entries vanish; into most the largest one
     * of the count entries of each that changes, which right-hand sides follow. */
    NSD_ANY_VECTOR
    static void take_pivot(int rows, int count, int width, size_t stride, double *own, double *most)
    {
        int i, j;
        for (i = 1; i <= rows; ++i) {
            double *row = own + i * stride, factor = row[0] / own[0], largest = 0.0;
            nsd_four four = {0};
            if (row[0] == 0.0)
                continue;
            row[0] = 0.0;
            for (j = 1; j + 4 <= count; j += 4) {
                nsd_four x = NSD_AT(row, j) - factor * NSD_AT(own, j), size = NSD_SIZE(x);
                *(nsd_four *)(row + j) = x;
                four = NSD_LARGER(size, four, size > four);
            }
            for (; j < count; ++j) {
                row[j] -= factor * own[j];
                largest = NSD_MORE(fabs(row[j]), largest);
            }
            for (; j < width; ++j)
                row[j] -= factor * own[j];
            for (j = 0; j < 4; ++j)
                largest = NSD_MORE(four[j], largest);
            most[i] = largest;
        }
    }
    """
    void take_pivot(int rows, int count, int width, size_t stride, double* own, double* most) noexcept nogil

cdef double SAFE_SQUARES = 1e-250  # a sum whose terms all count, those below its rounding apart
cdef double SHORTENED = 0.5  # of its length: a vector of which shares of others leave less has more of their rounding


cdef int eliminate_rows(int n, int width, double least, double* a, int* order, double* most) noexcept nogil:
    cdef int i, j, k, best
    cdef double first = 0.0, value
    cdef double* own
    cdef double* row
    for i in range(n):
        order[i] = i
        most[i] = nsd_largest(n, a + <size_t> i * width)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            best = i if most[i] > most[best] else best
        first = most[best] if k == 0 else first
        if not most[best] > least * first:
            return k
        own, row, j = a + <size_t> k * width, a + <size_t> best * width, k
        while j < n - 1 and fabs(row[j]) != most[best]:
            j += 1
        most[best] = most[k]
        for i in range(k if best != k else width, width):
            value, own[i] = own[i], row[i]
            row[i] = value
        for i in range(n if j != k else 0):
            row = a + <size_t> i * width
            row[j], row[k] = row[k], row[j]
        order[j], order[k] = order[k], order[j]
        take_pivot(n - k - 1, n - k, width - k, width, own + k, most + k)
    return n


cdef void reduce_rows(int rank, int width, double* a) noexcept nogil:
    cdef int j, k
    cdef double inverse
    cdef double* own
    for k in range(rank - 1, -1, -1):
        own = a + <size_t> k * width
        for j in range(k + 1, rank):
            nsd_add(width - rank, -own[j], a + <size_t> j * width + rank, own + rank)
        inverse = 1.0 / own[k]
        for j in range(rank, width):
            own[j] *= inverse


cdef double vector_length(int n, const double* x) noexcept nogil:
    """The norm of x, whose squares may be no doubles."""
    cdef double total = 0.0, largest
    cdef int i
    for i in range(n):
        total += x[i] * x[i]
    if SAFE_SQUARES <= total <= 1.0 / SAFE_SQUARES:
        return sqrt(total)
    largest, total = nsd_largest(n, x), 0.0
    for i in range(n if largest > 0.0 else 0):
        total += (x[i] / largest) * (x[i] / largest)
    return largest * sqrt(total)


cdef double _make_unit(int n, double* x) noexcept nogil:
    """Make x 1 long; how long it was."""
    cdef double length = vector_length(n, x), inverse = 1.0 / length
    cdef int i
    for i in range(n):
        x[i] *= inverse
    return length


cdef void take_shares(int n, int count, const double* unit, double* x) noexcept nogil:
    """x less its shares of orthonormal vectors, two at a time."""
    cdef double[2] share
    cdef int j
    for j in range(0, count, 2):
        nsd_dot_two(n, unit + <size_t> j * n, n if j + 1 < count else 0, x, share)
        nsd_add(n, -share[0], unit + <size_t> j * n, x)
        if j + 1 < count:
            nsd_add(n, -share[1], unit + <size_t> (j + 1) * n, x)


cdef void make_orthonormal(int n, int count, double* rows) noexcept nogil:
    cdef double* own
    cdef int l, k
    for l in range(count):
        own = rows + <size_t> l * n
        _make_unit(n, own)
        for k in range(2):  # twice is enough, and most need it once
            take_shares(n, l, rows, own)
            if _make_unit(n, own) > SHORTENED:
                break
