"""The shortest x within second-order cones, or nearest to them: an interior point method.

    min ridge |x|^2 / 2 + s  so that  v = c + B (x, s)  in all cones,  the last of which is s >= 0.

What B has of s says in which units each cone is missed. With prices u of the cones, u o v = 0 in their algebra, Newton's
direction is that of Alizadeh, Haeberly and Overton (1998): x, s and u are solved for together, so that nothing is lost as
products come to zero. Steps from inside have a predictor and a corrector (Mehrotra, 1992). Full steps to products
of zero follow, which find all to rounding: edges need no names, and neither do tips.
"""

cdef enum:
    MOST_STEPS = 100  # a third of these is enough, but where cones just touch
    FULL_STEPS = 60  # each squares what is off, or halves it where an edge is touched at no price

cdef double SHORTER = 0.995  # than to the edge
cdef double SHORT = 0.3  # a step with the corrector: where it is shorter, one without it
cdef double GAINS = 0.9  # of the products, the most that a corrector leaves
cdef double FINEST = 1e-10  # products, in units of the ridge: full steps go on from there
cdef double MET = 1e-8  # what v may be off by: where no x is in cones without s it is far more

cdef struct PricedCones:
    int k, m  # unknowns without s, cones with that of s
    size_t size  # all unknowns
    double ridge
    double* B  # (3 m, k + 1)
    double* c  # 3 m, as the next five
    double* off  # c + B y - v
    double* v
    double* u
    double* dv
    double* du
    double* y  # k + 1: x and s, as the next one
    double* dy
    double* matrix  # (size, size)
    double* right  # size
    int* height  # m: 1 or 3
    int* pivot  # size


cdef size_t cones_room(const PricedCones* p) noexcept nogil:
    """Bytes of memory."""
    return (3 * p.m * (p.k + 7) + 2 * (p.k + 1) + p.size * (p.size + 1)) * sizeof(double) + (p.m + p.size) * sizeof(int)


cdef void lay_out_cones(PricedCones* p, double* room) noexcept nogil:
    cdef int rows = 3 * p.m
    p.B = room
    p.c = p.B + rows * (p.k + 1)
    p.off, p.v, p.u, p.dv, p.du = p.c + rows, p.c + 2 * rows, p.c + 3 * rows, p.c + 4 * rows, p.c + 5 * rows
    p.y = p.c + 6 * rows
    p.dy, p.right = p.y + p.k + 1, p.y + 2 * (p.k + 1)
    p.matrix = p.right + p.size
    p.height = <int*> (p.matrix + <size_t> p.size * p.size)
    p.pivot = p.height + p.m
    memset(room, 0, (3 * p.m * (p.k + 7) + p.k + 1) * sizeof(double))


cdef double _place(const PricedCones* p, int row, const double* y) noexcept nogil:
    """A row of B y."""
    cdef double total = 0.0
    cdef int i
    for i in range(p.k + 1):
        total += p.B[row * (p.k + 1) + i] * y[i]
    return total


cdef double short_of(const PricedCones* p, int j) noexcept nogil:
    """By what a cone is missed without s."""
    cdef double[3] v
    cdef int i
    for i in range(3):
        v[i] = p.c[3 * j + i] + _place(p, 3 * j + i, p.y)
    return sqrt(v[1] * v[1] + v[2] * v[2]) - v[0] + p.B[3 * j * (p.k + 1) + p.k] * p.y[p.k]


cdef int _factor(PricedCones* p) noexcept nogil:
    """Factor (ridge, -B^T; L(u) B, L(v)), L(x) z = x o z, and find what v is off by."""
    cdef int k = p.k + 1, i, j, l, row = p.k + 1, first
    cdef const double* u
    cdef double* at
    memset(p.matrix, 0, <size_t> p.size * p.size * sizeof(double))
    for i in range(3 * p.m):
        p.off[i] = p.c[i] + _place(p, i, p.y) - p.v[i]
    for i in range(p.k):
        p.matrix[i * p.size + i] = p.ridge
    for j in range(p.m):
        u, first = p.u + 3 * j, row
        for i in range(p.height[j]):
            at = p.matrix + <size_t> row * p.size
            for l in range(k):
                p.matrix[l * p.size + row] = -p.B[(3 * j + i) * k + l]
                at[l] = u[i] * p.B[3 * j * k + l]
                if i:
                    at[l] += u[0] * p.B[(3 * j + i) * k + l]
                elif p.height[j] > 1:
                    at[l] += u[1] * p.B[(3 * j + 1) * k + l] + u[2] * p.B[(3 * j + 2) * k + l]
            for l in range(p.height[j]):
                at[first + l] = p.v[3 * j] if l == i else p.v[3 * j + l] if i == 0 else p.v[3 * j + i] if l == 0 else 0.0
            row += 1
    return lu_factor(p.size, p.matrix, p.pivot)


cdef double _set_right(PricedCones* p, double target, bint second) noexcept nogil:
    """What is off, as the right-hand side, the corrector less the product of the predictor; the largest product."""
    cdef double largest = 0.0
    cdef int k = p.k + 1, i, j, l, row = p.k + 1
    for l in range(k):
        p.right[l] = -p.ridge * p.y[l] if l < p.k else -1.0
    for j in range(p.m):
        for i in range(p.height[j]):
            p.right[row] = -times_part(p.u + 3 * j, p.v + 3 * j, i) - times_part(p.u + 3 * j, p.off + 3 * j, i)
            if second:
                p.right[row] -= times_part(p.du + 3 * j, p.dv + 3 * j, i)
            if i == 0:
                p.right[row] += target
            for l in range(k):
                p.right[l] += p.B[(3 * j + i) * k + l] * p.u[3 * j + i]
            row += 1
    for i in range(k, <int> p.size):
        largest = max(largest, fabs(p.right[i]))
    return largest


cdef void _direct(PricedCones* p) noexcept nogil:
    """dy, du and dv."""
    cdef int i, j, row = p.k + 1
    lu_solve(p.size, p.matrix, p.pivot, p.right, 1)
    memcpy(p.dy, p.right, (p.k + 1) * sizeof(double))
    for j in range(p.m):
        for i in range(p.height[j]):
            p.dv[3 * j + i] = p.off[3 * j + i] + _place(p, 3 * j + i, p.dy)
            p.du[3 * j + i] = p.right[row]
            row += 1


cdef double _aim(PricedCones* p, double target, bint second) noexcept nogil:
    """A direction towards u o v = target; how far it stays in all cones, and the products fall."""
    cdef double length = 1.0 / SHORTER, slope = 0.0, bend = 0.0
    cdef int i, j
    _set_right(p, target, second)
    _direct(p)
    for j in range(p.m):
        length = min(length, min(to_edge(p.u + 3 * j, p.du + 3 * j), to_edge(p.v + 3 * j, p.dv + 3 * j)))
    for i in range(3 * p.m):
        slope += p.u[i] * p.dv[i] + p.du[i] * p.v[i]
        bend += p.du[i] * p.dv[i]
    return SHORTER * min(length, -0.5 * slope / bend if slope < 0.0 < bend else HUGE_VAL)


cdef double _products(const PricedCones* p, double length) noexcept nogil:
    """The mean of u v after a step of this length."""
    cdef double total = 0.0
    cdef int i
    for i in range(3 * p.m):
        total += (p.u[i] + length * p.du[i]) * (p.v[i] + length * p.dv[i])
    return total / p.m


cdef void _start(PricedCones* p) noexcept nogil:
    """x = 0, and an s with which all cones are met that have one."""
    cdef double w, most = 0.0
    cdef double* v
    cdef int i, j
    memset(p.y, 0, (p.k + 1) * sizeof(double))
    memset(p.u, 0, 9 * p.m * sizeof(double))
    for j in range(p.m):
        w = p.B[3 * j * (p.k + 1) + p.k]
        if w > 0.0:
            most = max(most, short_of(p, j) / w)
    p.y[p.k] = most + 1.0
    for j in range(p.m):
        w, v = p.B[3 * j * (p.k + 1) + p.k], p.v + 3 * j
        for i in range(3):
            v[i] = p.c[3 * j + i] + _place(p, 3 * j + i, p.y)
        if not w > 0.0:
            v[0] = max(v[0], 1.0 + sqrt(v[1] * v[1] + v[2] * v[2]))
        p.u[3 * j] = 1.0 / (p.m * (w if w > 0.0 else 1.0))


cdef void _take(PricedCones* p, double length) noexcept nogil:
    """A step of this length."""
    cdef int i
    for i in range(3 * p.m):
        p.u[i] += length * p.du[i]
        p.v[i] += length * p.dv[i]
    for i in range(p.k + 1):
        p.y[i] += length * p.dy[i]


cdef bint nearest_in_cones(PricedCones* p) noexcept nogil:
    """Steps from inside; whether they arrive where the equations of all cones hold."""
    cdef double gap, length, share
    cdef int step, i
    _start(p)
    for step in range(MOST_STEPS):
        gap = _products(p, 0.0)
        if not gap > FINEST * p.ridge or _factor(p):
            break
        share = _products(p, _aim(p, 0.0, False)) / gap
        length = _aim(p, share * share * share * gap, True)
        share = 0.5
        while share <= 1.0 and not (length >= SHORT and _products(p, length) <= GAINS * gap):  # away from the edges first
            length = _aim(p, share * gap, False)
            share += 0.3
        if not length > 0.0:
            break
        _take(p, length)
    for i in range(3 * p.m):
        if not fabs(p.c[i] + _place(p, i, p.y) - p.v[i]) <= MET:
            return False
    return True


cdef void sharpen_in_cones(PricedCones* p) noexcept nogil:
    """Full steps as long as each leaves less that is off."""
    cdef double least = HUGE_VAL, off
    cdef int step, i
    for step in range(FULL_STEPS):
        for i in range(3 * p.m):
            p.v[i] = p.c[i] + _place(p, i, p.y)
        if _factor(p):
            return
        off = _set_right(p, 0.0, False)
        if step > 1 and not off < GAINS * least:
            if not off < least:
                _take(p, -1.0)  # back to what was
            return
        least = off
        _direct(p)
        _take(p, 1.0)
