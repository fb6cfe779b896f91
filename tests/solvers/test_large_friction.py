"""Large and infinite friction coefficients: nothing penetrates, whatever mu is; judged law by law."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers import solve_friction, solve_global_friction, solve_mixed
from nsdgen.solvers.interaction.graph_problem import solve_graph

COEFFICIENTS = [1e3, 1e8, 1e10, 1e15, np.inf]
PROBLEMS = 12
REFUSED = 2  # of them, in each form: heaps where hardly anything may slide have solutions that are hard to find
EXACT = 1e-6


def problems(mu: float) -> Any:
    """Contacts, directions G (reactions, freedoms) and velocities of bodies that hold or lack freedoms."""
    for seed in range(PROBLEMS):
        rng = np.random.default_rng([seed, 11])
        dim, count = int(rng.choice([2, 3, 5])), int(rng.integers(1, 6))
        freedoms = int(rng.choice([dim * count + 2, max(2, dim * count - 1), max(2, count * dim // 2 + 1)]))
        G, v = rng.normal(size=(count * dim, freedoms)), rng.normal(size=freedoms)
        rolling = min(mu, 10.0 ** rng.uniform(-1, 1)) if dim == 5 else None
        yield dim, count, G, v, rolling


def tally(found: list[float | None], refused: int) -> None:
    """None wrong, few refused (None)."""
    assert max(x for x in found if x is not None) <= EXACT
    assert sum(x is None for x in found) <= refused


def tried(judge: Any, solve: Any, *arguments: Any, **options: Any) -> float | None:
    """The verdict on the answer, None where there is none."""
    try:
        return float(judge(solve(*arguments, **options)).worst)
    except SolverError:
        return None


def of_condensed(judging: ModuleType, W: Any, q: Any, blocks: Any, solution: Any) -> Any:
    return judging.judge(W, q, blocks, solution.z)


def of_global(judging: ModuleType, M: Any, f: Any, H: Any, b: Any, blocks: Any, solution: Any) -> Any:
    return judging.judge_global(M, f, H, b, blocks, solution.v, solution.z)


def test_a_contact_that_closes_gets_its_reaction() -> None:
    """An accepted r = 0 with u_N = -1 was off by 1 / mu for De Saxcé's natural map."""
    for mu in COEFFICIENTS:
        solution = solve_friction(np.eye(3) + 0.1, [-1, 0.5, 0], mu)
        assert solution.w == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
        assert solution.z == pytest.approx(np.linalg.solve(np.eye(3) + 0.1, [1, -0.5, 0]))


@pytest.mark.parametrize("mu", COEFFICIENTS)
def test_condensed_problems(judging: ModuleType, mu: float) -> None:
    found = []
    for dim, count, G, v, rolling in problems(mu):
        W, q, blocks = G @ G.T, G @ v, judging.contacts(mu, dim, count, rolling)
        judge = partial(of_condensed, judging, W, q, blocks)
        found.append(tried(judge, solve_friction, W, q, mu, dim, mu_rolling=rolling))
    tally(found, REFUSED)


@pytest.mark.parametrize("mu", COEFFICIENTS)
def test_global_problems(judging: ModuleType, mu: float) -> None:
    found = []
    for dim, count, G, v, rolling in problems(mu):
        M, b, blocks = np.eye(len(v)), np.zeros(dim * count), judging.contacts(mu, dim, count, rolling)
        judge = partial(of_global, judging, M, v, G.T, b, blocks)
        found.append(tried(judge, solve_global_friction, M, v, G.T.copy(), b, mu, dim, mu_rolling=rolling))
    tally(found, REFUSED)


@pytest.mark.parametrize("mu", COEFFICIENTS)
def test_mixed_problems(judging: ModuleType, mu: float) -> None:
    found = []
    for dim, count, G, v, rolling in problems(mu):
        rng = np.random.default_rng([count, 3])
        G = np.vstack([G, rng.normal(size=(2, len(v)))])
        A, b = G @ G.T, G @ v
        rows = np.arange(dim * count, dim * count + 2)
        others = [("equality", None), ("complementarity", None), ("box", (-0.3, 0.2)), ("box", (-np.inf, 0.2))]
        cone, data = others[count % 4]
        blocks = [*judging.contacts(mu, dim, count, rolling), (cone, rows, data)]
        found.append(tried(partial(of_condensed, judging, A, b, blocks), solve_mixed, A, b, blocks))
    tally(found, REFUSED)


@pytest.mark.parametrize("mu", COEFFICIENTS)
def test_steps_of_a_run(judging: ModuleType, mu: float) -> None:
    found = []
    for dim, count, G, v, rolling in problems(mu):
        W, q, blocks = G @ G.T, G @ v, judging.contacts(mu, dim, count, rolling)
        cone = np.tile([{2: Cone.COULOMB_2D, 3: Cone.COULOMB_3D, 5: Cone.ROLLING}[dim]] + [-1] * (dim - 1), count)
        bound = np.zeros((len(q), 2))
        bound[::dim] = mu, rolling or 0.0
        found.append(tried(partial(of_condensed, judging, W, q, blocks), solve_graph, csr_array(W), q, cone, bound))
    tally(found, 4)  # a run goes on to the public solvers


@pytest.mark.parametrize("solve", ["graph", "friction"])
def test_a_fast_body_does_not_sink(solve: str) -> None:
    """What a contact penetrates is measured by its normal rows, in a step: u_T = 1000 is no excuse for u_N = -1e-5."""
    q = np.array([-1e-5, 1000.0, 0.0])
    for mu in (0.3, 1e3, 1e5, 1e8, 1e12, 1e100):
        if solve == "graph":
            solution = solve_graph(csr_array(np.eye(3)), q, [Cone.COULOMB_3D, -1, -1], [[mu, 0], [0, 0], [0, 0]])
        else:
            solution = solve_friction(np.eye(3), q, mu)
        friction = min(1e-5 * mu, 1000.0)
        assert solution.z == pytest.approx([1e-5, -friction, 0.0], rel=1e-9)


def test_without_slip_a_contact_sticks_or_opens() -> None:
    """Friction that stops the motion would pull the contact open: only a finite coefficient has a solution."""
    W, q = np.array([[1.0, 0.5], [0.5, 1.0]]), [-0.1, -1.0]
    assert solve_friction(W, q, 1e12, 2).w == pytest.approx([0.0, -0.8])
    with pytest.raises(SolverError, match="infinite coefficient a contact sticks or is open") as caught:
        solve_friction(W, q, np.inf, 2)
    assert caught.value.reason == "not converged"


def test_what_the_judge_asks(judging: ModuleType) -> None:
    """Each law by itself: a solution passes, and what breaks one law alone is named by it."""
    W, contact = np.eye(3), judging.contacts(0.5, 3, 1)
    q = np.array([-1.0, 2.0, 0.0])
    law = {
        (1.0, -0.5, 0.0): "",
        (0.0, 0.0, 0.0): "penetration",
        (2.0, -1.0, 0.0): "acting at a distance",
        (1.0, -0.9, 0.0): "outside of its cone",
        (1.0, 0.0, -0.5): "friction against the motion",
        (1.0, 0.0, 0.0): "friction against the motion",
    }
    for r, name in law.items():
        verdict = judging.judge(W, q, contact, r)
        assert (verdict.law if verdict.worst > 1e-12 else "") == name
    assert judging.judge(W, -q, contact, (-1.0, 0.0, 0.0)).law == "pulling"
    rows = [("complementarity", 0, None), ("box", 1, (-1.0, 1.0)), ("equality", 2, None)]
    assert judging.judge(W, [-1.0, 3.0, 1.0], rows, [1.0, -1.0, -1.0]).worst == 0.0
    assert judging.judge(W, [-1.0, 3.0, 1.0], rows, [0.0, -1.0, -1.0]).law == "wrong sign"
    assert judging.judge(W, [-1.0, 3.0, 1.0], rows, [1.0, -2.0, -1.0]).law == "bounds"
    assert judging.judge(W, [-1.0, 3.0, 1.0], rows, [1.0, 0.0, -1.0]).law == "pushing away from its bound"
    assert judging.judge(W, [-1.0, 3.0, 1.0], rows, [1.0, -1.0, 0.0]).law == "equality"
    # Whatever the load is, a z of this size solves the rows to rounding.
    pair = [("complementarity", slice(None), None)]
    assert judging.judge([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0], pair, [1e20, 1e20]).law == "visible load"


@pytest.mark.parametrize("dim", [2, 3])
def test_contacts_that_stick_or_are_open(judging: ModuleType, dim: int) -> None:
    """Infinite coefficients among finite ones, with a solution that was made first; masses couple all of them."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 7))
        G = rng.normal(size=(dim * count, dim * count + 1))
        mu = np.where(rng.random(count) < 0.6, np.inf, rng.uniform(0.0, 1.0, count))
        r, u = rng.normal(size=(2, count, dim))
        closed = rng.random(count) < 0.6
        r[:, 0], u[:, 0] = np.abs(r[:, 0]), np.abs(u[:, 0])
        r[~closed], u[closed] = 0.0, 0.0
        finite = closed & np.isfinite(mu)
        limit = mu[finite] * r[finite, 0]
        r[finite, 1:] *= 0.5 * limit[:, None] / np.abs(r[finite, 1:]).sum(axis=1)[:, None]
        W = G @ G.T
        q = u.ravel() - W @ r.ravel()
        found = solve_friction(W, q, mu, dim)
        assert judging.judge(W, q, judging.contacts(mu, dim, count), found.z).worst <= 1e-7


def test_a_contact_found_by_its_cases(attack: ModuleType) -> None:
    """Once refused: three contacts, one of infinite friction, 1e-9 and 1e12 the others."""
    assert attack.tried("infinite mu", 0, 68, False).off <= attack.WRONG
