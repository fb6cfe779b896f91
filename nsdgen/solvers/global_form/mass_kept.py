"""Newton's method for frictional contacts in global variables (v, r): that of a step, with the rows M v = H r + f.

W = H^T M^-1 H is never formed, which is full where M is a chain or of finite elements, and M need not be regular, nor
symmetric: sparse LU with exchanges (``_augmented_rows.pxd``) needs no shift, which would drown the mobility of heavy
bodies, and leaves alone what other reactions determine. Everything is in the natural units of ``GlobalProblem``.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array, coo_array, csr_array

from nsdgen.abi import Cone
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.global_form.global_problem import GlobalProblem
from nsdgen.solvers.interaction.cone_rows import cones_of
from nsdgen.solvers.interaction.graph_problem import newton_steps

__all__ = ["State", "newton"]

State = tuple[Vector, Vector]  # v (n), r (contacts, dim)

SOFT = 1e-8  # of the stiffest direction of a contact: one without a scale of its own
CONES = {2: Cone.COULOMB_2D, 3: Cone.COULOMB_3D, 5: Cone.ROLLING}


def newton(problem: GlobalProblem, start: State, tolerance: float) -> tuple[State, int]:
    """The best iterate and the steps: full ones with each reach from ``start``, then damped ones from the best."""
    n, (count, dim) = len(problem.f), problem.b.shape
    H = csr_array(problem.H)
    A = coo_array(block_array([[csr_array(problem.M), -H], [H.T, None]]))
    (i, j), nothing = A.coords, np.zeros(A.nnz)  # the pattern of a graph is symmetric
    A = coo_array((np.append(A.data, nothing), (np.append(i, j), np.append(j, i))), shape=A.shape)
    cones = np.array([Cone.EQUALITY] * n + cones_of([(CONES[dim], dim)] * count), dtype=np.intc)
    bound = np.zeros((n + count * dim, 2))
    bound[n::dim, : problem.mu.shape[1]] = problem.mu
    largest = problem.stiffness.max(axis=1, initial=0.0, keepdims=True)
    scale = np.where(largest > 0.0, largest, 1.0)
    own = np.where(problem.stiffness > SOFT * scale, problem.stiffness, scale)
    z, steps = newton_steps(
        csr_array(A), np.concatenate([-problem.f, problem.b.ravel()]), cones, bound,
        np.concatenate([start[0], start[1].ravel()]), tolerance, np.arange(n + count * dim) < n,
        np.concatenate([problem.M.diagonal(), own.ravel()]),
    )  # fmt: skip
    return (z[:n], z[n:].reshape(count, dim)), steps
