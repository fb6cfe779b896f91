# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Newton's method and Gauss-Seidel on one island; the interface is documented in ``_island.pxd``."""

from libc.float cimport DBL_EPSILON
from libc.math cimport HUGE_VAL, fabs, fmax, fmin, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from nsdgen.solvers.one_contact._friction_cone cimport MAX_DIM
from nsdgen.solvers.one_contact._contact_solver cimport solve_contact
from nsdgen.solvers.interaction._natural_map cimport block_height
from nsdgen.solvers.interaction._one_step_work cimport FINE, SHIFT
from nsdgen.solvers.interaction._directions cimport factor_rows, find_direction, is_factored, is_nearly_factored
from nsdgen.solvers.interaction._lemke_path cimport follow_path, has_path
from nsdgen.solvers.interaction._linearised_rows cimport (
    FIRST, PLAIN, cancels, cases_of, copy_rows, linear_rows, linearize_rows, natural_rows, output_rows,
    shifted_residual,
)

cdef enum:
    EQUALITY = 0
    COMPLEMENTARITY = 1
    BOX = 2
    PATIENCE = 8  # full steps without progress where cases do not come back
    LITTLE_PATIENCE = 2  # where the path is the alternative
    DAMPED_STEPS = 20
    HALVINGS = 10
    ROUNDS = 4
    FIRST_SWEEPS = 20  # of a round, doubled from one to the next
    PROXIMAL_ROUNDS = 200
    LONG_PATIENCE = 30  # rounds that do not halve the residual
    PROXIMAL_STEPS = 40
    NEAR_PIVOTS = 100
    FEW_PIVOTS = 8  # of a path that is one attempt among others, for each row
    BACK = 4  # after a failure, the center is ahead by so much less
    PATH_ROWS = 4000  # beyond, a path of as many pivots as rows takes too long

cdef double INSIDE = 1e-3  # of the residual outside: what a proximal round aims at, and must reach
cdef double OUTSIDE = 1e-1
cdef double ENOUGH = 1e-14  # for proximal rounds
cdef double DECREASE = 1e-4
cdef double FALLS = 1e-2  # of the residual: what a step with factors of an A before must leave, or new ones are made
cdef double NEAR = 1.0  # reach of proximal rounds: few steps from anywhere
cdef double ALPHA = 1e-2  # of proximal rounds: the first from afar and from nearby, least and largest
cdef double NEAREST_ALPHA = 1e-6
cdef double LEAST_ALPHA = 1e-7
cdef double LARGEST_ALPHA = 10.0
cdef double SAME_WAY = 0.9  # cosine of two rounds
cdef double WORSE = 1.5  # times the residual before: what a center put ahead may cost
cdef double FORGET = 0.3  # after a success, of the alpha that was too small


cdef double _merit(const OneStep *w) noexcept nogil:
    cdef double total = 0.0, value
    cdef int i
    for i in range(w.top, w.bottom):
        value = w.f[i] * w.weight[i]
        total += value * value
    return sqrt(total)


cdef void _weigh(OneStep *w) noexcept nogil:
    """Weights of F for one search: it is compared with the terms of its row."""
    cdef double largest = 0.0
    cdef int i
    for i in range(w.top, w.bottom):
        largest = fmax(largest, w.scale[i] * w.rho[i])
    for i in range(w.top, w.bottom):
        w.weight[i] = 1.0 / fmax(w.scale[i] * w.rho[i], 1e-3 * largest + 1e-300)


cdef double _total(const OneStep *w) noexcept nogil:
    """The norm of F, in the units of velocities."""
    cdef double total = 0.0, value
    cdef int i
    for i in range(w.top, w.bottom):
        value = w.f[i] / w.rho[i]
        total += value * value
    return sqrt(total)


cdef double full_steps(OneStep *w, bint shifted, double goal, int limit) noexcept nogil:
    """Newton's method without damping from ``z``; leaves the best iterate there, returns its residual.

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
        if shifted:
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
        if least <= goal and (goal > FINE or not fresh):
            break
        if least > goal and iteration == 0 and w.friction and not shifted and value <= w.floor:
            break
        if iteration > 0 and w.linear and not shifted:
            linear_rows(w)
        else:
            linearize_rows(w, FIRST if iteration == 0 and (not shifted or is_zero(w)) else PLAIN, shifted)
        if least <= goal:
            # The shift left its share of the error: once more with the factors at hand.
            if not is_factored(w) and not (w.friction and is_nearly_factored(w)):
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
        fresh = True
        if not w.friction:  # beside a cone even the last digit tells whether a contact is about to open
            # With the same factors errors fall from step to step by one ratio, that of the moves.
            before, length = length, _size(w, w.move)
            fresh = not (factored and length * length <= DBL_EPSILON * before * _size(w, w.z))
        step_along(w, 1.0)
    if best == iteration:
        w.evaluated = not shifted
    else:
        copy_rows(w, w.z, w.best)
    return least


cdef double _size(const OneStep *w, const double *x) noexcept nogil:
    """The largest of multipliers, in the units of velocities."""
    cdef double largest = 0.0
    cdef int i
    for i in range(w.top, w.bottom):
        largest = max(largest, fabs(x[i]) / w.rho[i])
    return largest


cdef bint is_zero(const OneStep *w) noexcept nogil:
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
    cdef int i
    for i in range(w.top, w.bottom):
        w.z[i] -= length * w.move[i]


cdef double _damped_steps(OneStep *w, double *start) noexcept nogil:
    """Newton's method with a line search from ``z``; leaves the best iterate there."""
    cdef double least, value, merit, new, length
    cdef int iteration, halving
    output_rows(w)
    least = natural_rows(w)
    copy_rows(w, w.best, w.z)
    _weigh(w)
    for iteration in range(DAMPED_STEPS):
        linearize_rows(w, PLAIN, False)
        merit = _merit(w)
        if least <= FINE or factor_rows(w, w.friction):
            break
        w.iterations += 1
        find_direction(w)
        copy_rows(w, start, w.z)
        length = 1.0
        for halving in range(HALVINGS):
            step_along(w, length)
            output_rows(w)
            linearize_rows(w, PLAIN, False)
            new = _merit(w)
            if new <= (1.0 - DECREASE * length) * merit:
                break
            copy_rows(w, w.z, start)
            length *= 0.5
        else:
            break
        value = natural_rows(w)
        if value < least:
            least = value
            copy_rows(w, w.best, w.z)
    copy_rows(w, w.z, w.best)
    return least


cdef void _sweep(OneStep *w) noexcept nogil:
    """One pass of block Gauss-Seidel, each block of rows solved exactly."""
    cdef double q[MAX_DIM]
    cdef double own[MAX_DIM * MAX_DIM]
    cdef double x[MAX_DIM]
    cdef const double *diagonal
    cdef const double *block
    cdef double value
    cdef int p, c, i, j, k, d, m, mq, base, cone
    for p in range(w.begin, w.end):
        base = w.row[p]
        m = w.row[p + 1] - base
        diagonal = w.value + w.place[w.start[p]]
        i = 0
        while i < m:
            cone = w.cone[base + i]
            d = block_height(cone)
            for k in range(d):
                q[k] = w.b[base + i + k]
                for c in range(w.start[p], w.start[p + 1]):
                    mq = w.row[w.column[c] + 1] - w.row[w.column[c]]
                    block = w.value + w.place[c] + (i + k) * mq
                    for j in range(mq):
                        q[k] += block[j] * w.z[w.row[w.column[c]] + j]
                for j in range(d):
                    own[k * d + j] = diagonal[(i + k) * m + i + j]
                    q[k] -= own[k * d + j] * w.z[base + i + j]
                x[k] = w.z[base + i + k]
            if d > 1:
                if solve_contact(d, own, q, w.bound + 2 * (base + i), x) != HUGE_VAL:
                    memcpy(w.z + base + i, x, d * sizeof(double))
            elif own[0] > 0.0 or (own[0] < 0.0 and cone == EQUALITY):
                value = -q[0] / own[0]
                if cone == COMPLEMENTARITY:
                    value = fmax(0.0, value)
                elif cone == BOX:
                    value = fmax(w.bound[2 * (base + i)], fmin(w.bound[2 * (base + i) + 1], value))
                w.z[base + i] = value
            i += d


cdef bint _solve_around(OneStep *w, double alpha, double far) noexcept nogil:
    """The problem with A + alpha D around ``z``; whether it was solved as well as it needs to be.

    ``far`` is a residual of the problem itself: what is small beside it will do.
    """
    cdef double reached, goal = fmax(FINE, INSIDE * fmin(far, 1.0)), enough = fmax(GOOD, OUTSIDE * fmin(far, 1.0))
    cdef int i
    copy_rows(w, w.center, w.z)
    for i in range(w.top, w.bottom):
        w.shift[i] *= alpha / SHIFT
    w.settled = 0
    reached = full_steps(w, True, goal, PROXIMAL_STEPS)
    if reached > enough and w.bottom - w.top <= PATH_ROWS and has_path(w):
        if follow_path(w, True, NEAR_PIVOTS):
            reached = full_steps(w, True, goal, PROXIMAL_STEPS)
    for i in range(w.top, w.bottom):
        w.shift[i] *= SHIFT / alpha
    w.settled = 0
    output_rows(w)
    if reached <= enough and not cancels(w):
        return True
    copy_rows(w, w.z, w.center)
    return False


cdef double proximal_rounds(OneStep *w) noexcept nogil:
    cdef double *kept = w.scratch + w.rows
    cdef double *last = w.guess
    cdef double *way = w.weight  # z - center of the last round
    cdef double least, value, residual, next, alpha, easy = 0.0, hard = 0.0
    cdef int turn, idle = 0, ahead = 0, i
    output_rows(w)
    least = residual = natural_rows(w)
    copy_rows(w, kept, w.z)
    copy_rows(w, last, w.z)
    for i in range(w.top, w.bottom):
        way[i] = 0.0
    # Large where the guess is far off; near a solution it would only keep the iterates where they are.
    alpha = fmax(NEAREST_ALPHA, fmin(ALPHA, 0.1 * sqrt(least)))
    w.reach = NEAR
    for turn in range(PROXIMAL_ROUNDS):
        for i in range(w.top, w.bottom):
            w.z[i] = last[i] + ahead * way[i]
        if not _solve_around(w, alpha, least):
            if ahead:
                ahead //= BACK
            elif alpha >= LARGEST_ALPHA:
                break
            else:
                hard = alpha
                alpha = easy if easy > alpha else fmin(4.0 * alpha, LARGEST_ALPHA)
            continue
        value = natural_rows(w)
        idle = 0 if value < 0.5 * least else idle + 1
        if value < least:
            least = value
            copy_rows(w, kept, w.z)
        if least <= ENOUGH or idle > (1 if least <= w.tolerance else LONG_PATIENCE):
            break
        if ahead and value > WORSE * residual:
            ahead //= BACK
            continue
        residual = value
        copy_rows(w, last, w.z)
        easy = alpha
        if _same_way(w, way):
            # Reactions that grow along a self-stress, round by round, until a contact opens or slips.
            ahead = 2 * ahead + 1
            continue
        # Easy problems may be less of a detour, but for a while no less than what was too hard.
        next = 0.1 * alpha
        if next <= hard:
            next = sqrt(alpha * hard) if alpha > 2.0 * hard else alpha
        hard *= FORGET
        next = fmax(next, LEAST_ALPHA)
        ahead = 0
        for i in range(w.top, w.bottom):
            way[i] *= alpha / next
        alpha = next
    w.reach = WARM
    copy_rows(w, w.z, kept)
    return fmin(least, full_steps(w, False, FINE, DAMPED_STEPS)) if least > FINE else _refined(w, least)


cdef bint _same_way(OneStep *w, double *way) noexcept nogil:
    """Whether the last round went the way of the one before; ``way`` is brought up to date."""
    cdef double both = 0.0, old = 0.0, new = 0.0, value
    cdef int i
    for i in range(w.top, w.bottom):
        value = w.z[i] - w.center[i]
        both += value * way[i]
        old += way[i] * way[i]
        new += value * value
        way[i] = value
    return both > SAME_WAY * sqrt(old * new) and both > 0.0


cdef double _refined(OneStep *w, double least) noexcept nogil:
    """One more step from a solution to rounding, whose error would stay in all steps to come."""
    cdef double *kept = w.scratch + w.rows
    cdef double value
    output_rows(w)
    linearize_rows(w, PLAIN, False)
    if factor_rows(w, w.friction):
        return least
    find_direction(w)
    step_along(w, 1.0)
    output_rows(w)
    value = natural_rows(w)
    if value <= least:
        return value
    copy_rows(w, w.z, kept)
    return least


cdef double sweep_and_step(OneStep *w) noexcept nogil:
    """Sweeps and damped Newton steps in turn, more sweeps each time."""
    cdef double least = HUGE_VAL
    cdef int turn, k, sweeps = FIRST_SWEEPS
    for turn in range(ROUNDS):
        for k in range(sweeps):
            _sweep(w)
        w.sweeps += sweeps
        least = _damped_steps(w, w.scratch + w.rows)
        if least > FINE:
            least = fmin(least, full_steps(w, False, FINE, DAMPED_STEPS))
        if least <= GOOD:
            break
        if turn == 0 and w.bottom - w.top <= PATH_ROWS and has_path(w):
            for k in range(w.top, w.bottom):
                w.center[k] = 0.0
            if follow_path(w, False, FEW_PIVOTS * (w.bottom - w.top)):
                least = full_steps(w, False, FINE, DAMPED_STEPS)
                if least <= GOOD:
                    break
        least = fmin(least, proximal_rounds(w))
        if least <= GOOD:
            break
        sweeps *= 2
    return least
