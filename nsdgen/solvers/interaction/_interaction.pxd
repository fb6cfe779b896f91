# cython: language_level=3
"""What other units take of this one."""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef struct EasedRounds:
    int n, most  # given: unknowns, rounds
    int patience  # given: rounds on end that do not halve the residual; 1 from ``wanted`` on
    double (*around)(void *problem, double alpha, double least) noexcept nogil
    # given: solves around ``center``, where ``r`` is; the residual of the problem itself, infinite where that was not solved
    void *problem
    double alpha  # given: of the first round; 0: ``around`` has no use for one
    double fine, wanted  # given: the residual at which rounds end, and that of a solution
    double worse  # given, times the residual before: what a center put ahead may cost
    double *r  # given, as all that follow (n): the iterate, at last the best
    double *center
    double *last  # that of the last round that was taken
    double *way  # what it added to its center
    double *kept  # the best

cdef double solve_by_rounds(EasedRounds *p, double least) noexcept nogil
"""Rounds (``_eased_rounds.pxi``) from ``r``, whose residual is ``least``; that of the best, which is left."""

cdef void one_step_init(OneStep *w) noexcept nogil

cdef void one_step_free(OneStep *w) noexcept nogil

cdef int one_step_reserve(OneStep *w, int n, int rows, int blocks, size_t values) noexcept nogil
"""Room for a problem of this size; 0, or -1 without memory. Contents of arrays are kept."""

cdef void dense_rows(const OneStep *w, int begin, int end, double *a) noexcept nogil
"""A of the nodes ``begin`` ... ``end`` - 1 alone, row by row, zeros too."""

cdef void solve_own_rows(
    int m, const int *cone, const double *bound, const double *own, double *u, double *z
) noexcept nogil
"""Block after block of the m rows, each exactly. ``own`` (m x m), ``bound`` two for each row.

``z`` (m) are multipliers, ``u`` (m) what y is with them; both are brought up to date.
"""

cdef double natural_laws(
    int dim, const double *bound, double normal, double tangent, const double *z, const double *y, const double *scale
) noexcept nogil
"""Coulomb's law, relative to terms: what penetrates to those of its own row, all else to those of the block.

A body that slides fast penetrates no less for it, whatever its coefficients are (``_friction_cone.pxi``). Where it
has come to rest the terms of tangential rows are rounding by themselves. Slow sliding has its direction
asked for by itself (``direction_off``). ``normal`` and ``tangent`` > 0 are the
exchange rates, ``scale`` (dim) the magnitudes of the terms of y, those of z not counted.
"""

cdef double natural_block(int dim, const double *bound, double rate, const double *z, const double *y) noexcept nogil
"""All laws in one number, in units of y; where ``rate``, that of exchange with z, is not known (0), any serves."""

cdef int one_step_solve(OneStep *w) noexcept nogil
"""Solve from the guess in ``z``; a ``OneStepStatus``.

On return ``z`` is the solution, or the best iterate, ``y`` its output with exact zeros
where the law asks for them, ``residual`` the certificate, recomputed from A, b and z.
Where z is not unique and there is no friction it is the one of least norm, whatever the
guess, and ``rank_deficiency`` counts the dependent rows; beside friction it counts the reactions that may change
while no contact changes its case.
"""
