# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Methods for piles of bodies, compiled as one."""

include "_body_contacts.pxi"
include "_body_islands.pxi"
include "_body_factors.pxi"
include "_body_newton.pxi"
include "_body_interior.pxi"
include "_body_sweeps.pxi"
include "_body_steps.pxi"
