"""Arrays that are just ones of doubles, in order: nothing about them needs to be asked again."""

cdef object _ARRAY = np.ndarray


cdef bint open_plain(object value, Py_buffer* view, int dimensions) except -1:
    if type(value) is not _ARRAY:
        return False
    try:
        PyObject_GetBuffer(value, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    except (ValueError, BufferError):
        return False
    if view.ndim == dimensions and view.format[0] == b"d" and view.format[1] == 0:
        return True
    PyBuffer_Release(view)
    return False


def finite_doubles(object value, int dimensions):
    """Whether ``value`` is an array of NumPy's itself, of finite doubles in order, with so many dimensions."""
    cdef Py_buffer view
    cdef const double* x
    cdef Py_ssize_t i, n
    cdef double one = 0.0, two = 0.0
    if not open_plain(value, &view, dimensions):
        return False
    x = <const double*> view.buf
    n = view.len // <Py_ssize_t> sizeof(double)
    for i in range(0, n - 1, 2):
        one += x[i] - x[i]
        two += x[i + 1] - x[i + 1]
    if n % 2:
        one += x[n - 1] - x[n - 1]
    PyBuffer_Release(&view)
    return one + two == 0.0


def exponents(object value, int dimensions):
    """The binary exponents, as of ``frexp``, of the largest and the smallest entry but zeros; (0, 0) where there is none.

    None for what is not plain, and where an entry is not finite.
    """
    cdef Py_buffer view
    cdef const double* x
    cdef Py_ssize_t i, n
    cdef double size, largest = 0.0, least = 0.0, probe = 0.0
    cdef int high = 0, low = 0
    if not open_plain(value, &view, dimensions):
        return None
    x = <const double*> view.buf
    n = view.len // <Py_ssize_t> sizeof(double)
    for i in range(n):
        probe += x[i] - x[i]
        size = x[i] if x[i] >= 0.0 else -x[i]
        largest = size if size > largest else largest
        if size > 0.0 and (size < least or least == 0.0):
            least = size
    PyBuffer_Release(&view)
    if probe != 0.0:
        return None
    if largest > 0.0:
        frexp(largest, &high)
        frexp(least, &low)
    return high, low
