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
    ROUNDS = 4  # of scaling: what is left differs by a factor of two

cdef double NO_LOAD = 1e-12  # of the largest b or multiplier, rows scaled: less is rounding
cdef double NO_FORM = 1e-10  # of matrix entries that are scaled to 1: what orthonormal vectors make of rounding


cdef int open_rows(
    int n, const double* A, const double* b, const double* low, const double* high, const double* z, const double* y
) noexcept nogil:
    cdef size_t square = <size_t> n * n
    cdef double* memory
    cdef double* a
    cdef double* unit
    cdef int* place
    cdef int found
    if n > MOST_SIDED:
        return -1
    memory = <double*> malloc((15 * square + 3 * n) * sizeof(double) + mlcp_work_size(2 * n) + 3 * n * sizeof(int))
    if memory == NULL:
        return -1
    a, unit, place = memory + 13 * square, memory + 14 * square, <int*> (memory + 15 * square + 3 * n)
    _scale_evenly(n, A, a, unit)
    found = _place_rows(n, A, b, low, high, z, y, unit, place)
    if found:
        found = _open_in_places(n, a, place, memory, unit, <char*> (place + 3 * n))
    free(memory)
    return found


cdef void _scale_evenly(int n, const double* A, double* a, double* unit) noexcept nogil:
    """a = D A D with D, ``unit``, so that the largest entry of each row and column is near 1."""
    cdef double largest
    cdef int i, j, round
    for i in range(n):
        unit[i] = 1.0
    for round in range(ROUNDS):
        for i in range(n):
            largest = 0.0
            for j in range(n):
                largest = max(largest, unit[j] * max(fabs(A[i * n + j]), fabs(A[j * n + i])))
            a[i] = sqrt(unit[i] * largest) if largest > 0.0 else 1.0
        for i in range(n):
            unit[i] /= a[i]
    for i in range(n):
        for j in range(n):
            a[i * n + j] = unit[i] * A[i * n + j] * unit[j]


cdef int _place_rows(
    int n, const double* A, const double* b, const double* low, const double* high, const double* z, const double* y,
    const double* unit, int* place
) noexcept nogil:
    """Fill ``place``; how many rows are not held."""
    cdef double load = 0.0, terms, least
    cdef int i, j, moving = 0
    for i in range(n):
        load = max(load, max(unit[i] * fabs(b[i]), fabs(z[i]) / unit[i]))
    for i in range(n):
        terms = fabs(b[i])
        for j in range(n):
            terms += fabs(A[i * n + j] * z[j])
        least = NO_LOAD * load * unit[i]
        place[i] = LOW_EDGE if z[i] <= low[i] + least else HIGH_EDGE if z[i] >= high[i] - least else FREE
        if place[i] != FREE and not fabs(y[i]) <= max(SIGN_TOLERANCE * terms, NO_LOAD * load / unit[i]):
            place[i] = HELD
        if low[i] == high[i]:
            place[i] = HELD
        moving += place[i] != HELD
    return moving


cdef int _open_in_places(int n, const double* a, const int* place, double* memory, double* unit, char* work) noexcept nogil:
    """The count; -1 where it depends on which of d_i and e_i is 0. ``memory`` has 13 n^2, ``unit`` 3 n."""
    cdef size_t square = <size_t> n * n
    cdef double* basis = memory  # (n, p): all d that keep the rows that are free and held
    cdef double* image = memory + square  # (n, p): their e
    cdef double* form = memory + 2 * square  # (p, p), and what the basis is found of
    cdef double* room = memory + 3 * square  # n (n + 2)
    cdef double* sides = memory + 5 * square  # d and e on edges, each with a row of zeros
    cdef double* gram = memory + 9 * square
    cdef int closed[2 * MOST_SIDED]
    cdef int of[2 * MOST_SIDED]
    cdef int i, j, l, p, m = 0
    for i in range(n):
        unit[i] = 1.0
        for j in range(n):
            form[i * n + j] = a[i * n + j] if place[i] == FREE and place[j] != HELD else 0.0
        if place[i] == HELD:
            form[i * n + i] = 1.0
    p = _null_vectors(n, form, unit, basis, room, <int*> gram)
    _product(n, n, p, a, basis, image)
    memset(form, 0, p * p * sizeof(double))
    for i in range(n):
        for j in range(p if place[i] == LOW_EDGE or place[i] == HIGH_EDGE else 0):
            for l in range(p):
                form[j * p + l] += basis[i * p + j] * image[i * p + l] + basis[i * p + l] * image[i * p + j]
    memcpy(gram, form, p * p * sizeof(double))
    if p and _semidefinite(p, gram):
        for i in range(p * p):
            form[i] = form[i] if fabs(form[i]) > NO_FORM else 0.0
        memcpy(sides, basis, n * p * sizeof(double))
        l = _null_vectors(p, form, unit, image, room, <int*> gram)
        _product(n, p, l, sides, image, basis)
        p = l
        _product(n, n, p, a, basis, image)
    for i in range(n):
        if place[i] == LOW_EDGE or place[i] == HIGH_EDGE:
            m += _add_side(p, place[i], basis + i * p, i, sides, of, m)
            m += _add_side(p, place[i], image + i * p, i, sides, of, m)
    if p == 0 or m == 0:
        return p
    l = _implied(p, m, sides, gram, closed, work)
    for i in range(m - 1):
        if of[i] == of[i + 1] and not (closed[i] or closed[i + 1]):
            return -1
    return p - l


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
