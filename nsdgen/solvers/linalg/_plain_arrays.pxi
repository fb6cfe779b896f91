"""Arrays that are just ones of doubles, in order: nothing about them needs to be asked again."""

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_API_VERSION
    #include <numpy/arrayobject.h>
    """
    ctypedef struct PyArrayObject:
        pass
    int _import_array() except -1
    bint PyArray_CheckExact(object value)
    bint PyArray_ISCARRAY_RO(PyArrayObject* array)
    int PyArray_TYPE(PyArrayObject* array)
    int PyArray_NDIM(PyArrayObject* array)
    Py_ssize_t* PyArray_DIMS(PyArrayObject* array)
    void* PyArray_DATA(PyArrayObject* array)
    object PyArray_SimpleNew(int dimensions, Py_ssize_t* shape, int kind)
    enum:
        NPY_DOUBLE
        NPY_INT32
        NPY_INT64

cdef enum:
    MOST_DIMENSIONS = 2  # vectors and matrices

_import_array()


cdef void* _numbers(object value, int kind, int dimensions, Py_ssize_t* shape) noexcept:
    """Where the numbers of such an array are, as long as it lives; NULL where it is none."""
    cdef PyArrayObject* array = <PyArrayObject*> value
    cdef int i
    if not PyArray_CheckExact(value) or PyArray_TYPE(array) != kind or not PyArray_ISCARRAY_RO(array):
        return NULL
    if not PyArray_NDIM(array) == dimensions <= MOST_DIMENSIONS:
        return NULL
    for i in range(dimensions):
        shape[i] = PyArray_DIMS(array)[i]
    return PyArray_DATA(array)


cdef const double* plain_doubles(object value, int dimensions, Py_ssize_t* shape) noexcept:
    return <const double*> _numbers(value, NPY_DOUBLE, dimensions, shape)


cdef object new_doubles(Py_ssize_t n, double** numbers):
    cdef object array = PyArray_SimpleNew(1, &n, NPY_DOUBLE)
    numbers[0] = <double*> PyArray_DATA(<PyArrayObject*> array)
    return array


cdef inline Py_ssize_t _index(const void* indices, bint short, Py_ssize_t k) noexcept nogil:
    return (<const int*> indices)[k] if short else <Py_ssize_t> (<const int64_t*> indices)[k]


cdef bint fill_rows(object data, object indices, object indptr, int n, double* matrix) except -1:
    cdef Py_ssize_t[1] entries
    cdef Py_ssize_t[1] columns
    cdef Py_ssize_t[1] ends
    cdef const double* x = plain_doubles(data, 1, entries)
    cdef int i
    cdef Py_ssize_t k, j, first, last
    cdef void* column = _numbers(indices, NPY_INT32, 1, columns)
    cdef bint short = column != NULL
    cdef void* end = _numbers(indptr, NPY_INT32 if short else NPY_INT64, 1, ends)
    if not short:
        column = _numbers(indices, NPY_INT64, 1, columns)
    if x == NULL or column == NULL or end == NULL or ends[0] != n + 1:
        return False
    memset(matrix, 0, <size_t> n * n * sizeof(double))
    last = _index(end, short, 0)
    for i in range(n):
        first = last
        last = _index(end, short, i + 1)
        if not 0 <= first <= last <= entries[0] or last > columns[0]:
            return False
        for k in range(first, last):
            j = _index(column, short, k)
            if not 0 <= j < n:
                return False
            matrix[<size_t> i * n + j] += x[k]
    return True


def finite_doubles(object value, int dimensions):
    """Whether ``value`` is an array of NumPy's itself, of finite doubles in order, with so many dimensions."""
    cdef Py_ssize_t[MOST_DIMENSIONS] shape
    cdef Py_ssize_t i, n = 1
    cdef double one = 0.0, two = 0.0
    cdef const double* x = plain_doubles(value, dimensions, shape)
    if x == NULL:
        return False
    for i in range(dimensions):
        n *= shape[i]
    for i in range(0, n - 1, 2):
        one += x[i] - x[i]
        two += x[i + 1] - x[i + 1]
    if n % 2:
        one += x[n - 1] - x[n - 1]
    return one + two == 0.0


def exponents(object value, int dimensions):
    """The binary exponents, as of ``frexp``, of the largest and the smallest entry but zeros; (0, 0) where there is none.

    None for what is not plain, and where an entry is not finite.
    """
    cdef Py_ssize_t[MOST_DIMENSIONS] shape
    cdef Py_ssize_t i, n = 1
    cdef const double* x = plain_doubles(value, dimensions, shape)
    cdef double size, largest = 0.0, least = 0.0, probe = 0.0
    cdef int high = 0, low = 0
    if x == NULL:
        return None
    for i in range(dimensions):
        n *= shape[i]
    for i in range(n):
        probe += x[i] - x[i]
        size = x[i] if x[i] >= 0.0 else -x[i]
        largest = size if size > largest else largest
        if size > 0.0 and (size < least or least == 0.0):
            least = size
    if probe != 0.0:
        return None
    if largest > 0.0:
        frexp(largest, &high)
        frexp(least, &low)
    return high, low
