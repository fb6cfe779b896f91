"""What one contact is off by, and the residual of the certificate, callable from nogil code."""

cdef double contact_violation(
    int dim, int disks, const double* u, const double* r, const double* mu, double rho, double terms
) noexcept nogil
"""What a contact is off by in units of r: ``law_violations`` for one."""

cdef double contact_residual(
    int dim, int disks, const double* u, const double* r, const double* mu, double terms, double m, double whole,
    double unit, double size, double load,
) noexcept nogil
"""The residual of a contact, as ``Measure`` states it (``contact_certificate.py``).

``terms`` is the largest entry of |W| |r| + |q|; ``m`` and ``whole`` are max |W_ij| and max |q|; ``unit``, ``size``
and ``load`` are D, the largest entry of D W D and max |D q| of its part. Infinite where a number is none.
"""
