"""The zero of a function between two points where it has different signs, found step by step.

Inverse quadratic interpolation where the last three points promise that it helps, else bisection (Chandrupatla 1997):
never slower than bisection by more than a few points, whatever kinks and jumps the function has.
"""

cdef struct Bracket:
    double x1, f1  # the last point
    double x2, f2  # the end on the other side of the zero
    double x3, f3  # the point before
    double tolerance


cdef void bracket_open(Bracket *b, double left, double f_left, double right, double f_right,
                       double tolerance) noexcept nogil:
    """Begin with f_left < 0 <= f_right."""
    b.x1, b.f1, b.x2, b.f2 = right, f_right, left, f_left
    b.x3, b.f3 = b.x2, b.f2
    b.tolerance = tolerance


cdef bint bracket_next(Bracket *b, double *x) noexcept nogil:
    """The next point to evaluate; False where the zero is known to within the tolerance."""
    cdef double width = fabs(b.x2 - b.x1), least, t = 0.5, xi, phi
    if width <= b.tolerance or b.f1 == 0.0 or b.f2 == 0.0:
        return False
    least = 0.5 * b.tolerance / width
    if b.x3 != b.x2:  # three points
        xi = (b.x1 - b.x2) / (b.x3 - b.x2)
        phi = (b.f1 - b.f2) / (b.f3 - b.f2)
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            t = b.f1 / (b.f2 - b.f1) * b.f3 / (b.f2 - b.f3) \
                + (b.x3 - b.x1) / (b.x2 - b.x1) * b.f1 / (b.f3 - b.f1) * b.f2 / (b.f3 - b.f2)
    else:  # two points: the secant
        t = b.f1 / (b.f1 - b.f2)
    t = fmin(1.0 - least, fmax(least, t))
    x[0] = b.x1 + t * (b.x2 - b.x1)
    return x[0] != b.x1 and x[0] != b.x2


cdef void bracket_take(Bracket *b, double x, double f) noexcept nogil:
    """The value there."""
    if (f >= 0.0) == (b.f1 >= 0.0):
        b.x3, b.f3 = b.x1, b.f1
    else:
        b.x3, b.f3 = b.x2, b.f2
        b.x2, b.f2 = b.x1, b.f1
    b.x1, b.f1 = x, f


cdef double bracket_right(const Bracket *b) noexcept nogil:
    """The end at which f >= 0."""
    return b.x1 if b.f1 >= 0.0 else b.x2
