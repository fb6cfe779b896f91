"""Newton's method on the Alart-Curnier function of contacts of bodies, with factors over bodies: from a start that is near."""


cdef double body_newton(BodyContacts *w, BodyFactors *f, double *room, double wanted, int most, double held) noexcept nogil
"""Steps from ``r`` until no more than ``wanted`` is off, in units of u; the best ``r`` is left, and what it is off by returned.

It gives up after ``most`` steps, and where several on end leave more than ``held`` of the least before. ``room`` (contacts, 27).
"""
