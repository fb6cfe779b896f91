"""A dense friction problem, its parts and units, in one look at the matrix.

D is a power of two near the inverse root of the largest entry of a contact's own block: D W D has diagonal blocks near 1
whatever the masses are. Measures are those of ``mixed_certificate.py``.
"""

cdef struct Bodies:
    # What W and q are condensed from: W = H^T M^-1 H, q = H^T M^-1 f + b.
    int n  # freedoms
    int m  # rows of contacts
    const double* M  # n x n
    const double* H  # n x m
    const double* f  # n
    const double* b  # m
    double* v  # n
    double* right  # n: H r + f
    double* lu  # n x n
    double* moved  # n x (m + 1): M^-1 (H, f)
    double* terms  # m + 1
    int* pivot  # n

cdef struct Dense:
    int count  # contacts
    int dim
    int disks
    int n  # rows
    int parts
    int most  # contacts in a part
    const double* W  # n x n
    const double* q  # n
    const double* mu  # count x disks
    const Bodies* bodies  # or NULL
    double m  # max |W_ij|
    double whole  # max |q_i|
    double* unit  # count, as all that follow unless said otherwise: D
    double* size  # the largest entry of D W D in the part
    double* load  # max |D q| of the part, or its noise
    double* scale  # what r' = 1 is in units of r: D times the load, a power of two
    double* aim  # of the tolerance: what the natural map of r' must fall to, a power of two: sweeps then round as alone
    double* own  # count x dim x dim: diagonal blocks
    int* label  # number of the part; then how many contacts each part has

cdef enum:
    FAR = 60  # binary exponents up to which nothing overflows
    SMALL = 350  # rows up to which zeros do not matter

cdef double NOISE = _NOISE
cdef double SEEN = _SEEN
cdef double HALF_WAY = sqrt(0.5)  # between two powers of two
cdef double FULL = 0.25  # of the entries of parts: with fewer these are sparse


cdef size_t dense_doubles(int count, int dim) noexcept nogil:
    """Doubles of ``memory`` that ``dense_units`` fills."""
    return 5 * <size_t> count + <size_t> count * dim * dim


cdef bint dense_units(Dense* p, double* memory, int* label, double* column) noexcept nogil:
    """Fill in all but count, dim, disks, n, W, q and mu; ``label`` has 2 * count ints, ``column`` n doubles of work.

    False where the problem is for others: a number that is none, in far units, without load, a contact that no reaction
    moves, parts of mostly zeros.
    """
    cdef int count = p.count
    p.unit = memory
    p.size = p.unit + count
    p.load = p.size + count
    p.scale = p.load + count
    p.aim = p.scale + count
    p.own = p.aim + count
    p.label = label
    if not (_offsets(p) and _own_units(p, column) and _entries(p, column)):
        return False
    _loads(p)
    return True


cdef bint _near(double largest) noexcept nogil:
    return -FAR <= nsd_exponent(largest) <= FAR


cdef bint _offsets(Dense* p) noexcept nogil:
    """Whether q is one of finite numbers, not all zero, in near units."""
    cdef int i
    cdef double probe = 0.0
    p.whole = 0.0
    for i in range(p.n):
        probe += p.q[i] - p.q[i]
        p.whole = max(p.whole, fabs(p.q[i]))
    return probe == 0.0 and p.whole > 0.0 and _near(p.whole)


cdef bint _own_units(Dense* p, double* column) noexcept nogil:
    """D from the diagonal blocks, also for each column; whether all of them have an entry."""
    cdef int i, k, j, d = p.dim
    cdef double largest
    cdef const double* block
    for i in range(p.count):
        largest = 0.0
        for k in range(d):
            block = p.W + <size_t> (i * d + k) * p.n + i * d
            for j in range(d):
                p.own[(i * d + k) * d + j] = block[j]
                largest = max(largest, fabs(block[j]))
        if not 0.0 < largest < 1e100:
            return False
        p.unit[i] = nsd_power(-(nsd_exponent(largest) >> 1))
        for k in range(d):
            column[i * d + k] = p.unit[i]
    return True


cdef bint _entries(Dense* p, const double* column) noexcept nogil:
    """One look at all entries: finite, near, parts not mostly zeros, contacts that can be moved; sizes of contacts and parts."""
    cdef int i, d = p.dim
    cdef double top, far
    cdef size_t stored = 0
    cdef const double* rows = p.W
    p.m = 0.0
    for i in range(p.count):
        if p.q[i * d] < 0.0 and p.own[i * d * d] == 0.0 and nsd_largest(p.n, rows) == 0.0:
            return False
        # The label is the number of entries that are not zero, until parts are found.
        if nsd_look(d, p.n, rows, column, &top, &far, p.label + i) != 0.0:
            return False
        p.m = max(p.m, top)
        p.size[i] = far * p.unit[i]
        stored += p.label[i]
        rows += <size_t> d * p.n
    if not _near(p.m):
        return False
    if stored == <size_t> p.n * p.n:
        p.parts, p.most = 1, p.count
        memset(p.label, 0, p.count * sizeof(int))
        p.label[p.count] = p.count
        return True
    _find_parts(p)
    return stored >= FULL * _entries_of_parts(p) or p.n <= SMALL


cdef double _entries_of_parts(Dense* p) noexcept nogil:
    """How many entries the parts have, zeros or not; the contacts of the largest."""
    cdef int i
    cdef int* contacts = p.label + p.count
    cdef double total = 0.0
    memset(contacts, 0, p.count * sizeof(int))
    for i in range(p.count):
        contacts[p.label[i]] += 1
    p.most = 0
    for i in range(p.parts):
        total += <double> contacts[i] * contacts[i]
        p.most = max(p.most, contacts[i])
    return total * p.dim * p.dim


cdef void _find_parts(Dense* p) noexcept nogil:
    """Contacts that no entry connects, directly or through others, are parts; ``label`` has room for parents behind it."""
    cdef int i, k, j, d = p.dim, left = p.count
    cdef int* parent = p.label + p.count
    cdef const double* row
    for i in range(p.count):
        parent[i] = i
    for i in range(p.count):
        for j in range(d * d):
            p.label[i] -= p.own[i * d * d + j] != 0.0
        for k in range(d if p.label[i] else 0):  # entries outside its own block
            row = p.W + <size_t> (i * d + k) * p.n
            for j in range(p.n if left > 1 else 0):
                if row[j] != 0.0:
                    left -= join(parent, i, j // d)
    p.parts = number_sets(p.count, parent, p.label)


cdef double _power(double x) noexcept nogil:
    """The power of two nearest to x > 0 by their ratio."""
    cdef int exponent = nsd_exponent(x)
    return nsd_power(exponent if x >= HALF_WAY * nsd_power(exponent) else exponent - 1)


cdef inline int next_of_part(const Dense* p, int k, int i) noexcept nogil:
    """The next contact of part k that is not before contact i; parts are numbered in the order of their first contacts."""
    while p.label[i] != k:
        i += 1
    return i


cdef void _loads(Dense* p) noexcept nogil:
    """Size, load, scale and aim of each contact, those of its part; what is less than rounding of common motions is none."""
    cdef int i, j, k, c, first = 0, d = p.dim
    cdef const int* members = p.label + p.count
    cdef double coarsest, size, load, power, own, noise, most
    for k in range(p.parts):
        coarsest = size = load = noise = 0.0
        first = i = next_of_part(p, k, first)
        for c in range(members[k]):
            i = next_of_part(p, k, i)
            coarsest = max(coarsest, p.unit[i])
            size = max(size, p.size[i])
            most = 0.0
            for j in range(d):
                most = max(most, fabs(p.q[i * d + j]))
            load = max(load, p.unit[i] * most)
            p.load[i] = (min(NOISE * p.whole, SEEN * most) if most > 0.0 else NOISE * p.whole) * p.unit[i]
            noise = max(noise, p.load[i])
            i += 1
        own = _power(load) if load > 0.0 else 0.0
        power = own if load >= noise else _power(noise)
        i = first
        for c in range(members[k]):
            i = next_of_part(p, k, i)
            p.size[i] = size
            p.load[i] = max(own, p.load[i])
            p.scale[i] = p.unit[i] * power
            p.aim[i] = _power(min(p.load[i] / (power * size), p.whole / (p.m * power * coarsest)))
            i += 1
