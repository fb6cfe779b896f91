# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Distances between shapes, pair by pair of kinds, compiled as one."""

include "_supports.pxi"
include "_clipping.pxi"
include "_expansion.pxi"
include "_convex.pxi"
include "_box_box.pxi"
include "_mesh.pxi"
include "_forms.pxi"
include "_narrow.pxi"
include "_finding.pxi"
