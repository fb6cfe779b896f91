# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The problem of one contact with friction or rolling, compiled as one."""

from libc.math cimport fabs, HUGE_VAL, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from nsdgen.solvers.generated.alart_curnier cimport alart_curnier_2, alart_curnier_3
from nsdgen.solvers.generated.slip_equations cimport half_angle, slip_angle, slip_equation
from nsdgen.solvers.linalg._linalg cimport lu_factor, lu_solve

include "_friction_cone.pxi"
include "_slip_directions.pxi"
include "_candidates.pxi"
include "_likely_cases.pxi"
include "_rolling_cases.pxi"
include "_contact_solver.pxi"
