# cython: language_level=3
"""Methods for one island of a one-step problem; all start from ``z`` and leave their best iterate there."""

from nsdgen.solvers._one_step cimport OneStep

cdef enum:
    FULL_STEPS = 60

cdef double full_steps(OneStep *w, bint shifted, int limit) noexcept nogil
"""Newton's method without damping, at most ``limit`` <= FULL_STEPS steps; the residual reached.

With ``shifted`` it is the residual of the shifted problem. Without friction the cases of all
rows (active or not) are finitely many: the method goes on until some come back.
"""

cdef double sweep_and_step(OneStep *w) noexcept nogil
"""Sweeps of Gauss-Seidel and damped Newton steps in turn, more sweeps each time; the residual reached."""

cdef void step_along(OneStep *w, double length) noexcept nogil
"""z -= length times ``move``."""
