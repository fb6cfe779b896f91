"""Newton's method of a stage: linearise, solve the one-step problem, move, test; full steps, or damped ones."""
from nsdgen.runtime._data cimport Counters, Failure, Stage

cdef int newton(Stage *s, int damped, Counters *counters, Failure *failure) noexcept nogil
"""Iterate from w_0 and the multipliers that are there until the test passes; 0 or a FailureCode."""
