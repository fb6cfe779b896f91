# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Fused steps, bound; the interface is documented in ``_fused.pxd``."""
from nsdgen.runtime._attachment cimport output_x, solved
from nsdgen.runtime._binding cimport Binding
from nsdgen.runtime._data cimport BoundRelation, Stage
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport (
    nsdgen_run_participant, nsdgen_run_problem, nsdgen_run_relation, nsdgen_run_stage, nsdgen_run_system,
)
from nsdgen.solvers.interaction._natural_map cimport natural_laws
from nsdgen.solvers.interaction._one_step cimport one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep

from nsdgen.abi import Role


cdef class FusedBinding(Binding):
    """The arrays and stages of a run, and the function that makes its steps."""

    def __init__(self, record, KernelTable table):
        super().__init__(record, table)
        self.layout_width = self.layout.width
        self.use_fused(True)

    def use_fused(self, bint wanted):
        """Whether the model's own function makes the steps that it can make."""
        self.fused_steps = (<KernelTable>self.table).module.steps if wanted else NULL
        if self.fused_steps != NULL and self.fused_stage == NULL:
            self._bind_fused(self.record.stages_of_a_step)

    @property
    def fused(self):
        """Whether the model has a function of its own for its steps, and it is used."""
        return self.fused_steps != NULL

    def _bind_fused(self, numbers):
        cdef Stage *s = &self.stages[<int>numbers[0]]
        cdef nsdgen_run_system *systems = <nsdgen_run_system *>self.take(s.n_systems * sizeof(nsdgen_run_system))
        cdef nsdgen_run_relation *relations = <nsdgen_run_relation *>self.take(
            s.n_relations * sizeof(nsdgen_run_relation))
        cdef int i
        for i in range(s.n_systems):
            systems[i].parameters = self.at("system", i, Role.PARAMETERS, 0)
            if not s.system[i].present:
                continue
            systems[i].factors = s.group[s.system[i].group].matrix
            systems[i].pivot = s.group[s.system[i].group].pivot
        for i in range(s.n_relations):
            relations[i].parameters = self.at("relation", i, Role.PARAMETERS, 0)
            if s.relation[i].present:
                self._bind_relation(&s.relation[i], &relations[i])
        self.fused_stage = s
        self.fused_run.record = self.values
        self.fused_run.run = <const double *const *>self.program.run
        self.fused_run.system, self.fused_run.relation = systems, relations
        self._bind_stages(numbers)

    def _bind_stages(self, numbers):
        """Every stage that makes a step: its options, the modes of its relations, its problem over the graph."""
        cdef nsdgen_run_stage *bound
        cdef Stage *s
        cdef double **mode
        cdef int k, i
        self.n_fused_stages = len(numbers)
        self.fused_stages = <nsdgen_run_stage *>self.take(self.n_fused_stages * sizeof(nsdgen_run_stage))
        for k in range(self.n_fused_stages):
            bound, s = &self.fused_stages[k], &self.stages[<int>numbers[k]]
            mode = <double **>self.take(s.n_relations * sizeof(void *))
            for i in range(s.n_relations):
                mode[i] = s.relation[i].mode
            bound.tolerance, bound.max_iterations = s.tolerance, s.max_iterations
            bound.mode = <double *const *>mode
            if s.sparse and self.n_fused_stages == 1:
                self.fused_problem = self._bind_problem(s)
                bound.problem = self.fused_problem
        self.fused_run.stage = self.fused_stages

    cdef nsdgen_run_problem *_bind_problem(self, Stage *s) except NULL:
        cdef nsdgen_run_problem *p = <nsdgen_run_problem *>self.take(sizeof(nsdgen_run_problem))
        cdef const int **in_play = <const int **>self.take(s.n_relations * sizeof(void *))
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
        cdef nsdgen_run_problem *p = self.fused_problem
        cdef OneStep *w
        if p == NULL:
            return
        w = <OneStep *>p.graph
        p.nodes, p.row, p.start, p.column, p.place = w.n, w.row, w.start, w.column, w.place
        p.value, p.b, p.z, p.bound = w.value, w.b, w.z, w.bound

    cdef _bind_relation(self, BoundRelation *r, nsdgen_run_relation *bound):
        cdef nsdgen_run_participant *participants = <nsdgen_run_participant *>self.take(
            r.n_attached * sizeof(nsdgen_run_participant))
        cdef int k
        for k in range(r.n_attached):
            participants[k].output_x = output_x(&r.attached[k])
            participants[k].solved = solved(&r.attached[k])
        bound.output_lambda = r.output_lambda
        bound.mode = r.mode
        bound.known = &r.solved
        bound.participant = participants

    cdef bint fused_ready(self) noexcept nogil:
        """Whether the general stepper has computed what a run needs once, and W is regular."""
        if self.fused_steps == NULL or self.fused_rest > 0:
            self.fused_rest -= self.fused_rest > 0
            return False
        return self.factored()

    cdef bint factored(self) noexcept nogil:
        """Whether W of every system stands in the arrays that fused steps read."""
        cdef Stage *s = self.fused_stage
        cdef int i
        self.point()
        for i in range(s.n_groups if self.n_fused_stages == 1 else 0):
            if s.group[i].changed or s.group[i].sparse or s.group[i].n_systems != 1:
                return False
        return True
