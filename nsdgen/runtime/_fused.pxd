"""The steps of a small model in one function of its own module, bound to the arrays of a run.

The general stepper makes the first step and every step that the function leaves to it.
"""
from nsdgen.abi cimport nsdgen_run, nsdgen_run_problem, nsdgen_run_stage, nsdgen_steps
from nsdgen.runtime._data cimport Stage


cdef class FusedSteps:
    cdef BoundModel model
    cdef nsdgen_steps steps  # NULL where the module has none, or where the general stepper is asked for
    cdef nsdgen_run run
    cdef Stage *stage  # the first of those that make a step
    cdef nsdgen_run_stage *stages  # all of them
    cdef nsdgen_run_problem *problem  # of the one stage that makes steps over the graph, else NULL
    cdef int n_stages
    cdef long rest  # steps to leave to the general stepper, where the function made few of late

    cdef use(self, bint wanted)
    cdef bint ready(self) noexcept nogil
    cdef void point(self) noexcept nogil
    cdef nsdgen_run_problem *_bind_problem(self, Stage *s) except NULL
    cdef const double *const *_parameters(self, kind, int count) except NULL
