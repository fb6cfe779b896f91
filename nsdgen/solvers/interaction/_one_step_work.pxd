# cython: language_level=3
"""What a one-step problem is solved in: what is given, the results, and the arrays of the methods."""

from libc.stdint cimport uint64_t

from nsdgen.solvers.linalg._linalg cimport BlockLU
from nsdgen.solvers.linalg._linalg cimport SparseLU

cdef extern from *:
    """
    static const double SHIFT = 1e-9;  /* of the mean diagonal of a node: A becomes regular, F stays exact */
    static const double FINE_SHIFT = 1e-14;  /* a larger one drowns the mobility of heavy bodies beside light ones */
    static const double FINE = 1e-13;  /* of the terms of a row: nothing left to gain */
    """
    const double SHIFT
    const double FINE_SHIFT
    const double FINE

cdef enum OneStepStatus:
    ONE_STEP_OK = 0
    ONE_STEP_NOT_CONVERGED = 4
    ONE_STEP_NONFINITE = 5
    ONE_STEP_NO_MEMORY = 6

ctypedef int (*last_resort)(void *problem) noexcept nogil

cdef enum Kinds:
    FRICTION = 1
    BOXES = 2
    OTHERS = 4  # than equalities
    UNKNOWNS = 8

cdef struct Undetermined:
    # What counts the reactions beside friction that the solution leaves undetermined (``_undetermined_reactions.pxi``).
    int *count  # of the island that begins with this node; -1: not known for this graph
    int *turning  # of the same: all that leave loaded rows as they are; -1: not known for its columns
    int *still  # and those of them that leave the motion as it is
    uint64_t *cases  # the fingerprint it was counted for
    uint64_t *directions  # in which contacts slid, that of the other two
    uint64_t direction  # in which they slide now
    int slides  # the first row of a contact that does, or -1
    int columns  # of C
    double *change  # MAX_DIM x rows: the columns, each from its first row on
    int *at  # and that row, within the island

cdef struct OneStep:
    int n, rows  # given: nodes, rows in all
    int *row  # given, n + 1: first row of each node
    int *start  # given, n + 1: blocks of each block row, its diagonal block first
    int *column  # given
    size_t *place  # given: where a block begins in ``value``; row-major
    double *value  # given
    int *order  # given, n: the nodes in elimination order
    int *cone  # given, rows; FOLLOWS on the rows of a friction block after its first
    double *bound  # given, 2 x rows: (lower, upper) of a box row; (mu, mu_rolling) of a friction block's first row
    double *b  # given, rows, as all that follow
    double *z  # given: the guess; the solution
    double *y
    int changed  # given: A or the graph is new
    int relaid  # given: the graph is new
    double tolerance
    double regular  # given: the shift of a node beside its mean diagonal, SHIFT or, where masses are far apart, FINE_SHIFT
    int islands  # given: how many parts that nothing connects; 0: not known, all is one
    int *island  # given, islands + 1: the first node of each; nodes, order and blocks go island by island
    int *unknown  # given, by node: it is an unknown and no multiplier (``_augmented_rows.pxi``); NULL: none is
    double *diagonal  # given where some are: the diagonal of A without unknowns, nearly
    last_resort rescue  # given: what solves an island where all else fails, or NULL; ``problem`` is this struct
    int held_later  # given: reactions that load something have it held as equalities, whose shares know no bounds
    int told  # given: that loads turn the motion was noted
    int lone  # given: beside friction any solution serves, no step follows: what is left open is neither shared nor counted
    int as_iterate  # given: rows that cancel are no failure, what is found is to be linearised about, not kept
    # results
    int doubtful  # rows cancel, where that is no failure
    int iterations, sweeps, worst_row, rank_deficiency
    int turned_row  # 1 + the row of a contact that slides where other loads would turn the motion
    double residual  # the certificate: largest natural map of a row, relative to the terms of the row
    # private
    int friction, boxes  # whether there are any
    int mixed  # unknowns stand in the island at hand
    int linear  # nothing but equality rows
    int slim  # every node has one row, and the blocks of all rows lie one after the other
    int pairs  # the same with two rows
    int coarse  # rates below ``grain`` are zero
    int evaluated  # y, scale and residual belong to z
    int begin, end, top, bottom  # the nodes and rows of the island at hand
    int *kinds  # of each island: which kinds of cones it has (``Kinds``)
    int settled  # the factors belong to the kept derivatives of the island that ends here
    int outdated  # the factors of the island that ends here belong to the kept derivatives, but to the A of a step before
    int analysed  # and their pattern to the nodes inside of the island that ends here
    double *scale
    double *grain  # rows: what y may be off by where reactions are open, else 0
    double *f
    double *rho
    double *stiffness  # 1 / rho
    double *unit  # of a row by itself a power of two near the root of rho, else 1
    double *shift
    double *move
    double *best
    double *guess  # what ``z`` was at first; in proximal rounds the last one that was accepted
    double *asked  # ``b`` while what rows contradict each other by is taken from it
    double *found  # ``z`` before that
    double *center  # where the shift pulls to
    double load  # the largest one, as the root of an energy (``measure_load``)
    double least  # terms smaller than this are nothing beside the loads of the island
    double floor  # a guess as good as this is kept: the last solve found nothing better
    int columns  # F_y is the right factor of A in J, and moves are F_y times what J gives
    double reach  # exchange rate between reactions and velocities beside the inverse stiffness of a row
    double *scratch  # 2 x rows
    double *way  # of proximal rounds: what the last one added to its center
    size_t *own  # n + 1: where the square block of a node begins in the four that follow
    double *by_r
    double *by_u
    double *kept_r
    double *kept_u
    int *position
    int *node
    int *lu_start
    int *lu_column
    BlockLU lu
    SparseLU mixed_lu  # in place of ``lu`` where unknowns stand in an island
    int *entry  # where each entry of the blocks of the island stands in it
    size_t room_entries
    Undetermined undetermined
    int room_n, room_rows, room_blocks
    size_t room_values, room_own
