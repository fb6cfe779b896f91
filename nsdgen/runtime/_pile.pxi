"""The rows in play of a stage as a pile (``solvers/piles/_body_steps.pxi``): for many relations between systems of six unknowns.

What a step needs of relations and systems is copied to where what an island holds lies side by side; multipliers, and what they
move, are copied back. No graph of relations is laid out. Blocks in a plane are given a third row that is never pushed.
"""

cdef enum:
    UNKNOWNS = 6  # of a system in space
    PLANAR = 3  # of a system in a plane
    ROLLING_ROWS = 5  # of a block that resists turns, too; in a plane these stand there three times


cdef int take_pile(Stage *s, double tolerance, double goal, int most, int rows) noexcept nogil:
    if s.pile == NULL:
        s.pile = <Pile *> calloc(1, sizeof(Pile))
        if s.pile == NULL or resize_ints(s.n_systems, &s.pile.number, &s.pile.system):
            return -1
        for i in range(s.n_systems):
            s.pile.number[i] = -1
    s.pile.above = rows
    s.pile.steps.tolerance, s.pile.steps.goal, s.pile.steps.most_sweeps = tolerance, goal, most
    return 0


cdef void leave_pile(Stage *s) noexcept nogil:
    if s.pile == NULL:
        return
    body_steps_free(&s.pile.steps)
    free_all(s.pile.number, s.pile.system, s.pile.pair, s.pile)
    s.pile = NULL


cdef bint is_pile(const Stage *s) noexcept nogil:
    cdef const BoundRelation *r
    cdef int p, k, m = 0, unknowns = 0
    if not s.affine or not s.separable or s.n_border or s.has_coupled or s.traced:
        return False
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if not 1 <= r.n_attached <= 2 or not (is_row(r) or is_planar(r) or is_known_cone(r.m, r.form.cone)):
            return False
        if not is_row(r):
            if m and r.m != m:
                return False
            m = r.m
        for k in range(r.n_attached):
            unknowns = unknowns if unknowns else r.attached[k].n
            if not r.attached[k].shape.whole or r.attached[k].n != unknowns or not (unknowns == PLANAR or unknowns == UNKNOWNS):
                return False
    return not m or m == ROLLING_ROWS or (m == 2) == (unknowns == PLANAR)


cdef inline bint is_planar(const BoundRelation *r) noexcept nogil:
    return r.m == 2 and is_planar_cone(r.form.cone[0])


cdef inline bint is_row(const BoundRelation *r) noexcept nogil:
    """One row with a multiplier within bounds."""
    return r.m == 1 and r.form.cone[0] == BOX


cdef int _list_pairs(Stage *s, Pile *q) noexcept nogil:
    """The systems that relations act on, numbered as they come; how many, or -1 without memory."""
    cdef const BoundRelation *r
    cdef int p, k, system, systems = 0, far = far_end(s.n_play)
    if s.n_play > q.room:
        q.room = 2 * s.n_play
        if resize_ints(2 * q.room, &q.pair):
            q.room = 0
            return -1
    for p in range(s.n_play):
        if p < far:
            nsd_fetch(s.relation[s.play[p + NEAR]].attached)
        r = &s.relation[s.play[p]]
        q.pair[2 * p + 1] = -1
        for k in range(r.n_attached):
            system = r.attached[k].system
            if q.number[system] < 0:
                q.number[system], q.system[systems] = systems, system
                systems += 1
            q.pair[2 * p + k] = q.number[system]
    for k in range(systems):
        q.number[q.system[k]] = -1
    return systems


cdef inline void _copy_in(const Stage *s, Pile *q, int m) noexcept nogil:
    """Blocks of m rows in space: where the number is given the compiler writes copies out."""
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef const double *C
    cdef double *b
    cdef int p, c, i, k, far = far_end(s.n_play)
    for p in range(s.n_play):
        if p < far:
            fetch_rows(s, p)
        r, c = &s.relation[s.play[p]], q.steps.islands.place[p]
        if is_row(r):
            _copy_in_row(q, r, c, UNKNOWNS)
            continue
        q.steps.all.box[c] = 0
        q.steps.all.bound[2 * c], q.steps.all.bound[2 * c + 1] = r.bound[0], r.bound[1]
        b = q.steps.all.b + c * m
        memcpy(b, r.output, m * sizeof(double))
        memcpy(q.steps.all.r + c * m, r.guess, m * sizeof(double))
        for k in range(r.n_attached):
            at = &r.attached[k]
            C = output_x(at)
            memcpy(q.steps.all.by_v + (2 * <size_t> c + k) * UNKNOWNS * m, C, UNKNOWNS * m * sizeof(double))
            memcpy(q.steps.all.by_r + (2 * <size_t> c + k) * UNKNOWNS * m, solved(at), UNKNOWNS * m * sizeof(double))
            for i in range(m):
                b[i] -= product_of(UNKNOWNS, C + UNKNOWNS * i, at.rhs)


cdef void _copy_in_row(Pile *q, const BoundRelation *r, int c, int unknowns) noexcept nogil:
    """One row, and rows of zeros in the place of further ones. What only pushes is a block whose cone is a ray."""
    cdef const Attachment *at
    cdef double *by_v
    cdef double *by_r
    cdef int k, j, m = q.steps.all.m
    cdef bint pushes = r.bound[0] == 0.0 and r.bound[1] == HUGE_VAL
    q.steps.all.box[c] = not pushes
    q.steps.all.bound[2 * c], q.steps.all.bound[2 * c + 1] = r.bound[0], 0.0 if pushes else r.bound[1]
    memset(q.steps.all.b + c * m, 0, m * sizeof(double))
    memset(q.steps.all.r + c * m, 0, m * sizeof(double))
    q.steps.all.b[c * m], q.steps.all.r[c * m] = r.output[0], r.guess[0]
    for k in range(r.n_attached):
        at = &r.attached[k]
        by_v = q.steps.all.by_v + (2 * <size_t> c + k) * UNKNOWNS * m
        by_r = q.steps.all.by_r + (2 * <size_t> c + k) * UNKNOWNS * m
        memset(by_v, 0, UNKNOWNS * m * sizeof(double))
        memset(by_r, 0, UNKNOWNS * m * sizeof(double))
        for j in range(unknowns):
            by_v[j], by_r[j * m] = output_x(at)[j], solved(at)[j]
            q.steps.all.b[c * m] -= output_x(at)[j] * at.rhs[j]


cdef double _length_of_turns(const BoundRelation *r) noexcept nogil:
    """That of a block: a turn times it is moved by a moment over it as the first row by its multiplier."""
    cdef double normal = 0.0, turn = 0.0
    cdef int j, k
    for k in range(r.n_attached):
        for j in range(PLANAR):
            normal += output_x(&r.attached[k])[j] * solved(&r.attached[k])[r.m * j]
            turn += output_x(&r.attached[k])[4 * PLANAR + j] * solved(&r.attached[k])[r.m * j + 4]
    return sqrt(normal / turn)


cdef void _copy_in_planar(const Stage *s, Pile *q) noexcept nogil:
    """Blocks of two rows and systems of three unknowns as ones in space that nothing pushes out of the plane.

    The second tangent is a velocity of its own, of the mass of the system, and takes no part in any solution; where blocks resist
    turns the row of these has its place, in units of the first one.
    """
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef const double *C
    cdef const double *X
    cdef double *by_v
    cdef double *by_r
    cdef double *b
    cdef double length
    cdef int p, c, i, j, k, row
    cdef bint rolls = q.steps.all.rolls
    for p in range(s.n_play):
        r, c = &s.relation[s.play[p]], q.steps.islands.place[p]
        if is_row(r):
            _copy_in_row(q, r, c, PLANAR)
            continue
        q.steps.all.box[c] = 0
        b = q.steps.all.b + 3 * c
        length = _length_of_turns(r) if rolls else 1.0
        for i in range(2):
            b[i], q.steps.all.r[3 * c + i] = r.output[i], r.guess[i]
        b[2] = length * r.output[4] if rolls else 0.0
        q.steps.all.r[3 * c + 2] = r.guess[4] / length if rolls else 0.0
        q.steps.all.bound[2 * c], q.steps.all.bound[2 * c + 1] = r.bound[0], r.bound[1] / length if rolls else 0.0
        for k in range(r.n_attached):
            at = &r.attached[k]
            C, X = output_x(at), solved(at)
            by_v = q.steps.all.by_v + (2 * <size_t> c + k) * 3 * UNKNOWNS
            by_r = q.steps.all.by_r + (2 * <size_t> c + k) * 3 * UNKNOWNS
            memset(by_v, 0, 3 * UNKNOWNS * sizeof(double))
            memset(by_r, 0, 3 * UNKNOWNS * sizeof(double))
            for j in range(PLANAR):
                for i in range(3 if rolls else 2):
                    row = 4 if i == 2 else i
                    by_v[UNKNOWNS * i + j] = C[PLANAR * row + j] * (length if i == 2 else 1.0)
                    by_r[3 * j + i] = X[r.m * j + row] * (length if i == 2 else 1.0)
                    b[i] -= by_v[UNKNOWNS * i + j] * at.rhs[j]
            if rolls:
                continue
            by_v[2 * UNKNOWNS + PLANAR] = 1.0 - 2.0 * k
            by_r[3 * PLANAR + 2] = (1.0 - 2.0 * k) * sqrt(X[0] * X[0] + X[2] * X[2])


cdef int solve_pile(Stage *s) noexcept nogil:
    """Find the multipliers of the rows in play; what they move is in the right-hand sides of groups. 0, or -1 without
    memory."""
    cdef Pile *q = s.pile
    cdef BoundRelation *r
    cdef double *rhs
    cdef const double *v
    cdef int p, c, i, j, rows = 3, systems = _list_pairs(s, q)
    cdef int unknowns = s.relation[s.play[0]].attached[0].n
    cdef bint planar = unknowns == PLANAR
    for p in range(s.n_play):
        rows = max(rows, s.relation[s.play[p]].m)
    q.steps.all.planar, q.steps.all.rolls = planar, planar and rows == ROLLING_ROWS
    rows = 3 if planar else rows
    if systems < 0 or body_steps_lay_out(&q.steps, rows, systems, s.n_play, q.pair):
        return -1
    for i in range(systems):
        q.steps.all.name[q.steps.islands.number[i]] = q.system[i]
    if planar:
        _copy_in_planar(s, q)
    elif rows == 3:
        _copy_in(s, q, 3)
    else:
        _copy_in(s, q, rows)
    if body_steps_solve(&q.steps):
        return -1
    for p in range(s.n_play):
        r, c = &s.relation[s.play[p]], q.steps.islands.place[p]
        memcpy(r.multiplier, q.steps.all.r + c * rows, min(r.m, rows) * sizeof(double))
        if q.steps.all.rolls and not is_row(r):
            r.multiplier[4], r.multiplier[2] = r.multiplier[2] * _length_of_turns(r), 0.0
    for i in range(systems):
        rhs = s.group[s.system[q.system[i]].group].rhs + s.system[q.system[i]].offset
        v = q.steps.all.v + UNKNOWNS * q.steps.islands.number[i]
        for j in range(unknowns):
            rhs[j] -= v[j]
    return 0
