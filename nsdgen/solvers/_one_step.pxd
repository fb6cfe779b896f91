# cython: language_level=3
"""The one-step nonsmooth problem over an interaction graph: block-sparse, warm-started, without the lock.

Relations in play are the *nodes*; two of them share a block of A where they act on the same
systems. Find z with y = A z + b and every block of rows in its cone (``nsdgen.abi.Cone``):

    0 equality          y = 0, z free
    1 complementarity   0 <= y orthogonal to z >= 0
    2 box               -y in N_[lower,upper](z)
    3, 4, 5 friction    Coulomb's law with 2, 3 or 5 rows, normal first (``_cone.pxd``)

Newton's method on the Alart-Curnier function of all rows, which for the cones 0 to 3 is an
active-set method, each step by ``_block_lu``; where it does not settle, Gauss-Seidel sweeps
in between. The guess is the last solution, and the factors are kept while neither A nor
the set of active rows changes: at rest a step is one product with A.

Use: ``one_step_init``; when the graph changed ``one_step_reserve``, then fill in what is
marked *given*; ``one_step_solve``; ``one_step_free``.
"""

from libc.stdint cimport uint64_t

from nsdgen.solvers._block_lu cimport BlockLU

cdef extern from *:
    """
    static const double SHIFT = 1e-9;  /* of the mean diagonal of a node: A becomes regular, F stays exact */
    static const double FINE = 1e-13;  /* of the terms of a row: nothing left to gain */
    """
    const double SHIFT
    const double FINE

cdef enum OneStepStatus:
    ONE_STEP_OK = 0
    ONE_STEP_NOT_CONVERGED = 4
    ONE_STEP_NONFINITE = 5
    ONE_STEP_NO_MEMORY = 6

cdef struct Undetermined:
    # What counts the reactions beside friction that the solution leaves undetermined (``_one_step_undetermined.pxd``).
    int *count  # of the island that begins with this node; -1: not known for this graph
    uint64_t *columns  # the fingerprint it was counted for
    int *width  # columns of each node
    int *position
    int *node
    int *start
    int *neighbour
    BlockLU lu

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
    int islands  # given: how many parts that nothing connects; 0: not known, all is one
    int *island  # given, islands + 1: the first node of each; nodes, order and blocks go island by island
    int may_rescue  # given: whether the public solvers are asked where all else fails
    # results
    int iterations, sweeps, worst_row, rank_deficiency
    double residual  # the certificate: largest natural map of a row, relative to the terms of the row
    # private
    int friction, boxes  # whether there are any
    int begin, end, top, bottom  # the nodes and rows of the island at hand
    int settled  # the factors belong to the kept derivatives of the island that ends here
    double *scale
    double *f
    double *rho
    double *shift
    double *move
    double *best
    double *guess  # what ``z`` was at first; in proximal rounds the last one that was accepted
    double *center  # where the shift pulls to
    double least  # terms smaller than this are nothing beside the loads of the island
    double floor  # a guess as good as this is kept: the last solve found nothing better
    double reach  # exchange rate between reactions and velocities beside the inverse stiffness of a row
    double *scratch  # 2 x rows
    double *weight
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
    Undetermined undetermined
    int room_n, room_rows, room_blocks
    size_t room_values, room_own

cdef void one_step_init(OneStep *w) noexcept nogil
cdef void one_step_free(OneStep *w) noexcept nogil

cdef int one_step_reserve(OneStep *w, int n, int rows, int blocks, size_t values) noexcept nogil
"""Room for a problem of this size; 0, or -1 without memory. Contents of arrays are kept."""

cdef int one_step_solve(OneStep *w) noexcept nogil
"""Solve from the guess in ``z``; a ``OneStepStatus``.

On return ``z`` is the solution, or the best iterate, ``y`` its output with exact zeros
where the law asks for them, ``residual`` the certificate, recomputed from A, b and z.
Where z is not unique and there is no friction it is the one of least norm, whatever the
guess, and ``rank_deficiency`` counts the dependent rows; beside friction it counts the reactions that may change
while no contact changes its case.
"""

cdef double one_step_residual(OneStep *w) noexcept nogil
"""The certificate of the ``z`` that is there, ``y`` and ``worst_row`` brought up to date."""
