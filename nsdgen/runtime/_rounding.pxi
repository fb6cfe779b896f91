"""Rows that hold rounding alone.

An unknown w_j is known no better than its own row tells, to tau s_j / |W_jj| with the terms s_j of that row and the
tolerance tau. So a row R_i cannot be asked to be smaller than tau sum_j |dR_i/dw_j| s_j / |W_jj|, however small its own
terms are: the moment of a large force about a point that it passes through is an arm that is rounding, times the
force. Such terms appear in W where the arm depends on the unknowns; where the arm is that of the last iterate, which
W does not know, they are what one iteration leaves for the next, for ever. Both are measured: each unknown is moved by
tau s_j / |W_jj|, what is frozen is frozen anew, and the rows are evaluated. By no more than that: far away a steep
function says nothing of what rounding does here.

So are rows of relations: a multiplier is known no better than its own row tells, to tau s_k / |A_kk|, which it leaves in the rows
that it acts on (far down a chain that falls freely, forces of joints are rounding of the velocities that they join), and
what bounds one multiplier may be the length of others that are rounding. And all of them are solved together: in a row
whose own multipliers vanish a share of the others is left, which is compared by the energy that they move.

That takes an evaluation of a system, or of a relation, for each unknown that it sees, and is done only where Newton's method
has come to its limit.
"""


cdef bint rounding_alone(Stage *s) noexcept nogil:
    """Whether every row that is not small beside its own terms is so beside what rounding of unknowns does to it.

    Expects the scales and the residuals R - rho of an iterate that has just been tested. R, rho and y are evaluated
    there when it returns; R - rho is not.
    """
    cdef double least = noise(s)
    cdef bint alone = True
    cdef Failure unused
    cdef int i
    resolve(s)
    for i in range(s.n_systems):
        if s.system[i].present and alone and not within(s, i, least, NULL):
            alone = within_reach(s, i, least)
    evaluate(s, &unused)  # systems may have been moved
    for i in range(0 if s.dynamics_only else s.n_play):
        if alone and not relation_holds(s, s.play[i], least):
            alone = widen(s, &s.relation[s.play[i]]) and relation_holds(s, s.play[i], least)
    evaluate(s, &unused)
    return alone


cdef bint within(Stage *s, int index, double least, const double *reach) noexcept nogil:
    """Whether the rows of a system are small beside their terms and, where it is given, ``reach``."""
    cdef BoundSystem *system = &s.system[index]
    cdef Group *g = &s.group[system.group]
    cdef double scale
    cdef int i
    for i in range(system.n):
        scale = g.scale[system.offset + i] + least
        if reach != NULL:
            scale += reach[i]
        if not fabs(g.rhs[system.offset + i]) <= s.tolerance * scale:
            return False
    return True


cdef bint within_reach(Stage *s, int index, double least) noexcept nogil:
    """The same with what all unknowns do to these rows that meet them, moved by what they are resolved to."""
    cdef BoundSystem *system = &s.system[index]
    cdef Group *g = &s.group[system.group]
    cdef double *kept = <double *>malloc(3 * system.n * sizeof(double))  # R - rho, scales, reach
    cdef double *reach = kept + 2 * system.n
    cdef bint holds
    cdef int k
    if kept == NULL:
        return False
    memcpy(kept, g.rhs + system.offset, system.n * sizeof(double))
    memcpy(kept + system.n, g.scale + system.offset, system.n * sizeof(double))
    memset(reach, 0, system.n * sizeof(double))
    for k in range(s.n_systems):
        if s.system[k].present and (k == index or meet(s, k, index)):
            add_reach(s, k, index, kept, reach)
    add_reach_of_multipliers(s, index, reach)
    memcpy(g.rhs + system.offset, kept, system.n * sizeof(double))
    memcpy(g.scale + system.offset, kept + system.n, system.n * sizeof(double))
    holds = within(s, index, least, reach)
    free(kept)
    return holds


cdef void add_reach(Stage *s, int mover, int index, const double *before, double *reach) noexcept nogil:
    """What each unknown of ``mover`` does to the rows of a system."""
    cdef BoundSystem *moved = &s.system[mover]
    cdef BoundSystem *system = &s.system[index]
    cdef double *resolved = s.group[moved.group].resolved + moved.offset
    cdef double *rhs = s.group[system.group].rhs + system.offset
    cdef double unmoved
    cdef int i, j
    for j in range(moved.n):
        unmoved = moved.unknown[j]
        moved.unknown[j] += s.tolerance * resolved[j]
        freeze(moved)
        evaluate_rows(s, index)
        moved.unknown[j] = unmoved
        for i in range(system.n):
            reach[i] += fabs(rhs[i] - before[i]) / s.tolerance
    freeze(moved)


cdef void add_reach_of_multipliers(Stage *s, int index, double *reach) noexcept nogil:
    """What the multipliers that act on a system do to its rows, each moved by what its own row resolves."""
    cdef BoundSystem *system = &s.system[index]
    cdef Group *g = &s.group[system.group]
    cdef BoundRelation *r
    cdef const Attachment *at
    cdef double resolved, share
    cdef int i, j, k
    for k in range(g.n_links if s.assembled else 0):
        r = &s.relation[g.link_relation[k]]
        at = &r.attached[g.link_attached[k]]
        if at.system != index or not r.in_play:
            continue
        resolution(s, r, s.scratch)
        share = solved_with(s, r)
        for i in range(r.m):
            resolved = multiplier_resolution(s, r, i, share)
            for j in range(system.n):
                reach[j] += fabs(reaction_lambda(at)[j * r.m + i]) * resolved


cdef inline double multiplier_resolution(const Stage *s, const BoundRelation *r, int i, double share) noexcept nogil:
    """To how much, over tau, a multiplier is known by its own row; ``scratch`` has what the unknowns leave in it.

    ``share`` is what those that are solved with it do, ``solved_with``.
    """
    if not s.assembled or s.diagonal[r.row + i] == 0.0:
        return 0.0
    return (r.scale[i] + s.scratch[i] + share * root(s, r, i)) / fabs(s.diagonal[r.row + i])


cdef bint widen(Stage *s, BoundRelation *r) noexcept nogil:
    """Add to the scales of a relation what its multipliers and the unknowns that it sees do to its rows."""
    cdef double *before = <double *>malloc(3 * r.m * sizeof(double))  # y, resolutions of multipliers, reach
    cdef double *resolved = before + r.m
    cdef double *reach = before + 2 * r.m
    cdef double unmoved
    cdef int i, j, k
    if before == NULL:
        return False
    memcpy(before, r.output, r.m * sizeof(double))
    for i in range(r.m):
        reach[i] = 0.0
        resolved[i] = multiplier_resolution(s, r, i, 0.0)
    for i in range(r.m):
        unmoved = r.multiplier[i]
        r.multiplier[i] += s.tolerance * resolved[i]
        invoke(r.form.evaluate, &r.evaluate)
        r.multiplier[i] = unmoved
        add_change(s, r, before, reach)
    for k in range(r.n_attached):
        j = r.attached[k].system
        if s.system[j].present:
            add_moved(s, &s.system[j], r, before, reach)
    invoke(r.form.evaluate, &r.evaluate)
    for i in range(r.m):
        r.scale[i] += reach[i] + root(s, r, i) * solved_with(s, r) + solved_beside(s, r.row + i)
    free(before)
    return True


cdef double solved_with(Stage *s, const BoundRelation *r) noexcept nogil:
    """sum_j sqrt(A_jj) |z_j| over the rows that are solved with those of a relation: those of the same systems.

    One solution of all rows leaves in each a share of these: |A_ij z_j| <= sqrt(A_ii) sqrt(A_jj) |z_j|, whatever the units.
    """
    cdef BoundRelation *other
    cdef Group *g
    cdef double total = 0.0
    cdef int i, j, k
    for k in range(r.n_attached):
        g = &s.group[r.attached[k].group]
        for i in range(g.n_links):
            other = &s.relation[g.link_relation[i]]
            for j in range(other.m if other.in_play else 0):
                total += root(s, other, j) * fabs(other.multiplier[j])
    return total


cdef double solved_beside(const Stage *s, int row) noexcept nogil:
    """sum_j |A_ij z_j| where unknowns that W does not determine are solved with the rows: A is then not definite, and A_ii no bound."""
    cdef int n = s.n_rows + s.n_border, j
    cdef double total = 0.0
    for j in range(n if s.assembled and s.n_border and not s.sparse else 0):
        total += fabs(s.A[row * n + j] * s.z[j])
    return total


cdef double root(Stage *s, const BoundRelation *r, int i) noexcept nogil:
    """sqrt(A_ii) of a row that multipliers do not enter by themselves: there A is made of H M^-1 H^T alone."""
    if not s.assembled or r.output_lambda[i * (r.m + 1)] != 0.0:
        return 0.0
    return sqrt(fabs(s.diagonal[r.row + i]))


cdef void add_moved(Stage *s, BoundSystem *moved, BoundRelation *r, const double *before, double *reach) noexcept nogil:
    """What each unknown of a system does to the rows of a relation."""
    cdef double unmoved
    cdef int j
    for j in range(moved.n):
        unmoved = moved.unknown[j]
        moved.unknown[j] += s.tolerance * s.group[moved.group].resolved[moved.offset + j]
        freeze(moved)
        invoke(r.form.evaluate, &r.evaluate)
        moved.unknown[j] = unmoved
        add_change(s, r, before, reach)
    freeze(moved)


cdef void add_change(const Stage *s, const BoundRelation *r, const double *before, double *reach) noexcept nogil:
    cdef int i
    for i in range(r.m):
        reach[i] += fabs(r.output[i] - before[i]) / s.tolerance


cdef void freeze(BoundSystem *system) noexcept nogil:
    if system.freeze_iteration.call != NULL:
        call(&system.freeze_iteration)
        copy(system.frozen, system.form.frozen_next, system.form.n_frozen)


cdef void evaluate_rows(Stage *s, int index) noexcept nogil:
    """R - rho of one system, in the place of its residual."""
    cdef BoundSystem *system = &s.system[index]
    cdef Group *g = &s.group[system.group]
    cdef BoundRelation *r
    cdef int i, j, k
    invoke(system.form.evaluate, &system.evaluate)
    for i in range(g.n_links):
        r = &s.relation[g.link_relation[i]]
        k = g.link_attached[i]
        if r.attached[k].system != index or not acts(r):
            continue
        invoke(r.form.evaluate, &r.evaluate)
        for j in range(system.n):
            g.rhs[system.offset + j] -= reaction(&r.attached[k])[j]


cdef bint meet(Stage *s, int one, int other) noexcept nogil:
    """Whether a relation that acts joins two systems."""
    cdef Group *g = &s.group[s.system[other].group]
    cdef BoundRelation *r
    cdef int i, k
    for i in range(g.n_links):
        r = &s.relation[g.link_relation[i]]
        if r.attached[g.link_attached[i]].system != other or not acts(r):
            continue
        for k in range(r.n_attached):
            if r.attached[k].system == one:
                return True
    return False


cdef inline bint acts(const BoundRelation *r) noexcept nogil:
    return r.present and (r.in_play or not r.vanishes)
