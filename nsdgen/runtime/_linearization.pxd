"""Linearisation of a stage: R - rho, y, what of their derivatives is out of date, factors of W."""
from nsdgen.runtime._data cimport Failure, Stage


cdef int linearize(Stage *s, Failure *failure) noexcept nogil
"""Evaluate residuals, outputs and whatever of their derivatives is out of date; factor W."""

cdef int evaluate(Stage *s, Failure *failure) noexcept nogil
cdef int evaluate_systems(Stage *s, Failure *failure) noexcept nogil
cdef int evaluate_relations(Stage *s, Failure *failure) noexcept nogil
"""Evaluate residuals, outputs and reactions only."""

cdef int condense(Stage *s, Failure *failure) noexcept nogil
"""Take unknowns out of the one-step problem, for the rest of a step: W^-1 (R - rho) in their groups; 0 or a FailureCode."""

cdef int undetermined(Stage *s, Failure *failure) noexcept nogil
"""SINGULAR, with the name of an unknown that neither W nor the relations determine."""
