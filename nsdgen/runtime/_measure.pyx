# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How far an iterate is from a solution, row by row in units of the row's own terms.

A residual row R_i = sum of terms is small when it is small beside the terms it is made
of. Their magnitude is read off the linearisation: |W_ij w_j|, what is left of the row
besides W w, and the reaction.
"""
from libc.math cimport fabs, fmax

from nsdgen.runtime._data cimport Attachment, Failure, Group, RelationStage, Stage, SystemStage
from nsdgen.solvers._natural cimport natural_row


cdef double largest_scaled_row(Stage *s, Failure *failure) noexcept nogil:
    cdef double worst = 0.0
    cdef int i
    for i in range(s.n_systems):
        if s.system[i].present:
            weigh_system(s, &s.system[i])
    subtract_reactions(s)
    for i in range(s.n_systems):
        if s.system[i].present:
            measure_system(s, i, &worst, failure)
    if not s.dynamics_only:
        for i in range(s.n_play):
            measure_relation(s, s.play[i], &worst, failure)
    return worst


cdef void weigh_system(Stage *s, SystemStage *system) noexcept nogil:
    """The magnitude of the terms of R, without reactions: |W_ij w_j| and what is left of the row."""
    cdef double *row = s.group[system.group].rhs + system.offset
    cdef double *scale = s.group[system.group].scale + system.offset
    cdef double term, rest
    cdef int i, j
    for i in range(system.n):
        scale[i] = 0.0
        rest = row[i]
        for j in range(system.n):
            term = system.matrix.dense[i * system.n + j] * system.unknown[j]
            scale[i] += fabs(term)
            rest -= term
        scale[i] += fabs(rest)


cdef void subtract_reactions(Stage *s) noexcept nogil:
    """rhs = R - rho in place (R was just written there), the scales grow by |rho|."""
    cdef RelationStage *r
    cdef Attachment *at
    cdef int i, j, k
    for i in range(s.n_relations):
        r = &s.relation[i]
        if not r.present or not (r.in_play or not r.vanishes):
            continue
        for k in range(r.n_attached):
            at = &r.attached[k]
            for j in range(at.n):
                s.group[at.group].rhs[at.offset + j] -= at.reaction[j]
                s.group[at.group].scale[at.offset + j] += fabs(at.reaction[j])


cdef void measure_system(Stage *s, int index, double *worst, Failure *failure) noexcept nogil:
    cdef SystemStage *system = &s.system[index]
    cdef Group *g = &s.group[system.group]
    cdef int i
    for i in range(system.n):
        keep_worst(fabs(g.rhs[system.offset + i]), g.scale[system.offset + i], worst, failure, 0, index, i)


cdef void measure_relation(Stage *s, int index, double *worst, Failure *failure) noexcept nogil:
    cdef RelationStage *r = &s.relation[index]
    cdef Attachment *at
    cdef double scale, term, rest, row
    cdef int i, j, k
    for i in range(r.m):
        scale = 0.0
        rest = r.output[i]
        for k in range(r.n_attached):
            at = &r.attached[k]
            for j in range(at.n):
                term = at.output_x.dense[i * at.n + j] * s.system[at.system].unknown[j]
                scale += fabs(term)
                rest -= term
        for j in range(r.m):
            term = r.output_lambda.dense[i * r.m + j] * r.multiplier[j]
            scale += fabs(term)
            rest -= term
        scale += fabs(rest)
        row = natural_row(r.cone[i], s.A[(r.row + i) * (s.n_rows + 1)], r.multiplier[i], r.output[i], &scale)
        keep_worst(row, scale, worst, failure, 1, index, i)


cdef void keep_worst(double row, double scale, double *worst, Failure *failure, int kind, int item,
                     int index) noexcept nogil:
    cdef double value
    if row == 0:
        return
    value = row / scale if scale > 0 else row
    if not value <= worst[0]:  # also where value is not a number
        worst[0] = value
        failure.detail = kind
        failure.item = item
        failure.row = index


cdef double merit(Stage *s, bint weigh) noexcept nogil:
    cdef RelationStage *r
    cdef double worst = 0.0, unused, diagonal
    cdef Group *g
    cdef int i, j
    for i in range(s.n_groups):
        g = &s.group[i]
        for j in range(g.n):
            if weigh:
                g.weight[j] = g.scale[j] if g.scale[j] > 0 else 1.0
            worst = fmax(worst, fabs(g.rhs[j]) / g.weight[j])
    for i in range(s.n_play):
        r = &s.relation[s.play[i]]
        for j in range(r.m):
            unused = 0.0
            diagonal = s.A[(r.row + j) * (s.n_rows + 1)] if s.assembled else 0.0
            if weigh:
                r.weight[j] = fabs(r.output[j]) if r.output[j] != 0 else 1.0
            worst = fmax(worst, natural_row(r.cone[j], diagonal, r.multiplier[j], r.output[j], &unused) / r.weight[j])
    return worst
