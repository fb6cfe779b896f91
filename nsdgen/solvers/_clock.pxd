# cython: language_level=3
"""The clock of ``Solution.seconds``: read in C, a call of Python's would outlast small problems."""

from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec


cdef inline double now() noexcept nogil:
    """Seconds from some fixed time on; never goes back."""
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return <double> time.tv_sec + 1e-9 * <double> time.tv_nsec
