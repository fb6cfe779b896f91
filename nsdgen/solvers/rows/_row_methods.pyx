# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Methods for rows with bounds, compiled as one: pivoting, active sets, sweeps."""

from libc.math cimport exp2, fabs, HUGE_VAL, INFINITY, logb, sqrt
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from nsdgen.abi.cones cimport COMPLEMENTARITY, EQUALITY
from nsdgen.solvers._attention cimport answer, interrupted, listen
from nsdgen.solvers._clock cimport now
from nsdgen.solvers.linalg._fused_rows cimport nsd_p_matrix
from nsdgen.solvers.linalg._linalg cimport (
    lu_factor, lu_factor_regular, lu_solve, min_norm_solve, min_norm_work_size, null_vectors, numerical_rank,
    two_sided_scale,
)
from nsdgen.solvers.linalg._modular cimport independent, residue_of
from nsdgen.solvers.linalg._second_order_cone cimport times_part, to_edge
from nsdgen.solvers.rows._mlcp_work cimport (
    MLCP_ACTIVE_SET, MLCP_CLOSED_FORM, MLCP_INCONSISTENT, MLCP_INFEASIBLE, MLCP_LEAST_NORM, MLCP_NONFINITE,
    MLCP_NOT_CONVERGED, MLCP_OK, MLCP_PIVOTING, MLCP_RAY, MlcpInfo, MlcpWork,
)

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
include "_one_sided.pxi"
include "_open_rows.pxi"
include "_priced_cones.pxi"
include "_bounded_shares.pxi"
