"""An interior point method for contacts of bodies in space, with factors over bodies.

With reactions R = (r_N, r_T / mu) and y in the cone |t| <= s, y = (s, t) orthogonal to R in it, Coulomb's law reads

    u_N = (s^2 - |t|^2) / (2 s),  mu u_T = t,

for on the edge of the cone u_N = 0 and the contact slides against R, y = 0 lets it stick, and R = 0 leaves it open with any
u_N > 0 and u_T: s = u_N + |(u_N, mu u_T)|. It is smooth inside, and homogeneous of degree one. In the plane it is the form of
``interaction/_cone_interior.pxi`` with s, t = (y_1 + y_2, y_1 - y_2) / 2. A step is that of Mehrotra (1992) with the scaling of
Nesterov and Todd (1997). The problem is not monotone: steps may come to a halt. Rows within bounds, as of joints, take
steps of Newton's method meanwhile: to u = 0, with a little that yields, or to the bound that they seem to be at.
"""

cdef enum:
    INTERIOR_ROOM = 46  # doubles for each contact

cdef struct BodyInterior:
    # A search that goes on where it stopped.
    double *R  # (contacts, 3), as all that follow
    double *y
    double *dR
    double *dy
    double *F  # mu (A r + b) - u(y)
    double *g
    double *lam  # W y = W^-1 R
    double *w  # (contacts, 4): the scaling point, and its size
    double *rate  # C dv
    double *E  # (contacts, 9): D (U + yields D)^-1, of r and not of R
    double *inverse  # (contacts, 9): (U + yields D)^-1
    double gap
    int short_steps, steps

cdef enum:
    STALLED = 4  # steps on end that lead nowhere
    INTERIOR_STEPS = 45  # factorisations: some fifteen to thirty find the cases of all contacts

cdef double SHORTER = 0.995  # than to the edge
cdef double SHORT = 0.1  # a step with the corrector: where it is shorter, one without it
cdef double TINY = 0.05  # a step that leads nowhere
cdef double BARELY_YIELDS = 1e-8  # of the stiffness of a contact
cdef double MOST_FRICTION = 1e3  # a larger coefficient is this one here: what holds holds with it
cdef double LEAST_GAP = 1e-300  # its products are numbers still


cdef inline double _friction(const BodyContacts *w, int c) noexcept nogil:
    return min(w.bound[2 * c], MOST_FRICTION)


cdef inline double _unit(const BodyContacts *w, int c, int i) noexcept nogil:
    """Of r_i over R_i."""
    return 1.0 if i == 0 or w.box[c] else _friction(w, c)


# ------------------------------------------------------------------------------ the cone


cdef inline void _scale(const double *w, double turn, const double *x, double *found) noexcept nogil:
    """W x, or with turn = -1 its inverse: the square root of the scaling, which takes y to W^-1 R."""
    cdef double across = turn * (w[1] * x[1] + w[2] * x[2]), share = turn * x[0] + across * turn / (1.0 + w[0])
    cdef double size = w[3] if turn > 0.0 else 1.0 / w[3]
    found[0] = size * (w[0] * x[0] + across)
    found[1] = size * (x[1] + w[1] * share)
    found[2] = size * (x[2] + w[2] * share)


cdef inline void _divide(const double *l, double *x) noexcept nogil:
    """The z with l o z = x in the algebra of the cone, in place of x."""
    cdef double first = (l[0] * x[0] - l[1] * x[1] - l[2] * x[2]) / in_cone(l)
    x[1] = (x[1] - l[1] * first) / l[0]
    x[2] = (x[2] - l[2] * first) / l[0]
    x[0] = first


cdef inline void _rates(const double *y, double *u) noexcept nogil:
    """(u_N, mu u_T) as y has them."""
    u[0] = 0.5 * in_cone(y) / y[0]
    u[1], u[2] = y[1], y[2]


cdef inline void _slopes(const double *y, const double *dy, double *du) noexcept nogil:
    """What a change of y makes of these."""
    cdef double a = y[1] / y[0], b = y[2] / y[0]
    du[0] = 0.5 * (1.0 + a * a + b * b) * dy[0] - a * dy[1] - b * dy[2]
    du[1], du[2] = dy[1], dy[2]


# ------------------------------------------------------------------------------- a step


cdef void _set_scaling(const BodyContacts *w, BodyInterior *p, int c) noexcept nogil:
    """The scaling of a contact, and E = (U D^-1 + what yields)^-1, D = W^2: D (U + yields D)^-1."""
    cdef const double *R = p.R + 3 * c
    cdef const double *y = p.y + 3 * c
    cdef double *x = p.w + 4 * c
    cdef double[9] D
    cdef double[9] sum
    cdef double[9] E
    cdef double *inverse = p.inverse + 9 * <size_t> c
    cdef double nr, ny, mu = _friction(w, c), size, half, soft
    cdef int i, j
    if w.box[c]:
        memset(p.E + 9 * <size_t> c, 0, 9 * sizeof(double))
        p.E[9 * <size_t> c] = inverse[0] = y[0] / (BARELY_YIELDS * w.rate[c])
        return
    nr, ny = sqrt(in_cone(R)), sqrt(in_cone(y))
    half = 0.5 / sqrt(0.5 * (1.0 + (R[0] * y[0] + R[1] * y[1] + R[2] * y[2]) / (nr * ny)))
    x[0] = half * (R[0] / nr + y[0] / ny)
    x[1] = half * (R[1] / nr - y[1] / ny)
    x[2] = half * (R[2] / nr - y[2] / ny)
    size = nr / ny
    x[3] = sqrt(size)
    _scale(x, 1.0, y, p.lam + 3 * c)
    for i in range(3):
        for j in range(3):
            D[3 * i + j] = 2.0 * size * x[i] * x[j]
    D[0] -= size
    D[4] += size
    D[8] += size
    soft = BARELY_YIELDS * w.rate[c]
    for i in range(9):
        sum[i] = soft * D[i]
    half = y[1] / y[0]
    sum[1] -= half
    sum[0] += 0.5 * (1.0 + half * half)
    half = y[2] / y[0]
    sum[2] -= half
    sum[0] += 0.5 * half * half
    sum[4] += 1.0
    sum[8] += 1.0
    invert_three(sum, inverse)
    times_three(D, inverse, E)
    for i in range(3):
        for j in range(3):
            p.E[9 * <size_t> c + 3 * i + j] = E[3 * i + j] * (mu if i else 1.0) * (mu if j else 1.0)


cdef void _find_step(BodyContacts *w, BodyFactors *f, BodyInterior *p, double target, bint second) noexcept nogil:
    """dR and dy towards R o y = target; in the corrector less the product of those of the predictor.

    dR = D z, and dy is less by z: where R and y are far along the edge D has entries of which nothing is left by cancellation.
    """
    cdef double[3] wanted
    cdef double[3] a
    cdef double[3] b
    cdef double mu
    cdef const double *x
    cdef double *dR
    cdef double *dy
    cdef int c, i
    for c in range(w.contacts):
        x, mu = p.w + 4 * c, _friction(w, c)
        dR, dy = p.dR + 3 * c, p.dy + 3 * c
        if w.box[c]:
            dR[0], dR[1], dR[2] = -p.F[3 * c], 0.0, 0.0
            for i in range(3):
                p.g[3 * c + i] = dR[i] * (p.E[9 * <size_t> c] if p.y[3 * c] else 1.0)
            continue
        wanted[0], wanted[1], wanted[2] = target, 0.0, 0.0
        if second:
            _scale(x, -1.0, dR, a)
            _scale(x, 1.0, dy, b)
            for i in range(3):
                wanted[i] -= times_part(a, b, i)
        _divide(p.lam + 3 * c, wanted)
        for i in range(3):
            wanted[i] -= p.lam[3 * c + i]
        _scale(x, -1.0, wanted, dy)  # and less z, below
        _slopes(p.y + 3 * c, dy, dR)  # the right-hand side stays there
        for i in range(3):
            dR[i] -= p.F[3 * c + i]
            a[i] = dR[i] / mu if i and mu > 0.0 else dR[i]
        apply_three(p.E + 9 * <size_t> c, a, p.g + 3 * c)
    body_factors_solve(f, p.g, p.rate)
    for c in range(w.contacts):
        x, mu = p.w + 4 * c, _friction(w, c)
        dR, dy = p.dR + 3 * c, p.dy + 3 * c
        if w.box[c]:
            if p.y[3 * c]:
                dR[0] = p.inverse[9 * <size_t> c] * (dR[0] - p.rate[3 * c])
            continue
        for i in range(3):
            a[i] = dR[i] - p.rate[3 * c + i] * _unit(w, c, i)
        apply_three(p.inverse + 9 * <size_t> c, a, b)
        _scale(x, 1.0, b, a)
        _scale(x, 1.0, a, dR)
        for i in range(3):
            dy[i] -= b[i]


cdef double _length(const BodyContacts *w, const BodyInterior *p) noexcept nogil:
    """How far the step goes: not beyond an edge."""
    cdef double length = 1.0 / SHORTER
    cdef int c
    for c in range(w.contacts):
        if w.box[c]:
            continue
        length = min(length, min(to_edge(p.R + 3 * c, p.dR + 3 * c), to_edge(p.y + 3 * c, p.dy + 3 * c)))
    return SHORTER * length


cdef double _gap(const BodyContacts *w, const BodyInterior *p, double length) noexcept nogil:
    """The mean of R y after a step of this length."""
    cdef double total = 0.0
    cdef int i
    for i in range(3 * w.contacts):
        if not w.box[i // 3]:
            total += (p.R[i] + length * p.dR[i]) * (p.y[i] + length * p.dy[i])
    return total / w.contacts


cdef double _interior_step(BodyContacts *w, BodyFactors *f, BodyInterior *p) noexcept nogil:
    """One step of predictor and corrector; its length, 0 without factors."""
    cdef double length, share
    cdef int c, i
    for c in range(w.contacts):
        _set_scaling(w, p, c)
    if body_factors_make(f, p.E):
        return 0.0
    _find_step(w, f, p, 0.0, False)
    share = _gap(w, p, _length(w, p)) / p.gap
    _find_step(w, f, p, share * share * share * p.gap, True)
    length = _length(w, p)
    share = 0.5
    while not length >= SHORT and share <= 1.0:  # away from the edges first
        _find_step(w, f, p, share * p.gap, False)
        length = _length(w, p)
        share *= 2.0
    for i in range(3 * w.contacts):
        p.R[i] += length * p.dR[i]
        p.y[i] += length * p.dy[i]
    return length


# ------------------------------------------------------------------------------ a search


cdef void _carve(BodyContacts *w, BodyInterior *p, double *room) noexcept nogil:
    cdef size_t n = w.contacts
    p.R, p.y, p.dR, p.dy, p.F, p.g, p.lam, p.rate = (
        room, room + 3 * n, room + 6 * n, room + 9 * n, room + 12 * n, room + 15 * n, room + 18 * n, room + 21 * n)
    p.w, p.E = room + 24 * n, room + 28 * n
    p.inverse = p.E + 9 * n


cdef inline void _push_in(double *x, double margin) noexcept nogil:
    """x at least this far off the edge of the cone."""
    x[0] = max(x[0], margin + sqrt(x[1] * x[1] + x[2] * x[2]))


cdef void interior_begin(BodyContacts *w, BodyInterior *p, double *room, double share) noexcept nogil:
    """Start around ``r``, this share of the load off all edges; where ``share`` is 1 or more from nothing.

    All reactions are off by what moves the heaviest so: products of R and y are then alike, however far apart masses are.
    """
    cdef double mu, normal, margin, least = HUGE_VAL
    cdef double *R
    cdef double *y
    cdef int c, i
    _carve(w, p, room)
    p.steps = p.short_steps = 0
    move_bodies(w)
    for c in range(w.contacts):
        if not w.box[c]:
            least = min(least, w.rate[c])
    margin = share * w.load / least
    for c in range(w.contacts):
        mu, R, y = _friction(w, c), p.R + 3 * c, p.y + 3 * c
        for i in range(3):
            R[i] = y[i] = 0.0
            p.dR[3 * c + i] = p.dy[3 * c + i] = 0.0
        if w.box[c]:
            R[0] = w.r[3 * c]
            continue
        if share < 1.0:
            R[0], normal = w.r[3 * c], max(w.u[3 * c], 0.0)
            for i in range(1, 3):
                R[i] = w.r[3 * c + i] / mu if mu > 0.0 else 0.0
                y[i] = mu * w.u[3 * c + i]
            y[0] = normal + sqrt(normal * normal + y[1] * y[1] + y[2] * y[2])
        _push_in(R, margin)
        _push_in(y, share * w.load)


cdef double interior_search(BodyContacts *w, BodyFactors *f, BodyInterior *p, double near) noexcept nogil:
    """Steps until no more than ``near`` is off, in units of u, INTERIOR_STEPS in all, or they lead nowhere; what ``r`` is off
    by."""
    cdef double off = HUGE_VAL, length
    cdef double[3] law
    cdef int c, i
    while True:
        for c in range(w.contacts):
            for i in range(3):
                w.r[3 * c + i] = p.R[3 * c + i] * _unit(w, c, i)
        move_bodies(w)
        off = largest_off(w)
        if off <= near or p.short_steps >= STALLED or p.steps >= INTERIOR_STEPS or interrupted():
            return off
        for c in range(w.contacts):
            if w.box[c]:
                length = w.r[3 * c] - w.u[3 * c] / w.rate[c]
                p.y[3 * c] = <double> (w.bound[2 * c] < length < w.bound[2 * c + 1])
                p.F[3 * c] = w.u[3 * c] if p.y[3 * c] else w.r[3 * c] - in_box(w, c, length)
                continue
            _rates(p.y + 3 * c, law)
            for i in range(3):
                p.F[3 * c + i] = w.u[3 * c + i] * _unit(w, c, i) - law[i]
        p.gap = _gap(w, p, 0.0)
        if not LEAST_GAP < p.gap < HUGE_VAL:
            return off
        length = _interior_step(w, f, p)
        p.steps += 1
        p.short_steps = 0 if length >= TINY else p.short_steps + 1
        if not length > 0.0:
            p.short_steps = STALLED
