# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sweeps over systems; the interface is documented in ``_system_sweeps.pxd``."""
from libc.math cimport HUGE_VAL, fabs, fmax, sqrt
from libc.string cimport memcpy

from nsdgen.runtime._ahead cimport HOT, SOON, fetch, nsd_fetch
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
        if r.m == 3 and at.n == 6:  # written out by the compiler
            for i in range(6):
                at.rhs[i] -= x[3 * i] * change[0] + x[3 * i + 1] * change[1] + x[3 * i + 2] * change[2]
            continue
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


cdef inline void ask_for(const Stage *s, int relation) noexcept nogil:
    """Ask for what the relation reads that is looked at soon."""
    cdef const BoundRelation *r = &s.relation[relation]
    fetch(r.attached, r.form.at_hand if r.form.at_hand else HOT)
    nsd_fetch(r.multiplier)


cdef inline double visit(BoundRelation *r, const double *own) noexcept nogil:
    """Solve one relation for its own multipliers; the largest change of its u."""
    cdef const Attachment *at
    cdef double u[MOST_ROWS]
    cdef double change[MOST_ROWS]
    cdef double z[MOST_ROWS]
    cdef const double *c
    cdef double value, moved, largest = 0.0
    cdef int i, j, k
    for i in range(r.m):
        u[i], z[i] = r.output[i], r.multiplier[i]
    for k in range(r.n_attached):
        at = &r.attached[k]
        c = output_x(at)
        if r.m == 3 and at.n == 6:
            for i in range(3):
                value = 0.0
                for j in range(6):
                    value += c[6 * i + j] * at.rhs[j]
                u[i] -= value
            continue
        for i in range(r.m):
            for j in range(at.n):
                u[i] -= c[i * at.n + j] * at.rhs[j]
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
            if p + SOON < s.n_play:
                ask_for(s, s.play[p + SOON])
            visit(&s.relation[s.play[p]], s.sweep_own + p * SWEEP_OWN)
        changed = 0.0
        for p in range(s.n_play - 1, -1, -1):
            if p >= SOON:
                ask_for(s, s.play[p - SOON])
            changed = fmax(changed, visit(&s.relation[s.play[p]], s.sweep_own + p * SWEEP_OWN))
        s.sweeps, s.sweep_left = sweep + 1, changed
        if changed <= s.sweep_goal or sweep + 1 == s.most_sweeps:
            return
        next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
        if changed > last:
            t = next = 1.0
        go_ahead(s, (t - 1.0) / next)
        t, last = next, changed
