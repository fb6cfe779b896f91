"""One contact in the plane or in space, u = W r + q with q_N < 0: the likely cases, cheaply."""

cdef bint quick_contact(
    int dim, const double* w, const double* q, double mu, double* r, double* bound
) noexcept nogil
"""Try sticking, then sliding near the likely direction; whether one of them is exact to rounding.

Units, guess and result are those of ``solve_contact``, dim 2 or 3. On success ``r`` is the solution
and ``bound`` is not below what it is off by; otherwise both are left alone. Nothing
is decided here that needs a choice: W nearly singular, a double root, a border case are left to others.
"""
