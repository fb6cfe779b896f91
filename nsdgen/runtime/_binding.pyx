# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Memory and addresses: what binds kernels to the arrays of a run, compiled as one."""

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.math cimport INFINITY
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from dataclasses import dataclass
from itertools import pairwise

from nsdgen.abi cimport (
    NSDGEN_ABI_MAJOR, NSDGEN_ABI_MINOR, nsdgen_call, nsdgen_class, nsdgen_input, nsdgen_kernel, nsdgen_module,
    nsdgen_output, nsdgen_run_problem, nsdgen_run_stage,
)
from nsdgen.runtime._attachment cimport reaction
from nsdgen.runtime._data cimport (
    AttachedShape, Attachment, Augmented, Block, Bound, BoundRelation, BoundSystem, Coupling, Group, PER_RUN,
    RelationForm, RUNS, SKIPS, SKIPS_CONSTRAINTS, Stage, SystemForm, Watched,
)
from nsdgen.runtime._program_data cimport Boxes, Events, Flow, Observer, Program, Reader, Repeat, Rounds, Sampler
from nsdgen.runtime._runs cimport NODES
from nsdgen.runtime._stages cimport augmented_pattern, coupled_free, coupled_pattern, leave_pile, PROBES
from nsdgen.solvers.interaction._interaction cimport natural_laws, one_step_free, one_step_init, one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep
from nsdgen.solvers.linalg._linalg cimport TreeFactors
from nsdgen.solvers.rows._row_methods cimport mlcp_work_init, mlcp_work_size
from nsdgen.solvers.step._rescue cimport one_step_rescue
from nsdgen.abi import Cone, Flag, KernelRole, Quantity, Role, level_of
from nsdgen.errors import ModuleMismatch
from nsdgen.record.step_record import Layout
from nsdgen.runtime import runge_kutta
from nsdgen.runtime.boxes import box_kernel
from nsdgen.runtime.interaction_graph import column_order, elimination_order, groups_of
from nsdgen.solvers.interaction.cone_rows import bounds_of, cones_of
from nsdgen.solvers.linalg.ordering import ancestors

include "_arena.pxi"
include "_table.pxi"
include "_run_arrays.pxi"
include "_stage_binding.pxi"
include "_program_binding.pxi"
include "_bound_model.pxi"
include "_fused.pxi"
include "_relation_binding.pxi"
