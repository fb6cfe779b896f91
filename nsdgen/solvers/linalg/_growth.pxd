# cython: language_level=3
"""Arrays that grow, without the lock."""

from libc.stdlib cimport realloc


cdef inline int grow(void **array, size_t count, size_t width) noexcept nogil:
    """``array`` with room for ``count`` items of ``width`` bytes; 0, or -1 and the array as it was."""
    cdef void *grown = realloc(array[0], max(count * width, 1))
    if grown == NULL:
        return -1
    array[0] = grown
    return 0


cdef inline int grow_doubles(double **array, size_t count) noexcept nogil:
    return grow(<void **> array, count, sizeof(double))


cdef inline int grow_ints(int **array, size_t count) noexcept nogil:
    return grow(<void **> array, count, sizeof(int))
