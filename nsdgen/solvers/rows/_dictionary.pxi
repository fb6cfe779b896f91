"""The dictionary of a linear complementarity problem, and its elementary operations.

One row per basic variable, written as a constant plus a combination of the nonbasic ones.
Variables are numbered 2 i for y_i and 2 i + 1 for z_i, i counting the rows of the
dictionary: complementarity rows first; -1 is the artificial variable of Lemke's method.
"""

cdef struct Dictionary:
    int n  # rows; complementarity rows first
    int m  # complementarity rows
    int rows  # rows that exchanges work on: all, then those of Lemke's method
    int width  # columns in use: constant, artificial, then one for each nonbasic variable
    int stride
    double* t  # n x stride
    double* row_scale  # n: y = y' / row_scale
    double* scale  # n: z = scale z'
    double* offset  # n: magnitudes of the constants at the start
    double unit  # of the constants
    int* row_of  # n: row in the caller's problem
    int* start  # n: variables basic when Lemke's method starts
    int* basic  # n: variable of each row; 2 i is y_i, 2 i + 1 is z_i, -1 the artificial
    int* nonbasic  # stride: variable of each column
    int* place  # 2 n: row of a basic variable, or -1 - column of a nonbasic one
    int* filled  # stride: columns where the pivot row is not zero
    int* outer  # stride: the nonbasic variables when Lemke's method starts
    int pivots

cdef double CANCELLED = 1e-13  # of the terms of a difference: it is zero
cdef double SPARSE_ROW = 0.2  # share of nonzeros below which a row is added entry by entry


# ------------------------------------------------------------------------------ set-up


cdef size_t dictionary_doubles(int n) noexcept nogil:
    return <size_t> n * (n + 2) + 3 * <size_t> n


cdef size_t dictionary_ints(int n) noexcept nogil:
    """Numbers of doubles and of ints that a dictionary of n rows needs."""
    return 8 * <size_t> n + 6


cdef void attach(Dictionary* d, int n, double* work, int* iwork) noexcept nogil:
    """Lay out the dictionary over the caller's memory."""
    d.n = n
    d.stride = n + 2
    d.t = work
    d.row_scale = work + <size_t> n * (n + 2)
    d.scale = d.row_scale + n
    d.offset = d.scale + n
    d.row_of = iwork
    d.basic = iwork + n
    d.place = iwork + 2 * n
    d.start = iwork + 4 * n
    d.nonbasic = iwork + 5 * n
    d.filled = iwork + 6 * n + 2
    d.outer = iwork + 7 * n + 4
    d.pivots = 0


cdef void fill(Dictionary* d, const double* a, const double* b, const int* cone) noexcept nogil:
    """y = a z + b, all y basic, scaled by ``row_scale`` and ``scale``, constants at most 1."""
    cdef int n = d.n, i, j, place = 0
    cdef double largest = 0.0
    cdef double* row
    for i in range(n):
        if cone[i] != EQUALITY:
            d.row_of[place] = i
            place += 1
    d.m = place
    for i in range(n):
        if cone[i] == EQUALITY:
            d.row_of[place] = i
            place += 1
        largest = max(largest, fabs(b[i]) * d.row_scale[i])
    d.unit = largest if largest > 0.0 else 1.0
    for i in range(n):
        row = d.t + i * d.stride
        row[0] = b[d.row_of[i]] * d.row_scale[d.row_of[i]] / d.unit
        row[1] = 0.0
        for j in range(n):
            row[2 + j] = (d.row_scale[d.row_of[i]] * a[d.row_of[i] * n + d.row_of[j]] * d.scale[d.row_of[j]])
        d.offset[i] = fabs(row[0])
        d.basic[i] = 2 * i
        d.place[2 * i] = i
        d.nonbasic[2 + i] = 2 * i + 1
        d.place[2 * i + 1] = -1 - (2 + i)
    d.nonbasic[1] = -1
    d.width = n + 2
    d.rows = n


# ----------------------------------------------------------------------------- exchange


cdef inline void _note(Dictionary* d, int variable, int place) noexcept nogil:
    if variable >= 0:
        d.place[variable] = place


cdef inline double _sum(double value, double change) noexcept nogil:
    """value + change; the Schur complements of singular matrices are full of zeros that cancel."""
    cdef double total = value + change
    return 0.0 if fabs(total) < CANCELLED * fabs(value) else total


cdef void _add_row(Dictionary* d, double* row, double factor, const double* pivot_row, int filled) noexcept nogil:
    """row += factor pivot_row, over the ``filled`` columns of ``d.filled`` where these are few.

    Both ways make the same sums: a zero of the pivot row changes nothing.
    """
    cdef int j
    if filled < SPARSE_ROW * d.width:
        for j in range(filled):
            row[d.filled[j]] = _sum(row[d.filled[j]], factor * pivot_row[d.filled[j]])
    else:
        for j in range(d.width):
            row[j] = _sum(row[j], factor * pivot_row[j])


cdef void exchange(Dictionary* d, int r, int c) noexcept nogil:
    """Swap the basic variable of row r with the nonbasic one of column c."""
    cdef double* pivot_row = d.t + r * d.stride
    cdef double* row
    cdef double inverse = 1.0 / pivot_row[c], factor
    cdef int i, j, variable, filled = 0
    for j in range(d.width):
        pivot_row[j] *= -inverse
        if pivot_row[j] != 0.0:
            d.filled[filled] = j
            filled += 1
    pivot_row[c] = inverse
    for i in range(d.rows):
        row = d.t + i * d.stride
        factor = row[c]
        if i != r and factor != 0.0:
            row[c] = 0.0
            _add_row(d, row, factor, pivot_row, filled)
    variable = d.basic[r]
    d.basic[r] = d.nonbasic[c]
    d.nonbasic[c] = variable
    _note(d, d.basic[r], r)
    _note(d, variable, -1 - c)
    d.pivots += 1


cdef void swap(Dictionary* d, int i, int k, bint rows) noexcept nogil:
    """Two rows, or two columns, change places."""
    cdef int* held = d.basic if rows else d.nonbasic
    cdef size_t across = d.stride if rows else 1, along = 1 if rows else d.stride
    cdef double* x = d.t + i * across
    cdef double* y = d.t + k * across
    cdef double value
    cdef int j, variable = held[i]
    for j in range(d.width if rows else d.n):
        value = x[j * along]
        x[j * along] = y[j * along]
        y[j * along] = value
    held[i] = held[k]
    held[k] = variable
    d.place[held[i]] = i if rows else -1 - i
    d.place[held[k]] = k if rows else -1 - k
