"""Newton's direction for one island of a one-step problem, by block LU."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef bint is_factored(const OneStep *w) noexcept nogil
"""Whether the factors are those of the present derivatives."""

cdef bint is_nearly_factored(const OneStep *w) noexcept nogil
"""Whether the factors are those of an A of a step before, with the cases that rows have now; never in small islands."""

cdef int factor_rows(OneStep *w, bint truncate) noexcept nogil
"""Factor J of the nodes inside, unless nothing changed; 0, 1 where it is singular, -1 without memory.

With ``truncate`` unknowns that others determine do not move: what rounding asks of them, divided
by the shift, would take them far. Without it the shift makes them the shortest.
"""

cdef void find_direction(OneStep *w) noexcept nogil
"""``move`` = J^-1 F: outside it is F itself, inside what the factors say."""

cdef void find_scaled_direction(OneStep *w) noexcept nogil
"""``move`` = F_y J^-1 F with the factors of J = A F_y + F_z that ``columns`` ask for."""

cdef void find_columns(OneStep *w, int p, int i, int count, double *work, double *columns) noexcept nogil
"""J^-1 for unit loads on rows i ... i + count - 1 of node p, each of ``rows`` numbers, one after the other.

``work`` has room for as many numbers.
"""
