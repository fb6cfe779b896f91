# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The last resort of a one-step problem; the interface is documented in ``_rescue.pxd``."""

from libc.string cimport memcpy

import numpy as np

from nsdgen.solvers._attention cimport end_with, interrupted
from nsdgen.solvers.interaction._one_step_work cimport OneStep


cdef int _rescue(OneStep *w) except -1:
    """``nsdgen.solvers.step.last_resort.rescue`` on copies of the island's data; its status."""
    from nsdgen.solvers.step.last_resort import rescue

    cdef int first = w.start[w.begin], blocks = w.start[w.end] - first, rows = w.bottom - w.top, last, i
    cdef int nodes = w.end - w.begin
    cdef size_t base = w.place[first], size
    cdef const double[::1] found
    last = w.column[first + blocks - 1]
    size = w.place[first + blocks - 1] - base + (w.row[w.end] - w.row[w.end - 1]) * (w.row[last + 1] - w.row[last])
    status, z, worst, deficiency = rescue(
        np.array(<int[:nodes + 1]> (w.row + w.begin)) - w.top,
        np.array(<int[:nodes + 1]> (w.start + w.begin)) - first,
        np.array(<int[:blocks]> (w.column + first)) - w.begin,
        np.array([w.place[first + i] - base for i in range(blocks)], dtype=np.intp),
        np.array(<double[:size]> (w.value + base)), np.array(<int[:rows]> (w.cone + w.top)),
        np.array(<double[:2 * rows]> (w.bound + 2 * w.top)), np.array(<double[:rows]> (w.b + w.top)),
        np.array(<double[:rows]> (w.z + w.top)), w.tolerance)
    found = np.ascontiguousarray(z)
    memcpy(w.z + w.top, &found[0], rows * sizeof(double))
    w.rank_deficiency += deficiency
    if worst >= 0:
        w.worst_row = w.top + worst
    return status


cdef int one_step_rescue(void *problem) noexcept nogil:
    cdef int status = 4
    cdef OneStep *w = <OneStep *> problem
    if interrupted():  # that may be why it is not solved, and what follows begins with a second of imports
        return status
    with gil:
        try:
            status = _rescue(w)
        except Exception:  # whatever went wrong there, the problem is not solved
            status = 4
        except BaseException as error:  # Ctrl-C
            end_with(error)
            status = 4
    return status
