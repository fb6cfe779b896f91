# cython: language_level=3
"""Arrays that grow, without the lock."""

from libc.stdlib cimport free, realloc


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


cdef inline int resize_doubles(double ***arrays, int many, size_t count) noexcept nogil:
    """So ``many`` arrays with room for ``count`` items, given back where that is 0; 0, or -1 without memory."""
    return _resize(<void ***> arrays, many, count, sizeof(double))


cdef inline int resize_ints(int ***arrays, int many, size_t count) noexcept nogil:
    return _resize(<void ***> arrays, many, count, sizeof(int))


cdef inline int _resize(void ***arrays, int many, size_t count, size_t width) noexcept nogil:
    cdef int k
    for k in range(many):
        if count == 0:
            free(arrays[k][0])
            arrays[k][0] = NULL
        elif grow(arrays[k], count, width):
            return -1
    return 0
