"""A step of many bodies: its contacts solved island by island, with a certificate or to what sweeps leave."""


cdef bint is_known_cone(int m, const int *cone) noexcept nogil
"""Whether m rows are one contact in space, with or without rolling friction."""

cdef struct BodySteps:
    BodyContacts all  # given, in the order of ``islands``
    BodyIslands islands
    BodyFactors factors
    double tolerance  # given: of the load of an island, what a certificate allows; 0: sweeps alone
    double goal  # given, for sweeps alone: what they may leave, in units of u
    int most_sweeps  # given
    double *room
    size_t size
    # of the last step
    int sweeps  # of the island that took most
    int factored
    int uncertified  # islands that are less accurate than asked
    double left  # the largest violation of the law, in units of u

cdef void body_steps_free(BodySteps *s) noexcept nogil
"""Give all memory back."""

cdef int body_steps_lay_out(BodySteps *s, int m, int bodies, int contacts, const int *pair) noexcept nogil
"""Islands of contacts between ``pair`` (contacts, 2) of bodies, and room for them; 0, or -1 without memory.

Next ``all.name`` and what else ``all`` wants is filled in: contact i at ``islands.place[i]``, body i at ``islands.number[i]``.
"""

cdef int body_steps_solve(BodySteps *s) noexcept nogil
"""Solve from the guess in ``all.r``; 0, or -1 without memory. ``all.v`` belongs to the reactions that are left."""
