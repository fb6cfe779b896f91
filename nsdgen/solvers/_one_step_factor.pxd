# cython: language_level=3
"""Newton's direction for one island of a one-step problem, by block LU."""

from nsdgen.solvers._one_step cimport OneStep

cdef bint is_factored(const OneStep *w) noexcept nogil
"""Whether the factors are those of the present derivatives."""

cdef int factor_rows(OneStep *w) noexcept nogil
"""Factor J of the nodes inside, unless nothing changed; 0, 1 where it is singular, -1 without memory."""

cdef void find_direction(OneStep *w) noexcept nogil
"""``move`` = J^-1 F: outside it is F itself, inside what the factors say."""
