# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sweeps over systems; the interface is documented in ``_system_sweeps.pxd``."""
from libc.math cimport HUGE_VAL, fabs, fmax, sqrt
from libc.string cimport memcpy

from nsdgen.runtime._attachment cimport output_x, solved
from nsdgen.runtime._data cimport Attachment, BoundRelation, Stage
from nsdgen.solvers.interaction._own_rows cimport MOST_ROWS, solve_own_rows



cdef bint can_sweep(const Stage *s) noexcept nogil:
    cdef const BoundRelation *r
    cdef int p, k
    if not s.affine or not s.separable or s.n_border or s.has_coupled or s.traced:
        return False
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if r.m > MOST_ROWS:
            return False
        for k in range(r.n_attached):
            if not r.attached[k].shape.whole:
                return False
    return True


cdef inline void push(BoundRelation *r, const double *change) noexcept nogil:
    """What a change of multipliers moves."""
    cdef const Attachment *at
    cdef const double *x
    cdef double total
    cdef int i, j, k
    for k in range(r.n_attached):
        at = &r.attached[k]
        x = solved(at)
        for i in range(at.n):
            total = 0.0
            for j in range(r.m):
                total += x[i * r.m + j] * change[j]
            at.rhs[i] -= total


cdef void begin_sweeps(Stage *s) noexcept nogil:
    """The own block of each relation; its multipliers are those of the last step."""
    cdef BoundRelation *r
    cdef const Attachment *at
    cdef double *own
    cdef int p, i, j, k, e
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        own = s.sweep_own + p * SWEEP_OWN
        for i in range(r.m * r.m):
            own[i] = r.output_lambda[i]
        for k in range(r.n_attached):
            at = &r.attached[k]
            for i in range(r.m):
                for e in range(at.n):
                    for j in range(r.m):
                        own[i * r.m + j] += output_x(at)[i * at.n + e] * solved(at)[e * r.m + j]
        memcpy(r.multiplier, r.guess, r.m * sizeof(double))
        memcpy(own + MOST_ROWS * MOST_ROWS, r.guess, r.m * sizeof(double))
        push(r, r.multiplier)


cdef inline double visit(BoundRelation *r, const double *own) noexcept nogil:
    """Solve one relation for its own multipliers; the largest change of its u."""
    cdef const Attachment *at
    cdef double u[MOST_ROWS]
    cdef double change[MOST_ROWS]
    cdef double z[MOST_ROWS]
    cdef double value, moved, largest = 0.0
    cdef int i, j, k
    for i in range(r.m):
        value = r.output[i]
        for k in range(r.n_attached):
            at = &r.attached[k]
            for j in range(at.n):
                value -= output_x(at)[i * at.n + j] * at.rhs[j]
        u[i] = value
        z[i] = r.multiplier[i]
    solve_own_rows(r.m, r.form.cone, r.bound, own, u, z)
    for i in range(r.m):
        change[i] = z[i] - r.multiplier[i]
        r.multiplier[i] = z[i]
    for i in range(r.m):
        moved = 0.0
        for j in range(r.m):
            moved += own[i * r.m + j] * change[j]
        largest = fmax(largest, fabs(moved))
    if largest > 0.0:
        push(r, change)
    return largest


cdef void go_ahead(Stage *s, double momentum) noexcept nogil:
    """All multipliers further by a share of what the last sweep changed; what they were is kept."""
    cdef BoundRelation *r
    cdef double *before
    cdef double change[MOST_ROWS]
    cdef double last
    cdef int p, i
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        before = s.sweep_own + p * SWEEP_OWN + MOST_ROWS * MOST_ROWS
        for i in range(r.m):
            last = r.multiplier[i]
            change[i] = momentum * (last - before[i])
            before[i] = last
            r.multiplier[i] = last + change[i]
        if momentum != 0.0:
            push(r, change)


cdef void sweep_systems(Stage *s) noexcept nogil:
    cdef double changed, last = HUGE_VAL, t = 1.0, next
    cdef int p, sweep
    begin_sweeps(s)
    s.sweeps, s.sweep_left = 0, HUGE_VAL
    for sweep in range(s.most_sweeps):
        for p in range(s.n_play):
            visit(&s.relation[s.play[p]], s.sweep_own + p * SWEEP_OWN)
        changed = 0.0
        for p in range(s.n_play - 1, -1, -1):
            changed = fmax(changed, visit(&s.relation[s.play[p]], s.sweep_own + p * SWEEP_OWN))
        s.sweeps, s.sweep_left = sweep + 1, changed
        if changed <= s.sweep_goal or sweep + 1 == s.most_sweeps:
            return
        next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
        if changed > last:
            t = next = 1.0
        go_ahead(s, (t - 1.0) / next)
        t, last = next, changed
