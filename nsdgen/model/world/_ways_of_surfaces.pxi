"""Which directions a surface has at the edges and corners of its triangles."""


cdef void away(const Triangle *t, int k, double *out) noexcept nogil:
    """The unit vector over an edge, away from the triangle."""
    cdef double along[3]
    cdef int j = (k + 1) % 3
    minus(t.vertex + 3 * j, t.vertex + 3 * k, along)
    unit(along)
    cross(along, t.normals, out)


cdef inline bint ends(const Shape *b, int face) noexcept nogil:
    """Whether a surface ends at a triangle: what lies over its rim from the front may have its middle behind it."""
    cdef const int *kind = b.form.edge_kind + 3 * face
    return kind[0] == 2 or kind[1] == 2 or kind[2] == 2


cdef int edge_allows(const Triangle *t, const Shape *b, int face, const double *n) noexcept nogil:
    """Whether the surface has this direction at an edge or corner of a triangle: 1, 0 (another is nearer), below 0 where it
    leads over an edge that is none: -1 - its number in a hollow, IN_PLANE - its number where the surface goes on in a plane.

    What looks at the back of the triangle is the surface's over a sharp ridge alone.
    """
    cdef double out[9]
    cdef double other[3]
    cdef double part[3]
    cdef int i, k, kind, found = 1
    cdef bint back = dot(t.normals, n) <= FLAT, over = False
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
        if kind == 0 and back:
            return 0
        if kind == 0 and dot(other, t.normals) < -FLAT:
            return -1 - k
        if kind == 0:
            found = IN_PLANE - k
        elif dot(other, n) < -FLAT:
            return 0
        else:
            over = True
    return found if over or not back else 0


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


cdef bint belongs(const void *of, const double *n) noexcept nogil:
    """Whether a direction is one of the surfaces of ``Sought``."""
    cdef const Sought *c = <const Sought *> of
    cdef double own[3]
    memcpy(own, n, sizeof(own))
    if c.wedge == NULL:
        return edge_allows(c.t, c.b, c.face, n) == 1
    return settle_direction(c.t, c.b, c.face, c.wedge, True, own) == 1
