"""Whether shapes cross a surface of triangles, or are inside of it: asked of shapes that are placed, not in steps.

Contacts with a surface are told within reach of it alone, each along a direction of its own. Here is what any way out takes
at least: all that comes off each triangle does, or where none is crossed, all that brings one place out of what is closed.
"""


def crossed(const int[:, ::1] pairs, const int[::1] kind, const double[:, ::1] size, const double[:, ::1] at,
            const double[:, ::1] turn, const intptr_t[::1] form):
    """How far the shapes of pairs (n, 2) have to move at least until they are in each other no more [m]; the second are meshes."""
    cdef Shape a, b
    cdef Py_ssize_t i
    cdef double[::1] way = np.zeros(pairs.shape[0])
    with nogil:
        for i in range(pairs.shape[0]):
            a.number, b.number = pairs[i, 0], pairs[i, 1]
            a.kind, a.size, a.at, a.turn = kind[a.number], &size[a.number, 0], &at[a.number, 0], &turn[a.number, 0]
            b.kind, b.size, b.at, b.turn = kind[b.number], &size[b.number, 0], &at[b.number, 0], &turn[b.number, 0]
            a.form, b.form = <const FormArrays *>form[a.number], <const FormArrays *>form[b.number]
            if a.kind == MESH:
                way[i] = surface_through(&a, &b)
            else:
                way[i] = solid_through(&a, &b)
                if way[i] == 0.0:
                    way[i] = held_by(&b, a.at)
    return np.asarray(way)


cdef double surface_through(const Shape *a, const Shape *b) noexcept nogil:
    cdef Triangle own
    cdef double low[3]
    cdef double high[3]
    cdef double way = 0.0
    cdef int stack[128]
    cdef int n, face = 0
    box_of(a, b, 0.0, low, high)
    n = first_of_tree(stack)
    while next_face(a.form, low, high, stack, &n, &face):
        set_triangle(&own, a, face)
        own.shape.size = own.size
        way = max(way, solid_through(&own.shape, b))
    if way == 0.0:
        set_triangle(&own, a, 0)
        way = held_by(b, own.vertex)
    if way == 0.0:
        set_triangle(&own, b, 0)
        way = held_by(a, own.vertex)
    return way


cdef double solid_through(const Shape *a, const Shape *b) noexcept nogil:
    cdef Triangle t
    cdef Apart apart
    cdef double low[3]
    cdef double high[3]
    cdef double way = 0.0
    cdef int stack[128]
    cdef int n, face = 0
    bounds(a, b, 0.0, low, high)
    n = first_of_tree(stack)
    while next_face(b.form, low, high, stack, &n, &face):
        set_triangle(&t, b, face)
        if expand(a, &t.shape, 0.0, &apart):
            way = max(way, -apart.gap)
    return way


cdef double held_by(const Shape *b, const double *place) noexcept nogil:
    """How far a place is from a closed surface that it is inside of, which it sees all around; else 0."""
    cdef Triangle t
    cdef Apart apart
    cdef Shape point
    cdef double p[9]
    cdef double side[3]
    cdef double none = 0.0, angle = 0.0, way = 1e300
    cdef int face, k
    point.kind, point.size, point.at = SPHERE, &none, place
    for face in range(b.form.n_faces):
        set_triangle(&t, b, face)
        for k in range(3):
            if b.form.edge_kind[3 * face + k] == 2:  # it is open: nothing is inside
                return 0.0
            minus(t.vertex + 3 * k, place, p + 3 * k)
            unit(p + 3 * k)
        cross(p + 3, p + 6, side)
        angle += 2.0 * atan2(dot(p, side), 1.0 + dot(p, p + 3) + dot(p + 3, p + 6) + dot(p + 6, p))
        if ball_on(&point, &t, 1e300, &apart):
            way = min(way, apart.gap)
    return way if angle > 6.283185307179586 else 0.0  # 4 pi, or nothing
