# cython: language_level=3
"""Methods for one island of a one-step problem; all start from ``z`` and leave their best iterate there."""

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
    PATH_PIVOTS = 20  # of a path, for each row

cdef double full_steps(OneStep *w, bint shifted, double goal, int limit) noexcept nogil
"""Newton's method without damping to ``goal`` or ``limit`` <= FULL_STEPS steps; the residual reached.

With ``shifted`` it is the residual of the shifted problem. Without friction the cases of all
rows (active or not) are finitely many: the method goes on until some come back.
"""

cdef double proximal_rounds(OneStep *w) noexcept nogil
"""Problems with A + alpha D, D the diagonal, each around the last iterate; the residual reached.

A solution is a fixed point for every alpha; the larger it is, the easier the problems and the
slower their sequence. Where rounds go the same way the next one goes ahead by more of it. What
Newton's method does not solve the path does (``_lemke_path.pxd``). Overwrites ``guess``.
"""

cdef double sweep_and_step(OneStep *w) noexcept nogil
"""Sweeps of Gauss-Seidel and damped Newton steps in turn, more sweeps each time; the residual reached."""

cdef void step_along(OneStep *w, double length) noexcept nogil
"""z -= length times ``move``."""

cdef bint is_zero(const OneStep *w) noexcept nogil
"""Whether nothing is known of the reactions."""
