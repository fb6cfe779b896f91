"""Convex shapes and closed surfaces of triangles on surfaces of triangles.

Boxes around triangles are the leaves of a tree in which children of i are 2 i and 2 i + 1. Each near triangle is a flat
hull. Where a shape meets an edge or corner of it the direction must lie between the normals of the triangles there, or
another one is nearer; where these lie in a plane or in a hollow there is no edge, and the normal of the triangle is taken
over what lies above it. So what rolls or slides over a surface meets no edge inside of it (ghost contacts).

Of a surface that meets another one each near triangle is the base of a flat tetrahedron inside of it; the direction must be
one of both surfaces.
"""

cdef enum:
    MOST_PLACES = 1024  # places of a pair until only those are kept that count
    OWN = 16  # on one triangle
    IN_PLANE = -4
    TURNS = 20  # of a direction until it is square to edges of two surfaces, nearly always at once

cdef double SHALLOW = 0.1  # of a triangle: what is deeper below it may be on the other side of a thin body
cdef double FLAT = 1e-6  # sine of an angle: triangles in a plane; directions that are the same
cdef double SAME = 1e-5  # of the size: places that are one

cdef int[6] LOOPS = [0, 1, 2, 0, 2, 1]
cdef int[5] STARTS = [0, 3, 6, 9, 12]
cdef int[4] AT_STARTS = [0, 2, 4, 6]
cdef int[6] AT_FACES = [0, 1, 0, 1, 0, 1]
cdef int[12] WEDGE = [0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3]  # the faces of a triangle with a place below it
cdef int[5] AT_WEDGE = [0, 1, 2, 3, 6]  # only the triangle itself is a face of the surface
cdef int[6] WEDGE_FACES = [0, 0, 0, 1, 2, 3]
cdef double[3] ORIGIN = [0.0, 0.0, 0.0]
cdef double[9] AXES = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]

cdef struct Places:
    int n
    double gap[1024]
    double normal[3072]
    double point[3072]
    int feature[1024]

cdef struct Triangle:
    Shape shape
    Form form
    double vertex[9]  # in the inertial frame
    double normals[6]
    double size[3]


cdef struct Wedge:
    # A triangle of a surface and a place inside of it, as a hull.
    Triangle base
    const Shape *mesh
    int face
    Shape shape
    Form form
    double vertex[12]
    double normals[12]


cdef void convex_mesh(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """A convex shape on the triangles near it, without those of their edges that are none of the surface."""
    cdef Places places
    places.n = 0
    on_triangles(&places, a, NULL, b, reach)
    write_contacts(f, a, b, &places)


cdef void mesh_mesh(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """Each triangle of the first surface near the box of the second one on the triangles of that."""
    cdef Places places
    cdef Wedge wedge
    cdef double low[3]
    cdef double high[3]
    cdef int stack[128]
    cdef int n, k = 0
    places.n = 0
    box_of(a, b, reach, low, high)
    n = first_of_tree(stack)
    while next_face(a.form, low, high, stack, &n, &k):
        set_wedge(&wedge, a, k)
        on_triangles(&places, &wedge.shape, &wedge, b, reach)
    write_contacts(f, a, b, &places)


cdef void on_triangles(Places *places, const Shape *a, const Wedge *wedge, const Shape *b, double reach) noexcept nogil:
    """A convex shape, or a triangle of a surface, on the triangles of another surface near it."""
    cdef double low[3]
    cdef double high[3]
    cdef int stack[128]
    cdef int n, k = 0
    bounds(a, b, reach, low, high)
    n = first_of_tree(stack)
    while next_face(b.form, low, high, stack, &n, &k):
        if places.n + OWN >= MOST_PLACES:
            condense(places, a)
            keep_deepest(places)
        on_triangle(places, a, wedge, b, k, reach)


cdef inline int first_of_tree(int *stack) noexcept nogil:
    stack[0] = 1
    return 1


cdef bint next_face(const Form *form, const double *low, const double *high, int *stack, int *n, int *face) noexcept nogil:
    """The next triangle whose box meets a box, along the axes of the mesh; False where there is none.

    ``stack`` has room for twice the depth of the tree.
    """
    cdef const double *box
    cdef int node, k
    cdef bint apart
    while n[0]:
        n[0] -= 1
        node = stack[n[0]]
        box = form.box + 6 * node
        apart = False
        for k in range(3):
            apart = apart or box[k] > high[k] or box[3 + k] < low[k]
        if apart:
            continue
        if node >= form.leaves:
            face[0] = form.leaf_face[node - form.leaves]
            return True
        stack[n[0]], stack[n[0] + 1] = 2 * node + 1, 2 * node
        n[0] += 2
    return False


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


cdef void bounds(const Shape *a, const Shape *b, double reach, double *low, double *high) noexcept nogil:
    """The box around a shape along the axes of a mesh, in its frame."""
    cdef double way[3]
    cdef double p[3]
    cdef double more = reach + round_by(a)
    cdef int i, k
    for k in range(3):
        for i in range(3):
            way[i] = b.turn[3 * i + k]
        support(a, way, p)
        for i in range(3):
            p[i] -= b.at[i]
        high[k] = dot(way, p) + more
        for i in range(3):
            way[i] = -way[i]
        support(a, way, p)
        for i in range(3):
            p[i] -= b.at[i]
        low[k] = -dot(way, p) - more


cdef void set_triangle(Triangle *t, const Shape *b, int face) noexcept nogil:
    """A triangle of a mesh as a flat hull in the inertial frame."""
    cdef const double *v
    cdef int i, k
    for k in range(3):
        v = b.form.vertex + 3 * b.form.face_vertex[3 * face + k]
        for i in range(3):
            t.vertex[3 * k + i] = b.at[i] + dot(b.turn + 3 * i, v)
            t.size[k] = 0.0
    for i in range(3):
        t.normals[i] = dot(b.turn + 3 * i, b.form.face_normal + 3 * face)
        t.normals[3 + i] = -t.normals[i]
        t.size[0] = fmax(t.size[0], fmax(fabs(t.vertex[3 + i] - t.vertex[i]), fabs(t.vertex[6 + i] - t.vertex[i])))
    t.form.n_vertices, t.form.n_faces, t.form.vertex, t.form.face_normal = 3, 2, t.vertex, t.normals
    t.form.face_start, t.form.face_vertex, t.form.at_start, t.form.at_face = STARTS, LOOPS, AT_STARTS, AT_FACES
    t.shape.kind, t.shape.number, t.shape.size, t.shape.form = HULL, b.number, t.size, &t.form
    t.shape.at, t.shape.turn = ORIGIN, AXES


cdef void set_wedge(Wedge *w, const Shape *a, int face) noexcept nogil:
    """A triangle of a mesh with a place as far below its middle as its longest edge is long."""
    cdef double one[3]
    cdef double other[3]
    cdef double size
    cdef const double *corner
    cdef int i, k
    set_triangle(&w.base, a, face)
    w.mesh, w.face = a, face
    memcpy(w.vertex, w.base.vertex, sizeof(w.base.vertex))
    for i in range(3):
        w.vertex[9 + i] = (w.vertex[i] + w.vertex[3 + i] + w.vertex[6 + i]) / 3.0 - w.base.size[0] * w.base.normals[i]
        w.normals[i] = w.base.normals[i]
    for k in range(1, 4):  # faces at the edges
        corner = w.vertex + 3 * WEDGE[3 * k]
        for i in range(3):
            one[i], other[i] = w.vertex[3 * WEDGE[3 * k + 1] + i] - corner[i], w.vertex[3 * WEDGE[3 * k + 2] + i] - corner[i]
        cross(one, other, w.normals + 3 * k)
        size = sqrt(dot(w.normals + 3 * k, w.normals + 3 * k))
        for i in range(3):
            w.normals[3 * k + i] /= size
    w.form.n_vertices, w.form.n_faces, w.form.vertex, w.form.face_normal = 4, 4, w.vertex, w.normals
    w.form.face_start, w.form.face_vertex, w.form.at_start, w.form.at_face = STARTS, WEDGE, AT_WEDGE, WEDGE_FACES
    w.shape = w.base.shape
    w.shape.size, w.shape.form = w.base.size, &w.form


cdef int settle_direction(const Triangle *t, const Shape *b, int face, const Wedge *w, double *n) noexcept nogil:
    """Bring a direction to where both surfaces have it: 1 as it was, 2 turned square to edges in hollows, 0 there is none.

    Over an edge in a hollow no direction leads: what is left square to it belongs to the triangle, or to a ridge of it.
    """
    cdef double back[3]
    cdef int i, k, on, of, found = 1
    for k in range(TURNS):
        for i in range(3):
            back[i] = -n[i]
        if dot(t.normals, n) <= FLAT or dot(w.base.normals, back) <= FLAT:  # it looks at what is inside
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


cdef bint by_faces(const Triangle *t, const Shape *b, int face, const Wedge *w, double reach, Apart *at) noexcept nogil:
    """Places inside along the normal of a triangle over which a corner of the other one is; False where there is none."""
    cdef double n[3]
    cdef double back[3]
    cdef double deepest = -SHALLOW * fmin(t.size[0], w.base.size[0])
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
    cdef double part, size
    cdef int i
    away(t, k, out)
    part = dot(out, n)
    for i in range(3):
        n[i] -= part * out[i]
    size = sqrt(dot(n, n))
    for i in range(3):
        n[i] /= size


cdef void on_triangle(
    Places *places, const Shape *a, const Wedge *wedge, const Shape *b, int face, double reach
) noexcept nogil:
    cdef Triangle t
    cdef Apart at
    cdef Side bottom
    cdef double pa[3]
    cdef double pb[3]
    cdef double back[3]
    cdef double least
    cdef const double *n = t.normals
    cdef int i
    cdef bint found, left
    set_triangle(&t, b, face)
    if wedge == NULL:
        for i in range(3):
            pa[i] = a.at[i] - t.vertex[i]
        if dot(n, pa) < 0.0:  # it is behind
            return
    elif top_of(&wedge.base, &t) < -SHALLOW * fmin(t.size[0], wedge.base.size[0]):
        return
    if apart_along(a, &t.shape, n, pa, pb) - round_by(a) > reach:
        return
    found = ball_on(a, &t, reach, &at) if a.kind == SPHERE else expand(a, &t.shape, reach, &at)
    if not found or (dot(n, at.normal) <= 0.0 and (wedge == NULL or at.gap >= 0.0)):
        return
    for i in range(3):
        back[i] = -at.normal[i]
    side(a, back, &bottom)
    least = (PREFERRED if bottom.n > 1 else FINE) * thick(a, at.normal)
    if not prefer(a, &t.shape, n, round_by(a), least, &at):
        for i in range(3):
            back[i] = -bottom.normal[i]
        if bottom.n > 2 and dot(back, at.normal) > 0.9:
            prefer(a, &t.shape, back, round_by(a), least, &at)
        i = edge_allows(&t, b, face, at.normal) if wedge == NULL else 1
        if i == 0 and at.gap >= 0.0:
            return
        left = i == 0  # the shortest way out of a flat triangle may lead over its edge, that of the surface does not
        if left or i < 0:
            for i in range(3):
                at.normal[i] = n[i]
            at.gap = apart_along(a, &t.shape, n, pa, pb) - round_by(a)
            if left and at.gap < -SHALLOW * t.size[0]:
                return
    if wedge != NULL:
        i = settle_direction(&t, b, face, wedge, at.normal)
        if i == 0 and (at.gap >= 0.0 or not by_faces(&t, b, face, wedge, reach, &at)):
            return
        face = <int>((<long long>face * 8191 + wedge.face) % FEATURES)
        if i != 1:
            for i in range(3):
                back[i] = at.a[i] - at.b[i]
            put_place(places, (131 * face + NEAREST) % FEATURES, dot(at.normal, back), at.normal, at.a)
            return
    found = dot(n, at.normal) > 1.0 - FLAT * FLAT
    for i in range(3):
        if found:  # the lowest place, which counts where it is over the triangle
            at.a[i] = pa[i] - round_by(a) * n[i]
    take(places, a, &t, &at, face, reach, found)


cdef double top_of(const Triangle *base, const Triangle *t) noexcept nogil:
    """How high over the plane of a triangle the highest corner of another one is."""
    cdef double p[3]
    cdef double top = -1e300
    cdef int i, k
    for k in range(3):
        for i in range(3):
            p[i] = base.vertex[3 * k + i] - t.vertex[i]
        top = fmax(top, dot(t.normals, p))
    return top


cdef bint ball_on(const Shape *a, const Triangle *t, double reach, Apart *at) noexcept nogil:
    """A ball whose centre is before a triangle: its nearest place."""
    cdef double p[9]
    cdef double weight[3]
    cdef double size = 0.0
    cdef int i, k
    for k in range(9):
        p[k] = t.vertex[k] - a.at[k % 3]
    nearest(p, p + 3, p + 6, weight)
    for i in range(3):
        at.b[i] = weight[0] * p[i] + weight[1] * p[3 + i] + weight[2] * p[6 + i]
        at.normal[i] = -at.b[i]
        at.b[i] += a.at[i]
    size = sqrt(dot(at.normal, at.normal))
    if size - a.size[0] > reach or size == 0.0:
        return False
    at.gap, at.size = size - a.size[0], a.size[0] + t.size[0]
    for i in range(3):
        at.normal[i] /= size
        at.a[i] = a.at[i] - a.size[0] * at.normal[i]
    return True


cdef void away(const Triangle *t, int k, double *out) noexcept nogil:
    """The unit vector over an edge, away from the triangle."""
    cdef double along[3]
    cdef double size
    cdef int i, j = (k + 1) % 3
    for i in range(3):
        along[i] = t.vertex[3 * j + i] - t.vertex[3 * k + i]
    size = sqrt(dot(along, along))
    for i in range(3):
        along[i] /= size
    cross(along, t.normals, out)


cdef int edge_allows(const Triangle *t, const Shape *b, int face, const double *n) noexcept nogil:
    """Whether the surface has this direction at an edge or corner of a triangle: 1, 0 (another is nearer), below 0 where it
    leads over an edge that is none: -1 - its number in a hollow, IN_PLANE - its number where the surface goes on in a plane."""
    cdef double out[9]
    cdef double other[3]
    cdef double part[3]
    cdef int i, k, kind, found = 1
    for k in range(3):
        away(t, k, out + 3 * k)
        part[k] = dot(out + 3 * k, n)
    for k in range(3):
        if part[k] <= FLAT:
            continue
        kind = b.form.edge_kind[3 * face + k]
        if kind == 2:  # where the surface ends
            continue
        if not aims(out, part, k):
            continue
        for i in range(3):
            other[i] = dot(b.turn + 3 * i, b.form.edge_out + 9 * face + 3 * k)
        if kind == 0 and dot(other, t.normals) < -FLAT:
            return -1 - k
        if kind == 0:
            found = IN_PLANE - k
        elif dot(other, n) < -FLAT:
            return 0
    return found


cdef bint aims(const double *out, const double *part, int k) noexcept nogil:
    """Whether a direction has a part over an edge: as a sum of the directions of two edges, not below 0, with this one."""
    cdef double uv, det, x, y
    cdef int j
    for j in range(3):
        if j == k:
            continue
        uv = dot(out + 3 * k, out + 3 * j)
        det = 1.0 - uv * uv
        x, y = (part[k] - uv * part[j]) / det, (part[j] - uv * part[k]) / det
        if x > FLAT and y > -FLAT:
            return True
    return False


cdef void take(Places *places, const Shape *a, const Triangle *t, const Apart *at, int face, double reach,
               bint over) noexcept nogil:
    """The places of a shape along a direction; ``over``: only those above the triangle."""
    cdef Found own
    cdef long long key[16]
    cdef int shape[32]
    cdef double gap[16]
    cdef double normal[48]
    cdef double point[48]
    cdef int k
    own.n, own.room, own.key, own.shape, own.gap, own.normal, own.point = 0, OWN, key, shape, gap, normal, point
    write_places(&own, a, &t.shape, at, reach)
    for k in range(<int>own.n if own.n < OWN else OWN):
        if over and not above(t, point + 3 * k, at.size):
            continue
        put_place(places, <int>((<long long>face * 131 + (key[k] & (FEATURES - 1))) % FEATURES), gap[k], normal + 3 * k,
                  point + 3 * k)


cdef inline void put_place(Places *places, int feature, double gap, const double *normal, const double *point) noexcept nogil:
    cdef int i, m = places.n
    places.n += 1
    places.gap[m], places.feature[m] = gap, feature
    for i in range(3):
        places.normal[3 * m + i], places.point[3 * m + i] = normal[i], point[i]


cdef bint above(const Triangle *t, const double *p, double size) noexcept nogil:
    """Whether a place is over a triangle, its edge counted in."""
    cdef double along[3]
    cdef double out[3]
    cdef double d[3]
    cdef int i, k, j
    for k in range(3):
        j = (k + 1) % 3
        for i in range(3):
            along[i], d[i] = t.vertex[3 * j + i] - t.vertex[3 * k + i], p[i] - t.vertex[3 * k + i]
        cross(along, t.normals, out)
        if dot(out, d) > 1e-9 * size * sqrt(dot(out, out)):
            return False
    return True


cdef void write_contacts(Found *f, const Shape *a, const Shape *b, Places *places) noexcept nogil:
    cdef int k
    condense(places, a)
    for k in range(places.n):
        put_once(f, a, b, places, k)


cdef void condense(Places *places, const Shape *a) noexcept nogil:
    """Each place once; of many with one normal the extreme ones."""
    cdef Corner corners[130]
    cdef bint done[1024]
    cdef bint kept[1024]
    cdef double d[3]
    cdef double u[3]
    cdef double v[3]
    cdef const double *n
    cdef double size = fmax(fabs(a.size[0]), fmax(fabs(a.size[1]), fabs(a.size[2])))
    cdef int i, j, k, count
    memset(done, 0, sizeof(done))
    memset(kept, 0, sizeof(kept))
    for i in range(places.n):
        if done[i]:
            continue
        n = places.normal + 3 * i
        count = 0
        k = 0
        for j in range(1, 3):
            if fabs(n[j]) < fabs(n[k]):
                k = j
        for j in range(3):
            d[j] = 1.0 if j == k else 0.0
        cross(n, d, u)
        cross(n, u, v)
        for j in range(i, places.n):
            if done[j] or dot(n, places.normal + 3 * j) < 1.0 - FLAT:
                continue
            done[j] = True
            for k in range(count):
                if (fabs(corners[k].x - dot(u, places.point + 3 * j)) + fabs(corners[k].y - dot(v, places.point + 3 * j))
                        < SAME * size):
                    break
            else:
                if count == 128:
                    count = keep_extreme(corners, count, 1e300, 1.1, 1.0)
                corners[count].x, corners[count].y = dot(u, places.point + 3 * j), dot(v, places.point + 3 * j)
                corners[count].z, corners[count].feature = places.gap[j], j
                count += 1
        count = keep_extreme(corners, count, 1e300, 1.1, 1.0)
        for k in range(count):
            kept[corners[k].feature] = True
    keep_chosen(places, kept)


cdef void keep_deepest(Places *places) noexcept nogil:
    """Half of the room at most: where hundreds of directions differ, the deepest places."""
    cdef bint kept[1024]
    cdef double low = 1e300, high = -1e300, limit
    cdef int k, i, count
    if places.n <= MOST_PLACES // 2:
        return
    for k in range(places.n):
        low, high = fmin(low, places.gap[k]), fmax(high, places.gap[k])
    for i in range(60):
        limit = 0.5 * (low + high)
        count = 0
        for k in range(places.n):
            count += places.gap[k] <= limit
        if count > MOST_PLACES // 2:
            high = limit
        else:
            low = limit
    for k in range(places.n):
        kept[k] = places.gap[k] <= low
    keep_chosen(places, kept)


cdef void keep_chosen(Places *places, const bint *kept) noexcept nogil:
    cdef int i, k, n = 0
    for k in range(places.n):
        if not kept[k]:
            continue
        places.gap[n], places.feature[n] = places.gap[k], places.feature[k]
        for i in range(3):
            places.normal[3 * n + i], places.point[3 * n + i] = places.normal[3 * k + i], places.point[3 * k + i]
        n += 1
    places.n = n


cdef void put_once(Found *f, const Shape *a, const Shape *b, const Places *places, int k) noexcept nogil:
    """A place with a number that no other of the pair has."""
    cdef double p[3]
    cdef int i, feature = places.feature[k]
    cdef long j = f.n - 1
    cdef long long whole = (<long long>a.number << SHAPE_BITS | b.number) * FEATURES
    while j >= 0 and j < f.room and f.key[j] // FEATURES == whole // FEATURES:
        if f.key[j] == whole + feature:
            feature, j = (feature + 1) % FEATURES, f.n
        j -= 1
    for i in range(3):  # put takes the place on the surface of a
        p[i] = places.point[3 * k + i] + 0.5 * places.gap[k] * places.normal[3 * k + i]
    put(f, a, b, feature, places.gap[k], places.normal + 3 * k, p)


cdef void mesh_plane(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """Vertices of a mesh, at most five."""
    cdef Corner corners[130]
    cdef double p[3]
    cdef double u[3]
    cdef double v[3]
    cdef double n[3]
    cdef int i, k, count = 0
    for i in range(3):
        u[i], v[i], n[i] = b.turn[3 * i], b.turn[3 * i + 1], b.turn[3 * i + 2]
    for k in range(a.form.n_vertices):
        for i in range(3):
            p[i] = a.at[i] - b.at[i] + dot(a.turn + 3 * i, a.form.vertex + 3 * k)
        if dot(n, p) > reach:
            continue
        corners[count].x, corners[count].y, corners[count].z, corners[count].feature = dot(u, p), dot(v, p), dot(n, p), k
        count += 1
        if count == 128:
            count = keep_extreme(corners, count, reach, 1.1, 1.0)
    count = keep_extreme(corners, count, reach, 1.1, 1.0)
    for k in range(count):
        for i in range(3):
            p[i] = b.at[i] + corners[k].x * u[i] + corners[k].y * v[i] + corners[k].z * n[i]
        put(f, a, b, corners[k].feature % FEATURES, corners[k].z, n, p)
