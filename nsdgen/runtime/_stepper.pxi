"""The stepper: starts a run and steps. A step calls no Python, takes no lock and allocates nothing."""

cdef enum:
    FEW = 4  # steps made by a model's own function at a time: fewer do not pay
    LOOKED_AT = 64  # steps made by it at a time, at most, where each may be cut
    PAUSE = 16  # steps that are then left to the general stepper
    RARELY = 1024  # steps, at most, between two that the general stepper makes, which looks for other solutions


cdef inline long until_look(long number) noexcept nogil:
    """How many steps from step ``number`` on precede the next at which other solutions are looked for: 0, powers of two,
    multiples of ``RARELY``."""
    cdef long apart = 1
    while 2 * apart <= min(number, <long>RARELY):
        apart *= 2
    return (apart - number % apart) % apart


cdef class Stepper:
    """A run of one model: ``Stepper(record, table)``, then ``fill``, ``initialize``, ``keep`` and ``advance``.

    ``record`` is the :class:`~nsdgen.record.model_record.ModelRecord`, ``table`` its kernels; with ``pooled``
    relations are cloned while it runs (:class:`~nsdgen.runtime._pools.RelationPools`). Raises ``ModuleMismatch`` where
    the two do not fit together.
    """

    def __init__(self, record, KernelTable table, bint pooled=False):
        self.model = BoundModel(record, table, pooled)
        self.fused_steps, self.start = FusedSteps(self.model), Start(self.model)
        self.recorder = Recorder(self.model)

    @property
    def layout(self):
        """The :class:`~nsdgen.record.step_record.Layout` of the record."""
        return self.model.arrays.layout

    @property
    def reusable(self):
        """Whether it may be kept for another run, which ``again`` makes it ready for."""
        return self.model.reusable

    def again(self):
        """As when it was made: what a run computed, chose or remembered is gone. For those that are ``reusable``."""
        self.model.again()

    def fill(self, tuple given not None):
        """Write the values of a run: see :meth:`nsdgen.runtime._start.Start.fill`."""
        self.start.fill(given)

    def initialize(self, double start, double step, given=(), long steps=0, row=None, clocks=None):
        """To t_0: see :meth:`nsdgen.runtime._start.Start.initialize`. False where a stage at the start fails."""
        self.start_time, self.step_size, self.step_number, self.now = start, step, 0, start
        self.off_grid = self.stopped = False
        self.fused_steps.rest = self.fused_steps.made = 0
        listen(1)
        try:
            return self.start.initialize(start, step, given, steps, row, clocks)
        finally:
            listen(-1)
            answer()

    def starts_well(self):
        """Whether a start is beyond doubt: see :meth:`nsdgen.runtime._start.Start.starts_well`."""
        return self.start.starts_well()

    def use_fused(self, bint wanted):
        """Whether the model's own function makes the steps that it can make."""
        self.fused_steps.use(wanted)

    @property
    def fused(self):
        """Whether the model has a function of its own for its steps, and it is used."""
        return self.fused_steps.steps != NULL

    def keep(self, columns, long every, long since=0, int when=-1, long last=-1, bint cuts=False, reduced=(), kinds=(),
             double begins=-INFINITY):
        """Choose what ``advance`` keeps: see :meth:`nsdgen.runtime._recorder.Recorder.keep`."""
        return self.recorder.keep(columns, every, since, when, last, cuts, reduced, kinds, begins)

    def advance(self, long count, double[:, ::1] rows=np.empty((1, 0)), double[::1] times=np.empty(1), long row=0):
        """Make up to ``count`` steps: (steps made, rows written, failed or not, seconds).

        What :meth:`keep` chose, nothing before it is called, goes to ``rows`` (k, columns) and ``times`` (k,) from ``row``
        on. Stops where these are full and where a quantity that ends runs is zero.
        """
        cdef long made = 0, written = row, got = 0, number
        if rows.shape[1] != self.recorder.keeping.n:
            raise ValueError("the table does not fit")
        began = perf_counter()
        listen(1)
        with nogil:
            while made < count and written < min(rows.shape[0], times.shape[0]) and not self.stopped:
                number = self.step_number
                got = self.go(self.recorder.most_steps(count - made, min(rows.shape[0], times.shape[0]) - written),
                              &rows[written, 0] if rows.shape[1] else NULL, &times[written], &written)
                if got < 0:
                    break
                made += got
                if number % LOOKED_AT == 0 and interrupted():
                    break
        listen(-1)
        answer()
        return made, written - row, got < 0, perf_counter() - began

    cdef long go(self, long most, double *rows, double *times, long *written) noexcept nogil:
        """Make up to ``most`` steps; how many, 0 where one was cut, -1 where it fails: then the record is that before it.

        What is kept of them goes to ``rows`` and ``times``; how much that is is added to ``written``.
        """
        cdef Keeping *keep = &self.recorder.keeping
        cdef long number = self.step_number, width = self.model.width, got
        cdef double *block = rows if keep.whole else self.recorder.block
        cdef double *ends = times if keep.whole else self.recorder.ends
        cdef double *values = self.model.arrays.values
        got = self.fuse(most, block, width, ends)
        if got == 0:
            memcpy(self.recorder.good, values, width * sizeof(double))
            if self.onward() or self.forgets():
                memcpy(values, self.recorder.good, width * sizeof(double))
                return -1
            memcpy(block, values, width * sizeof(double))
            ends[0] = self.model.program.clock[1]
            got = 1
        complete_rows(&self.model.program, block, width, 1, got, ends)
        if keep.whole:
            written[0] += got
        else:
            written[0] += keep_rows(keep, width, 1, number + 1, self.off_grid, got, block, ends, rows, times)
        return got - self.off_grid

    cdef long fuse(self, long count, double *row, long stride, double *times) noexcept nogil:
        """Make up to ``count`` steps by the model's own function; how many it made, 0 where the next is the general stepper's.

        Records go to ``row``, each ``stride`` doubles after the last. Where it makes few, the general stepper
        is left alone for a while; steps at whose end a block is due, and steps that are cut, are the general stepper's,
        as are some others (``until_look``). Who makes a step does not depend on where calls begin and end: these follow the clock.
        """
        cdef long made
        count = min(count, until_look(self.step_number))
        if self.model.program.n_samplers or self.model.program.n_cuts:
            count = min(count, self.steps_alone())
        if count == 0 or self.model.program.open or not self.fused_steps.ready():
            return 0
        self.fused_steps.run.start, self.fused_steps.run.h = self.start_time, self.step_size
        if self.model.program.n_cuts:
            count = min(count, <long>LOOKED_AT)
            made = self.fuse_uncut(count, row, stride, times)
        else:
            made = self.fused_steps.steps(&self.fused_steps.run, self.step_number, count, row, stride, times)
        self.moved_on(made)
        self.fused_steps.made += made
        if made < count:  # where it made none, the next step is the general stepper's at once
            self.fused_steps.rest = (PAUSE if self.fused_steps.made < FEW else 1) - (made == 0)
            self.fused_steps.made = 0
        return made

    cdef long fuse_uncut(self, long count, double *row, long stride, double *times) noexcept nogil:
        """The same up to the step in which a quantity that cuts becomes zero: found, all before it are made again."""
        cdef double cut = self.model.arrays.values[self.model.cut_at], begin = self.model.program.clock[0], end = self.model.program.clock[1]
        cdef long made, uncut
        if keep_start(&self.model.program, &self.model.failure):
            return 0
        self.model.arrays.values[self.model.cut_at] = 0
        made = self.fused_steps.steps(&self.fused_steps.run, self.step_number, count, row, stride, times)
        uncut = steps_uncut(&self.model.program, made, row, stride, times, &self.model.failure)
        if uncut < made:
            back_to_start(&self.model.program)
            if uncut:
                self.model.arrays.values[self.model.cut_at] = 0
                self.fused_steps.steps(&self.fused_steps.run, self.step_number, uncut, row, stride, times)
        if uncut == 0:
            self.model.arrays.values[self.model.cut_at] = cut
            self.model.program.clock[0], self.model.program.clock[1] = begin, end
        return uncut

    cdef long steps_alone(self) noexcept nogil:
        """How many of the next steps have no block that is due, and begin and end where steps do."""
        cdef int i
        if self.off_grid or self.model.program.h != self.step_size:
            return 0
        for i in range(self.model.program.n_cuts if self.model.program.n_crosses else 0):
            if self.model.program.fired[i]:  # it may come back at once
                return 0
        return steps_before_instant(&self.model.program, self.start_time, self.step_size, self.step_number)

    cdef void moved_on(self, long made) noexcept nogil:
        """So many steps were made by a function of the model."""
        if made:
            self.step_number += made
            self.model.program.clock[0] = self.start_time + (self.step_number - 1) * self.step_size
            self.now = self.model.program.clock[1] = self.start_time + self.step_number * self.step_size

    cdef int onward(self) noexcept nogil:
        """To the next instant that is recorded; 0 or a FailureCode."""
        return self.step() if self.model.program.flow.stage == NULL else self.instant()

    cdef int forgets(self) noexcept nogil:
        """NOT_FINITE where what relations remember is no number, as a gap that nothing would close, or a quantity whose
        zeros are looked for, which has none then; else 0."""
        cdef int i = first_lost(self.model.arrays.values, self.model.remembered_at, <int>self.model.program.n_carried)
        cdef int detail = REMEMBERED
        if i < 0:
            i, detail = first_lost(self.model.program.cut_value, 0, self.model.program.n_cuts), QUANTITY
        if i < 0:
            return 0
        self.model.failure.code, self.model.failure.detail, self.model.failure.row = NOT_FINITE, detail, i
        return NOT_FINITE

    cdef int step(self) noexcept nogil:
        """To the end of the step, or to the next instant at which it is cut."""
        cdef Counters counters
        cdef int status, which = -1
        cdef double begin = self.start_time + self.step_number * self.step_size
        cdef double end = self.start_time + (self.step_number + 1) * self.step_size
        cdef double stop = end, h = self.step_size
        if self.off_grid:
            begin = self.now
        if self.model.program.n_samplers:
            stop = next_stop(&self.model.program, self.start_time, begin, end, self.step_size, self.step_number + 1)
        if self.off_grid or stop != end:
            h = stop - begin
        if self.model.program.n_cuts:
            status = make_step_cut(&self.model.program, begin, stop, h, &counters, &self.model.failure, &which)
        else:
            status = make_step(&self.model.program, begin, stop, h, &counters, &self.model.failure)
        if status:
            return status
        self.now = self.model.program.clock[1]
        self.off_grid = self.now < end
        begin_instant(&self.model.program, self.now == stop)
        find_crossed(&self.model.program, self.model.program.before, &which)
        status = pass_instant(&self.model.program, &counters, &which, &self.model.failure)
        if status:
            return status
        if self.model.program.n_cuts:
            self.model.arrays.values[self.model.cut_at] = which + 1
            self.stopped = ends_run(&self.model.program)
        self.model.arrays.values[self.model.counters_at] = counters.newton
        self.model.arrays.values[self.model.counters_at + 1] = counters.deficiency
        if self.model.kept_at >= 0:
            self.model.arrays.values[self.model.kept_at] = counters.kept
        self.step_number += not self.off_grid
        return 0

    cdef int instant(self) noexcept nogil:
        """To the end of the step, or to the next side of an event."""
        cdef double grid = self.start_time + (self.step_number + 1) * self.step_size
        cdef int which = -1, status
        cdef bint on_grid = False
        self.model.program.flow.evaluations = 0
        status = next_instant(&self.model.program, grid, &self.model.failure, &which, &on_grid)
        if status:
            return status
        self.off_grid = not on_grid
        self.now = self.model.program.clock[1]
        if self.model.cut_at >= 0:
            self.model.arrays.values[self.model.cut_at] = which + 1
            self.stopped = ends_run(&self.model.program)
        self.model.arrays.values[self.model.counters_at] = self.model.program.flow.evaluations
        self.model.arrays.values[self.model.counters_at + 1] = open_rows(&self.model.program)
        self.step_number += on_grid
        return 0

    @property
    def values(self):
        """The record as it stands: a view (layout.width,), whose states are those that the next step starts from."""
        return <double[:self.model.width]>self.model.arrays.values

    @property
    def several(self):
        """Of steps that had other solutions: how many, the end of the first one, its stage, relation and row, and whether
        the share of its loads turns its motion; or None."""
        cdef Program *p = &self.model.program
        if p.several == 0:
            return None
        return p.several, p.several_at, p.several_stage, p.several_relation, p.several_row, p.several_turned != 0

    @property
    def time(self):
        """The time of the record as it stands."""
        return self.model.program.clock[1]

    def hold(self, int number, values):
        """What a block holds from here on, as if it had computed these values now. False where that fails.

        At t_0 outputs are those of the new values; later they stay those of the step that ended.
        """
        cdef Program *p = &self.model.program
        cdef double *held = <double *>p.sampler[number].memory
        cdef int k
        for k, value in enumerate(values):
            held[k] = value
        if publish(p, number, &self.model.failure):
            return False
        for k in range(self.model.program.n_stages if self.step_number == 0 else 0):
            if self.model.program.stage[k].block < 0 and not self.model.program.stage[k].at_start and observe(&self.model.program.stage[k], &self.model.failure):
                return False
        return True

    def tries_all(self, int number):
        """Whether all sets of active rows are tried in steps of a stage, if its cones are bounds and signs alone."""
        cdef Stage *s = &self.model.program.stage[number]
        return s.affine and s.n_rows <= MOST_WATCHED and not s.n_border and not s.traced and not s.has_coupled

    def one_step_matrix(self, int number=0):
        """A of the last one-step problem of a stage with the cone, b and z of each row, and whose rows they are; or None.

        The relations are pairs of number and first row. None where the last step solved none: no relations were in
        play, or nothing was left for the stage; or where W was singular and has rows in the problem.
        """
        cdef Stage *s = &self.model.program.stage[number]
        cdef OneStep *w = &s.graph
        cdef int i, j, k, a, b, rows, width
        if not s.moved or s.n_rows == 0 or s.n_border or (s.sparse and w.rows == 0):
            return None
        if not s.sparse:
            rows = s.n_rows
            return ([[s.A[i * rows + j] for j in range(rows)] for i in range(rows)], [s.cone[i] for i in range(rows)],
                    [s.b[i] for i in range(rows)], [s.z[i] for i in range(rows)],
                    [(s.play[i], s.relation[s.play[i]].row) for i in range(s.n_play)])
        found = [[0.0] * w.rows for _ in range(w.rows)]
        for i in range(w.n):
            rows = w.row[i + 1] - w.row[i]
            for k in range(w.start[i], w.start[i + 1]):
                j = w.column[k]
                width = w.row[j + 1] - w.row[j]
                for a in range(rows):
                    for b in range(width):
                        found[w.row[i] + a][w.row[j] + b] = w.value[w.place[k] + a * width + b]
        return (found, [w.cone[i] for i in range(w.rows)], [w.b[i] for i in range(w.rows)],
                [w.z[i] for i in range(w.rows)], [(s.member[i], w.row[i]) for i in range(w.n)])

    def free_unknowns(self, int number=0):
        """w - X lambda of a stage by system: what its unknowns would be without multipliers; or None.

        As the last linearisation sees it: exact where the stage is affine. None where the last step did not solve it, or
        W was singular or sparse.
        """
        cdef Stage *s = &self.model.program.stage[number]
        cdef BoundRelation *r
        cdef Attachment *at
        cdef int i, j, k, p, first
        if not s.moved or s.n_border or s.has_coupled:
            return None
        free = [[s.system[i].unknown[j] for j in range(s.system[i].n)] if s.system[i].present else [] for i in range(s.n_systems)]
        for p in range(s.n_play):
            r = &s.relation[s.play[p]]
            for k in range(r.n_attached):
                at = &r.attached[k]
                for i in range(s.n_systems):  # all that are solved for together with the participant
                    if not s.system[i].present or s.system[i].group != at.group:
                        continue
                    first = s.system[i].offset
                    for j in range(s.system[i].n):
                        free[i][j] -= sum(solved(at)[(first + j) * r.m + q] * r.multiplier[q] for q in range(r.m))
        return free

    def current(self):
        """The record as it stands, a list of the layout's width."""
        complete_rows(&self.model.program, self.model.arrays.values, 0, 1, 1, &self.model.program.clock[1])
        return [self.model.arrays.values[i] for i in range(self.model.arrays.layout.width)]

    @property
    def failed(self):
        """The last failure: code, stage, item, iteration, row, detail, value as a dictionary."""
        return self.model.failure
