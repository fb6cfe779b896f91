"""An island made easier, round by round, where Newton's method circles."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef enum:
    DAMPED_STEPS = 20  # of Newton's method, after a detour
    FEW_ROWS = 300  # up to here: without friction the dense solver, with it Newton's method and a path; above it from inside
    PATH_ROWS = 4000  # beyond, a path of as many pivots as rows takes too long

cdef double proximal_rounds(OneStep *w) noexcept nogil
"""Problems with A + alpha D, D the diagonal, each around the last iterate; the residual reached.

A solution is a fixed point for every alpha; the larger it is, the easier the problems and the
slower their sequence. Where rounds go the same way the next one goes ahead by more of it. What
Newton's method does not solve the path does (``_lemke_path.pxd``). Overwrites ``guess``.
"""
