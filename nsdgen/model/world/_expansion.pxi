"""The distance of two convex shapes, or the depth to which they are inside each other, and the direction of it.

Along a unit vector n from b to a shapes are apart by s(n) = min n . a - max n . b. The largest s is their distance, or
less their depth. It is found from inside: -s(-u) is how far the difference C of all a - b reaches along u, and the
nearest plane of C to the origin is looked for by a polytope of support points that grows there (van den Bergen, Game
Developers Conference 2001: EPA). C is made thicker by a ball, as much as shapes may be apart and a little more: so the
origin is inside where it matters, resting shapes are as ordinary as others, and the ball changes neither the place
nor the direction of the nearest plane. What the polytope knows is made exact at the end (``_exact_places.pxi``).
"""

cdef struct Apart:
    double gap, size  # below 0: a depth; size: of the shapes
    double normal[3]  # unit, from b to a
    double a[3]  # places of both that are nearest
    double b[3]

cdef enum:
    MOST_POINTS = 140  # places of the polytope, which is on the stack
    MOST_FACES = 300  # 2 n - 4 of n points, and those that are replaced
    MOST_RIM = 200  # edges: a rim has no more than there are places

cdef double THICKER = 0.01  # of the size of the smaller shape: of the ball
cdef double CLOSE = 1e-8  # of the size of both: how near the polytope comes to the plane it looks for
cdef double SMALL = 1e-14  # of size: a place beyond a face by less is on it

cdef struct Vertex:
    double p[3]  # of the thicker C
    double w[3]  # of C
    double a[3]
    double b[3]

cdef struct Facet:
    int v[3]
    double n[3]
    double d
    bint passed  # its direction is none that is looked for

ctypedef bint (*Allows)(const void *of, const double *n) noexcept nogil

cdef struct Polytope:
    const Shape *a
    const Shape *b
    double thick, size
    int n_nodes, n_facets
    Vertex node[MOST_POINTS]
    Facet facet[MOST_FACES]


cdef double apart_along(const Shape *a, const Shape *b, const double *n, double *pa, double *pb) noexcept nogil:
    """How far apart two shapes are along a unit vector from b to a, roundness left out, and the places of both
    there."""
    cdef double back[3]
    opposite(n, back)
    support(a, back, pa)
    support(b, n, pb)
    minus(pa, pb, back)
    return dot(n, back)


cdef double extent(const Shape *s) noexcept nogil:
    """About half the largest size of a shape."""
    return max(fabs(s.size[0]), max(fabs(s.size[1]), fabs(s.size[2])))


cdef double reach_out(Polytope *c, const double *u) noexcept nogil:
    """A node of C, made thicker, along u; how far it reaches."""
    cdef Vertex *node = &c.node[c.n_nodes]
    cdef double back[3]
    opposite(u, back)
    support(c.a, u, node.a)
    support(c.b, back, node.b)
    minus(node.a, node.b, node.w)
    plus(node.w, c.thick, u, node.p)
    return dot(u, node.p)


cdef void facet_of(Polytope *c, int i, int j, int k) noexcept nogil:
    """A facet, its corners counterclockwise seen from outside; one without an area is never looked at."""
    cdef Facet *f
    cdef double x[3]
    cdef double y[3]
    if c.n_facets == MOST_FACES:
        return
    f = &c.facet[c.n_facets]
    c.n_facets += 1
    f.v[0], f.v[1], f.v[2], f.passed = i, j, k, False
    minus(c.node[j].p, c.node[i].p, x)
    minus(c.node[k].p, c.node[i].p, y)
    cross(x, y, f.n)
    f.d = dot(f.n, c.node[i].p) if unit(f.n) else 1e300


cdef bint begin(Polytope *c) noexcept nogil:
    """Four nodes that enclose a volume; False where the origin is outside of C for sure."""
    cdef double u[3]
    cdef double x[3]
    cdef double y[3]
    cdef int i, k = 0
    minus(c.b.at, c.a.at, u)
    if not unit(u):
        u[0], u[1], u[2] = 0.0, 0.0, 1.0
    c.n_nodes = c.n_facets = 0
    if reach_out(c, u) < 0.0:
        return False
    c.n_nodes = 1
    opposite(u, u)
    if reach_out(c, u) < 0.0:
        return False
    c.n_nodes = 2
    minus(c.node[1].p, c.node[0].p, x)
    unit(x)
    for i in range(1, 3):
        if fabs(x[i]) < fabs(x[k]):
            k = i
    u[0] = u[1] = u[2] = 0.0
    u[k] = 1.0
    plus(u, -x[k], x, y)
    unit(y)
    cross(x, y, u)  # across the line of the first two
    if not farther(c, u):
        return False
    minus(c.node[1].p, c.node[0].p, x)
    minus(c.node[2].p, c.node[0].p, y)
    cross(x, y, u)
    unit(u)
    if not farther(c, u):
        return False
    minus(c.node[3].p, c.node[0].p, x)
    i, k = (1, 2) if dot(u, x) > 0.0 else (2, 1)  # the fourth lies where 0, i, k turn counterclockwise
    facet_of(c, 0, k, i)
    facet_of(c, 0, i, 3)
    facet_of(c, i, k, 3)
    facet_of(c, k, 0, 3)
    return True


cdef bint farther(Polytope *c, double *u) noexcept nogil:
    """Of the nodes along u and against it the one that is farther from the first."""
    cdef double first, second, at = dot(u, c.node[0].p)
    cdef double back[3]
    first = reach_out(c, u)
    opposite(u, back)
    if first < 0.0:
        return False
    second = reach_out(c, back)
    if second < 0.0:
        return False
    if first - at >= second + at:
        reach_out(c, u)
    c.n_nodes += 1
    return True


cdef void insert(Polytope *c, int new) noexcept nogil:
    """Replace the facets that a node sees by those to their rim."""
    cdef int rim[MOST_RIM][2]
    cdef int i = 0, j, k, n = 0, p, q
    cdef double small = SMALL * c.size
    while i < c.n_facets:
        if dot(c.facet[i].n, c.node[new].p) - c.facet[i].d <= small or c.facet[i].d == 1e300:
            i += 1
            continue
        for j in range(3):
            p, q = c.facet[i].v[j], c.facet[i].v[(j + 1) % 3]
            for k in range(n):
                if rim[k][0] == q and rim[k][1] == p:
                    n -= 1
                    rim[k][0], rim[k][1] = rim[n][0], rim[n][1]
                    break
            else:
                if n < MOST_RIM:
                    rim[n][0], rim[n][1] = p, q
                    n += 1
        c.n_facets -= 1
        c.facet[i] = c.facet[c.n_facets]
    for k in range(n):
        facet_of(c, rim[k][0], rim[k][1], new)


cdef bint expand(const Shape *a, const Shape *b, double reach, Apart *out) noexcept nogil:
    """The unit vector along which two shapes are farthest apart; False where that is more than ``reach``."""
    cdef Polytope c
    cdef double rounded = round_by(a) + round_by(b)
    c.a, c.b, c.thick = a, b, rounded + reach + THICKER * min(extent(a), extent(b))
    if not nearest_plane(&c, NULL, NULL, out):
        return False
    out.gap -= rounded
    return out.gap <= reach


cdef bint expand_to(const Shape *a, const Shape *b, Allows allows, const void *of, Apart *out) noexcept nogil:
    """The same of shapes that are in each other, along a direction that ``allows(of, direction)``; False where none is found.

    Planes of C that others are nearer than are looked at one by one. Where C is round, without a ball too, there is no end of them.
    """
    cdef Polytope c
    c.a, c.b, c.thick = a, b, 0.0
    if not nearest_plane(&c, allows, of, out):
        return False
    out.gap -= round_by(a) + round_by(b)
    return True


cdef bint nearest_plane(Polytope *c, Allows allows, const void *of, Apart *out) noexcept nogil:
    cdef double u[3]
    cdef double h, least = 1e300, low
    cdef int i, k, best
    cdef int last[3]
    cdef bint ended
    c.size = out.size = extent(c.a) + extent(c.b)
    if not begin(c):
        return False
    while True:
        best = -1
        for k in range(c.n_facets):
            if not c.facet[k].passed and (best < 0 or c.facet[k].d < c.facet[best].d):
                best = k
        if best < 0:
            return False
        u[0], u[1], u[2] = c.facet[best].n[0], c.facet[best].n[1], c.facet[best].n[2]
        low = c.facet[best].d
        h = reach_out(c, u)
        if h < 0.0:
            return False
        ended = h - low <= CLOSE * c.size or c.n_nodes + 1 >= MOST_POINTS or c.n_facets + 40 >= MOST_FACES
        if ended and allows != NULL:
            opposite(u, out.normal)
            if not allows(of, out.normal):
                c.facet[best].passed = True
                continue
            least = 1e300
        if h < least or (ended and h <= least + CLOSE * c.size):
            least = h
            for i in range(3):
                out.normal[i], last[i] = -u[i], c.facet[best].v[i]
        if ended:
            break
        c.n_nodes += 1
        insert(c, c.n_nodes - 1)
    finish(c, last, out)
    return True
