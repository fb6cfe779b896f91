"""W of a large or singular group of systems: sparse factors, and what they leave to the one-step problem.

Small groups keep a dense W and X = W^-1 B (``_assembly.pxi``). Here W is factored sparsely
(``solvers/linalg/_threshold_lu.pxi``) and X is never formed: a row of A is C_p W^-1 B, one transposed solution for a
row of C_p, and the unknowns move by one more solution with W.

Where W is singular, the unknowns d without a pivot and the rows without one, its *border*, join the
one-step problem, d as free multipliers of equality rows:

    0  = 0 d  - (B2 - W21 W11^-1 B1) dlambda + (r2 - W21 W11^-1 r1)
    y += (C2 - C1 W11^-1 W12) d,             r = R - rho.
"""

cdef enum:
    MOST_ROWS = 32  # of a dense one-step problem, rows of singular groups included

cdef double ROUNDING = 1e-12  # of the largest entry of a row


# ------------------------------------------------------------------------------- pattern


cdef int coupled_pattern(Stage *s, Group *g) noexcept nogil:
    cdef int *row = NULL
    cdef int *column = NULL
    cdef Coupled *c = <Coupled *> calloc(1, sizeof(Coupled))
    cdef int count = _entries(s, g, NULL, NULL), status
    g.coupled = c
    if c == NULL:
        return -1
    s.has_coupled = 1
    sparse_lu_init(&c.lu)
    if (resize_ints(count, &row, &column, &c.place)
            or resize_doubles(g.n, &c.residual, &c.work, &c.column, &c.row, &c.left, &c.left_row)):
        status = -1
    else:
        memset(c.column, 0, g.n * sizeof(double))
        _entries(s, g, row, column)
        status = sparse_lu_pattern(&c.lu, g.n, count, row, column, NULL, c.place)
    free_all(row, column)
    if status:
        coupled_free(g)
    return status


cdef void coupled_free(Group *g) noexcept nogil:
    cdef Coupled *c = g.coupled
    if c == NULL:
        return
    sparse_lu_free(&c.lu)
    free_all(c.place, c.residual, c.work, c.column, c.row, c.left, c.left_row, c.row_start, c.row_column, c.row_entry, c.own,
             c.meets_start, c.meets, c)
    g.coupled = NULL


cdef int _entries(Stage *s, Group *g, int *row, int *column) noexcept nogil:
    """How many nonzeros the blocks of a group have; where they stand, unless ``row`` is NULL."""
    cdef BoundSystem *system
    cdef BoundRelation *r
    cdef int i, k, a, count = 0
    for i in range(g.n_systems):
        system = &s.system[g.systems[i]]
        count = _enter(g, &system.matrix, system.offset, system.offset, row, column, count)
    for k in range(g.n_links):
        r = &s.relation[g.link_relation[k]]
        for a in range(r.form.n_coupling):
            if r.coupling[a].row == g.link_attached[k]:
                count = _enter(g, &r.coupling[a].block, r.attached[r.coupling[a].row].offset,
                               r.attached[r.coupling[a].col].offset, row, column, count)
    return count


cdef int _enter(Group *g, Block *block, int top, int left, int *row, int *column, int count) noexcept nogil:
    cdef int e
    if row != NULL:
        block.place = g.coupled.place + count
        for e in range(block.nnz):
            row[count + e] = top + (e // block.cols if block.row == NULL else block.row[e])
            column[count + e] = left + (e % block.cols if block.row == NULL else block.col[e])
    return count + block.nnz


# ------------------------------------------------------------------------- factorisation


cdef int coupled_factor(Stage *s, Group *g, Failure *failure) noexcept nogil:
    """Assemble and factor W, its pattern first where there is none; 0 or a FailureCode."""
    cdef int status, was = g.n_border
    if g.coupled == NULL and coupled_pattern(s, g):
        failure.code = NO_MEMORY
        return NO_MEMORY
    gather(s, g, True)
    status = sparse_lu_factor(&g.coupled.lu)
    g.n_border = g.n - g.coupled.lu.rank
    if g.n_border != was:
        s.n_border += g.n_border - was
        s.assembled = 0
        s.laid_out = 0
    if status == SPARSE_LU_NO_MEMORY:
        failure.code = NO_MEMORY
    elif status == SPARSE_LU_NONFINITE:
        failure.code = NOT_FINITE
    elif status == SPARSE_LU_INACCURATE:
        failure.code = SINGULAR
    return failure.code if status else 0


cdef int coupled_column_at_fault(const Group *g) noexcept nogil:
    """The column of W to name where it could not be factored."""
    cdef int j, e
    if g.coupled == NULL:
        return 0
    for j in range(g.n):
        for e in range(g.coupled.lu.start[j], g.coupled.lu.start[j + 1]):
            if not isfinite(g.coupled.lu.value[e]):
                return j
    return g.coupled.lu.pivot_column[g.n - 1]


# ------------------------------------------------------------------------------ solution


cdef void coupled_free_move(Group *g) noexcept nogil:
    """rhs, R - rho on entry, becomes W^-1 (R - rho) with d = 0; what is left in the border goes to ``left``."""
    memcpy(g.coupled.residual, g.rhs, g.n * sizeof(double))
    g.pushed = 0
    sparse_lu_forward(&g.coupled.lu, g.coupled.residual, g.coupled.work)
    memcpy(g.coupled.left, g.coupled.work + g.coupled.lu.rank, g.n_border * sizeof(double))
    memset(g.coupled.work + g.coupled.lu.rank, 0, g.n_border * sizeof(double))
    sparse_lu_backward(&g.coupled.lu, g.coupled.work, g.rhs)


cdef void coupled_row(Group *g, const Attachment *at, int i) noexcept nogil:
    """``row`` . B = C_p W^-1 B for row i of the derivative C_p of an output, ``left_row`` its factors of d."""
    memcpy(g.coupled.column + at.offset, output_x(at) + i * at.n, at.n * sizeof(double))
    sparse_lu_forward_transposed(&g.coupled.lu, g.coupled.column, g.coupled.work)
    memset(g.coupled.column + at.offset, 0, at.n * sizeof(double))
    memcpy(g.coupled.left_row, g.coupled.work + g.coupled.lu.rank, g.n_border * sizeof(double))
    sparse_lu_backward_transposed(&g.coupled.lu, g.coupled.work, g.coupled.row)


cdef void coupled_columns(Group *g, const BoundRelation *r, int link, double *block, int stride) noexcept nogil:
    """Subtract what the columns of B of a link leave in the border, B2 - W21 W11^-1 B1, from a block with rows ``stride`` apart."""
    cdef const Attachment *at = &r.attached[g.link_attached[link]]
    cdef int i, j, e
    for i in range(r.m if at.shape.reaction_lambda.nnz else 0):
        for j in range(at.n):
            g.coupled.column[at.offset + j] = reaction_lambda(at)[j * r.m + i]
        sparse_lu_forward(&g.coupled.lu, g.coupled.column, g.coupled.work)
        memset(g.coupled.column + at.offset, 0, at.n * sizeof(double))
        for e in range(g.n_border):
            block[e * stride + i] -= g.coupled.work[g.coupled.lu.rank + e]


cdef void add_row_product(double *target, const double *left, const Attachment *at) noexcept nogil:
    """target += left . B over the nonzeros of B = drho/dlambda of a participant, ``left`` over its group."""
    cdef const Block *b = &at.shape.reaction_lambda
    cdef const double *rho_lambda = reaction_lambda(at)
    cdef int e, i, j
    left += at.offset
    if b.row != NULL:
        for e in range(b.nnz):
            target[b.col[e]] += left[b.row[e]] * rho_lambda[b.row[e] * b.cols + b.col[e]]
        return
    for i in range(b.rows):
        if left[i] != 0:
            for j in range(b.cols):
                target[j] += left[i] * rho_lambda[i * b.cols + j]


cdef void coupled_push(Group *g, const Attachment *at, int i, double change) noexcept nogil:
    """A multiplier changed: r -= B[:, i] change."""
    cdef const Block *b = &at.shape.reaction_lambda
    cdef const double *rho_lambda = reaction_lambda(at)
    cdef int e, j
    g.pushed = 1
    if b.row == NULL:
        for j in range(b.rows):
            g.coupled.residual[at.offset + j] -= rho_lambda[j * b.cols + i] * change
        return
    for e in range(b.nnz):
        if b.col[e] == i:
            g.coupled.residual[at.offset + b.row[e]] -= rho_lambda[b.row[e] * b.cols + i] * change


cdef void coupled_apply(Group *g, const double *d) noexcept nogil:
    """rhs = W^-1 r with the unknowns d of the border (NULL where there are none), negative as moves are."""
    cdef int e
    if not g.pushed and g.n_border == 0:
        return
    sparse_lu_forward(&g.coupled.lu, g.coupled.residual, g.coupled.work)
    for e in range(g.n_border):
        g.coupled.work[g.coupled.lu.rank + e] = -d[e]
    sparse_lu_backward(&g.coupled.lu, g.coupled.work, g.rhs)


# ------------------------------------------------------------------- unknowns left free


cdef bint coupled_is_loose(const Stage *s) noexcept nogil:
    """Whether the solution of the one-step problem leaves an unknown of a border undetermined."""
    return _is_loose_in_graph(s) if s.sparse else _is_loose(s)


cdef bint _is_loose(const Stage *s) noexcept nogil:
    """The columns of the border must be independent of each other and of all others, in the rows that hold."""
    cdef double[MOST_ROWS * MOST_ROWS] a
    cdef int[MOST_ROWS] row
    cdef int i, j, c, best, step = 0, count = 0, n = s.n_rows + s.n_border
    cdef double size, scale, factor_
    for i in range(n):
        if s.y[i] == 0:
            row[count] = i
            count += 1
    for i in range(count):
        scale = 0.0
        for j in range(count):
            scale = fmax(scale, fabs(s.A[row[i] * n + row[j]]))
        for j in range(count):  # the rows of the border come last, and so do its columns
            a[i * count + j] = s.A[row[i] * n + row[j]] / scale if scale > 0 else 0.0
    for c in range(count):
        best, size = step, 0.0
        for i in range(step, count):
            if fabs(a[i * count + c]) > size:
                best, size = i, fabs(a[i * count + c])
        if size <= ROUNDING:
            if row[c] >= s.n_rows:
                return True
            continue
        for j in range(count):
            a[step * count + j], a[best * count + j] = a[best * count + j], a[step * count + j]
        for i in range(step + 1, count):
            factor_ = a[i * count + c] / a[step * count + c]
            for j in range(c, count):
                a[i * count + j] -= factor_ * a[step * count + j]
        step += 1
    return False


cdef bint _is_loose_in_graph(const Stage *s) noexcept nogil:
    """Whether an unknown of a border occurs in none of the rows that hold."""
    cdef const double *block
    cdef int i, e, p, b, k
    cdef bint held
    for i in range(s.n_groups):
        for e in range(s.group[i].n_border):
            held = False
            for p in range(s.graph.n):
                for b in range(s.graph.start[p], s.graph.start[p + 1]):
                    block = s.graph.value + s.graph.place[b]
                    for k in range(s.graph.row[p + 1] - s.graph.row[p] if s.graph.column[b] == s.group[i].node else 0):
                        if block[k * s.group[i].n_border + e] != 0 and s.y[s.graph.row[p] + k] == 0:
                            held = True
            if not held:
                return True
    return False
