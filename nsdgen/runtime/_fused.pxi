"""The steps of a small model in one function of its own module, bound to the arrays of a run.

The general stepper makes the first step and every step that the function leaves to it.
"""

cdef int solve_or_leave(void *graph) noexcept nogil:
    """0 where the problem is solved, and no other step than one that the general stepper makes was to note its other motions."""
    cdef OneStep *w = <OneStep *> graph
    cdef int status = one_step_solve(w)
    return status if status else w.turned_row and not w.told


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
        self.stage = &self.model.program.stage[<int>numbers[0]]
        self.run.record = self.model.arrays.values
        self.run.run = <const double *const *>self.model.program.run
        self.run.system = self._parameters("system", self.stage.n_systems)
        self.run.relation = self._parameters("relation", self.stage.n_relations)
        self._bind_stages(numbers)

    cdef const double *const *_parameters(self, kind, int count) except NULL:
        """Where the parameters of all systems or relations are."""
        cdef double **found = <double **>self.model.arrays.arena.take((count + 1) * sizeof(void *))
        cdef int i
        for i in range(count):
            found[i] = self.model.arrays.at(kind, i, Role.PARAMETERS, 0)
        return <const double *const *>found

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
        p.graph, p.solve, p.laws = &s.graph, solve_or_leave, natural_laws
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

    cdef bint ready(self) noexcept nogil:
        """Whether the function is to be asked for the next steps; it computes itself what a run needs once."""
        if self.steps == NULL or self.rest > 0:
            self.rest -= self.rest > 0
            return False
        self.point()
        return True
