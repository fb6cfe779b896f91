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
    MAX_DIRECTIONS = 14

cdef int slip_directions(
    const double* w, const double* q, double mu, double* e
) noexcept nogil
"""Unit vectors e (2 numbers each, at most MAX_DIRECTIONS) that satisfy the equation.

``w`` is 3 x 3 row-major, ``q`` has 3 entries. Returns their number. Signs of r_N and s
are not looked at. Nearly double roots may appear more than once. Where every direction
satisfies the equation, as with q_T = 0 and W_TN = 0 on an isotropic W_TT, none is
returned: such a contact sticks.
"""

cdef int slip_reaction(
    const double* w, const double* q, double mu, const double* e, double* r
) noexcept nogil
"""r (3) of a contact that slides along -e; whether r_N is finite and positive."""

cdef bint follow_slip(
    const double* w, const double* q, double mu, double* e
) noexcept nogil
"""Newton's method on the angle from e, in place; whether it settled on a root."""
