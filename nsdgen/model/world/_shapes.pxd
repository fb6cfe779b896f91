# cython: language_level=3
"""What other units take of this one."""

include "_supports.pxd"
include "_clipping.pxd"
include "_expansion.pxd"
include "_convex.pxd"
include "_box_box.pxd"
include "_mesh.pxd"
