"""Factors of I + X E C over the bodies of an island: the equations of a step of Newton's method without the reactions.

With dr = g - E C dv and dv = X dr follows (I + X E C) dv = X g: one block of 6 x 6 for each body, and for two that meet. Times
the masses it is M + H E H^T, whose symmetric part is positive definite where that of E is: no exchanges are needed. Pivots are numbers, not
blocks: an inverse of a block in which a contact sticks and another direction is free would lose what is free.
"""

from nsdgen.solvers.linalg._linalg cimport BlockLU

cdef struct BodyFactors:
    BlockLU lu
    const BodyContacts *island
    const double *E  # (contacts, 3, 3)
    int *order  # the bodies in the order of elimination
    int *place  # and where each is in it
    int *start  # the contacts of each body in that order: twice the number, and the side
    int *link
    int *row  # the pattern: rows and columns
    int *column
    double *x  # (bodies, 6)
    int room_bodies, room_contacts
    # orders are kept: the rank of bodies by their names, -1 unknown
    int *rank
    int room_names, uses, fill
    int made  # factorisations, ever

cdef void body_factors_free(BodyFactors *f) noexcept nogil
"""Give all memory back."""

cdef int body_factors_analyse(BodyFactors *f, const BodyContacts *w) noexcept nogil
"""The order and the pattern of an island; 0, or -1 without memory."""

cdef int body_factors_make(BodyFactors *f, const double *E) noexcept nogil
"""Factor with these E (contacts, 3, 3); 0, or the number of a singular block."""

cdef void body_factors_solve(BodyFactors *f, const double *g, double *rate) noexcept nogil
"""C dv (contacts, 3) of (I + X E C) dv = X g."""
