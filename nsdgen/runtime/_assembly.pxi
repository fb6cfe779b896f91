"""Assembly of the one-step problem y = A lambda + b of a stage, and the moves that its solution makes.

With W = dR/dw - drho/dw, one Newton iteration solves
W dw - rho_lambda dlambda = -(R - rho) and y + y_w dw + y_lambda dlambda in the laws;
eliminating dw gives y = A lambda + b with A = y_lambda + y_w W^-1 rho_lambda and
b = y - y_w W^-1 (R - rho) - A lambda^tau (design, section 3).

A is assembled again when one of its blocks or the set of relations in play changed.
"""


cdef inline void invoke(nsdgen_call kernel, const Arguments *of) noexcept nogil:
    """Call a kernel of a class, if it has one, with the arguments of an instance."""
    if kernel != NULL:
        kernel(of.in_, of.out)

cdef inline void copy(double *target, const double *source, int n) noexcept nogil:
    """Copy a few doubles: for one to ten of them a loop is faster than a call of memcpy."""
    cdef int i
    for i in range(n):
        target[i] = source[i]


cdef void free_move(Stage *s) noexcept nogil:
    """The Newton step without multipliers: rhs = W^-1 (R - rho) in every group."""
    cdef Group *g
    cdef int i, far = far_end(s.n_groups)
    for i in range(s.n_groups):
        if i < far:
            nsd_fetch(&s.group[i + FAR])
            nsd_fetch(s.group[i + NEAR].rhs)
            nsd_fetch(s.group[i + NEAR].matrix)
        g = &s.group[i]
        if g.augmented:
            continue
        if g.sparse:
            coupled_free_move(g)
        elif g.n == 1:
            g.rhs[0] /= g.matrix[0]
        else:
            dense_solve(g, g.rhs, 1)


cdef inline void dense_solve(const Group *g, double *b, int columns) noexcept nogil:
    if g.tree != NULL and g.tree.held:
        tree_solve(g.tree, b, columns)
    else:
        lu_solve(g.n, g.matrix, g.pivot, b, columns)


cdef inline void divide_rows(const Group *g, int columns, const double *b, double *x) noexcept nogil:
    """W^-1 b of a diagonal W."""
    cdef int i, j
    for i in range(g.n):
        for j in range(columns):
            x[i * columns + j] = b[i * columns + j] / g.matrix[i * (g.n + 1)]


cdef void solve_columns(Stage *s, BoundRelation *r) noexcept nogil:
    """X = W^-1 B for every participant of a relation."""
    cdef Attachment *at
    cdef Group *g
    cdef int k, index
    for k in range(r.n_attached):
        at = &r.attached[k]
        g = &s.group[at.group]
        if g.sparse:
            continue
        if g.diagonal and at.n == g.n:
            if r.m == 3:  # where the number is given the compiler writes loops out
                divide_rows(g, 3, reaction_lambda(at), solved(at))
            else:
                divide_rows(g, r.m, reaction_lambda(at), solved(at))
            continue
        if at.n != g.n:
            memset(solved(at), 0, g.n * r.m * sizeof(double))
        memcpy(solved(at) + at.offset * r.m, reaction_lambda(at), at.n * r.m * sizeof(double))
        dense_solve(g, solved(at), r.m)
    r.solved = 1
    s.assembled = 0
    index = <int>(r - s.relation)
    if not s.is_renewed[index]:
        s.is_renewed[index] = 1
        s.renewed[s.n_renewed] = index
        s.n_renewed += 1


cdef void solve_news(Stage *s) noexcept nogil:
    """X of the relations in play for which it is not known."""
    cdef BoundRelation *r
    cdef int k
    for k in range(s.n_play if s.stale else s.n_news):
        r = &s.relation[s.play[k] if s.stale else s.news[k]]
        if r.in_play and not r.solved:
            solve_columns(s, r)
    s.stale = s.n_news = 0


cdef int assemble(Stage *s, bint first) noexcept nogil:
    """A (where out of date) and b of the relations in play.

    0, -1 without memory, 1 where unknowns that W does not determine meet no relation in play.
    """
    cdef BoundRelation *r
    cdef int p, i, status
    solve_news(s)
    if not s.assembled:
        if s.sparse:
            status = assemble_graph(s)
            if status:
                return status
        else:
            assemble_dense(s)
        s.assembled = 1
        for i in range(s.n_renewed):
            s.is_renewed[s.renewed[i]] = 0
        s.n_renewed = 0
    for p in range(0 if s.rows_known else s.n_play):
        take_rows(s, &s.relation[s.play[p]], first)
    s.rows_known = 0
    for p in range(s.n_play if s.sparse and s.rebound else 0):
        r = &s.relation[s.play[p]]
        memcpy(s.graph.bound + 2 * r.row, r.bound, 2 * r.m * sizeof(double))
    s.rebound = 0
    for i in range(s.n_groups if s.n_border else 0):
        if s.group[i].n_border:
            memcpy(s.b + s.group[i].border, s.group[i].coupled.left, s.group[i].n_border * sizeof(double))
            memset(s.z + s.group[i].border, 0, s.group[i].n_border * sizeof(double))
    if s.augmented != NULL:
        take_unknowns(s)
    if s.affine and not s.moved:  # solved from lambda = 0
        return 0
    if s.sparse:
        subtract_products(s)
        return 0
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        for i in range(r.m):
            if r.multiplier[i] != 0:
                subtract_column(s, r.row + i, r.multiplier[i])
    return 0


cdef void assemble_dense(Stage *s) noexcept nogil:
    """A of a small problem: the rows of the relations in play, then those of singular groups."""
    cdef const BoundRelation *r
    cdef Group *g
    cdef int i, p, n = s.n_rows + s.n_border, row = s.n_rows
    memset(s.A, 0, n * n * sizeof(double))
    for i in range(s.n_groups if s.n_border else 0):
        g = &s.group[i]
        g.border = row
        row += g.n_border
        for p in range(g.n_seen if g.n_border else 0):
            r = &s.relation[g.link_relation[g.seen[p]]]
            if r.in_play:
                coupled_columns(g, r, g.seen[p], s.A + g.border * n + r.row, n)
    for i in range(s.n_rows, n):
        s.cone[i] = EQUALITY
    for p in range(s.n_play):
        assemble_columns(s, &s.relation[s.play[p]])
        assemble_rows(s, &s.relation[s.play[p]])
    for i in range(s.n_rows):
        s.diagonal[i] = s.A[i * (n + 1)]


cdef void assemble_rows(Stage *s, BoundRelation *r) noexcept nogil:
    """The rows of A of one relation as far as it acts on groups with a sparse W."""
    cdef BoundRelation *other
    cdef Group *g
    cdef double *row
    cdef int i, k, q
    for k in range(r.n_attached):
        g = &s.group[r.attached[k].group]
        for i in range(r.m if g.sparse and r.attached[k].shape.output_x.nnz else 0):
            row = s.A + (r.row + i) * (s.n_rows + s.n_border)
            coupled_row(g, &r.attached[k], i)
            for q in range(g.n_seen):
                other = &s.relation[g.link_relation[g.seen[q]]]
                if other.in_play:
                    add_row_product(row + other.row, g.coupled.row, &other.attached[g.link_attached[g.seen[q]]])
            for q in range(g.n_border):
                row[g.border + q] += g.coupled.left_row[q]


cdef void assemble_columns(Stage *s, BoundRelation *r) noexcept nogil:
    """The columns of A that belong to the multipliers of one relation."""
    cdef BoundRelation *other
    cdef Attachment *at
    cdef Attachment *theirs
    cdef Group *g
    cdef int i, j, k, q, n = s.n_rows + s.n_border
    for i in range(r.m):
        for j in range(r.m):
            s.A[(r.row + i) * n + r.row + j] = r.output_lambda[i * r.m + j]
    for k in range(r.n_attached):
        at = &r.attached[k]
        g = &s.group[at.group]
        for q in range(0 if g.sparse else g.n_links):
            other = &s.relation[g.link_relation[q]]
            if other.in_play:
                theirs = &other.attached[g.link_attached[q]]
                nsd_block_product(s.A + other.row * n + r.row, n, output_x(theirs), other.m, theirs.n,
                                  solved(at) + theirs.offset * r.m, r.m)


cdef void take_rows(Stage *s, const BoundRelation *r, bint first) noexcept nogil:
    """b = y - C W^-1 (R - rho) for the rows of one relation, and where z starts."""
    cdef const Attachment *at
    cdef int k
    copy(s.b + r.row, r.output, r.m)
    for k in range(r.n_attached):
        at = &r.attached[k]
        if s.augmented != NULL and s.group[at.group].augmented:  # there rhs is R - rho as it stands
            continue
        nsd_block_subtract_all(r.m, at.n, output_x(at), at.rhs, s.b + r.row)
    copy(s.z + r.row, r.guess if first else r.multiplier, r.m)


cdef void subtract_column(Stage *s, int column, double value) noexcept nogil:
    cdef int i, n = s.n_rows + s.n_border
    for i in range(n):
        s.b[i] -= s.A[i * n + column] * value


cdef void forget_move(Stage *s) noexcept nogil:
    """Nothing moves the unknowns but what multipliers change by next: the last move is made."""
    cdef Group *g
    cdef int i
    for i in range(s.n_groups):
        g = &s.group[i]
        memset(g.rhs, 0, g.n * sizeof(double))
        if g.sparse:
            memset(g.coupled.residual, 0, g.n * sizeof(double))
            g.pushed = 0


cdef void apply_move(Stage *s) noexcept nogil:
    """w -= W^-1 (R - rho) and w += W^-1 B (z - lambda), lambda := z."""
    cdef BoundSystem *system
    cdef Group *g
    cdef double total = 0.0  # zero where all unknowns are finite
    cdef int i, j, p, far = far_end(s.n_play)
    s.moved = 1
    for p in range(0 if s.piled else s.n_play):
        if p < far:
            fetch_move(s, p)
        move_multipliers(s, &s.relation[s.play[p]])
    for i in range(s.n_groups if s.has_coupled else 0):
        g = &s.group[i]
        if g.augmented:
            for j in range(g.n):
                g.rhs[j] = -s.z[g.border + j]
        elif g.sparse:
            coupled_apply(g, s.z + g.border)
    far = far_end(s.n_systems)
    for i in range(s.n_systems):
        if i < far:
            fetch_system(s, i)
        system = &s.system[i]
        if system.present:
            for j in range(system.n):
                system.unknown[j] -= system.residual[j]
                total += system.unknown[j] - system.unknown[j]
    s.finite = total == 0.0


cdef inline void fetch_move(const Stage *s, int p) noexcept nogil:
    """Ask for what the relations ahead will read."""
    cdef const BoundRelation *r = &s.relation[s.play[p + FAR]]
    cdef int k
    nsd_fetch(r)
    r = &s.relation[s.play[p + NEAR]]
    nsd_fetch(r.multiplier)
    fetch(r.attached, r.form.to_move)
    r = &s.relation[s.play[p + SOON]]
    for k in range(r.n_attached):
        nsd_fetch(r.attached[k].rhs)


cdef inline void move_multipliers(Stage *s, BoundRelation *r) noexcept nogil:
    """The multipliers of a relation as they were solved for, and what their change moves: rhs -= X dlambda."""
    cdef Attachment *at
    cdef Group *g
    cdef double *change = s.scratch
    cdef bint any_change = False
    cdef int i, k
    for i in range(r.m):
        change[i] = s.z[r.row + i] - r.multiplier[i]
        r.multiplier[i] = s.z[r.row + i]
        any_change |= change[i] != 0
    for k in range(r.n_attached if any_change else 0):
        at = &r.attached[k]
        if at.shape.whole and not s.has_coupled:
            nsd_block_subtract(at.n, r.m, solved(at), change, at.rhs)
            continue
        g = &s.group[at.group]
        if not g.sparse:
            nsd_block_subtract(g.n, r.m, solved(at), change, g.rhs)
            continue
        for i in range(0 if g.augmented else r.m):
            if change[i] != 0:
                coupled_push(g, at, i, change[i])
