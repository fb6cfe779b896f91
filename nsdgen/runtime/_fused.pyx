# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Fused steps, bound; the interface is documented in ``_fused.pxd``."""
from nsdgen.runtime._attachment cimport output_x, solved
from nsdgen.runtime._bound_model cimport BoundModel
from nsdgen.runtime._data cimport BoundRelation, Stage
from nsdgen.abi cimport (
    nsdgen_run_participant, nsdgen_run_problem, nsdgen_run_relation, nsdgen_run_stage, nsdgen_run_system,
)
from nsdgen.solvers.interaction._natural_map cimport natural_laws
from nsdgen.solvers.interaction._one_step cimport one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep

from nsdgen.abi import Role


cdef class FusedSteps:
    """The function that makes the steps of a bound model: ``FusedSteps(model)``."""

    def __init__(self, BoundModel model):
        self.model = model
        self.use(True)

    cdef use(self, bint wanted):
        """Whether the model's own function makes the steps that it can make."""
        self.steps = self.model.arrays.table.module.steps if wanted else NULL
        if self.steps != NULL and self.stage == NULL:
            self._bind(self.model.arrays.record.stages_of_a_step)

    def _bind(self, numbers):
        cdef Stage *s = &self.model.program.stage[<int>numbers[0]]
        cdef nsdgen_run_system *systems = <nsdgen_run_system *>self.model.arrays.arena.take(s.n_systems * sizeof(nsdgen_run_system))
        cdef nsdgen_run_relation *relations = <nsdgen_run_relation *>self.model.arrays.arena.take(
            s.n_relations * sizeof(nsdgen_run_relation))
        cdef int i
        for i in range(s.n_systems):
            systems[i].parameters = self.model.arrays.at("system", i, Role.PARAMETERS, 0)
            if not s.system[i].present:
                continue
            systems[i].factors = s.group[s.system[i].group].matrix
            systems[i].pivot = s.group[s.system[i].group].pivot
        for i in range(s.n_relations):
            relations[i].parameters = self.model.arrays.at("relation", i, Role.PARAMETERS, 0)
            if s.relation[i].present:
                self._bind_relation(&s.relation[i], &relations[i])
        self.stage = s
        self.run.record = self.model.arrays.values
        self.run.run = <const double *const *>self.model.program.run
        self.run.system, self.run.relation = systems, relations
        self._bind_stages(numbers)

    def _bind_stages(self, numbers):
        """Every stage that makes a step: its options, the modes of its relations, its problem over the graph."""
        cdef nsdgen_run_stage *bound
        cdef Stage *s
        cdef double **mode
        cdef int k, i
        self.n_stages = len(numbers)
        self.stages = <nsdgen_run_stage *>self.model.arrays.arena.take(self.n_stages * sizeof(nsdgen_run_stage))
        for k in range(self.n_stages):
            bound, s = &self.stages[k], &self.model.program.stage[<int>numbers[k]]
            mode = <double **>self.model.arrays.arena.take(s.n_relations * sizeof(void *))
            for i in range(s.n_relations):
                mode[i] = s.relation[i].mode
            bound.tolerance, bound.max_iterations = s.tolerance, s.max_iterations
            bound.mode = <double *const *>mode
            if s.sparse and self.n_stages == 1:
                self.problem = self._bind_problem(s)
                bound.problem = self.problem
        self.run.stage = self.stages

    cdef nsdgen_run_problem *_bind_problem(self, Stage *s) except NULL:
        cdef nsdgen_run_problem *p = <nsdgen_run_problem *>self.model.arrays.arena.take(sizeof(nsdgen_run_problem))
        cdef const int **in_play = <const int **>self.model.arrays.arena.take(s.n_relations * sizeof(void *))
        cdef int i
        for i in range(s.n_relations):
            in_play[i] = &s.relation[i].in_play
        p.graph, p.solve, p.laws = &s.graph, <int (*)(void *) noexcept nogil>one_step_solve, natural_laws
        p.in_play, p.assembled = <const int *const *>in_play, &s.assembled
        p.changed, p.floor, p.residual, p.deficiency = (
            &s.graph.changed, &s.graph.floor, &s.graph.residual, &s.graph.rank_deficiency)
        return p

    cdef void point(self) noexcept nogil:
        """Where the arrays of the problem over the graph lie now."""
        cdef nsdgen_run_problem *p = self.problem
        cdef OneStep *w
        if p == NULL:
            return
        w = <OneStep *>p.graph
        p.nodes, p.row, p.start, p.column, p.place = w.n, w.row, w.start, w.column, w.place
        p.value, p.b, p.z, p.bound = w.value, w.b, w.z, w.bound

    cdef _bind_relation(self, BoundRelation *r, nsdgen_run_relation *bound):
        cdef nsdgen_run_participant *participants = <nsdgen_run_participant *>self.model.arrays.arena.take(
            r.n_attached * sizeof(nsdgen_run_participant))
        cdef int k
        for k in range(r.n_attached):
            participants[k].output_x = output_x(&r.attached[k])
            participants[k].solved = solved(&r.attached[k])
        bound.output_lambda = r.output_lambda
        bound.mode = r.mode
        bound.known = &r.solved
        bound.participant = participants

    cdef bint ready(self) noexcept nogil:
        """Whether the general stepper has computed what a run needs once, and W is regular."""
        if self.steps == NULL or self.rest > 0:
            self.rest -= self.rest > 0
            return False
        return self.factored()

    cdef bint factored(self) noexcept nogil:
        """Whether W of every system stands in the arrays that fused steps read."""
        cdef Stage *s = self.stage
        cdef int i
        self.point()
        for i in range(s.n_groups if self.n_stages == 1 else 0):
            if s.group[i].changed or s.group[i].sparse or s.group[i].n_systems != 1:
                return False
        return True
