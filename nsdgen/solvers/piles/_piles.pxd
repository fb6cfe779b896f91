# cython: language_level=3
"""What other units take of this one."""

include "_body_contacts.pxd"
include "_body_islands.pxd"
include "_body_factors.pxd"
include "_body_newton.pxd"
include "_body_interior.pxd"
include "_body_sweeps.pxd"
include "_body_steps.pxd"
