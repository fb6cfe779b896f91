"""Redundant rows: the multipliers of least norm, by the factors at hand."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef int take_null_space(OneStep *w, double reached) noexcept nogil
"""Take from a solution ``z``, of residual ``reached``, what the active rows do not see; how many rows depend on others.

The factors are those of the matrix of the active rows and its shift, whose inverse makes of any vectors a basis of the
null space of the matrix. -1, and ``z`` as it was, where no solution is left: rows that are nearly dependent, and rows
of inequalities whose multipliers would change their signs.
"""

cdef double count_for_more(OneStep *w) noexcept nogil
"""The certificate where a row counts for no less than FLOOR of the largest one, as in ``row_certificate.py``.

Its terms may be all rounding: multipliers that carry nothing, of constraints that say a thing twice.
"""

cdef void face_residual(OneStep *w) noexcept nogil
"""F for the rows as ``by_r`` and ``by_u`` have them: y = 0 inside, z at its bound outside."""
