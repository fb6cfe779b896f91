"""Exact solvers of one frictional contact, u = W r + q, callable from nogil code.

Unknowns, cones and the law are those of ``_friction_cone.pxd``. All cases are tried: take-off
(q_N >= 0), sticking (W r = -q inside the cone), sliding (dim 2: two signs; dim 3: the
quartic of ``_slip_directions.pxd``; dim 5: sliding or rolling alone by the same quartic after the
sticking rows are eliminated, both at once by alternating between the two directions).
The likely cases are tried first (``_likely_cases.pxd``); where none of them is exact, all are, the
candidate that is least off wins, and a few Newton steps polish it. Where W
is singular and no candidate passes, so that the contact cannot be solved by division,
proximal steps (W + eps I) lead to one of its solutions.
"""

cdef double solve_contact(
    int dim, const double* w, const double* q, const double* mu, double* r
) noexcept nogil
"""Solve one contact; ``w`` (dim x dim, row-major), ``q`` (dim), ``mu`` as in ``_friction_cone.pxd``.

On entry ``r`` (dim) is a guess, of which only the direction of sliding is used, and only
where it is a solution. On return it is the best candidate. Returns what that is off by (``contact_off``)
with the rate m = max |W_ij|, in units of max |q| / m, or a bound of it. Values far above rounding mean that the contact has no solution (W_NN = 0 and q_N < 0) or none was found.
"""
