"""One stage of a step: activation, Newton's method, advance, observation."""
from nsdgen.runtime._data cimport Counters, Failure, Stage

cdef int run_stage(Stage *s, bint again, Counters *counters, Failure *failure) noexcept nogil
"""Run a stage, unless it is skipped; ``again`` keeps in play what is.

Returns 0 or a FailureCode, with ``failure`` filled in; ``counters`` gain the Newton
iterations made and the rank deficiency of the last one-step problem.
"""

cdef int flow(Stage *s, const double *values, double *slope, Failure *failure) noexcept nogil
"""Solve a stage that gives the rate of the state; ``slope`` is laid out as the states in ``values`` are."""

cdef int fill(Stage *s, Failure *failure) noexcept nogil
"""Fill what systems freeze at the start of a step, and w0."""

cdef int observe(Stage *s, Failure *failure) noexcept nogil
"""Evaluate what systems and relations record and relations remember, from the advanced state."""

cdef int largest_violation(Stage *s, double *violation, int *worst, Failure *failure) noexcept nogil
"""The largest violation of relations in play, 0 for none, and the relation it is of."""
