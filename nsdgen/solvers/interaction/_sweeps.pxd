"""What is left to one island of a one-step problem; it starts from ``z`` and leaves its best iterate there."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef double sweep_and_step(OneStep *w) noexcept nogil
"""Sweeps of Gauss-Seidel and damped Newton steps in turn, more sweeps each time; the residual reached."""
