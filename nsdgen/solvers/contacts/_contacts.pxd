# cython: language_level=3
"""What other units take of this one."""

include "_contact_problem.pxd"
include "_dense_units.pxd"
include "_dense_judge.pxd"
include "_settled.pxd"
include "_mixed_sweeps.pxd"
