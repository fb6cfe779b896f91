# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, binding=False
"""Dense and graph problems of contacts behind the public functions, compiled as one."""

cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.math cimport fabs, HUGE_VAL, isfinite, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef extern from "structmember.h":
    ctypedef struct PyMemberDef:
        Py_ssize_t offset

cdef extern from "Python.h":
    ctypedef struct PyMemberDescrObject:
        PyMemberDef* d_member
    object PyType_GenericAlloc(object kind, Py_ssize_t items)

from nsdgen.abi.cones cimport COULOMB_2D, COULOMB_3D, FOLLOWS, ROLLING
from nsdgen.solvers._clock cimport now
from nsdgen.solvers.certify._certify cimport Answer, contact_residual, undetermined
from nsdgen.solvers.interaction._interaction cimport one_step_free, one_step_init, one_step_reserve, one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep
from nsdgen.solvers.linalg._dense_rows cimport (
    nsd_add, nsd_dot_sized, nsd_dot_three, nsd_dot_two, nsd_exponent, nsd_largest, nsd_look, nsd_power, nsd_solve_once,
)
from nsdgen.solvers.linalg._linalg cimport fill_rows, lu_factor, lu_solve, new_doubles, plain_doubles, STACKED
from nsdgen.solvers.linalg._sets cimport join, number_sets
from nsdgen.solvers.one_contact._one_contact cimport MAX_DIM, begin_contact, norm, project_cone, solve_contact
from functools import update_wrapper

from nsdgen.abi import NO_SLIP as _NO_SLIP
from nsdgen.solvers.certify._certify import NOISE as _NOISE, SEEN as _SEEN
from nsdgen.solvers.solution import Solution

include "_dense_units.pxi"
include "_dense_judge.pxi"
include "_mixed_sweeps.pxi"
include "_settled.pxi"
include "_dense_contacts.pxi"
include "_dense_bodies.pxi"
