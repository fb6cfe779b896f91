"""Redundant rows: the impulses of least norm, by the factors at hand.

Pivots alone do not count what is redundant: that of a row which closes a dependency in which it has hardly a share is
far above the shift. Few vectors without a pattern, multiplied by the inverse, span the null space and no more.
"""

cdef extern from *:
    """
    #include "nsdgen_dense.h"
    /* The lower triangle of gram += line line^T: rows of numbers side by side, which the compiler takes together. */
    NSD_ANY_VECTOR
    static void add_products(int n, const double *restrict line, double *restrict gram)
    {
        for (int j = 0; j < n; j++, gram += n)
            for (int l = 0; l <= j; l++)
                gram[l] += line[j] * line[l];
    }
    """
    void add_products(int n, const double *line, double *gram) noexcept nogil

cdef enum:
    MORE_COLUMNS = 2  # than pivots say are zero: one that is left over shows that the basis is whole
    PROJECTIONS = 2  # of taking the null space away, each of which leaves the rounding of what it takes
    INVERSIONS = 2  # each leaves of a vector that the matrix makes lambda times as long a share shift / lambda

cdef double GROWS = 1e-3  # of what the shift alone would leave: vectors that grow by more lie in the null space, nearly
cdef double SPANNED = 1e-10  # of the largest pivot of basis^T basis: a vector that is one of those before
cdef double NO_SHARE = 1e-14  # of the largest row of a basis in natural units: rounding
cdef double HOLDS = 1e-12  # of the terms of a row: what may be left of it
cdef double AS_GOOD = 4.0  # of the residual before: rows that contradict others by little leave it, however they are shared
cdef double AGREE = 3e-12  # of the largest row in natural units: what rows that say the same contradict each other by, for
# they drift; above 1e-11 a friction that is solved for is no longer what its rate says (``test_bearings.py``)
cdef double FLOOR = 1e-6  # of the largest row in natural units: a row counts for no less once it failed by itself

cdef struct Basis:
    int rows, columns, rank
    double *vector  # (rows, columns) in elimination order
    double *gram  # (columns, columns): Cholesky's factor of vector^T vector, its columns in the order of ``pivot``
    double *share  # 2 x columns
    double *size  # rows: the largest entry of each, in natural units
    int *pivot
    int *place  # rows: where each stands in ``z``


cdef double count_for_more(OneStep *w, double goal) noexcept nogil:
    """The certificate where a row counts for no less than FLOOR of the largest one, as in ``row_certificate.py``, or than
    what makes ``goal`` of it AGREE of the largest.

    Its terms may be all rounding: multipliers that carry nothing, of constraints that say a thing twice.
    """
    cdef double largest = 0.0
    cdef int i
    for i in range(w.top, w.bottom):
        largest = fmax(largest, w.scale[i] * sqrt(w.rho[i]))
    for i in range(w.top, w.bottom):
        w.scale[i] = fmax(w.scale[i], fmax(FLOOR, AGREE / goal) * largest / sqrt(w.rho[i]))
    return natural_rows(w)


cdef bint take_null_space(OneStep *w, double reached, int *rank) noexcept nogil:
    """Take from a solution ``z``, of residual ``reached``, what the active rows do not see; ``rank`` says how many rows
    depend on others.

    The factors are those of the matrix of the active rows and its shift, whose inverse makes of any vectors a basis of
    the null space of the matrix; where unknowns stand in the island, without a shift, and have found it themselves.
    False, and ``z`` as it was, where no solution is left: rows that are nearly dependent, and rows whose multipliers
    would leave their bounds.
    """
    cdef double *kept = w.scratch + w.rows
    cdef Basis basis
    cdef int rows = w.mixed_lu.n if w.mixed else w.lu.rows, round
    cdef int columns = w.lu.deficiency + (0 if w.mixed else MORE_COLUMNS) if w.lu.deficiency else 1
    cdef double largest
    cdef bint done
    while True:
        if not _open(&basis, rows, min(columns, rows)):
            return False
        if w.mixed:
            fill_augmented_basis(w, &basis)
        else:
            _fill_basis(w, &basis)
        largest = _measure(w, &basis)
        if columns == 1 and not w.lu.deficiency and not largest * w.reach * w.regular > GROWS:
            _close(&basis)  # the inverse makes of a vector of size 1 nothing like what it makes of one in the null space
            rank[0] = 0
            return True
        _clear_rounding(&basis, largest)
        measure_units(w)
        _scale(w, &basis)
        _make_gram(&basis)
        if w.mixed or basis.rank < basis.columns or basis.columns == rows:
            break
        _close(&basis)
        columns = 2 * columns + MORE_COLUMNS
    rank[0] = basis.rank
    copy_rows(w, kept, w.z)
    for round in range(PROJECTIONS):
        if round > 0:  # the step on the face mends what rounding left, and adds some of the null space
            output_rows(w)
            stay_on_face(w)
            find_direction(w)
            step_along(w, 1.0)
        _project(w, &basis)
    _close(&basis)
    done = _keep_their_bounds(w)
    if done:
        output_rows(w)
        reached = fmax(AS_GOOD * reached, HOLDS)
        w.residual = natural_rows(w)
        done = w.residual <= reached
        w.evaluated = done and not w.friction
        done = done or (not w.friction and count_for_more(w, reached) <= reached)
    else:
        w.evaluated = 0
    if not done:
        copy_rows(w, w.z, kept)
    return done


cdef void stay_on_face(OneStep *w) noexcept nogil:
    """F for the rows as ``by_r`` and ``by_u`` have them, or with friction as they are."""
    if w.friction:
        linearize_rows(w, PLAIN, False)
    else:
        _face_residual(w)


cdef void _face_residual(OneStep *w) noexcept nogil:
    """F for the rows as ``by_r`` and ``by_u`` have them: y = 0 inside, z at its bound outside."""
    cdef int p, i, k, m
    for p in range(w.begin, w.end):
        m = w.row[p + 1] - w.row[p]
        for i in range(m):
            k = w.row[p] + i
            if w.by_u[w.own[p] + i * (m + 1)] != 0.0:
                w.f[k] = w.by_u[w.own[p] + i * (m + 1)] * w.y[k]
            elif w.cone[k] == COMPLEMENTARITY:
                w.f[k] = w.z[k]
            else:
                w.f[k] = w.z[k] - (w.bound[2 * k] if fabs(w.z[k] - w.bound[2 * k])
                                   < fabs(w.z[k] - w.bound[2 * k + 1]) else w.bound[2 * k + 1])


cdef bint _open(Basis *basis, int rows, int columns) noexcept nogil:
    """Room for a basis; whether there is any."""
    cdef size_t vectors = <size_t> rows * columns, square = <size_t> columns * columns
    basis.rows, basis.columns, basis.rank = rows, columns, 0
    basis.vector = <double *> malloc((vectors + square + 2 * columns + rows) * sizeof(double)
                                     + (columns + rows) * sizeof(int))
    basis.gram = basis.vector + vectors
    basis.share = basis.gram + square
    basis.size = basis.share + 2 * columns
    basis.pivot = <int *> (basis.size + rows)
    basis.place = basis.pivot + columns
    return basis.vector != NULL


cdef void _close(Basis *basis) noexcept nogil:
    free(basis.vector)


cdef void _fill_basis(OneStep *w, Basis *basis) noexcept nogil:
    """Numbers without a pattern, the same in every run, on the rows that are inside; times the inverse, more than once."""
    cdef unsigned int state = 1
    cdef int k, p, i, j, m
    cdef double *line
    cdef double unit
    for k in range(w.lu.n):
        p = w.node[k]
        m = w.row[p + 1] - w.row[p]
        for i in range(m):
            line = basis.vector + <size_t> (w.lu.first[k] + i) * basis.columns
            basis.place[w.lu.first[k] + i] = w.row[p] + i
            unit = sqrt(w.rho[w.row[p] + i]) if w.by_u[w.own[p] + i * (m + 1)] != 0.0 else 0.0
            for j in range(basis.columns):
                state = 1664525u * state + 1013904223u
                line[j] = unit * (<double> state / 4294967296.0 - 0.5)
    for k in range(INVERSIONS if basis.columns > 1 else 1):
        block_lu_solve_many(&w.lu, basis.vector, basis.columns, 0)


cdef double _measure(const OneStep *w, Basis *basis) noexcept nogil:
    """``size``; the largest of all."""
    cdef double largest = 0.0
    cdef int i
    for i in range(basis.rows):
        basis.size[i] = nsd_largest(basis.columns, basis.vector + <size_t> i * basis.columns) / sqrt(w.rho[basis.place[i]])
        largest = max(largest, basis.size[i])
    return largest


cdef void _clear_rounding(Basis *basis, double largest) noexcept nogil:
    """Rows that no vector of the basis has a share in become 0: what is not linked stays so to the last bit."""
    cdef int i
    for i in range(basis.rows):
        if basis.size[i] < NO_SHARE * largest:
            memset(basis.vector + <size_t> i * basis.columns, 0, basis.columns * sizeof(double))
            basis.size[i] = 0.0


cdef void _scale(const OneStep *w, Basis *basis) noexcept nogil:
    """The basis as impulses."""
    cdef int i, j
    for i in range(basis.rows):
        for j in range(basis.columns):
            basis.vector[<size_t> i * basis.columns + j] *= w.way[basis.place[i]]


cdef void _make_gram(Basis *basis) noexcept nogil:
    """Cholesky's factor with pivots, up to the first vector that lies in the span of those before."""
    cdef int n = basis.columns, i, j, k, l, best
    cdef double *gram = basis.gram
    cdef double first = 0.0
    memset(gram, 0, n * n * sizeof(double))
    for i in range(basis.rows):
        if basis.size[i] > 0.0:
            add_products(n, basis.vector + <size_t> i * n, gram)
    for j in range(n):
        basis.pivot[j] = j
        for l in range(j):
            gram[l * n + j] = gram[j * n + l]
    for j in range(n):
        best = j
        for k in range(j + 1, n):
            if gram[k * n + k] > gram[best * n + best]:
                best = k
        if j == 0:
            first = gram[best * n + best]
        if not gram[best * n + best] > SPANNED * first:
            return
        if best != j:
            basis.pivot[j], basis.pivot[best] = basis.pivot[best], basis.pivot[j]
            for k in range(n):
                gram[j * n + k], gram[best * n + k] = gram[best * n + k], gram[j * n + k]
            for k in range(n):
                gram[k * n + j], gram[k * n + best] = gram[k * n + best], gram[k * n + j]
        gram[j * n + j] = sqrt(gram[j * n + j])
        for k in range(j + 1, n):
            gram[k * n + j] /= gram[j * n + j]
            basis.share[k] = gram[k * n + j]
        for k in range(j + 1, n):
            nsd_add(n - j - 1, -gram[k * n + j], basis.share + j + 1, gram + k * n + j + 1)
        basis.rank = j + 1


cdef void _project(OneStep *w, Basis *basis) noexcept nogil:
    """z less its projection on the null space."""
    cdef int n = basis.columns, i, j, l
    cdef const double *line
    cdef double *share = basis.share
    cdef double *along = share + n  # ``share`` in the order of the pivots
    cdef double total
    memset(share, 0, n * sizeof(double))
    for i in range(basis.rows):
        if basis.size[i] > 0.0:
            subtract_row(n, -w.z[basis.place[i]] * w.way[basis.place[i]], basis.vector + <size_t> i * n, share)
    for j in range(basis.rank):
        along[j] = share[basis.pivot[j]]
        for l in range(j):
            along[j] -= basis.gram[j * n + l] * along[l]
        along[j] /= basis.gram[j * n + j]
    memset(share, 0, n * sizeof(double))
    for j in range(basis.rank - 1, -1, -1):
        for l in range(j + 1, basis.rank):
            along[j] -= basis.gram[l * n + j] * along[l]
        along[j] /= basis.gram[j * n + j]
        share[basis.pivot[j]] = along[j]
    for i in range(basis.rows):
        if basis.size[i] > 0.0:
            line = basis.vector + <size_t> i * n
            total = 0.0
            for j in range(n):
                total += share[j] * line[j]
            w.z[basis.place[i]] -= total / w.way[basis.place[i]]


cdef bint _keep_their_bounds(const OneStep *w) noexcept nogil:
    """Whether no multiplier has left its bounds by more than rounding, which is cut off later; cones are judged by rows."""
    cdef int i
    cdef double slack
    for i in range(w.top, w.bottom):
        slack = FINE * w.scale[i] * w.rho[i]
        if w.cone[i] == COMPLEMENTARITY and w.z[i] < -slack:
            return False
        if w.cone[i] == BOX and not w.bound[2 * i] - slack <= w.z[i] <= w.bound[2 * i + 1] + slack:
            return False
    return True
