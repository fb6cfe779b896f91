# cython: language_level=3
"""How far an answer to a dense friction problem is off."""

from nsdgen.solvers.contacts._dense_units cimport Dense

cdef double dense_residual(const Dense* p, double* r, double* u) noexcept nogil
"""The residual of the certificate at r (n), each contact of which is first put into its cone; u (n) = W r + q.

Infinite where a number is none.
"""
