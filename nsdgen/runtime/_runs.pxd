# cython: language_level=3
"""What other units take of this one."""

from nsdgen.runtime._binding cimport BoundModel, FusedSteps
from nsdgen.runtime._data cimport Bound, BoundRelation, Failure, Stage
from nsdgen.runtime._program_data cimport Program

cdef int evaluate_cuts(Program *p, Failure *failure) noexcept nogil
"""The quantities whose zeros end a step, or are events, at the state and memory as they are."""

cdef int flow_exact(Program *p, double t, Failure *failure) noexcept nogil
"""The state that one step from the begin of the last one to t has, into the record.

The inside of the last step is lost."""

cdef int flow_inside(Program *p, double t, Failure *failure) noexcept nogil
"""The state at t within the last step, by its continuous extension, into the record."""

cdef int flow_observe(Program *p, Failure *failure) noexcept nogil
"""The rate, and all that follows from the state in the record: multipliers, memory, what is observed."""

cdef int flow_observe_tried(Program *p, Failure *failure) noexcept nogil
"""The same where memory is to be what follows from that of the last look."""

cdef double largest_scaled_row(Stage *s, Failure *failure) noexcept nogil
"""The largest scaled row of the residuals and of the natural map of the laws.

Expects freshly evaluated R, rho and y. Infinite where a row is not a number. Names
the row in ``failure`` (detail 0: system ``item``; 1: relation ``item``).
"""

cdef double largest_residual(Stage *s, Failure *failure) noexcept nogil
"""The largest Euclidean norm of R - rho of one system, in its own unit.

Expects freshly evaluated R, and rho as it is to count. Infinite where a row is not a number.
"""

cdef double merit(Stage *s, bint first) noexcept nogil
"""What a damped iteration must reduce: the largest row over a *fixed* weight.

To be called after one of the two. ``first`` takes the present magnitudes as weights;
they must not change within one search, or a longer row could pass for a shorter one.
"""

cdef double noise(Stage *s) noexcept nogil
"""Terms of a row that are nothing beside the others of the stage."""

cdef bint relation_holds(Stage *s, int index, double least) noexcept nogil
"""Whether the natural map of a relation in play is small, ``least`` being no term at all.

Its own scales and what ``resolve`` filled in are what it is compared with; the latter, row by row, is left in ``scratch``.
"""

cdef void resolve(Stage *s) noexcept nogil
"""Fill ``resolved``: the terms of each row of R as a change of the unknown that its pivot belongs to."""

cdef void resolution(Stage *s, BoundRelation *r, double *size) noexcept nogil
"""What the unknowns leave in the rows of a relation, each known to what ``resolve`` filled in."""

cdef enum:
    NODES = 6  # events of a sequence that are kept

cdef struct Given:
    # An array that a run fills with values.
    double *array
    Py_ssize_t n

cdef struct FirstState:
    # The state of a system at t_0: its initial values, or what a kernel makes of them.
    double *state
    const double *given
    size_t n
    Bound kernel

cdef class Start:
    cdef BoundModel model
    cdef Given *given
    cdef int n_given, n_systems
    cdef FirstState *starts
    cdef int *gaps  # where gaps lie in the record
    cdef int n_gaps
    cdef bint vanishing  # relations have rows that must be zero at the start
    cdef list explicit  # by stage: relations whose memory at t_0 a kernel of its own fills, with that kernel
    cdef list held  # multipliers that may be given at t_0

    cdef void _fill_states(self) noexcept

cdef void complete_rows(const Program *p, double *rows, long stride, long pitch, long count,
                        const double *times) noexcept nogil
"""What is observed of instants, into ``count`` records at ``times``.

``stride`` doubles lie from one record to the next and ``pitch`` between entries of one.
"""

cdef enum:
    CACHE = 4096  # doubles of the records that are looked at together: they stay in the first cache

cdef struct Keeping:
    # Of steps numbered ``since`` and later, and of those that were cut from ``begins`` [s] on: each ``every``-th (0: none),
    # and the ``last``, where entry ``when`` of its record is positive (-1: always); steps that were cut only with ``cuts``.
    # Of these the ``n`` columns; and reductions of columns over all records: 0 the largest, 1 the smallest, 2 the sum;
    # behind them, of how many. ``whole``: every record is kept as it stands.
    long since, every, last
    double begins
    int when, cuts, cut_at, n, n_reduced, whole
    const int *column
    const int *reduced
    const int *kind
    double *value

cdef class Recorder:
    cdef BoundModel model
    cdef double *block
    cdef double *ends
    cdef double *good  # the record of the last step that did not fail
    cdef long most  # steps of a block
    cdef Keeping keeping
    cdef object arrays  # that ``keeping`` points into

    cdef long most_steps(self, long count, long room) noexcept nogil

cdef long keep_rows(const Keeping *asked, long width, long pitch, long number, bint cut, long count, const double *block,
               const double *ends, double *rows, double *times) noexcept nogil

cdef class Stepper:
    cdef BoundModel model
    cdef FusedSteps fused_steps
    cdef Start start
    cdef Recorder recorder
    cdef double start_time, step_size, now
    cdef bint off_grid  # a step was cut, the rest of it is to be made
    cdef readonly bint stopped  # a quantity that ends runs was zero
    cdef readonly long step_number
    cdef public object checked  # the values of a start that was found good

    cdef long fuse(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef long fuse_uncut(self, long count, double *row, long stride, double *times) noexcept nogil
    cdef long steps_alone(self) noexcept nogil
    cdef void moved_on(self, long made) noexcept nogil
    cdef int onward(self) noexcept nogil
    cdef int forgets(self) noexcept nogil
    cdef int step(self) noexcept nogil
    cdef int instant(self) noexcept nogil
    cdef long go(self, long most, double *rows, double *times, long *written) noexcept nogil
