"""Sparse LU with threshold pivoting, one pattern and many sets of values, callable from nogil code.

P W Q = L U column by column (Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9, 1988). The first
factorisation chooses the pivots and finds the patterns of L and U; as long as these pivots stay
good, later ones only compute values and allocate nothing. Every factorisation is proved on one
system of equations; one that is inaccurate chooses its pivots again, the largest ones.

A column without a pivot, to within rounding, is set aside. With ``rank`` < n

    P W Q = [L11  0] [U11  U12]      the last n - rank rows and columns are the *border*:
            [L21  I] [ 0    0 ]      unknowns that W alone does not determine.

Use: ``sparse_lu_init``; ``sparse_lu_pattern`` where the pattern is new (``_lu_pattern.pxi``); for each set of values fill
``value`` (``clear``, then add each entry at its place) and call ``sparse_lu_factor``; solve any
number of times (``_lu_solution.pxi``); ``sparse_lu_free``.
"""

cdef enum:
    SCALING_SWEEPS = 8  # each halves the exponents

cdef double PREFER_DIAGONAL = 0.1  # of the largest candidate: good enough, and keeps the order of the columns
cdef double LARGEST = 1.0  # only the largest candidate is good enough
cdef double WORN = 1e3  # entries of L, rows scaled: beyond, kept pivots are chosen again
cdef double PROVED = 1e-10  # of the largest row of |W| |w|: what W w may differ from its right-hand side


# --------------------------------------------------------------------------- elimination


cdef bint _all_finite(const SparseLU *f) noexcept nogil:
    cdef int e
    for e in range(f.start[f.n]):
        if not isfinite(f.value[e]):
            return False
    return True


cdef void _scale_rows(SparseLU *f) noexcept nogil:
    """Factors that bring the largest entry of each row near that of each column (Ruiz, 2001)."""
    cdef int i, j, e, sweep
    cdef double size
    for i in range(f.n):
        f.row_scale[i] = f.column_scale[i] = 1.0
    for sweep in range(SCALING_SWEEPS):
        memset(f.kept, 0, f.n * sizeof(double))
        for j in range(f.n):
            f.work[j] = 0.0
            for e in range(f.start[j], f.start[j + 1]):
                i = f.row[e]
                size = fabs(f.value[e]) * f.row_scale[i] * f.column_scale[j]
                f.kept[i] = max(f.kept[i], size)
                f.work[j] = max(f.work[j], size)
        for i in range(f.n):
            f.row_scale[i] /= sqrt(f.kept[i]) if f.kept[i] > 0 else 1.0
            f.column_scale[i] /= sqrt(f.work[i]) if f.work[i] > 0 else 1.0


cdef void _scale_columns(SparseLU *f) noexcept nogil:
    """The largest entry of each column, rows scaled."""
    cdef int j, e
    for j in range(f.n):
        f.column_scale[j] = 0.0
        for e in range(f.start[j], f.start[j + 1]):
            f.column_scale[j] = max(f.column_scale[j], fabs(f.value[e]) * f.row_scale[f.row[e]])


cdef int _reach(SparseLU *f, int column, int stamp) noexcept nogil:
    """The rows that become nonzero in a column: ``reach`` from the result on, each before those it changes."""
    cdef int e, i, j, depth, top = f.n
    cdef int *next = f.stack + f.n
    for e in range(f.start[column], f.start[column + 1]):
        if f.mark[f.row[e]] == stamp:
            continue
        depth = 0
        f.stack[0] = f.row[e]
        f.mark[f.row[e]] = stamp
        j = f.position[f.row[e]]
        next[0] = f.lower_start[j] if j >= 0 else 0
        while depth >= 0:
            i = f.stack[depth]
            j = f.position[i]
            if j >= 0 and next[depth] < f.lower_start[j + 1]:
                i = f.lower_row[next[depth]]
                next[depth] += 1
                if f.mark[i] != stamp:
                    f.mark[i] = stamp
                    depth += 1
                    f.stack[depth] = i
                    j = f.position[i]
                    next[depth] = f.lower_start[j] if j >= 0 else 0
            else:
                depth -= 1
                top -= 1
                f.reach[top] = i
    return top


cdef int _eliminate_column(SparseLU *f, int column, int stamp, int step) noexcept nogil:
    """A column less what the pivots so far explain of it, in ``work`` by rows, its entries of U as number ``step``.

    Returns where ``reach`` begins, or -1 without memory.
    """
    cdef int top = _reach(f, column, stamp), p, e, j, count = f.upper_start[step]
    cdef double u
    cdef size_t room = count + f.n - top
    if room > f.room_upper:
        if resize_ints(2 * room, &f.upper_row) or resize_doubles(2 * room, &f.upper):
            return -1
        f.room_upper = 2 * room
    for e in range(f.start[column], f.start[column + 1]):
        f.work[f.row[e]] = f.value[e]
    for p in range(top, f.n):
        j = f.position[f.reach[p]]
        if j < 0:
            continue
        u = f.work[f.reach[p]]
        f.upper_row[count], f.upper[count] = j, u
        count += 1
        for e in range(f.lower_start[j], f.lower_start[j + 1]):
            f.work[f.lower_row[e]] -= f.lower[e] * u
    f.upper_start[step + 1] = count
    return top


cdef int _best_row(const SparseLU *f, int column, int top, double preferred) noexcept nogil:
    """The row of the pivot of a column, or -1 where all that is left of it is rounding."""
    cdef int p, i, row = -1
    cdef double size, best = 0.0, own = 0.0
    for p in range(top, f.n):
        i = f.reach[p]
        if f.position[i] >= 0:
            continue
        size = fabs(f.work[i]) * f.row_scale[i]
        if size > best:
            best, row = size, i
        if i == column:
            own = size
    if not best > PIVOT_ROUNDINGS * f.n * DBL_EPSILON * f.column_scale[column]:
        return -1
    return column if own >= preferred * best else row


cdef int _take_pivot(SparseLU *f, int row, int top, int step) noexcept nogil:
    """Column ``step`` of L, whose rows are not numbered yet; 0, or -1 without memory."""
    cdef int p, i, count = f.lower_start[step]
    cdef size_t room = count + f.n - top
    if room > f.room_lower:
        if resize_ints(2 * room, &f.lower_row) or resize_doubles(2 * room, &f.lower):
            return -1
        f.room_lower = 2 * room
    f.position[row] = step
    f.pivot_row[step] = row
    f.diagonal[step] = f.work[row]
    for p in range(top, f.n):
        i = f.reach[p]
        if f.position[i] < 0:
            f.lower_row[count], f.lower[count] = i, f.work[i] / f.work[row]
            count += 1
    f.lower_start[step + 1] = count
    return 0


cdef void _wipe(SparseLU *f, int top) noexcept nogil:
    cdef int p
    for p in range(top, f.n):
        f.work[f.reach[p]] = 0.0


cdef int _choose(SparseLU *f, double preferred) noexcept nogil:
    """Factor from nothing, choosing pivots: 0, or -1 without memory."""
    cdef int c, column, row, top, step = 0, aside = f.n
    f.known = 0
    memset(f.mark, 0, f.n * sizeof(int))
    memset(f.work, 0, f.n * sizeof(double))
    for c in range(f.n):
        f.position[c] = -1
    f.lower_start[0] = f.upper_start[0] = 0
    for c in range(f.n):
        column = f.order[c]
        top = _eliminate_column(f, column, c + 1, step)
        if top < 0:
            return -1
        row = _best_row(f, column, top, preferred)
        if row >= 0 and _take_pivot(f, row, top, step):
            return -1
        _wipe(f, top)
        if row >= 0:
            f.pivot_column[step] = column
            step += 1
        else:
            aside -= 1
            f.pivot_column[aside] = column
    f.rank = step
    return _close(f)


cdef int _close(SparseLU *f) noexcept nogil:
    """The border, and the rows of L by steps; 0, or -1 without memory."""
    cdef int i, e, top, step = f.rank
    for i in range(f.rank, f.n):
        f.lower_start[i + 1] = f.lower_start[f.rank]
        top = _eliminate_column(f, f.pivot_column[i], f.n + 1 + i, i)
        if top < 0:
            return -1
        _wipe(f, top)
    for i in range(f.n):
        if f.position[i] < 0:
            f.position[i] = step
            f.pivot_row[step] = i
            step += 1
    for e in range(f.lower_start[f.rank]):
        f.lower_row[e] = f.position[f.lower_row[e]]
    f.known = 1
    return 0


cdef bint _recompute(SparseLU *f) noexcept nogil:
    """Factor with the pivots that are known; whether they are still good."""
    cdef int k, e, i, j
    cdef double u, least
    cdef bint good = True
    memset(f.work, 0, f.n * sizeof(double))
    for k in range(f.n):
        i = f.pivot_column[k]
        for e in range(f.start[i], f.start[i + 1]):
            f.work[f.position[f.row[e]]] = f.value[e]
        least = PIVOT_ROUNDINGS * f.n * DBL_EPSILON * f.column_scale[i]
        for e in range(f.upper_start[k], f.upper_start[k + 1]):
            j = f.upper_row[e]
            u = f.upper[e] = f.work[j]
            f.work[j] = 0.0
            if u != 0:
                for i in range(f.lower_start[j], f.lower_start[j + 1]):
                    f.work[f.lower_row[i]] -= f.lower[i] * u
        if k < f.rank:
            good = _scale_by_pivot(f, k, least)
        else:
            for i in range(f.rank, f.n):
                good = good and fabs(f.work[i]) * f.row_scale[f.pivot_row[i]] <= least
                f.work[i] = 0.0
        if not good:
            return False
    return True


cdef bint _scale_by_pivot(SparseLU *f, int k, double least) noexcept nogil:
    """Column k of L from ``work``; whether its pivot is still good."""
    cdef double pivot = f.work[k], own = fabs(pivot) * f.row_scale[f.pivot_row[k]], largest = 0.0
    cdef int e, i
    f.work[k] = 0.0
    if not own > least:
        return False
    f.diagonal[k] = pivot
    for e in range(f.lower_start[k], f.lower_start[k + 1]):
        i = f.lower_row[e]
        largest = max(largest, fabs(f.work[i]) * f.row_scale[f.pivot_row[i]])
        f.lower[e] = f.work[i] / pivot
        f.work[i] = 0.0
    return largest <= WORN * own


cdef int sparse_lu_factor(SparseLU *f) noexcept nogil:
    if not _all_finite(f):
        return SPARSE_LU_NONFINITE
    if f.known:
        _scale_columns(f)
        if _recompute(f) and _proves(f):
            return SPARSE_LU_OK
    _scale_rows(f)
    _scale_columns(f)
    if _choose(f, PREFER_DIAGONAL):
        return SPARSE_LU_NO_MEMORY
    if not _proves(f):
        if _choose(f, LARGEST):
            return SPARSE_LU_NO_MEMORY
        f.known = _proves(f)
    return SPARSE_LU_OK if f.known else SPARSE_LU_INACCURATE


cdef bint _proves(SparseLU *f) noexcept nogil:
    """Whether the factors solve W w = W e for an e in which every column of W weighs alike."""
    cdef int j
    cdef double total = 0.0, golden = 0.6180339887498949
    for j in range(f.n):
        total += golden
        total -= total >= 1.0
        f.proof[j] = (0.5 + total) / f.column_scale[j] if f.column_scale[j] > 0 else 0.0
        if j & 1:
            f.proof[j] = -f.proof[j]
    for j in range(f.rank, f.n):
        f.proof[f.pivot_column[j]] = 0.0
    memset(f.kept, 0, f.n * sizeof(double))
    _add_product(f, f.proof, f.kept)
    sparse_lu_forward(f, f.kept, f.work)
    for j in range(f.rank, f.n):
        f.work[j] = 0.0
    sparse_lu_backward(f, f.work, f.proof)
    memset(f.work, 0, f.n * sizeof(double))
    return _is_negligible(f)


cdef bint _is_negligible(SparseLU *f) noexcept nogil:
    """Whether W e in ``kept`` and W w cancel, w in ``proof``, beside the largest scaled row of |W| |w|."""
    cdef int j, e
    cdef double term, largest = 0.0, left = 0.0
    for j in range(f.n):
        for e in range(f.start[j], f.start[j + 1]):
            term = f.value[e] * f.proof[j]
            f.kept[f.row[e]] -= term
            f.work[f.row[e]] += fabs(term)
    for j in range(f.n):
        largest = max(largest, f.work[j] * f.row_scale[j])
        term = fabs(f.kept[j]) * f.row_scale[j]
        left = term if term != term else max(left, term)
        if term != term:
            return False
    return left <= PROVED * largest


cdef void _add_product(const SparseLU *f, const double *w, double *b) noexcept nogil:
    """b += W w."""
    cdef int j, e
    for j in range(f.n):
        for e in range(f.start[j], f.start[j + 1]):
            b[f.row[e]] += f.value[e] * w[j]
