"""How far an answer to a dense friction problem is off."""


cdef double dense_residual(const Dense* p, double* r, double* u) noexcept nogil
"""The residual of the certificate at r (n), each contact of which is first put into its cone; u (n) = W r + q.

Infinite where a number is none.
"""
