"""The rows of a one-step problem at a guess: outputs, natural map, Alart-Curnier function.

All functions work on one island, the nodes ``begin`` ... ``end`` - 1, and its rows ``top`` ...
``bottom`` - 1 (``_one_step.pxd``).
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef enum:  # modes of linearize_rows
    PLAIN = 0
    FIRST = 1
    WIDE = 2


cdef inline void copy_rows(const OneStep *w, double *target, const double *source) noexcept nogil:
    """The rows of the island, from one array to another."""
    memcpy(target + w.top, source + w.top, (w.bottom - w.top) * sizeof(double))


cdef void output_rows(OneStep *w) noexcept nogil
"""y = A z + b and the sizes of its terms."""

cdef double natural_rows(OneStep *w) noexcept nogil
"""The largest natural map of a row, relative to its terms; ``worst_row`` is that row."""

cdef bint cancels(OneStep *w) noexcept nogil
"""Whether multipliers cancel so far that the certificate says nothing; then ``worst_row`` has one.

Rows that contradict each other "hold" for multipliers that the shift alone bounds. Those of a
box are bounded by the problem itself and may be as large as their bounds.
"""

cdef double shifted_residual(OneStep *w) noexcept nogil
"""The same for y + shift (z - center); ``y`` stays as it is."""

cdef void linearize_rows(OneStep *w, int mode, bint shifted) noexcept nogil
"""F and its derivatives by z and by y, with y + shift (z - center) in place of y if ``shifted``; ``mode``:

PLAIN; FIRST, where rows that neither move nor react are taken as active (in a body at rest all
contacts bear load, and to find them one after the other would take as many steps); WIDE, where
rows with z = y = 0 are active, too.
"""

cdef bint keep_their_cases(const OneStep *w) noexcept nogil
"""Whether F of mode WIDE has the derivatives that were kept: the rows active that were. For islands without friction."""

cdef void linear_rows(OneStep *w) noexcept nogil
"""F of an island of equality rows, whose derivatives are those of the last ``linearize_rows``."""

cdef uint64_t cases_of(const OneStep *w) noexcept nogil
"""A fingerprint of the derivatives of F: the same cases, the same number."""
