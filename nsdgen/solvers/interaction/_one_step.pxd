"""The one-step nonsmooth problem over an interaction graph: block-sparse, warm-started, without the lock.

Relations in play are the *nodes*; two of them share a block of A where they act on the same
systems. Find z with y = A z + b and every block of rows in its cone (``nsdgen.abi.Cone``):

    0 equality          y = 0, z free
    1 complementarity   0 <= y orthogonal to z >= 0
    2 box               -y in N_[lower,upper](z)
    3, 4, 5 friction    Coulomb's law with 2, 3 or 5 rows, normal first (``_friction_cone.pxd``)

Newton's method on the Alart-Curnier function of all rows, which for the cones 0 to 3 is an
active-set method, each step by ``_block_lu``; where it does not settle, proximal rounds, an interior point method
and Gauss-Seidel sweeps. The guess is the last solution, and the factors are kept while neither A nor
the set of active rows changes: at rest a step is one product with A.

Use (``_one_step_memory.pxd``): ``one_step_init``; when the graph changed ``one_step_reserve``, then fill in what is
marked *given*; ``one_step_solve``; ``one_step_free``.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef int one_step_solve(OneStep *w) noexcept nogil
"""Solve from the guess in ``z``; a ``OneStepStatus``.

On return ``z`` is the solution, or the best iterate, ``y`` its output with exact zeros
where the law asks for them, ``residual`` the certificate, recomputed from A, b and z.
Where z is not unique and there is no friction it is the one of least norm, whatever the
guess, and ``rank_deficiency`` counts the dependent rows; beside friction it counts the reactions that may change
while no contact changes its case.
"""

cdef double one_step_residual(OneStep *w) noexcept nogil
"""The certificate of the ``z`` that is there, ``y`` and ``worst_row`` brought up to date."""

cdef double one_step_attempt(OneStep *w, double reach, int limit) noexcept nogil
"""One short attempt on a new problem without islands: damped Newton steps from ``z`` with that ``reach``.

The residual of the iterate left in ``z``. What cases a contact takes on its way depends on the reach.
"""
