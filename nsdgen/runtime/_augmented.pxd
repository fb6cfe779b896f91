"""Unknowns that stand in the one-step problem beside the multipliers.

Where relations act all along a large group of systems, A = y_lambda + y_w W^-1 rho_lambda is full although W is sparse.
Then nothing is eliminated: the unknowns d = dw of the group are free multipliers of equality rows of their own,

    0 = W d - rho_lambda (lambda - lambda^tau) + (R - rho)
    y = y^tau + y_w d + y_lambda (lambda - lambda^tau),

the augmented system, whose blocks are those of W and of each relation. It is solved by factors that exchange rows and columns
(``solvers/interaction/_augmented_rows.pxd``). What it cannot solve, or not solve alone, is condensed to A all the same, which
knows what to say of rows that depend on each other and of unknowns that nothing determines.
"""
from nsdgen.runtime._data cimport Attachment, BoundRelation, Group, Stage

cdef int augmented_pattern(Stage *s, Group *g) noexcept nogil
"""W by rows, and the links that meet each unknown; 0, or -1 without memory."""

cdef void augmented_free(Group *g) noexcept nogil
"""Give back what ``augmented_pattern`` took."""

cdef void choose_augmented(Stage *s) noexcept nogil
"""Which groups keep their unknowns in the problem of the relations in play, before it is laid out."""

cdef void refuse_augmented(Stage *s) noexcept nogil
"""No group does, for the rest of this step."""

cdef int unknown_number(const Stage *s, int member) noexcept nogil
"""The number of the unknown that is this member of the graph, -1 where it is a relation or a border."""

cdef int meet_unknowns(const Stage *s, const Group *g, const Attachment *at, int stamp, int *found, int count) noexcept nogil
"""The nodes of the unknowns that a participant sees or acts on, those without the stamp; how many are found then."""

cdef int meet_around(const Stage *s, int number, int stamp, int *found, int count) noexcept nogil
"""The nodes beside an unknown: those of its row of W, and relations."""

cdef void assemble_in_unknowns(Stage *s, const BoundRelation *r, const Attachment *at, const Group *g) noexcept nogil
"""y_w of one participant; ``slot`` says where blocks begin. ``diagonal`` gets what each row has on that of A, nearly."""

cdef void assemble_unknown(Stage *s, int number) noexcept nogil
"""The row of an unknown: W and -rho_lambda."""

cdef void take_unknowns(Stage *s) noexcept nogil
"""b = R - rho in the rows of unknowns, and their guess: that they do not move."""
