# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Linearisation of a stage and assembly of its one-step problem.

With W = dR/dw - drho/dw, one Newton iteration solves
W dw - rho_lambda dlambda = -(R - rho) and y + y_w dw + y_lambda dlambda in the laws;
eliminating dw gives y = A lambda + b with A = y_lambda + y_w W^-1 rho_lambda and
b = y - y_w W^-1 (R - rho) - A lambda^tau (design, section 3).

What did not change since it was computed is not computed again: every block knows how
often it can change (its level), a factorisation is redone when its group changed, A when
one of its blocks or the set of relations in play did.
"""
from libc.math cimport isfinite
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from nsdgen.runtime._coupled cimport (
    add_row_product,
    coupled_apply,
    coupled_column_at_fault,
    coupled_columns,
    coupled_factor,
    coupled_free_move,
    coupled_push,
    coupled_row,
)
from nsdgen.runtime._data cimport (
    NOT_FINITE,
    PER_ITERATION,
    SINGULAR,
    Attachment,
    Block,
    Failure,
    Group,
    BoundRelation,
    Stage,
    BoundSystem,
)
from nsdgen.runtime._interaction_graph cimport assemble_graph, subtract_products
from nsdgen.solvers.linalg._dense_lu cimport lu_factor, lu_solve
from nsdgen.solvers.linalg._small_blocks cimport nsd_block_product, nsd_block_subtract, nsd_block_subtract_all

cdef enum:
    EQUALITY = 0


cdef bint spread(const Block *block) noexcept nogil:
    """Put the nonzeros a kernel wrote into their places of the dense block; whether their bits may have changed."""
    cdef const uint64_t *value = <const uint64_t *>block.value
    cdef uint64_t *place
    cdef uint64_t changed = 0
    cdef int k
    if block.dense == block.value or block.dense == NULL:
        return True
    for k in range(block.nnz):
        place = <uint64_t *>block.dense + block.entry[k]
        changed |= place[0] ^ value[k]
        place[0] = value[k]
    return changed != 0


cdef int linearize(Stage *s, Failure *failure) noexcept nogil:
    """R - rho of all groups, y of the relations in play, what changed of their derivatives, factors of W."""
    cdef BoundSystem *system
    cdef BoundRelation *r
    cdef int i, j, k
    for i in range(s.n_systems):
        system = &s.system[i]
        if not system.present:
            continue
        if system.level == PER_ITERATION or not system.linearized:
            call(&system.linearize)
            spread(&system.matrix)
            system.linearized = 1
            s.group[system.group].changed = 1
        else:
            call(&system.evaluate)
    for i in range(s.n_relations):
        r = &s.relation[i]
        if not r.present or not (r.in_play or not r.vanishes):
            continue
        if r.level == PER_ITERATION or not r.linearized:
            call(&r.linearize)
            take_blocks(s, r)
        else:
            call(&r.evaluate)
        for k in range(r.n_attached):  # R - rho
            for j in range(r.attached[k].n):
                r.attached[k].rhs[j] -= r.attached[k].reaction[j]
    return factor(s, failure)


cdef void take_blocks(Stage *s, BoundRelation *r) noexcept nogil:
    """The derivatives that were just written; what follows from them is computed anew where they changed."""
    cdef int k
    cdef bint changed = spread(&r.output_lambda)
    for k in range(r.n_attached):
        changed |= spread(&r.attached[k].block.output_x)
        changed |= spread(&r.attached[k].block.reaction_lambda)
    for k in range(r.n_coupling):
        spread(&r.coupling[k].block)
        s.group[r.attached[r.coupling[k].row].group].changed = 1
    r.linearized = 1
    if changed:
        r.solved = 0


cdef int evaluate(Stage *s, Failure *failure) noexcept nogil:
    cdef int status = evaluate_systems(s, failure)
    return status if status else evaluate_relations(s, failure)


cdef int evaluate_systems(Stage *s, Failure *failure) noexcept nogil:
    cdef int i, status
    for i in range(s.n_systems):
        if s.system[i].present:
            call(&s.system[i].evaluate)
    return 0


cdef int evaluate_relations(Stage *s, Failure *failure) noexcept nogil:
    cdef int i, status
    for i in range(s.n_relations):
        if s.relation[i].present and (s.relation[i].in_play or not s.relation[i].vanishes):
            call(&s.relation[i].evaluate)
    return 0


cdef int factor(Stage *s, Failure *failure) noexcept nogil:
    """Assemble and factor W of the groups that changed."""
    cdef Group *g
    cdef int i, k, status
    for i in range(s.n_groups):
        g = &s.group[i]
        if not g.changed:
            continue
        if not factor_dense(s, g):
            status = coupled_factor(s, g, failure)
            if status:
                name_column(s, g, coupled_column_at_fault(g), failure)
                failure.detail = status != NOT_FINITE  # what makes them different from the other failures
                return status
        g.changed = 0
        for k in range(g.n_links):
            s.relation[g.link_relation[k]].solved = 0
    # More unknowns than rows that could determine them: singular whatever is in play.
    return undetermined(s, failure) if s.n_border > s.n_rows else 0


cdef bint factor_dense(Stage *s, Group *g) noexcept nogil:
    """Whether W is small and regular: then it has dense factors, else it is left to sparse ones."""
    if g.matrix == NULL:
        return False
    gather(s, g)
    g.sparse = lu_factor(g.n, g.matrix, g.pivot) != 0
    if not g.sparse and g.n_border:
        s.n_border -= g.n_border
        g.n_border = 0
        s.assembled = s.laid_out = 0
    return not g.sparse


cdef int undetermined(Stage *s, Failure *failure) noexcept nogil:
    """Name an unknown that neither W nor the relations determine."""
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


cdef void gather(Stage *s, Group *g) noexcept nogil:
    """W of a group: the systems' dR/dw less the relations' drho/dw."""
    cdef BoundSystem *system
    cdef BoundRelation *r
    cdef int i, k, a
    if g.n_systems == 1 and not any_coupling(s, g):
        system = &s.system[g.systems[0]]
        memcpy(g.matrix, system.matrix.dense, g.n * g.n * sizeof(double))
        return
    memset(g.matrix, 0, g.n * g.n * sizeof(double))
    for i in range(g.n_systems):
        system = &s.system[g.systems[i]]
        add_block(g, system.offset, system.offset, &system.matrix, 1.0)
    for k in range(g.n_links):
        r = &s.relation[g.link_relation[k]]
        if not (r.in_play or not r.vanishes):
            continue
        for a in range(r.n_coupling):  # each block once, with the participant whose rows it has
            if r.coupling[a].row == g.link_attached[k]:
                add_block(g, r.attached[r.coupling[a].row].offset, r.attached[r.coupling[a].col].offset,
                          &r.coupling[a].block, -1.0)


cdef bint any_coupling(Stage *s, Group *g) noexcept nogil:
    cdef int k
    for k in range(g.n_links):
        if s.relation[g.link_relation[k]].n_coupling:
            return True
    return False


cdef void add_block(Group *g, int row, int col, const Block *block, double factor_) noexcept nogil:
    cdef int i, j
    for i in range(block.rows):
        for j in range(block.cols):
            g.matrix[(row + i) * g.n + col + j] += factor_ * block.dense[i * block.cols + j]


cdef void free_move(Stage *s) noexcept nogil:
    """W^-1 (R - rho)."""
    cdef Group *g
    cdef int i
    for i in range(s.n_groups):
        g = &s.group[i]
        if g.sparse:
            coupled_free_move(g)
        else:
            lu_solve(g.n, g.matrix, g.pivot, g.rhs, 1)


cdef void solve_columns(Stage *s, BoundRelation *r) noexcept nogil:
    """X = W^-1 B for every participant."""
    cdef Attachment *at
    cdef Group *g
    cdef int k
    for k in range(r.n_attached):
        at = &r.attached[k]
        g = &s.group[at.group]
        if g.sparse:
            continue
        if at.n != g.n:
            memset(at.solved, 0, g.n * r.m * sizeof(double))
        memcpy(at.solved + at.offset * r.m, at.block.reaction_lambda.dense, at.n * r.m * sizeof(double))
        lu_solve(g.n, g.matrix, g.pivot, at.solved, r.m)
    r.solved = 2
    s.assembled = 0


cdef int assemble(Stage *s, bint first) noexcept nogil:
    """A, b, the bounds and the guess z: the multipliers of the last step at ``first``, then those of the iteration."""
    cdef BoundRelation *r
    cdef int p, i, status
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if not r.solved:
            solve_columns(s, r)
    if not s.assembled:
        if s.sparse:
            status = assemble_graph(s)
            if status:
                return status
        else:
            assemble_dense(s)
        s.assembled = 1
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        offset(s, r)
        for i in range(r.m):
            s.z[r.row + i] = r.guess[i] if first else r.multiplier[i]
        if s.sparse:
            memcpy(s.graph.bound + 2 * r.row, r.bound, 2 * r.m * sizeof(double))
    for i in range(s.n_groups if s.n_border else 0):
        if s.group[i].n_border:
            memcpy(s.b + s.group[i].border, s.group[i].coupled.left, s.group[i].n_border * sizeof(double))
            memset(s.z + s.group[i].border, 0, s.group[i].n_border * sizeof(double))
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
    cdef Group *g
    cdef int i, p, n = s.n_rows + s.n_border, row = s.n_rows
    memset(s.A, 0, n * n * sizeof(double))
    for i in range(s.n_groups if s.n_border else 0):
        g = &s.group[i]
        g.border = row
        row += g.n_border
        coupled_columns(s, g, s.A, n)
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
        for i in range(r.m if g.sparse and r.attached[k].block.output_x.nnz else 0):
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
            s.A[(r.row + i) * n + r.row + j] = r.output_lambda.dense[i * r.m + j]
    for k in range(r.n_attached):
        at = &r.attached[k]
        g = &s.group[at.group]
        for q in range(0 if g.sparse else g.n_links):
            other = &s.relation[g.link_relation[q]]
            if other.in_play:
                theirs = &other.attached[g.link_attached[q]]
                nsd_block_product(s.A + other.row * n + r.row, n, theirs.block.output_x.dense, other.m, theirs.n,
                                  at.solved + theirs.offset * r.m, r.m)


cdef void offset(Stage *s, BoundRelation *r) noexcept nogil:
    """b = y - C W^-1 (R - rho) for the rows of one relation."""
    cdef Attachment *at
    cdef int k
    memcpy(s.b + r.row, r.output, r.m * sizeof(double))
    for k in range(r.n_attached):
        at = &r.attached[k]
        nsd_block_subtract_all(r.m, at.n, at.output_dense, at.rhs, s.b + r.row)


cdef void subtract_column(Stage *s, int column, double value) noexcept nogil:
    cdef int i, n = s.n_rows + s.n_border
    for i in range(n):
        s.b[i] -= s.A[i * n + column] * value


cdef void apply_move(Stage *s) noexcept nogil:
    cdef BoundSystem *system
    cdef int i, j, p
    s.moved = 1
    for p in range(s.n_play):
        move_multipliers(s, &s.relation[s.play[p]])
    for i in range(s.n_groups if s.has_coupled else 0):
        if s.group[i].sparse:
            coupled_apply(&s.group[i], s.z + s.group[i].border)
    s.finite = 1
    for i in range(s.n_systems):
        system = &s.system[i]
        if system.present:
            for j in range(system.n):
                system.unknown[j] -= system.residual[j]
                s.finite &= isfinite(system.unknown[j]) != 0


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
        g = &s.group[at.group]
        if not g.sparse:
            nsd_block_subtract(g.n, r.m, at.solved, change, g.rhs)
            continue
        for i in range(r.m):
            if change[i] != 0:
                coupled_push(g, at, i, change[i])
