# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Methods for piles of bodies, compiled as one."""

from libc.math cimport fabs, floor, HUGE_VAL, sqrt
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from nsdgen.abi.cones cimport COULOMB_2D, COULOMB_3D, FOLLOWS, ROLLING
from nsdgen.solvers._attention cimport end_with, interrupted
from nsdgen.solvers.interaction._interaction cimport EasedRounds, solve_by_rounds, solve_own_rows
from nsdgen.solvers.linalg._growth cimport free_all, resize_doubles, resize_ints
from nsdgen.solvers.linalg._linalg cimport block_lu_analyse, block_lu_free, block_lu_reserve, BlockLU
from nsdgen.solvers.linalg._second_order_cone cimport in_cone, times_part, to_edge
from nsdgen.solvers.linalg._sets cimport join, number_sets
from nsdgen.solvers.one_contact._one_contact cimport contact_off, linearize_contact, MAX_DIM, project_cone
from nsdgen.solvers.piles._body_blocks cimport (
    factor_block, from_left, from_right, subtract_blocks, subtract_vector, vector_backward, vector_forward,
)
from nsdgen.solvers.piles._body_rows cimport move_by_rows, product_of, visit_plain
from nsdgen.solvers.piles._three_by_three cimport apply_three, invert_three, times_three
from nsdgen.solvers.linalg.ordering import minimum_degree

include "_planar_rolling.pxi"
include "_body_contacts.pxi"
include "_body_islands.pxi"
include "_body_factors.pxi"
include "_body_newton.pxi"
include "_body_interior.pxi"
include "_body_path.pxi"
include "_body_sweeps.pxi"
include "_body_steps.pxi"
