# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a solution leaves in laws of rows and contacts, compiled as one."""

include "_contact_laws.pxi"
include "_row_laws.pxi"
include "_undetermined.pxi"
