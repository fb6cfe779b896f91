"""Newton's direction for one island of a one-step problem, by block LU."""

cdef enum:
    SMALL = 64  # rows: of smaller islands new factors cost little

cdef double ALIKE = 1e-3  # derivatives in the same case, of their size
cdef double DEPENDENT = 3e-5  # pivots are of size REACH; one this small is the shift's


cdef const double *_fill_directions(void *matrix, int k, double *work, const int *first) noexcept nogil:
    """Block row k of J = F_z + F_y (A + shift), for ``block_lu_factor``."""
    cdef OneStep *w = <OneStep *> matrix
    cdef int p = w.node[k], base = w.row[p], m = w.row[p + 1] - base, c, j, mq, i, l
    cdef const double *block
    cdef const double *by_u = w.by_u + w.own[p]
    cdef const double *by_r = w.by_r + w.own[p]
    cdef double *x
    for c in range(w.start[p], w.start[p + 1]):
        j = w.position[w.column[c]]
        if j < 0:
            continue
        block = w.value + w.place[c]
        x = work + m * first[j]
        if m == 1 and first[j + 1] - first[j] == 1:
            x[0] += by_u[0] * block[0]
            continue
        mq = first[j + 1] - first[j]
        if w.friction:
            nsd_block_product(x, mq, by_u, m, m, block, mq)
            continue
        for i in range(m):  # a row depends on its own y alone
            for l in range(mq if by_u[i * (m + 1)] != 0.0 else 0):
                x[i * mq + l] += by_u[i * (m + 1)] * block[i * mq + l]
    x = work + m * first[k]
    if not w.friction:
        for i in range(m):
            x[i * (m + 1)] += by_r[i * (m + 1)] + by_u[i * (m + 1)] * w.shift[base + i]
        return w.unit + base
    for i in range(m):
        for l in range(m):
            x[i * m + l] += by_r[i * m + l] + by_u[i * m + l] * w.shift[base + l]
    return w.unit + base


cdef const double *_fill_columns(void *matrix, int k, double *work, const int *first) noexcept nogil:
    """Block row k of J = (A + shift) F_y + F_z, for ``block_lu_factor``."""
    cdef OneStep *w = <OneStep *> matrix
    cdef int p = w.node[k], m = w.row[p + 1] - w.row[p], c, j, q, mq, i, l
    cdef const double *by_u = w.by_u + w.own[p]
    cdef const double *by_r = w.by_r + w.own[p]
    cdef double *x
    for c in range(w.start[p], w.start[p + 1]):
        q = w.column[c]
        j = w.position[q]
        if j >= 0:
            mq = w.row[q + 1] - w.row[q]
            nsd_block_product(work + m * first[j], mq, w.value + w.place[c], m, mq, w.by_u + w.own[q], mq)
    x = work + m * first[k]
    for i in range(m):
        for l in range(m):
            x[i * m + l] += by_r[i * m + l] + by_u[i * m + l] * w.shift[w.row[p] + i]
    return w.unit + w.row[p]


cdef bint _inside(const OneStep *w, int p) noexcept nogil:
    """Whether any row of the node depends on velocities."""
    cdef size_t i
    for i in range(w.own[p], w.own[p + 1]):
        if w.by_u[i] != 0.0:
            return True
    return False


cdef bint is_factored(const OneStep *w) noexcept nogil:
    """Whether the factors are those of the present derivatives."""
    cdef size_t first = w.own[w.begin], size = (w.own[w.end] - w.own[w.begin]) * sizeof(double)
    return (w.settled == w.end and memcmp(w.by_r + first, w.kept_r + first, size) == 0
            and memcmp(w.by_u + first, w.kept_u + first, size) == 0)


cdef bint _alike(const double *a, const double *b, size_t count) noexcept nogil:
    cdef size_t i
    for i in range(count):
        if not fabs(a[i] - b[i]) <= ALIKE * fabs(a[i]):
            return False
    return True


cdef bint is_nearly_factored(const OneStep *w) noexcept nogil:
    """Whether the factors are those of an A of a step before, with the cases that rows have now; never in small
    islands."""
    cdef size_t first = w.own[w.begin], size = w.own[w.end] - w.own[w.begin]
    return (w.outdated == w.end and w.bottom - w.top > SMALL and _alike(w.by_r + first, w.kept_r + first, size)
            and _alike(w.by_u + first, w.kept_u + first, size))


cdef int factor_rows(OneStep *w, bint truncate) noexcept nogil:
    """Factor J of the nodes inside, unless nothing changed; 0, 1 where it is singular, -1 without memory.

    With ``truncate`` unknowns that others determine do not move: what rounding asks of them, divided
    by the shift, would take them far. Without it the shift makes them the shortest.
    """
    cdef size_t first = w.own[w.begin], size = (w.own[w.end] - w.own[w.begin]) * sizeof(double)
    cdef int p, i, c, k = 0, blocks = 0
    cdef bint moved = w.analysed != w.end
    if is_factored(w):
        return 0
    if w.mixed:
        w.settled = w.outdated = 0
        i = factor_augmented(w)
        if i == 0:
            memcpy(w.kept_r + first, w.by_r + first, size)
            memcpy(w.kept_u + first, w.by_u + first, size)
            w.settled = w.end
        return i
    if not moved:
        for p in range(w.begin, w.end):
            if _inside(w, p) != (w.position[p] >= 0):
                moved = True
                break
    w.settled = w.outdated = 0
    if moved:
        w.analysed = 0
        if block_lu_reserve(&w.lu, w.end - w.begin):
            return -1
        for i in range(w.begin, w.end):
            p = w.order[i]
            w.position[p] = -1
            if _inside(w, p):
                w.position[p] = k
                w.node[k] = p
                w.lu.size[k] = w.row[p + 1] - w.row[p]
                k += 1
        for i in range(k):
            p = w.node[i]
            w.lu_start[i] = blocks
            for c in range(w.start[p], w.start[p + 1]):
                w.lu_column[blocks] = w.position[w.column[c]]
                blocks += 1
        w.lu_start[k] = blocks
        if block_lu_analyse(&w.lu, k, w.lu_start, w.lu_column):
            return -1
        w.analysed = w.end
    w.lu.truncate = truncate and w.regular == SHIFT  # with a finer one dependent rows cannot be told from light ones
    if block_lu_factor(&w.lu, _fill_columns if w.columns else _fill_directions, w, DEPENDENT):
        return 1
    memcpy(w.kept_r + first, w.by_r + first, size)
    memcpy(w.kept_u + first, w.by_u + first, size)
    w.settled = w.end
    return 0


cdef void find_direction(OneStep *w) noexcept nogil:
    """``move`` = J^-1 F: outside it is F itself, inside what the factors say."""
    cdef const double *block
    cdef const double *by_u
    cdef double *right
    cdef double factor
    cdef double *x = w.scratch  # in elimination order
    cdef int p, q, k, c, i, l, j, m, mq
    if w.mixed:
        find_augmented_direction(w)
        return
    copy_rows(w, w.move, w.f)
    for k in range(w.lu.n):
        p = w.node[k]
        m = w.row[p + 1] - w.row[p]
        by_u = w.by_u + w.own[p]
        right = x + w.lu.first[k]
        memcpy(right, w.f + w.row[p], m * sizeof(double))
        for c in range(w.start[p], w.start[p + 1]):
            q = w.column[c]
            if w.position[q] >= 0:
                continue
            mq = w.row[q + 1] - w.row[q]
            block = w.value + w.place[c]
            for i in range(m):
                for l in range(m):
                    factor = by_u[i * m + l]
                    if factor != 0.0:
                        for j in range(mq):
                            right[i] -= factor * block[l * mq + j] * w.f[w.row[q] + j]
    block_lu_solve(&w.lu, x)
    for k in range(w.lu.n):
        p = w.node[k]
        memcpy(w.move + w.row[p], x + w.lu.first[k], (w.row[p + 1] - w.row[p]) * sizeof(double))


cdef void find_scaled_direction(OneStep *w) noexcept nogil:
    """``move`` = F_y J^-1 F with the factors of J = A F_y + F_z that ``columns`` ask for."""
    cdef const double *by_u
    cdef double *x = w.scratch
    cdef int p, k, i, l, m
    copy_rows(w, w.move, w.f)
    for k in range(w.lu.n):
        p = w.node[k]
        memcpy(x + w.lu.first[k], w.f + w.row[p], (w.row[p + 1] - w.row[p]) * sizeof(double))
    block_lu_solve(&w.lu, x)
    for k in range(w.lu.n):
        p = w.node[k]
        m = w.row[p + 1] - w.row[p]
        by_u = w.by_u + w.own[p]
        for i in range(m):
            w.move[w.row[p] + i] = 0.0
            for l in range(m):
                w.move[w.row[p] + i] += by_u[i * m + l] * x[w.lu.first[k] + l]
