"""A step of many bodies: its contacts solved island by island, with a certificate or to what sweeps leave."""

cdef enum:
    RUN = 160  # sweeps: of a thousand balls these cost what a factorisation does
    FIRST_RUNS = 2  # before factors
    RUNS = 40  # of sweeps where no factors follow, or none were good enough
    IDLE_RUNS = 4  # on end, which do not halve what is off: what creeps leaves as much for long
    NEWTON_STEPS = 15  # from sweeps
    POLISH = 12  # from inside
    AT_HAND = 2  # factorisations before sweeps
    MORE_SWEEPS = 300  # from each other start, before factors
    AGAIN = 12  # starts of rounds in a plane from other coefficients of friction: of steps of 500 discs that jam one in two arrives
    NEARS = 3  # of NEAR
    FARS = 2  # of FAR
    ROOM = 32  # doubles for each contact beside those of a search: what Newton's method needs, reactions that are kept, and coefficients

cdef double VARIED = 1e-2  # of a coefficient of friction: the range of its others, whose solutions are near
cdef double GOLDEN = 0.6180339887498949  # its multiples are spread evenly over the shares
cdef double FINE = 1e-2  # of the tolerance: what methods aim at
cdef double AT_ONCE = 0.1  # of the tolerance: a guess that is off by less stays; at 1 what rests is off by ever more until every other step is solved
cdef double GUESSED = 1e-6  # of the load: a guess that is off by less has the cases of the solution, as a rule
cdef double[NEARS] NEAR = [1e-4, 1e-6, 1e-8]  # of the load: contacts show their cases, as a rule
cdef double[FARS] FAR = [1.0, 30.0]  # the same of starts from nothing: where one leads into a corner another one does not
cdef double WARM_SHARE = 1e-2  # of the load: how far off all edges a guess is set, at most
cdef double LEAST_SHARE = 1e-5  # and at least
cdef double SHARE = 2.0  # of what it is off by: nearer to the edges first steps are short

cdef struct BodyRun:
    BodySteps *s
    BodyContacts *w
    double goal


cdef void body_steps_free(BodySteps *s) noexcept nogil:
    body_contacts_free(&s.all)
    body_islands_free(&s.islands)
    body_factors_free(&s.factors)
    free(s.room)
    memset(s, 0, sizeof(BodySteps))


cdef bint is_known_cone(int m, const int *cone) noexcept nogil:
    return (m == 3 and cone[0] == COULOMB_3D) or (m == 5 and cone[0] == ROLLING)


cdef void _enter(const BodySteps *s, int k, BodyContacts *w) noexcept nogil:
    """The island as contacts of its own, whose bodies are counted from 0."""
    cdef int c = s.islands.first_contact[k], b = s.islands.first_body[k], m = s.all.m
    w[0] = s.all
    w.contacts, w.bodies = s.islands.first_contact[k + 1] - c, s.islands.first_body[k + 1] - b
    w.box = s.all.box + c
    w.body, w.name, w.v = s.all.body + 2 * c, s.all.name + b, s.all.v + VELOCITIES * b
    w.by_v, w.by_r = s.all.by_v + 2 * VELOCITIES * m * <size_t> c, s.all.by_r + 2 * VELOCITIES * m * <size_t> c
    w.v_before, w.yields = s.all.v_before + VELOCITIES * b, s.all.yields + VELOCITIES * b
    w.inverse = s.all.inverse + 2 * c
    w.own, w.bound, w.rate = s.all.own + m * m * <size_t> c, s.all.bound + 2 * c, s.all.rate + c
    w.b, w.r, w.u, w.best, w.before = (
        s.all.b + m * c, s.all.r + m * c, s.all.u + m * c, s.all.best + m * c, s.all.before + m * c)


cdef double _keep(BodySteps *s, const BodyContacts *w, double off, double least) noexcept nogil:
    """Keep the reactions that leave ``off`` where no others left less; the least."""
    if not off <= least:
        return least
    memcpy(s.room, w.r, 3 * <size_t> w.contacts * sizeof(double))
    return off


cdef double _from_inside(BodySteps *s, BodyContacts *w, double fine, double share, double least) noexcept nogil:
    """The interior point method, and Newton's method from ever nearer; the least that is left, and its reactions."""
    cdef BodyInterior p
    cdef double off = HUGE_VAL, near
    cdef double *room = s.room + 3 * <size_t> w.contacts
    cdef int k
    interior_begin(w, &p, room, share)
    for k in range(NEARS):
        near = NEAR[k] * w.load
        interior_search(w, &s.factors, &p, near)
        off = body_newton(w, &s.factors, room + INTERIOR_ROOM * <size_t> w.contacts, fine, POLISH)
        least = _keep(s, w, off, least)
        if off <= s.tolerance * w.load or p.steps >= INTERIOR_STEPS or p.short_steps > 1:
            break
    memcpy(w.r, s.room, 3 * <size_t> w.contacts * sizeof(double))
    return least


cdef double _by_rounds(BodySteps *s, BodyContacts *w, double fine, double least) noexcept nogil:
    """Proximal rounds; the least that is left, and its reactions."""
    least = _keep(s, w, body_rounds(w, &s.factors, s.room + 3 * <size_t> w.contacts, s.tolerance * w.load, fine), least)
    memcpy(w.r, s.room, 3 * <size_t> w.contacts * sizeof(double))
    return least


cdef inline double _warm(const BodyContacts *w, double off) noexcept nogil:
    """How far off all edges a guess is set, a share of the load."""
    return min(WARM_SHARE, max(LEAST_SHARE, SHARE * off / w.load))


cdef bint _is_held(const BodyContacts *w) noexcept nogil:
    """Whether there are rows of joints, which sweeps are slow for."""
    cdef int c
    for c in range(w.contacts):
        if w.box[c]:
            return True
    return False


cdef double _certify(BodySteps *s, BodyContacts *w) noexcept nogil:
    """One island with a certificate: all methods in turn until one arrives; what is left by the best of them."""
    cdef double wanted = s.tolerance * w.load, fine = FINE * wanted, off, share, least
    cdef double *room = s.room + 3 * <size_t> w.contacts
    cdef double *own
    cdef int k, made = 0
    off = certified_off(w)
    if off <= AT_ONCE * wanted:
        return off
    if w.m == 3 and (off <= GUESSED * w.load or _is_held(w)):
        if body_factors_analyse(&s.factors, w):
            return HUGE_VAL
        off = body_newton(w, &s.factors, room, fine, AT_HAND)
        if off <= wanted:
            return off
    off = _sweep_on(s, w, wanted, off, FIRST_RUNS if w.m == 3 else RUNS)
    if off <= wanted or w.m != 3:
        return off
    if body_factors_analyse(&s.factors, w):
        return HUGE_VAL
    least = _keep(s, w, body_newton(w, &s.factors, room, fine, NEWTON_STEPS), HUGE_VAL)
    if least > wanted and not w.planar:
        off = _sweep_on(s, w, wanted, least, RUNS)
        if off <= wanted:
            return off
        share = _warm(w, off)
        least = _keep(s, w, body_newton(w, &s.factors, room, fine, NEWTON_STEPS), least)
        if least > wanted:
            least = _from_inside(s, w, fine, share, least)
    if least > wanted:
        least = _by_rounds(s, w, fine, least)
    for k in range(0 if w.planar else 2 * FARS):
        if least > wanted:
            least = _from_inside(s, w, fine, _warm(w, least) if k % 2 else FAR[k // 2], least)
    for k in range(AGAIN if w.planar else 0):
        if least <= wanted or interrupted():
            break
        own, w.bound = w.bound, s.room + (ROOM - 2 + PATH_ROOM) * <size_t> w.contacts
        _vary(w, own, k + 1)
        push_bodies(w)
        body_sweeps(w, fine, MORE_SWEEPS, &made)
        s.swept += made
        if body_newton(w, &s.factors, room, fine, NEWTON_STEPS) > wanted:
            body_rounds(w, &s.factors, room, wanted, fine)
        w.bound = own
        least = _keep(s, w, body_newton(w, &s.factors, room, fine, NEWTON_STEPS), least)
        if least > wanted:
            least = _by_rounds(s, w, fine, least)
    return certified_off(w)


cdef void _vary(BodyContacts *w, const double *own, int k) noexcept nogil:
    """Other coefficients of friction, of each contact and for each k another one: where equal ones lead round in circles these do not,
    and few steps lead from their solution to one with its ``own``."""
    cdef double share
    cdef int c
    for c in range(w.contacts):
        share = (c + 1) * k * GOLDEN
        share -= floor(share) + 0.5
        w.bound[2 * c] = own[2 * c] * (1.0 if w.box[c] else 1.0 + VARIED * share)
        w.bound[2 * c + 1] = own[2 * c + 1]


cdef double _run(void *problem, double alpha, double least) noexcept nogil:
    """Some sweeps; what they leave."""
    cdef BodyRun *of = <BodyRun *> problem
    cdef int made = 0
    push_bodies(of.w)
    body_sweeps(of.w, of.goal, RUN, &made)
    of.s.swept += made
    return certified_off(of.w)


cdef double _sweep_on(BodySteps *s, BodyContacts *w, double wanted, double off, int runs) noexcept nogil:
    """Sweeps from reactions that leave ``off``, in ``runs`` at most, until these bring little; what is left by the best, which stay."""
    cdef BodyRun of
    cdef EasedRounds p
    of.s, of.w, of.goal = s, w, 0.1 * FINE * wanted
    p.n, p.most, p.patience, p.around, p.problem = w.contacts * w.m, runs, IDLE_RUNS if w.m == 3 else runs, _run, &of
    p.alpha, p.fine, p.wanted, p.worse = 0.0, wanted, wanted, WORSE_IN_SPACE
    p.r, p.kept, p.last = w.r, w.best, s.room + p.n  # behind what is kept
    p.way, p.center = p.last + p.n, p.last + 2 * p.n
    solve_by_rounds(&p, off)
    return certified_off(w)


cdef double _sweep_alone(BodySteps *s, BodyContacts *w) noexcept nogil:
    """Sweeps until no more than the goal is left, which what they change shows nearly."""
    cdef double off = HUGE_VAL, goal = s.goal
    cdef int made
    push_bodies(w)
    while s.swept < s.most_sweeps and not off <= s.goal:
        made = 0
        body_sweeps(w, goal, s.most_sweeps - s.swept, &made)
        off = certified_off(w)
        s.swept += made
        goal *= 0.25
    return off


cdef int body_steps_lay_out(BodySteps *s, int m, int bodies, int contacts, const int *pair) noexcept nogil:
    cdef int i, side, c, body
    if body_islands_find(&s.islands, bodies, contacts, pair) or body_contacts_reserve(&s.all, m, bodies, contacts):
        return -1
    for i in range(contacts):
        c = s.islands.place[i]
        for side in range(2):
            body = pair[2 * i + side]
            s.all.body[2 * c + side] = s.islands.number[body] - s.islands.first_body[s.islands.island[body]] if body >= 0 else -1
    return 0


cdef int body_steps_solve(BodySteps *s) noexcept nogil:
    cdef BodyContacts w
    cdef double off
    cdef int k, factored = s.factors.made, largest = 0
    cdef size_t size
    s.sweeps = s.uncertified = 0
    s.left = 0.0
    for k in range(s.islands.count):
        largest = max(largest, s.islands.first_contact[k + 1] - s.islands.first_contact[k])
    size = (ROOM + (PATH_ROOM if s.all.planar else INTERIOR_ROOM)) * <size_t> largest
    if size > s.size:
        s.size = 2 * size
        if resize_doubles(s.size, &s.room):
            s.size = 0
            return -1
    for k in range(s.islands.count):
        _enter(s, k, &w)
        if not w.contacts:
            continue
        look_at_own(&w)
        s.swept = 0
        if s.tolerance > 0.0:
            off = _certify(s, &w)
            s.uncertified += not off <= s.tolerance * w.load
        else:
            off = _sweep_alone(s, &w)
            s.uncertified += not off <= s.goal
        s.sweeps = max(s.sweeps, s.swept)
        s.left = max(s.left, off)
    s.factored = s.factors.made - factored
    return 0
