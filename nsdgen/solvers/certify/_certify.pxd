# cython: language_level=3
"""What other units take of this one."""

include "_contact_laws.pxd"
include "_undetermined.pxd"
