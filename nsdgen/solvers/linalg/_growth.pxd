# cython: language_level=3
"""Arrays that grow and are given back, many in a call, without the lock."""

cdef extern from *:
    """
    #include <stdlib.h>

    /* Nothing is lost where there is no memory. */
    static inline int nsd_resize(size_t bytes, void **arrays, size_t many)
    {
        for (size_t k = 0; k < many; k++) {
            void **array = (void **) arrays[k], *moved;
            if (bytes == 0) {
                free(*array);
                *array = NULL;
            } else if ((moved = realloc(*array, bytes)) == NULL)
                return -1;
            else
                *array = moved;
        }
        return 0;
    }

    static inline void nsd_free(void **arrays, size_t many)
    {
        for (size_t k = 0; k < many; k++)
            free(arrays[k]);
    }

    #define nsd_many(...) (void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *)
    #define nsd_resize_all(count, width, ...) nsd_resize((count) * (width), nsd_many(__VA_ARGS__))
    #define nsd_resize_doubles(count, ...) nsd_resize_all((size_t) (count), sizeof(double), __VA_ARGS__)
    #define nsd_resize_ints(count, ...) nsd_resize_all((size_t) (count), sizeof(int), __VA_ARGS__)
    #define nsd_free_all(...) nsd_free(nsd_many(__VA_ARGS__))
    """
    # Room for ``count`` items in each of the arrays that pointers point to, given back where that is 0; 0, or -1 without memory.
    int resize "nsd_resize_all"(size_t count, size_t width, ...) noexcept nogil
    int resize_doubles "nsd_resize_doubles"(size_t count, ...) noexcept nogil
    int resize_ints "nsd_resize_ints"(size_t count, ...) noexcept nogil
    void free_all "nsd_free_all"(...) noexcept nogil  # what the pointers point to
