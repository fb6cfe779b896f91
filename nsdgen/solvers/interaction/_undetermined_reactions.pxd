"""How many reactions of a one-step problem with friction its solution leaves undetermined.

Reactions may change by columns of F: the normal reaction of a contact that touches, loaded or not, with the friction of
each disk that slides, and freely the friction of each disk that does not; a row of another cone where its bounds leave
it free. What changes no velocity is the null space of the symmetric F^T A F, whose factors along the graph count it.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef int undetermined_rows(OneStep *w) noexcept nogil
"""The dimension of that null space for the island at hand, at the solution in ``z`` with its ``y``.

Counted again where the graph or the columns of F are others than in the last step: what A is otherwise does not
matter, as a rule. 0 for islands of more than ``MOST_ISLAND_ROWS`` rows.
"""

cdef void forget_undetermined(OneStep *w) noexcept nogil
"""The graph is another one."""
