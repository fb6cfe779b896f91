"""The rows of the relations in play as a problem y = A lambda + b, and the solver that it is given to."""
from nsdgen.runtime._data cimport Failure, Stage

cdef int solve_rows(Stage *s, int first, Failure *failure) noexcept nogil
"""Assemble the problem of a linearised stage and solve it: dense, over the graph, or traced.

``first`` says that multipliers start from those of the last step. Returns 0 or a FailureCode, ``failure`` naming a relation.
"""

cdef inline int missing_rank(const Stage *s) noexcept nogil:
    """How many multipliers of the last problem that was solved it does not determine."""
    return s.info.rank_deficiency if s.n_rows else 0
