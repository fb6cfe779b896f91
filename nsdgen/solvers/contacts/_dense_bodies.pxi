"""Dense friction problems on bodies, M v = H r + f: condensed to their contacts, solved there, and looked at again as given.

W = H^T M^-1 H and q = H^T M^-1 f + b; what is left of terms that cancel is none: a contact that M holds must not seem to close.
"""

cdef enum:
    MOST_MOVED = 350  # freedoms or rows: above, factors and W take longer than all that is done in Python

cdef double CANCELLED = 1e-13  # of their terms: what is left of them is rounding
cdef double BALANCED = 4e-16  # of what is added up: two roundings
cdef double FINE = 1e-12  # of its own terms: a row of M v = H r + f is right, as in mixed_certificate.py


cdef bint _condense(const Bodies* p, double* W, double* q) noexcept nogil:
    """W (m, m) and q (m,); False where M is singular to rounding."""
    cdef int i, j, k, m = p.m, width = p.m + 1
    cdef double h
    cdef const double* x
    memcpy(p.lu, p.M, <size_t> p.n * p.n * sizeof(double))
    if lu_factor(p.n, p.lu, p.pivot):
        return False
    for k in range(p.n):
        memcpy(p.moved + k * width, p.H + k * m, m * sizeof(double))
        p.moved[k * width + m] = p.f[k]
    lu_solve(p.n, p.lu, p.pivot, p.moved, width)
    for i in range(m):
        memset(W, 0, m * sizeof(double))
        memset(p.terms, 0, m * sizeof(double))
        q[i], p.terms[m] = p.b[i], fabs(p.b[i])
        for k in range(p.n):
            h = p.H[k * m + i]
            if h != 0.0:
                x = p.moved + k * width
                for j in range(m):
                    W[j] += h * x[j]
                    p.terms[j] += fabs(h * x[j])
                q[i] += h * x[m]
                p.terms[m] += fabs(h * x[m])
        for j in range(m):
            if fabs(W[j]) <= CANCELLED * p.terms[j]:
                W[j] = 0.0
        if fabs(q[i]) <= CANCELLED * p.terms[m]:
            q[i] = 0.0
        W += m
    return True


cdef double _velocities(const Bodies* p, const double* r) noexcept nogil:
    """v of r, and by how much of its terms the worst row of M v = H r + f is off."""
    cdef int k
    cdef double own, off, worst = 0.0
    for k in range(p.n):
        p.right[k] = nsd_dot_sized(p.m, p.H + k * p.m, r, p.terms + k) + p.f[k]
        p.terms[k] += fabs(p.f[k])
        p.v[k] = p.right[k] if fabs(p.right[k]) > BALANCED * p.terms[k] else 0.0
    lu_solve(p.n, p.lu, p.pivot, p.v, 1)
    for k in range(p.n):
        off = fabs(nsd_dot_sized(p.n, p.M + <size_t> k * p.n, p.v, &own) - p.right[k])
        if not off <= worst * (own + p.terms[k]):
            worst = off / (own + p.terms[k]) if off - off == 0.0 else HUGE_VAL
    return worst


cdef bint _moves(const Dense* p, double goal, DenseAnswer* a) noexcept nogil:
    """v of an answer, and its certificate beside u = H^T v + b."""
    cdef const Bodies* of = p.bodies
    cdef double off = _velocities(of, a.r), h
    cdef int i, k
    memcpy(a.u, of.b, p.n * sizeof(double))
    for i in range(p.n):
        of.terms[i] = fabs(of.b[i])
    for k in range(of.n):
        for i in range(p.n):
            h = of.H[k * p.n + i] * of.v[k]
            a.u[i] += h
            of.terms[i] += fabs(h)
    a.residual = a.of_load = 0.0
    for i in range(p.count):
        judge(p, i, a.r, a.u, nsd_largest(p.dim, of.terms + i * p.dim), &a.residual, &a.of_load)
    a.residual = max(a.residual, off)
    return off <= FINE and a.residual <= goal


def solve_dense_bodies(M, f, H, b, mu, dim, goal, initial=None, rolling=None):
    """``solve_dense`` of the condensed problem, and v (n,), judged as they were given; None where it is for others.

    Arguments are those of ``solve_global_friction``, and may be anything.
    """
    cdef Bodies p
    cdef Py_ssize_t[2] mass, force, directions, offset
    cdef double* room
    cdef double* W
    cdef double* q
    cdef bint good
    p.M, p.f = plain_doubles(M, 2, mass), plain_doubles(f, 1, force)
    p.H, p.b = plain_doubles(H, 2, directions), plain_doubles(b, 1, offset)
    if p.M == NULL or p.f == NULL or p.H == NULL or p.b == NULL:
        return None
    if not (0 < force[0] == mass[0] == mass[1] == directions[0] <= MOST_MOVED and 0 < offset[0] == directions[1] <= MOST_MOVED):
        return None
    p.n, p.m = <int> force[0], <int> offset[0]
    if not (_all_near(p.n * p.n, p.M) and _all_near(p.n, p.f) and _all_near(p.n * p.m, p.H) and _all_near(p.m, p.b)):
        return None
    matrix = new_doubles(<Py_ssize_t> p.m * p.m, &W).reshape(p.m, p.m)
    reduced, velocities = new_doubles(p.m, &q), new_doubles(p.n, &p.v)
    room = <double*> malloc((<size_t> p.n * (p.n + p.m + 2) + p.n + p.m + 1) * sizeof(double) + p.n * sizeof(int))
    if room == NULL:
        return None
    try:
        p.lu, p.moved = room, room + <size_t> p.n * p.n
        p.right = p.moved + <size_t> p.n * (p.m + 1)
        p.terms = p.right + p.n
        p.pivot = <int*> (p.terms + p.n + p.m + 1)
        with nogil:
            good = _condense(&p, W, q)
        found = _from_python(matrix, reduced, mu, dim, goal, initial, rolling, &p) if good else None
    finally:
        free(room)
    return (found, velocities) if type(found) is Solution else None


cdef bint _all_near(int n, const double* a) noexcept nogil:
    cdef double largest = nsd_largest(n, a)
    return largest == 0.0 or _near(largest)
