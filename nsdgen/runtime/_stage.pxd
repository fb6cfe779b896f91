# cython: language_level=3
"""One stage of a step: activation, Newton's method, advance, observation."""
from nsdgen.runtime._data cimport Counters, Failure, Stage

cdef int run_stage(Stage *s, Counters *counters, Failure *failure) noexcept nogil
"""Run a stage once, or repeat it until its relations are satisfied.

Returns 0 or a FailureCode, with ``failure`` filled in; ``counters`` gain the Newton
iterations made and the rank deficiency of the last one-step problem.
"""

cdef int fill(Stage *s, Failure *failure) noexcept nogil
"""Fill what systems freeze at the start of a step, and w0."""

cdef int observe(Stage *s, Failure *failure) noexcept nogil
"""Evaluate what systems and relations record and relations remember, from the advanced state."""

cdef void reset(Stage *s) noexcept nogil
"""Forget everything that was computed with other parameters or run values."""
