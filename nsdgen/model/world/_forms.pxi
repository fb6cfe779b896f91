"""Forms of shapes as compiled code reads them: vertices and faces of hulls and meshes."""

cdef double WITHIN = 0.9  # of what is solid below a face: what is to be inside of it


cdef class ShapeForm:
    """What compiled code reads of a shape: at ``address``, as long as this object lives."""

    cdef FormArrays form
    cdef object kept
    cdef readonly intptr_t address

    def __cinit__(self):
        self.address = <intptr_t>&self.form


cdef class MeshForm(ShapeForm):
    """Triangles: vertices (n, 3), faces (m, 3), normals (m, 3), what is beyond their edges, and a tree of boxes around them.

    ``edge_kind`` (m, 3), ``edge_out`` (m, 3, 3), ``boxes`` (2 l, 6), ``leaf_face`` (l,), as ``_pair_points.pxd`` says.
    """

    def __init__(self, vertices, faces, normals, edge_kind, edge_out, boxes, leaf_face):
        cdef double[:, ::1] vertex = np.ascontiguousarray(vertices, dtype=float)
        cdef int[:, ::1] face = np.ascontiguousarray(faces, dtype=np.intc)
        cdef double[:, ::1] normal = np.ascontiguousarray(normals, dtype=float)
        cdef int[:, ::1] kind = np.ascontiguousarray(edge_kind, dtype=np.intc)
        cdef double[:, :, ::1] out = np.ascontiguousarray(edge_out, dtype=float)
        cdef double[:, ::1] box = np.ascontiguousarray(boxes, dtype=float)
        cdef int[::1] leaf = np.ascontiguousarray(leaf_face, dtype=np.intc)
        self.kept = vertex, face, normal, kind, out, box, leaf
        self.form.n_vertices, self.form.n_faces, self.form.leaves = vertex.shape[0], face.shape[0], leaf.shape[0]
        self.form.vertex, self.form.face_vertex, self.form.face_normal = &vertex[0, 0], &face[0, 0], &normal[0, 0]
        self.form.edge_kind, self.form.edge_out = &kind[0, 0], &out[0, 0, 0]
        self.form.box, self.form.leaf_face = &box[0, 0], &leaf[0]
        cdef double[::1] below = np.empty(len(faces))
        cdef int i
        for i in range(below.shape[0]):
            below[i] = solid_below(&self.form, i)
        self.kept = *self.kept, below
        self.form.below = &below[0]


cdef double solid_below(const FormArrays *form, int face) noexcept nogil:
    """How far a closed surface is solid below the middle of a face, WITHIN of it; as long as the face where it is farther."""
    cdef const double *n = form.face_normal + 3 * face
    cdef const double *p[3]
    cdef const double *other
    cdef double start[3]
    cdef double end[3]
    cdef double low[3]
    cdef double high[3]
    cdef double d[3]
    cdef double far = 0.0, slope
    cdef int stack[128]
    cdef int i, k, count, hit = 0
    for k in range(3):
        p[k] = form.vertex + 3 * form.face_vertex[3 * face + k]
    for k in range(3):
        start[k] = (p[0][k] + p[1][k] + p[2][k]) / 3.0
        far = max(far, max(fabs(p[1][k] - p[0][k]), fabs(p[2][k] - p[0][k])))
    plus(start, -far, n, end)
    for k in range(3):
        low[k], high[k] = min(start[k], end[k]), max(start[k], end[k])
    count = first_of_tree(stack)
    while next_face(form, low, high, stack, &count, &hit):
        other = form.face_normal + 3 * hit
        slope = dot(other, n)
        if hit == face or slope >= 0.0:  # it is left through a face that looks the other way
            continue
        for k in range(3):
            p[k] = form.vertex + 3 * form.face_vertex[3 * hit + k]
        minus(start, p[0], d)
        slope = dot(other, d) / slope
        if 0.0 < slope < far and is_over(p, other, start, slope, n):
            far = slope
    return WITHIN * far


cdef bint is_over(const double **p, const double *normal, const double *start, double way, const double *n) noexcept nogil:
    """Whether a place that a way below another one, in the plane of a triangle, is in that."""
    cdef double at[3]
    cdef double along[3]
    cdef double out[3]
    cdef int k
    plus(start, -way, n, at)
    for k in range(3):
        minus(p[(k + 1) % 3], p[k], along)
        cross(along, normal, out)
        minus(at, p[k], along)
        if dot(out, along) > 0.0:
            return False
    return True


cdef class HullForm(ShapeForm):
    """Vertices (n, 3), faces as loops of vertices (``starts`` (m + 1,), ``loops``), their normals (m, 3)."""

    def __init__(self, vertices, starts, loops, normals):
        cdef double[:, ::1] vertex = np.ascontiguousarray(vertices, dtype=float)
        cdef int[::1] start = np.ascontiguousarray(starts, dtype=np.intc)
        cdef int[::1] loop = np.ascontiguousarray(loops, dtype=np.intc)
        cdef double[:, ::1] normal = np.ascontiguousarray(normals, dtype=float)
        face = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        order = np.argsort(loops, kind="stable")
        cdef int[::1] at_face = np.ascontiguousarray(face[order], dtype=np.intc)
        cdef int[::1] at_start = np.concatenate([[0], np.cumsum(np.bincount(loops, minlength=len(vertices)))]).astype(np.intc)
        self.kept = vertex, start, loop, normal, at_face, at_start
        self.form.n_vertices, self.form.n_faces = vertex.shape[0], normal.shape[0]
        self.form.vertex, self.form.face_normal = &vertex[0, 0], &normal[0, 0]
        self.form.face_start, self.form.face_vertex = &start[0], &loop[0]
        self.form.at_start, self.form.at_face = &at_start[0], &at_face[0]
