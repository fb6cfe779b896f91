# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a solution leaves in laws of rows and contacts, compiled as one."""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs, HUGE_VAL
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from nsdgen.solvers.linalg._dense_rows cimport nsd_add, nsd_dot_sized
from nsdgen.solvers.linalg._linalg cimport plain_doubles, reduce_rows, STACKED
from nsdgen.solvers.one_contact._one_contact cimport contact_changes, direction_off, disk_radius, friction_off, MAX_DIM
from nsdgen.solvers.scaling.least_terms import LEAST as _LEAST

include "_contact_laws.pxi"
include "_row_laws.pxi"
include "_undetermined.pxi"
