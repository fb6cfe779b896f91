"""How large the terms are that a rate is made of: what its error is compared with, where the rate itself is rounding.

The terms of each row of R, and of the reactions in it, count as changes of the unknown of that row. Where systems have
positions all unknowns and velocities are compared by energy, m a^2 and m v^2, as well: rounding of the largest is in
all that is solved for with it, and in the direction of what hardly slides. States without positions have no such
measure in common.
"""

cdef double RESTS = 1e-9  # of the terms of a rate, as ``CANCELS`` of the integrator: no more of it is rounding
cdef double TOLD = 1e-12  # of what the terms of a state give in a step: rounding of rates is 1e-4 of what that changes
cdef double CARRIED = 1e-2  # of the largest by energy: a thousandth of that of ``rtol`` (``_flow.pxi``) is then 4 roundings


cdef int flow_terms(Stage *s, const double *values, double step, double *size, double *rate, double *multiplier,
                    Failure *failure) noexcept nogil:
    cdef BoundSystem *system
    cdef double *own
    cdef double moves = 0.0, speed = 0.0, mixed = 0.0, agile
    cdef int i, j, k, at = 0, status = row_terms(s, failure)
    if status:
        return status
    for i in range(s.n_relations if missing_rank(s) else 0):
        for k in range(s.relation[i].m):
            mixed = fmax(mixed, fabs(s.relation[i].multiplier[k]))
    for i in range(s.n_systems):
        system = &s.system[i]
        for j in range(system.n if system.present and system.form.n_state > system.n else 0):
            moves = fmax(moves, sqrt(s.group[system.group].scale[system.offset + j] * resolved(s, system)[j]))
            agile, k = held_agility(s, i, j), system.form.n_state - system.n + j
            speed = fmax(speed, size[(system.state - values) + k] / agile if agile > 0.0 else 0.0)
    for i in range(s.n_systems):
        system = &s.system[i]
        if not system.present:
            continue
        k = system.form.n_state - system.n
        own = rate + (system.state - values) + k
        copy(own, resolved(s, system), system.n)
        if k:
            for j in range(system.n):
                agile = CARRIED * held_agility(s, i, j)
                own[j] = fmax(own[j], moves * agile)
                size[(system.state - values) + k + j] = fmax(size[(system.state - values) + k + j], speed * agile)
            position_terms(system, k, size + (system.state - values) + k, own, step)
    if carry_rest(s, values, step, rate):
        row_terms(s, failure)
    for i in range(s.n_relations):
        for k in range(s.relation[i].m):
            multiplier[at] = multiplier_terms(s, &s.relation[i], k, moves, mixed)
            carry(s, &s.relation[i], k, multiplier[at], values, rate)
            at += 1
    return 0


cdef int row_terms(Stage *s, Failure *failure) noexcept nogil:
    """The terms of all rows of R and of relations."""
    cdef BoundRelation *r
    cdef int i, status = evaluate_systems(s, failure)
    for i in range(s.n_relations if status == 0 else 0):
        r = &s.relation[i]
        if r.present and (r.in_play or not r.vanishes):
            size_terms(s, r)
    if status == 0:
        resolve(s)
    return status


cdef bint carry_rest(Stage *s, const double *values, double step, double *rate) noexcept nogil:
    """What rates of states without positions owe to states that rest by terms which cancel: these are rounding of their terms.

    What moves by rounding may be what another one rests by, and so on down a chain. Whether it did any of this; rows and
    what is resolved of them are then those of states that were moved.
    """
    cdef BoundSystem *system
    cdef Group *g
    cdef int i, j, before = 0, held = count_held(s, values, rate)
    for i in range(s.n_systems if held else 0):
        system = &s.system[i]
        if without_positions(system):
            g = &s.group[system.group]
            evaluate_rows(s, i)
            copy(g.resolved + system.offset, g.rhs + system.offset, system.n)
    while held > before:
        before = held
        for i in range(s.n_systems):
            for j in range(s.system[i].n if s.system[i].present else 0):
                if is_held(&s.system[i], j, values, rate):
                    carry_state(s, i, j, values, step, rate)
        held = count_held(s, values, rate)
    return held > 0


cdef int count_held(Stage *s, const double *values, const double *rate) noexcept nogil:
    """How many states rest so, where there are states without positions."""
    cdef int i, j, found = 0
    cdef bint counts = False
    for i in range(s.n_systems):
        counts = counts or without_positions(&s.system[i])
    for i in range(s.n_systems if counts else 0):
        for j in range(s.system[i].n if s.system[i].present else 0):
            found += is_held(&s.system[i], j, values, rate)
    return found


cdef inline bint is_held(const BoundSystem *system, int j, const double *values, const double *rate) noexcept nogil:
    cdef double terms = rate[first_rate(system, values) + j]
    return terms > 0.0 and fabs(system.unknown[j]) <= RESTS * terms


cdef void carry_state(Stage *s, int mover, int k, const double *values, double step, double *rate) noexcept nogil:
    """The same of one such state, moved by as little as is told from rounding of the rates."""
    cdef BoundSystem *moved = &s.system[mover]
    cdef BoundSystem *system
    cdef Group *g
    cdef double *state = moved.state + (moved.form.n_state - moved.n + k)
    cdef double unmoved = state[0], by = TOLD * step * rate[first_rate(moved, values) + k], change
    cdef int i, j, at
    state[0] += by
    for i in range(s.n_systems):
        system = &s.system[i]
        if without_positions(system) and (i == mover or meet(s, mover, i)):
            g, at = &s.group[system.group], first_rate(system, values)
            evaluate_rows(s, i)
            for j in range(system.n):
                change = fabs(g.rhs[system.offset + j] - g.resolved[system.offset + j])
                change *= CARRIED / TOLD * agility(system, j) * agility(system, j)
                rate[at + j] = fmax(rate[at + j], change if change < INFINITY else 0.0)
    state[0] = unmoved


cdef inline bint without_positions(const BoundSystem *system) noexcept nogil:
    return system.present and system.form.n_state == system.n


cdef inline int first_rate(const BoundSystem *system, const double *values) noexcept nogil:
    """Where the unknowns of a system stand among the rates."""
    return (system.state - values) + system.form.n_state - system.n


cdef void carry(Stage *s, const BoundRelation *r, int row, double terms, const double *values, double *rate) noexcept nogil:
    """The terms of a multiplier in the rates that it acts on: where those of its row cancel, rounding of them is in all."""
    cdef const Attachment *at
    cdef const BoundSystem *system
    cdef int i, j, k
    for i in range(r.n_attached if r.in_play and not s.piled else 0):
        at = &r.attached[i]
        system = &s.system[at.system]
        k = system.state - values
        for j in range(system.n if system.form.n_state == system.n and not s.group[at.group].sparse else 0):
            rate[k + j] = fmax(rate[k + j], CARRIED * fabs(solved(at)[(system.offset + j) * r.m + row]) * terms)


cdef inline double *resolved(Stage *s, const BoundSystem *system) noexcept nogil:
    """The terms of the rows of a system, as changes of its unknowns."""
    return s.group[system.group].resolved + system.offset


cdef inline double agility(const BoundSystem *system, int j) noexcept nogil:
    """1 / sqrt(m) of an unknown, m its entry on the diagonal; 0 where there is none."""
    cdef double m = fabs(system.matrix.value[system.pivot[j]]) if system.pivot[j] >= 0 else 0.0
    return 1.0 / sqrt(m) if m > 0.0 else 0.0


cdef double held_agility(const Stage *s, int number, int j) noexcept nogil:
    """The agility of an unknown of a system; without mass the least that a row which holds it makes of that of the others."""
    cdef double found = agility(&s.system[number], j), own, others
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef int p, row, a, k
    for p in range(s.n_play if found == 0.0 else 0):
        r = &s.relation[s.play[p]]
        for row in range(r.m):
            own = others = 0.0
            for a in range(r.n_attached):
                at = &r.attached[a]
                for k in range(at.n):
                    others = hypot(others, reaction_lambda(at)[k * r.m + row] * agility(&s.system[at.system], k))
                if at.system == number:
                    own = fabs(reaction_lambda(at)[j * r.m + row])
            if own > 0.0 and others > 0.0 and (found == 0.0 or others < found * own):
                found = others / own
    return found


cdef double multiplier_terms(Stage *s, BoundRelation *r, int row, double moves, double mixed) noexcept nogil:
    """Of a multiplier: itself, what the terms of its row come to, and rounding of the largest: by the energy that it moves,
    or of states as a least norm mixes them."""
    cdef const BoundSystem *system
    cdef const Attachment *at
    cdef double pivot = fabs(diagonal(s, r.row + row)[0]) if r.in_play and not s.piled else 0.0, moved = 0.0
    cdef double found = fabs(r.multiplier[row])
    cdef int i, j
    if pivot > 0.0:
        resolution(s, r, s.scratch)
        found = fmax(found, (r.scale[row] + s.scratch[row]) / pivot)
    for i in range(r.n_attached):
        at = &r.attached[i]
        system = &s.system[at.system]
        for j in range(at.n if system.form.n_state > system.n else 0):
            moved = hypot(moved, reaction_lambda(at)[j * r.m + row] * agility(system, j))
    return fmax(found, CARRIED * (moves / moved if moved > 0.0 else mixed if r.in_play else 0.0))


cdef void size_terms(Stage *s, BoundRelation *r) noexcept nogil:
    """The terms of the rows of a relation, and of its reactions beside those of the rows of its systems."""
    cdef const Attachment *at
    cdef double *scale
    cdef int j, k
    invoke(r.form.evaluate, &r.evaluate)
    if r.form.output != NULL:
        copy(r.scale, r.form.output + r.m, r.m)
    for k in range(r.n_attached):
        at = &r.attached[k]
        scale = s.group[at.group].scale + at.offset
        for j in range(at.n):
            scale[j] += reaction(at)[at.n + j]


cdef double largest_terms(Stage *s, int relation) noexcept nogil:
    cdef BoundRelation *r = &s.relation[relation]
    cdef double found = 0.0
    cdef int i
    size_terms(s, r)
    for i in range(r.m):
        found = fmax(found, r.scale[i])
    return found


cdef void position_terms(BoundSystem *system, int n, const double *size, double *rate, double step) noexcept nogil:
    """The terms of T(q) v before those of v': of each velocity alone, with what its terms make of it in a step."""
    cdef double *v = system.state + n
    cdef double *q = rate - n
    cdef int i, j
    memset(q, 0, n * sizeof(double))
    memcpy(system.residual, v, system.n * sizeof(double))
    memset(v, 0, system.n * sizeof(double))
    for j in range(system.n):
        v[j] = fmax(fabs(system.residual[j]), CARRIED * size[j]) + step * rate[j]
        call_advance(system)
        for i in range(n):
            q[i] += fabs(system.form.state_next[i])
        v[j] = 0.0
    memcpy(v, system.residual, system.n * sizeof(double))
