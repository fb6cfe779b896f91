"""Multipliers in one unit: what a force makes of a step is an impulse.

A = R H M^-1 H^T C: R says what rows are (rates, accelerations times a step), C what multipliers are (impulses, forces
times a step). A_ij / A_ji tells one from the other no more than as C_j R_i / (C_i R_j); so the diagonal decides which
of them differs, for a step is far from 1 and levers are of one size.
"""

cdef double COUPLED = 1e-10  # of the mobilities of two nodes: less is rounding, and says nothing of units
cdef double SAME_UNIT = 1e-9  # of a block: what is left of its difference from the other one in one unit
cdef double FAR = 1e4  # of what rows would move by themselves: moments beside forces of things that are so large or small


cdef void measure_units(OneStep *w) noexcept nogil:
    """What one of each multiplier is as an impulse, C, into ``way``, and C / R into ``move``, relative to the first of
    those that are linked.

    1 for all where nothing makes A symmetric: a circuit, or a law of states, or rows with unknowns between them. A moment
    is FAR at most from what counts by energy, so that least norms are found in any unit of length.
    """
    cdef double natural
    cdef int i, first = w.begin
    if w.mixed or not _units_of_nodes(w):
        for i in range(w.top, w.bottom):
            w.way[i] = w.move[i] = 1.0
    while w.mixed and w.unknown[first]:
        first += 1
    first = w.row[first]
    for i in range(w.top, w.bottom):
        natural = w.way[first] * sqrt(w.stiffness[i] * w.rho[first])
        w.way[i] = fmax(natural / FAR, fmin(natural * FAR, w.way[i]))


cdef bint _units_of_nodes(OneStep *w) noexcept nogil:
    cdef int *queue = <int *> w.scratch
    cdef double *sides = w.move
    cdef double *unit = w.way
    cdef double *looked = w.f  # at a node's first row: 1 where all its pairs were
    cdef int p, q, c, i, j, head = 0, tail = 0, first
    cdef double ours, theirs, other
    for i in range(w.top, w.bottom):
        unit[i] = looked[i] = 0.0
    for first in range(w.begin, w.end):
        if unit[w.row[first]] == 0.0:
            unit[w.row[first]] = sides[w.row[first]] = 1.0
            queue[tail] = first
            tail += 1
        while head < tail:
            p = queue[head]
            i = w.row[p]
            head += 1
            for c in range(w.start[p], w.start[p + 1]):
                q = w.column[c]
                j = w.row[q]
                if looked[j]:
                    continue
                ours, theirs = _block_size(w, p, q), _block_size(w, q, p)
                if fmax(ours * ours, theirs * theirs) <= COUPLED * _block_size(w, p, p) * _block_size(w, q, q):
                    continue
                if unit[j] == 0.0 and theirs > 0.0:
                    other = 1.0 if fabs(ours - theirs) <= SAME_UNIT * ours else ours / theirs
                    sides[j] = sides[i] * other
                    unit[j] = unit[i] * other if (other > 1.0) == (w.stiffness[j] > w.stiffness[i]) else unit[i]
                    queue[tail] = q
                    tail += 1
                if not theirs > 0.0 or not _alike_across(w, p, q, sides[i], sides[j], SAME_UNIT * ours * sides[i]):
                    return False
            looked[i] = 1.0
    for p in range(w.begin, w.end):
        for i in range(w.row[p] + 1, w.row[p + 1]):
            unit[i], sides[i] = unit[w.row[p]], sides[w.row[p]]
    return True


cdef bint _alike_across(const OneStep *w, int p, int q, double ours, double theirs, double off) noexcept nogil:
    """Whether the blocks (p, q) and (q, p) times these are each other's transpose."""
    cdef const double *block = _block(w, p, q)
    cdef const double *other = _block(w, q, p)
    cdef int i, j, m = w.row[p + 1] - w.row[p], n = w.row[q + 1] - w.row[q]
    for i in range(m):
        for j in range(n):
            if not fabs(block[i * n + j] * ours - other[j * m + i] * theirs) <= off:
                return False
    return True


cdef double _block_size(const OneStep *w, int p, int q) noexcept nogil:
    """The root of the sum of squares of the block (p, q); 0 where there is none."""
    cdef const double *block = _block(w, p, q)
    cdef double total = 0.0
    cdef int i
    for i in range((w.row[p + 1] - w.row[p]) * (w.row[q + 1] - w.row[q]) if block != NULL else 0):
        total += block[i] * block[i]
    return sqrt(total)


cdef const double *_block(const OneStep *w, int p, int q) noexcept nogil:
    cdef int c
    for c in range(w.start[p], w.start[p + 1]):
        if w.column[c] == q:
            return w.value + w.place[c]
    return NULL
