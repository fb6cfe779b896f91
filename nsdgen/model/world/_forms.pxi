"""Forms of shapes as compiled code reads them: vertices and faces of hulls and meshes."""

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
