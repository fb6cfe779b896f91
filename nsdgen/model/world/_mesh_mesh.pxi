"""Closed surfaces of triangles on surfaces of triangles.

Each near triangle of the first one is the base of a flat tetrahedron inside of it; the direction must be one of both surfaces.
"""

cdef enum:
    TURNS = 20  # of a direction until it is square to edges of two surfaces, nearly always at once

cdef int[12] WEDGE = [0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3]  # the faces of a triangle with a place below it
cdef int[5] AT_WEDGE = [0, 1, 2, 3, 6]  # only the triangle itself is a face of the surface
cdef int[6] WEDGE_FACES = [0, 0, 0, 1, 2, 3]


cdef void mesh_mesh(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """Each triangle of the first surface near the box of the second one on the triangles of that."""
    cdef PairPlaces places
    cdef Wedge wedge
    cdef double low[3]
    cdef double high[3]
    cdef int stack[128]
    cdef int n, seeking, k = 0
    places.n, places.lost = 0, False
    box_of(a, b, reach, low, high)
    for seeking in range(SEEKING):
        places.seeking = seeking
        n = first_of_tree(stack)
        while next_face(a.form, low, high, stack, &n, &k):
            set_wedge(&wedge, a, k)
            on_triangles(&places, &wedge.shape, &wedge, b, reach)
        if places.n or not places.lost:
            break
    write_contacts(f, a, b, &places)


cdef void box_of(const Shape *a, const Shape *b, double reach, double *low, double *high) noexcept nogil:
    """The box around the box of all of a mesh b, along the axes of a mesh a, in the frame of that."""
    cdef const double *box = b.form.box + 6
    cdef double way[3]
    cdef double middle[3]
    cdef double x, half
    cdef int i, k, j
    for i in range(3):
        middle[i] = b.at[i] - a.at[i]
        for j in range(3):
            middle[i] += 0.5 * (box[j] + box[3 + j]) * b.turn[3 * i + j]
    for k in range(3):
        x, half = 0.0, reach
        for i in range(3):
            way[i] = a.turn[3 * i + k]
            x += way[i] * middle[i]
        for j in range(3):
            half += 0.5 * (box[3 + j] - box[j]) * fabs(
                way[0] * b.turn[j] + way[1] * b.turn[3 + j] + way[2] * b.turn[6 + j])
        low[k], high[k] = x - half, x + half


cdef void set_wedge(Wedge *w, const Shape *a, int face) noexcept nogil:
    """A triangle of a mesh with a place below its middle that is still inside of the mesh."""
    cdef double one[3]
    cdef double other[3]
    cdef const double *corner
    cdef int i, k
    set_triangle(&w.base, a, face)
    w.mesh, w.face = a, face
    memcpy(w.vertex, w.base.vertex, sizeof(w.base.vertex))
    for i in range(3):
        w.vertex[9 + i] = (w.vertex[i] + w.vertex[3 + i] + w.vertex[6 + i]) / 3.0
        w.vertex[9 + i] -= a.form.below[face] * w.base.normals[i]
        w.normals[i] = w.base.normals[i]
    for k in range(1, 4):  # faces at the edges
        corner = w.vertex + 3 * WEDGE[3 * k]
        for i in range(3):
            one[i], other[i] = w.vertex[3 * WEDGE[3 * k + 1] + i] - corner[i], w.vertex[3 * WEDGE[3 * k + 2] + i] - corner[i]
        cross(one, other, w.normals + 3 * k)
        unit(w.normals + 3 * k)
    w.form.n_vertices, w.form.n_faces, w.form.vertex, w.form.face_normal = 4, 4, w.vertex, w.normals
    w.form.face_start, w.form.face_vertex, w.form.at_start, w.form.at_face = STARTS, WEDGE, AT_WEDGE, WEDGE_FACES
    w.shape = w.base.shape
    w.shape.size, w.shape.form = w.base.size, &w.form


cdef double solid_below(const FormArrays *form, int face) noexcept nogil:
    """How far a closed surface is solid below the middle of a face; as long as the face where it is farther."""
    cdef Shape own
    cdef Triangle t
    cdef Triangle other
    cdef double start[3]
    cdef double end[3]
    cdef double low[3]
    cdef double high[3]
    cdef double far, way, slope
    cdef int stack[128]
    cdef int k, n, hit = 0
    own.form, own.number, own.at, own.turn = form, 0, ORIGIN, AXES
    set_triangle(&t, &own, face)
    far = t.size[0]
    for k in range(3):
        start[k] = (t.vertex[k] + t.vertex[3 + k] + t.vertex[6 + k]) / 3.0
    plus(start, -far, t.normals, end)
    for k in range(3):
        low[k], high[k] = min(start[k], end[k]), max(start[k], end[k])
    n = first_of_tree(stack)
    while next_face(form, low, high, stack, &n, &hit):
        set_triangle(&other, &own, hit)
        slope = dot(other.normals, t.normals)
        if slope >= 0.0:  # it is left through a face that looks the other way
            continue
        minus(start, other.vertex, end)
        way = dot(other.normals, end) / slope
        plus(start, -way, t.normals, end)
        if 0.0 < way < far and above(&other, end, far):
            far = way
    return far


cdef int settle_direction(const Triangle *t, const Shape *b, int face, const Wedge *w, bint seeking, double *n) noexcept nogil:
    """Bring a direction to where both surfaces have it: 1 as it was, 2 turned square to edges in hollows, 0 there is none.

    Over an edge in a hollow no direction leads: what is left square to it belongs to the triangle, or to a ridge of it.
    """
    cdef double back[3]
    cdef int k, on, of, found = 1
    for k in range(TURNS):
        opposite(n, back)
        if not seeking and (dot(t.normals, n) <= FLAT or dot(w.base.normals, back) <= FLAT):  # it looks at what is inside
            return 0
        on = edge_allows(t, b, face, n) if dot(t.normals, n) < 1.0 - FLAT * FLAT else 1
        of = edge_allows(&w.base, w.mesh, w.face, back) if dot(w.base.normals, back) < 1.0 - FLAT * FLAT else 1
        if on == 0 or of == 0:
            return 0
        if IN_PLANE < on < 0:
            turn_square(t, -1 - on, n)
        elif IN_PLANE < of < 0:
            turn_square(&w.base, -1 - of, n)
        elif on < 0 and of < 0:
            turn_square(t, IN_PLANE - on, n)
            turn_square(&w.base, IN_PLANE - of, n)
        else:  # in a plane the next triangle has it, unless that knows nothing of the hollow
            return found if found == 2 or (on > 0 and of > 0) else 0
        found = 2
    return 0


cdef bint by_faces(
    double deep, const Triangle *t, const Shape *b, int face, const Wedge *w, double reach, Apart *at
) noexcept nogil:
    """Places inside along the normal of a triangle over which a corner of the other one is, below it by at most a share ``deep``
    of it; False where there is none."""
    cdef double n[3]
    cdef double back[3]
    cdef double deepest = -deep * min(t.size[0], w.base.size[0])
    cdef int i
    for i in range(3):
        n[i], back[i] = t.normals[i], -t.normals[i]
    at.gap = apart_along(&w.shape, &t.shape, n, at.a, at.b)
    if deepest <= at.gap <= reach and dot(w.base.normals, back) > FLAT and above(t, at.a, at.size) and (
            edge_allows(&w.base, w.mesh, w.face, back) > 0):
        for i in range(3):
            at.normal[i], at.b[i] = n[i], at.a[i] - at.gap * n[i]
        return True
    for i in range(3):
        n[i], back[i] = -w.base.normals[i], w.base.normals[i]
    at.gap = apart_along(&w.shape, &t.shape, n, at.a, at.b)
    if deepest <= at.gap <= reach and dot(t.normals, n) > FLAT and above(&w.base, at.b, at.size) and edge_allows(t, b, face, n) > 0:
        for i in range(3):
            at.normal[i], at.a[i] = n[i], at.b[i] + at.gap * n[i]
        return True
    return False


cdef void turn_square(const Triangle *t, int k, double *n) noexcept nogil:
    """Take from a direction what leads over an edge."""
    cdef double out[3]
    cdef double part
    away(t, k, out)
    part = dot(out, n)
    plus(n, -part, out, n)
    unit(n)


cdef double top_of(const Triangle *base, const Triangle *t) noexcept nogil:
    """How high over the plane of a triangle the highest corner of another one is."""
    cdef double p[3]
    cdef double top = -1e300
    cdef int k
    for k in range(3):
        minus(base.vertex + 3 * k, t.vertex, p)
        top = max(top, dot(t.normals, p))
    return top
