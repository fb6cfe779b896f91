"""In how many directions other solutions lie beside one, which bounds, signs and complementarity allow.

Beside z lie z + t d with t > 0 where e = A d is 0 on rows that are free, d is 0 on rows at a bound with y not 0, and d and e
point into the bounds on rows at their edge, at a bound with y = 0, one of them being 0. Let Q be the sum of d_i e_i on these
rows, as a form on all d that keep the others. Where it is semidefinite, as of circuits and of bodies, other solutions form
a convex set in which Q d is 0 (monotone problems): then d_i e_i is 0 by itself, and signs are all that is left to ask
(``_implied``). Equality rows may be of any sign, and added to each other.
"""

cdef enum RowPlace:
    HIGH_EDGE = -1  # at a bound with y = 0
    HELD = 0  # at a bound
    LOW_EDGE = 1
    FREE = 2  # y = 0

cdef enum:
    ROUNDS = 8  # of scaling, each of which halves the orders by which entries differ

cdef double ROUNDED_PAIR = 1e-24  # of the largest A_ij A_ji of a row: squared rounding, with room for units
cdef double NO_LOAD = 1e-12  # of the largest b or multiplier, rows scaled: less is rounding
cdef double NO_FORM = 1e-10  # of matrix entries that are scaled to 1: what orthonormal vectors make of rounding
cdef double NO_ENTRY = 1e-13  # of them: rounding of an entry alone; what is small links directions all the same


cdef int open_rows(
    int n, const double* A, const double* b, const double* low, const double* high, const double* z, const double* y
) noexcept nogil:
    cdef size_t square = <size_t> n * n
    cdef double* memory
    cdef double* a
    cdef double* unit
    cdef int* place
    cdef int p = 0, attempt
    cdef bint monotone = False
    if n > MOST_SIDED:
        return -1
    memory = <double*> malloc((12 * square + 3 * n) * sizeof(double) + mlcp_work_size(2 * n) + 2 * n * sizeof(int))
    if memory == NULL:
        return -1
    a, unit, place = memory + 11 * square, memory + 12 * square, <int*> (memory + 12 * square + 3 * n)
    for attempt in range(2):
        _scale_evenly(n, A, attempt == 0, a, unit, unit + n)
        p = 0
        if _place_rows(n, A, b, low, high, z, y, unit, unit + n, place):
            p = _changes(n, a, place, memory, unit + 2 * n, &monotone)
        if p == 0 or monotone:
            break
    if p:
        p = _open_in_places(n, p, place, memory, <char*> (place + 2 * n))
    free(memory)
    return p


cdef int monotone_changes(int n, const double* A, const double* low, const double* high, double* basis) noexcept nogil:
    cdef size_t square = <size_t> n * n
    cdef double* memory = <double*> malloc((6 * square + 3 * n) * sizeof(double) + n * sizeof(int))
    cdef double* a = memory + 5 * square
    cdef double* unit = a + square
    cdef int* place = <int*> (unit + 3 * n)
    cdef int i, p = 0, attempt
    cdef bint monotone = False
    if memory == NULL:
        return -1
    for i in range(n):
        place[i] = FREE if low[i] == -INFINITY and high[i] == INFINITY else LOW_EDGE
    for attempt in range(2):
        _scale_evenly(n, A, attempt == 0, a, unit, unit + n)
        p = _changes(n, a, place, memory, unit + 2 * n, &monotone)
        if monotone:
            break
    for i in range(n * p):
        basis[i] = unit[i // p] * memory[i]
    free(memory)
    return p if monotone else -1


cdef void _scale_evenly(int n, const double* A, bint balanced, double* a, double* unit, double* share) noexcept nogil:
    """a = R A C with largest entries near 1 in rows and columns; ``unit`` is C, ``share`` R / C.

    That is 1, or ``balanced``: rows in other units would make |A| symmetric.
    """
    cdef double largest, both
    cdef int i, j, k, round
    cdef bint more
    for i in range(n):
        share[i], unit[i] = 0.0 if balanced else 1.0, 0.0
        for j in range(n):
            unit[i] = max(unit[i], fabs(A[i * n + j] * A[j * n + i]))
    for k in range(n):
        share[k] = share[k] if share[k] > 0.0 else 1.0
        more = balanced
        while more:
            more = False
            for i in range(n):
                for j in range(n if share[i] > 0.0 else 0):
                    both = fabs(A[i * n + j] * A[j * n + i])
                    if share[j] == 0.0 and both > ROUNDED_PAIR * max(unit[i], unit[j]):
                        share[j] = share[i] * fabs(A[i * n + j] / A[j * n + i])
                        more = True
    for i in range(n):
        unit[i] = 1.0
        for j in range(n):
            a[i * n + j] = share[i] * A[i * n + j]
    for round in range(ROUNDS):
        for i in range(n):
            largest = 0.0
            for j in range(n):
                largest = max(largest, unit[j] * max(fabs(a[i * n + j]), fabs(a[j * n + i])))
            unit[i] = sqrt(unit[i] / largest) if largest > 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            a[i * n + j] *= unit[i] * unit[j]


cdef int _place_rows(
    int n, const double* A, const double* b, const double* low, const double* high, const double* z, const double* y,
    const double* unit, const double* share, int* place
) noexcept nogil:
    """Fill ``place``; how many rows are not held."""
    cdef double load = 0.0, terms, least
    cdef int i, j, moving = 0
    for i in range(n):
        load = max(load, max(share[i] * unit[i] * fabs(b[i]), fabs(z[i]) / unit[i]))
    for i in range(n):
        terms = fabs(b[i])
        for j in range(n):
            terms += fabs(A[i * n + j] * z[j])
        least = NO_LOAD * load * unit[i]
        place[i] = LOW_EDGE if z[i] <= low[i] + least else HIGH_EDGE if z[i] >= high[i] - least else FREE
        if place[i] != FREE and not fabs(y[i]) <= max(SIGN_TOLERANCE * terms, NO_LOAD * load / (share[i] * unit[i])):
            place[i] = HELD
        if low[i] == high[i]:
            place[i] = HELD
        moving += place[i] != HELD
    return moving


cdef int _changes(int n, const double* a, const int* place, double* memory, double* unit, bint* monotone) noexcept nogil:
    """How many directions keep the rows that are free and held, those with Q d = 0 where Q is semidefinite (``monotone``).

    The first n^2 of ``memory`` (5 n^2) are then d (n, p), the next e. ``unit`` has n.
    """
    cdef size_t square = <size_t> n * n
    cdef double* basis = memory
    cdef double* image = memory + square
    cdef double* form = memory + 2 * square
    cdef double* room = memory + 3 * square  # n (n + 1)
    cdef int[MOST_SIDED] order
    cdef double largest
    cdef int i, j, l, p
    for i in range(n):
        unit[i] = 1.0
        for j in range(n):
            form[i * n + j] = a[i * n + j] if place[i] == FREE and place[j] != HELD else 0.0
        if place[i] == HELD:
            form[i * n + i] = 1.0
    p = null_vectors(n, form, unit, 0.0, basis, room, order)
    _product(n, n, p, a, basis, image)
    memset(form, 0, p * p * sizeof(double))
    for i in range(n):
        for j in range(p if place[i] == LOW_EDGE or place[i] == HIGH_EDGE else 0):
            for l in range(p):
                form[j * p + l] += basis[i * p + j] * image[i * p + l] + basis[i * p + l] * image[i * p + j]
    memcpy(room, form, p * p * sizeof(double))
    monotone[0] = _semidefinite(p, room)
    if p == 0 or not monotone[0]:
        return p
    for i in range(p):
        largest = 0.0
        for j in range(p):
            largest = max(largest, fabs(form[i * p + j]))
        for j in range(p if not largest > NO_ENTRY else 0):  # a row at once: the others stay semidefinite
            form[i * p + j] = form[j * p + i] = 0.0
    l = null_vectors(p, form, unit, NO_FORM, image, room, order)
    _product(n, p, l, basis, image, room)
    memcpy(basis, room, n * l * sizeof(double))
    _product(n, n, l, a, basis, image)
    return l


cdef int _open_in_places(int n, int p, const int* place, double* memory, char* work) noexcept nogil:
    """How many of the directions lead to solutions; -1 where that depends on which of d_i and e_i is 0."""
    cdef size_t square = <size_t> n * n
    cdef double* sides = memory + 2 * square  # d and e on edges, each with a row of zeros
    cdef int closed[2 * MOST_SIDED]
    cdef int of[2 * MOST_SIDED]
    cdef int i, found, m = 0
    for i in range(n):
        if place[i] == LOW_EDGE or place[i] == HIGH_EDGE:
            m += _add_side(p, place[i], memory + i * p, i, sides, of, m)
            m += _add_side(p, place[i], memory + square + i * p, i, sides, of, m)
    if m == 0:
        return p
    found = _implied(p, m, sides, memory + 6 * square, closed, work)
    for i in range(m - 1):
        if of[i] == of[i + 1] and not (closed[i] or closed[i + 1]):
            return -1
    return p - found


cdef int _add_side(int p, int sign, const double* row, int i, double* sides, int* of, int m) noexcept nogil:
    """A row made 1 long, unless it is rounding."""
    cdef double length = sqrt(_dot(p, row, row))
    cdef int j
    if not length > NO_FORM:
        return 0
    of[m] = i
    for j in range(p):
        sides[2 * m * p + j] = sign * row[j] / length
        sides[(2 * m + 1) * p + j] = 0.0
    return 1


cdef bint _semidefinite(int p, double* a) noexcept nogil:
    """Whether a symmetric matrix is, to rounding; destroys it."""
    cdef double factor
    cdef int i, j, k, best
    for k in range(p):
        best = k
        for i in range(k, p):
            if a[i * p + i] < -NO_FORM:
                return False
            best = i if a[i * p + i] > a[best * p + best] else best
        if not a[best * p + best] > NO_FORM:
            break
        for j in range(p):
            a[k * p + j], a[best * p + j] = a[best * p + j], a[k * p + j]
        for j in range(p):
            a[j * p + k], a[j * p + best] = a[j * p + best], a[j * p + k]
        for i in range(k + 1, p):
            factor = a[i * p + k] / a[k * p + k]
            for j in range(k, p):
                a[i * p + j] -= factor * a[k * p + j]
    else:
        return True
    for i in range(k, p):
        for j in range(k, p):
            if fabs(a[i * p + j]) > sqrt(NO_FORM):
                return False
    return True


cdef void _product(int rows, int inner, int columns, const double* a, const double* b, double* product) noexcept nogil:
    cdef int i, j, l
    memset(product, 0, rows * columns * sizeof(double))
    for i in range(rows):
        for l in range(inner):
            for j in range(columns):
                product[i * columns + j] += a[i * inner + l] * b[l * columns + j]
