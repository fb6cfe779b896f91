"""Newton's method on one island of a one-step problem, from ``z``; it leaves its best iterate there."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef extern from *:
    """
    static const double WARM = 30.0;  /* reach from a good guess: cases follow velocities */
    static const double GOOD = 1e-10;  /* worth no more than one further attempt */
    """
    const double WARM
    const double GOOD

cdef enum:
    FULL_STEPS = 60

cdef double full_steps(OneStep *w, bint shifted, double goal, int limit) noexcept nogil
"""Newton's method without damping to ``goal`` or ``limit`` <= FULL_STEPS steps; the residual reached.

With ``shifted`` it is the residual of the shifted problem. Without friction the cases of all
rows (active or not) are finitely many: the method goes on until some come back.
"""

cdef double damped_steps(OneStep *w, bint shifted, double goal, int limit) noexcept nogil
"""Newton's method with a line search on the norm of F, from ``z``; otherwise as ``full_steps``."""

cdef void step_along(OneStep *w, double length) noexcept nogil
"""z -= length times ``move``."""

cdef bint is_zero(const OneStep *w) noexcept nogil
"""Whether nothing is known of the reactions."""
