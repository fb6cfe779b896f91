"""The mixed linear complementarity problem, dense, callable from nogil code.

Given A (n x n, row-major), b and a cone for each row, find z and y = A z + b with

    cone[i] == EQUALITY:         y_i = 0,  z_i free
    cone[i] == COMPLEMENTARITY:  0 <= y_i,  0 <= z_i,  y_i z_i = 0

The codes are those of ``nsdgen.abi.cones``. A is meant to be positive semidefinite
(not necessarily symmetric, equality rows up to their sign), as one-step matrices are;
other matrices are tried and the outcome is certified all the same.

Use: reserve ``mlcp_work_size(n)`` bytes, ``mlcp_work_init`` once, then ``mlcp_solve``
any number of times. Nothing is kept between calls but the memory, and that equalities depended on each other: no
factors are sought of as many the next time. One work area serves one thread at a time.

1. Active set: solve on the guessed rows, correct the set a few times. This is where a
   simulation spends its life: the guess of the last step is right, one small LU.
2. Where that solution need not be the only one: the shortest one (``_least_norm.pxi``).
3. Where no active set was found: complementary pivoting from cold (``_lemke.pxi``).
4. Where pivoting ended on a ray that proves nothing: pivoting from other bases.

Whatever was found is checked once more from A, b and z alone.
"""

cdef enum:
    UNSCALED = 32  # rows
    STARTS = 24  # of pivoting, besides z = 0


# -------------------------------------------------------------------------------- memory


cdef size_t mlcp_work_size(int n) noexcept nogil:
    cdef size_t size = <size_t> n
    cdef size_t doubles = 2 * size * size + 6 * size
    cdef size_t ints = 4 * size + dictionary_ints(n)
    doubles += max(min_norm_work_size(n), dictionary_doubles(n))
    return doubles * sizeof(double) + ints * sizeof(int)


cdef void mlcp_work_init(MlcpWork* work, void* memory, int n) noexcept nogil:
    cdef size_t size = <size_t> n
    work.n = n
    work.tolerance = 1e-8
    work.dependent = 0
    work.factor = <double*> memory
    work.shifted = work.factor + size * size
    work.z = work.shifted + size * size
    work.y = work.z + n
    work.magnitude = work.y + n
    work.right = work.magnitude + n
    work.kept = work.right + n
    work.scale = work.kept + n
    work.scratch = work.scale + n
    work.active = <int*> (work.scratch + max(min_norm_work_size(n), dictionary_doubles(n)))
    work.guess = work.active + n
    work.index = work.guess + n
    work.pivot = work.index + n
    work.iscratch = work.pivot + n


# ---------------------------------------------------------------- cold start, last resort


cdef bint _pivot(MlcpWork* work, MlcpInfo* info, int* verdict) noexcept nogil:
    """Complementary pivoting; whether it ended in a certified solution."""
    verdict[0] = pivot_solve(work, work.a, 0, &info.worst_row)
    return verdict[0] == PIVOT_SOLVED and _settle(work, info)


cdef bint _settle(MlcpWork* work, MlcpInfo* info) noexcept nogil:
    """What pivoting found, solved again and shortened; whether it is certified."""
    cdef int i, n = work.size
    for i in range(n):
        work.guess[i] = work.active[i]
        if work.cone[i] != EQUALITY and not (work.z[i] > 0.0):
            work.z[i] = 0.0
    if certify(work, info) <= work.tolerance:
        keep(work)
    if sweep(work, work.a, SWEEPS) == FOUND and certify(work, info) <= work.tolerance:
        if settled(work):
            return True
        keep(work)
    # Not unique, or singular on the rows found.
    info.method = MLCP_LEAST_NORM
    return least_norm(work, info, True)


cdef bint _pivot_from_elsewhere(MlcpWork* work, MlcpInfo* info) noexcept nogil:
    """Pivoting from other bases, with about as many exchanges in all as one path from z = 0.

    Bases that are singular to rounding are not avoided: what they lead to must hold to rounding.
    """
    cdef int start, unused, before = work.pivots
    cdef bint found = False
    cdef double tolerance = work.tolerance
    work.tolerance = min(tolerance, SIGN_TOLERANCE)
    for start in range(1, STARTS + 1):
        if work.pivots - before > pivot_limit(work.size):
            break
        info.method = MLCP_PIVOTING
        if pivot_solve(work, work.a, start, &unused) != PIVOT_SOLVED:
            continue
        found = _settle(work, info)
        if not found and _restore(work, info):
            info.method = MLCP_PIVOTING
            found = True
        if found:
            break
    work.tolerance = tolerance
    return found


cdef bint _restore(MlcpWork* work, MlcpInfo* info) noexcept nogil:
    """Take the remembered z back, clipped; whether it passes the certificate."""
    cdef int i
    for i in range(work.size):
        work.z[i] = work.kept[i]
        if work.cone[i] != EQUALITY and not (work.z[i] > 0.0):
            work.z[i] = 0.0
        work.active[i] = work.cone[i] == EQUALITY or work.z[i] > 0.0
    if not (certify(work, info) <= work.tolerance):
        return False
    add_degenerate(work)
    return True


# ------------------------------------------------------------------------------- driver


cdef int _finish(MlcpWork* work, int status, int method, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """Copy the result out; a solution leaves with its signs and zeros exact."""
    cdef int i
    for i in range(work.size):
        z[i] = work.z[i]
        y[i] = work.y[i]
        if status == MLCP_OK and (work.cone[i] == EQUALITY or z[i] > 0.0 or y[i] < 0.0):
            y[i] = 0.0
    info.status = status
    info.method = method
    info.pivots = work.pivots
    return status


cdef bint _infeasible(MlcpWork* work) noexcept nogil:
    """Whether the ray of pivoting from cold excludes solutions."""
    cdef int unused
    # It was overwritten by what was kept: pivot again, this is no hurry.
    return pivot_solve(work, work.a, 0, &unused) == PIVOT_RAY and proves_infeasible(work)


cdef int _fail(MlcpWork* work, int status, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """Report the failure; the last iterate is in ``kept``."""
    cdef int culprit = info.worst_row
    _restore(work, info)
    if status == MLCP_INCONSISTENT:
        info.worst_row = culprit
    return _finish(work, status, MLCP_PIVOTING, z, y, info)


cdef int _solve_one(double a, double b, int cone, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """n = 1 in closed form."""
    cdef double root = 0.0
    info.method = MLCP_CLOSED_FORM
    info.pivots = 0
    info.residual = 0.0
    info.worst_row = 0
    info.status = MLCP_OK
    info.rank_deficiency = 1 if a == 0.0 and b == 0.0 else 0
    if not ((a - a) + (b - b) == 0.0):
        info.status = MLCP_NONFINITE
    elif cone != EQUALITY and b >= 0.0:
        pass
    elif a > 0.0 or (cone == EQUALITY and a < 0.0):
        root = -b / a
        if root - root != 0.0:
            info.status = MLCP_NOT_CONVERGED
            root = 0.0
    elif b != 0.0:
        info.status = MLCP_INCONSISTENT if cone == EQUALITY else MLCP_INFEASIBLE
    z[0] = root
    y[0] = b if root == 0.0 else 0.0
    if info.status != MLCP_OK:
        info.residual = 1.0
    return info.status


cdef int _solve_cold(MlcpWork* work, double* z, double* y, MlcpInfo* info) noexcept nogil:
    """No settled solution from the guess: pivoting, or an explained failure."""
    cdef int verdict = PIVOT_SOLVED
    info.method = MLCP_PIVOTING
    if _pivot(work, info, &verdict):
        return _finish(work, MLCP_OK, info.method, z, y, info)
    if interrupted():
        return _finish(work, MLCP_NOT_CONVERGED, MLCP_PIVOTING, z, y, info)
    if verdict == PIVOT_INCONSISTENT:
        return _fail(work, MLCP_INCONSISTENT, z, y, info)
    # What was kept is a solution, if not the shortest.
    if _restore(work, info):
        return _finish(work, MLCP_OK, MLCP_PIVOTING, z, y, info)
    if verdict != PIVOT_RAY:
        return _fail(work, MLCP_NOT_CONVERGED, z, y, info)
    if _infeasible(work):
        return _fail(work, MLCP_INFEASIBLE, z, y, info)
    if _pivot_from_elsewhere(work, info):
        return _finish(work, MLCP_OK, info.method, z, y, info)
    return _fail(work, MLCP_RAY, z, y, info)


cdef bint _only_equalities(const MlcpWork* work) noexcept nogil:
    cdef int i
    for i in range(work.size):
        if work.cone[i] != EQUALITY:
            return False
    return True


cdef bint _shortest_of_equalities(MlcpWork* work, MlcpInfo* info) noexcept nogil:
    """The shortest solution of dependent equalities, whose active set is known; whether it is certified."""
    cdef bint solved = solve_active_shortest(work) == FOUND
    info.rank_deficiency = work.count - work.rank
    work.dependent = work.size if info.rank_deficiency else 0
    if solved and certify(work, info) <= work.tolerance:
        return True
    two_sided_scale(work.size, work.a, work.scale, work.right)
    work.scaled = 1
    return solved and certify(work, info) <= work.tolerance


cdef int solve_rows(
    int n, const double* A, const double* b, const int* cone, double* z, double* y, MlcpWork* work, MlcpInfo* info
) noexcept nogil:
    cdef int i, outcome
    cdef bint equalities
    if n == 1:
        return _solve_one(A[0], b[0], cone[0], z, y, info)
    work.size = n
    work.a = A
    work.b = b
    work.cone = cone
    work.at = NULL
    work.pivots = 0
    work.scaled = 0
    work.sign_tolerance = SIGN_TOLERANCE
    work.unique = 0
    info.worst_row = -1
    info.rank_deficiency = 0
    for i in range(n):
        work.active[i] = cone[i] == EQUALITY or z[i] > 0.0
        # Where A_JJ is singular at once, the guess is the last iterate.
        work.z[i] = z[i] if work.active[i] and z[i] - z[i] == 0.0 else 0.0
    outcome = SINGULAR if work.dependent == n and _only_equalities(work) else sweep(work, A, SWEEPS)
    if outcome == FOUND and certify(work, info) <= work.tolerance:
        if settled(work):
            return _finish(work, MLCP_OK, MLCP_ACTIVE_SET if n else MLCP_CLOSED_FORM, z, y, info)
    if interrupted():  # what comes is no answer: it is not read
        return _finish(work, MLCP_NOT_CONVERGED, MLCP_ACTIVE_SET, z, y, info)
    keep(work)
    for i in range(n):
        work.guess[i] = work.active[i]
    equalities = outcome == SINGULAR and _only_equalities(work)
    if equalities and _shortest_of_equalities(work, info):
        return _finish(work, MLCP_OK, MLCP_LEAST_NORM, z, y, info)
    if not finite(work):
        for i in range(n):
            work.z[i] = 0.0
            work.y[i] = b[i]
        info.residual = 1.0
        return _finish(work, MLCP_NONFINITE, MLCP_ACTIVE_SET, z, y, info)
    if equalities:
        return _solve_cold(work, z, y, info)
    # Among few rows the scales cost as much as the solution, which seldom needs them.
    if outcome != STALLED and n <= UNSCALED and least_norm(work, info, False):
        return _finish(work, MLCP_OK, MLCP_LEAST_NORM, z, y, info)
    two_sided_scale(n, A, work.scale, work.right)
    work.scaled = 1
    if outcome != STALLED and least_norm(work, info, True):
        return _finish(work, MLCP_OK, MLCP_LEAST_NORM, z, y, info)
    return _solve_cold(work, z, y, info)


cdef int mlcp_solve(
    int n, const double* A, const double* b, const int* cone, double* z, double* y, MlcpWork* work, MlcpInfo* info
) noexcept nogil:
    cdef int status = solve_rows(n, A, b, cone, z, y, work, info)
    if status == MLCP_OK and n > 1 and not (work.unique or _only_equalities(work)):
        info.rank_deficiency = open_multipliers(work, z, y)
    return status
