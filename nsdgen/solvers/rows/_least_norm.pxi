"""The shortest of the solutions of a dense complementarity problem, by way of one that has a single solution."""

cdef enum:
    FEW_SWEEPS = 4  # from a nearby solution; where they do not arrive, the units of rows are to be looked at first

# The shift decides signs through terms of its own size, far smaller than A z.
cdef double SHIFTED_SIGN_TOLERANCE = 1e-14


cdef double norm_shift(MlcpWork* work) noexcept nogil:
    """The shift of the diagonal: half the digits of A."""
    cdef int i
    cdef double largest = 0.0
    for i in range(work.size * work.size):
        largest = max(largest, fabs(work.a[i]))
    return 1e-7 * largest


cdef int _solve_shifted(MlcpWork* work, double shift, bint pivoting) noexcept nogil:
    """Solve the problem of A + shift I from the active set in ``guess``; FOUND or STALLED.

    Where that fails by active sets ``pivoting`` is the second way, if asked for.
    On return ``active`` is the support of the solution, equality rows included.
    """
    cdef int i, n = work.size, outcome, unused
    cdef double sign_tolerance = work.sign_tolerance
    for i in range(n * n):
        work.shifted[i] = work.a[i]
    for i in range(n):
        work.shifted[i * n + i] += shift * shift_sign(work, i)
        work.active[i] = work.guess[i]
    work.sign_tolerance = SHIFTED_SIGN_TOLERANCE
    outcome = sweep(work, work.shifted, SWEEPS if pivoting else FEW_SWEEPS)
    work.sign_tolerance = sign_tolerance
    if outcome != FOUND:
        if not pivoting or pivot_solve(work, work.shifted, 0, &unused) != PIVOT_SOLVED:
            return STALLED
    for i in range(n):
        work.active[i] = work.cone[i] == EQUALITY or (work.active[i] and work.z[i] > 0.0)
    return FOUND


cdef bint least_norm(MlcpWork* work, MlcpInfo* info, bint pivoting) noexcept nogil:
    """The shortest of the solutions, reached from the active set in ``guess``; whether it was found.

    For a semidefinite A the problem of A + eps I has one solution, and that tends to
    the shortest one of A as eps goes to 0. Only its support is taken: on these rows A
    itself is solved with least norm, which is the limit. ``pivoting`` is the second way to that support.
    """
    if _solve_shifted(work, norm_shift(work), pivoting) != FOUND:
        return False
    if not (adopt(work) and certify(work, info) <= work.tolerance):
        return False
    add_degenerate(work)
    return True
