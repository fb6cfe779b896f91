"""The shortest of the solutions of a dense complementarity problem, by way of one that has a single solution."""

from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork

cdef double norm_shift(MlcpWork* work, int rung) noexcept nogil
"""The shift of the diagonal: half the digits of A, then other compromises (``rung`` > 0)."""

cdef bint least_norm(MlcpWork* work, MlcpInfo* info) noexcept nogil
"""The shortest of the solutions, reached from the active set in ``guess``; whether it was found."""

cdef bint shortest_near(MlcpWork* work, MlcpInfo* info, double shift, bint pivoting) noexcept nogil
"""The shortest solution on the support of that of A + shift I; whether it is certified."""
