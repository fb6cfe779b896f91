"""Scales of the rows and columns of dense row-major matrices, callable from nogil code."""

cdef enum:
    TOGETHER = 256  # columns whose maxima are looked for at once

cdef uint64_t EXPONENT = 0x7FF0000000000000  # the bits of a double that hold it


cdef inline double _largest_scaled(int n, const double* a, const double* scale) noexcept nogil:
    """max |a[j]| scale[j]."""
    cdef int j
    cdef double most = 0.0
    for j in range(n):
        most = fabs(a[j]) * scale[j] if fabs(a[j]) * scale[j] > most else most
    return most


cdef inline void _raise(int n, const double* a, double factor, double* largest) noexcept nogil:
    """largest[j] = max(largest[j], factor |a[j]|)."""
    cdef int j
    cdef double size
    for j in range(n):
        size = fabs(a[j]) * factor
        largest[j] = size if size > largest[j] else largest[j]


cdef extern from *:
    """
    #include "nsdgen_dense.h"
    /* Reciprocal row maxima of a, n x n with leading dimension lda, then column maxima of the row-scaled matrix. Zeros
     * have 0, and what is no number does not count. */
    NSD_ANY_VECTOR
    static void equilibrate(int n, const double *a, int lda, double *row, double *column)
    {
        int i, j;
        memset(column, 0, n * sizeof(double));
        for (i = 0; i < n; ++i, a += lda) {
            nsd_four rows = {0};
            double largest = 0.0, factor;
            for (j = 0; j + 4 <= n; j += 4) {
                nsd_four size = NSD_SIZE(NSD_AT(a, j));
                rows = NSD_LARGER(size, rows, size > rows);
            }
            for (; j < n; ++j)
                largest = NSD_MORE(fabs(a[j]), largest);
            for (j = 0; j < 4; ++j)
                largest = NSD_MORE(rows[j], largest);
            factor = row[i] = largest > 0.0 ? 1.0 / largest : 0.0;
            for (j = 0; j + 4 <= n; j += 4) {
                nsd_four size = NSD_SIZE(NSD_AT(a, j)) * factor, most = NSD_AT(column, j);
                *(nsd_four *)(column + j) = NSD_LARGER(size, most, size > most);
            }
            for (; j < n; ++j)
                column[j] = NSD_MORE(fabs(a[j]) * factor, column[j]);
        }
    }
    """
    void equilibrate(int n, const double* a, int lda, double* row, double* column) noexcept nogil


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
