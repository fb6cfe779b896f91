"""The solver of a step over the graph: rows and contacts in the plane, against other solvers and the law itself."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers import solve_box
from nsdgen.solvers.interaction.graph_problem import solve_graph
from nsdgen.solvers.mixed.cone_parts import friction_residual

SEEDS = st.integers(0, 2**32 - 1)


def planar(rng: np.random.Generator, count: int, freedoms: int) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Contacts in the plane between bodies that a few freedoms move: A, b, cones, bounds."""
    H = rng.normal(size=(2 * count, freedoms)) * (rng.random((2 * count, freedoms)) < 0.4)
    A = sp.csr_array(H @ H.T)
    bound = np.zeros((2 * count, 2))
    bound[::2, 0] = rng.uniform(0.05, 1.2, size=count)
    cones = np.tile([Cone.COULOMB_2D, -1], count)
    return A, H @ rng.normal(size=freedoms), cones, bound


@given(seed=SEEDS, crowd=st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=60, deadline=None)
def test_contacts_in_the_plane(seed: int, crowd: float) -> None:
    """Also with three times as many contacts as freedoms, where reactions are not unique."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    A, b, cones, bound = planar(rng, count, max(2, int(2 * count / crowd)))
    solution = solve_graph(A, b, cones, bound)
    # The certificate is relative to the terms of a contact, this measure to the largest entries.
    assert friction_residual(A, b, bound[::2, :1], solution.z, 2).max() < 1e-7


@given(seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_rows_of_all_kinds(seed: int) -> None:
    """Bounds on both sides, on one, on none: the box solver finds the same, A is positive definite."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    G = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5)
    A, b = sp.csr_array(G @ G.T + 0.1 * np.eye(n)), rng.normal(size=n)
    lower, upper = -rng.exponential(size=n), rng.exponential(size=n)
    cones = rng.choice([Cone.EQUALITY, Cone.COMPLEMENTARITY, Cone.BOX], size=n)
    lower[rng.random(n) < 0.3], upper[rng.random(n) < 0.3] = -np.inf, np.inf
    equal, rows = cones == Cone.EQUALITY, cones == Cone.COMPLEMENTARITY
    lower[equal], upper[equal], lower[rows], upper[rows] = -np.inf, np.inf, 0.0, np.inf
    bound = np.where((cones == Cone.BOX)[:, None], np.column_stack([lower, upper]), 0.0)
    solution = solve_graph(A, b, cones, bound)
    # Both are exact to their certificates, 1e-8 of the terms of a row, times the condition of A.
    np.testing.assert_allclose(solution.z, solve_box(A, b, lower, upper).z, atol=1e-6)


def test_jammed_contacts() -> None:
    """Contacts jam a body between them, with much friction: Newton's method alone often circles."""
    arrived = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        A, b, cones, bound = planar(rng, 12, 8)
        bound[::2, 0] = 2.0
        solution = solve_graph(A, b, cones, bound)
        arrived += friction_residual(A, b, bound[::2, :1], solution.z, 2).max() < 1e-7
    assert arrived == 200


def test_what_has_no_solution() -> None:
    """A contact that is pressed and cannot move."""
    with pytest.raises(SolverError):
        solve_graph(np.zeros((2, 2)), [-1.0, 0.0], [Cone.COULOMB_2D, -1], [[0.5, 0.0], [0, 0]])
