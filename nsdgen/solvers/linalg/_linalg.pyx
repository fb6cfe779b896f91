# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Factors of dense, sparse and block-sparse matrices, compiled as one."""

from libc.float cimport DBL_EPSILON
from libc.math cimport copysign, fabs, frexp, isfinite, ldexp, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from nsdgen.solvers._attention cimport interrupted
from nsdgen.solvers._clock cimport now
from nsdgen.solvers.linalg._dense_rows cimport nsd_add, nsd_eliminate, nsd_largest
from nsdgen.solvers.linalg._growth cimport free_all, resize, resize_doubles, resize_ints
from nsdgen.solvers.linalg._modular cimport independent, residue_of
from nsdgen.solvers.linalg._row_operations cimport subtract_row
from nsdgen.solvers.linalg._sets cimport join, number_sets
from nsdgen.solvers.linalg._small_blocks cimport nsd_block_substitute, nsd_block_subtract_product

include "_plain_arrays.pxi"
include "_integers.pxi"
include "_scales.pxi"
include "_components.pxi"
include "_dense_lu.pxi"
include "_lu_pattern.pxi"
include "_node_blocks.pxi"
include "_lu_solution.pxi"
include "_threshold_lu.pxi"
include "_block_pattern.pxi"
include "_block_lu.pxi"
include "_tree_factors.pxi"
include "_min_norm.pxi"
include "_null_vectors.pxi"
