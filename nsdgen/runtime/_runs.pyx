# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Programs of stages, instants and events, and the stepper around them, compiled as one."""

from libc.float cimport DBL_MIN
from libc.math cimport fabs, fmax, fmin, INFINITY, isfinite, isinf, pow, sqrt
from libc.stdint cimport int32_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memmove, memset

import numpy as np
from time import perf_counter

from nsdgen.abi cimport nsdgen_kernel
from nsdgen.abi.cones cimport block_height, EQUALITY, TRACED
from nsdgen.runtime._ahead cimport fetch, NEAR as NEXT, nsd_fetch
from nsdgen.runtime._attachment cimport output_x, reaction, solved
from nsdgen.runtime._binding cimport Arena, BoundModel, FusedSteps, KernelTable
from nsdgen.runtime._data cimport (
    add_counters, Attachment, Bound, BoundRelation, BoundSystem, Counters, EMPTY_BOX, EVENT_LIMIT, Failure, Group, INTERRUPTED,
    MOST_WATCHED, NO_MEMORY, NO_MOTION, NOT_FINITE, ONE_STEP, QUANTITY, RANK_LOST, RelationForm, REMEMBERED, REPEAT_LIMIT, Stage,
    STEP_TOO_SHORT,
)
from nsdgen.runtime._program_data cimport Events, Flow, Observer, Program, Repeat, Rounds, Sampler
from nsdgen.runtime._stages cimport (
    activate, begin_instant, call, call_advance, crossed, ends_run, fallen, fill, find_crossed, flow, flow_terms,
    forget, forget_multipliers, is_pile, knows_bounds, largest_terms, largest_violation, look, look_back, look_between,
    look_near_enough, missing_rank, move_alone, next_due, next_stop, observe, OPEN, pass_instant, PROBES, publish,
    read_others, reset, resume_blocks, run_blocks, run_stage, side, signed, slope_of_parabola, spread, start_blocks,
    steps_before_instant, take_pile, turned_row, weigh,
)
from nsdgen.solvers._attention cimport answer, interrupted, listen
from nsdgen.solvers.interaction._interaction cimport dense_rows, natural_block, natural_laws
from nsdgen.solvers.interaction._one_step_work cimport OneStep
from nsdgen.solvers.linalg._small_blocks cimport nsd_block_sizes
from nsdgen.solvers.rows._mlcp_work cimport MLCP_INCONSISTENT
from nsdgen.abi import KernelRole, Role
from nsdgen.errors import ModelError

include "_bracket.pxi"
include "_program.pxi"
include "_rank_loss.pxi"
include "_across.pxi"
include "_flow.pxi"
include "_measure.pxi"
include "_zero.pxi"
include "_modes.pxi"
include "_resting.pxi"
include "_motions.pxi"
include "_accumulation.pxi"
include "_rounds.pxi"
include "_going_on.pxi"
include "_events.pxi"
include "_pool_data.pxi"
include "_pools.pxi"
include "_start.pxi"
include "_observers.pxi"
include "_recorder.pxi"
include "_stepper.pxi"
