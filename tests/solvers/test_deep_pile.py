"""Reactions of piles of equal discs, found from nothing: in few factorisations however many contacts there are."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, diags_array

from nsdgen.abi import Cone
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.interaction.graph_problem import solve_graph

SOLUTIONS = 150  # factorisations and Newton steps: contact by contact it would be thousands


def pile(rows: int, columns: int) -> tuple[csr_array, csr_array]:
    """H (normal and tangential row of each contact) and M^-1 of discs in each other's hollows between walls."""
    pitch = 2.04
    rise = np.sqrt(4.0 - pitch**2 / 4.0)
    discs = {(k, j): i for i, (k, j) in enumerate((k, j) for k in range(rows) for j in range(columns - k % 2))}
    contacts = [(None, i, (0.0, 1.0)) for (k, _), i in discs.items() if k == 0]
    contacts += [(None, i, (1.0, 0.0)) for (k, j), i in discs.items() if k % 2 == 0 and j == 0]
    contacts += [(None, i, (-1.0, 0.0)) for (k, j), i in discs.items() if k % 2 == 0 and j == columns - 1]
    for (k, j), i in discs.items():
        for side in (0, 1):
            below = discs.get((k - 1, j + side - 1 + k % 2)) if k else None
            if below is not None:
                contacts.append((below, i, ((0.5 - side) * pitch / 2.0, rise / 2.0)))
    entries = []
    for c, (a, b, (x, y)) in enumerate(contacts):
        for disc, sign in ((a, -1.0), (b, 1.0)):
            if disc is not None:  # u_T: the tangent is the normal turned, both discs turn against it
                n, s = (2 * c, 3 * disc), (2 * c + 1, 3 * disc)
                entries += [
                    (*n, sign * x),
                    (n[0], n[1] + 1, sign * y),
                    (*s, -sign * y),
                    (s[0], s[1] + 1, sign * x),
                    (s[0], s[1] + 2, -1.0 if a is not None else 1.0),
                ]
    i, j, value = zip(*entries, strict=True)
    return (
        csr_array(coo_array((value, (i, j)), shape=(2 * len(contacts), 3 * len(discs)))),
        csr_array(diags_array(np.tile([1.0, 1.0, 2.0], len(discs)))),
    )


@pytest.mark.parametrize("mu", [0.02, 0.3, 3.0])
@pytest.mark.parametrize("moving", [0.0, 1.0])
def test_a_deep_pile_from_nothing(judging: ModuleType, mu: float, moving: float) -> None:
    H, inverse = pile(30, 12)
    count = H.shape[0] // 2
    speed = np.tile([0.0, -1.0, 0.0], H.shape[1] // 3)
    speed = speed + moving * np.random.default_rng(5).normal(size=len(speed))
    W, q = csr_array(H @ inverse @ H.T), H @ speed
    found = solve_graph(W, q, np.tile([Cone.COULOMB_2D, FOLLOWS], count), np.tile([[mu, 0.0], [0.0, 0.0]], (count, 1)))
    assert judging.judge(W, q, judging.contacts(mu, 2, count, None), found.z).worst <= 1e-8
    assert found.iterations <= SOLUTIONS
    if moving == 0.0 and mu > 0.02:  # it lies still: the floor bears all discs
        carried = inverse @ H.T @ found.z
        np.testing.assert_allclose(carried, -speed, atol=1e-8)
