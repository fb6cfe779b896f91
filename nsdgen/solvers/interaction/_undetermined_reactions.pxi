"""How many reactions of a one-step problem its solution leaves undetermined, as ``certify/_undetermined.pxi`` counts them.

The columns of C are those of contacts, and each row of another cone whose bounds leave it free.
"""

cdef double ROUNDED_PIVOT = 1e-9  # of the largest one: rounding, as steps leave it in A
cdef double SYMMETRIC = 1e-12  # of two entries
cdef double DIRECTIONS = 16.0  # that are told apart: a motion that slides in others is looked at anew


cdef void forget_undetermined(OneStep *w) noexcept nogil:
    """The graph is another one."""
    cdef int p
    for p in range(w.n):
        w.undetermined.count[p] = -1


cdef int undetermined_rows(OneStep *w) noexcept nogil:
    """The dimension of that null space for the island at hand, at the solution in ``z`` with its ``y``.

    Counted again where the graph or the columns are others than in the last step: what A is otherwise does not
    matter, as a rule. 0 for islands of more than ``MOST_COUNTED`` rows.
    """
    cdef Undetermined *u = &w.undetermined
    cdef uint64_t cases
    if w.bottom - w.top > MOST_COUNTED:
        return 0
    if not w.friction:
        return open_island(w, w.undetermined.count[w.begin])
    cases = _columns(w)
    if u.count[w.begin] < 0 or u.cases[w.begin] != cases:
        u.cases[w.begin] = cases
        u.count[w.begin] = _count_reactions(w, False)
        u.turning[w.begin] = -1
    return u.count[w.begin] - closed_reactions(w, False) if u.count[w.begin] > 0 else u.count[w.begin]


cdef int told_rows(OneStep *w, int open) noexcept nogil:
    """``open``, which ``undetermined_rows`` found just now, or more where loads may change that turn the motion."""
    cdef Undetermined *u = &w.undetermined
    if u.slides < 0 or w.bottom - w.top > MOST_COUNTED or u.columns < 2:
        return open
    if u.turning[w.begin] < 0 or u.directions[w.begin] != u.direction:
        u.directions[w.begin] = u.direction
        u.still[w.begin] = 0
        u.turning[w.begin] = _count_reactions(w, True)
        if u.turning[w.begin] > 0:
            u.still[w.begin] = _count_reactions(w, False)
    if u.turning[w.begin] <= u.still[w.begin]:
        return open
    w.turned_row = 1 + u.slides
    return max(open, u.turning[w.begin] - closed_reactions(w, True))


cdef int open_island(OneStep *w, int deficiency) noexcept nogil:
    """In how many directions other solutions of an island without friction lie beside that in ``z``, with its ``y``;
    ``deficiency``, of the rows that are active or could be, where that is all that is known."""
    cdef double[2 * MOST_SIDED] bound
    cdef int n = w.bottom - w.top, i, found = -1
    cdef double *A
    if w.linear or n > MOST_SIDED or (deficiency == 0 and not _on_edges(w)):
        return deficiency
    A = <double *> malloc(n * n * sizeof(double))
    if A == NULL:
        return deficiency
    dense_rows(w, w.begin, w.end, A)
    if deficiency or not _is_symmetric(n, A):  # rows of a symmetric matrix that are independent determine all
        for i in range(n):
            row_bounds(w.cone[w.top + i], w.bound + 2 * (w.top + i), &bound[i], &bound[MOST_SIDED + i])
        found = open_rows(n, A, w.b + w.top, bound, bound + MOST_SIDED, w.z + w.top, w.y + w.top)
    free(A)
    return deficiency if found < 0 else found


cdef bint _on_edges(const OneStep *w) noexcept nogil:
    """Whether a row is at a bound with y = 0."""
    cdef double low, high
    cdef int i
    for i in range(w.top, w.bottom):
        if fabs(w.y[i]) <= DEGENERATE * w.scale[i] and w.cone[i] != EQUALITY and (
                row_bounds(w.cone[i], w.bound + 2 * i, &low, &high)) and not low < w.z[i] < high:
            return True
    return False


cdef bint _is_symmetric(int n, const double *A) noexcept nogil:
    cdef int i, j
    for i in range(n):
        for j in range(i):
            if fabs(A[i * n + j] - A[j * n + i]) > SYMMETRIC * (fabs(A[i * n + j]) + fabs(A[j * n + i])):
                return False
    return True


cdef bint leaves_open(OneStep *w) noexcept nogil:
    """Whether the reactions in ``z`` are not determined, however well they solve; rows are then measured beside the load."""
    output_rows(w)
    undetermined_rows(w)
    measure_grain(w)
    return w.coarse


cdef uint64_t _columns(OneStep *w) noexcept nogil:
    """The columns of the island at hand, in natural units, and a fingerprint of which there are."""
    cdef Undetermined *u = &w.undetermined
    cdef uint64_t cases = 14695981039346656037u
    cdef int i = w.top, d
    measure_load(w, True)
    u.slides, u.columns, u.direction = -1, 0, cases
    while i < w.bottom:
        d = block_height(w.cone[i])
        cases = (cases ^ <uint64_t> (_row(w, i) if d == 1 else _contact(w, i, d))) * 1099511628211u
        i += d
    return cases


cdef int _row(OneStep *w, int row) noexcept nogil:
    """The column of a row of its own, if its multiplier may change: 1 or 0 columns."""
    cdef Undetermined *u = &w.undetermined
    cdef double load = load_of(w, row), least = CLOSED * load * w.rho[row]
    cdef bint moves = fabs(w.y[row]) > AT_REST * load
    if w.cone[row] == COMPLEMENTARITY and moves and not w.z[row] > least:
        return 0
    if w.cone[row] == BOX and moves and not w.bound[2 * row] + least < w.z[row] < w.bound[2 * row + 1] - least:
        return 0
    memset(u.change + MAX_DIM * u.columns, 0, MAX_DIM * sizeof(double))
    u.change[MAX_DIM * u.columns] = sqrt(w.rho[row])
    u.at[u.columns] = row - w.top
    u.columns += 1
    return 1


cdef int _contact(OneStep *w, int row, int d) noexcept nogil:
    """The columns of a contact, none where it is open; a code for the case: how many, whether the first disk sticks or rubs.

    Notes whether it slides, and in which direction.
    """
    cdef Undetermined *u = &w.undetermined
    cdef double change[MAX_DIM * MAX_DIM]
    cdef int k, j, rubs = 0, count = contact_changes(
        d, w.bound + 2 * row, w.z[row], w.y + row, load_of(w, row) * w.rho[row], load_of(w, row + 1), change)
    for k in range(count):
        for j in range(MAX_DIM):
            u.change[MAX_DIM * u.columns + j] = change[k * d + j] * sqrt(w.rho[row + j if k else row]) if j < d else 0.0
        u.at[u.columns] = row - w.top
        u.columns += 1
    for j in range(1, d if count else 1):
        if change[j] != 0.0:
            rubs = 16
            u.slides = row if u.slides < 0 else u.slides
            u.direction = (u.direction ^ <uint64_t> <int64_t> rint(DIRECTIONS * change[j] / w.bound[2 * row])) * 1099511628211u
    return count + rubs + (8 if count > 1 and change[d + 1] != 0.0 else 0)


cdef int _count_reactions(OneStep *w, bint leading) noexcept nogil:
    """The dimension of the null space of C^T A C, or of E^T A C."""
    cdef Undetermined *u = &w.undetermined
    cdef int n = w.bottom - w.top, found
    cdef double *A = <double *> malloc(<size_t> n * n * sizeof(double)) if u.columns else NULL
    if A == NULL:
        return 0
    dense_rows(w, w.begin, w.end, A)
    found = open_changes(n, A, u.columns, MAX_DIM, u.change, u.at, leading, ROUNDED_PIVOT)
    free(A)
    return max(found, 0)
