# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Interrupts while compiled code runs without the lock; the interface is documented in ``_attention.pxd``."""
from cpython.exc cimport PyErr_CheckSignals
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef double PAUSE = 0.03  # seconds between two questions: what a person does not notice, and costs nothing
cdef double asked = 0.0
cdef bint pending = False
cdef object raised = None


cdef bint interrupted() noexcept nogil:
    global asked
    cdef timespec now
    cdef double t
    if pending:
        return True
    clock_gettime(CLOCK_MONOTONIC, &now)
    t = now.tv_sec + 1e-9 * now.tv_nsec
    if t - asked < PAUSE:
        return False
    asked = t
    return ask()


cdef bint ask() noexcept with gil:
    global pending, raised
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        pending, raised = True, error
    return pending


cdef int answer() except -1:
    global pending, raised
    if not pending:
        return 0
    error, raised, pending = raised, None, False
    raise error
