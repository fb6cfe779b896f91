# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The one-step problem of an iteration; the interface is documented in ``_rows_in_play.pxd``."""
from libc.math cimport fabs, fmax
from libc.string cimport memcpy

from nsdgen.runtime._assembly cimport assemble, undetermined
from nsdgen.runtime._coupled cimport coupled_is_loose
from nsdgen.runtime._data cimport NO_MEMORY, ONE_STEP, BoundRelation, Failure, Stage
from nsdgen.solvers.interaction._one_step cimport one_step_solve
from nsdgen.solvers.interaction._one_step_work cimport OneStep
from nsdgen.solvers.rows._mlcp cimport mlcp_solve
from nsdgen.solvers.rows._mlcp_work cimport MLCP_INCONSISTENT
from nsdgen.solvers.traced._traced_rows cimport trace_rows

cdef enum:
    EQUALITY = 0  # of the cones

cdef double GIVES = 1e-10  # of the diagonal
cdef double ROUNDED = 1e-12  # of the largest unknown


cdef int solve_rows(Stage *s, int first, Failure *failure) noexcept nogil:
    cdef int status = assemble(s, first)
    if status > 0:
        return undetermined(s, failure)
    if status:
        failure.code = NO_MEMORY
        failure.item = s.play[0]
        return NO_MEMORY
    if s.traced:
        status = solve_traced(s)
    elif s.sparse:
        status = solve_graph(s)
    else:
        status = mlcp_solve(s.n_rows + s.n_border, s.A, s.b, s.cone, s.z, s.y, &s.work, &s.info)
    if status == MLCP_INCONSISTENT and s.at_event and not s.traced:
        status = solve_softly(s)
    if status:
        return blame(s, status, failure)
    if s.n_border and s.info.rank_deficiency and coupled_is_loose(s):
        return undetermined(s, failure)
    return 0


cdef int solve_softly(Stage *s) noexcept nogil:
    """Equalities that contradict each other by no more than the rounding of their terms.

    At events rows may be zero but for rounding, and where they depend on each other nothing satisfies all of them. So
    each gives way by a small share of its diagonal; what is left must then be rounding beside the largest unknown.
    """
    cdef const int *cone = s.graph.cone if s.sparse else s.cone
    cdef int status, p, i
    cdef double largest = 0.0
    for i in range(s.n_rows):
        if cone[i] == EQUALITY:
            diagonal(s, i)[0] *= 1.0 + GIVES
    status = solve_graph(s) if s.sparse else mlcp_solve(
        s.n_rows + s.n_border, s.A, s.b, s.cone, s.z, s.y, &s.work, &s.info)
    s.assembled = s.laid_out = 0  # A is not what its relations say
    if status:
        return status
    for p in range(s.n_systems):
        for i in range(s.system[p].n if s.system[p].present else 0):
            largest = fmax(largest, fabs(s.system[p].unknown[i]))
    for i in range(s.n_rows):
        if cone[i] == EQUALITY and not fabs(GIVES * diagonal(s, i)[0] * s.z[i]) <= ROUNDED * largest:
            s.info.worst_row, s.info.residual = i, 1.0
            return MLCP_INCONSISTENT
    return 0


cdef double *diagonal(Stage *s, int row) noexcept nogil:
    """The entry of A on the diagonal."""
    cdef OneStep *w = &s.graph
    cdef int i = 0, k
    if not s.sparse:
        return s.A + row * (s.n_rows + s.n_border + 1)
    while w.row[i + 1] <= row:
        i += 1
    k = w.start[i]
    while w.column[k] != i:
        k += 1
    return w.value + w.place[k] + (row - w.row[i]) * (w.row[i + 1] - w.row[i] + 1)


cdef int solve_traced(Stage *s) noexcept nogil:
    """All rows in play at once, traced along their multipliers from y at lambda = 0."""
    cdef BoundRelation *r
    cdef int p
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if r.n_bounds == 3 * r.m:
            memcpy(s.law + 3 * r.row, r.bound, 3 * r.m * sizeof(double))
    s.info.worst_row, s.info.residual, s.info.rank_deficiency = s.n_rows, 0.0, 0
    return trace_rows(s.n_rows + s.n_border, s.A, s.b, s.cone, s.law, s.z, s.y)


cdef int solve_graph(Stage *s) noexcept nogil:
    """The problem over the graph, from the guess."""
    cdef int status = one_step_solve(&s.graph)
    s.info.worst_row = s.graph.worst_row
    s.info.residual = s.graph.residual
    s.info.rank_deficiency = s.graph.rank_deficiency
    return status


cdef int blame(Stage *s, int status, Failure *failure) noexcept nogil:
    """Name the relation that holds the solver's worst row."""
    cdef BoundRelation *r
    cdef int p
    failure.item = -1
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if r.row <= s.info.worst_row < r.row + r.m:
            failure.item = s.play[p]
            failure.row = s.info.worst_row - r.row
    if failure.item < 0 and s.n_border:  # the row of an unknown that W does not determine
        return undetermined(s, failure)
    if failure.item < 0:
        failure.item, failure.row = s.play[0], 0
    failure.code = ONE_STEP
    failure.detail = status
    failure.value = s.info.residual
    return ONE_STEP
