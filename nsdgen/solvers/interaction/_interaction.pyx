# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The one-step problem over a graph of blocks and its methods, compiled as one."""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs, fmax, fmin, frexp, HUGE_VAL, ldexp, rint, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

import numpy as np
from time import perf_counter

from nsdgen.abi.cones cimport block_height, BOX, COMPLEMENTARITY, COULOMB_2D, EQUALITY, FOLLOWS
from nsdgen.solvers._attention cimport answer, interrupted, listen
from nsdgen.solvers.certify._certify cimport MOST_COUNTED, open_changes
from nsdgen.solvers.interaction._one_step_work cimport (
    BOXES, FINE, FINE_SHIFT, FRICTION, ONE_STEP_NO_MEMORY, ONE_STEP_NONFINITE, ONE_STEP_NOT_CONVERGED, ONE_STEP_OK,
    OneStep, OTHERS, SHIFT, Undetermined, UNKNOWNS,
)
from nsdgen.solvers.linalg._dense_rows cimport nsd_add, nsd_largest
from nsdgen.solvers.linalg._fused_rows cimport nsd_box_set, nsd_memory
from nsdgen.solvers.linalg._growth cimport free_all, resize, resize_doubles, resize_ints
from nsdgen.solvers.linalg._linalg cimport (
    block_lu_analyse, block_lu_factor, block_lu_free, block_lu_init, block_lu_reserve, block_lu_solve,
    block_lu_solve_many, min_norm_solve, min_norm_work_size, sparse_lu_backward, sparse_lu_clear, sparse_lu_factor,
    sparse_lu_forward, sparse_lu_free, SPARSE_LU_NO_MEMORY, sparse_lu_null_vectors, SPARSE_LU_OK, sparse_lu_pattern,
)
from nsdgen.solvers.linalg._row_operations cimport subtract_row
from nsdgen.solvers.linalg._small_blocks cimport nsd_block_product, nsd_block_terms, nsd_pairs_terms
from nsdgen.solvers.one_contact._one_contact cimport (
    AT_REST, CLOSED, contact_changes, contact_off, direction_off, disk_count, disk_radius, disk_size, friction_off,
    linearize_contact, MAX_DIM, NO_SLIP, norm, project_cone, solve_contact,
)
from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork
from nsdgen.solvers.rows._row_bounds cimport row_bounds
from nsdgen.solvers.rows._row_methods cimport (
    closed_changes, mlcp_solve, mlcp_work_init, mlcp_work_size, MOST_SIDED, open_rows,
)

include "_one_step_memory.pxi"
include "_natural_map.pxi"
include "_linearised_rows.pxi"
include "_directions.pxi"
include "_reaction_units.pxi"
include "_null_space.pxi"
include "_full_steps.pxi"
include "_few_rows.pxi"
include "_augmented_rows.pxi"
include "_shortest.pxi"
include "_crossings.pxi"
include "_drift.pxi"
include "_eased_rounds.pxi"
include "_proximal_rounds.pxi"
include "_sweeps.pxi"
include "_undetermined_reactions.pxi"
include "_closed_reactions.pxi"
include "_edges.pxi"
include "_cone_interior.pxi"
include "_islands.pxi"
include "_one_step.pxi"
include "_from_arrays.pxi"
