"""How far an iterate is from a solution, row by row in units of the row's own terms.

A residual row R_i = sum of terms is small when it is small beside the terms it is made
of. The kernel of R writes its scale beside it, the sum of the absolute values of
the terms: where forces cancel, as at rest, no smaller residual can be asked for.
"""

cdef extern from "nsdgen_newton.h" nogil:
    double nsd_largest(int n, const double *scale, double largest) noexcept
    double nsd_natural(int cone, const double *bound, double diagonal, double z, double y, double *scale) noexcept
    double nsd_norm(int n, const double *r) noexcept
    double nsd_nothing(double largest) noexcept
    double nsd_terms(double own, double resolved) noexcept
    double nsd_worse(double worst, double row, double scale, double least) noexcept
    void nsd_resolve_exchanged(int n, int nnz, const int32_t *row, const int32_t *col, const double *value,
                               const double *scale, int *work, double *resolved) noexcept


cdef double largest_scaled_row(Stage *s, Failure *failure) noexcept nogil:
    cdef double worst = 0.0, least
    cdef int i
    subtract_reactions(s)
    least = noise(s)
    if not s.dynamics_only and s.n_play:
        resolve(s)
    for i in range(s.n_systems):
        if s.system[i].present:
            measure_system(s, i, least, &worst, failure)
    if not s.dynamics_only:
        for i in range(s.n_play):
            measure_relation(s, s.play[i], least, &worst, failure)
    return worst


cdef double noise(Stage *s) noexcept nogil:
    """Terms that are nothing beside the others: a row of what rests may have only such.

    What sticks gives way by 1e-10 of its bound, so that at rest all rates fall by that in every step; rows beside it
    hold the rounding of where the step began, which the one-step problem, certified as a whole, does not improve.
    """
    cdef double largest = 0.0
    cdef int i
    for i in range(s.n_groups):
        largest = nsd_largest(s.group[i].n, s.group[i].scale, largest)
    return nsd_nothing(largest)


cdef bint relation_holds(Stage *s, int index, double least) noexcept nogil:
    cdef Failure unused
    cdef double worst = 0.0
    measure_relation(s, index, least, &worst, &unused)
    return worst <= s.tolerance


cdef double largest_residual(Stage *s, Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef double worst = 0.0, row, longest, norm
    cdef double *rhs
    cdef int i, j
    subtract_reactions(s)
    for i in range(s.n_systems):
        system = &s.system[i]
        if not system.present:
            continue
        rhs, longest = s.group[system.group].rhs + system.offset, 0.0
        norm = nsd_norm(system.n, rhs)
        if norm > worst:
            worst = norm
            failure.detail = 0
            failure.item = i
            for j in range(system.n):
                row = fabs(rhs[j])
                if row > longest:
                    longest = row
                    failure.row = j
    return worst


cdef void subtract_reactions(Stage *s) noexcept nogil:
    """rhs = R - rho in place (R was just written there), the scales grow by the terms of rho.

    Each term counts: the reactions of a joint of several rows may cancel in a row of R.
    """
    cdef BoundRelation *r
    cdef const Attachment *at
    cdef const double *rho
    cdef double *scale
    cdef int i, j, k
    for i in range(s.n_relations):
        r = &s.relation[i]
        if not r.present or not (r.in_play or not r.vanishes):
            continue
        for k in range(r.n_attached):
            at = &r.attached[k]
            rho, scale = reaction(at), s.group[at.group].scale + at.offset
            for j in range(at.n):
                at.rhs[j] -= rho[j]
                scale[j] += rho[at.n + j]


cdef void measure_system(Stage *s, int index, double least, double *worst, Failure *failure) noexcept nogil:
    cdef BoundSystem *system = &s.system[index]
    cdef Group *g = &s.group[system.group]
    cdef int i
    for i in range(system.n):
        keep_worst(fabs(g.rhs[system.offset + i]), g.scale[system.offset + i], least, worst, failure, 0, index, i)


cdef void measure_relation(Stage *s, int index, double least, double *worst, Failure *failure) noexcept nogil:
    cdef BoundRelation *r = &s.relation[index]
    cdef double[5] scale
    cdef double size, row
    cdef int i = 0, k, height
    resolution(s, r, s.scratch)
    while i < r.m:
        height = block_height(r.form.cone[i])
        if r.form.cone[i] == TRACED:  # traced as exactly as can be, each time
            i += 1
            continue
        for k in range(height):
            scale[k] = nsd_terms(r.scale[i + k], s.scratch[i + k])
        size = 1.0
        if height == 1:
            size = scale[0]
            row = natural(s, r, i, &size)
        else:
            row = natural_several(s, r, i, height, scale)
        # The solver of the one-step problem, which has a certificate of its own, went no further: where
        # multipliers are not unique another iteration need not improve these rows.
        if not row <= 2.0 * s.info.residual * size:
            keep_worst(row, size, least, worst, failure, 1, index, i)
        i += height


cdef inline double level(const Stage *s, const BoundRelation *r, int i) noexcept nogil:
    """y of a row in play; 0 where that solver took it for zero, or twice as much: where reactions are open nothing else can
    be had of rows that carry nothing."""
    cdef double y = r.output[i]
    return 0.0 if s.grain != NULL and s.assembled and fabs(y) <= 2.0 * s.grain[r.row + i] else y


cdef void resolve(Stage *s) noexcept nogil:
    """The terms of each row of R as a change of the unknown that its pivot belongs to; 0 where the diagonal holds none.

    A diagonal entry that is rounding, or small beside those of equations that were exchanged, would make of any terms a
    change without bounds, in which any row of a relation holds: then it is the terms of the row that belongs to it.
    """
    cdef BoundSystem *system
    cdef Group *g
    cdef double pivot, resolved
    cdef int i, j
    for i in range(s.n_systems):
        system = &s.system[i]
        if not system.present:
            continue
        g = &s.group[system.group]
        for j in range(system.n):
            pivot = fabs(own_entry(system, j))
            resolved = g.scale[system.offset + j] / pivot if pivot > 0 else 0.0
            g.resolved[system.offset + j] = resolved if resolved < INFINITY else 0.0
        nsd_resolve_exchanged(system.n, system.matrix.nnz, system.matrix.row, system.matrix.col, system.matrix.value,
                              g.scale + system.offset, system.exchanged, g.resolved + system.offset)


cdef inline double own_entry(const BoundSystem *system, int j) noexcept nogil:
    return system.matrix.value[system.pivot[j]] if system.pivot[j] >= 0 else 0.0


cdef double natural_several(Stage *s, BoundRelation *r, int i, int height, const double *scale) noexcept nogil:
    """The natural map of a block of several rows, relative to ``scale`` (height), the terms of its rows."""
    cdef double[5] y
    cdef double normal = 0.0, tangent = 0.0
    cdef int k
    if s.assembled:
        normal = fabs(s.diagonal[r.row + i])
        for k in range(1, height):
            tangent = max(tangent, fabs(s.diagonal[r.row + i + k]))
    if not tangent > 0.0:  # any rate serves for the test itself
        tangent = normal if normal > 0.0 else 1.0
    if not normal > 0.0:
        normal = tangent
    for k in range(height):
        y[k] = level(s, r, i + k)
    return natural_laws(height, r.bound + 2 * i, normal, tangent, r.multiplier + i, y, scale)


cdef double natural(Stage *s, BoundRelation *r, int i, double *scale) noexcept nogil:
    """The natural map of the block that begins at row i of a relation."""
    cdef double *diagonal = s.diagonal + r.row + i
    cdef double rate = 0.0
    cdef int k, height = block_height(r.form.cone[i])
    if r.form.cone[i] == TRACED:
        return 0.0
    if height == 1:  # the exchange rate between multiplier and output is 0 where it is unknown
        return nsd_natural(r.form.cone[i], r.bound + 2 * i, diagonal[0] if s.assembled else 0.0, r.multiplier[i],
                           level(s, r, i), scale)
    for k in range(height if s.assembled else 0):
        rate = fmax(rate, fabs(diagonal[k]))
    return natural_block(height, r.bound + 2 * i, rate, r.multiplier + i, r.output + i)


cdef void resolution(Stage *s, BoundRelation *r, double *size) noexcept nogil:
    """What the terms of R, turned into unknowns, amount to in the rows of y.

    Where all motion dies out the terms of y are themselves no more than rounding of R.
    """
    cdef Attachment *at
    cdef int k
    memset(size, 0, r.m * sizeof(double))
    for k in range(r.n_attached):
        at = &r.attached[k]
        nsd_block_sizes(r.m, at.n, output_x(at), s.group[at.group].resolved + at.offset, size)


cdef void keep_worst(double row, double scale, double least, double *worst, Failure *failure, int kind,
                     int item, int index) noexcept nogil:
    """Keep the largest row; one that is not a number is larger than all others."""
    cdef double value = nsd_worse(worst[0], row, scale, least)
    if value > worst[0]:
        worst[0] = value
        failure.detail = kind
        failure.item = item
        failure.row = index


cdef double larger(double a, double b) noexcept nogil:
    """max(a, b), infinite where b is not a number."""
    return INFINITY if b != b else max(b, a)


cdef double merit(Stage *s, bint first) noexcept nogil:
    cdef BoundRelation *r
    cdef double worst = 0.0, unused
    cdef Group *g
    cdef int i, j
    for i in range(s.n_groups):
        g = &s.group[i]
        for j in range(g.n):
            if first:
                g.weight[j] = g.scale[j] if g.scale[j] > 0 else 1.0
            worst = larger(worst, fabs(g.rhs[j]) / g.weight[j])
    for i in range(s.n_play):
        r = &s.relation[s.play[i]]
        j = 0
        while j < r.m:
            unused = 0.0
            if first or r.weight[j] == 0:  # also for a relation that came into play during the search
                r.weight[j] = r.scale[j] if r.scale[j] > 0 else 1.0
            worst = larger(worst, natural(s, r, j, &unused) / r.weight[j])
            j += block_height(r.form.cone[j])
    return worst
