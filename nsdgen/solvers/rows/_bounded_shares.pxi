"""Shares of what rows that depend on each other bear: those of least norm that lie within the bounds of each.

Beside multipliers z lie z + N x, which A does not see. A bound is p - |q| >= 0, p and q affine in the multipliers (``Share``):
of friction p = mu z_n, q = z_t; of a box the distance of z from one of its ends. Where some x meet all bounds

    min |x|^2 / 2  so that  g = p - |q| >= 0,

else the bounds are missed by the least: s of their sizes w, s >= 0 at a price P each. Both are one problem: Newton's
method on its optimality (sequential quadratic programs), each step a complementarity problem of multipliers nu of bounds,

    0 <= g + G dx + w s  orthogonal to  nu >= 0,   0 <= P - w^T nu  orthogonal to  s >= 0,   H (x + dx) = H x + G^T nu - x,

with H = 1 + sum nu_j |q_j|''. What is missed by none has no s: that of bounds whose nu is no price is left out. As all is
convex, steps that do not lower |x|^2 / 2 + P max(-g / w) are halved: where the method does not arrive x is better than before.
"""

cdef enum:
    MOST_ROUNDS = 40  # of Newton's method: halved steps creep, full ones arrive in a few
    MOST_SHARED = 300  # rows
    SHARPENED = 3  # rounds on the bounds found: each squares what is off

cdef double HAIR = 1e-12  # of the size of a bound: shares at it are told from what is beyond it, above rounding
cdef double ROUNDED = 4e-15  # of the load: what bounds far below it are known to
cdef double AT_BOUND = 1e-8  # of the same
cdef double PRICE = 1e5  # of the load: rounding, and what it leaves of s where a cone is touched, stay below 1e-10
cdef double FIRST_PRICE = 1e3  # of the same: beside a higher one bounds that are just met drown
cdef double LEAST_SHARE = 1e-4  # of a step of Newton's method
cdef double COST_ROUNDED = 1e-12  # of the cost
cdef double LENGTHS = 1e-9  # of the load, beside what bounds are missed by
cdef double IS_PRICE = 1e-3  # of the price
cdef double NEAR_ENOUGH = 1e-8  # of the load: three steps more, which are right to rounding, follow

cdef struct Nearest:
    # The problem in units of the load: k directions, m bounds.
    int n, k, m
    double price
    const Share* bound
    const double* basis  # (n, k)
    double* z  # n: the multipliers at x = 0
    double* x  # k
    double* nu  # m + 1, s behind them; behind x
    double* kept  # k + m + 1: x and nu
    double* start  # k
    double* dx  # k
    double* gap  # m: g less a hair
    double* slope  # (m, k): G
    double* size  # m: w
    double* loose  # m: w, or 0 of bounds that are met
    double* hessian  # (k, k)
    double* image  # (k, m + 1): H^-1 G^T, and H^-1 of the gradient
    double* matrix  # (m + 1)^2
    double* right  # m + 1
    double* y  # m + 1
    char* work
    int* cone  # m + 1
    int* pivot  # k


cdef int bounded_shares(int n, const double* A, double* z, int m, const Share* bound) noexcept nogil:
    cdef size_t square = <size_t> n * n, edge = m + 1
    cdef double* memory
    cdef double* room
    cdef double load = 0.0
    cdef Nearest p
    cdef int k, i, j, found
    if n > MOST_SHARED or m > MOST_SHARED:
        return -1
    memory = <double*> malloc(2 * ((square + n) * sizeof(double) + n * sizeof(int)))
    if memory == NULL:
        return -1
    for i in range(n):
        memory[2 * square + n + i] = 1.0 / sqrt(fabs(A[i * n + i])) if A[i * n + i] != 0.0 else 1.0
    k = null_vectors(n, A, memory + 2 * square + n, memory, memory + square, <int*> (memory + 2 * (square + n)))
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
    room = <double*> malloc((n + k * (k + 2 * edge + 4) + edge * (edge + 7)) * sizeof(double) + mlcp_work_size(m + 1)
                            + (edge + k) * sizeof(int))
    if room != NULL:
        p.k, p.m, p.n, p.bound, p.basis, p.z, p.x = k, m, n, bound, memory, room, room + n
        p.nu = p.x + k
        p.kept = p.nu + edge
        p.start = p.kept + k + edge
        p.dx = p.start + k
        p.gap = p.dx + k
        p.size, p.loose, p.right, p.y = p.gap + edge, p.gap + 2 * edge, p.gap + 3 * edge, p.gap + 4 * edge
        p.slope = p.gap + 5 * edge
        p.image = p.slope + k * edge
        p.hessian = p.image + k * edge
        p.matrix = p.hessian + k * k
        p.work = <char*> (p.matrix + edge * edge)
        p.cone = <int*> (p.work + mlcp_work_size(m + 1))
        p.pivot = p.cone + edge
        if load == 0.0:  # the shortest is found
            memset(p.size, 0, m * sizeof(double))
        if load == 0.0 or _nearest(&p, z, load):
            found = k - _closed(&p, A, z, load)
    free(memory)
    free(room)
    return found


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


cdef bint _nearest(Nearest* p, double* z, double load) noexcept nogil:
    """Whether the problem is solved, first with all bounds loose at a low price, else with none; ``z`` costs no more."""
    cdef double was
    cdef int i, j
    cdef bint solved
    for i in range(p.n):
        p.z[i] = z[i] / load
    for j in range(p.m):
        p.size[j] = _size(&p.bound[j], z) / load
        if not p.size[j] > 0.0:
            p.size[j] = p.bound[j].slope if p.bound[j].load >= 0 else 1.0
    memset(p.x, 0, p.k * sizeof(double))
    memset(p.nu, 0, (p.m + 1) * sizeof(double))
    memcpy(p.loose, p.size, p.m * sizeof(double))
    p.price = FIRST_PRICE
    solved = _optimum(p, load)
    if not solved:
        memset(p.nu, 0, (p.m + 1) * sizeof(double))
        memset(p.loose, 0, p.m * sizeof(double))
        solved = _optimum(p, load)
        memcpy(p.loose, p.size, p.m * sizeof(double))
    elif p.nu[p.m] > 0.0:
        p.price = PRICE
        for j in range(p.m):
            p.nu[j] *= PRICE / FIRST_PRICE
        _try_optimum(p, load)
        for j in range(p.m if p.nu[p.m] > 0.0 else 0):
            if p.nu[j] * p.loose[j] < IS_PRICE * PRICE:
                p.loose[j] = 0.0
        if p.nu[p.m] > 0.0 and not _try_optimum(p, load):
            memcpy(p.loose, p.size, p.m * sizeof(double))
    was = _missed(p, load)
    memcpy(p.kept, p.x, p.k * sizeof(double))
    if solved:
        _sharpen(p, load, p.nu[p.m] > 0.0)
        if not p.nu[p.m] > 0.0 and _missed(p, load) > 0.5:
            _sharpen(p, load, True)
    if not _missed(p, load) <= max(was, 0.5):
        memcpy(p.x, p.kept, p.k * sizeof(double))
    for i in range(p.n):
        z[i] = _at(p, i) * load
    return solved


cdef bint _try_optimum(Nearest* p, double load) noexcept nogil:
    """``_optimum``, or what was."""
    memcpy(p.kept, p.x, (p.k + p.m + 1) * sizeof(double))
    if _optimum(p, load):
        return True
    memcpy(p.x, p.kept, (p.k + p.m + 1) * sizeof(double))
    return False


cdef double _missed(Nearest* p, double load) noexcept nogil:
    """By how many hairs the bound that is missed most is missed."""
    cdef double worst = 0.0
    cdef int j
    for j in range(p.m):
        _linearize(p, j, load)
        worst = max(worst, -p.gap[j] / _hair(p, j)) if p.gap[j] - p.gap[j] == 0.0 else DBL_MAX
    return worst


cdef void _sharpen(Nearest* p, double load, bint missed) noexcept nogil:
    """Newton's method for the bounds that count, those that are missed at a price beside which lengths are nothing.

    Of (H / P, -G^T, 0; G, 0, w; 0, w^T, 0) all entries are of size 1, so that x, nu / P and s are right to rounding.
    """
    cdef int k = p.k, i, j, l, count = 0, size, round
    cdef double lengths
    cdef double* a
    cdef double* right
    for j in range(p.m):
        _linearize(p, j, load)
        if p.gap[j] < -0.5 * _hair(p, j):
            p.nu[j] = max(p.nu[j], DBL_MIN)
        count += p.nu[j] > 0.0
    size = k + count + 1
    a = <double*> malloc((size * size + size) * sizeof(double) + size * sizeof(int))
    if a == NULL:
        return
    right = a + size * size
    lengths = LENGTHS if missed else 1.0
    for j in range(p.m if missed else 0):
        p.nu[j] /= p.price
    for round in range(SHARPENED):
        memset(a, 0, (size * size + size) * sizeof(double))
        memset(p.hessian, 0, k * k * sizeof(double))
        count = k
        for j in range(p.m):
            _linearize(p, j, load)
            if p.nu[j] > 0.0:
                for i in range(k):
                    a[i * size + count] = -p.slope[j * k + i]
                    a[count * size + i] = p.slope[j * k + i]
                if missed:
                    a[count * size + size - 1] = a[(size - 1) * size + count] = p.loose[j]
                right[count] = -p.gap[j]
                count += 1
        right[size - 1] = missed
        a[size * size - 1] = not missed
        for i in range(k):
            for l in range(k):
                a[i * size + l] = p.hessian[i * k + l]
            a[i * size + i] += lengths
            right[i] = -lengths * p.x[i]
        if lu_factor(size, a, <int*> (right + size)):
            break
        lu_solve(size, a, <int*> (right + size), right, 1)
        for i in range(k):
            p.x[i] += right[i]
        count = k
        for j in range(p.m):
            if p.nu[j] > 0.0:
                p.nu[j] = max(right[count], DBL_MIN)
                count += 1
    free(a)


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


cdef bint _optimum(Nearest* p, double load) noexcept nogil:
    """Newton's method from x and nu; whether it arrives."""
    cdef MlcpWork of
    cdef MlcpInfo info
    cdef double step, length, was, share
    cdef int k = p.k, m = p.m, i, j, l, round
    for round in range(MOST_ROUNDS):
        memset(p.hessian, 0, k * k * sizeof(double))
        for i in range(k):
            p.hessian[i * k + i] = 1.0
            p.image[i * (m + 1) + m] = p.x[i]
        for j in range(m):
            _linearize(p, j, load)
            for i in range(k):
                p.image[i * (m + 1) + j] = p.slope[j * k + i]
        if lu_factor(k, p.hessian, p.pivot):
            return False
        lu_solve(k, p.hessian, p.pivot, p.image, m + 1)
        memset(p.matrix, 0, (m + 1) * (m + 1) * sizeof(double))
        for j in range(m):
            p.right[j] = p.gap[j]
            for i in range(k):
                p.right[j] -= p.slope[j * k + i] * p.image[i * (m + 1) + m]
                for l in range(m):
                    p.matrix[j * (m + 1) + l] += p.slope[j * k + i] * p.image[i * (m + 1) + l]
            p.matrix[j * (m + 1) + m] = p.loose[j]
            p.matrix[m * (m + 1) + j] = -p.loose[j]
            p.cone[j] = COMPLEMENTARITY
        p.right[m], p.cone[m] = p.price, COMPLEMENTARITY
        mlcp_work_init(&of, p.work, m + 1)
        if mlcp_solve(m + 1, p.matrix, p.right, p.cone, p.nu, p.y, &of, &info):
            return False
        length = step = 0.0
        was = _cost(p, load)
        for i in range(k):
            p.dx[i] = -p.image[i * (m + 1) + m]
            for j in range(m):
                p.dx[i] += p.image[i * (m + 1) + j] * p.nu[j]
            step, length = max(step, fabs(p.dx[i])), max(length, fabs(p.x[i] + p.dx[i]))
        memcpy(p.start, p.x, k * sizeof(double))
        share = 2.0
        while share == 2.0 or not _cost(p, load) <= was * (1.0 + COST_ROUNDED):
            share *= 0.5
            for i in range(k):
                p.x[i] = p.start[i] + share * p.dx[i] if share > LEAST_SHARE else p.start[i]
            if share <= LEAST_SHARE:
                return False
        if step <= NEAR_ENOUGH * (1.0 + length) or (round > 0 and not _bends(p)):
            return True
    return False


cdef double _cost(Nearest* p, double load) noexcept nogil:
    """|x|^2 / 2 and the price of what is missed, which Newton's method lowers; bounds without s cost the same."""
    cdef double missed = 0.0, cost = 0.0
    cdef int i, j
    for i in range(p.k):
        cost += 0.5 * p.x[i] * p.x[i]
    for j in range(p.m):
        _linearize(p, j, load)
        missed = max(missed, -p.gap[j] / p.size[j])
    return cost + p.price * missed


cdef bint _bends(const Nearest* p) noexcept nogil:
    """Whether a bound is that of a disk: all others are met by one step."""
    cdef int j
    for j in range(p.m):
        if p.bound[j].width == 2:
            return True
    return False


cdef double _at(const Nearest* p, int row) noexcept nogil:
    cdef double value = p.z[row]
    cdef int i
    for i in range(p.k):
        value += p.basis[row * p.k + i] * p.x[i]
    return value


cdef inline double _hair(const Nearest* p, int j) noexcept nogil:
    return HAIR * p.size[j] + ROUNDED


cdef void _linearize(Nearest* p, int j, double load) noexcept nogil:
    """g of a bound, less its hair, and its slope; its curvature times nu is added to H."""
    cdef const Share* b = &p.bound[j]
    cdef double q0, q1, length, bend
    cdef double* slope = p.slope + j * p.k
    cdef int i, l
    p.gap[j] = b.constant / load - _hair(p, j)
    memset(slope, 0, p.k * sizeof(double))
    if b.load >= 0:
        p.gap[j] += b.slope * _at(p, b.load)
        for i in range(p.k):
            slope[i] = b.slope * p.basis[b.load * p.k + i]
    if b.width == 1:
        p.gap[j] -= b.sign * _at(p, b.row)
        for i in range(p.k):
            slope[i] -= b.sign * p.basis[b.row * p.k + i]
    if b.width < 2:
        return
    q0, q1 = _at(p, b.row), _at(p, b.row + 1)
    length = sqrt(q0 * q0 + q1 * q1)
    p.gap[j] -= length
    if length == 0.0:
        return
    for i in range(p.k):
        slope[i] -= (q0 * p.basis[b.row * p.k + i] + q1 * p.basis[(b.row + 1) * p.k + i]) / length
        bend = q0 * p.basis[(b.row + 1) * p.k + i] - q1 * p.basis[b.row * p.k + i]
        for l in range(p.k):
            p.hessian[i * p.k + l] += p.nu[j] * bend * (
                q0 * p.basis[(b.row + 1) * p.k + l] - q1 * p.basis[b.row * p.k + l]) / (length * length * length)
