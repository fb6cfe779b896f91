"""Shares of what several rows hold while the motion goes on: the least of all that lie within the bounds of each.

Rows of a stage of rates are zero whatever holds them. Where they depend on each other the least norm of all multipliers
may be beyond the bound of one while others bear more. Where none are within bounds nothing carries the motion on, and those
that give way are as little beyond their bounds as can be: zeros of what is left of them are the instants at which they do.
"""


cdef void share_within_bounds(Stage *s) noexcept nogil:
    """Replace the multipliers of a stage that was solved just now, move what they move, and count those that are open."""
    cdef BoundRelation *r
    cdef Share *bound
    cdef double *A = s.A
    cdef int p, i, m = 0, found
    if s.n_rows == 0 or (s.n_rows == 1 and s.diagonal[0] != 0.0) or s.n_border or (s.augmented != NULL and s.augmented.rows):
        return
    for p in range(s.n_play):
        m += 2 * s.relation[s.play[p]].m if s.relation[s.play[p]].form.shared != NULL else 0
    if m == 0:
        return
    bound = <Share *> malloc(m * sizeof(Share) + (<size_t> s.n_rows * s.n_rows * sizeof(double) if s.sparse else 0))
    if bound == NULL:
        return
    if s.sparse:
        A = <double *> (bound + m)
        dense_rows(&s.graph, 0, s.graph.n, A)
    m = 0
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        i = 0
        while i < r.m and r.form.shared != NULL:
            m += _bounds_of_block(r, i, bound + m)
            i += block_height(r.form.shared[i])
    found = bounded_shares(s.n_rows, A, s.z, m, bound)
    free(bound)
    if found < 0:
        return
    s.info.rank_deficiency = found
    forget_move(s)
    apply_move(s)  # what rows do not see may still move systems


cdef int _bounds_of_block(const BoundRelation *r, int i, Share *bound) noexcept nogil:
    """The bounds of the rows of a cone, at most two for each row; how many."""
    cdef int cone = r.form.shared[i], d = block_height(cone), size = 1 if d == 2 else 2, row = r.row + i, made = 0, k, side
    cdef bint borne = False
    cdef const double *limit = r.bound + 2 * i
    if cone == EQUALITY:
        return 0
    for side in range(2 if cone == BOX else 0):
        if fabs(limit[side]) < NO_SLIP:
            bound[made].constant = limit[1] if side else -limit[0]
            bound[made].size = fabs(limit[side]) + (fabs(limit[1 - side]) if fabs(limit[1 - side]) < NO_SLIP else 0.0)
            bound[made].load, bound[made].width, bound[made].row, bound[made].sign = -1, 1, row, (1.0 if side else -1.0)
            made += 1
    if cone == BOX:
        return made
    for k in range((d - 1) // size):
        for side in range(2 if size == 1 else 1):
            if limit[k] < NO_SLIP:
                bound[made].constant, bound[made].slope, bound[made].load = 0.0, limit[k], row
                bound[made].width, bound[made].row, bound[made].sign = size, row + 1 + k * size, 1.0 - 2.0 * side
                made += 1
                borne = borne or limit[k] > 0.0
    if not borne:  # a disk is a bound of its load, too
        bound[made].constant, bound[made].slope, bound[made].load, bound[made].width, bound[made].row = 0.0, 1.0, row, 0, row
        made += 1
    return made
