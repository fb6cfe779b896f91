"""Principal pivots for the equality rows of a dictionary, before Lemke's method (``_lemke.pxi``) takes the rest.

All y of equality rows are zero and all their z are free, so that any such y may be
exchanged with any such z. Rows and columns where that has yet to happen are pending.
"""

cdef extern from *:
    """
    static const double WEAK_PIVOT = 1e-7;  /* of equality rows: prefer a pair with a complementarity row */
    """
    const double WEAK_PIVOT

cdef enum PivotVerdict:
    PIVOT_SOLVED = 0
    PIVOT_RAY = 1  # Lemke's method left along a ray
    PIVOT_INCONSISTENT = 2  # the equality rows contradict each other
    PIVOT_BLOCKED = 3  # the equality rows cannot be eliminated by complementary pivots
    PIVOT_LIMIT = 4  # too many pivots

cdef double ZERO_ROW = 1e-10  # of the equilibrated matrix: an equality row is used up
cdef double INCONSISTENT = 1e-9  # of the constants that were combined


cdef inline bint _pending_row(Dictionary* d, int i) noexcept nogil:
    return (d.basic[i] & 1) == 0


cdef inline bint _pending_column(Dictionary* d, int c) noexcept nogil:
    return (d.nonbasic[c] & 1) == 1


cdef double _best_single(Dictionary* d, int* r, int* c) noexcept nogil:
    """The largest entry between a pending equality row and a pending free column."""
    cdef int i, j
    cdef double best = 0.0
    for i in range(d.m, d.n):
        if not _pending_row(d, i):
            continue
        for j in range(2 + d.m, d.width):
            if _pending_column(d, j) and fabs(d.t[i * d.stride + j]) > best:
                best = fabs(d.t[i * d.stride + j])
                r[0] = i
                c[0] = j
    return best


cdef double _best_pair(Dictionary* d, int* r, int* c, int* k) noexcept nogil:
    """The same by way of a complementarity row and its column, both numbered k.

    Returns the root of |t_rk t_kc|: the pivots (r, k) and (k, c) together exchange a
    principal block, after which y_k and z_k have changed roles.
    """
    cdef int i, j, row
    cdef double size, best = 0.0
    for row in range(d.m):
        if not _pending_row(d, row):
            continue
        for i in range(d.m, d.n):
            if not _pending_row(d, i) or d.t[i * d.stride + 2 + row] == 0.0:
                continue
            for j in range(2 + d.m, d.width):
                if not _pending_column(d, j):
                    continue
                size = sqrt(fabs(d.t[i * d.stride + 2 + row] * d.t[row * d.stride + j]))
                if size > best:
                    best = size
                    r[0] = i
                    c[0] = j
                    k[0] = row
    return best


cdef int _leftover(Dictionary* d, int* bad_row) noexcept nogil:
    """Judge equality rows that no pivot took in: redundant, contradictory or blocked."""
    cdef int i, j
    cdef double terms
    cdef double* row
    for i in range(d.m, d.n):
        if not _pending_row(d, i):
            continue
        row = d.t + i * d.stride
        terms = LEAST / d.unit + d.offset[d.basic[i] >> 1]
        for j in range(2, d.n + 2):
            if not _pending_column(d, j):
                terms += fabs(row[j]) * d.offset[d.nonbasic[j] >> 1]
            elif fabs(row[j]) > ZERO_ROW:
                return PIVOT_BLOCKED
        if fabs(row[0]) > INCONSISTENT * terms:
            bad_row[0] = d.row_of[d.basic[i] >> 1]
            return PIVOT_INCONSISTENT
    return PIVOT_SOLVED


cdef int exchange_equalities(Dictionary* d, int* bad_row) noexcept nogil:
    """Exchange the y of the equality rows for their z, with complete pivoting; a ``PivotVerdict``."""
    cdef int r = 0, c = 0, pair_r = 0, pair_c = 0, k = 0, outcome
    cdef double single, pair
    while not interrupted():
        single = _best_single(d, &r, &c)
        # The search for a pair is the dearer one: only where the block itself is weak.
        pair = 0.0 if single > WEAK_PIVOT else _best_pair(d, &pair_r, &pair_c, &k)
        if max(single, pair) <= ZERO_ROW:
            break
        if single > WEAK_PIVOT * pair:
            exchange(d, r, c)
            continue
        exchange(d, pair_r, 2 + k)
        exchange(d, k, pair_c)
        swap(d, pair_r, k, True)
        swap(d, pair_c, 2 + k, False)
    outcome = _leftover(d, bad_row)
    d.width = d.m + 2  # what is left in the free columns stays zero
    return outcome
