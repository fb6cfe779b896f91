"""Newton's method on the Alart-Curnier function of contacts of bodies, with factors over bodies: from a start that is near.

The step is by_r dr + by_u (u of dr) = -f. With E = by_r^-1 by_u, where by_r is singular as soon as a contact sticks: a little is
added to its diagonal, as if the contact yielded, the less the better steps are. That selects among reactions which are not unique.
"""

cdef enum:
    PATIENCE = 3  # steps on end that bring nothing

cdef double YIELDS = 1e-4  # of the stiffness of a contact, at first; less leads astray where what holds is nearly loose
cdef double FIRM = 1e-8  # and at least
cdef double CLOSE = 1e-3  # of the load: cases have settled, as a rule
cdef double SURE = 1e-6  # and surely: where a step brings little what holds yields too much
cdef double HELD = 0.5  # of what was off: a step that leaves more brings nothing
cdef double SERVES = 0.3  # of what was off: what factors that were there leave, at most
cdef double ASTRAY = 0.2  # of the load: a step that leaves more is followed by none that arrives
cdef double LESS = 0.01  # of it after a step that brings more than this; a bad one takes ten times as much again


cdef void _linearize(const BodyContacts *w, int c, double *value, double *by_r, double *by_u) noexcept nogil:
    """The function of Alart and Curnier; of a row within bounds r - P(r - u / rate), and rows of zeros keep their zeros."""
    cdef double rho = 1.0 / w.rate[c], reached
    if not w.box[c] and w.rolls:
        roll_linearize(w.bound + 2 * c, rho, w.r + 3 * c, w.u + 3 * c, value, by_r, by_u)
        return
    if not w.box[c]:
        linearize_contact(3, w.bound + 2 * c, rho, rho, w.r + 3 * c, w.u + 3 * c, value, by_r, by_u)
        return
    memset(by_r, 0, 9 * sizeof(double))
    memset(by_u, 0, 9 * sizeof(double))
    reached = w.r[3 * c] - rho * w.u[3 * c]
    value[0], value[1], value[2] = w.r[3 * c] - in_box(w, c, reached), 0.0, 0.0
    if w.bound[2 * c] < reached < w.bound[2 * c + 1]:
        by_u[0] = rho
    else:
        by_r[0] = 1.0
    by_r[4] = by_r[8] = 1.0


cdef bint _newton_step(BodyContacts *w, BodyFactors *f, double *room, double yields, bint anew) noexcept nogil:
    """One full step, with derivatives and factors made ``anew`` or with those of a step before; whether there was one.

    dr = by_r^-1 (-f - by_u u): with E a little would be left of large numbers.
    """
    cdef double *slope = room  # E, and by_u when factors are made
    cdef double *inverse = room + 9 * <size_t> w.contacts
    cdef double *wanted = room + 18 * <size_t> w.contacts
    cdef double *g = room + 21 * <size_t> w.contacts
    cdef double *rate = room + 24 * <size_t> w.contacts
    cdef double[9] by_r
    cdef double[9] by_u
    cdef double[3] value
    cdef int c, i
    for c in range(w.contacts):
        _linearize(w, c, value, by_r, by_u)
        for i in range(3):
            by_r[4 * i] += yields
            wanted[3 * c + i] = -value[i]
        for i in range(9 if w.alpha > 0.0 else 0):
            by_r[i] += w.alpha * w.rate[c] * by_u[i]
        if anew:
            invert_three(by_r, inverse + 9 * <size_t> c)
            times_three(inverse + 9 * <size_t> c, by_u, slope + 9 * <size_t> c)
        apply_three(inverse + 9 * <size_t> c, wanted + 3 * c, g + 3 * c)
    if anew and body_factors_make(f, slope):
        return False
    body_factors_solve(f, g, rate)
    for c in range(w.contacts):
        if anew:
            _linearize(w, c, value, by_r, slope + 9 * <size_t> c)
        apply_three(slope + 9 * <size_t> c, rate + 3 * c, value)
        for i in range(3):
            value[i] = wanted[3 * c + i] - value[i]
        apply_three(inverse + 9 * <size_t> c, value, g + 3 * c)
        for i in range(3):
            w.r[3 * c + i] += g[3 * c + i]
    return True


cdef double body_newton(BodyContacts *w, BodyFactors *f, double *room, double wanted, int most) noexcept nogil:
    """Steps from ``r`` until no more than ``wanted`` is off, in units of u; the best ``r`` is left, and what it is off
    by returned.

    Close by, factors serve for as long as each step with them leaves little of what was off. It gives up after ``most``
    factorisations, where a step leads astray, and where several on end leave more than HELD of the least before.
    ``room`` (contacts, 27).
    """
    cdef double off, least, before, yields = 0.0 if w.alpha > 0.0 else YIELDS
    cdef int made = 0, idle = 0
    cdef bint anew = True
    move_bodies(w)
    before = least = largest_off(w)
    memcpy(w.best, w.r, 3 * <size_t> w.contacts * sizeof(double))
    while made < most and least > wanted and not interrupted() and _newton_step(w, f, room, yields, anew):
        made += anew
        move_bodies(w)
        off = largest_off(w)
        if off < least:
            least = off
            memcpy(w.best, w.r, 3 * <size_t> w.contacts * sizeof(double))
        if not anew and not off <= SERVES * before:
            memcpy(w.r, w.best, 3 * <size_t> w.contacts * sizeof(double))
            move_bodies(w)
            yields = max(FIRM, LESS * yields) if off < before else yields
            before, anew = least, True
            continue
        if not off <= ASTRAY * w.load:
            break
        if anew:
            if off <= LESS * before or SERVES * before < off <= min(before, SURE * w.load):
                yields = max(FIRM, LESS * yields)
            elif off > before:
                yields = min(YIELDS, 10.0 * yields)
            idle = 0 if off <= HELD * before else idle + 1
        if idle > PATIENCE:
            break
        anew = not off <= min(least, CLOSE * w.load)
        before = least
    memcpy(w.r, w.best, 3 * <size_t> w.contacts * sizeof(double))
    return certified_off(w)
