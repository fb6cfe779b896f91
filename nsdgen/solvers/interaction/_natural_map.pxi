"""The natural map of one block of rows, law by law: zero exactly where (y, z) satisfies its cone.

Cones are those of ``nsdgen/abi/cones.pxd``.
"""

cdef double ROUNDING = 32.0 * DBL_EPSILON  # of its terms: what y may be off by where z is right to its last digits


cdef double natural_row(int cone, double diagonal, double z, double y, double *scale) noexcept nogil:
    """Equality or complementarity. ``diagonal`` is the row's exchange rate between z and y, 0 where
    unknown; ``scale``, the magnitude of the terms of y, grows by that of z in units of y."""
    cdef double reach
    if cone == EQUALITY:
        return fabs(y)
    if diagonal > 0:
        reach = diagonal * z
        scale[0] += fabs(reach)
        return fabs(fmin(reach, y))
    if z > 0:  # no exchange rate between z and y: an acting multiplier asks for y = 0
        return fabs(y)
    return fabs(fmin(y, 0.0)) if z == 0 else fabs(y) + scale[0]


cdef double natural_block(
    int cone, const double *bound, const double *diagonal, const double *z, const double *y, double *scale
) noexcept nogil:
    cdef double rate = 0.0, reaction = 0.0
    cdef int k, d = block_height(cone)
    if cone < BOX:
        return natural_row(cone, diagonal[0], z[0], y[0], scale)
    for k in range(d):
        rate = fmax(rate, fabs(diagonal[k]))
        reaction = fmax(reaction, fabs(z[k]))
    if not rate > 0.0:  # any rate serves for the test itself
        rate = 1.0
    scale[0] += rate * reaction
    if cone == BOX:
        return rate * fabs(z[0] - fmax(bound[0], fmin(bound[1], z[0] - y[0] / rate)))
    return rate * contact_off(d, bound, rate, z, y)


cdef double natural_laws(
    int dim, const double *bound, double normal, double tangent, const double *z, const double *y, const double *scale
) noexcept nogil:
    cdef double worst, value, radius, size = scale[0], reaction = 0.0, largest = 0.0, numbers = 0.0
    cdef int i, k, count = disk_size(dim)
    for i in range(dim):
        numbers += (z[i] - z[i]) + (y[i] - y[i])
        reaction = max(reaction, (tangent if i else normal) * fabs(z[i]))
        largest = max(largest, scale[i])
    if numbers != 0.0:
        return HUGE_VAL
    worst = 0.0
    if y[0] < 0.0:
        worst = -y[0] / size
    elif y[0] > 0.0 and reaction > 0.0:
        worst = min(y[0] / size, reaction / (largest + reaction))
    if z[0] < 0.0:
        worst = max(worst, -normal * z[0] / (size - normal * z[0]))
    for k in range(disk_count(dim)):
        i = 1 + k * count
        radius = disk_radius(bound[k], z[0])
        value = tangent * friction_off(count, radius, tangent, z + i, y + i)
        if count == 2:
            value = max(value, tangent * direction_off(radius, tangent, z + i, y + i, ROUNDING * largest))
        if value > 0.0:
            worst = max(worst, value / (largest + reaction))
    return worst
