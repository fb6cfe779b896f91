# cython: language_level=3
"""What other units take of this one."""

from nsdgen.solvers.linalg._linalg cimport BlockLU

cdef enum:
    VELOCITIES = 6  # velocities of a body

cdef struct BodyContacts:
    int m, bodies, contacts
    bint planar  # given: the third row and the last three velocities stand aside
    bint rolls  # given, in a plane: the third row is one of rolling (``_planar_rolling.pxi``)
    int *body  # given (contacts, 2): the bodies of each contact, the second is -1 where there is none
    int *name  # given (bodies): a number that stays with a body
    int *box  # given (contacts): 1 where there is one row alone, its impulse between ``bound``, as of a joint; the others are zero
    double *by_v  # given (contacts, 2, m, VELOCITIES): C
    double *by_r  # given (contacts, 2, VELOCITIES, m): X
    double *bound  # given (contacts, 2): coefficients of friction, or the lowest and the highest impulse
    double *b  # given (contacts, m): u without reactions
    double *r  # given (contacts, m): a guess, then the reactions
    double *u
    double *v  # (bodies, VELOCITIES): what reactions move, X r
    double *v_before  # and those of the sweep before
    bint diagonal  # whether X is the transpose of C, its rows times ``yields``
    double *yields  # (bodies, VELOCITIES): what a unit of force and moment moves, where it is
    double *own  # (contacts, m, m): C X of a contact with itself
    double *rate  # (contacts): the mean of its diagonal, units of u over those of r
    double *inverse  # (contacts, 2): of a normal and a tangent where these do not move each other, as of balls, else 0
    double *best  # (contacts, m): reactions that a method keeps
    double *before  # (contacts, m): and those of the sweep before
    double load  # the largest |u| without reactions
    double alpha  # a share of ``rate``, by which r less ``center`` is added to u (``_body_path.pxi``)
    double *center  # (contacts, m), where ``alpha`` is not zero
    # private
    int room_bodies, room_contacts, room_rows

cdef struct BodyIslands:
    int count
    int *place  # of each contact as listed: where it stands in the order of islands
    int *number  # of each body as listed: its number in that order
    int *island  # of each body as listed: its island
    int *first_contact  # count + 1
    int *first_body  # count + 1
    # private
    int *work
    int room_bodies, room_contacts

cdef struct BodyFactors:
    BlockLU lu
    const BodyContacts *island
    int n  # velocities of a body: 3 in a plane
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
    int swept  # of the last one
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
