"""Which relations of a stage are in play: their modes, the rows they are given, what their multipliers start from."""

cdef size_t OF_MODES = 64  # bytes of addresses
cdef double NO_SLIP = 1e100  # a coefficient from which on nothing slides


cdef int activate(Stage *s, bint only_add, int starts, Failure *failure) noexcept nogil:
    """Evaluate the modes and number the rows of the relations in play.

    ``starts`` is 1 where a step starts, 2 where the same starts again: relations then begin, too. ``only_add`` keeps those that are in play already, so that activation within Newton's
    method cannot go round in circles.
    """
    cdef BoundRelation *r
    cdef const RelationForm *form
    cdef int i, j, status, was = s.n_play, rows = 0, far = far_end(s.n_relations)
    cdef bint changed = False
    s.n_play = s.n_unyielding = 0
    for i in range(s.n_relations):
        if i < far:
            fetch_modes(s, i)
        r = &s.relation[i]
        if starts and r.present:
            begin(s, r, starts == 2)
        if not r.m or r.held:  # absent, or without rows to solve
            continue
        form = r.form
        if form.activation != NULL and not (only_add and r.in_play):
            form.activation(r.activation_in, form.activation_out)
            r.mode[0] = form.mode_next[0]
        r.in_play = form.always or r.mode[0] > 0
        if r.in_play:
            if s.n_play >= was or s.play[s.n_play] != i:
                changed = True
                s.play[s.n_play] = i
            if changed:
                r.row = rows
                memcpy(s.cone + rows, form.cone, r.m * sizeof(int))
            if form.n_bounds:
                status = limit(s, r, i, failure)
                if status:
                    return status
                s.n_unyielding += r.unyielding
            rows += r.m
            s.n_play += 1
        else:
            for j in range(r.m):
                r.multiplier[j] = 0.0
                r.guess[j] = 0.0
    s.n_rows = rows
    if changed or s.n_play != was:
        s.assembled = 0
        s.laid_out = 0
        s.stale = 1
        for i in range(s.n_relations):
            r = &s.relation[i]
            for j in range(r.form.n_coupling if r.present else 0):
                s.group[r.attached[r.coupling[j].row].group].changed = s.refactor = 1
    return 0


cdef inline void fetch_modes(const Stage *s, int i) noexcept nogil:
    """Ask for what the relations ahead will read."""
    cdef const BoundRelation *r = &s.relation[i + FAR]
    fetch(r, HOT)
    r = &s.relation[i + NEAR]
    fetch(r.activation_in, OF_MODES)
    nsd_fetch(r.guess)
    nsd_fetch(r.multiplier)


cdef inline void begin(const Stage *s, BoundRelation *r, bint again) noexcept nogil:
    """The multipliers that a relation starts from; ``again`` those that the same step started from before."""
    cdef int j
    if r.form.level != PER_RUN:
        r.linearized = 0
    for j in range(r.m):
        if again:
            r.multiplier[j] = r.guess[j]
        r.guess[j] = r.multiplier[j]
        if not s.affine:
            r.weight[j] = 0.0
        elif not r.held:
            r.multiplier[j] = 0.0  # an affine problem is solved from zero, without rounding of A lambda


cdef inline int limit(Stage *s, BoundRelation *r, int item, Failure *failure) noexcept nogil:
    """What bounds the multipliers of a relation in this step; 0 or EMPTY_BOX."""
    cdef const RelationForm *form = r.form
    cdef int j
    if r.bounded and form.bounds_level == PER_RUN:
        return 0
    call(&r.limits)
    for j in range(form.n_bounds):
        r.bound[form.bounds_at[j]] = form.bounds[j]
    r.unyielding = 0
    for j in range(r.m):
        r.unyielding |= form.cone[j] > BOX and form.cone[j] != TRACED and r.bound[2 * j] >= NO_SLIP
        if form.cone[j] == BOX and empty_box(item, j, r.bound + 2 * j, failure):
            return EMPTY_BOX
    r.bounded = 1
    s.rebound = 1
    return 0


cdef void forget_multipliers(Stage *s) noexcept nogil:
    cdef int i
    for i in range(s.n_relations):
        if s.relation[i].present:
            memset(s.relation[i].multiplier, 0, s.relation[i].m * sizeof(double))
