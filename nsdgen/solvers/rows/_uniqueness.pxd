"""Whether the solution of a mixed complementarity problem is the only one, and how far it is not.

All functions work on the problem bound to a ``MlcpWork`` and on the solution in it, as those of ``_active_set.pxd``.
"""

from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork

cdef bint settled(MlcpWork* work, MlcpInfo* info) noexcept nogil
"""Whether the certified solution that ``sweep`` found is unique, or zero.

Sets ``info.rank_deficiency`` and adds degenerate rows to J.
"""

cdef int add_degenerate(MlcpWork* work) noexcept nogil
"""Add rows with y_i = 0 to J; returns how many complementarity rows have z_i = y_i = 0."""

cdef bint p_matrix(int n, const double* s, const double* terms) noexcept nogil
"""Whether all principal minors of s (n x n, n <= 8) are clearly positive; ``terms`` are the magnitudes of its entries."""

cdef int rank_deficiency(MlcpWork* work) noexcept nogil
"""|J| - rank(A_JJ); destroys the factor, keeps z."""
