"""Whether a problem without a solution is proved to have none."""

from nsdgen.solvers.rows._mlcp_work cimport MlcpWork

cdef double shift_sign(MlcpWork* work, int i) noexcept nogil
"""-1 for an equality row that would have to change sign for A to be semidefinite.

Equality rows may carry any sign. Semidefinite means a_ii >= 0, and a_ik = -a_ki
for all k where a_ii = 0; symmetric coupling (multipliers written with H and H^T)
there means the opposite sign.
"""

cdef bint proves_infeasible(MlcpWork* work) noexcept nogil
"""Whether the ray in z, u = z with signs of equality rows mended, excludes solutions.

u >= 0 and A^T u <= 0 (= 0 for free columns) give u . y = (A^T u) . z + u . b < 0. Where
A^T u <= s |A^T| |u| and -u . b >= r |u| . |b|, solutions are excluded but for those with terms
r / s times larger than b, averaged over the rows of u.
"""
