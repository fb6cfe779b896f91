"""Convex shapes and closed surfaces of triangles on surfaces of triangles.

Boxes around triangles are the leaves of a tree in which children of i are 2 i and 2 i + 1. Each near triangle is a flat
hull. Where a shape meets an edge or corner of it the direction must lie between the normals of the triangles there, or
another one is nearer; where these lie in a plane or in a hollow there is no edge, and the normal of the triangle is taken
over what lies above it. So what rolls or slides over a surface meets no edge inside of it (ghost contacts).
"""

cdef enum:
    OWN = 16  # on one triangle
    SEEKING = 3  # times that triangles are looked at until there is a place
    IN_PLANE = -4  # below what hollows have, -1 ... -3

cdef double SHALLOW = 0.1  # of a triangle: what is deeper below it may be on the other side of a thin body
cdef double BESIDE = 1e-2  # of a triangle: what is less deep is in the shape behind that, and not behind both

cdef int[6] LOOPS = [0, 1, 2, 0, 2, 1]
cdef int[5] STARTS = [0, 3, 6, 9, 12]
cdef int[4] AT_STARTS = [0, 2, 4, 6]
cdef int[6] AT_FACES = [0, 1, 0, 1, 0, 1]
cdef double[3] ORIGIN = [0.0, 0.0, 0.0]
cdef double[9] AXES = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]

cdef struct Triangle:
    Shape shape
    FormArrays form
    double vertex[9]  # in the inertial frame
    double normals[6]
    double size[3]


cdef struct Wedge:
    # A triangle of a surface and a place inside of it, as a hull.
    Triangle base
    const Shape *mesh
    int face
    Shape shape
    FormArrays form
    double vertex[12]
    double normals[12]


cdef struct Sought:
    # A triangle whose surface has some directions, of two surfaces where there is a wedge.
    const Triangle *t
    const Shape *b
    int face
    const Wedge *wedge


cdef void convex_mesh(Found *f, const Shape *a, const Shape *b, double reach) noexcept nogil:
    """A convex shape on the triangles near it, without those of their edges that are none of the surface."""
    cdef PairPlaces places
    cdef int seeking
    places.n, places.lost = 0, False
    for seeking in range(SEEKING):
        places.seeking = seeking
        on_triangles(&places, a, NULL, b, reach)
        if places.n or not places.lost:
            break
    write_contacts(f, a, b, &places)


cdef void on_triangles(
    PairPlaces *places, const Shape *a, const Wedge *wedge, const Shape *b, double reach
) noexcept nogil:
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


cdef inline double shallow(const PairPlaces *places, const Shape *b, int face) noexcept nogil:
    """Of a triangle: how far below it a place may be. Any is better than none, but where the surface ends."""
    return 1.0 if places.seeking == SEEKING - 1 and not ends(b, face) else SHALLOW


cdef inline int first_of_tree(int *stack) noexcept nogil:
    stack[0] = 1
    return 1


cdef bint next_face(
    const FormArrays *form, const double *low, const double *high, int *stack, int *n, int *face
) noexcept nogil:
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
        minus(p, b.at, p)
        high[k] = dot(way, p) + more
        for i in range(3):
            way[i] = -way[i]
        support(a, way, p)
        minus(p, b.at, p)
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
        t.size[0] = max(t.size[0], max(fabs(t.vertex[3 + i] - t.vertex[i]), fabs(t.vertex[6 + i] - t.vertex[i])))
    t.form.n_vertices, t.form.n_faces, t.form.vertex, t.form.face_normal = 3, 2, t.vertex, t.normals
    t.form.face_start, t.form.face_vertex, t.form.at_start, t.form.at_face = STARTS, LOOPS, AT_STARTS, AT_FACES
    t.shape.kind, t.shape.number, t.shape.size, t.shape.form = HULL, b.number, t.size, &t.form
    t.shape.at, t.shape.turn = ORIGIN, AXES


cdef void on_triangle(
    PairPlaces *places, const Shape *a, const Wedge *wedge, const Shape *b, int face, double reach
) noexcept nogil:
    cdef Triangle t
    cdef Apart at
    cdef Apart own
    cdef Apart first
    cdef Sought sought
    cdef Side bottom
    cdef double pa[3]
    cdef double pb[3]
    cdef double back[3]
    cdef double least, deep = shallow(places, b, face)
    cdef const double *n = t.normals
    cdef int i, of_b = face, number
    cdef bint found, left, behind = False
    set_triangle(&t, b, face)
    if wedge == NULL:
        minus(a.at, t.vertex, pa)
        behind = dot(n, pa) < 0.0
        if behind and (a.kind == SPHERE or not ends(b, face)):
            return
    elif top_of(&wedge.base, &t) < -deep * min(t.size[0], wedge.base.size[0]):
        return
    if apart_along(a, &t.shape, n, pa, pb) - round_by(a) > reach:
        return
    found = ball_on(a, &t, reach, &at) if a.kind == SPHERE else expand(a, &t.shape, reach, &at)
    if not found:
        return
    if not places.seeking and dot(n, at.normal) <= 0.0 and (wedge == NULL or at.gap >= 0.0):
        places.lost = True
        return
    sought.t, sought.b, sought.face, sought.wedge = &t, b, face, wedge
    first = at
    opposite(at.normal, back)
    side(a, back, &bottom)
    least = (PREFERRED if bottom.n > 1 else FINE) * thick(a, at.normal)
    if not prefer(a, &t.shape, n, round_by(a), least, &at):
        opposite(bottom.normal, back)
        if bottom.n > 2 and dot(back, at.normal) > 0.9:
            prefer(a, &t.shape, back, round_by(a), least, &at)
        i = edge_allows(&t, b, face, at.normal) if wedge == NULL else 1
        if (i == 0 and at.gap >= 0.0) or (i != 1 and behind):
            return
        left = i == 0  # the shortest way out of a flat triangle may lead over its edge, that of the surface does not
        places.lost = places.lost or left
        if left and places.seeking and expand_to(a, &t.shape, belongs, &sought, &own) and own.gap >= -deep * t.size[0]:
            at, left, i = own, False, 1
        elif left and dot(n, at.normal) <= 0.0:
            return
        if left or i < 0:
            for i in range(3):
                at.normal[i] = n[i]
            at.gap = apart_along(a, &t.shape, n, pa, pb) - round_by(a)
            if left and at.gap < -deep * t.size[0]:
                return
    if wedge != NULL:
        i = settle_direction(&t, b, face, wedge, places.seeking, at.normal)
        if i == 0 and at.gap >= 0.0:
            return
        places.lost = places.lost or i == 0
        if i == 0 and places.seeking and expand_to(a, &t.shape, belongs, &sought, &own) and (
                own.gap >= -deep * min(t.size[0], wedge.base.size[0])):
            at, i = own, 1
        elif i == 0 and not by_faces(deep, &t, b, face, wedge, reach, &at):
            return
        face = <int>((<long long>face * 8191 + wedge.face) % FEATURES)
        if i != 1:
            minus(at.a, at.b, back)
            put_place(places, of_b, wedge.face, (131 * face + NEAREST) % FEATURES, dot(at.normal, back), at.normal, at.a)
            return
    found = dot(n, at.normal) > 1.0 - FLAT * FLAT
    for i in range(3):
        if found:  # the lowest place, which counts where it is over the triangle
            at.a[i] = pa[i] - round_by(a) * n[i]
    number = places.n
    take(places, a, &t, &at, of_b, -1 if wedge == NULL else wedge.face, face, reach, found)
    if found:  # beside a ridge what is nearest is over neither of its triangles
        for i in range(number, places.n):
            if places.gap[i] <= first.gap + least:
                return
        if belongs(&sought, first.normal):
            take(places, a, &t, &first, of_b, -1 if wedge == NULL else wedge.face, face, reach, False)


cdef void keep_shortest_ways(PairPlaces *places, const Shape *a, const Shape *b) noexcept nogil:
    """Leave out places where a shorter way out, along the direction of others, brings the shape off their triangle, too.

    So it is beside a ridge, over which a triangle alone would push along its normal.
    """
    cdef int order[1024]
    cdef bint kept[1024]
    cdef int i, j, k, n = 0
    for k in range(places.n):
        kept[k] = True
        if places.gap[k] < 0.0:
            i = n
            while i > 0 and places.gap[order[i - 1]] < places.gap[k]:
                order[i] = order[i - 1]
                i -= 1
            order[i] = k
            n += 1
    for i in range(1, n):
        for j in range(i):
            if kept[order[j]] and comes_off(places, order[i], order[j], a, b):
                kept[order[i]] = False
                break
    keep_chosen(places, kept)


cdef bint comes_off(const PairPlaces *places, int k, int other, const Shape *a, const Shape *b) noexcept nogil:
    """Whether a shape that leaves along another place's direction comes off the triangle of this one over its edge."""
    cdef Triangle t
    cdef Wedge wedge
    cdef Shape moved = a[0]
    cdef Apart apart
    cdef double at[3]
    cdef const double *way = places.normal + 3 * other
    cdef double far = -places.gap[other], along = dot(way, places.normal + 3 * k)
    if along >= 1.0 - FLAT or far * along >= -places.gap[k]:
        return False
    set_triangle(&t, b, places.face[k])
    plus(places.point + 3 * k, far, way, at)
    if along > 0.0 and not places.seeking and -places.gap[k] < BESIDE * t.size[0] and above(&t, at, t.size[0]):
        return False  # it is still below it: most are; what leaves over a sharp ridge goes off below it
    plus(a.at, far, way, at)
    if places.own[k] >= 0:
        set_wedge(&wedge, a, places.own[k])
        moved = wedge.shape
        plus(ORIGIN, far, way, at)
    moved.at = at
    return not expand(&moved, &t.shape, 0.0, &apart) or apart.gap >= -FLAT * far


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


cdef void take(PairPlaces *places, const Shape *a, const Triangle *t, const Apart *at, int of_b, int own_face, int face,
               double reach, bint over) noexcept nogil:
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
        put_place(places, of_b, own_face, <int>((<long long>face * 131 + (key[k] & (FEATURES - 1))) % FEATURES), gap[k],
                  normal + 3 * k, point + 3 * k)


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
