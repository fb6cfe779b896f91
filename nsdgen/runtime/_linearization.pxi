"""Linearisation of a stage: R - rho, y, what of their derivatives is out of date, factors of W.

What did not change since it was computed is not computed again: every block knows how
often it can change (its level), a factorisation is redone when its group changed, X where the bits of a
derivative did.
"""


cdef inline bint spread_entries(int nnz, const double *values, double *dense, const int *entry) noexcept nogil:
    """Put the nonzeros a kernel wrote into their places among all entries; whether bits have changed."""
    cdef const uint64_t *value = <const uint64_t *>values
    cdef uint64_t *place
    cdef uint64_t changed = 0
    cdef int k
    for k in range(nnz):
        place = <uint64_t *>dense + entry[k]
        changed |= place[0] ^ value[k]
        place[0] = value[k]
    return changed != 0


cdef void spread_block(const Block *block) noexcept nogil:
    if block.entry != NULL:
        spread_entries(block.nnz, block.value, block.dense, block.entry)


cdef int linearize(Stage *s, Failure *failure) noexcept nogil:
    """Evaluate residuals, outputs and whatever of their derivatives is out of date; factor W."""
    cdef bint at_zero = s.affine and not s.moved  # multipliers are zero, and so are reactions that vanish with them
    cdef bint once = at_zero and s.separable
    cdef int status
    linearize_systems(s)
    if not once:
        linearize_relations(s, at_zero)
    status = factor(s, failure)
    if status:
        return status
    free_move(s)
    s.rows_known = once and (s.laid_out or not s.sparse or s.piled)
    if s.rows_known:
        linearize_rows(s)
    elif once:
        linearize_relations(s, at_zero)
    return 0


cdef void linearize_systems(Stage *s) noexcept nogil:
    """R of all systems; dR/dw where it may have changed."""
    cdef BoundSystem *system
    cdef int i, far = far_end(s.n_systems)
    for i in range(s.n_systems):
        if i < far:
            fetch_system(s, i)
        system = &s.system[i]
        if not system.present:
            continue
        if system.form.level == PER_ITERATION or not system.linearized:
            call(&system.linearize)
            spread_block(&system.matrix)
            system.linearized = 1
            s.group[system.group].changed = s.refactor = 1
        else:
            invoke(system.form.evaluate, &system.evaluate)


cdef void linearize_relations(Stage *s, bint at_zero) noexcept nogil:
    """y of the relations in play, and what changed of their derivatives; R - rho."""
    cdef BoundRelation *r
    cdef const Attachment *at
    cdef const double *rho
    cdef int i, j, k
    for i in range(s.n_relations):
        r = &s.relation[i]
        if not r.present or not (r.in_play or not r.vanishes):
            continue
        linearize_relation(s, i)
        for k in range(0 if at_zero and r.vanishes else r.n_attached):  # R - rho
            at = &r.attached[k]
            rho = reaction(at)
            for j in range(at.n):
                at.rhs[j] -= rho[j]


cdef inline void linearize_relation(Stage *s, int index) noexcept nogil:
    """y and the reactions of a relation, and their derivatives where these may have changed."""
    cdef BoundRelation *r = &s.relation[index]
    cdef const RelationForm *form = r.form
    if form.level == PER_ITERATION or not r.linearized:
        invoke(form.linearize, &r.linearize)
        take_blocks(s, r, index)
    else:
        invoke(form.evaluate, &r.evaluate)
    if form.output != NULL:
        copy(r.output, form.output, r.m)


cdef void linearize_rows(Stage *s) noexcept nogil:
    """The same where reactions are zero, X and the rows of b and z with it: what a relation has is read once."""
    cdef BoundRelation *r
    cdef int p, far = far_end(s.n_play)
    for p in range(s.n_play):
        if p < far:
            fetch_rows(s, p)
        r = &s.relation[s.play[p]]
        linearize_relation(s, s.play[p])
        if not r.solved:
            solve_columns(s, r)
        if not s.piled:
            take_rows(s, r, True)
    s.stale = s.n_news = 0


cdef inline void fetch_rows(const Stage *s, int p) noexcept nogil:
    """Ask for what the relations ahead will read."""
    cdef const BoundRelation *r = &s.relation[s.play[p + FAR]]
    cdef int k
    fetch(r, HOT)
    r = &s.relation[s.play[p + NEAR]]
    fetch(r.attached, r.form.at_hand)
    r = &s.relation[s.play[p + SOON]]
    for k in range(r.n_attached):
        nsd_fetch(r.attached[k].rhs)


cdef inline void take_blocks(Stage *s, BoundRelation *r, int index) noexcept nogil:
    """The derivatives that were just written; what follows from them is computed anew where they changed."""
    cdef const RelationForm *form = r.form
    cdef int k
    for k in range(form.n_coupling):
        spread_block(&r.coupling[k].block)
        s.group[r.attached[r.coupling[k].row].group].changed = s.refactor = 1
    r.linearized = 1
    if spread_entries(form.nnz, form.value, r.dense, form.entry) and r.solved:
        r.solved = 0
        s.news[s.n_news] = index
        s.n_news += 1


cdef int evaluate(Stage *s, Failure *failure) noexcept nogil:
    cdef int status = evaluate_systems(s, failure)
    return status if status else evaluate_relations(s, failure)


cdef int evaluate_systems(Stage *s, Failure *failure) noexcept nogil:
    cdef int i
    for i in range(s.n_systems):
        if s.system[i].present:
            invoke(s.system[i].form.evaluate, &s.system[i].evaluate)
    return 0


cdef int evaluate_relations(Stage *s, Failure *failure) noexcept nogil:
    """Evaluate residuals, outputs and reactions only."""
    cdef int i
    for i in range(s.n_relations):
        if s.relation[i].present and (s.relation[i].in_play or not s.relation[i].vanishes):
            invoke(s.relation[i].form.evaluate, &s.relation[i].evaluate)
    return 0


cdef int factor(Stage *s, Failure *failure) noexcept nogil:
    """Assemble and factor W of the groups that changed; where unknowns stand in the one-step problem it does both."""
    cdef Group *g
    cdef int i, k, status
    choose_augmented(s)
    for i in range(s.n_groups if s.refactor else 0):
        g = &s.group[i]
        if not g.changed:
            continue
        s.stale = 1
        if g.augmented:
            gather(s, g, True)
            s.assembled = 0
        elif not factor_dense(s, g):
            status = factor_sparse(s, g, failure)
            if status:
                return status
        g.changed = 0
        for k in range(g.n_links):
            s.relation[g.link_relation[k]].solved = 0
    s.refactor = 0
    # More unknowns than rows that could determine them: singular whatever is in play.
    return undetermined(s, failure) if s.n_border > s.n_rows else 0


cdef int factor_sparse(Stage *s, Group *g, Failure *failure) noexcept nogil:
    """Sparse factors of W; 0 or a FailureCode, with the name of an unknown."""
    cdef int status = coupled_factor(s, g, failure)
    if status:
        name_column(s, g, coupled_column_at_fault(g), failure)
        failure.detail = status != NOT_FINITE  # what makes them different from the other failures
    return status


cdef int condense(Stage *s, Failure *failure) noexcept nogil:
    """Take unknowns out of the one-step problem, for the rest of a step: W^-1 (R - rho) in their groups; 0 or a
    FailureCode."""
    cdef int i, status
    for i in range(s.n_groups):
        if s.group[i].augmented:
            status = factor_sparse(s, &s.group[i], failure)
            if status:
                return status
            coupled_free_move(&s.group[i])
    refuse_augmented(s)
    return undetermined(s, failure) if s.n_border > s.n_rows else 0


cdef bint factor_dense(Stage *s, Group *g) noexcept nogil:
    """Whether W is small and regular: then it has dense factors, else it is left to sparse ones."""
    if g.matrix == NULL:
        return False
    gather(s, g, False)
    g.diagonal = is_diagonal(g.n, g.matrix)
    if g.tree != NULL:
        g.tree.held = tree_factor(g.tree, g.matrix)
    g.sparse = not (g.tree != NULL and g.tree.held) and lu_factor(g.n, g.matrix, g.pivot) != 0
    if not g.sparse and g.n_border:
        s.n_border -= g.n_border
        g.n_border = 0
        s.assembled = s.laid_out = 0
    return not g.sparse


cdef bint is_diagonal(int n, const double *matrix) noexcept nogil:
    cdef int i, j
    for i in range(n):
        for j in range(n):
            if i != j and matrix[i * n + j] != 0.0:
                return False
    return True


cdef int undetermined(Stage *s, Failure *failure) noexcept nogil:
    """SINGULAR, with the name of an unknown that neither W nor the relations determine."""
    cdef int i
    failure.code = SINGULAR
    for i in range(s.n_groups):
        if s.group[i].n_border:
            name_column(s, &s.group[i], s.group[i].coupled.lu.pivot_column[s.group[i].coupled.lu.rank], failure)
            break
    return SINGULAR


cdef void name_column(Stage *s, Group *g, int column, Failure *failure) noexcept nogil:
    """The system and its unknown that a column of W of a group belongs to."""
    cdef BoundSystem *system
    cdef int i
    for i in range(g.n_systems):
        system = &s.system[g.systems[i]]
        if system.offset <= column < system.offset + system.n:
            failure.item = g.systems[i]
            failure.row = column - system.offset
            failure.detail = 0


cdef void gather(Stage *s, Group *g, bint sparse) noexcept nogil:
    """W of a group, for ``sparse`` factors or dense ones: the systems' dR/dw less the relations' drho/dw."""
    cdef BoundSystem *system
    cdef BoundRelation *r
    cdef int i, k, a
    if sparse:
        sparse_lu_clear(&g.coupled.lu)
    elif g.n_systems == 1 and not any_coupling(s, g):
        system = &s.system[g.systems[0]]
        memcpy(g.matrix, system.matrix.dense, g.n * g.n * sizeof(double))
        return
    else:
        memset(g.matrix, 0, g.n * g.n * sizeof(double))
    for i in range(g.n_systems):
        system = &s.system[g.systems[i]]
        add_block(g, sparse, system.offset, system.offset, &system.matrix, 1.0)
    for k in range(g.n_links):
        r = &s.relation[g.link_relation[k]]
        if not (r.in_play or not r.vanishes):
            continue
        for a in range(r.form.n_coupling):  # each block once, with the participant whose rows it has
            if r.coupling[a].row == g.link_attached[k]:
                add_block(g, sparse, r.attached[r.coupling[a].row].offset, r.attached[r.coupling[a].col].offset,
                          &r.coupling[a].block, -1.0)


cdef bint any_coupling(Stage *s, Group *g) noexcept nogil:
    cdef int k
    for k in range(g.n_links):
        if s.relation[g.link_relation[k]].form.n_coupling:
            return True
    return False


cdef void add_block(Group *g, bint sparse, int row, int col, const Block *block, double factor_) noexcept nogil:
    cdef int i, j
    for i in range(block.nnz if sparse else 0):
        g.coupled.lu.value[block.place[i]] += factor_ * block.value[i]
    for i in range(0 if sparse else block.rows):
        for j in range(block.cols):
            g.matrix[(row + i) * g.n + col + j] += factor_ * block.dense[i * block.cols + j]
