"""One contact while it is being solved: candidates are offered, the best one is kept."""


cdef struct Local:
    int dim
    bint brief  # only candidates that are cheap
    const double* w
    const double* q
    const double* mu
    double size  # max |W_ij|
    double load  # max |q_i|
    double best  # residual of r
    double* r  # the best candidate so far

cdef double measure(Local* p, const double* r) noexcept nogil
"""What r is off by (``contact_off``) in units of load / size."""

cdef bint offer(Local* p, const double* r) noexcept nogil
"""Keep r if it is the best so far; whether the search may end: r is exact to rounding."""

cdef bint good_enough(const Local* p) noexcept nogil
"""Whether the best candidate needs no rescue."""

cdef bint offer_stick(Local* p) noexcept nogil
"""Offer the solution of W r = -q: no motion at all. Whether the search may end."""

cdef bint offer_slip3(Local* p, const double* guess) noexcept nogil
"""dim 3: offer the root of the quartic near the direction of ``guess``, else all roots."""

cdef bint polish(Local* p, const double* start) noexcept nogil
"""Semismooth Newton steps on the Alart-Curnier function from ``start``, while they help.

Every iterate is offered. Returns whether the best candidate is good enough.
"""
