"""Directions in which one 3-D contact can slide: the quartic formulation.

A sliding contact has u_N = 0, r_T = mu r_N e with a unit vector e, and u_T = -s e with
s >= 0. The normal row gives r_N = -q_N / (W_NN + mu W_NT . e). Put into u_T x e = 0 and
freed of its denominator this is a trigonometric polynomial of degree two in the angle
of e, whatever the symmetry of W:

    e^ . (p + P e) = 0,   p = W_NN q_T - q_N W_TN,   P = mu (q_T W_NT - q_N W_TT)

with e^ = e turned by 90 degrees. In t, the tangent of half the angle, it is a quartic.
The coefficients and the derivative are derived by nsdgen: ``generated/slip_equations.pxd``.
"""

cdef enum:
    MAX_DIRECTIONS = 14  # of each half of the circle four roots, and three turns that may be double ones

cdef enum:
    BISECTIONS = 80  # enough to halve [-1, 1] down to rounding
    FOLLOW_STEPS = 6  # near a root four bring rounding; who does not arrive looks for all roots

# about two units in the last place of 1, the size of t: a bracket or a step below it is nothing
cdef double ROUNDING = 4e-16
cdef double SETTLED = 5e-8  # a step of Newton's method on the angle, whose square is less than the rounding of terms
# A double root moves by the square root of the rounding of the coefficients, so that an
# extremum this close to zero, relative to them, is tried as a root.
cdef double TOUCHING = 1e-9


# ------------------------------------------------------- polynomials on [-1, 1]


cdef inline double _value(int degree, const double* c, double t) noexcept nogil:
    cdef int k
    cdef double value = c[degree]
    for k in range(degree - 1, -1, -1):
        value = value * t + c[k]
    return value


cdef double _bracketed(int degree, const double* c, const double* derivative, double low, double high) noexcept nogil:
    """The root between ``low`` and ``high``, where the signs differ: Newton or bisection."""
    cdef int step
    cdef double t, value, slope, rising = _value(degree, c, high)
    t = 0.5 * (low + high)
    for step in range(BISECTIONS):
        value = _value(degree, c, t)
        if value == 0.0:
            break
        if (value > 0.0) == (rising > 0.0):
            high = t
        else:
            low = t
        slope = _value(degree - 1, derivative, t)
        if high - low <= ROUNDING or fabs(value) <= ROUNDING * fabs(slope):
            break
        t -= value / slope if slope != 0.0 else HUGE_VAL
        if not (low < t < high):
            t = 0.5 * (low + high)
    return t


cdef int _roots_between(
    int degree, const double* c, const double* derivative, int stations,
    const double* station, double* root
) noexcept nogil:
    """Roots of c on [-1, 1], monotone between its ``stations`` extrema, in order.

    An extremum that nearly touches zero counts as a root of its own.
    """
    cdef int i, count = 0
    cdef double size = 0.0, low = -1.0, high, left, right
    for i in range(degree + 1):
        size += fabs(c[i])
    left = _value(degree, c, low)
    for i in range(stations + 1):
        high = station[i] if i < stations else 1.0
        right = _value(degree, c, high)
        if left == 0.0 or (left > 0.0) != (right > 0.0):
            root[count] = low if left == 0.0 else _bracketed(degree, c, derivative, low, high)
            count += 1
        if i < stations and right != 0.0 and fabs(right) <= TOUCHING * size:
            root[count] = high
            count += 1
        low = high
        left = right
    return count


cdef int _quartic_roots(const double* c, double* root) noexcept nogil:
    """Roots in [-1, 1] of c_0 + ... + c_4 t^4, by way of the roots of its derivatives."""
    cdef double first[4]
    cdef double second[3]
    cdef double third[2]
    cdef double bend[8]
    cdef double turn[8]
    cdef int i, bends = 0, turns
    for i in range(4):
        first[i] = (i + 1) * c[i + 1]
    for i in range(3):
        second[i] = (i + 1) * first[i + 1]
    for i in range(2):
        third[i] = (i + 1) * second[i + 1]
    if third[1] != 0.0 and fabs(third[0]) < fabs(third[1]):
        turn[0] = -third[0] / third[1]
        bends = _roots_between(2, second, third, 1, turn, bend)
    else:
        bends = _roots_between(2, second, third, 0, turn, bend)
    turns = _roots_between(3, first, second, bends, bend, turn)
    return _roots_between(4, c, first, turns, turn, root)


# -------------------------------------------------------------------------- directions


cdef double _equation(const double* w, const double* q, double mu, double* a) noexcept nogil:
    """The coefficients of the slip equation; returns the magnitude of their largest terms."""
    cdef double terms[5]
    cdef double size = 0.0
    cdef int i
    slip_equation(mu, w, q, a, terms)
    for i in range(5):
        size = max(size, terms[i])
    return size


cdef int slip_directions(const double* w, const double* q, double mu, double* e) noexcept nogil:
    """Unit vectors e (2 numbers each, at most MAX_DIRECTIONS) that satisfy the equation.

    ``w`` is 3 x 3 row-major, ``q`` has 3 entries. Returns their number. Signs of r_N and s
    are not looked at. Nearly double roots may appear more than once. Where every direction
    satisfies the equation, as with q_T = 0 and W_TN = 0 on an isotropic W_TT, none is
    returned: such a contact sticks.
    """
    cdef double a[5]
    cdef double c[5]
    cdef double root[8]
    cdef int i, half, roots, count = 0
    cdef double size = _equation(w, q, mu, a), largest = 0.0, t, sine, cosine
    for i in range(5):
        largest = max(largest, fabs(a[i]))
    if not (largest > 8.0 * ROUNDING * size) or largest - largest != 0.0:
        return 0
    half_angle(a, c)
    for half in range(2):
        # Half the circle has |t| <= 1; the other half is the same with 1 / t.
        roots = _quartic_roots(c, root)
        for i in range(roots):
            if count == MAX_DIRECTIONS:
                return count
            t = root[i]
            cosine = (1.0 - t) * (1.0 + t) / (1.0 + t * t)
            sine = 2.0 * t / (1.0 + t * t)
            e[2 * count] = cosine if half == 0 else -cosine
            e[2 * count + 1] = sine
            count += 1
        c[0], c[4] = c[4], c[0]
        c[1], c[3] = c[3], c[1]
    return count


cdef bint follow_slip(const double* w, const double* q, double mu, double* e) noexcept nogil:
    """Newton's method on the angle from e, in place; whether it settled on a root."""
    cdef double a[5]
    cdef double terms[5]
    cdef double value, slope, step, square, c, shrink
    cdef int i
    slip_equation(mu, w, q, a, terms)
    for i in range(FOLLOW_STEPS):
        slip_angle(a, e, &value, &slope)
        if not (fabs(value) < 1.0 * fabs(slope)):
            return False
        step = value / slope
        # A turn by -step, renormalised: exact enough, and cheaper than sine and cosine.
        square = step * step  # of a short step four terms of the root are exact, and no division waits for it
        shrink = 1.0 - square * (0.5 - square * (0.375 - 0.3125 * square)) if square < 1e-4 else 1.0 / sqrt(1.0 + square)
        c = (e[0] + step * e[1]) * shrink
        e[1] = (e[1] - step * e[0]) * shrink
        e[0] = c
        if fabs(step) <= SETTLED:  # the error is now about the square of the step
            return True
    return False


cdef int slip_reaction(const double* w, const double* q, double mu, const double* e, double* r) noexcept nogil:
    """r (3) of a contact that slides along -e; whether r_N is finite and positive."""
    cdef double stiffness = w[0] + mu * (w[1] * e[0] + w[2] * e[1])
    r[0] = -q[0] / stiffness if stiffness != 0.0 else 0.0
    r[1] = mu * r[0] * e[0]
    r[2] = mu * r[0] * e[1]
    return r[0] > 0.0 and r[0] - r[0] == 0.0
