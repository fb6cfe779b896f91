# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows in play as a pile; the interface is documented in ``_pile.pxd``."""
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from nsdgen.runtime._attachment cimport output_x, solved
from nsdgen.runtime._data cimport Attachment, BoundRelation, Pile, Stage
from nsdgen.solvers.piles._body_steps cimport body_steps_free, body_steps_lay_out, body_steps_solve, is_known_cone
from nsdgen.solvers.linalg._growth cimport grow_ints


cdef enum:
    UNKNOWNS = 6  # of a system


cdef int take_pile(Stage *s, double tolerance, double goal, int most, int rows) noexcept nogil:
    if s.pile == NULL:
        s.pile = <Pile *> calloc(1, sizeof(Pile))
        if s.pile == NULL or grow_ints(&s.pile.number, s.n_systems) or grow_ints(&s.pile.system, s.n_systems):
            return -1
        for i in range(s.n_systems):
            s.pile.number[i] = -1
    s.pile.above = rows
    s.pile.steps.tolerance, s.pile.steps.goal, s.pile.steps.most_sweeps = tolerance, goal, most
    return 0


cdef void leave_pile(Stage *s) noexcept nogil:
    if s.pile == NULL:
        return
    body_steps_free(&s.pile.steps)
    free(s.pile.number)
    free(s.pile.system)
    free(s.pile.pair)
    free(s.pile)
    s.pile = NULL


cdef bint is_pile(const Stage *s) noexcept nogil:
    cdef const BoundRelation *r
    cdef int p, k, i
    if not s.affine or not s.separable or s.n_border or s.has_coupled or s.traced:
        return False
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        if not is_known_cone(r.m, r.form.cone) or r.m != s.relation[s.play[0]].m or not 1 <= r.n_attached <= 2:
            return False
        for k in range(r.n_attached):
            if not r.attached[k].shape.whole or r.attached[k].n != UNKNOWNS:
                return False
    return True


cdef int _list_pairs(Stage *s, Pile *q) noexcept nogil:
    """The systems that relations act on, numbered as they come; how many, or -1 without memory."""
    cdef const BoundRelation *r
    cdef int p, k, system, systems = 0
    if s.n_play > q.room:
        q.room = 2 * s.n_play
        if grow_ints(&q.pair, 2 * q.room):
            q.room = 0
            return -1
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        q.pair[2 * p + 1] = -1
        for k in range(r.n_attached):
            system = r.attached[k].system
            if q.number[system] < 0:
                q.number[system], q.system[systems] = systems, system
                systems += 1
            q.pair[2 * p + k] = q.number[system]
    for k in range(systems):
        q.number[q.system[k]] = -1
    return systems


cdef void _copy_in(const Stage *s, Pile *q) noexcept nogil:
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef const double *C
    cdef double *b
    cdef int p, c, i, j, k, m = q.steps.all.m
    for p in range(s.n_play):
        r, c = &s.relation[s.play[p]], q.steps.islands.place[p]
        b = q.steps.all.b + c * m
        memcpy(b, r.output, m * sizeof(double))
        memcpy(q.steps.all.r + c * m, r.guess, m * sizeof(double))
        q.steps.all.bound[2 * c], q.steps.all.bound[2 * c + 1] = r.bound[0], r.bound[1]
        for k in range(r.n_attached):
            at = &r.attached[k]
            C = output_x(at)
            memcpy(q.steps.all.by_v + (2 * <size_t> c + k) * UNKNOWNS * m, C, UNKNOWNS * m * sizeof(double))
            memcpy(q.steps.all.by_r + (2 * <size_t> c + k) * UNKNOWNS * m, solved(at), UNKNOWNS * m * sizeof(double))
            for i in range(m):
                for j in range(UNKNOWNS):
                    b[i] -= C[UNKNOWNS * i + j] * at.rhs[j]


cdef int solve_pile(Stage *s) noexcept nogil:
    cdef Pile *q = s.pile
    cdef BoundRelation *r
    cdef double *rhs
    cdef const double *v
    cdef int p, i, j, m = s.relation[s.play[0]].m, systems = _list_pairs(s, q)
    if systems < 0 or body_steps_lay_out(&q.steps, m, systems, s.n_play, q.pair):
        return -1
    for i in range(systems):
        q.steps.all.name[q.steps.islands.number[i]] = q.system[i]
    _copy_in(s, q)
    if body_steps_solve(&q.steps):
        return -1
    for p in range(s.n_play):
        r = &s.relation[s.play[p]]
        memcpy(r.multiplier, q.steps.all.r + q.steps.islands.place[p] * m, m * sizeof(double))
    for i in range(systems):
        rhs = s.group[s.system[q.system[i]].group].rhs + s.system[q.system[i]].offset
        v = q.steps.all.v + UNKNOWNS * q.steps.islands.number[i]
        for j in range(UNKNOWNS):
            rhs[j] -= v[j]
    return 0
