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

cdef size_t dictionary_doubles(int n) noexcept nogil
cdef size_t dictionary_ints(int n) noexcept nogil
"""Numbers of doubles and of ints that a dictionary of n rows needs."""

cdef void attach(Dictionary* d, int n, double* work, int* iwork) noexcept nogil
"""Lay out the dictionary over the caller's memory."""

cdef void fill(Dictionary* d, const double* a, const double* b, const int* cone) noexcept nogil
"""y = a z + b, all y basic, scaled by ``row_scale`` and ``scale``, constants at most 1."""

cdef void exchange(Dictionary* d, int r, int c) noexcept nogil
"""Swap the basic variable of row r with the nonbasic one of column c."""

cdef void swap_rows(Dictionary* d, int i, int k) noexcept nogil
cdef void swap_columns(Dictionary* d, int i, int k) noexcept nogil
"""Two rows, or two columns, change places."""
