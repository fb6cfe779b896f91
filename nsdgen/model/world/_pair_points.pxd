# cython: language_level=3
"""Shapes, and where the points of pairs go."""

from libc.math cimport sqrt

cdef enum ShapeKind:
    SPHERE = 0  # sizes: radius
    CAPSULE = 1  # radius, half its length without the ends, along z
    BOX = 2  # half its edges
    CYLINDER = 3  # radius, half its length along z
    CONE = 4  # radius of its base, heights of base and tip along z, the first below 0
    ELLIPSOID = 5  # semi-axes
    HULL = 6  # has a form
    MESH = 7  # has a form
    PLANE = 8  # the half space below z = 0

cdef struct FormArrays:
    # Vertices (3 each), faces as loops that run counterclockwise seen from outside, faces at each vertex.
    int n_vertices, n_faces
    const double *vertex
    const int *face_start
    const int *face_vertex
    const double *face_normal
    const int *at_start
    const int *at_face
    # Of a mesh: a tree of boxes (low, high; children of i are 2 i and 2 i + 1, the first is 1), the faces of its leaves, what
    # is beyond each edge of a face (0 the same plane or a hollow, 1 a ridge, 2 nothing), and from there the way across it.
    int leaves
    const double *box
    const int *leaf_face
    const int *edge_kind
    const double *edge_out
    const double *below  # how far the surface is solid below the middle of a face, or as long as that is

cdef struct Found:
    long n, room  # points found, whether they fit or not
    long long *key
    int *shape  # two each
    double *gap
    double *normal  # 3 each, from the second shape to the first
    double *point  # 3 each, halfway between the surfaces

cdef struct Shape:
    int kind, number
    const double *size
    const double *at  # its centre
    const double *turn  # 3 x 3, its axes in columns
    const FormArrays *form

cdef struct Corner:
    double x, y, z  # along a face's own axes, z out of it
    int feature

cdef enum:
    FEATURES = 16384  # points of a pair are numbered below
    SHAPE_BITS = 24  # of the number of a shape


cdef inline void put(Found *f, const Shape *a, const Shape *b, int feature, double gap, const double *normal,
                     const double *point) noexcept nogil:
    """A point of the pair, ``point`` on the surface of a."""
    cdef int i
    if f.n < f.room:
        f.key[f.n] = ((<long long>a.number << SHAPE_BITS | b.number) * FEATURES) | feature
        f.shape[2 * f.n], f.shape[2 * f.n + 1] = a.number, b.number
        f.gap[f.n] = gap
        for i in range(3):
            f.normal[3 * f.n + i] = normal[i]
            f.point[3 * f.n + i] = point[i] - 0.5 * gap * normal[i]
    f.n += 1


cdef inline double dot(const double *a, const double *b) noexcept nogil:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


cdef inline void cross(const double *a, const double *b, double *out) noexcept nogil:
    out[0], out[1], out[2] = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


cdef inline void opposite(const double *a, double *out) noexcept nogil:
    out[0], out[1], out[2] = -a[0], -a[1], -a[2]


cdef inline void minus(const double *a, const double *b, double *out) noexcept nogil:
    out[0], out[1], out[2] = a[0] - b[0], a[1] - b[1], a[2] - b[2]


cdef inline void plus(const double *a, double share, const double *b, double *out) noexcept nogil:
    out[0], out[1], out[2] = a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]


cdef inline void from_frame(const double *R, const double *x, double *out) noexcept nogil:
    """R x, of axes (3, 3) in columns."""
    out[0], out[1], out[2] = dot(R, x), dot(R + 3, x), dot(R + 6, x)


cdef inline void to_frame(const double *R, const double *x, double *out) noexcept nogil:
    """R^T x."""
    cdef int k
    for k in range(3):
        out[k] = R[k] * x[0] + R[3 + k] * x[1] + R[6 + k] * x[2]


cdef inline bint unit(double *v) noexcept nogil:
    """Divide by the length; False where that is zero."""
    cdef double size = sqrt(dot(v, v))
    if size == 0.0:
        return False
    v[0], v[1], v[2] = v[0] / size, v[1] / size, v[2] / size
    return True
