"""What was computed once for a run, or for a step, and is so no more."""
from nsdgen.runtime._data cimport Stage

cdef void forget(Stage *s) noexcept nogil
"""Whatever was computed with other run values is out of date."""

cdef void forget_derivatives(Stage *s) noexcept nogil
"""The same, but for what systems freeze."""

cdef void reset(Stage *s) noexcept nogil
"""Forget everything: other parameters, another run."""
