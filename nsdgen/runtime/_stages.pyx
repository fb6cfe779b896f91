# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""One stage of a step, compiled as one: activation, Newton's method, linearization, the one-step problem."""

from libc.float cimport DBL_EPSILON
from libc.limits cimport LONG_MAX
from libc.math cimport fabs, fmax, fmin, HUGE_VAL, hypot, INFINITY, isfinite, llround, pow, sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from nsdgen.abi cimport nsdgen_call
from nsdgen.abi.cones cimport block_height, BOX, EQUALITY, is_planar_cone, TRACED
from nsdgen.runtime._ahead cimport FAR, far_end, fetch, fetch_system, HOT, NEAR, nsd_fetch, SOON
from nsdgen.runtime._attachment cimport output_x, reaction, reaction_lambda, solved
from nsdgen.runtime._data cimport (
    add_counters, Arguments, AT_ONCE, AT_REST, Attachment, Block, BoundRelation, BoundSystem, Counters, Coupled, Failure, Group,
    EMPTY_BOX, HELD_RANGE, INTERRUPTED, MOST_WATCHED, NO_CONVERGENCE, NO_MEMORY, NOT_FINITE, NOT_UNIQUE, ONE_STEP, OVERLAP,
    PER_ITERATION, PER_RUN, Pile, RelationForm, RUNS, SINGULAR, SKIPS, Stage, SystemForm,
)
from nsdgen.runtime._program_data cimport Events, Program, Reader, Sampler
from nsdgen.runtime._runs cimport (
    evaluate_cuts, flow_exact, flow_inside, flow_observe, flow_observe_tried, largest_residual, largest_scaled_row,
    merit, noise, relation_holds, resolution, resolve,
)
from nsdgen.solvers._attention cimport interrupted
from nsdgen.solvers.interaction._interaction cimport dense_rows, one_step_reserve, one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep
from nsdgen.solvers.linalg._fused_rows cimport nsd_p_matrix
from nsdgen.solvers.linalg._growth cimport free_all, resize_doubles, resize_ints
from nsdgen.solvers.linalg._linalg cimport (
    lu_factor, lu_solve, min_norm_work_size, NO_PIVOT, null_vectors, numerical_rank, reduce_rows, sparse_lu_backward,
    sparse_lu_backward_transposed, sparse_lu_clear, sparse_lu_factor, sparse_lu_forward, sparse_lu_forward_transposed, sparse_lu_free,
    SPARSE_LU_INACCURATE, sparse_lu_init, SPARSE_LU_NO_MEMORY, SPARSE_LU_NONFINITE, sparse_lu_pattern, tree_factor,
    tree_solve,
)
from nsdgen.solvers.linalg._small_blocks cimport nsd_block_product, nsd_block_subtract, nsd_block_subtract_all
from nsdgen.solvers.piles._body_rows cimport product_of
from nsdgen.solvers.piles._piles cimport body_steps_free, body_steps_lay_out, body_steps_solve, is_known_cone
from nsdgen.solvers.rows._mlcp_work cimport MLCP_NONFINITE, MlcpInfo
from nsdgen.solvers.rows._row_bounds cimport row_bounds
from nsdgen.solvers.rows._row_methods cimport bounded_shares, mlcp_solve, monotone_changes, Share
from nsdgen.solvers.step._rescue cimport one_step_rescue
from nsdgen.solvers.traced._traced_rows cimport trace_rows

include "_assembly.pxi"
include "_activation.pxi"
include "_held.pxi"
include "_rounding.pxi"
include "_rows_in_play.pxi"
include "_interaction_graph.pxi"
include "_augmented.pxi"
include "_coupled.pxi"
include "_linearization.pxi"
include "_several.pxi"
include "_forget.pxi"
include "_pile.pxi"
include "_looks.pxi"
include "_newton.pxi"
include "_shares.pxi"
include "_stage.pxi"
include "_rate_terms.pxi"
include "_instant.pxi"
