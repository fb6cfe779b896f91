"""The distance of two convex shapes, or the depth to which they are inside each other, and the direction of it.

Along a unit vector n from b to a shapes are apart by s(n) = min n . a - max n . b. The largest s is their distance, or
less their depth. It is found from inside: -s(-u) is how far the difference C of all a - b reaches along u, and the
nearest plane of C to the origin is looked for by a polytope of support points that grows there (van den Bergen, Game
Developers Conference 2001: EPA). C is made thicker by a ball, as much as shapes may be apart and a little more: so the
origin is inside where it matters, resting shapes are as ordinary as others, and the ball changes neither the place
nor the direction of the nearest plane. What the polytope knows is made exact at the end: planes of C through its
last three points, the nearest point of these, Newton's method where the surfaces are round.
"""

cdef struct Apart:
    double gap, size  # below 0: a depth; size: of the shapes
    double normal[3]  # unit, from b to a
    double a[3]  # places of both that are nearest
    double b[3]

cdef enum:
    MOST_POINTS = 140
    MOST_FACES = 300  # 2 n - 4 of n points, and those that are replaced
    MOST_RIM = 200

cdef double THICKER = 0.01  # of the size of the smaller shape: of the ball
cdef double CLOSE = 1e-8  # of the size of both: how near the polytope comes to the plane it looks for
cdef double SMALL = 1e-14  # of size: a place beyond a face by less is on it
cdef double STEP = 1e-5  # rad, of difference quotients
cdef double SEEN = 1e-3  # sine of the angle within which a direction is tried that is square to the side of a round shape

cdef struct Node:
    double p[3]  # of the thicker C
    double w[3]  # of C
    double a[3]
    double b[3]

cdef struct Facet:
    int v[3]
    double n[3]
    double d

cdef struct Polytope:
    const Shape *a
    const Shape *b
    double thick, size
    int n_nodes, n_facets
    Node node[140]
    Facet facet[300]


cdef double apart_along(const Shape *a, const Shape *b, const double *n, double *pa, double *pb) noexcept nogil:
    """How far apart two shapes are along a unit vector from b to a, roundness left out, and the places of both
    there."""
    cdef double back[3]
    cdef int i
    opposite(n, back)
    support(a, back, pa)
    support(b, n, pb)
    return n[0] * (pa[0] - pb[0]) + n[1] * (pa[1] - pb[1]) + n[2] * (pa[2] - pb[2])


cdef double extent(const Shape *s) noexcept nogil:
    """About half the largest size of a shape."""
    return max(fabs(s.size[0]), max(fabs(s.size[1]), fabs(s.size[2])))


cdef double reach_out(Polytope *c, const double *u) noexcept nogil:
    """A node of C, made thicker, along u; how far it reaches."""
    cdef Node *node = &c.node[c.n_nodes]
    cdef double back[3]
    cdef int i
    opposite(u, back)
    support(c.a, u, node.a)
    support(c.b, back, node.b)
    for i in range(3):
        node.w[i] = node.a[i] - node.b[i]
        node.p[i] = node.w[i] + c.thick * u[i]
    return dot(u, node.p)


cdef void facet_of(Polytope *c, int i, int j, int k) noexcept nogil:
    """A facet, its corners counterclockwise seen from outside; one without an area is never looked at."""
    cdef Facet *f
    cdef double x[3]
    cdef double y[3]
    cdef int m
    if c.n_facets == MOST_FACES:
        return
    f = &c.facet[c.n_facets]
    c.n_facets += 1
    f.v[0], f.v[1], f.v[2] = i, j, k
    for m in range(3):
        x[m], y[m] = c.node[j].p[m] - c.node[i].p[m], c.node[k].p[m] - c.node[i].p[m]
    cross(x, y, f.n)
    f.d = dot(f.n, c.node[i].p) if unit(f.n) else 1e300


cdef bint begin(Polytope *c) noexcept nogil:
    """Four nodes that enclose a volume; False where the origin is outside of C for sure."""
    cdef double u[3]
    cdef double x[3]
    cdef double y[3]
    cdef double h, far, back, sign
    cdef int i, k = 0
    for i in range(3):
        u[i] = c.b.at[i] - c.a.at[i]
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
    for i in range(3):
        x[i] = c.node[1].p[i] - c.node[0].p[i]
    unit(x)
    for i in range(1, 3):
        if fabs(x[i]) < fabs(x[k]):
            k = i
    u[0] = u[1] = u[2] = 0.0
    u[k] = 1.0
    for i in range(3):
        y[i] = u[i] - x[k] * x[i]
    unit(y)
    cross(x, y, u)  # across the line of the first two
    if not farther(c, u):
        return False
    for i in range(3):
        x[i] = c.node[1].p[i] - c.node[0].p[i]
        y[i] = c.node[2].p[i] - c.node[0].p[i]
    cross(x, y, u)
    unit(u)
    if not farther(c, u):
        return False
    for i in range(3):
        x[i] = c.node[3].p[i] - c.node[0].p[i]
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
    cdef int rim[200][2]
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
    cdef double u[3]
    cdef double h, least, low
    cdef int i, k, best
    cdef int last[3]
    cdef bint ended
    cdef double rounded = round_by(a) + round_by(b)
    c.a, c.b = a, b
    c.size = extent(a) + extent(b)
    c.thick = rounded + reach + THICKER * min(extent(a), extent(b))
    out.size = c.size
    if not begin(&c):
        return False
    least = 1e300
    while True:
        best = 0
        for k in range(1, c.n_facets):
            if c.facet[k].d < c.facet[best].d:
                best = k
        u[0], u[1], u[2] = c.facet[best].n[0], c.facet[best].n[1], c.facet[best].n[2]
        low = c.facet[best].d
        h = reach_out(&c, u)
        if h < 0.0:
            return False
        ended = h - low <= CLOSE * c.size or c.n_nodes + 1 >= MOST_POINTS or c.n_facets + 40 >= MOST_FACES
        if h < least or (ended and h <= least + CLOSE * c.size):
            least = h
            for i in range(3):
                out.normal[i], last[i] = -u[i], c.facet[best].v[i]
        if ended:
            break
        c.n_nodes += 1
        insert(&c, c.n_nodes - 1)
    finish(&c, last, out)
    out.gap -= rounded
    return out.gap <= reach


# -- what the polytope found, made exact --------------------------------------------------------


cdef bint prefer(const Shape *a, const Shape *b, const double *n, double roundness, double less, Apart *at) noexcept nogil:
    """Take a direction along which two shapes are farther apart, or as far but for ``less``; ``roundness``: of both."""
    cdef double pa[3]
    cdef double pb[3]
    cdef double gap = apart_along(a, b, n, pa, pb) - roundness
    cdef int i
    if gap < at.gap - less:
        return False
    at.gap = gap
    for i in range(3):
        at.normal[i] = n[i]
    return True


cdef void finish(Polytope *c, const int *last, Apart *out) noexcept nogil:
    cdef double n[3]
    cdef double x[3]
    cdef double y[3]
    cdef double weight[3]
    cdef double size, tiny = 1e-12 * c.size
    cdef int i, k
    out.gap = apart_along(c.a, c.b, out.normal, out.a, out.b)
    for i in range(3):
        x[i] = c.node[last[1]].w[i] - c.node[last[0]].w[i]
        y[i] = c.node[last[2]].w[i] - c.node[last[0]].w[i]
    cross(x, y, n)
    if sqrt(dot(n, n)) > 1e-9 * c.size * c.size and unit(n):
        if dot(n, out.normal) < 0.0:
            opposite(n, n)
        prefer(c.a, c.b, n, 0.0, tiny, out)
    nearest(c.node[last[0]].w, c.node[last[1]].w, c.node[last[2]].w, weight)
    for i in range(3):
        n[i] = 0.0
        for k in range(3):
            n[i] += weight[k] * c.node[last[k]].w[i]
    size = sqrt(dot(n, n))
    if size > 1e-9 * c.size and dot(n, out.normal) > 0.0:
        unit(n)
        prefer(c.a, c.b, n, 0.0, 0.0, out)
    if is_round(c.a) or is_round(c.b):
        square_to(c, c.a, out)
        square_to(c, c.b, out)
        for k in range(4):
            if not turn_on(c, out):
                break
    place_both(c, last, weight, out)


cdef inline bint is_round(const Shape *s) noexcept nogil:
    return s.kind == CYLINDER or s.kind == CONE or s.kind == ELLIPSOID


cdef void square_to(Polytope *c, const Shape *s, Apart *out) noexcept nogil:
    """The direction square to the side of a cylinder or cone, where that is near; then turned about its axis."""
    cdef double n[3]
    cdef double z[3]
    cdef double t[3]
    cdef double along, wanted = 0.0, sign = 1.0, across
    cdef int i, k
    if s.kind != CYLINDER and s.kind != CONE:
        return
    for i in range(3):
        z[i] = s.turn[3 * i + 2]
    along = dot(z, out.normal)
    if s.kind == CONE:  # its side looks along the normal where it is b, against it where it is a
        wanted = s.size[0] / sqrt(s.size[0] ** 2 + (s.size[2] - s.size[1]) ** 2)
        if s == c.a:
            wanted = -wanted
    if fabs(along - wanted) > SEEN:
        return
    for i in range(3):
        t[i] = out.normal[i] - along * z[i]
    if not unit(t):
        return
    across = sqrt(1.0 - wanted * wanted)
    for i in range(3):
        n[i] = across * t[i] + wanted * z[i]
    if not prefer(c.a, c.b, n, 0.0, 0.0, out):
        return
    for k in range(4):
        cross(z, out.normal, t)
        if not unit(t) or not turn_about(c, z, t, out):
            return


cdef double slope(Polytope *c, const double *n, const double *t) noexcept nogil:
    cdef double pa[3]
    cdef double pb[3]
    apart_along(c.a, c.b, n, pa, pb)
    return t[0] * (pa[0] - pb[0]) + t[1] * (pa[1] - pb[1]) + t[2] * (pa[2] - pb[2])


cdef void turned(const double *n, const double *z, double angle, double *out) noexcept nogil:
    """A vector turned by a small angle about a unit vector, to second order and of the same parts along and across it."""
    cdef double t[3]
    cdef double along = dot(n, z), part, was, now = 0.0
    cdef int i
    cross(z, n, t)
    was = dot(t, t)
    for i in range(3):
        out[i] = n[i] - along * z[i] + angle * t[i]
        now += out[i] * out[i]
    part = sqrt(was / now)
    for i in range(3):
        out[i] = part * out[i] + along * z[i]


cdef bint turn_about(Polytope *c, const double *z, const double *t, Apart *out) noexcept nogil:
    """A step of Newton's method for the best direction among those turned about an axis."""
    cdef double n[3]
    cdef double there[3]
    cdef double here, change
    here = slope(c, out.normal, t)
    turned(out.normal, z, STEP, n)
    cross(z, n, there)
    unit(there)
    change = (slope(c, n, there) - here) / STEP
    if change >= 0.0 or fabs(here) > 0.1 * fabs(change):
        return False
    turned(out.normal, z, -here / change, n)
    return prefer(c.a, c.b, n, 0.0, 1e-15 * c.size, out) and fabs(here / change) > 1e-15


cdef bint turn_on(Polytope *c, Apart *out) noexcept nogil:
    """A step of Newton's method for the best direction of all."""
    cdef double t[2][3]
    cdef double n[3]
    cdef double f[2]
    cdef double J[2][2]
    cdef double det, x, y
    cdef int i, j, k = 0
    for i in range(1, 3):
        if fabs(out.normal[i]) < fabs(out.normal[k]):
            k = i
    for i in range(3):
        n[i] = 1.0 if i == k else 0.0
    cross(out.normal, n, t[0])
    unit(t[0])
    cross(out.normal, t[0], t[1])
    for j in range(2):
        f[j] = slope(c, out.normal, t[j])
    if fabs(f[0]) + fabs(f[1]) < 1e-15 * c.size:
        return False
    for k in range(2):  # the directions of slopes turn along, so that they stay tangents
        for i in range(3):
            n[i] = out.normal[i] + STEP * t[k][i]
        unit(n)
        for j in range(2):
            J[j][k] = (slope_at(c, n, t[j]) - f[j]) / STEP
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
    if det == 0.0:
        return False
    x, y = -(J[1][1] * f[0] - J[0][1] * f[1]) / det, -(J[0][0] * f[1] - J[1][0] * f[0]) / det
    if not (fabs(x) + fabs(y) < 0.1):
        return False
    for i in range(3):
        n[i] = out.normal[i] + x * t[0][i] + y * t[1][i]
    unit(n)
    return prefer(c.a, c.b, n, 0.0, 1e-15 * c.size, out)


cdef double slope_at(Polytope *c, const double *n, const double *t) noexcept nogil:
    """The slope along t without its part along n."""
    cdef double across[3]
    cdef double along = dot(n, t)
    cdef int i
    for i in range(3):
        across[i] = t[i] - along * n[i]
    return slope(c, n, across)


cdef void place_both(Polytope *c, const int *last, const double *weight, Apart *out) noexcept nogil:
    """Where the shapes are nearest: of a shape that is round there its farthest place, else as the polytope has it."""
    cdef double pa[3]
    cdef double pb[3]
    cdef double spread_a = 0.0, spread_b = 0.0, radius, along
    cdef int i, k
    cdef bint of_a
    apart_along(c.a, c.b, out.normal, pa, pb)
    for i in range(3):
        out.a[i] = out.b[i] = 0.0
        for k in range(3):
            out.a[i] += weight[k] * c.node[last[k]].a[i]
            out.b[i] += weight[k] * c.node[last[k]].b[i]
            spread_a = max(spread_a, fabs(c.node[last[k]].a[i] - c.node[last[0]].a[i]))
            spread_b = max(spread_b, fabs(c.node[last[k]].b[i] - c.node[last[0]].b[i]))
    of_a = spread_a < spread_b
    if c.a.kind == ELLIPSOID or c.b.kind == ELLIPSOID:
        of_a = c.a.kind == ELLIPSOID
        for i in range(3):
            out.a[i], out.b[i] = pa[i], pb[i]
    for i in range(3):  # across the normal both are the same place, that of the sharper one
        if of_a:
            out.b[i] = out.a[i]
        else:
            out.a[i] = out.b[i]
    along = dot(out.normal, pa) - dot(out.normal, out.a)
    radius = dot(out.normal, pb) - dot(out.normal, out.b)
    for i in range(3):
        out.a[i] += (along - round_by(c.a)) * out.normal[i]
        out.b[i] += (radius + round_by(c.b)) * out.normal[i]


cdef void nearest(const double *p, const double *q, const double *r, double *weight) noexcept nogil:
    """The weights of the place of a triangle that is nearest to the origin."""
    cdef double x[3]
    cdef double y[3]
    cdef double xx = 0.0, xy = 0.0, yy = 0.0, xp = 0.0, yp = 0.0, det, u, v, best = 1e300, t, here
    cdef double w[3]
    cdef const double *end[3]
    cdef int i, k, j
    for i in range(3):
        x[i], y[i] = q[i] - p[i], r[i] - p[i]
        xx, xy, yy = xx + x[i] * x[i], xy + x[i] * y[i], yy + y[i] * y[i]
        xp, yp = xp - x[i] * p[i], yp - y[i] * p[i]
    det = xx * yy - xy * xy
    if det > 1e-14 * xx * yy:
        u, v = (yy * xp - xy * yp) / det, (xx * yp - xy * xp) / det
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            weight[0], weight[1], weight[2] = 1.0 - u - v, u, v
            return
    end[0], end[1], end[2] = p, q, r
    for k in range(3):
        j = (k + 1) % 3
        xx = xp = 0.0
        for i in range(3):
            x[i] = end[j][i] - end[k][i]
            xx, xp = xx + x[i] * x[i], xp - x[i] * end[k][i]
        t = max(0.0, min(1.0, xp / xx)) if xx > 0.0 else 0.0
        here = 0.0
        for i in range(3):
            here += (end[k][i] + t * x[i]) ** 2
        if here < best:
            best = here
            w[0] = w[1] = w[2] = 0.0
            w[k], w[j] = 1.0 - t, t
    weight[0], weight[1], weight[2] = w[0], w[1], w[2]
