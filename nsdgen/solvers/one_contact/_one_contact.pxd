# cython: language_level=3
"""What other units take of this one."""

include "_friction_cone.pxd"
include "_candidates.pxd"
include "_slip_directions.pxd"
include "_likely_cases.pxd"
include "_rolling_cases.pxd"
include "_contact_solver.pxd"
