"""Sweeps of exact contacts over a dense problem, each started from a mixture of those before it."""


cdef enum:
    DEPTH = 8  # sweeps that are remembered

cdef struct Sweeps:
    const Dense* p
    double* weight  # n, as all that follow unless said otherwise: 1 / (scale aim), what a change of r counts
    double* before  # where the last sweep started
    double* ended  # where it ended
    double* off  # what it changed, weighted
    double* best  # where the sweep that changed least ended
    double* ends  # DEPTH x n: differences of the ends of sweeps
    double* offs  # DEPTH x n: differences of their changes, weighted
    double products[DEPTH * DEPTH]  # of offs with each other
    int held  # differences
    int next  # place of the next one
    double least  # change of the sweep that changed least

cdef size_t sweeps_doubles(int n) noexcept nogil
"""Doubles of ``memory`` for ``sweeps_begin``."""

cdef void sweeps_begin(Sweeps* s, const Dense* p, double* memory) noexcept nogil
"""Make ready; nothing is remembered."""

cdef double sweep(Sweeps* s, double* r) noexcept nogil
"""One pass over all contacts from r (n); the largest change of a reaction, in units of the tolerance's aim."""

cdef void mix(Sweeps* s, double* r) noexcept nogil
"""r after a sweep becomes the mixture of the last sweeps' ends that would change least, were sweeps linear."""
