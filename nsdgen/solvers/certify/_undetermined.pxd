"""How many reactions a solution with friction leaves undetermined."""

cdef struct Answer:
    int n  # rows
    int count  # contacts
    int dim
    int disks
    const double* W  # n x n
    const double* mu  # count x disks
    const double* r  # n
    const double* u  # n
    const double* unit  # count, as those that follow: D of ``contact_certificate.Measure``
    const double* size
    const double* load

cdef int undetermined(const Answer* p) noexcept nogil
"""The dimension of the null space of W over the reactions that may change while no contact changes its case.

A contact that touches, loaded or not, may change its normal reaction, together with the friction of each disk that
slides, and the friction of each disk that does not. All such changes leave u as it is. 0 for more than ``MOST_ROWS``
rows, -1 where memory is missing.
"""
