"""Arrays that are just ones of doubles, in order: nothing about them needs to be asked again."""

cdef extern from *:
    """
    /* What every array of NumPy begins with, as its own macros read it; the buffer protocol takes ten times as long. */
    typedef struct {
        PyObject_HEAD
        char *data;
        int nd;
        Py_ssize_t *dimensions, *strides;
        PyObject *base, *descr;
        int flags;
    } nsd_array;
    """
    ctypedef struct nsd_array:
        char* data
        int nd
        Py_ssize_t* dimensions
        PyObject* descr
        int flags

cdef extern from "Python.h":
    void* PyCapsule_GetPointer(object capsule, const char* name) except NULL

cdef extern from *:
    """
    /* PyArray_NewFromDescr of NumPy's table of functions, whose places never change: ``np.empty`` takes twice as long. */
    typedef PyObject *(*nsd_new)(PyObject *, PyObject *, int, Py_ssize_t *, Py_ssize_t *, void *, int, PyObject *);
    """
    ctypedef object (*nsd_new)(
        PyObject* type, PyObject* kind, int dimensions, Py_ssize_t* shape, Py_ssize_t* strides, void* data, int flags,
        PyObject* like)

cdef enum:
    MOST_DIMENSIONS = 2  # vectors and matrices
    IN_ORDER = 0x101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED

cdef object _ARRAY = np.ndarray
cdef object _DOUBLES = np.dtype(np.float64)
cdef object _INTS = np.dtype(np.int32)
cdef object _LONGS = np.dtype(np.int64)
cdef object _CORE = np.core if np.__version__ < "2" else np._core
cdef nsd_new _NEW = (<nsd_new*> PyCapsule_GetPointer(_CORE._multiarray_umath._ARRAY_API, NULL))[94]


cdef void* _numbers(object value, object kind, int dimensions, Py_ssize_t* shape) noexcept:
    """Where the numbers of such an array are, as long as it lives; NULL where it is none."""
    cdef nsd_array* array = <nsd_array*> <PyObject*> value
    cdef int i
    if type(value) is not _ARRAY or array.descr != <PyObject*> kind or array.flags & IN_ORDER != IN_ORDER:
        return NULL
    if not array.nd == dimensions <= MOST_DIMENSIONS:
        return NULL
    for i in range(dimensions):
        shape[i] = array.dimensions[i]
    return array.data


cdef const double* plain_doubles(object value, int dimensions, Py_ssize_t* shape) noexcept:
    return <const double*> _numbers(value, _DOUBLES, dimensions, shape)


cdef object new_doubles(Py_ssize_t n, double** numbers):
    Py_INCREF(_DOUBLES)  # what is made takes it
    cdef object array = _NEW(<PyObject*> _ARRAY, <PyObject*> _DOUBLES, 1, &n, NULL, NULL, 0, NULL)
    numbers[0] = <double*> (<nsd_array*> <PyObject*> array).data
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
    cdef void* column = _numbers(indices, _INTS, 1, columns)
    cdef bint short = column != NULL
    cdef void* end = _numbers(indptr, _INTS if short else _LONGS, 1, ends)
    if not short:
        column = _numbers(indices, _LONGS, 1, columns)
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
