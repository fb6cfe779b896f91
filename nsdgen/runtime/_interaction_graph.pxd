"""A of a large one-step problem, in blocks over the interaction graph."""
from nsdgen.runtime._data cimport Stage

cdef int assemble_graph(Stage *s) noexcept nogil
"""The blocks of A of the relations in play, their graph first where it changed; 0, -1 without memory, 1 where a border is left alone."""

cdef void subtract_products(Stage *s) noexcept nogil
"""b -= A lambda with the multipliers as they are."""
