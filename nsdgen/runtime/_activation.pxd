"""Which relations of a stage are in play: their modes, the rows they are given, what their multipliers start from."""
from nsdgen.runtime._data cimport Failure, Stage

cdef int activate(Stage *s, bint only_add, int starts, Failure *failure) noexcept nogil
"""Evaluate the modes and number the rows of the relations in play; ``only_add`` keeps those that are.

``starts`` is 1 where a step starts, 2 where the same one starts again: then all relations begin, too.
"""

cdef void forget_multipliers(Stage *s) noexcept nogil
"""Multipliers of zero."""
