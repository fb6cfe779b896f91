"""A step of a jam: the work of a hard one-step problem stays bounded, whatever the guess is worth.

``jam.npz`` is a step of ``examples/disc_pile.py`` with 500 discs (865 contacts, mu = 0.3, at 0.31 s), where discs still
fall on those that jam: lower blocks of A, b, and z of the step before as the guess.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.sparse import csr_array

from nsdgen.abi import Cone
from nsdgen.solvers.api.condensed_friction import solve_friction
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.interaction.graph_problem import solve_graph

DIRECTIONS = 60  # 27 when written, 490 where contacts were found one after the other along paths


def bounds(mu: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Cones and bounds of as many contacts."""
    return np.tile([Cone.COULOMB_2D, FOLLOWS], count), np.tile([[mu, 0.0], [0.0, 0.0]], (count, 1))


def jam(name: str = "jam") -> tuple[csr_array, np.ndarray, np.ndarray, float]:
    """A, b, the guess and mu."""
    with np.load(Path(__file__).with_name(f"{name}.npz")) as data:
        rows = 2 * data["node"].astype(int)[:, None, None] + np.arange(2)[:, None]
        columns = 2 * data["column"].astype(int)[:, None, None] + np.arange(2)
        i, j = np.broadcast_arrays(rows, columns)
        block, b, z, mu = data["block"], data["b"], data["z"], float(data["mu"])
    below = (i // 2 > j // 2).ravel()
    n = len(b)
    A = csr_array((block.ravel(), (i.ravel(), j.ravel())), shape=(n, n))
    A += csr_array((block.ravel()[below], (j.ravel()[below], i.ravel()[below])), shape=(n, n))
    return A, b, z, mu


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
def test_a_jam_is_solved_in_a_bounded_number_of_directions(share: float, judging: ModuleType) -> None:
    """From the last step's reactions, from half of them, and from nothing."""
    A, b, z, mu = jam()
    count = len(b) // 2
    found = solve_graph(A, b, *bounds(mu, count), initial=share * z)
    assert judging.judge(A, b, judging.contacts(mu, 2, count, None), found.z).worst <= 1e-8
    assert found.iterations <= DIRECTIONS


@pytest.mark.parametrize("mu", [0.05, 0.6])
def test_other_friction_in_the_same_jam(mu: float, judging: ModuleType) -> None:
    """Little and much friction: the reactions of another mu are a bad guess."""
    A, b, z, _ = jam()
    count = len(b) // 2
    found = solve_graph(A, b, *bounds(mu, count), initial=z)
    assert judging.judge(A, b, judging.contacts(mu, 2, count, None), found.z).worst <= 1e-8


@pytest.mark.parametrize("name", ["creeping_jam", "turning_jam"])
def test_a_jam_in_which_reactions_creep(name: str, judging: ModuleType) -> None:
    """Reactions grow along self-stresses until contacts slide. In the second one, of 300 discs, Newton's method circles
    in every round that brings something; without paths from case to case it was refused."""
    A, b, z, mu = jam(name)
    found = solve_friction(A, b, mu, 2, initial=z)
    assert judging.judge(A, b, judging.contacts(mu, 2, len(b) // 2, None), found.z).worst <= 1e-8


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_a_brick_that_comes_to_rest(share: float, judging: ModuleType) -> None:
    """Four corners, twelve rows for six velocities: step 400 of ``brick`` in study/test_animation.py. From nothing none
    but rounds behind sweeps solve it."""
    with np.load(Path(__file__).with_name("resting_brick.npz")) as data:
        A, b, z = data["A"], data["b"], data["z"]
    cones, bound = (
        np.tile([Cone.COULOMB_3D, FOLLOWS, FOLLOWS], 4),
        np.tile([[0.4, 0.0], [0.0, 0.0], [0.0, 0.0]], (4, 1)),
    )
    found = solve_graph(A, b, cones, bound, initial=share * z)
    # Corners slide by 2e-10 at least, of loads of 1e-2: rounding leaves these directions to 1e-8.
    assert judging.judge(csr_array(A), b, judging.contacts(0.4, 3, 4, None), found.z).worst <= 1e-7
