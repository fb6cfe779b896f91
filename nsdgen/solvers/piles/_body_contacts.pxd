"""Contacts of many bodies: find reactions r and velocities v with v = X r, u = b + C v and Coulomb's law between u and r.

A body has six velocities. A contact has m rows, 3 or 5, normal first (``_friction_cone.pxd``), and one body or two; C and X are
dense, m x 6 and 6 x m for each of them. A = C X is never made: unknowns of equations are the velocities, which are fewer than
reactions in a pile, and determined where these are not. All arrays lie in the order of islands (``_body_islands.pxd``), so that
an island is a ``BodyContacts`` that begins further on in the same arrays.
"""

cdef enum:
    VELOCITIES = 6  # velocities of a body

cdef struct BodyContacts:
    int m, bodies, contacts
    int *body  # given (contacts, 2): the bodies of each contact, the second is -1 where there is none
    int *name  # given (bodies): a number that stays with a body
    double *by_v  # given (contacts, 2, m, VELOCITIES): C
    double *by_r  # given (contacts, 2, VELOCITIES, m): X
    double *bound  # given (contacts, 2): coefficients of friction
    double *b  # given (contacts, m): u without reactions
    double *r  # given (contacts, m): a guess, then the reactions
    double *u
    double *v  # (bodies, VELOCITIES): what reactions move, X r
    double *own  # (contacts, m, m): C X of a contact with itself
    double *rate  # (contacts): the mean of its diagonal, units of u over those of r
    double *best  # (contacts, m): reactions that a method keeps
    double *before  # (contacts, m): and those of the sweep before
    double load  # the largest |u| without reactions
    # private
    int room_bodies, room_contacts, room_rows

cdef void body_contacts_init(BodyContacts *w) noexcept nogil
"""No contacts, no memory."""

cdef void body_contacts_free(BodyContacts *w) noexcept nogil
"""Give all memory back; not of an island."""

cdef int body_contacts_reserve(BodyContacts *w, int m, int bodies, int contacts) noexcept nogil
"""Room for so many, what was there is lost; 0, or -1 without memory."""

cdef void look_at_own(BodyContacts *w) noexcept nogil
"""``own``, ``rate`` and ``load`` from what was given."""

cdef void move_bodies(BodyContacts *w) noexcept nogil
"""``v`` and ``u`` from ``r``."""

cdef double largest_off(const BodyContacts *w) noexcept nogil
"""The largest violation of the law, in units of u (``contact_off`` times the rate): zero at solutions."""

cdef double certified_off(BodyContacts *w) noexcept nogil
"""The same with reactions brought into their cones, v and u computed again from them."""
