"""The zero of a function between two points where it has different signs, found step by step."""

cdef struct Bracket:
    double x1, f1  # the last point
    double x2, f2  # the end on the other side of the zero
    double x3, f3  # the point before
    double tolerance

cdef void bracket_open(Bracket *b, double left, double f_left, double right, double f_right,
                       double tolerance) noexcept nogil
"""Begin with f_left < 0 <= f_right."""

cdef bint bracket_next(Bracket *b, double *x) noexcept nogil
"""The next point to evaluate; False where the zero is known to within the tolerance."""

cdef void bracket_take(Bracket *b, double x, double f) noexcept nogil
"""The value there."""

cdef double bracket_right(const Bracket *b) noexcept nogil
"""The end at which f >= 0."""
