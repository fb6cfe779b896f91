"""Changes of reactions that are closed: in one sense by the bounds that they are at, in the other by what else holds.

Two brakes whose sum is all that a load leaves them are determined, and so is friction where nothing presses.
"""


cdef int closed_reactions(OneStep *w, bint leading) noexcept nogil:
    """Of the null space that ``_undetermined_reactions.pxi`` counts, that of E^T A C with ``leading``; the columns are known and
    the load measured, for the island at hand."""
    cdef const Undetermined *u = &w.undetermined
    cdef int n = w.bottom - w.top, i = w.top, k = u.columns, m = 0, d, j, l
    cdef double *A
    cdef double *C
    cdef double *S
    if n > MOST_SIDED:
        return 0
    A = <double *> malloc(6 * n * n * sizeof(double))
    if A == NULL:
        return 0
    C, S = A + n * n, A + 2 * n * n
    memset(C, 0, 5 * n * n * sizeof(double))
    while i < w.bottom:
        d = block_height(w.cone[i])
        m += _row_sides(w, i, S + 2 * m * n, n) if d == 1 else _contact_sides(w, i, d, S + 2 * m * n, n)
        i += d
    if m:
        dense_rows(w, w.begin, w.end, A)
        for j in range(k):
            for l in range(min(MAX_DIM, n - u.at[j])):
                C[(u.at[j] + l) * k + j] = u.change[MAX_DIM * j + l]
        m = closed_changes(n, A, k, C, leading, m, S)
    free(A)
    return m


cdef int _row_sides(const OneStep *w, int row, double *side, int n) noexcept nogil:
    """The bounds that a row of its own is at, with what lies beside them, which is nothing; both of one that cannot change."""
    cdef double least = CLOSED * load_of(w, row) * w.rho[row]
    cdef int i = row - w.top, made = 0
    if w.cone[row] == COMPLEMENTARITY and w.z[row] <= least or w.cone[row] == BOX and w.z[row] <= w.bound[2 * row] + least:
        side[i] = 1.0
        made = 1
    if w.cone[row] == BOX and w.z[row] >= w.bound[2 * row + 1] - least:
        side[2 * made * n + i] = -1.0
        made += 1
    return made


cdef int _contact_sides(const OneStep *w, int row, int d, double *side, int n) noexcept nogil:
    """The bounds that the reaction of a contact is at, each with what is 0 where that is: friction across itself."""
    cdef const double *r = w.z + row
    cdef const double *u = w.y + row
    cdef bint presses = r[0] > CLOSED * load_of(w, row) * w.rho[row]
    cdef int at = row - w.top, size = disk_size(d), made = 0, k, j, first
    cdef double mu, length
    if not presses:
        side[at] = 1.0
        made = 1
    for k in range(disk_count(d)):
        mu, first = w.bound[2 * row + k], 1 + k * size
        if not 0.0 < mu < NO_SLIP or norm(size, u + first) > AT_REST * load_of(w, row + first):
            continue
        length = norm(size, r + first)
        if not presses:
            for j in range(2 * size):
                side[2 * made * n + at] = mu
                side[2 * made * n + at + first + j // 2] = 1.0 - 2.0 * (j % 2)
                made += 1
        elif length >= OFF_BOUND * mu * r[0]:
            side[2 * made * n + at] = mu
            for j in range(size):
                side[2 * made * n + at + first + j] = -r[first + j] / length
                if size == 2:
                    side[(2 * made + 1) * n + at + first + j] = (1 - 2 * j) * r[first + 1 - j] / length
            made += 1
    return made
