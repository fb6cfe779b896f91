# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Dense and graph problems of contacts behind the public functions, compiled as one."""

include "_dense_units.pxi"
include "_dense_judge.pxi"
include "_settled.pxi"
include "_mixed_sweeps.pxi"
include "_dense_contacts.pxi"
