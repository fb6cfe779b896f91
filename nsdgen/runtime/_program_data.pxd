# cython: language_level=3
"""The data of a program, in C: groups of stages that repeat, integration from event to event, what blocks hold."""
from nsdgen.runtime._data cimport Bound, Stage


cdef struct Repeat:
    # Stages first <= number < end, made again until all their relations are satisfied.
    int first, end, minimum, maximum, keep_on_limit, from_start, by_violation
    double tolerance


cdef struct Flow:
    # The motion between events: the last step of an explicit Runge-Kutta method with a continuous extension.
    Stage *stage  # whose advance is ds/dt; NULL where the stages make steps
    int n, total  # states; with the integrals of multipliers
    int *multipliers  # where these are in the record
    int stages, rows, powers  # stages of a step, with those of its extension; rows of weights
    const double *rtol
    const double *atol
    double *size  # of each state the largest so far, of the integral of a multiplier what its largest gives in a step
    double *sized  # the same, while motions are tried
    double *compared  # the rates of a motion, while others are looked at beside it
    double *terms  # of each rate, where the next step begins
    double *after  # and where it ends
    double *most  # of constraints: the largest diagonal of each row, then each pivot, in order (``_rank_loss.pxi``)
    double *aside  # a record, while motions are looked at that are not made
    double begin, end, trial  # of the last step; the length of the next one to try
    double span  # of the last step's polynomial: it may be followed beyond it
    double apart, ahead  # how far constraints are from losing rank, of the largest; how long until they do where that is next
    double *left  # where that polynomial was begun to be, and the rate there
    double missed  # the last one, of that, on its way back
    double horizon  # no step goes beyond
    double *first  # the state at the begin, and at the end
    double *last
    double *remembered  # by relations at the last look: it holds what was largest so far, which instants tried after it do not
    int n_remembered
    double *state  # of a stage
    double *inner  # at the end of a step that is made again, and its rate
    double *tangent
    double *slope  # of all stages
    double *extension
    double *scale  # the tolerance of each state in the last step
    int extended  # the extension of the last step is known
    bint rough  # it is too far off
    int slow  # steps in succession that are hopelessly short for the way to the horizon
    int brief  # that are short beside a step of the model, and as long as their errors let them be, since one was tried
    int noisy  # of those that were tried, in succession, whose error did not fall
    double *a  # the tableau, row by row; weights are row ``stages``
    double *c
    double *error3
    double *error5
    double *d
    long evaluations  # since the last record


cdef struct Rounds:  # what lies between two strikes of one relation
    double began, impulse  # of the one under way
    double height, next, tallest  # of the last one, of the next one if it falls as the last two did, and of all
    double falls  # what the last one was of the one before
    double lasted
    bint grows  # it lasted longer than the one before
    bint together  # at little heights with the last striker


cdef struct Events:
    int phase, made, fresh  # no look since the motion started
    double sampled  # the last instant at which zeros were looked for
    double *slope  # between the last two looks
    double reach, resolved, refused  # to how far from a look quantities are resolved, up to when, and when no longer
    double earlier_at, glanced  # instants between the last looks, and between the looks at hand
    double *earlier  # all quantities at these
    double *glance
    double *ahead  # and at ``resolved``
    double *reached  # of each quantity: the largest that it was
    double *grain  # what it is known to be rough by, and in how many of the shortest looks it was
    int *rough
    double *probe  # all quantities at points between two looks, point after point
    double *base  # where a quantity that is not positive starts from
    double *scale
    double jump  # what does not fall below that, of what it falls by, has not jumped yet
    double **gap  # where that is remembered of which a quantity says what is left; NULL for other quantities
    int *owner  # the relation of a quantity
    double *sign  # of a quantity that crosses: 1 where it is above zero, -1 below, 0 where it is not looked at
    double start, end  # of the run
    double due  # the next instant of a block, the end where there is none
    double *pending  # the record after an event at the start
    const double *most
    double *closed
    # events that accumulate
    double *node  # those kept of a sequence, the last one last
    double *at_event  # the record at the event at hand
    int n_nodes, followed, latest  # the quantity whose events they are, that of the latest event; -1 for none
    int others  # events of others since the last one of that quantity
    unsigned long between, between_last  # which those were, as a number that may wrap; before that last one
    double struck, at_latest, began  # when that and the latest event were, and when the sequence began
    int n_slips  # entries of the record that are rates of what slides in events
    int *slip
    int *slip_size  # where the largest of each relation is
    int *slip_owner
    double *slipped  # what they were at the event before of the quantity that is followed
    # gaps that close in turns, ever faster, by their quantities
    Rounds *rounds  # of each quantity of a gap
    int striker, extrapolated  # whose zero the event at hand is; whether that is the limit of a sequence
    int limit_next, at_limit  # whether the next event is one of several sequences, and the one at hand
    # which motion goes on where several may
    int n_places
    double **place
    int *highest
    char *steady  # its quantity goes on through a change: a place is entered only where that came to an end
    char *ended
    int *left  # the quantity that says what is left of an odd place; that of an even one follows
    int *member  # places that may change, in the order in which they were found
    int *digit  # which of its values each of them takes
    char *wrong  # of each place: a motion that was tried failed at it
    char *bears  # of each quantity: it says how much more something bears; no gap, no place, not one of a block
    char *weak  # of these: it was zero or less where a motion that is tried begins
    int firm  # what holds and is weak must not give way in a motion that is tried
    double *old
    double *guess
    double *height  # of each quantity: the largest value seen
    double *row  # the record at the event
    double *first  # of a motion that is tried: what is left of each place where it starts, and at least and at most
    double *least
    double *largest
    double *moved  # the same of the motion that goes on, whatever is tried beside it
    double now, last  # when this event is, and the last one was
    double clear  # to when the motion was followed that goes on
    int soon  # events in a row that followed the last one soon
    int idle  # events in a row at which no place changed
    int lost  # a row is no longer where it moved
    int agrees  # 1: the rows of a motion that was tried do not contradict each other; -1: of all that were, 0: none was
    int coarse  # 1: rounding counts beside the terms of whole relations
    double *rounded  # of what is left of places, then
    int decided  # multipliers that the stage which decided last left open
    int chosen  # since the last record the motion was one of several
    int n_sides  # of disks: 0 where they stick
    double **side
    double span[4]  # times between the last events, the last one first
    double longest  # of all such times
    int endless  # there are too many events


cdef struct Sampler:
    # A relation that acts at instants of its own: at offset + next period, counted from the start of the run.
    int cut, due, n_holds
    int spent  # it has acted at this instant
    int n_conditions
    int *condition  # the quantities at whose zeros it is due
    int n_reads
    double *read  # copies of multipliers of other relations, and where these are
    double **source
    double *flag  # which of these crossed, where it asks; else NULL
    double acted_at
    long every, first, next  # in steps where both are multiples of h, not ``cut``; the number of the next instant
    double period, offset
    const double *memory  # what the relation holds
    int *parameter  # the numbers of the parameters that take these values
    int n_resets
    double **state  # what it sets, where it has acted
    const double *reset
    const double *acted  # NULL: always


cdef struct Observer:
    # Columns that are functions of others of an instant: ``given`` are these, ``found`` its values.
    Bound call
    int n_given, n, at  # ``at``: where they stand in the record
    const int *column
    double *given
    double *found


cdef struct Reader:
    # An argument of an instance that a run sets itself, and what it may be. What is out of date with it:
    int kept  # derivatives and bounds
    int frozen  # what the system of this number freezes, -1: nothing
    double *target
    const double *source
    double low, high


cdef struct Boxes:
    # The bounds of a relation that move from event to event, where no stage takes them: lower and upper one of each row.
    int relation, n
    Bound call
    double *bound


cdef struct Program:
    int n_stages
    Stage *stage
    Repeat *repeat
    int *repeat_of  # which group begins with a stage, -1 for none
    double *clock
    int n_runs
    double **run  # run values of each scheme, h first
    double h  # that they hold
    int open  # a matrix was seen with which steps may have several solutions
    long several  # steps that had other solutions, and of the first one its end, its stage, a relation and its row
    double several_at, several_last
    int several_stage, several_relation, several_row, several_turned
    double *values  # the record; its first n_carried are states and memories
    size_t width, n_carried, n_modes
    double *modes
    double *group_kept  # states and memories where a group begins
    # what ends a step early
    int n_cut_kernels, n_cuts
    Bound *cut
    double *cut_value
    double *before  # where the step begins
    double *direction
    double *kept_values  # the record where the step begins
    double *kept_modes
    int *ends  # by quantity: its zero ends the run
    int *crosses  # by quantity: it is looked at for changes of its sign, in its direction, not for falling below zero
    int n_crosses
    int *fired  # by quantity: it has crossed at this instant (2: and nothing followed yet)
    double *unjumped  # all quantities before blocks act, or an event
    int *silent  # by quantity: its zero is an event of which nothing is recorded
    Flow flow
    Events events
    # what the run itself sets: parameters held by blocks, and h
    int n_samplers, n_readers
    Sampler *sampler
    double origin  # from when instants of clocks are counted
    int resumed  # the run goes on from a record: its steps are not counted from there
    int n_gaps  # gaps that no block may make negative
    const int *gap  # where they lie in the record
    const int *gap_ranges  # n_gaps + 1: where those of each begin in
    const int *gap_states  # first and last but one state of each system that it lies between
    double *gap_before  # blocks act
    double *parameter  # all parameters of the model
    int step_parameter  # -1: none
    Bound derived  # arguments that are formulas of parameters
    Reader *reader
    int n_boxes, n_widths  # the last quantities are what lies between two bounds
    Boxes *boxes
    int n_observers
    Observer *observer
    double *moment  # the clock that observers read
