# cython: language_level=3
"""The data of a run, in C: instances bound to kernels, blocks, groups and stages.

A *bound* kernel is a function with the addresses of its arrays; all arrays live as long as
the stepper and never move, so a call costs one indirect jump. A step over thousands of instances
waits for memory more than for arithmetic: the fields that every step reads stand first in their
struct, in one line of cache, and what few have is behind a pointer.
"""
from libc.stdint cimport int32_t

from nsdgen.abi cimport nsdgen_call
from nsdgen.solvers.piles._piles cimport BodySteps
from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork
from nsdgen.solvers.interaction._one_step_work cimport OneStep
from nsdgen.solvers.linalg._linalg cimport SparseLU
from nsdgen.solvers.linalg._linalg cimport TreeFactors


cdef enum:
    MOST_WATCHED = 6  # rows: 3^6 sets of active ones take some 100 us


cdef struct Watched:
    # What was found of the matrix of a one-step problem (``_several.pxi``).
    int on, n, verdict
    double A[MOST_WATCHED * MOST_WATCHED]


cdef enum ValueLevel:
    # How often a value changes: what it depends on decides (design, section 5).
    PER_RUN = 0
    PER_STEP = 1
    PER_ITERATION = 2


cdef enum:  # details of NOT_FINITE
    REMEMBERED = 2
    QUANTITY = 3


cdef enum:  # modes (nsdgen.abi.Play)
    AT_REST = 2  # in play beside others alone


cdef enum WithoutRelations:
    RUNS = 0
    SKIPS = 1  # a stage where no relation is in play
    SKIPS_CONSTRAINTS = 2  # or only such as always are


cdef enum FailureCode:
    SINGULAR = 1  # item: a system of the group whose W is singular; detail 1: it is regular, its factors are not good
    ONE_STEP = 2  # detail: status of the one-step solver, item: relation, row: its row
    NO_CONVERGENCE = 3  # value: largest scaled row; detail 0: system item, 1: relation item
    NOT_FINITE = 4  # item: system; detail REMEMBERED: row is a column of the record; QUANTITY: row is one
    REPEAT_LIMIT = 6  # value: the violation left, item: the relation; detail 1: it entered, nothing is violated
    RANK_LOST = 5  # item: relation; value: the pivot of its row
    NO_MEMORY = 7  # for the one-step problem; item: relation; detail 1: for W, item: system
    NOT_UNIQUE = 8  # item: relation; value: how many multipliers are not determined
    STEP_TOO_SHORT = 10  # value: the step that is still not accurate enough
    EVENT_LIMIT = 11  # item: the quantity whose zeros do not end
    NO_MOTION = 12  # item: the quantity that came to zero; detail 1: that says something bears too much, 2: rows contradict each other
    INTERRUPTED = 13  # an error waits to be raised
    AT_ONCE = 14  # item: a block that is due again at the instant at which it has acted; detail 1: soon after it, value
    OVERLAP = 15  # item: a gap that blocks have made negative, value
    HELD_RANGE = 9  # item: a place where a held value is read, whose range does not hold ``value``
    EMPTY_BOX = 16  # item: relation, row: whose lower bound lies above the upper one, value


cdef struct Bound:
    nsdgen_call call  # NULL where the class has no such kernel
    const double **in_
    double **out


cdef struct Block:
    # A matrix that a kernel writes: `value` holds its nonzeros, `dense` all entries (the same
    # array where all are stored; NULL where only a sparse W needs it).
    int rows, cols, nnz
    const int32_t *row
    const int32_t *col
    double *value
    double *dense
    int *place  # of each nonzero in the sparse W of its group
    const int *entry  # of each nonzero in ``dense``


cdef struct Arguments:
    # Those of a kernel that all instances of a class have in common.
    const double **in_
    double **out


cdef struct SystemForm:
    # What systems of a class have in common. Outputs called "next" are scratch of all of them, read right after the call.
    int level, freeze_level, n_state
    int n_frozen  # per iteration
    nsdgen_call start, evaluate, advance, freeze_step, freeze_start
    double **advance_out
    double *state_next
    double *frozen_next


cdef struct BoundSystem:
    # What every pass of a step reads: a line of cache
    const SystemForm *form
    double *unknown
    double *residual
    double *state
    int n, group, offset  # where its unknowns start within its group
    char present, linearized
    char frozen_step  # what a run freezes once is known
    Arguments evaluate
    # a second one: where a step starts and ends
    Arguments start, freeze_step, freeze_start
    const double **advance_in
    double *frozen
    # what some steps read
    Bound linearize, freeze_iteration, observe
    Block matrix
    int *pivot  # where the diagonal entries stand among the nonzeros of the matrix, -1: zero
    int *exchanged  # work of ``nsd_resolve_exchanged``
    double[5] rest  # so that each begins a line of cache


cdef struct AttachedShape:
    # What attachments of the same kind have in common.
    Block output_x  # without arrays
    Block reaction_lambda
    int seen  # B or C has nonzeros: the relation meets others on its group
    int whole  # its system is the only one of its group
    ptrdiff_t output_x_at, reaction_lambda_at, solved_at, reaction_at  # bytes from the attachment to its arrays
    double *reaction  # one for all, where it is read right after it was written; else NULL


cdef struct Attachment:
    # One participant of a relation, seen from its group; its arrays are those of ``_attachment.pxd``.
    int system, group, offset, n
    const AttachedShape *shape
    double *rhs  # of its unknowns, within that of the group


cdef struct Coupling:
    # A nonzero block drho_i/dw_j of a relation: participants i (row) and j (col).
    int row, col
    Block block


cdef struct RelationForm:
    # What relations of a class have in common. Outputs called "next" are scratch of all of them, read right after the call.
    int copies  # so many of the last rows repeat others: what they leave open is not counted
    int level, always, zero_rows  # always: in play whatever its mode; so many gaps are the first of its memory, zero at the start
    int n_coupling, n_bounds, bounds_level, n_remembered
    nsdgen_call activation, linearize, evaluate, observe
    double **activation_out
    double *mode_next
    double *memory_next
    double *violation
    const int *cone
    const int *shared  # where rows are zero whatever these cones are: they bound the shares of what several bear; else NULL
    double *bounds  # as the kernel writes them
    const int *bounds_at  # where each of them belongs in ``bound``
    const int32_t *remembered  # which entries of the memory this stage writes; NULL: all
    int nnz  # of y_lambda, C and B together, one after the other
    const double *value  # as the kernel writes them
    const int *entry  # of each nonzero in ``dense``
    double *output  # y as the kernel writes it; NULL: right into its place
    int at_hand, to_move  # bytes from ``attached`` on, of what linearisation reads and writes, and a move reads


cdef struct BoundRelation:
    # What every pass of a step reads: a line of cache
    const RelationForm *form
    double *multiplier
    double *mode
    double *guess
    Attachment *attached
    int row  # the first one of the one-step problem among the relations in play
    int m
    int in_play
    int solved  # X is known
    short n_attached
    char present, linearized
    char held  # its multipliers are given, not solved for
    char vanishes  # no reaction where the multiplier is zero
    char bounded  # the bounds of a run are known
    char unyielding  # its bounds are so large that nothing slides
    # a second one: activation, linearisation, observation
    Arguments linearize
    double *dense  # y_lambda, C and B with all entries
    double *output
    const double **activation_in
    double *memory
    Arguments observe
    # what some steps read
    Arguments evaluate
    double *bound  # two for each row, as its cone wants them
    Bound limits
    double *scale  # how large the terms of each row are
    double *weight  # the same, fixed during a damped search
    double *output_lambda
    Coupling *coupling
    Bound entry, violate  # 256 bytes: each begins a line of cache


cdef struct Coupled:
    # What a group has in addition where its W is large and sparse, or singular (``_coupled.pxi``).
    SparseLU lu
    int *place  # of all nonzeros of all blocks
    double *residual  # r = R - rho, then less B dlambda
    double *work
    double *column
    double *row
    double *left
    double *left_row
    # where its unknowns may stand in the one-step problem (``_augmented.pxi``), else NULL:
    int *row_start  # n + 1: W by rows
    int *row_column
    int *row_entry  # the place of each in ``lu.value``
    int *own  # the place of each diagonal entry, -1: zero
    int *meets_start  # n + 1: the links that meet an unknown
    int *meets


cdef struct Group:
    # Systems whose unknowns are coupled by reactions: one system each, as a rule.
    int n, n_systems, n_links, changed
    int sparse, pushed  # sparse: W is factored in ``coupled``, not in ``matrix``
    int diagonal  # W is: all other entries of ``matrix`` are zero
    double *rhs  # R - rho, then W^-1 of it
    double *matrix  # NULL where W is sparse from the start
    int *pivot
    int *link_relation  # the relations attached to this group and their attachments
    int *link_attached
    int *systems
    double *scale  # how large the terms of each row are
    double *weight  # the same, fixed during a damped search
    double *resolved  # what these terms amount to in the unknowns
    int n_border, border, node  # unknowns that W does not determine; their first row, and node, of the problem
    int n_seen
    int *seen  # the links whose relations meet others on this group
    int may_augment, augmented  # its unknowns may stand, and stand, in the one-step problem
    int first  # the number of its first unknown among those that may
    Coupled *coupled  # NULL until it is needed
    TreeFactors *tree  # NULL where its pattern is not that of a tree


cdef struct Augmented:
    # The unknowns of a stage that may stand in its one-step problem beside the multipliers (``_augmented.pxi``).
    int n
    int rows  # that stand in the problem at hand
    int refused  # the one of this step was not solved with them
    int *group  # of each unknown
    int *order  # relations, then these unknowns, in elimination order
    int *node  # of each node of the graph: whether it is an unknown


cdef struct Pile:
    # What a stage has in addition whose rows may be solved as a pile (``_pile.pxi``).
    BodySteps steps
    int above  # rows: fewer are solved as others are, and so only where that fails
    int *number  # of each system among those at hand, -1
    int *system  # of each number
    int *pair  # of each relation: the numbers of its systems
    int room


cdef struct Stage:
    int number, n_systems, n_relations, n_groups, affine, systems_observe, relations_observe
    BoundSystem *system
    BoundRelation *relation
    Group *group
    Watched *watched
    # options
    double tolerance
    int max_iterations, fixed_iterations, dynamics_only, absolute, keep_on_limit, line_search
    int activate_each_iteration, at_start, at_rate, at_event, skip_alone, unique
    int block  # whose stage it is, -1: of every step
    int finite  # all unknowns are numbers, as the last move left them
    int refreezes  # some system freezes anew in every iteration
    int doubtful  # how many iterations in turn found an iterate that is no solution of anything yet
    int gave_way  # the last rows contradict each other, and these multipliers solve what each of them leaves to the others
    int moved  # multipliers are those of an iteration of this step, not what it started from
    Bound skip  # where there is one, ``skipped`` is not zero when the stage does not run
    double *skipped
    # the one-step problem of the relations in play: dense where it is small, else over the graph
    int n_play, n_rows, assembled, sparse, laid_out
    int n_unyielding  # relations in play that never slide
    int refactor  # W of some group changed
    int separable  # no reaction is there without its multiplier, none has derivatives by unknowns
    int rows_known  # b and z are those of the iteration at hand
    int rebound  # some bounds changed
    int stale  # X of any relation may be unknown; else only of the ``n_news`` relations in ``news``
    int n_news
    int *news
    int n_renewed
    int *renewed  # relations whose derivatives are not those in A
    char *is_renewed  # of each relation: whether it is among them
    int traced  # all its rows together, along their multipliers; ``law`` has what each of them takes
    double *law
    int n_border  # rows that singular groups add
    int has_coupled  # a group has had a sparse or singular W
    int *play
    double *diagonal  # of A
    const double *grain  # of the rows: what the solver of the graph took y for zero by; NULL: no such solver did
    double *A
    double *b
    double *z
    double *y
    int *cone
    double *kept_unknown  # w and lambda before a damped iteration
    double *kept_multiplier
    double *scratch  # one number for each row
    MlcpWork work
    MlcpInfo info
    OneStep graph
    Augmented *augmented  # NULL where no unknowns may stand in the problem
    Pile *pile  # NULL where rows are never solved as one
    int piled  # the rows at hand are
    int *priority  # all relations, in elimination order
    int *node  # of each relation in the graph, -1 out of play
    int *member  # the relation of each node; from n_relations on: groups, then unknowns
    size_t *slot  # of each node: where the block begins that it shares with the node at hand


cdef struct Failure:
    int code, stage, item, iteration, row, detail
    int unmoved  # of ONE_STEP: its multiplier does not move the row
    double value


cdef struct Counters:
    double newton
    double deficiency
    double kept  # limits at which the last iterate was kept
    int several  # 1 + a row that another solution moves another way
    int turned  # likewise, where the share of a load that slides turns the motion


cdef inline void add_counters(Counters *counters, const Counters *of_stage) noexcept nogil:
    counters.newton += of_stage.newton
    counters.kept += of_stage.kept
    counters.deficiency = max(counters.deficiency, of_stage.deficiency)
