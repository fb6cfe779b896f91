"""One contact with rolling friction, dim 5: everything but take-off and full stick.

Where one disk does not move, its two rows are eliminated and the other disk slides by
the quartic of ``_slip_directions.pxd``. Where both move, that quartic gives either direction for a
given other one; alternation and Newton's method from several starts find the pair.
"""


cdef void offer_rolling(Local* p, const double* guess) noexcept nogil
"""Offer all moving cases; ``guess`` (5) is one of the starts where both disks move."""
