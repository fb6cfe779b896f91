"""One contact with rolling friction, dim 5: everything but take-off and full stick.

Where one disk does not move, its two rows are eliminated and the other disk slides by
the quartic of ``_slip_directions.pxi``. Where both move, that quartic gives either direction for a
given other one; alternation and Newton's method from several starts find the pair.
"""

cdef enum:
    ALTERNATIONS = 12  # six of each disk; ``polish`` squares what these leave


cdef bint _eliminate_disk(
    const double* w, const double* q, int kept, double* w3, double* q3, double* back
) noexcept nogil:
    """The 3-D contact of N and disk ``kept`` while the other disk does not move.

    ``back`` (2 x 4) gives the other disk's reaction as -(back[:, 0] + back[:, 1:] r3).
    """
    cdef int i, k, a, b
    cdef int[3] rows
    cdef int other = 3 - 2 * kept
    cdef int pivot[2]
    cdef double factor[4]
    cdef double right[8]
    rows[0], rows[1], rows[2] = 0, 1 + 2 * kept, 2 + 2 * kept
    for a in range(2):
        i = other + a
        right[4 * a] = q[i]
        for b in range(3):
            right[4 * a + 1 + b] = w[5 * i + rows[b]]
        for b in range(2):
            factor[2 * a + b] = w[5 * i + other + b]
    if lu_factor(2, factor, pivot) != 0:
        return False
    lu_solve(2, factor, pivot, right, 4)
    for a in range(3):
        q3[a] = q[rows[a]]
        for b in range(3):
            w3[3 * a + b] = w[5 * rows[a] + rows[b]]
        for k in range(2):
            q3[a] -= w[5 * rows[a] + other + k] * right[4 * k]
            for b in range(3):
                w3[3 * a + b] -= w[5 * rows[a] + other + k] * right[4 * k + 1 + b]
    memcpy(back, right, sizeof(right))
    return True


cdef bint _offer_one_slides(Local* p, int moving) noexcept nogil:
    """Disk ``moving`` slides, the other one does not move."""
    cdef double w3[9]
    cdef double q3[3]
    cdef double back[8]
    cdef double e[2 * MAX_DIRECTIONS]
    cdef double r3[3]
    cdef double r[5]
    cdef int i, k, count
    if not _eliminate_disk(p.w, p.q, moving, w3, q3, back):
        return False
    count = slip_directions(w3, q3, p.mu[moving], e)
    for i in range(count):
        if not slip_reaction(w3, q3, p.mu[moving], e + 2 * i, r3):
            continue
        r[0] = r3[0]
        for k in range(2):
            r[1 + 2 * moving + k] = r3[1 + k]
            r[3 - 2 * moving + k] = -(
                back[4 * k] + back[4 * k + 1] * r3[0] + back[4 * k + 2] * r3[1]
                + back[4 * k + 3] * r3[2]
            )
        if offer(p, r):
            return True
    return False


cdef void _with_direction(Local* p, int moving, const double* f, double* w3, double* q3) noexcept nogil:
    """The 3-D contact of N and disk ``moving`` while the other slides along -f."""
    cdef int a, b, row, other = 3 - 2 * moving
    cdef double mu = p.mu[1 - moving]
    for a in range(3):
        row = 0 if a == 0 else a + 2 * moving
        q3[a] = p.q[row]
        for b in range(3):
            w3[3 * a + b] = p.w[5 * row + (0 if b == 0 else b + 2 * moving)]
        w3[3 * a] += mu * (p.w[5 * row + other] * f[0] + p.w[5 * row + other + 1] * f[1])


cdef bint _offer_both_slide(Local* p, const double* start) noexcept nogil:
    """Both disks slide: solve for one direction at a time, the other one held."""
    cdef double w3[9]
    cdef double q3[3]
    cdef double e[2 * MAX_DIRECTIONS]
    cdef double direction[4]
    cdef double r[5]
    cdef double r3[3]
    cdef double length, off, least, height = 0.0
    cdef int turn, moving, i, k, count
    for k in range(2):
        length = norm(2, start + 1 + 2 * k)
        for i in range(2):
            direction[2 * k + i] = start[1 + 2 * k + i] / length if length > 0.0 else 1.0 - i
    for turn in range(ALTERNATIONS):
        moving = turn & 1
        _with_direction(p, moving, direction + 2 * (1 - moving), w3, q3)
        count = slip_directions(w3, q3, p.mu[moving], e)
        least = HUGE_VAL
        for i in range(count):
            if not slip_reaction(w3, q3, p.mu[moving], e + 2 * i, r3):
                continue
            r[0] = r3[0]
            for k in range(2):
                r[1 + 2 * moving + k] = r3[1 + k]
                r[3 - 2 * moving + k] = p.mu[1 - moving] * r3[0] * direction[2 * (1 - moving) + k]
            off = measure(p, r)
            if off < least:
                least = off
                height = r3[0]
                direction[2 * moving] = e[2 * i]
                direction[2 * moving + 1] = e[2 * i + 1]
                if offer(p, r):
                    return True
        if least == HUGE_VAL:
            return False
    r[0] = height
    for k in range(2):
        for i in range(2):
            r[1 + 2 * k + i] = p.mu[k] * r[0] * direction[2 * k + i]
    return polish(p, r)


cdef void _offer_one_disk(Local* p, int kept) noexcept nogil:
    """The other disk has radius zero: the 3-D contact of N and disk ``kept``."""
    cdef double w3[9]
    cdef double q3[3]
    cdef double r3[3]
    cdef double r[5]
    cdef Local contact = p[0]
    memset(r3, 0, sizeof(r3))
    memset(r, 0, sizeof(r))
    _with_direction(p, kept, r, w3, q3)
    contact.dim, contact.w, contact.q, contact.mu, contact.r = 3, w3, q3, p.mu + kept, r3
    if not offer_stick(&contact):
        offer_slip3(&contact)
    r[0], r[1 + 2 * kept], r[2 + 2 * kept] = r3[0], r3[1], r3[2]
    offer(p, r)


cdef void offer_rolling(Local* p, const double* guess) noexcept nogil:
    """Offer all moving cases; ``guess`` (5) is one of the starts where both disks move."""
    cdef double start[5]
    cdef int k
    for k in range(2):
        if p.mu[k] == 0.0:
            _offer_one_disk(p, 1 - k)
            return
    for k in range(2):
        if _offer_one_slides(p, k) or good_enough(p):
            return
    memcpy(start, p.r, sizeof(start))
    if not (polish(p, start) or polish(p, guess) or _offer_both_slide(p, start)):
        _offer_both_slide(p, guess)
