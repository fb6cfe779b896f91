"""Contacts of many bodies: find reactions r and velocities v with v = X r, u = b + C v and Coulomb's law between u and r.

A body has six velocities. A contact has m rows, 3 or 5, normal first (``_friction_cone.pxi``), and one body or two; C and X are
dense, m x 6 and 6 x m for each of them. A row of a joint stands among them with m - 1 rows of zeros, and has bounds. A = C X is never made: unknowns of equations are the velocities, which are fewer than
reactions in a pile, and determined where these are not. All arrays lie in the order of islands (``_body_islands.pxi``), so that
an island is a ``BodyContacts`` that begins further on in the same arrays.
"""


cdef void body_contacts_init(BodyContacts *w) noexcept nogil:
    """No contacts, no memory."""
    memset(w, 0, sizeof(BodyContacts))


cdef void body_contacts_free(BodyContacts *w) noexcept nogil:
    """Give all memory back; not of an island."""
    free_all(w.body, w.box, w.name, w.by_v, w.by_r, w.bound, w.b, w.r, w.u, w.v, w.v_before, w.yields, w.own, w.rate,
             w.inverse, w.best, w.before)
    body_contacts_init(w)


cdef int body_contacts_reserve(BodyContacts *w, int m, int bodies, int contacts) noexcept nogil:
    """Room for so many, what was there is lost; 0, or -1 without memory."""
    cdef size_t room
    w.m, w.bodies, w.contacts = m, bodies, contacts
    if bodies > w.room_bodies:
        w.room_bodies = 2 * bodies
        if (resize_ints(w.room_bodies, &w.name)
                or resize_doubles(VELOCITIES * <size_t> w.room_bodies, &w.v, &w.v_before, &w.yields)):
            return -1
    if contacts > w.room_contacts or m > w.room_rows:
        w.room_contacts, w.room_rows = max(2 * contacts, w.room_contacts), max(m, w.room_rows)
        room, m = w.room_contacts, w.room_rows
        if (resize_ints(2 * room, &w.body) or resize_ints(room, &w.box) or resize_doubles(room, &w.rate)
                or resize_doubles(2 * room, &w.bound, &w.inverse) or resize_doubles(2 * VELOCITIES * m * room, &w.by_v, &w.by_r)
                or resize_doubles(m * room, &w.b, &w.r, &w.u, &w.best, &w.before) or resize_doubles(m * m * room, &w.own)):
            w.room_contacts = w.room_rows = 0
            return -1
    return 0


cdef double ROUND = 1e-14  # of a rate: what couples by less is rounding


cdef inline bint _is_plain(const double *own, bint planar, double least) noexcept nogil:
    """Whether a block of three rows is diagonal with equal tangents."""
    if not (own[0] > least and own[4] > least and fabs(own[1]) + fabs(own[3]) <= least):
        return False
    return planar or fabs(own[4] - own[8]) + fabs(own[2]) + fabs(own[6]) + fabs(own[5]) + fabs(own[7]) <= least


cdef inline bint _is_diagonal(BodyContacts *w, int m) noexcept nogil:
    """Whether X is ``yields`` of a body times the transpose of C, but for rounding, as where masses are diagonal; finds these."""
    cdef const double *C
    cdef const double *X
    cdef double *yields
    cdef double *square = w.v_before  # the sum of those of C; sweeps begin later
    cdef double[VELOCITIES] off
    cdef double most
    cdef int l, i, j, first
    memset(w.yields, 0, <size_t> w.bodies * VELOCITIES * sizeof(double))
    memset(square, 0, <size_t> w.bodies * VELOCITIES * sizeof(double))
    for l in range(2 * w.contacts):
        if w.body[l] < 0:
            continue
        C, X = w.by_v + <size_t> l * VELOCITIES * m, w.by_r + <size_t> l * VELOCITIES * m
        for j in range(m):
            for i in range(VELOCITIES):
                w.yields[VELOCITIES * w.body[l] + i] += X[i * m + j] * C[j * VELOCITIES + i]
                square[VELOCITIES * w.body[l] + i] += C[j * VELOCITIES + i] * C[j * VELOCITIES + i]
    for i in range(VELOCITIES * w.bodies):
        w.yields[i] = w.yields[i] / square[i] if square[i] > 0.0 else 0.0
    for l in range(2 * w.contacts):
        if w.body[l] < 0:
            continue
        C, X = w.by_v + <size_t> l * VELOCITIES * m, w.by_r + <size_t> l * VELOCITIES * m
        yields = w.yields + VELOCITIES * w.body[l]
        for i in range(VELOCITIES):
            off[i] = 0.0
            for j in range(m):
                off[i] += fabs(X[i * m + j] - yields[i] * C[j * VELOCITIES + i])
        for first in range(0, VELOCITIES, 3):  # velocities, then turns: what is less by far than the largest of three is rounding
            most = 0.0
            for j in range(m):
                for i in range(first, first + 3):
                    most += fabs(C[j * VELOCITIES + i])
            for i in range(first, first + 3):
                if not off[i] <= ROUND * fabs(yields[i]) * most:
                    return False
    return True


cdef inline void _add_own(BodyContacts *w, int c, int side, int m, double *own) noexcept nogil:
    """C X of one body."""
    cdef const double *C = w.by_v + (2 * <size_t> c + side) * VELOCITIES * m
    cdef const double *X = w.by_r + (2 * <size_t> c + side) * VELOCITIES * m
    cdef const double *yields = w.yields + VELOCITIES * w.body[2 * c + side]
    cdef double[VELOCITIES] moved
    cdef double total
    cdef int i, j, k
    for j in range(m):
        for k in range(VELOCITIES):
            moved[k] = yields[k] * C[j * VELOCITIES + k] if w.diagonal else X[k * m + j]
        for i in range(m):
            own[i * m + j] += product_of(VELOCITIES, C + i * VELOCITIES, moved)


cdef inline void _look_at_rows(BodyContacts *w, int m) noexcept nogil:
    cdef double *own
    cdef double total
    cdef int c, side, i
    w.load = 0.0
    w.diagonal = _is_diagonal(w, m)
    for c in range(w.contacts):
        own = w.own + <size_t> c * m * m
        for i in range(m * m):
            own[i] = 0.0
        for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
            _add_own(w, c, side, m, own)
        total = 0.0
        for i in range(m):
            total += own[i * (m + 1)]
            w.load = max(w.load, fabs(w.b[c * m + i]))
        w.rate[c] = total / m if total > own[0] else own[0]
        w.inverse[2 * c] = 0.0
        if w.diagonal and m == 3 and _is_plain(own, w.planar, ROUND * w.rate[c]):
            w.inverse[2 * c], w.inverse[2 * c + 1] = 1.0 / own[0], 1.0 / own[4]


cdef void look_at_own(BodyContacts *w) noexcept nogil:
    """``own``, ``rate``, ``load`` and ``yields`` from what was given."""
    if w.m == 3:  # where numbers are given the compiler writes loops out
        _look_at_rows(w, 3)
    else:
        _look_at_rows(w, w.m)


cdef inline void _push_all(BodyContacts *w, int m) noexcept nogil:
    cdef const double *X
    cdef double *v
    cdef const double *r
    cdef int c, side, i, j
    memset(w.v, 0, <size_t> w.bodies * VELOCITIES * sizeof(double))
    for c in range(w.contacts):
        r = w.r + c * m
        for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
            v = w.v + VELOCITIES * w.body[2 * c + side]
            if w.diagonal:
                move_by_rows(m, VELOCITIES, w.by_v + (2 * <size_t> c + side) * VELOCITIES * m, r,
                             w.yields + VELOCITIES * w.body[2 * c + side], v)
                continue
            X = w.by_r + (2 * <size_t> c + side) * VELOCITIES * m
            for i in range(VELOCITIES):
                for j in range(m):
                    v[i] += X[i * m + j] * r[j]


cdef inline void _see_all(BodyContacts *w, int m) noexcept nogil:
    cdef const double *C
    cdef const double *r
    cdef double total
    cdef int c, side, i
    for c in range(w.contacts):
        r = w.r + c * m
        for i in range(m):
            total = w.b[c * m + i]
            for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
                C = w.by_v + (2 * <size_t> c + side) * VELOCITIES * m
                total += product_of(VELOCITIES, C + VELOCITIES * i, w.v + VELOCITIES * w.body[2 * c + side])
            w.u[c * m + i] = total + (w.alpha * w.rate[c] * (r[i] - w.center[c * m + i]) if w.alpha > 0.0 else 0.0)


cdef void push_bodies(BodyContacts *w) noexcept nogil:
    """``v`` from ``r``."""
    if w.m == 3:
        _push_all(w, 3)
    else:
        _push_all(w, w.m)


cdef void move_bodies(BodyContacts *w) noexcept nogil:
    """``v`` and ``u`` from ``r``."""
    push_bodies(w)
    if w.m == 3:
        _see_all(w, 3)
    else:
        _see_all(w, w.m)


cdef double largest_off(const BodyContacts *w) noexcept nogil:
    """The largest violation of the law, in units of u (``contact_off`` times the rate): zero at solutions."""
    cdef double worst = 0.0
    cdef int c, m = w.m
    for c in range(w.contacts):
        if w.box[c]:
            worst = max(worst, fabs(w.r[c * m] - in_box(w, c, w.r[c * m] - w.u[c * m] / w.rate[c])) * w.rate[c])
        elif w.rolls:
            worst = max(worst, roll_off(w.bound + 2 * c, w.rate[c], w.r + 3 * c, w.u + 3 * c) * w.rate[c])
        else:
            worst = max(worst, contact_off(m, w.bound + 2 * c, w.rate[c], w.r + c * m, w.u + c * m) * w.rate[c])
    return worst


cdef inline double in_box(const BodyContacts *w, int c, double r) noexcept nogil:
    """The nearest impulse within the bounds of a row."""
    return max(w.bound[2 * c], min(w.bound[2 * c + 1], r))


cdef double certified_off(BodyContacts *w) noexcept nogil:
    """The same with reactions brought into their cones, v and u computed again from them."""
    cdef int c
    for c in range(w.contacts):
        if w.box[c]:
            w.r[c * w.m] = in_box(w, c, w.r[c * w.m])
        elif w.rolls:
            roll_project(w.bound + 2 * c, w.r + 3 * c)
        else:
            project_cone(w.m, w.bound + 2 * c, w.r + c * w.m)
    move_bodies(w)
    return largest_off(w)
