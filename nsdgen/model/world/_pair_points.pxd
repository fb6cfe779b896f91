# cython: language_level=3
"""Shapes, and where the points of pairs go."""

cdef enum Kind:
    SPHERE = 0  # sizes: radius
    CAPSULE = 1  # radius, half its length without the ends, along z
    BOX = 2  # half its edges
    PLANE = 3  # the half space below z = 0

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

cdef enum:
    FEATURES = 128  # points of a pair are numbered below



cdef inline void put(Found *f, const Shape *a, const Shape *b, int feature, double gap, const double *normal,
                     const double *point) noexcept nogil:
    """A point of the pair, ``point`` on the surface of a."""
    cdef int i
    if f.n < f.room:
        f.key[f.n] = ((<long long>a.number << 25 | b.number) * FEATURES) | feature
        f.shape[2 * f.n], f.shape[2 * f.n + 1] = a.number, b.number
        f.gap[f.n] = gap
        for i in range(3):
            f.normal[3 * f.n + i] = normal[i]
            f.point[3 * f.n + i] = point[i] - 0.5 * gap * normal[i]
    f.n += 1
