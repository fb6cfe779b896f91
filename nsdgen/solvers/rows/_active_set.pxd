"""One active set of a mixed complementarity problem: solve, correct, judge, certify.

All functions work on the problem bound to a ``MlcpWork``: the active set J is
``work.active`` (equality rows always in it), the result is in ``work.z`` and ``work.y``.
"""

from nsdgen.solvers.rows._mlcp_work cimport MlcpInfo, MlcpWork

cdef enum Outcome:
    FOUND = 0
    SINGULAR = 1  # A_JJ is singular
    STALLED = 2  # corrections go round in circles

cdef enum:
    SWEEPS = 20  # corrections of one active set, while they make progress

cdef void gather(MlcpWork* work, const double* a) noexcept nogil
"""Lay out the active rows J: ``index``, ``count``, a_JJ in ``factor``, -b_J in ``right``."""

cdef int sweep(MlcpWork* work, const double* a, int limit) noexcept nogil
"""Solve a_JJ z_J = -b_J and correct J by the signs of z and y, at most ``limit`` times.

``a`` (n x n) is the matrix of the problem or a shifted one. Signs are judged to within
``work.sign_tolerance``. Returns an ``Outcome``.
"""

cdef bint adopt(MlcpWork* work) noexcept nogil
"""Solve on J, with least norm where A_JJ is singular; whether all signs are right.

``work.count - work.rank`` is then the rank deficiency of A_JJ.
"""

cdef double certify(MlcpWork* work, MlcpInfo* info) noexcept nogil
"""Residual of z from A, b and z alone, see ``_mlcp.pxd``; sets y, residual, worst_row."""

cdef bint finite(MlcpWork* work) noexcept nogil
"""Whether A and b hold numbers only."""

cdef void keep(MlcpWork* work) noexcept nogil
"""Remember z, in case nothing better is found."""
