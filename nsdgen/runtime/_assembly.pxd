# cython: language_level=3
"""Linearisation of a stage and assembly of its one-step problem y = A lambda + b."""
from nsdgen.runtime._data cimport Bound, Failure, Stage

cdef int call(const Bound *k, Failure *failure) noexcept nogil
"""Call a bound kernel if there is one; 0 or GUARD."""

cdef int linearize(Stage *s, Failure *failure) noexcept nogil
"""Evaluate residuals, outputs and whatever of their derivatives is out of date; factor W."""

cdef int evaluate(Stage *s, Failure *failure) noexcept nogil
"""Evaluate residuals, outputs and reactions only."""

cdef void free_move(Stage *s) noexcept nogil
"""The Newton step without multipliers: rhs = W^-1 (R - rho) in every group."""

cdef void assemble(Stage *s) noexcept nogil
"""A (where out of date) and b of the relations in play."""

cdef void apply_move(Stage *s) noexcept nogil
"""w -= W^-1 (R - rho) and w += W^-1 B (z - lambda), lambda := z."""
