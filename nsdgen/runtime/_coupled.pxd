"""W of a large or singular group of systems: sparse factors, and what they leave to the one-step problem.

Small groups keep a dense W and X = W^-1 B (``_assembly.pxi``). Here W is factored sparsely
(``solvers/linalg/_threshold_lu.pxd``) and X is never formed: a row of A is C_p W^-1 B, one transposed solution for a
row of C_p, and the unknowns move by one more solution with W.

Where W is singular, the unknowns d without a pivot and the rows without one, its *border*, join the
one-step problem, d as free multipliers of equality rows:

    0  = 0 d  - (B2 - W21 W11^-1 B1) dlambda + (r2 - W21 W11^-1 r1)
    y += (C2 - C1 W11^-1 W12) d,             r = R - rho.
"""
from nsdgen.runtime._data cimport Attachment, Failure, Group, BoundRelation, Stage

cdef int coupled_pattern(Stage *s, Group *g) noexcept nogil
"""The places of all entries of W; 0, or -1 without memory."""

cdef void coupled_free(Group *g) noexcept nogil
"""Give back what ``coupled_pattern`` took."""

cdef int coupled_factor(Stage *s, Group *g, Failure *failure) noexcept nogil
"""Assemble and factor W, its pattern first where there is none; 0 or a FailureCode."""

cdef void coupled_gather(Stage *s, Group *g) noexcept nogil
"""The entries of W: the systems' dR/dw less the relations' drho/dw."""

cdef int coupled_column_at_fault(const Group *g) noexcept nogil
"""The column of W to name where it could not be factored."""

cdef void coupled_free_move(Group *g) noexcept nogil
"""rhs, R - rho on entry, becomes W^-1 (R - rho) with d = 0; what is left in the border goes to ``left``."""

cdef void coupled_row(Group *g, const Attachment *at, int i) noexcept nogil
"""``row`` . B = C_p W^-1 B for row i of the derivative C_p of an output, ``left_row`` its factors of d."""

cdef void coupled_columns(Stage *s, Group *g, double *A, int stride) noexcept nogil
"""The rows of the border in the columns of the relations in play, A dense with its rows ``stride`` apart."""

cdef void coupled_column(Group *g, const Attachment *at, int m, int i) noexcept nogil
"""``left_row`` becomes what column i of B leaves in the border: B2 - W21 W11^-1 B1."""

cdef void add_row_product(double *target, const double *left, const Attachment *at) noexcept nogil
"""target += left . B over the nonzeros of B = drho/dlambda of a participant, ``left`` over its group."""

cdef void coupled_push(Group *g, const Attachment *at, int i, double change) noexcept nogil
"""A multiplier changed: r -= B[:, i] change."""

cdef bint coupled_is_loose(const Stage *s) noexcept nogil
"""Whether the solution of the one-step problem leaves an unknown of a border undetermined."""

cdef void coupled_apply(Group *g, const double *d) noexcept nogil
"""rhs = W^-1 r with the unknowns d of the border (NULL where there are none), negative as moves are."""
