# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Fused steps, bound; the interface is documented in ``_fused.pxd``."""
from nsdgen.runtime._binding cimport Binding
from nsdgen.runtime._data cimport BoundRelation, Stage
from nsdgen.runtime._table cimport KernelTable
from nsdgen.abi cimport nsdgen_run_participant, nsdgen_run_relation, nsdgen_run_system

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
            self._bind_fused(next(k for k, s in enumerate(self.record.stages) if s.at != "start"))

    @property
    def fused(self):
        """Whether the model has a function of its own for its steps, and it is used."""
        return self.fused_steps != NULL

    def _bind_fused(self, int number):
        cdef Stage *s = &self.stages[number]
        cdef nsdgen_run_system *systems = <nsdgen_run_system *>self.take(s.n_systems * sizeof(nsdgen_run_system))
        cdef nsdgen_run_relation *relations = <nsdgen_run_relation *>self.take(
            s.n_relations * sizeof(nsdgen_run_relation))
        cdef int i
        for i in range(s.n_systems):
            systems[i].parameters = self.at("system", i, Role.PARAMETERS, 0)
            systems[i].factors = s.group[s.system[i].group].matrix
            systems[i].pivot = s.group[s.system[i].group].pivot
        for i in range(s.n_relations):
            if s.relation[i].present:
                relations[i].parameters = self.at("relation", i, Role.PARAMETERS, 0)
                self._bind_relation(&s.relation[i], &relations[i])
        self.fused_stage = s
        self.fused_run.record = self.values
        self.fused_run.run = <const double *const *>self.program.run
        self.fused_run.system, self.fused_run.relation = systems, relations

    cdef _bind_relation(self, BoundRelation *r, nsdgen_run_relation *bound):
        cdef nsdgen_run_participant *participants = <nsdgen_run_participant *>self.take(
            r.n_attached * sizeof(nsdgen_run_participant))
        cdef int k
        for k in range(r.n_attached):
            participants[k].output_x = r.attached[k].block.output_x.dense
            participants[k].solved = r.attached[k].solved
        bound.output_lambda = r.output_lambda.dense
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
        for i in range(s.n_groups):
            if s.group[i].changed or s.group[i].sparse or s.group[i].n_systems != 1:
                return False
        return True
