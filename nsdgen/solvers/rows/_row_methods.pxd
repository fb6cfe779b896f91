# cython: language_level=3
"""What other units take of this one."""

include "_dictionary.pxd"
include "_equality_pivots.pxd"
include "_least_norm.pxd"
include "_lemke.pxd"
include "_ray_proof.pxd"
include "_active_set.pxd"
include "_uniqueness.pxd"
include "_box.pxd"
include "_mlcp.pxd"
