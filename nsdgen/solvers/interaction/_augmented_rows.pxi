"""Newton's direction for an island in which unknowns stand beside multipliers: factors that exchange rows and columns.

Rows of unknowns, 0 = W d - B lambda + r, are equalities whose multipliers are the unknowns d themselves. Then A, as the
problem holds it, is [[W, -B], [C, D]]: no part of it need be definite, and diagonal entries may be zero. It is
factored as it is, without a shift; where J has not its full rank, ``deficiency`` of the factors says by how much, and
what they leave open spans its null space.
"""

cdef double GOLDEN = 0.6180339887498949  # its multiples modulo 1: no two columns weigh the same
cdef double IS_OPEN = 1e-8  # of the terms: more is no rounding


cdef size_t _count(const OneStep *w) noexcept nogil:
    """The entries of all blocks of the island."""
    cdef size_t count = 0
    cdef int p, c
    for p in range(w.begin, w.end):
        for c in range(w.start[p], w.start[p + 1]):
            count += (w.row[p + 1] - w.row[p]) * (w.row[w.column[c] + 1] - w.row[w.column[c]])
    return count


cdef int _analyse(OneStep *w) noexcept nogil:
    """The pattern of J, its columns in the order of the nodes; 0, or -1 without memory."""
    cdef int *row = NULL
    cdef int *column = NULL
    cdef int *order = NULL
    cdef int p, q, c, i, l, e = 0, k = 0, n = w.bottom - w.top, status = -1
    cdef size_t count = _count(w)
    if count > w.room_entries:
        if resize_ints(count, &w.entry):
            return -1
        w.room_entries = count
    if not (resize_ints(count, &row, &column) or resize_ints(n, &order)):
        for p in range(w.begin, w.end):
            for c in range(w.start[p], w.start[p + 1]):
                q = w.column[c]
                for i in range(w.row[p], w.row[p + 1]):
                    for l in range(w.row[q], w.row[q + 1]):
                        row[e], column[e] = i - w.top, l - w.top
                        e += 1
        for i in range(w.begin, w.end):
            for l in range(w.row[w.order[i]], w.row[w.order[i] + 1]):
                order[k] = l - w.top
                k += 1
        status = sparse_lu_pattern(&w.mixed_lu, n, e, row, column, order, w.entry)
    free_all(row, column, order)
    return status


cdef void _fill_augmented(OneStep *w) noexcept nogil:
    """J, entry by entry."""
    cdef double *value = w.mixed_lu.value
    cdef const double *block
    cdef const double *by_u
    cdef const double *by_r
    cdef double total
    cdef int p, c, i, j, l, m, mq, e = 0
    sparse_lu_clear(&w.mixed_lu)
    for p in range(w.begin, w.end):
        m = w.row[p + 1] - w.row[p]
        by_u, by_r = w.by_u + w.own[p], w.by_r + w.own[p]
        for i in range(m):  # the block of a node is the first one of its row
            for l in range(m):
                value[w.entry[e + i * m + l]] += by_r[i * m + l]
        for c in range(w.start[p], w.start[p + 1]):
            mq = w.row[w.column[c] + 1] - w.row[w.column[c]]
            block = w.value + w.place[c]
            for i in range(m):
                for l in range(mq):
                    total = 0.0
                    for j in range(m):
                        total += by_u[i * m + j] * block[j * mq + l]
                    value[w.entry[e]] += total
                    e += 1


cdef void add_resolved_terms(OneStep *w) noexcept nogil:
    """Add to the terms of a multiplier's row what those of the unknowns that it sees amount to in it: |C| |W_jj|^-1 of
    theirs.

    An unknown is what its own terms leave, B lambda above all. Without unknowns these are the terms A lambda; C d alone
    may vanish.
    """
    cdef const double *block
    cdef double resolved
    cdef int p, c, i, m, unknown
    for p in range(w.begin, w.end):
        m = 0 if w.unknown[p] else w.row[p + 1] - w.row[p]
        for c in range(w.start[p], w.start[p + 1] if m else w.start[p]):
            if w.unknown[w.column[c]]:
                unknown = w.row[w.column[c]]
                block = w.value + w.place[c]
                resolved = w.scale[unknown] / w.stiffness[unknown]
                for i in range(m):
                    w.scale[w.row[p] + i] += fabs(block[i]) * resolved


cdef int factor_augmented(OneStep *w) noexcept nogil:
    """Factor J = F_z + F_y A of the island; 0, 1 where no pivots are good enough, -1 without memory."""
    cdef int status
    if w.analysed != w.end:
        w.analysed = 0
        if _analyse(w):
            return -1
        w.analysed = w.end
    _fill_augmented(w)
    status = sparse_lu_factor(&w.mixed_lu)
    w.lu.deficiency = w.mixed_lu.n - w.mixed_lu.rank
    if status == SPARSE_LU_NO_MEMORY:
        return -1
    return status != SPARSE_LU_OK


cdef bint leaves_unknowns_open(OneStep *w) noexcept nogil:
    """Whether the factors, which have not their full rank, leave more undetermined than multipliers: unknowns, too."""
    cdef double *z = w.move + w.top
    cdef double total = 0.0, largest = 0.0, moved = 0.0, terms
    cdef int p, q, c, l, i
    memset(w.scratch, 0, w.mixed_lu.n * sizeof(double))
    for i in range(w.mixed_lu.rank, w.mixed_lu.n):
        total += GOLDEN
        total -= total >= 1.0
        w.scratch[i] = 0.5 + total
    sparse_lu_backward(&w.mixed_lu, w.scratch, z)
    for p in range(w.begin, w.end):
        if not w.unknown[p]:
            continue
        i, terms = w.row[p], 0.0
        for c in range(w.start[p], w.start[p + 1]):
            q = w.column[c]
            for l in range(0 if w.unknown[q] else w.row[q + 1] - w.row[q]):
                terms += fabs(w.value[w.place[c] + l] * w.move[w.row[q] + l])
        largest = fmax(largest, terms)
        moved = fmax(moved, fabs(w.move[i]) * w.stiffness[i])
    return moved > IS_OPEN * largest


cdef void fill_augmented_basis(OneStep *w, Basis *basis) noexcept nogil:
    """What each unknown of the border makes of the others while J sees nothing of it, on the rows of multipliers."""
    cdef int p, i
    sparse_lu_null_vectors(&w.mixed_lu, basis.vector)
    for p in range(w.begin, w.end):
        for i in range(w.row[p], w.row[p + 1]):
            w.move[i] = not w.unknown[p]
    for i in range(basis.rows):
        basis.place[i] = w.top + w.mixed_lu.pivot_column[i]
        if not w.move[basis.place[i]]:
            memset(basis.vector + <size_t> i * basis.columns, 0, basis.columns * sizeof(double))


cdef void find_augmented_direction(OneStep *w) noexcept nogil:
    """``move`` = J^-1 F."""
    cdef int p, i, m
    sparse_lu_forward(&w.mixed_lu, w.f + w.top, w.scratch)
    for i in range(w.mixed_lu.rank, w.mixed_lu.n):
        w.scratch[i] = 0.0
    sparse_lu_backward(&w.mixed_lu, w.scratch, w.move + w.top)
    for p in range(w.begin, w.end):
        m = w.row[p + 1] - w.row[p]
        for i in range(m):
            if _is_at_bound(w.by_u + w.own[p] + i * m, w.by_r + w.own[p] + i * m, m, i):
                w.move[w.row[p] + i] = w.f[w.row[p] + i]


cdef inline bint _is_at_bound(const double *by_u, const double *by_r, int m, int i) noexcept nogil:
    """Whether a row says what its multiplier is and nothing else: then it is exact."""
    cdef int j
    for j in range(m):
        if by_u[j] != 0.0 or by_r[j] != (j == i):
            return False
    return True
