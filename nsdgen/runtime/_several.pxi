"""Whether a step has other solutions than the one it took.

A row is at its lower bound with y >= 0, at its upper bound with y <= 0, or between them with y = 0. For each choice the
rows between bounds are a linear system: where it is regular its solution is one of the problem if bounds and signs hold,
where it is singular its null vectors lead along other ones from the solution that was taken, if that is of this choice.
"""

cdef enum RowCase:
    LOW = 0
    HIGH = 1
    BETWEEN = 2

cdef double SIGN = 1e-10  # of the terms of a row: below it a sign is rounding, as in the solvers
cdef double APART = 1e-6  # of the values: two solutions nearer than that may be one, found twice
cdef double UNMOVED = 1e-14  # of an unknown: what multipliers that are zero but for rounding move it by


cdef struct FewRows:
    # A problem of few rows: A z + b, z between its bounds.
    int n
    double A[MOST_WATCHED * MOST_WATCHED]
    double b[MOST_WATCHED]
    double z[MOST_WATCHED]
    double y[MOST_WATCHED]
    double terms[MOST_WATCHED]
    double low[MOST_WATCHED]
    double high[MOST_WATCHED]
    int place[MOST_WATCHED]
    double apart[MOST_WATCHED * MOST_WATCHED]  # directions from the solution taken to others, each with a row of its own
    int own[MOST_WATCHED]
    int dimension
    int moved  # 1 + the first row by which another solution is another motion


cdef void look_for_others(Stage *s, Counters *counters) noexcept nogil:
    """Count the dimensions in which other solutions of the last one-step problem lie beside it.

    Sets ``counters.deficiency`` to that where ranks found none missing, and ``counters.several`` to 1 + the row of the
    first where such a solution is another motion. Up to ``MOST_WATCHED`` rows with bounds or signs. Where the matrix is
    a P-matrix, or the problem monotone with changes that move nothing, there is one motion whatever the
    right-hand side is, and nothing more is looked at; ``s.watched`` keeps that verdict until the matrix changes. Else
    all sets of active rows are tried in an affine stage, and how far the multipliers may move beside the solution in
    any.
    """
    cdef FewRows p
    if not gather_rows(s, &p):
        return
    judge(s, &p)
    if s.watched.verdict == ONE_MOTION:
        return
    p.moved = p.dimension = 0
    values(&p, p.z, p.y, p.terms)
    try_places(s, &p)
    if counters.deficiency == 0:
        counters.deficiency = p.dimension
    counters.several = p.moved


cdef bint gather_rows(Stage *s, FewRows *p) noexcept nogil:
    """The problem with all entries; False where it is none of few rows with bounds and signs."""
    cdef OneStep *w = &s.graph
    cdef int i, cone
    p.n = s.n_rows
    if p.n == 0 or p.n > MOST_WATCHED or s.n_border or s.traced or s.has_coupled or (
            s.augmented != NULL and s.augmented.rows):
        return False
    for i in range(p.n):
        cone = w.cone[i] if s.sparse else s.cone[i]
        if not row_bounds(cone, w.bound + 2 * i, &p.low[i], &p.high[i]):
            return False
        p.z[i] = w.z[i] if s.sparse else s.z[i]
        p.b[i] = w.b[i] if s.sparse else s.b[i]
    if not s.sparse:
        memcpy(p.A, s.A, p.n * p.n * sizeof(double))
        return True
    dense_rows(w, 0, w.n, p.A)
    return True


cdef void judge(Stage *s, const FewRows *p) noexcept nogil:
    """Whether the matrix alone leaves one motion; what was found of the same matrix before is right still."""
    cdef int i, size = p.n * p.n
    if s.watched.verdict != UNKNOWN and s.watched.n == p.n:
        for i in range(size):
            if s.watched.A[i] != p.A[i]:
                break
        else:
            return
    s.watched.n = p.n
    memcpy(s.watched.A, p.A, size * sizeof(double))
    s.watched.verdict = ONE_MOTION if all_minors(p) or one_motion(s, p) else OPEN


cdef bint one_motion(Stage *s, const FewRows *p) noexcept nogil:
    """Whether changes between the solutions of a monotone problem move no unknown, whatever the right-hand side is."""
    cdef double[MOST_WATCHED * MOST_WATCHED] basis
    cdef int k = monotone_changes(p.n, p.A, p.low, p.high, basis)
    return k >= 0 and null_that_moves(s, p.n, p.A, k, basis, p.z) == 0


cdef int turned_row(Stage *s) noexcept nogil:
    cdef OneStep *w = &s.graph
    cdef int i, j, k, n = s.n_rows, found
    cdef size_t square = <size_t> n * n
    cdef double *A
    cdef double *unit
    if s.has_coupled:  # what multipliers move is not at hand
        return 0
    A = <double *> malloc((3 * square + 2 * n) * sizeof(double) + n * sizeof(int))
    if A == NULL:
        return 0
    unit = A + 3 * square + n
    if s.sparse:
        dense_rows(w, 0, w.n, A)
    else:
        memcpy(A, s.A, square * sizeof(double))
    for i in range(n):
        if s.sparse and fabs(w.y[i]) > APART * w.scale[i]:  # what moves does not hold
            for j in range(n):
                A[i * n + j] = A[j * n + i] = 0.0
            A[i * n + i] = 1.0
        unit[i] = 1.0 / sqrt(fabs(A[i * n + i])) if A[i * n + i] != 0.0 else 1.0  # rows of what is light or heavy count alike
    k = null_vectors(n, A, unit, 0.0, A + square, A + 2 * square, <int *> (unit + n))
    found = null_that_moves(s, n, A, k, A + square, w.z if s.sparse else s.z)
    free(A)
    return found


cdef int null_that_moves(Stage *s, int n, const double *A, int k, const double *basis, const double *z) noexcept nogil:
    """1 + a row of multipliers that change by one of k vectors, the columns of ``basis``, which moves an unknown; 0: none
    does, as among those of dependent constraints."""
    cdef double *other = <double *> malloc(2 * n * sizeof(double))
    cdef double *unit = other + n
    cdef double step = 1.0, most, longest
    cdef int i, j, row = 0, found = 0
    if other == NULL:
        return 1
    for i in range(n):
        step = fmax(step, fabs(z[i]))
        unit[i] = sqrt(fabs(A[i * n + i]))
    for j in range(k):
        most = longest = 0.0
        for i in range(n):
            if fabs(basis[i * k + j]) > longest:
                row, longest = i, fabs(basis[i * k + j])
            most = fmax(most, fabs(basis[i * k + j]) * unit[i])
        for i in range(n):
            other[i] = z[i]
            if unit[i] == 0.0 or fabs(basis[i * k + j]) * unit[i] > SIGN * most:  # alone it would move all that it can
                other[i] += step * basis[i * k + j] / longest
        if moves(s, z, other):
            found = 1 + row
            break
    free(other)
    return found


cdef bint all_minors(const FewRows *p) noexcept nogil:
    """Whether A is a P-matrix, clearly: its equality rows are eliminated by being among the minors."""
    cdef double terms[MOST_WATCHED * MOST_WATCHED]
    cdef int i
    for i in range(p.n * p.n):
        terms[i] = fabs(p.A[i])
    return nsd_p_matrix(p.n, p.A, terms)


cdef void values(const FewRows *p, const double *z, double *y, double *terms) noexcept nogil:
    """A z + b, and the sums of the magnitudes of its terms."""
    cdef double term
    cdef int i, j
    for i in range(p.n):
        y[i], terms[i] = p.b[i], fabs(p.b[i])
        for j in range(p.n):
            term = p.A[i * p.n + j] * z[j]
            y[i] += term
            terms[i] += fabs(term)


cdef void try_places(Stage *s, FewRows *p) noexcept nogil:
    """All places of all rows, as the digits of a number."""
    cdef int i
    for i in range(p.n):
        p.place[i] = first_place(p, i)
    while True:
        try_one(s, p)
        i = 0
        while i < p.n:
            p.place[i] += 1
            if p.place[i] == HIGH and p.high[i] == INFINITY:
                p.place[i] = BETWEEN
            if p.place[i] <= BETWEEN:
                break
            p.place[i] = first_place(p, i)
            i += 1
        if i == p.n:
            return


cdef inline int first_place(const FewRows *p, int i) noexcept nogil:
    return LOW if p.low[i] > -INFINITY else HIGH if p.high[i] < INFINITY else BETWEEN


cdef void try_one(Stage *s, FewRows *p) noexcept nogil:
    """The solution of one choice of places, or what leads from the one that was taken to others of this choice."""
    cdef double a[MOST_WATCHED * MOST_WATCHED]
    cdef double z[MOST_WATCHED]
    cdef double right[MOST_WATCHED]
    cdef int free[MOST_WATCHED]
    cdef int pivot[MOST_WATCHED]
    cdef int i, j, m = 0
    for i in range(p.n):
        z[i] = 0.0
        if p.place[i] == BETWEEN:
            free[m] = i
            m += 1
        else:
            z[i] = p.low[i] if p.place[i] == LOW else p.high[i]
    for i in range(m):
        right[i] = -p.b[free[i]]
        for j in range(p.n):
            right[i] -= p.A[free[i] * p.n + j] * z[j]
        for j in range(m):
            a[i * m + j] = p.A[free[i] * p.n + free[j]]
    if m and lu_factor(m, a, pivot):
        for i in range(m):
            for j in range(m):
                a[i * m + j] = p.A[free[i] * p.n + free[j]]
        slide(s, p, a, free, m)
        return
    if not s.affine:  # far from where it was linearised it says nothing
        return
    if m:
        lu_solve(m, a, pivot, right, 1)
    for i in range(m):
        z[free[i]] = right[i]
    if solves(p, z):
        note(s, p, z)


cdef bint solves(const FewRows *p, const double *z) noexcept nogil:
    """Whether bounds and signs hold."""
    cdef double y[MOST_WATCHED]
    cdef double terms[MOST_WATCHED]
    cdef double width
    cdef int i
    values(p, z, y, terms)
    for i in range(p.n):
        width = SIGN * fmax(fabs(z[i]), 0.0 if p.low[i] == -INFINITY else fabs(p.low[i]))
        if p.place[i] == BETWEEN:
            if not (p.low[i] - width <= z[i] <= p.high[i] + width and fabs(y[i]) <= SIGN * terms[i]):
                return False
        elif p.low[i] < p.high[i] and (y[i] if p.place[i] == LOW else -y[i]) < -SIGN * terms[i]:
            return False
    return True


cdef void slide(Stage *s, FewRows *p, double *a, const int *free, int m) noexcept nogil:
    """Where the solution is of this choice: as far as bounds and signs allow along the null vectors of a singular matrix."""
    cdef double along[MOST_WATCHED]
    cdef double end[MOST_WATCHED]
    cdef double scratch[MOST_WATCHED]
    cdef int column[MOST_WATCHED]
    cdef double far
    cdef int i, k, side, rank
    for i in range(p.n):
        if p.place[i] == BETWEEN and fabs(p.y[i]) > SIGN * p.terms[i]:
            return
        if p.place[i] != BETWEEN and p.z[i] != (p.low[i] if p.place[i] == LOW else p.high[i]):
            return
    rank = reduce_rows(m, a, 0.0, NO_PIVOT, True, column, scratch)
    for k in range(rank, m):
        for i in range(p.n):
            along[i] = 0.0
        along[free[column[k]]] = 1.0
        for i in range(rank):
            along[free[column[i]]] = -a[i * m + k]
        for side in range(2):
            far = room(p, along)
            if far > 0.0:
                far = fmin(far, 1e6 * largest(p))
                for i in range(p.n):
                    end[i] = p.z[i] + far * along[i]
                note(s, p, end)
            for i in range(p.n):
                along[i] = -along[i]


cdef double largest(const FewRows *p) noexcept nogil:
    cdef double found = 1.0
    cdef int i
    for i in range(p.n):
        found = fmax(found, fabs(p.z[i]))
    return found


cdef double room(const FewRows *p, const double *along) noexcept nogil:
    """How far bounds and signs allow to go."""
    cdef double far = INFINITY, slope, terms
    cdef int i, j
    for i in range(p.n):
        if p.place[i] == BETWEEN:
            if along[i] > 0.0:
                far = fmin(far, (p.high[i] - p.z[i]) / along[i])
            elif along[i] < 0.0:
                far = fmin(far, (p.low[i] - p.z[i]) / along[i])
            continue
        slope = terms = 0.0
        for j in range(p.n):
            slope += p.A[i * p.n + j] * along[j]
            terms += fabs(p.A[i * p.n + j] * along[j])
        slope, terms = (slope if p.place[i] == LOW else -slope), SIGN * terms
        if slope < -terms:
            far = fmin(far, fmax(p.y[i] if p.place[i] == LOW else -p.y[i], 0.0) / -slope)
    return far


cdef void note(Stage *s, FewRows *p, const double *z) noexcept nogil:
    """Another solution: whether it lies in a direction of its own, and moves another way."""
    cdef double[MOST_WATCHED] along
    cdef double size = 0.0, largest = 0.0
    cdef int i, k, first = -1
    for i in range(p.n):
        along[i] = z[i] - p.z[i]
        if fabs(along[i]) > APART * fmax(fabs(z[i]), fabs(p.z[i])):
            if first < 0:
                first = i
            size = fmax(size, fabs(along[i]))
    for k in range(p.dimension if first >= 0 else 0):
        largest = along[p.own[k]]
        for i in range(p.n):
            along[i] -= largest * p.apart[k * p.n + i]
    largest = 0.0
    for i in range(p.n):
        if fabs(along[i]) > largest:
            k, largest = i, fabs(along[i])
    if largest > APART * size and first >= 0:
        p.own[p.dimension] = k
        for i in range(p.n):
            p.apart[p.dimension * p.n + i] = along[i] / along[k]
        p.dimension += 1
    if first >= 0 and p.moved == 0 and moves(s, p.z, z):
        p.moved = first + 1


cdef bint moves(Stage *s, const double *before, const double *z) noexcept nogil:
    """Whether X (z - z') is more than rounding in any unknown."""
    cdef const BoundRelation *r
    cdef const Attachment *at
    cdef const BoundSystem *system
    cdef double total, terms, term
    cdef int number, row, i, k, q
    for number in range(s.n_systems):
        system = &s.system[number]
        for row in range(system.offset, system.offset + (system.n if system.present else 0)):
            total, terms = 0.0, UNMOVED / APART * fabs(system.unknown[row - system.offset])
            for i in range(s.n_play):
                r = &s.relation[s.play[i]]
                for k in range(r.n_attached):
                    at = &r.attached[k]
                    for q in range(r.m if at.group == system.group else 0):
                        term = solved(at)[row * r.m + q]
                        total += term * (z[r.row + q] - before[r.row + q])
                        terms += fabs(term) * (fabs(z[r.row + q]) + fabs(before[r.row + q]))
            if fabs(total) > APART * terms:
                return True
    return False
