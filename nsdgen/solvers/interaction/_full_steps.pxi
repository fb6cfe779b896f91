"""Newton's method on one island of a one-step problem, from ``z``; it leaves its best iterate there."""

cdef extern from *:
    """
    static const double WARM = 30.0;  /* reach from a good guess: cases follow velocities */
    static const double GOOD = 1e-10;  /* worth no more than one further attempt */
    """
    const double WARM
    const double GOOD

cdef enum:
    FULL_STEPS = 60  # far more than it takes where it arrives; PATIENCE ends most others before

cdef enum:
    PATIENCE = 8  # full steps without progress where cases do not come back
    LITTLE_PATIENCE = 2  # in a round, which damped steps or a larger shift may end
    HALVINGS = 8  # to 1/128 of a step: where that does not help either, shorter ones lead nowhere

cdef double FALLS = 1e-2  # of the residual: what a step with factors of an A before must leave, or new ones are made
# of the merit, for the length of a step: Armijo's constant, so small that any true descent is taken
cdef double DECREASE = 1e-4


cdef double _total(const OneStep *w) noexcept nogil:
    """The norm of F, in the units of velocities."""
    cdef double total = 0.0, value
    cdef int i
    for i in range(w.top, w.bottom):
        value = w.f[i] / w.rho[i]
        total += value * value
    return sqrt(total)


cdef double full_steps(OneStep *w, bint shifted, double goal, int limit) noexcept nogil:
    """Newton's method without damping to ``goal`` or ``limit`` <= FULL_STEPS steps; the residual reached.

    With ``shifted`` it is the residual of the shifted problem. Without friction the cases of all
    rows (active or not) are finitely many: the method goes on until some come back.
    """
    cdef uint64_t[FULL_STEPS + 1] seen
    cdef double least = HUGE_VAL, least_total = HUGE_VAL, value, total, length = 0.0, before
    cdef int iteration, idle = 0, best = -1
    cdef bint fresh = False, factored  # fresh: of what the shift costs the last step left more than rounding
    cdef double last = HUGE_VAL  # what the last step with factors of an A before started from
    w.evaluated = 0
    for iteration in range(limit + 1):
        output_rows(w)
        value = shifted_residual(w) if shifted else natural_rows(w)
        idle += 1
        if not value <= fmax(FALLS * last, goal):
            w.outdated = 0
        if shifted and iteration:  # F is that of the step before, and unset at first
            # All rows count: where reactions are found one after the other, the worst waits for its turn.
            total = _total(w)
            if total < 0.5 * least_total:
                idle, least_total = 0, total
        elif value < 0.5 * least:
            idle = 0
        if value < least or value <= goal:
            least = fmin(value, least)
            copy_rows(w, w.best, w.z)
            best = iteration
            w.residual = value
        if iteration == 0 and w.friction and not shifted:
            # What a guess leaves of motion it leaves in every step, until it is too much and is taken at once.
            fresh = value > fmax(w.floor, 4.0 * DBL_EPSILON)
            if not fresh:
                break
        if least <= goal and (goal > FINE or not fresh):
            break
        if interrupted():
            break
        if iteration > 0 and w.linear and not shifted:
            linear_rows(w)
        else:
            linearize_rows(w, FIRST if iteration == 0 and (not shifted or is_zero(w)) else PLAIN, shifted)
        if least <= goal:
            # The shift left its share of the error: once more with the factors at hand, of a guess with new ones.
            if not (is_factored(w) or (w.friction and is_nearly_factored(w))
                    or (iteration == 0 and factor_rows(w, w.friction and not shifted) == 0)):
                break
            fresh = False
            w.iterations += 1
            find_direction(w)
            step_along(w, 1.0)
            continue
        if iteration == limit or (least <= GOOD and idle > 1 and not shifted):
            break
        if w.friction and idle > (LITTLE_PATIENCE if shifted else PATIENCE):
            break
        seen[iteration] = 0 if w.linear else cases_of(w)
        if idle > 1 and _known(seen, iteration):
            break
        factored = is_factored(w)
        if not factored and w.friction and not shifted and is_nearly_factored(w):
            last = value  # a body that hardly moved leaves A as it was but for rounding
        elif not factored:
            last = HUGE_VAL
            if factor_rows(w, w.friction and not shifted):
                break
        w.iterations += 1
        find_direction(w)
        fresh = not (w.mixed and w.lu.deficiency)  # of what has no shift, taking the null space leaves less
        if fresh and not w.friction:  # beside a cone even the last digit tells whether a contact is about to open
            # With the same factors errors fall from step to step by one ratio, that of the moves.
            before, length = length, size_of(w, w.move)
            fresh = not (factored and length * length <= DBL_EPSILON * before * size_of(w, w.z))
        step_along(w, 1.0)
    if best == iteration:
        w.evaluated = not shifted
    else:
        copy_rows(w, w.z, w.best)
    return least


cdef double damped_steps(OneStep *w, bint shifted, double goal, int limit) noexcept nogil:
    """Newton's method with a line search on the norm of F, from ``z``; otherwise as ``full_steps``."""
    cdef double least, value, merit, length
    cdef int iteration, halving
    output_rows(w)
    least = shifted_residual(w) if shifted else natural_rows(w)
    copy_rows(w, w.best, w.z)
    linearize_rows(w, PLAIN, shifted)
    for iteration in range(limit):
        merit = _total(w)
        if least <= goal or interrupted() or factor_rows(w, w.friction and not shifted):
            break
        w.iterations += 1
        find_direction(w)
        length = 1.0
        step_along(w, length)
        for halving in range(HALVINGS):
            output_rows(w)
            linearize_rows(w, PLAIN, shifted)
            if _total(w) <= (1.0 - DECREASE * length) * merit:
                break
            length *= 0.5
            step_along(w, -length)
        else:
            break
        value = shifted_residual(w) if shifted else natural_rows(w)
        if value < least:
            least = value
            copy_rows(w, w.best, w.z)
    copy_rows(w, w.z, w.best)
    w.evaluated = 0
    return least


cdef double size_of(const OneStep *w, const double *x) noexcept nogil:
    """The largest of multipliers, in the units of velocities."""
    cdef double largest = 0.0
    cdef int i
    for i in range(w.top, w.bottom):
        largest = max(largest, fabs(x[i]) / w.rho[i])
    return largest


cdef bint is_zero(const OneStep *w) noexcept nogil:
    """Whether nothing is known of the reactions."""
    cdef int i
    for i in range(w.top, w.bottom):
        if w.z[i] != 0.0:
            return False
    return True


cdef bint _known(const uint64_t *seen, int last) noexcept nogil:
    """Whether the last fingerprint is one of those before it."""
    cdef int k
    for k in range(last):
        if seen[k] == seen[last]:
            return True
    return False


cdef void step_along(OneStep *w, double length) noexcept nogil:
    """z -= length times ``move``."""
    cdef int i
    for i in range(w.top, w.bottom):
        w.z[i] -= length * w.move[i]
