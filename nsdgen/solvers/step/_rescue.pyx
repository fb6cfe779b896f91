# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The last resort of a one-step problem; the interface is documented in ``_rescue.pxd``."""

from libc.string cimport memcpy

import numpy as np

from nsdgen.solvers.interaction._one_step_work cimport OneStep


cdef object _doubles(const double *values, size_t count):
    cdef double[::1] copy
    array = np.empty(count)
    if count:
        copy = array
        memcpy(&copy[0], values, count * sizeof(double))
    return array


cdef object _ints(const int *values, size_t count):
    cdef int[::1] copy
    array = np.empty(count, np.intc)
    if count:
        copy = array
        memcpy(&copy[0], values, count * sizeof(int))
    return array


cdef int _rescue(OneStep *w) except -1:
    """``nsdgen.solvers.step.last_resort.rescue`` on copies of the island's data; its status."""
    from nsdgen.solvers.step.last_resort import rescue

    cdef int first = w.start[w.begin], blocks = w.start[w.end] - first, rows = w.bottom - w.top, last, i
    cdef size_t base = w.place[first], size
    last = w.column[first + blocks - 1]
    size = w.place[first + blocks - 1] - base + (w.row[w.end] - w.row[w.end - 1]) * (w.row[last + 1] - w.row[last])
    places = np.array([w.place[first + i] - base for i in range(blocks)], dtype=np.intp)
    status, z, worst, deficiency = rescue(
        _ints(w.row + w.begin, w.end - w.begin + 1) - w.top, _ints(w.start + w.begin, w.end - w.begin + 1) - first,
        _ints(w.column + first, blocks) - w.begin, places, _doubles(w.value + base, size),
        _ints(w.cone + w.top, rows), _doubles(w.bound + 2 * w.top, 2 * rows), _doubles(w.b + w.top, rows),
        _doubles(w.z + w.top, rows), w.tolerance)
    for i, value in enumerate(z):
        w.z[w.top + i] = value
    w.rank_deficiency += deficiency
    if worst >= 0:
        w.worst_row = w.top + worst
    return status


cdef int one_step_rescue(void *problem) noexcept nogil:
    cdef int status = 4
    cdef OneStep *w = <OneStep *> problem
    with gil:
        try:
            status = _rescue(w)
        except Exception:  # whatever went wrong there, the problem is not solved
            status = 4
    return status
