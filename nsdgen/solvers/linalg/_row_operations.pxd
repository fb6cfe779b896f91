# cython: language_level=3
"""What dense factorisations spend their time on."""


cdef inline void subtract_row(int count, double factor, const double* row, double* target) noexcept nogil:
    """target -= factor row, entry by entry."""
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
