# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Interrupts while compiled code runs without the lock; the interface is documented in ``_attention.pxd``."""
from _thread import interrupt_main

from cpython.exc cimport PyErr_CheckSignals
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef extern from "Python.h" nogil:
    unsigned long PyThread_get_thread_ident()

cdef double PAUSE = 0.03  # seconds between two questions: nobody notices, and they cost nothing
cdef double asked = 0.0
cdef int runs = 0
cdef bint pending = False
cdef unsigned long asker = 0
cdef object raised = None
cdef double LATER = 0.1  # seconds that a step may take to end by itself, once its end was asked for
cdef object asked_for = None
cdef double since = 0.0
cdef object ended = set()  # threads whose work is to end
cdef int ending = 0


def ask_to_end(error):
    """See ``nsdgen.runtime.interrupts.end_soon``."""
    global asked_for, since
    asked_for, since = error, seconds()


def end_threads(idents, bint ends=True):
    """Have what these threads run end soon, without an error of its own; ``ends=False``: they have."""
    global ending
    (ended.update if ends else ended.difference_update)(idents)
    ending = len(ended)


cdef bint is_ended() noexcept with gil:
    return PyThread_get_thread_ident() in ended


cdef inline double seconds() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef void listen(int more) noexcept:
    global runs
    runs += more


cdef bint interrupted() noexcept nogil:
    global asked
    cdef double t
    if ending and is_ended():
        return True
    if runs == 0:
        return False
    if pending:
        return PyThread_get_thread_ident() == asker
    t = seconds()
    if t - asked < PAUSE:
        return False
    asked = t
    return ask()


cdef void end_with(object error) noexcept:
    global pending, raised, asker
    if runs == 0:  # nobody answers
        if isinstance(error, KeyboardInterrupt):
            interrupt_main()
        return
    pending, raised, asker = True, error, PyThread_get_thread_ident()


cdef bint ask() noexcept with gil:
    try:
        PyErr_CheckSignals()
        if asked_for is not None and asked - since > LATER:
            raise asked_for
    except BaseException as error:
        end_with(error)
        return True
    return False


cdef int answer() except -1:
    global pending, raised
    if not pending or PyThread_get_thread_ident() != asker:
        return 0
    error, raised, pending = raised, None, False
    raise error
