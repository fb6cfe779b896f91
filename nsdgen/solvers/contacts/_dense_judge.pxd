# cython: language_level=3
"""What is said of an answer to a dense friction problem: how far it is off, and what it leaves undetermined."""

from nsdgen.solvers.contacts._dense_units cimport Dense

cdef double dense_residual(const Dense* p, double* r, double* u) noexcept nogil
"""The residual of the certificate at r (n), each contact of which is first put into its cone; u (n) = W r + q.

Infinite where a number is none.
"""

cdef int dense_undetermined(const Dense* p, const double* r, const double* u) noexcept nogil
"""``undetermined_reactions``; -1 where memory is missing."""
