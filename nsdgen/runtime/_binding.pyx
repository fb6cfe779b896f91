# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Memory and addresses: what binds kernels to the arrays of a run, compiled as one."""

include "_arena.pxi"
include "_table.pxi"
include "_run_arrays.pxi"
include "_stage_binding.pxi"
include "_program_binding.pxi"
include "_bound_model.pxi"
include "_fused.pxi"
include "_relation_binding.pxi"
