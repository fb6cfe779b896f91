"""Islands of a one-step problem: what a graph is made of, the exchange rates and shifts of its rows, and one island at a time."""


cdef void _enter(OneStep *w, int island) noexcept nogil:
    """Restrict what follows to one island, or to the whole where none are given."""
    w.begin = w.island[island] if w.islands else 0
    w.end = w.island[island + 1] if w.islands else w.n
    w.top, w.bottom = w.row[w.begin], w.row[w.end]
    w.friction = w.kinds[island] & FRICTION != 0
    w.boxes = w.kinds[island] & BOXES != 0
    w.linear = w.kinds[island] & OTHERS == 0
    w.mixed = w.kinds[island] & UNKNOWNS != 0


cdef void _look_at_graph(OneStep *w) noexcept nogil:
    """What a new graph is made of: the kinds of cones of its islands, how many rows their nodes have.

    Nothing is known yet of what it leaves undetermined.
    """
    cdef int k, i, first, last
    forget_undetermined(w)
    for k in range(max(w.islands, 1)):
        first = w.row[w.island[k]] if w.islands else 0
        last = w.row[w.island[k + 1]] if w.islands else w.rows
        w.kinds[k] = 0
        for i in range(first, last):
            w.kinds[k] |= (FRICTION * (w.cone[i] >= COULOMB_2D) | BOXES * (w.cone[i] == BOX)
                           | OTHERS * (w.cone[i] != EQUALITY))
        first = w.island[k] if w.islands else 0
        last = w.island[k + 1] if w.islands else w.n
        for i in range(first, last if w.unknown != NULL else first):
            w.kinds[k] |= UNKNOWNS * (w.unknown[i] != 0)
    w.slim = _has_rows(w, 1)
    w.pairs = _has_rows(w, 2)


cdef bint _has_rows(const OneStep *w, int m) noexcept nogil:
    """Whether every node has m rows, and the blocks of all rows lie one after the other."""
    cdef int p, c
    for p in range(w.n + 1):
        if w.row[p] != m * p:
            return False
    for c in range(w.start[w.n]):
        if w.place[c] != <size_t> (m * m) * c:
            return False
    return True


cdef int _prepare(OneStep *w) noexcept nogil:
    """The exchange rates of all rows and the shifts, from the diagonal blocks."""
    cdef const double *block
    cdef double mean, entry
    cdef int p, i, m, base, exponent, island = 0
    cdef bint mixed
    cdef size_t own = 0
    for p in range(w.n):
        m = w.row[p + 1] - w.row[p]
        w.own[p] = own
        own += m * m
    w.own[w.n] = own
    if own > w.room_own:
        own = max(own, 2 * w.room_own)
        if resize_doubles(own, &w.by_r, &w.by_u, &w.kept_r, &w.kept_u):
            return -1
        w.room_own = own
    if w.settled:
        w.outdated = w.settled
    w.settled = 0
    for p in range(w.n):
        base = w.row[p]
        m = w.row[p + 1] - base
        block = w.value + w.place[w.start[p]]
        while w.islands and p >= w.island[island + 1]:
            island += 1
        mixed = w.kinds[island] & UNKNOWNS != 0
        mean = 0.0
        for i in range(m):
            mean += fabs(w.diagonal[base + i] if mixed else block[i * (m + 1)])
        mean /= m
        if not mean > 0.0:
            for i in range(m * m):
                mean = fmax(mean, fabs(block[i]))
        if not mean > 0.0:
            mean = 1.0
        for i in range(m):
            entry = w.diagonal[base + i] if mixed else block[i * (m + 1)]
            entry = entry if entry > 1e-24 * mean else mean
            w.rho[base + i] = 1.0 / entry
            # Rows of a joint are of different units: the mean of a block stands for those of one contact alone.
            w.shift[base + i] = 0.0 if mixed else w.regular * (entry if _is_alone(w, base + i) else mean)
        _even_out(w, base, m)
        for i in range(base, base + m):
            w.stiffness[i] = 1.0 / w.rho[i]
            frexp(w.rho[i], &exponent)
            w.unit[i] = ldexp(1.0, exponent // 2) if _is_alone(w, i) else 1.0
    return 0


cdef bint _is_alone(const OneStep *w, int i) noexcept nogil:
    """Whether the row is a block of its own, no part of the friction of a contact."""
    return w.cone[i] != FOLLOWS and block_height(w.cone[i]) == 1


cdef void _even_out(OneStep *w, int base, int m) noexcept nogil:
    """One exchange rate for all rows of a friction block but the first: no direction is special."""
    cdef int i = 0, k, d
    cdef double total
    while i < m:
        d = block_height(w.cone[base + i])
        if d > 1:
            total = 0.0
            for k in range(1, d):
                total += 1.0 / w.rho[base + i + k]
            for k in range(1, d):
                w.rho[base + i + k] = (d - 1) / total
        i += d
