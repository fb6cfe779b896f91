# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Methods for rows with bounds, compiled as one: pivoting, active sets, sweeps."""

include "_dictionary.pxi"
include "_equality_pivots.pxi"
include "_active_set.pxi"
include "_least_norm.pxi"
include "_lemke.pxi"
include "_ray_proof.pxi"
include "_uniqueness.pxi"
include "_box.pxi"
include "_box_blocks.pxi"
include "_mlcp.pxi"
