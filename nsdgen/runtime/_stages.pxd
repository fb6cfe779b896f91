# cython: language_level=3
"""What other units take of this one."""

from nsdgen.runtime._data cimport Bound, BoundSystem, Counters, EMPTY_BOX, Failure, Group, Stage
from nsdgen.runtime._program_data cimport Program

cdef inline void call(const Bound *k) noexcept nogil:
    """Call a bound kernel if there is one."""
    if k.call != NULL:
        k.call(k.in_, k.out)

cdef int activate(Stage *s, bint only_add, int starts, Failure *failure) noexcept nogil
"""Evaluate the modes and number the rows of the relations in play; ``only_add`` keeps those that are.

``starts`` is 1 where a step starts, 2 where the same one starts again: then all relations begin, too.
"""

cdef void forget_multipliers(Stage *s) noexcept nogil
"""Multipliers of zero."""

cdef void start_blocks(Program *p, double step) noexcept nogil
"""No instant has passed; periods and offsets are those of the parameters."""

cdef void resume_blocks(Program *p, double now, double step, bint pending) noexcept nogil
"""The instants of clocks before ``now`` have passed, and those at it, unless they are ``pending``."""

cdef double next_stop(Program *p, double start, double begin, double end, double step, long number) noexcept nogil
"""Where the step that begins at ``begin`` ends, at the latest at ``end``, and which blocks are due there.

``start`` is that of the run; ``number`` is the one of the step that ends at ``end``.
"""

cdef long steps_before_instant(Program *p, double start, double step, long number) noexcept nogil
"""How many steps after step ``number``, at least, end before any block is due."""

cdef double next_due(Program *p, double start, double end, double step) noexcept nogil
"""The next instant of a block in a run from ``start`` to ``end``, INFINITY for none, and which blocks are due there.

It is a multiple of ``step`` where it is one but for rounding.
"""

cdef void read_others(Program *p) noexcept nogil
"""What blocks read of the multipliers of others, into their memories."""

cdef int publish(Program *p, int number, Failure *failure) noexcept nogil
"""What a block has just computed is what all others read from now on: 0 or a FailureCode."""

cdef inline int empty_box(int item, int row, const double *bound, Failure *failure) noexcept nogil:
    """EMPTY_BOX where nothing lies between two bounds, else 0."""
    if bound[0] <= bound[1]:
        return 0
    failure.code, failure.item, failure.row, failure.value = EMPTY_BOX, item, row, bound[1]
    return EMPTY_BOX

cdef int spread(Program *p, Failure *failure) noexcept nogil
"""The parameters of the model into the arguments of instances that depend on what a run sets: 0 or HELD_RANGE."""

cdef inline int missing_rank(const Stage *s) noexcept nogil:
    """How many multipliers of the last problem that was solved it does not determine."""
    return s.info.rank_deficiency if s.n_rows else 0


cdef inline bint knows_bounds(const Stage *s) noexcept nogil:
    """Whether a stage of rates has the bounds of what its rows hold."""
    cdef int p
    for p in range(s.n_play):
        if s.relation[s.play[p]].form.shared != NULL:
            return True
    return False

cdef double largest_terms(Stage *s, int relation) noexcept nogil
"""Of all rows of a relation, as the motion is now."""

cdef int turned_row(Stage *s) noexcept nogil
"""1 + a row of multipliers that the rows of a stage which hold do not see and that move its systems; 0: there are none."""

cdef int augmented_pattern(Stage *s, Group *g) noexcept nogil
"""W by rows, and the links that meet each unknown; 0, or -1 without memory."""

cdef int coupled_pattern(Stage *s, Group *g) noexcept nogil
"""The places of all entries of W; 0, or -1 without memory."""

cdef void coupled_free(Group *g) noexcept nogil
"""Give back what ``coupled_pattern`` took."""

cdef enum MatrixVerdict:
    UNKNOWN = 0
    ONE_MOTION = 1
    OPEN = 2

cdef void forget(Stage *s) noexcept nogil
"""Whatever was computed with other run values is out of date."""

cdef void reset(Stage *s) noexcept nogil
"""Forget everything: other parameters, another run."""

cdef int take_pile(Stage *s, double tolerance, double goal, int most, int rows) noexcept nogil
"""Solve rows in play so, where they are more than ``rows``, from here on; 0, or -1 without memory."""

cdef void leave_pile(Stage *s) noexcept nogil
"""Give back what that took."""

cdef bint is_pile(const Stage *s) noexcept nogil
"""Whether the rows in play can be solved so: blocks of one cone that a pile knows, systems of six unknowns, or of three in a plane, with a W of their own."""

cdef enum:
    PROBES = 8  # parts of the time between two looks, where a quantity was falling to zero

cdef int look(Program *p, double t, bint exactly, Failure *failure) noexcept nogil
"""The record and all quantities at t."""

cdef int look_near_enough(Program *p, double *to, Failure *failure) noexcept nogil
"""Look at ``to``, or at an instant before it to which all quantities are resolved."""

cdef double slope_of_parabola(double t1, double f1, double t2, double f2, double t3, double f3) noexcept nogil
"""At t3, of the one through three points."""

cdef double side(const Program *p, int i) noexcept nogil
"""Of a quantity that crosses: the side on which it is, 1 or -1, where it is to cross from there, else 0; 1 of others."""

cdef inline double signed(const Program *p, int i, double value) noexcept nogil:
    """A value of a quantity so that it is an event where that falls below zero."""
    return p.events.sign[i] * value if p.crosses[i] else value

cdef int look_back(Program *p, double *to, Failure *failure) noexcept nogil
"""A look at ``to`` was made; where a quantity that crossed at the start has come back before, ``to`` is where it had."""

cdef bint weigh(Program *p) noexcept nogil
"""Whether a quantity has its zero since the last look; ``scale`` is then its value here, else 0."""

cdef double fallen(Program *p, int *which) noexcept nogil
"""Negative before the first zero of the quantities weighed, not negative after it."""

cdef int look_between(Program *p, double *to, Failure *failure) noexcept nogil
"""Look at points since the last look: ``to`` is the first at which a quantity is below zero, else left as it was."""

cdef int run_stage(Stage *s, bint again, Counters *counters, Failure *failure) noexcept nogil
"""Run a stage, unless it is skipped; ``again`` keeps in play what is.

Returns 0 or a FailureCode, with ``failure`` filled in; ``counters`` gain the Newton
iterations made and the rank deficiency of the last one-step problem.
"""

cdef int flow(Stage *s, const double *values, double *slope, Failure *failure) noexcept nogil
"""Solve a stage that gives the rate of the state; ``slope`` is laid out as the states in ``values`` are."""

cdef void move_alone(Stage *s) noexcept nogil
"""The unknowns as the multipliers ``s.z`` make them where nothing else acts."""

cdef inline void call_advance(const BoundSystem *system) noexcept nogil:
    """Its next state, in the scratch of its class."""
    if system.form.advance != NULL:
        system.form.advance(system.advance_in, system.form.advance_out)

cdef int flow_terms(Stage *s, const double *values, double step, double *size, double *rate, double *multiplier,
                    Failure *failure) noexcept nogil
"""How large the terms are that rates of states and multipliers are made of, as the stage was solved just now.

Multipliers are those of all relations, one after the other. Terms of a rate of positions count what velocities gain in
a ``step``. ``size`` is that of states so far; velocities have at least one that is rounding of the others.
"""

cdef int fill(Stage *s, Failure *failure) noexcept nogil
"""Fill what systems freeze at the start of a step, and w0."""

cdef int observe(Stage *s, Failure *failure) noexcept nogil
"""Evaluate what systems and relations record and relations remember, from the advanced state."""

cdef int largest_violation(Stage *s, double *violation, int *worst, Failure *failure) noexcept nogil
"""The largest violation of relations in play, 0 for none, and the relation it is of."""

cdef int run_blocks(Program *p, Counters *counters, Failure *failure) noexcept nogil
"""All blocks that are due sample, then each computes, holds and sets states: 0 or a FailureCode. None is due then."""

cdef void begin_instant(Program *p, bint on_time) noexcept nogil
"""Another instant than the last: nothing has crossed or acted at it. ``on_time``: that at which clocks are due."""

cdef void find_crossed(Program *p, const double *before, int *which) noexcept nogil
"""The quantities that have crossed since they had these values have ``fired``; ``which`` is one, unless it is one."""

cdef int pass_instant(Program *p, Counters *counters, int *which, Failure *failure) noexcept nogil
"""Blocks act: those that are due, and those whose quantities have fired; 0 or a FailureCode.

Those whose quantities cross by what others change follow, each block once; ``which`` is as in ``find_crossed``.
"""

cdef bint crossed(const Program *p) noexcept nogil
"""Whether a quantity has fired and its block has not acted yet."""

cdef bint ends_run(const Program *p) noexcept nogil
"""Whether a quantity has fired that ends the run."""
