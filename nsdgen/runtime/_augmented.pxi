"""Unknowns that stand in the one-step problem beside the multipliers.

Where relations act all along a large group of systems, A = y_lambda + y_w W^-1 rho_lambda is full although W is sparse.
Then nothing is eliminated: the unknowns d = dw of the group are free multipliers of equality rows of their own,

    0 = W d - rho_lambda (lambda - lambda^tau) + (R - rho)
    y = y^tau + y_w d + y_lambda (lambda - lambda^tau),

the augmented system, whose blocks are those of W and of each relation. It is solved by factors that exchange rows and columns
(``solvers/interaction/_augmented_rows.pxi``). What it cannot solve, or not solve alone, is condensed to A all the same, which
knows what to say of rows that depend on each other and of unknowns that nothing determines.
"""

cdef enum:
    MOST_CONDENSED = 32  # rows on one group: up to here A is small, and as quick


# ------------------------------------------------------------------------------- pattern


cdef int augmented_pattern(Stage *s, Group *g) noexcept nogil:
    cdef Coupled *c = g.coupled
    cdef int count = c.lu.start[g.n], j, e, k, next
    if resize_ints(count, &c.row_column, &c.row_entry) or resize_ints(g.n + 1, &c.row_start, &c.own, &c.meets_start):
        return -1
    memset(c.row_start, 0, (g.n + 1) * sizeof(int))
    for e in range(count):
        c.row_start[c.lu.row[e] + 1] += 1
    for j in range(g.n):
        c.row_start[j + 1] += c.row_start[j]
        c.own[j] = -1
    for j in range(g.n):
        for e in range(c.lu.start[j], c.lu.start[j + 1]):
            next = c.row_start[c.lu.row[e]]
            c.row_start[c.lu.row[e]] += 1
            c.row_column[next], c.row_entry[next] = j, e
            if c.lu.row[e] == j:
                c.own[j] = e
    step_back(c.row_start, g.n)
    memset(c.meets_start, 0, (g.n + 1) * sizeof(int))
    for k in range(g.n_seen):
        note_meetings(s, g, k, NULL)
    for j in range(g.n):
        c.meets_start[j + 1] += c.meets_start[j]
    if resize_ints(c.meets_start[g.n], &c.meets):
        return -1
    for k in range(g.n_seen):
        note_meetings(s, g, k, c.meets)
    step_back(c.meets_start, g.n)
    return 0


cdef void step_back(int *start, int n) noexcept nogil:
    """Where pieces begin, from where they end: each was moved on by what was put into it."""
    cdef int j
    for j in range(n, 0, -1):
        start[j] = start[j - 1]
    start[0] = 0


cdef void note_meetings(Stage *s, Group *g, int k, int *meets) noexcept nogil:
    """Count the unknowns that a link meets, one place further on, or put the link into their lists."""
    cdef const Attachment *at = &s.relation[g.link_relation[g.seen[k]]].attached[g.link_attached[g.seen[k]]]
    cdef int *start = g.coupled.meets_start
    cdef int j
    for j in range(at.n):
        if not (has_entry(&at.shape.output_x, at.shape.output_x.col, j)
                or has_entry(&at.shape.reaction_lambda, at.shape.reaction_lambda.row, j)):
            continue
        if meets == NULL:
            start[at.offset + j + 1] += 1
        else:
            meets[start[at.offset + j]] = g.seen[k]
            start[at.offset + j] += 1


cdef bint has_entry(const Block *b, const int32_t *numbers, int number) noexcept nogil:
    """Whether a block has an entry in a row or a column, those of entries being ``numbers``; a full one has all."""
    cdef int e
    if b.row == NULL:
        return b.nnz > 0
    for e in range(b.nnz):
        if numbers[e] == number:
            return True
    return False


# -------------------------------------------------------------------------------- choice


cdef void choose_augmented(Stage *s) noexcept nogil:
    """Which groups keep their unknowns in the problem of the relations in play, before it is laid out."""
    cdef Group *g
    cdef int i
    if s.augmented == NULL or s.laid_out:
        return
    s.augmented.rows = 0
    for i in range(s.n_groups):
        g = &s.group[i]
        if g.may_augment:
            set_augmented(s, g, not s.augmented.refused and rows_on(s, g) > MOST_CONDENSED)
            s.augmented.rows += g.n if g.augmented else 0


cdef int rows_on(const Stage *s, const Group *g) noexcept nogil:
    """How many rows in play meet on a group."""
    cdef const BoundRelation *r
    cdef int k, last = -1, rows = 0
    for k in range(g.n_seen):
        if g.link_relation[g.seen[k]] != last:  # a relation between two of its systems counts once
            last = g.link_relation[g.seen[k]]
            r = &s.relation[last]
            rows += r.m if r.in_play else 0
    return rows


cdef void set_augmented(Stage *s, Group *g, bint augmented) noexcept nogil:
    if g.augmented == augmented:
        return
    g.augmented = augmented
    g.changed = s.refactor = 1
    if augmented:
        s.n_border -= g.n_border
        g.n_border = 0


cdef void refuse_augmented(Stage *s) noexcept nogil:
    """No group does, for the rest of this step."""
    cdef int i
    for i in range(s.n_groups):
        s.group[i].augmented = 0
    s.augmented.rows = 0
    s.augmented.refused = 1
    s.assembled = s.laid_out = s.rows_known = 0


# --------------------------------------------------------------------------------- graph


cdef int unknown_number(const Stage *s, int member) noexcept nogil:
    """The number of the unknown that is this member of the graph, -1 where it is a relation or a border."""
    member -= s.n_relations + s.n_groups
    return member if member >= 0 else -1


cdef inline int visit(const Stage *s, int q, int stamp, int *found, int count) noexcept nogil:
    """Count a node unless the stamp has seen it."""
    if q >= 0 and s.slot[q] != <size_t> stamp:
        s.slot[q] = stamp
        if found != NULL:
            found[count] = q
        count += 1
    return count


cdef int meet_unknowns(const Stage *s, const Group *g, const Attachment *at, int stamp, int *found, int count) noexcept nogil:
    """The nodes of the unknowns that a participant sees or acts on, those without the stamp; how many are found
    then."""
    cdef int first = g.node + at.offset
    count = meet_block(s, &at.shape.output_x, at.shape.output_x.col, first, at.n, stamp, found, count)
    return meet_block(s, &at.shape.reaction_lambda, at.shape.reaction_lambda.row, first, at.n, stamp, found, count)


cdef int meet_block(const Stage *s, const Block *b, const int32_t *index, int first, int n, int stamp, int *found,
                    int count) noexcept nogil:
    """The unknowns of one of the two blocks, by the index of its entries, all ``n`` where it is dense."""
    cdef int e
    for e in range(b.nnz if b.row != NULL else n if b.nnz else 0):
        count = visit(s, first + (index[e] if b.row != NULL else e), stamp, found, count)
    return count


cdef int meet_around(const Stage *s, int number, int stamp, int *found, int count) noexcept nogil:
    """The nodes beside an unknown: those of its row of W, and relations."""
    cdef const Group *g = &s.group[s.augmented.group[number]]
    cdef const Coupled *c = g.coupled
    cdef int e, j = number - g.first
    for e in range(c.row_start[j], c.row_start[j + 1]):
        count = visit(s, g.node + c.row_column[e], stamp, found, count)
    for e in range(c.meets_start[j], c.meets_start[j + 1]):
        count = visit(s, s.node[g.link_relation[c.meets[e]]], stamp, found, count)
    return count


# ------------------------------------------------------------------------------ assembly


cdef void assemble_in_unknowns(Stage *s, const BoundRelation *r, const Attachment *at, const Group *g) noexcept nogil:
    """y_w of one participant; ``slot`` says where blocks begin. ``diagonal`` gets what each row has on that of A,
    nearly."""
    cdef const Block *b = &at.shape.output_x
    cdef const double *y_w = output_x(at)
    cdef const double *rho_lambda = reaction_lambda(at)
    cdef double pivot
    cdef int e, i, j
    for e in range(b.nnz):
        i = e // b.cols if b.row == NULL else b.row[e]
        j = e % b.cols if b.row == NULL else b.col[e]
        s.graph.value[s.slot[g.node + at.offset + j] + i] += y_w[i * at.n + j]
        pivot = own_entry(g, at.offset + j)
        if pivot != 0:
            s.diagonal[r.row + i] += y_w[i * at.n + j] * rho_lambda[j * r.m + i] / pivot


cdef inline double own_entry(const Group *g, int j) noexcept nogil:
    """The entry of W on the diagonal."""
    return g.coupled.lu.value[g.coupled.own[j]] if g.coupled.own[j] >= 0 else 0.0


cdef void assemble_unknown(Stage *s, int number) noexcept nogil:
    """The row of an unknown: W and -rho_lambda."""
    cdef const Group *g = &s.group[s.augmented.group[number]]
    cdef const Coupled *c = g.coupled
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef const double *rho_lambda
    cdef double *block
    cdef int e, i, j = number - g.first
    for e in range(c.row_start[j], c.row_start[j + 1]):
        s.graph.value[s.slot[g.node + c.row_column[e]]] = c.lu.value[c.row_entry[e]]
    for e in range(c.meets_start[j], c.meets_start[j + 1]):
        r = &s.relation[g.link_relation[c.meets[e]]]
        if s.node[g.link_relation[c.meets[e]]] < 0:
            continue
        at = &r.attached[g.link_attached[c.meets[e]]]
        rho_lambda = reaction_lambda(at) + (j - at.offset) * r.m
        block = s.graph.value + s.slot[s.node[g.link_relation[c.meets[e]]]]
        for i in range(r.m):
            block[i] -= rho_lambda[i]
    s.diagonal[g.border + j] = own_entry(g, j)


cdef void take_unknowns(Stage *s) noexcept nogil:
    """b = R - rho in the rows of unknowns, and their guess: that they do not move."""
    cdef const Group *g
    cdef int i
    for i in range(s.n_groups):
        g = &s.group[i]
        if g.augmented:
            memcpy(s.b + g.border, g.rhs, g.n * sizeof(double))
            memset(s.z + g.border, 0, g.n * sizeof(double))
