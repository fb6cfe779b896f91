# cython: language_level=3
"""What other units take of this one."""

cdef double contact_residual(
    int dim, int disks, const double* u, const double* r, const double* mu, double terms, double m, double whole,
    double unit, double size, double load, double* of_load,
) noexcept nogil
"""The residual of a contact, as ``mixed_certificate.py`` states it.

``terms`` is the largest entry of |W| |r| + |q|; ``m`` and ``whole`` are max |W_ij| and max |q|; ``unit``, ``size``
and ``load`` are D, the largest entry of D W D and max |D q| of its part. Infinite where a number is none. What it is
off by beside ``whole`` is ``of_load``.
"""

cdef struct Answer:
    int n  # rows
    int count  # contacts
    int dim
    int disks
    const double* W  # n x n
    const double* mu  # count x disks
    const double* r  # n
    const double* u  # n
    const double* unit  # count, as those that follow: D of ``contact_residual``
    const double* size
    const double* load

cdef enum:
    MOST_COUNTED = 300  # rows: up to here the count is cheap beside the solution

cdef int undetermined(const Answer* p) noexcept nogil
"""How many ways the reactions may change while no contact changes its case.

A contact that touches, loaded or not, may change its normal reaction, together with the friction of each disk that
slides, and the friction of each disk that does not. u stays as it is, or where contacts slide is that of other loads. 0 for
more than ``MOST_COUNTED`` rows, -1 where memory is missing.
"""

cdef int open_changes(
    int n, const double* A, int k, int d, const double* change, const int* at, bint leading, double rounding
) noexcept nogil
"""The dimension of the null space of C^T A C, with ``leading`` of E^T A C, E the first entry of each column of C.

A is n x n; column i of C, k in all, has the entries change[d i] ... from row ``at[i]`` on. What is left of the products beside the
largest is no more than ``rounding``. -1 where memory is missing.
"""
