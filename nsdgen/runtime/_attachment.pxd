# cython: language_level=3
"""The arrays of an attachment: they lie behind it, equally far for all of a kind, so that their addresses are not stored."""
from nsdgen.runtime._data cimport Attachment


cdef inline double *behind(const Attachment *at, ptrdiff_t bytes) noexcept nogil:
    return <double *>(<char *>at + bytes)


cdef inline const double *output_x(const Attachment *at) noexcept nogil:
    """C = dy/dw, all entries (m, n)."""
    return behind(at, at.shape.output_x_at)


cdef inline const double *reaction_lambda(const Attachment *at) noexcept nogil:
    """B = drho/dlambda, all entries (n, m)."""
    return behind(at, at.shape.reaction_lambda_at)


cdef inline double *solved(const Attachment *at) noexcept nogil:
    """X = W^-1 B, with the rows of the whole group; not where W is sparse."""
    return behind(at, at.shape.solved_at)


cdef inline double *reaction(const Attachment *at) noexcept nogil:
    """rho (n) and how large the terms of its rows are (n); in an affine stage of whichever relation wrote last."""
    return at.shape.reaction if at.shape.reaction != NULL else behind(at, at.shape.reaction_at)
