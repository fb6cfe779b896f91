# cython: language_level=3
"""What other units take of this one."""

include "_plain_arrays.pxd"
include "_scales.pxd"
include "_dense_lu.pxd"
include "_lu_pattern.pxd"
include "_lu_solution.pxd"
include "_threshold_lu.pxd"
include "_block_pattern.pxd"
include "_block_lu.pxd"
include "_tree_factors.pxd"
include "_min_norm.pxd"
