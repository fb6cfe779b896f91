"""Faces clipped to faces (Sutherland and Hodgman), and the few places of them that a contact needs."""

cdef double TILT = 0.1  # of the directions in which extreme points are kept: none of a rectangle's are equal

cdef double ON_LINE = 1e-9  # of an edge: a corner so near to the line that cuts it stays, and with it its number, whatever rounding says

cdef enum:
    MOST_CLIPPED = 130  # two faces of 64 corners

cdef int keep_extreme(Corner *corners, int count, double reach, double x0, double y0) noexcept nogil:
    """Those within reach; of more than four the extreme ones along x, y and square to that, and the deepest."""
    cdef Corner found[130]
    cdef int chosen[5]
    cdef double best, value, x = 0.0, y = 0.0
    cdef int k, j, n = 0, kept = 0
    cdef bint known
    for k in range(count):
        if corners[k].z <= reach:
            found[n] = corners[k]
            n += 1
    if n > 4:
        for j in range(5):
            x, y = (x0, y0) if j == 0 else (-y, x)
            best, chosen[kept] = -1e300, 0
            for k in range(n):
                value = x * found[k].x + y * found[k].y if j < 4 else -found[k].z
                if value > best:
                    best, chosen[kept] = value, k
            known = False
            for k in range(kept):
                known = known or chosen[k] == chosen[kept] or (
                    j == 4 and found[chosen[k]].z <= found[chosen[kept]].z + 1e-6 * (fabs(found[0].x) + fabs(found[0].y)))
            kept += not known
        for k in range(kept):
            corners[k] = found[chosen[k]]
        return kept
    for k in range(n):
        corners[k] = found[k]
    return n


cdef void tell_apart(Corner *corners, int count, int first) noexcept nogil:
    """Give features that are there twice numbers of their own, from ``first`` on."""
    cdef int i, k
    for k in range(count):
        for i in range(k):
            if corners[i].feature == corners[k].feature:
                corners[k].feature = first + k
                break


cdef void towards(const Side *s, const double *u, const double *v, double *x, double *y) noexcept nogil:
    """Along u and v, where the extreme places of a side are looked for first: of a round end the lowest place."""
    cdef double d[3]
    x[0], y[0] = 1.0 + TILT, 1.0
    if s.n == RIM:
        minus(s.p, s.p + 3 * (RIM // 2), d)
        x[0], y[0] = dot(u, d), dot(v, d)


cdef int clip(const Side *on, const Side *other, Corner *out, double *u, double *v) noexcept nogil:
    """What of a side lies over a face or line: along u, v and the normal of the face, from its first place; how
    many."""
    cdef double d[3]
    cdef double across[3]
    cdef double x, y
    cdef int k, j, count = other.n
    minus(on.p + 3, on.p, u)
    x = 1.0 / sqrt(dot(u, u))
    u[0], u[1], u[2] = u[0] * x, u[1] * x, u[2] * x
    cross(on.normal, u, v)
    for k in range(count):
        minus(other.p + 3 * k, on.p, d)
        out[k].x, out[k].y, out[k].z, out[k].feature = dot(u, d), dot(v, d), dot(on.normal, d), other.feature[k]
    if on.n == 2:  # between the planes at the ends of a line
        count = cut(out, count, 0, -1.0, 0.0, 0.0, ON_LINE / x, other.n == 2)
        return cut(out, count, 1, 1.0, 0.0, 1.0 / x, ON_LINE / x, other.n == 2)
    for k in range(on.n):
        j = (k + 1) % on.n
        minus(on.p + 3 * j, on.p + 3 * k, d)
        cross(d, on.normal, across)
        x, y = dot(u, across), dot(v, across)
        minus(on.p + 3 * k, on.p, d)
        count = cut(out, count, k, x, y, dot(across, d), ON_LINE * (x * x + y * y), other.n == 2)
    return count


cdef int cut(
    Corner *corners, int count, int edge, double x, double y, double limit, double on, bint is_line
) noexcept nogil:
    """What of a polygon or line has x X + y Y <= limit, to ``on``; places where it is cut are numbered by edge and corner."""
    cdef Corner found[130]
    cdef Corner *here
    cdef Corner *next
    cdef double h, g, s
    cdef int k, n = 0
    for k in range(count):
        here, next = &corners[k], &corners[(k + 1) % count]
        h, g = x * here.x + y * here.y - limit, x * next.x + y * next.y - limit
        if h <= on and n < MOST_CLIPPED:
            found[n] = here[0]
            n += 1
        if is_line and k == 1:
            break
        if ((h < -on and g > on) or (h > on and g < -on)) and n < MOST_CLIPPED:
            s = h / (h - g)
            found[n].x, found[n].y = here.x + s * (next.x - here.x), here.y + s * (next.y - here.y)
            found[n].z = here.z + s * (next.z - here.z)
            found[n].feature = 64 + ((2 * here.feature if h < 0.0 else 2 * next.feature + 1) + 131 * edge) % 4000
            n += 1
    for k in range(n):
        corners[k] = found[k]
    return n
