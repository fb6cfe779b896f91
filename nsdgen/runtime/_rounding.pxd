"""Rows that hold rounding alone: what the rounding of unknowns leaves in rows whose own terms vanish."""
from nsdgen.runtime._data cimport Stage

cdef bint rounding_alone(Stage *s) noexcept nogil
"""Whether every row that is not small beside its own terms is so beside what rounding of unknowns does to it.

Expects the scales and the residuals R - rho of an iterate that has just been tested. R, rho and y are evaluated there
when it returns; R - rho is not.
"""
