"""Factors of I + X E C over the bodies of an island: the equations of a step of Newton's method without the reactions.

With dr = g - E C dv and dv = X dr follows (I + X E C) dv = X g: one block of 6 x 6 for each body, and for two that meet. Times
the masses it is M + H E H^T, whose symmetric part is positive definite where that of E is: no exchanges are needed. Pivots are numbers, not
blocks: an inverse of a block in which a contact sticks and another direction is free would lose what is free.
"""

cdef enum:
    FEW = 4  # bodies: any order will do
    USES = 50  # of an order

cdef double FILLED = 1.3  # times the blocks of factors when the order was found: then another one


cdef void body_factors_free(BodyFactors *f) noexcept nogil:
    """Give all memory back."""
    block_lu_free(&f.lu)
    free_all(f.order, f.place, f.start, f.link, f.row, f.column, f.x, f.rank)
    memset(f, 0, sizeof(BodyFactors))


cdef int _reserve_factors(BodyFactors *f, const BodyContacts *w) noexcept nogil:
    cdef int i, most = 0
    if w.bodies > f.room_bodies:
        f.room_bodies = 2 * w.bodies
        if (resize_ints(f.room_bodies + 1, &f.order, &f.place, &f.start, &f.row)
                or resize_doubles(VELOCITIES * <size_t> f.room_bodies, &f.x)):
            f.room_bodies = 0
            return -1
    if w.contacts > f.room_contacts:
        f.room_contacts = 2 * w.contacts
        if resize_ints(2 * f.room_contacts, &f.link, &f.column):
            f.room_contacts = 0
            return -1
    for i in range(w.bodies):
        most = max(most, w.name[i] + 1)
    if most > f.room_names:
        if resize_ints(2 * most, &f.rank):
            return -1
        for i in range(f.room_names, 2 * most):
            f.rank[i] = -1
        f.room_names = 2 * most
    return 0


cdef void _list_links(BodyFactors *f, const BodyContacts *w) noexcept nogil:
    """The contacts of each body in the order of elimination, and the bodies that it meets."""
    cdef int i, k, body
    memset(f.start, 0, (w.bodies + 1) * sizeof(int))
    for i in range(2 * w.contacts):
        if w.body[i] >= 0:
            f.start[f.place[w.body[i]] + 1] += 1
    for i in range(w.bodies):
        f.start[i + 1] += f.start[i]
        f.row[i] = f.start[i]
    f.row[w.bodies] = f.start[w.bodies]
    for i in range(2 * w.contacts):
        if w.body[i] >= 0:
            k = f.place[w.body[i]]
            body = w.body[i ^ 1]
            f.link[f.row[k]] = i
            f.column[f.row[k]] = f.place[body] if body >= 0 else k
            f.row[k] += 1
    for i in range(w.bodies + 1):
        f.row[i] = f.start[i]


cdef int _analyse(BodyFactors *f, const BodyContacts *w) noexcept nogil:
    cdef int i
    for i in range(w.bodies):
        f.place[f.order[i]] = i
    _list_links(f, w)
    if block_lu_reserve(&f.lu, w.bodies):
        return -1
    for i in range(w.bodies):
        f.lu.size[i] = f.n
    return block_lu_analyse(&f.lu, w.bodies, f.row, f.column)


cdef object _copied(const int *values, int count):
    cdef int[::1] copy
    array = np.empty(count, np.intc)
    if count:
        copy = array
        memcpy(&copy[0], values, count * sizeof(int))
    return array


cdef int _new_order(BodyFactors *f, const BodyContacts *w) noexcept with gil:
    """Minimum degree; kept by the names of bodies."""
    cdef int i
    for i in range(w.bodies):
        f.order[i] = f.place[i] = i
    _list_links(f, w)
    try:
        order = minimum_degree(_copied(f.row, w.bodies + 1), _copied(f.column, f.row[w.bodies]))
    except BaseException as error:  # no memory, or Ctrl-C
        end_with(error)
        return -1
    for i in range(w.bodies):
        f.order[i] = order[i]
        f.rank[w.name[f.order[i]]] = i
    return 0


cdef bint _known_order(BodyFactors *f, const BodyContacts *w) noexcept with gil:
    """The order by ranks; whether all have one."""
    cdef int i
    try:
        ranks = np.empty(w.bodies, dtype=np.intc)
        for i in range(w.bodies):
            if f.rank[w.name[i]] < 0:
                return False
            ranks[i] = f.rank[w.name[i]]
        for i, found in enumerate(np.argsort(ranks, kind="stable")):
            f.order[i] = found
    except BaseException as error:
        end_with(error)
        return False
    return True


cdef int body_factors_analyse(BodyFactors *f, const BodyContacts *w) noexcept nogil:
    """The order and the pattern of an island; 0, or -1 without memory."""
    cdef int i
    f.island, f.n = w, 3 if w.planar else VELOCITIES
    if _reserve_factors(f, w):
        return -1
    if w.bodies <= FEW:
        for i in range(w.bodies):
            f.order[i] = i
        return _analyse(f, w)
    if f.uses < USES and _known_order(f, w):
        f.uses += 1
        if _analyse(f, w):
            return -1
        if f.lu.lower_start[w.bodies] <= FILLED * f.fill:
            return 0
    if _new_order(f, w) or _analyse(f, w):
        return -1
    f.uses, f.fill = 0, f.lu.lower_start[w.bodies]
    return 0


cdef void _fill(BodyFactors *f, int k) noexcept nogil:
    """Block row k of I + X E C, spread out over ``work``; only the blocks of its pattern are touched."""
    cdef const BodyContacts *w = f.island
    cdef const BlockLU *lu = &f.lu
    cdef const double *X
    cdef const double *C
    cdef const double *E
    cdef double *target
    cdef double[18] xe
    cdef int b, l, c, side, i, j, n = f.n, block = n * n
    for b in range(lu.lower_start[k], lu.lower_start[k + 1]):
        memset(lu.work + block * lu.lower[b], 0, block * sizeof(double))
    for b in range(lu.upper_start[k], lu.upper_start[k + 1]):
        memset(lu.work + block * lu.upper[b], 0, block * sizeof(double))
    target = lu.work + block * k
    memset(target, 0, block * sizeof(double))
    for i in range(n):
        target[i * (n + 1)] = 1.0
    for l in range(f.start[k], f.start[k + 1]):
        c = f.link[l] >> 1
        X = w.by_r + <size_t> f.link[l] * 18
        E = f.E + 9 * <size_t> c
        for i in range(n):
            for j in range(3):
                xe[3 * i + j] = X[3 * i] * E[j] + X[3 * i + 1] * E[3 + j] + X[3 * i + 2] * E[6 + j]
        for side in range(2):
            if w.body[2 * c + side] < 0:
                continue
            C = w.by_v + (2 * <size_t> c + side) * 18
            target = lu.work + block * f.place[w.body[2 * c + side]]
            if n == 3:
                for i in range(3):
                    for j in range(3):
                        target[3 * i + j] += xe[3 * i] * C[j] + xe[3 * i + 1] * C[6 + j] + xe[3 * i + 2] * C[12 + j]
                continue
            for i in range(VELOCITIES):
                for j in range(6):
                    target[i * VELOCITIES + j] += xe[3 * i] * C[j] + xe[3 * i + 1] * C[6 + j] + xe[3 * i + 2] * C[12 + j]


cdef int body_factors_make(BodyFactors *f, const double *E) noexcept nogil:
    """Factor with these E (contacts, 3, 3); 0, or the number of a singular block."""
    cdef const BlockLU *lu = &f.lu
    cdef double *x
    cdef double *left
    cdef int i, j, b, c, n = f.n, block = n * n
    f.E = E
    f.made += 1
    for i in range(lu.n):
        _fill(f, i)
        for b in range(lu.lower_start[i], lu.lower_start[i + 1]):
            j = lu.lower[b]
            left = lu.lower_value + block * <size_t> b
            memcpy(left, lu.work + block * j, block * sizeof(double))
            from_right(n, lu.own_value + block * <size_t> j, left)
            for c in range(lu.upper_start[j], lu.upper_start[j + 1]):
                subtract_blocks(n, left, lu.upper_value + block * <size_t> c, lu.work + block * lu.upper[c])
        x = lu.own_value + block * <size_t> i
        memcpy(x, lu.work + block * i, block * sizeof(double))
        if factor_block(n, x):
            return i + 1
        for c in range(lu.upper_start[i], lu.upper_start[i + 1]):
            left = lu.upper_value + block * <size_t> c
            memcpy(left, lu.work + block * lu.upper[c], block * sizeof(double))
            from_left(n, x, left)
    return 0


cdef inline bint _is_zero(int n, const double *x) noexcept nogil:
    cdef int i
    for i in range(n):
        if x[i] != 0.0:
            return False
    return True


cdef inline void _solve(const BlockLU *lu, int n, double *x) noexcept nogil:
    cdef int i, b, block = n * n
    for i in range(lu.n):
        for b in range(lu.lower_start[i], lu.lower_start[i + 1]):
            if not _is_zero(n, x + n * lu.lower[b]):  # most are where few contacts are given
                subtract_vector(n, lu.lower_value + block * <size_t> b, x + n * lu.lower[b], x + n * i)
        vector_forward(n, lu.own_value + block * <size_t> i, x + n * i)
    for i in range(lu.n - 1, -1, -1):
        for b in range(lu.upper_start[i], lu.upper_start[i + 1]):
            subtract_vector(n, lu.upper_value + block * <size_t> b, x + n * lu.upper[b], x + n * i)
        vector_backward(n, lu.own_value + block * <size_t> i, x + n * i)


cdef inline void _solve_by(BodyFactors *f, int n, const double *g, double *rate) noexcept nogil:
    cdef const BodyContacts *w = f.island
    cdef const double *X
    cdef const double *C
    cdef double *x
    cdef double total
    cdef int c, side, i, j
    memset(f.x, 0, <size_t> w.bodies * n * sizeof(double))
    for c in range(w.contacts):
        if _is_zero(3, g + 3 * c):
            continue
        for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
            X = w.by_r + (2 * <size_t> c + side) * 18
            x = f.x + n * f.place[w.body[2 * c + side]]
            for i in range(n):
                x[i] += X[3 * i] * g[3 * c] + X[3 * i + 1] * g[3 * c + 1] + X[3 * i + 2] * g[3 * c + 2]
    _solve(&f.lu, n, f.x)
    for c in range(w.contacts):
        rate[3 * c] = rate[3 * c + 1] = rate[3 * c + 2] = 0.0
        for side in range(2 if w.body[2 * c + 1] >= 0 else 1):
            C = w.by_v + (2 * <size_t> c + side) * 18
            x = f.x + n * f.place[w.body[2 * c + side]]
            for i in range(3):
                total = 0.0
                for j in range(n):
                    total += C[VELOCITIES * i + j] * x[j]
                rate[3 * c + i] += total


cdef void body_factors_solve(BodyFactors *f, const double *g, double *rate) noexcept nogil:
    """C dv (contacts, 3) of (I + X E C) dv = X g."""
    if f.n == 3:  # where numbers are given the compiler writes loops out
        _solve_by(f, 3, g, rate)
    else:
        _solve_by(f, f.n, g, rate)
