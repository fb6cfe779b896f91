"""Assembly of the one-step problem y = A lambda + b of a stage, and the moves that its solution makes."""
from nsdgen.abi cimport nsdgen_call
from nsdgen.runtime._data cimport Arguments, Bound, BoundRelation, Stage


cdef inline void call(const Bound *k) noexcept nogil:
    """Call a bound kernel if there is one."""
    if k.call != NULL:
        k.call(k.in_, k.out)


cdef inline void invoke(nsdgen_call kernel, const Arguments *of) noexcept nogil:
    """Call a kernel of a class, if it has one, with the arguments of an instance."""
    if kernel != NULL:
        kernel(of.in_, of.out)


cdef inline void copy(double *target, const double *source, int n) noexcept nogil:
    """Copy a few doubles: for one to ten of them a loop is faster than a call of memcpy."""
    cdef int i
    for i in range(n):
        target[i] = source[i]


cdef void free_move(Stage *s) noexcept nogil
"""The Newton step without multipliers: rhs = W^-1 (R - rho) in every group."""

cdef void solve_columns(Stage *s, BoundRelation *r) noexcept nogil
"""X = W^-1 B for every participant of a relation."""

cdef void take_rows(Stage *s, const BoundRelation *r, bint first) noexcept nogil
"""b = y - C W^-1 (R - rho) for the rows of one relation, and where z starts."""

cdef int assemble(Stage *s, bint first) noexcept nogil
"""A (where out of date) and b of the relations in play.

0, -1 without memory, 1 where unknowns that W does not determine meet no relation in play.
"""

cdef void apply_move(Stage *s) noexcept nogil
"""w -= W^-1 (R - rho) and w += W^-1 B (z - lambda), lambda := z."""
