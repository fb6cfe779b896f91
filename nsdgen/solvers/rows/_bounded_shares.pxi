"""Shares of what rows that depend on each other bear: those of least norm that lie within the bounds of each.

Beside multipliers z lie z + N x, which A does not see. A bound is p - |q| >= 0, p and q affine in the multipliers (``Share``):
of friction p = mu z_n, q = z_t; of a box the distance of z from one of its ends. Where some x meet all bounds

    min |x|^2 / 2  so that  p - |q| >= 0,

else the bounds are missed by the least: s of their sizes w, at a price of 1 beside which lengths are next to nothing
(``_priced_cones.pxi``). What no price is paid for and is missed all the same must be met where it can be.
"""

cdef enum:
    MOST_SHARED = 300  # rows

cdef double HAIR = 1e-12  # of the size of a bound: shares at it are told from what is beyond it, above rounding
cdef double ROUNDED = 4e-15  # of the load: what bounds far below it are known to
cdef double AT_BOUND = 1e-8  # of the same
cdef double LENGTHS = 1e-5  # of |x|^2 / 2 beside s: what it leaves of s where cones are just met is 1e-10 and less
cdef double NO_LENGTHS = 1e-9  # of the same, where bounds are missed: s is then right to rounding
cdef double PRICED = 1e-6  # of the price: steps from inside leave less to bounds that cost nothing
cdef double SPENT = 1e-3  # of the price: what bounds leave of it where some are missed
cdef double LEAST_SIZE = 0.1  # of the slope times the load: prices of units that come to zero have no bound

cdef struct Nearest:
    # The problem in units of the load: k directions, m bounds.
    int n, k, m
    const Share* bound
    const double* basis  # (n, k)
    double* z  # n: the multipliers at x = 0
    double* size  # m
    double* unit  # m: w
    double* kept  # prices, x and s, and what lies between them in ``cones``
    PricedCones cones


cdef int bounded_shares(int n, const double* A, double* z, int m, const Share* bound) noexcept nogil:
    cdef size_t square = <size_t> n * n
    cdef double* memory
    cdef double* room
    cdef double load = 0.0
    cdef Nearest p
    cdef int k, i, j, found
    if n > MOST_SHARED or m > MOST_SHARED:
        return -1
    memory = <double*> malloc(2 * (square + n) * sizeof(double) + n * sizeof(int))
    if memory == NULL:
        return -1
    _balance(n, A, memory + square, memory + 2 * square + n)
    k = null_vectors(
        n, memory + square, memory + 2 * square + n, 0.0, memory, memory + square, <int*> (memory + 2 * (square + n))
    )
    _shorten(n, k, memory, z)
    found = k if k else -1
    for j in range(m if k else 0):
        if not _margin(&bound[j], z) > AT_BOUND * _size(&bound[j], z):
            break
    else:
        free(memory)
        return found
    for i in range(n):
        for j in range(k):
            if memory[i * k + j] != 0.0:
                load = max(load, fabs(z[i]))
    p.n, p.k, p.m, p.bound, p.basis = n, k, m, bound, memory
    p.cones.k, p.cones.m, p.cones.size = k, m + 1, k + 2
    for j in range(m):
        p.cones.size += 3 if bound[j].width == 2 else 1
    room = <double*> malloc((n + 11 * m + k + 10) * sizeof(double) + cones_room(&p.cones))
    if room != NULL:
        p.z, p.size, p.unit, p.kept = room, room + n, room + n + m, room + n + 2 * m
        if load == 0.0:  # the shortest is found
            memset(p.size, 0, m * sizeof(double))
        else:
            _set_cones(&p, p.kept + 9 * m + k + 10, z, load)
            _nearest(&p)
            for i in range(n):
                z[i] = _at(&p, i) * load
        found = k - _closed(&p, A, z, load)
    free(memory)
    free(room)
    return found


cdef void _balance(int n, const double* A, double* balanced, double* unit) noexcept nogil:
    """Units of multipliers by the diagonal, and rows without entries above 1 in them: rates in small units hide no others."""
    cdef double largest
    cdef int i, j
    for i in range(n):
        unit[i] = 1.0 / sqrt(fabs(A[i * n + i])) if A[i * n + i] != 0.0 else 1.0
    for i in range(n):
        largest = 1.0
        for j in range(n):
            largest = max(largest, unit[i] * fabs(A[i * n + j]) * unit[j])
        for j in range(n):
            balanced[i * n + j] = A[i * n + j] / exp2(logb(largest))  # which rounds nothing


cdef void _shorten(int n, int k, const double* basis, double* z) noexcept nogil:
    """The shortest of all that A does not tell from z."""
    cdef double share
    cdef int i, j
    for j in range(k):
        share = 0.0
        for i in range(n):
            share += basis[i * k + j] * z[i]
        for i in range(n):
            z[i] -= share * basis[i * k + j]


cdef double _margin(const Share* b, const double* z) noexcept nogil:
    cdef double value = b.constant + (b.slope * z[b.load] if b.load >= 0 else 0.0)
    if b.width == 1:
        return value - b.sign * z[b.row]
    return value - sqrt(z[b.row] * z[b.row] + z[b.row + 1] * z[b.row + 1]) if b.width else value


cdef double _size(const Share* b, const double* z) noexcept nogil:
    """What a bound is compared with: its box or disk, if there is one."""
    return b.size if b.load < 0 else b.slope * max(z[b.load], 0.0) if b.width else 0.0


cdef void _set_cones(Nearest* p, double* room, const double* z, double load) noexcept nogil:
    """The bounds as cones, each a hair narrower."""
    cdef PricedCones* q = &p.cones
    cdef const Share* b
    cdef double slope
    cdef int k = p.k, i, j
    lay_out_cones(q, room)
    for i in range(p.n):
        p.z[i] = z[i] / load
    for j in range(p.m):
        b, p.size[j] = &p.bound[j], _size(&p.bound[j], z) / load
        slope = b.slope if b.load >= 0 and b.slope > 0.0 else 1.0
        p.unit[j] = q.B[3 * j * (k + 1) + k] = max(p.size[j], LEAST_SIZE * slope)
        p.size[j] = p.size[j] if p.size[j] > 0.0 else slope
        q.height[j] = 3 if b.width == 2 else 1
        q.c[3 * j] = b.constant / load - HAIR * p.size[j] - ROUNDED
        if b.load >= 0:
            _add_multiplier(p, 3 * j, b.load, b.slope)
        for i in range(b.width):
            _add_multiplier(p, 3 * j + (i + 1 if b.width == 2 else 0), b.row + i, 1.0 if b.width == 2 else -b.sign)
    q.height[p.m], q.B[3 * p.m * (k + 1) + k] = 1, 1.0


cdef void _add_multiplier(Nearest* p, int to, int row, double factor) noexcept nogil:
    """A multiplier times a factor as part of a row of the cones."""
    cdef int i
    p.cones.c[to] += factor * p.z[row]
    for i in range(p.k):
        p.cones.B[to * (p.k + 1) + i] += factor * p.basis[row * p.k + i]


cdef void _nearest(Nearest* p) noexcept nogil:
    """The optimum to rounding, or x = 0 where that misses less."""
    cdef PricedCones* q = &p.cones
    cdef size_t kept = (9 * q.m + q.k + 1) * sizeof(double)  # from prices to x and s
    cdef double first = _missed(p), before
    cdef bint missed
    cdef int j
    q.ridge = LENGTHS
    nearest_in_cones(q)
    missed = q.u[3 * p.m] < SPENT
    memcpy(p.kept, q.u, kept)
    if missed and _bind_unpriced(p) and not nearest_in_cones(q):
        memcpy(q.u, p.kept, kept)
        for j in range(p.m):
            q.B[3 * j * (q.k + 1) + q.k] = p.unit[j]
    before = _missed(p)
    memcpy(p.kept, q.u, kept)
    q.ridge = NO_LENGTHS if missed else LENGTHS
    sharpen_in_cones(q)
    if not _missed(p) <= max(before, 0.5 * HAIR):
        memcpy(q.u, p.kept, kept)
    if not _missed(p) <= max(first, 0.5 * HAIR):
        memset(q.y, 0, (q.k + 1) * sizeof(double))


cdef double _missed(const Nearest* p) noexcept nogil:
    """By how much of its unit the bound is missed that is missed most."""
    cdef double worst = -HUGE_VAL, one
    cdef int j
    for j in range(p.m):
        one = short_of(&p.cones, j) / p.unit[j]
        worst = one if not one <= worst else worst
    return worst


cdef bint _bind_unpriced(Nearest* p) noexcept nogil:
    """No s for bounds at no price, where one of them is missed; whether one is."""
    cdef PricedCones* q = &p.cones
    cdef int j
    cdef bint some = False
    for j in range(p.m):
        some = some or (q.u[3 * j] * p.unit[j] < PRICED and short_of(q, j) > 0.0)
    for j in range(p.m if some else 0):
        if q.u[3 * j] * p.unit[j] < PRICED:
            q.B[3 * j * (q.k + 1) + q.k] = 0.0
    return some


cdef double _at(const Nearest* p, int row) noexcept nogil:
    cdef double value = p.z[row]
    cdef int i
    for i in range(p.k):
        value += p.basis[row * p.k + i] * p.cones.y[i]
    return value


cdef int _closed(const Nearest* p, const double* A, const double* z, double load) noexcept nogil:
    """How many of the directions the bounds close that z is at; a disk of no load is a square."""
    cdef const Share* b
    cdef double* side = <double*> calloc(<size_t> 8 * p.m * p.n, sizeof(double))
    cdef double* row
    cdef double length
    cdef int n = p.n, j, l, made = 0
    if side == NULL:
        return 0
    for j in range(p.m):
        b = &p.bound[j]
        if _margin(b, z) > AT_BOUND * p.size[j] * load:
            continue
        length = sqrt(z[b.row] * z[b.row] + z[b.row + 1] * z[b.row + 1]) if b.width == 2 else 0.0
        for l in range(4 if b.width == 2 and not length > AT_BOUND * load else 1):
            row = side + <size_t> 2 * made * n
            made += 1
            if b.load >= 0:
                row[b.load] = b.slope
            if b.width == 1:
                row[b.row] = -b.sign
            elif b.width == 2 and length > AT_BOUND * load:
                row[b.row], row[b.row + 1] = -z[b.row] / length, -z[b.row + 1] / length
                row[n + b.row], row[n + b.row + 1] = -row[b.row + 1], row[b.row]
            elif b.width == 2:
                row[b.row + l // 2] = 1.0 - 2.0 * (l % 2)
    l = closed_changes(n, A, p.k, p.basis, False, made, side) if made else 0
    free(side)
    return l
