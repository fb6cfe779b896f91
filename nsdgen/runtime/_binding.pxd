# cython: language_level=3
"""What other units take of this one."""

include "_arena.pxd"
include "_table.pxd"
include "_run_arrays.pxd"
include "_bound_model.pxd"
include "_fused.pxd"
include "_program_binding.pxd"
include "_relation_binding.pxd"
include "_stage_binding.pxd"
