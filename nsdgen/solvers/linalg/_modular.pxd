# cython: language_level=3
"""Integers modulo a prime, kept in doubles: elimination without rounding."""

from libc.math cimport fabs, floor

cdef inline bint is_integer(double value) noexcept nogil:
    """Whether the value is an integer below 2^52."""
    return value == floor(value) and fabs(value) < 4503599627370496.0


cdef inline double residue(double value) noexcept nogil:
    """An integer below 2^52 modulo 67108859, which is below 2^26: products of residues are exact."""
    value -= 67108859.0 * floor(value / 67108859.0)
    if value < 0.0:  # the quotient was rounded up
        return value + 67108859.0
    return value - 67108859.0 if value >= 67108859.0 else value


cdef inline bint independent(int rows, int columns, double* a) noexcept nogil:
    """Whether the rows of a matrix of residues (row-major) are independent; destroys it.

    Then the rows of the integers are, too: a minor that the prime does not divide is not zero.
    """
    cdef int i, j, k, l
    cdef double here, there
    cdef double* row
    cdef double* pivot_row
    for k in range(rows):
        pivot_row = a + <size_t> k * columns
        j = 0
        while j < columns and pivot_row[j] == 0.0:
            j += 1
        if j == columns:
            return False
        there = pivot_row[j]
        for i in range(k + 1, rows):
            row = a + <size_t> i * columns
            here = row[j]
            if here != 0.0:
                for l in range(columns):
                    row[l] = residue(row[l] * there - pivot_row[l] * here)
    return True
