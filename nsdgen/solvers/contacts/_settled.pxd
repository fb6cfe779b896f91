"""Contacts in the plane whose cases have settled: what is left is linear."""


cdef enum:
    MOST_SETTLED = 64  # unknowns of what is left: up to here it costs less than the sweeps it saves

cdef bint settle(const double* r, const double* mu, int count, signed char* cases) noexcept nogil
"""Note the case of each contact in the plane at the end of a sweep; whether all are as noted before."""

cdef size_t settled_doubles(int n) noexcept nogil
"""Doubles of ``memory`` for ``solve_settled``."""

cdef bint solve_settled(const Dense* p, const signed char* cases, double* memory) noexcept nogil
"""The reactions of contacts that keep their cases at the start of ``memory`` (n); whether they are determined, and few."""
