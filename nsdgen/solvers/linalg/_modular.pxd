# cython: language_level=3
"""Doubles modulo a prime: elimination without rounding.

A double is an integer times a power of two, and two has an inverse: nothing is lost but what the prime divides.
"""

from libc.math cimport floor, frexp, ldexp

cdef inline double residue(double value) noexcept nogil:
    """An integer below 2^52 modulo 67108859, which is below 2^26: products of residues are exact."""
    value -= 67108859.0 * floor(value / 67108859.0)
    if value < 0.0:  # the quotient was rounded up
        return value + 67108859.0
    return value - 67108859.0 if value >= 67108859.0 else value


cdef inline double residue_of(double value) noexcept nogil:
    """A finite double modulo the same prime, its power of two as one of 2 or of 33554430, the inverse of 2."""
    cdef int exponent
    cdef double mantissa = ldexp(frexp(value, &exponent), 53), result, base, high
    high = floor(mantissa / 134217728.0)  # 27 digits: both parts are below 2^52
    result = residue(residue(high) * residue(134217728.0) + residue(mantissa - 134217728.0 * high))
    exponent -= 53
    base = 2.0 if exponent > 0 else 33554430.0
    exponent = exponent if exponent > 0 else -exponent
    while exponent:
        if exponent & 1:
            result = residue(result * base)
        base = residue(base * base)
        exponent >>= 1
    return result


cdef inline bint independent(int rows, int columns, double* a) noexcept nogil:
    """Whether the rows of a matrix of residues (row-major) are independent; destroys it.

    Then the rows of the doubles are, too: a minor that the prime does not divide is not zero.
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
