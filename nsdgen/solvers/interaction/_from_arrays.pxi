"""One-step problems from arrays of Python's, which ``graph_problem.py`` makes."""


cdef int _fill(
    OneStep *w, const int[::1] row, const int[::1] start, const int[::1] column, const int64_t[::1] places,
    const double[::1] value, const int[::1] order, const int[::1] cone, const double[::1] bound, const double[::1] b,
) except -1:
    """A problem from its arrays, which ``nsdgen.solvers.interaction.graph_problem`` makes."""
    cdef int n = <int> row.shape[0] - 1, rows = <int> b.shape[0], i
    one_step_init(w)
    if one_step_reserve(w, n, rows, <int> column.shape[0], value.shape[0]):
        one_step_free(w)
        raise MemoryError
    w.n, w.rows = n, rows
    for i in range(n + 1):
        w.row[i] = row[i]
        w.start[i] = start[i]
    for i in range(<int> column.shape[0]):
        w.column[i] = column[i]
        w.place[i] = places[i]
    for i in range(n):
        w.order[i] = order[i]
    if rows:
        memcpy(w.value, &value[0], value.shape[0] * sizeof(double))
        memcpy(w.cone, &cone[0], rows * sizeof(int))
        memcpy(w.bound, &bound[0], 2 * rows * sizeof(double))
        memcpy(w.b, &b[0], rows * sizeof(double))
    return 0


def solve_arrays(
    row, start, column, places, value, order, cone, bound, b, double[::1] z, double[::1] y, double tolerance,
    int repeat=1, const int[::1] unknown=None, const double[::1] diagonal=None, bint finer=False,
):
    """``one_step_solve`` for a problem in arrays (``graph_problem.py``).

    ``z`` holds the guess and is overwritten, as is ``y``. Solved ``repeat`` times from the
    last solution on; given the nodes that are ``unknown`` and the ``diagonal`` (rows) of A without them, by Newton's
    method alone, and nothing is certified. With ``finer`` A is made regular
    by no more than FINE_SHIFT. Returns (status, residual, iterations, sweeps, rank_deficiency, worst_row, seconds).
    """
    cdef OneStep w
    cdef int i, status = 0
    _fill(&w, row, start, column, places, value, order, cone, bound, b)
    w.tolerance, w.regular = tolerance, FINE_SHIFT if finer else SHIFT
    if w.rows:
        memcpy(w.z, &z[0], w.rows * sizeof(double))
    if unknown is not None:
        w.unknown, w.diagonal = <int *> &unknown[0], <double *> &diagonal[0]
    started = perf_counter()
    listen(1)
    with nogil:
        for i in range(repeat):
            status = _by_newton(&w) if unknown is not None else one_step_solve(&w)
    listen(-1)
    seconds = (perf_counter() - started) / repeat
    if w.rows:
        memcpy(&z[0], w.z, w.rows * sizeof(double))
        memcpy(&y[0], w.y, w.rows * sizeof(double))
    result = status, w.residual, w.iterations, w.sweeps, w.rank_deficiency, w.worst_row, seconds
    one_step_free(&w)
    answer()
    return result


def solve_islands(
    row, start, column, places, value, order, cone, bound, b, const int[::1] first, double[::1] z,
    const double[::1] tolerance,
):
    """Each island, nodes ``first[k]`` ... ``first[k + 1] - 1``, to its ``tolerance``, whatever becomes of the others.

    ``z`` (rows) holds the guess and is overwritten by what is reached, which nothing certifies. Returns the iterations
    and the seconds taken.
    """
    cdef OneStep w
    cdef int k
    _fill(&w, row, start, column, places, value, order, cone, bound, b)
    w.islands, w.lone = <int> first.shape[0] - 1, True
    memcpy(w.island, &first[0], first.shape[0] * sizeof(int))
    memcpy(w.z, &z[0], w.rows * sizeof(double))
    started = perf_counter()
    listen(1)
    with nogil:
        _look_at_graph(&w)
        for k in range(0 if _prepare(&w) else w.islands):
            _enter(&w, k)
            w.tolerance = tolerance[k]
            if _take_load(&w):
                _solve_island(&w)
    listen(-1)
    seconds = perf_counter() - started
    memcpy(&z[0], w.z, w.rows * sizeof(double))
    steps = w.iterations + w.sweeps
    one_step_free(&w)
    answer()
    return steps, seconds


def solve_from(
    row, start, column, places, value, order, cone, bound, b, const double[:, ::1] starts, const double[::1] reaches,
    int limit, double tolerance,
):
    """z (rows) to ``tolerance`` from the first of ``starts`` that arrives, or None, and how many were tried.

    Each is given up after ``limit`` damped Newton steps with each of ``reaches``: what cases a contact takes on its way
    depends on them.
    """
    cdef OneStep w
    cdef int k, j
    cdef bint found = False
    _fill(&w, row, start, column, places, value, order, cone, bound, b)
    listen(1)
    with nogil:
        _look_at_graph(&w)
        _enter(&w, 0)
        for k in range(<int> starts.shape[0] if _take_load(&w) and not _prepare(&w) else 0):
            for j in range(<int> reaches.shape[0]):
                memcpy(w.z, &starts[k, 0], w.rows * sizeof(double))
                w.reach = reaches[j]
                found = damped_steps(&w, False, FINE, limit) <= tolerance
                if found or interrupted():
                    break
            if found or interrupted():
                break
    listen(-1)
    z = np.array(<double[:w.rows]> w.z) if found else None
    one_step_free(&w)
    answer()
    return z, k + 1
