"""Relations all along a large group of systems, against the implicit step written out and solved by SciPy.

What couples the cells, d^3 + lambda, depends on both states and on the relation's own multiplier: A is full, the
augmented system of states and multipliers is sparse. The truth is Newton's method on that system, with the natural map
of each law.
"""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sparse
import sympy as sp
from scipy.sparse.linalg import splu
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

COMPILED = False

H, DAMPING, YIELDING = 0.05, 0.1, 1.0
c, k = sp.symbols("c k", positive=True)
x, v1, v2 = dynamicsymbols("x v1 v2")

LAWS = {
    "equality": (nsd.Equality(), lambda y, z: y),
    "complementarity": (nsd.Complementarity(), np.minimum),
    "box": (nsd.Box(-0.2, 0.3), lambda y, z: z - np.clip(z - y, -0.2, 0.3)),
}


def chain(n):
    return list(pairwise(range(n)))


def ring(n):
    return [*pairwise(range(n)), (n - 1, 0)]


def tree(n):
    return [((i - 1) // 2, i) for i in range(1, n)]


def grid(n):
    side = round(n**0.5)
    across = [(side * i + j, side * i + j + 1) for i in range(side) for j in range(side - 1)]
    return across + [(side * i + j, side * i + j + side) for i in range(side - 1) for j in range(side)]


def cells_with(n, edges, law, *, yielding=YIELDING, scheme=None, end=0.5, extra=()):
    """n cells x' = -c x with a flow d^3 + lambda from one end of each edge to the other, y = d + k lambda."""
    cells = nsd.FirstOrderSystem("cell", [x], [-c * x]).copies(n, initial={x: start_of(n)})
    low, high = cells[0], cells[1]
    lam = nsd.multipliers("lam", 1)
    d = low.coordinate(x) - high.coordinate(x)
    link = nsd.FirstOrderRelation(
        "link", lam, [d + yielding * lam[0]], {low: [-(d**3) - lam[0]], high: [d**3 + lam[0]]}, law
    )
    return nsd.Model(
        "cells",
        [cells],
        [link.copies(edges, like=(low, high)), *(make(cells) for make in extra)],
        scheme=scheme or nsd.ThetaGamma(theta=0.5, gamma=0.5, relation_at="gamma"),
        step=H,
        end=end,
        parameters={c: DAMPING},
    )


def start_of(n):
    return np.sin(1.0 + np.arange(n))


def states(run, n):
    return np.column_stack([run[f"cell {i}.x"] for i in range(n)])


def newton(state, jump, natural, yielding=YIELDING):
    """One step by a semismooth Newton method with SciPy's factors: x+ and lambda, all rows to rounding."""
    n, m = len(state), jump.shape[0]
    new, lam = state.copy(), np.zeros(m)
    for _ in range(100):
        middle = 0.5 * (state + new)
        d = jump @ middle
        y = d + yielding * lam
        residual = new - state + H * DAMPING * middle + H * jump.T @ (d**3 + lam)
        value = natural(y, lam)
        by_y = 0.5 * (natural(y + 1e-7, lam) - natural(y - 1e-7, lam)) / 1e-7
        by_lam = 0.5 * (natural(y, lam + 1e-7) - natural(y, lam - 1e-7)) / 1e-7
        by_y, by_lam = np.round(by_y, 4), np.round(by_lam, 4)
        if max(np.abs(residual).max(), np.abs(value).max()) < 1e-14:
            break
        matrix = sparse.bmat(
            [
                [
                    (1 + 0.5 * H * DAMPING) * sparse.identity(n) + 0.5 * H * jump.T @ sparse.diags(3 * d**2) @ jump,
                    H * jump.T,
                ],
                [0.5 * sparse.diags(by_y) @ jump, sparse.diags(by_lam + yielding * by_y)],
            ]
        )
        move = splu(matrix.tocsc()).solve(np.concatenate([residual, value]))
        new, lam = new - move[:n], lam - move[n:]
    return new, lam


def jumps(n, edges):
    """The differences d = x_a - x_b over the edges."""
    m = len(edges)
    ends = np.array(edges)
    return sparse.csr_matrix(
        (
            np.concatenate([np.ones(m), -np.ones(m)]),
            (np.tile(np.arange(m), 2), np.concatenate([ends[:, 0], ends[:, 1]])),
        ),
        shape=(m, n),
    )


@pytest.mark.parametrize("law", sorted(LAWS))
@pytest.mark.parametrize(("topology", "n"), [(chain, 60), (chain, 300), (ring, 90), (tree, 127), (grid, 64)])
@pytest.mark.few(4)
def test_flows_with_multipliers_between_many_cells(law, topology, n):
    edges = topology(n)
    run = cells_with(n, edges, LAWS[law][0]).run()
    jump, state = jumps(n, edges), start_of(n)
    found = states(run, n)
    multipliers = np.column_stack([run[f"link {i}.lam[0]"] for i in range(len(edges))])
    for step in range(1, len(run.time)):
        state, lam = newton(state, jump, LAWS[law][1])
        np.testing.assert_allclose(found[step], state, atol=1e-10)
        np.testing.assert_allclose(multipliers[step], lam, atol=1e-9)


def test_multipliers_that_give_way_by_nothing():
    """y = d: all cells are tied, and share one value, which is the mean of theirs that the damping shrinks."""
    n = 80
    run = cells_with(n, chain(n), nsd.Equality(), yielding=0, scheme=nsd.ThetaGamma(theta=1.0), end=0.25).run()
    expected = start_of(n).mean() / (1 + H * DAMPING) ** np.arange(1, len(run.time))
    np.testing.assert_allclose(states(run, n)[1:], expected[:, np.newaxis] * np.ones(n), atol=1e-11)


def test_dependent_rows_share_what_they_carry():
    """Each edge twice: the flows add up as those of one relation, in equal shares; the run says how many are open."""
    n = 60
    edges = chain(n)
    twice = cells_with(n, edges + edges, nsd.Equality(), yielding=0, scheme=nsd.ThetaGamma(theta=1.0), end=0.15).run()
    expected = start_of(n).mean() / (1 + H * DAMPING) ** np.arange(1, len(twice.time))
    np.testing.assert_allclose(states(twice, n)[1:], expected[:, np.newaxis] * np.ones(n), atol=1e-9)
    for i in (0, 30, n - 2):
        np.testing.assert_allclose(twice[f"link {i}.lam[0]"], twice[f"link {i + n - 1}.lam[0]"], rtol=1e-6, atol=1e-9)
    assert twice["rank_deficiency"].max() == n - 1


def test_rows_that_contradict_each_other_are_named():
    """Two ties of the same cells, one of which asks for a difference."""

    def other(cells):
        lam = nsd.multipliers("mu", 1)
        d = cells[4].coordinate(x) - cells[5].coordinate(x)
        return nsd.FirstOrderRelation("wedge", lam, [d - 1], {cells[4]: [-lam[0]], cells[5]: [lam[0]]}, nsd.Equality())

    model = cells_with(60, chain(60), nsd.Equality(), yielding=0, scheme=nsd.ThetaGamma(theta=1.0), extra=(other,))
    with pytest.raises(nsd.errors.SolverError, match=r"wedge|link"):
        model.run()


def test_an_unknown_that_nothing_determines_is_named():
    """A node that no equation holds, beside a chain that stands in the problem whole."""
    n = 60
    cells = nsd.FirstOrderSystem("cell", [x, v1], [-c * x, 0], mass=[[1, 0], [0, 0]]).copies(
        n, initial={x: start_of(n), v1: 0.0}
    )
    low, high = cells[0], cells[1]
    lam = nsd.multipliers("lam", 1)
    d = low.coordinate(x) - high.coordinate(x)
    link = nsd.FirstOrderRelation(
        "link", lam, [d + lam[0]], {low: [-(d**3) - lam[0], 0], high: [d**3 + lam[0], 0]}, nsd.Equality()
    )
    model = nsd.Model(
        "floating",
        [cells],
        [link.copies(chain(n), like=(low, high))],
        scheme=nsd.ThetaGamma(theta=1.0, gamma=1.0),
        step=H,
        end=0.1,
        parameters={c: DAMPING},
    )
    with pytest.raises(nsd.errors.SingularMatrix, match=r"'cell \d+\.v1'"):
        model.run()


def bar(n, law):
    """A free bar of n nodes between a floor and what it is thrown at, every node with a contact: one large system."""
    q = dynamicsymbols(f"q:{n}")
    kinetic = sp.Add(*(f.diff() ** 2 / 2 for f in q))
    potential = sp.Add(*(k * (b - a) ** 2 / 2 for a, b in pairwise(q)))
    system = nsd.LagrangianSystem("bar", list(q), kinetic=kinetic, potential=potential, forces=[-10] * n)
    contacts = [nsd.Contact(f"floor {i}", q[i], law) for i in range(n)]
    return nsd.Model(
        "bar",
        [system],
        contacts,
        scheme=nsd.MoreauJean(theta=0.5),
        step=2e-3,
        end=0.3,
        parameters={k: 4e4},
        initial={f: 0.05 + 0.02 * np.sin(0.3 * i) for i, f in enumerate(q)},
    )


@pytest.mark.parametrize("n", [20, pytest.param(50, marks=pytest.mark.slow)])
def test_a_bar_with_a_contact_on_every_node_is_one_complementarity_problem(n):
    """M (v+ - v) + h (K q_theta - f) = p, 0 <= v+ + e v where a gap is closed, p >= 0, p (v+ + e v) = 0: row by row."""
    h, e = 2e-3, 0.0
    run = bar(n, nsd.NewtonImpact(e)).run()
    q = np.column_stack([run[f"bar.q{i}"] for i in range(n)])
    v = np.column_stack([run[f"bar.q{i}_dot"] for i in range(n)])
    p = np.column_stack([run[f"floor {i}.impulse"] for i in range(n)])
    jump = np.diff(np.eye(n), axis=0)
    K = 4e4 * jump.T @ jump
    for step in range(1, len(run.time)):
        middle = q[step - 1] + 0.5 * h * 0.5 * (v[step - 1] + v[step])
        residual = v[step] - v[step - 1] + h * (K @ middle + 10) - p[step]
        assert np.abs(residual).max() < 1e-9
        closed = p[step] != 0
        assert np.abs(v[step][closed] + e * v[step - 1][closed]).max(initial=0.0) < 1e-9
        assert p[step].min() >= 0
    assert (p != 0).sum(axis=1).max() == n  # all nodes rest at once


@pytest.mark.parametrize("n", [24, pytest.param(40, marks=pytest.mark.slow)])
def test_a_net_that_slides_and_sticks_on_all_its_nodes(n):
    """Coulomb's law, contact by contact, and the momentum balance of one large system thrown onto a floor."""
    h, mu = 2e-3, 0.4
    q, w = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"w:{n}")
    kinetic = sp.Add(*(f.diff() ** 2 / 2 for f in (*q, *w)))
    potential = sp.Add(*(k * (b - a) ** 2 / 2 for row in (q, w) for a, b in pairwise(row)))
    system = nsd.LagrangianSystem("net", [*q, *w], kinetic=kinetic, potential=potential, forces=[0] * n + [-10] * n)
    contacts = [nsd.Contact(f"floor {i}", w[i], nsd.NewtonImpactFriction(0, mu), tangent=q[i].diff()) for i in range(n)]
    run = nsd.Model(
        "net",
        [system],
        contacts,
        scheme=nsd.MoreauJean(theta=0.5),
        step=h,
        end=0.1,
        parameters={k: 400.0},
        initial={
            **{f: np.sin(0.2 * i) for i, f in enumerate(q)},
            **dict.fromkeys(w, 0.01),
            **{f.diff(): 0.3 for f in q},
        },
    ).run()
    x0 = np.column_stack([run[f"net.q{i}"] for i in range(n)])
    y0 = np.column_stack([run[f"net.w{i}"] for i in range(n)])
    vx = np.column_stack([run[f"net.q{i}_dot"] for i in range(n)])
    vy = np.column_stack([run[f"net.w{i}_dot"] for i in range(n)])
    p = np.array([[run[f"floor {i}.impulse[{j}]"] for i in range(n)] for j in range(2)]).transpose(0, 2, 1)
    jump = np.diff(np.eye(n), axis=0)
    K = 400.0 * jump.T @ jump
    for s in range(1, len(run.time)):
        along = vx[s] - vx[s - 1] + h * K @ (x0[s - 1] + 0.25 * h * (vx[s - 1] + vx[s])) - p[1][s]
        down = vy[s] - vy[s - 1] + h * (K @ (y0[s - 1] + 0.25 * h * (vy[s - 1] + vy[s])) + 10) - p[0][s]
        assert max(np.abs(along).max(), np.abs(down).max()) < 1e-10
        closed = p[0][s] > 0
        assert np.abs(vy[s][closed]).max(initial=0.0) < 1e-10
        slides = closed & (np.abs(vx[s]) > 1e-9)
        np.testing.assert_allclose(p[1][s][slides], -mu * p[0][s][slides] * np.sign(vx[s][slides]), atol=1e-10)
        assert (np.abs(p[1][s]) <= mu * p[0][s] * (1 + 1e-12)).all()
    assert (p[0] > 0).sum(axis=1).max() == n and slides.any() and (closed & ~slides).any()
