# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The problem of one contact with friction or rolling, compiled as one."""

include "_friction_cone.pxi"
include "_slip_directions.pxi"
include "_candidates.pxi"
include "_likely_cases.pxi"
include "_rolling_cases.pxi"
include "_contact_solver.pxi"
