"""How many reactions of a one-step problem with friction its solution leaves undetermined.

Reactions may change by columns of F: those of contacts (``contact_changes``), and a row of another cone where its bounds
leave it free. What changes no velocity is the null space of the symmetric F^T A F, whose factors along the graph count it.
Where contacts slide more may change: friction follows its load, and only the first row of each column must stay as it
is. E has these rows alone. The null space of E^T A F beyond the other one is of loads that turn the motion: a plate that
slides and spins on four feet.
"""

cdef enum:
    MOST_ISLAND_ROWS = 300  # of an island, as in ``solve_friction``

cdef double ROUNDED_PIVOT = 1e-9  # pivots are of size 1; one this small is rounding
cdef double DIRECTIONS = 16.0  # that are told apart: a motion that slides in others is looked at anew


cdef void forget_undetermined(OneStep *w) noexcept nogil:
    """The graph is another one."""
    cdef int p
    for p in range(w.n):
        w.undetermined.count[p] = -1


cdef int undetermined_rows(OneStep *w) noexcept nogil:
    """The dimension of that null space for the island at hand, at the solution in ``z`` with its ``y``.

    Counted again where the graph or the columns of F are others than in the last step: what A is otherwise does not
    matter, as a rule. 0 for islands of more than ``MOST_ISLAND_ROWS`` rows.
    """
    cdef Undetermined *u = &w.undetermined
    cdef uint64_t columns
    if w.bottom - w.top > MOST_ISLAND_ROWS:
        return 0
    if not w.friction:
        return w.undetermined.count[w.begin]
    columns = _columns(w)
    if u.count[w.begin] < 0 or u.columns[w.begin] != columns:
        u.columns[w.begin] = columns
        u.count[w.begin] = _count_reactions(w, False)
        u.turning[w.begin] = -1
    return u.count[w.begin] - closed_reactions(w, False) if u.count[w.begin] > 0 else u.count[w.begin]


cdef int told_rows(OneStep *w, int open) noexcept nogil:
    """``open``, which ``undetermined_rows`` found just now, or more where loads may change that turn the motion."""
    cdef Undetermined *u = &w.undetermined
    if u.slides < 0 or w.bottom - w.top > MOST_ISLAND_ROWS or (w.end - w.begin == 1 and u.width[w.begin] < 2):
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


cdef int without_closed(OneStep *w, int count) noexcept nogil:
    """``count`` less what bounds close, of rows without friction."""
    if count > 0 and not w.linear and w.bottom - w.top <= MOST_SIDED:
        _columns(w)
        count -= closed_reactions(w, False)
    return count


cdef bint leaves_open(OneStep *w) noexcept nogil:
    """Whether the reactions in ``z`` are not determined, however well they solve; rows are then measured beside the load."""
    output_rows(w)
    undetermined_rows(w)
    measure_grain(w)
    return w.coarse


cdef uint64_t _columns(OneStep *w) noexcept nogil:
    """F block by block into ``by_r``, in natural units, its widths, and a fingerprint of which columns there are."""
    cdef double *own
    cdef uint64_t cases = 14695981039346656037u
    cdef int p, i, m, d, width, code
    measure_load(w, True)
    w.undetermined.slides = -1
    w.undetermined.direction = cases
    for p in range(w.begin, w.end):
        m = w.row[p + 1] - w.row[p]
        own = w.by_r + w.own[p]
        memset(own, 0, m * m * sizeof(double))
        width = i = 0
        while i < m:
            d = block_height(w.cone[w.row[p] + i])
            code = _row(w, w.row[p] + i, own, i, m, &width) if d == 1 else _contact(
                w, w.row[p] + i, d, own, i, m, &width)
            cases = (cases ^ code) * 1099511628211u
            i += d
        w.undetermined.width[p] = width
    return cases


cdef int _row(const OneStep *w, int row, double *own, int i, int m, int *width) noexcept nogil:
    """The column of a row of its own, if its multiplier may change: 1 or 0 columns."""
    cdef double load = load_of(w, row), least = CLOSED * load * w.rho[row]
    cdef bint moves = fabs(w.y[row]) > AT_REST * load
    if w.cone[row] == COMPLEMENTARITY and moves and not w.z[row] > least:
        return 0
    if w.cone[row] == BOX and moves and not w.bound[2 * row] + least < w.z[row] < w.bound[2 * row + 1] - least:
        return 0
    own[i * m + width[0]] = sqrt(w.rho[row])
    width[0] += 1
    return 1


cdef int _contact(OneStep *w, int row, int d, double *own, int i, int m, int *width) noexcept nogil:
    """The columns of a contact, none where it is open; a code for the case: how many, whether the first disk sticks or rubs.

    Notes whether it slides, and in which direction.
    """
    cdef Undetermined *u = &w.undetermined
    cdef double change[MAX_DIM * MAX_DIM]
    cdef int k, j, rubs = 0, count = contact_changes(
        d, w.bound + 2 * row, w.z[row], w.y + row, load_of(w, row) * w.rho[row], load_of(w, row + 1), change)
    for k in range(count):
        for j in range(d):
            own[(i + j) * m + width[0]] = change[k * d + j] * sqrt(w.rho[row + j if k else row])
        width[0] += 1
    for j in range(1, d if count else 1):
        if change[j] != 0.0:
            rubs = 16
            u.slides = row if u.slides < 0 else u.slides
            u.direction = (u.direction ^ <uint64_t> <int64_t> rint(DIRECTIONS * change[j] / w.bound[2 * row])) * 1099511628211u
    return count + rubs + (8 if count > 1 and change[d + 1] != 0.0 else 0)


cdef int _count_reactions(OneStep *w, bint leading) noexcept nogil:
    """The pivots of F^T A F that are zero, or of E^T A F, of the first row of each column."""
    cdef Undetermined *u = &w.undetermined
    cdef int i, p, c, k = 0, blocks = 0
    u.leading = leading
    if block_lu_reserve(&u.lu, w.end - w.begin):
        return 0
    for i in range(w.begin, w.end):
        p = w.order[i]
        u.position[p] = -1
        if u.width[p]:
            u.position[p] = k
            u.node[k] = p
            u.lu.size[k] = u.width[p]
            k += 1
    for i in range(k):
        p = u.node[i]
        u.start[i] = blocks
        for c in range(w.start[p], w.start[p + 1]):
            u.neighbour[blocks] = u.position[w.column[c]]
            blocks += 1
    u.start[k] = blocks
    if block_lu_analyse(&u.lu, k, u.start, u.neighbour):
        return 0
    u.lu.truncate = True
    return 0 if block_lu_factor(&u.lu, _fill_reactions, w, ROUNDED_PIVOT) else u.lu.deficiency


cdef const double *_fill_reactions(void *matrix, int k, double *work, const int *first) noexcept nogil:
    """Block row k of F^T A F or E^T A F, for ``block_lu_factor``."""
    cdef OneStep *w = <OneStep *> matrix
    cdef Undetermined *u = &w.undetermined
    cdef int p = u.node[k], m = w.row[p + 1] - w.row[p], q, mq, c, i, j, a, b, width = u.width[p]
    cdef const double *ours = w.by_r + w.own[p]
    cdef const double *theirs
    cdef const double *block
    cdef double *x
    cdef double total
    for c in range(w.start[p], w.start[p + 1]):
        q = w.column[c]
        if u.position[q] < 0:
            continue
        block = w.value + w.place[c]
        theirs = w.by_r + w.own[q]
        mq = w.row[q + 1] - w.row[q]
        x = work + width * first[u.position[q]]
        for j in range(u.width[q]):
            for a in range(m):
                total = 0.0
                for b in range(mq):
                    total += block[a * mq + b] * theirs[b * mq + j]
                for i in range(width):
                    if ours[a * m + i] != 0.0 and (not u.leading or a == 0 or not _entered(ours + i, m, a)):
                        x[i * u.width[q] + j] += ours[a * m + i] * total
    return NULL


cdef inline bint _entered(const double *column, int m, int row) noexcept nogil:
    """Whether a column of F has an entry before this row."""
    cdef int i
    for i in range(row):
        if column[i * m] != 0.0:
            return True
    return False
