"""The natural map of one block of rows, law by law: zero exactly where (y, z) satisfies its cone.

Cones are those of ``nsdgen/abi/cones.pxd``.
"""

cdef double ROUNDING = 32.0 * DBL_EPSILON  # of its terms: what y may be off by where z is right to its last digits


cdef double natural_block(int dim, const double *bound, double rate, const double *z, const double *y) noexcept nogil:
    rate = rate if rate > 0.0 else 1.0
    return rate * contact_off(dim, bound, rate, z, y)


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
