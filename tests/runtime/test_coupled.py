"""W of many coupled systems, of one large system, and of differential-algebraic ones, against independent truths."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sparse
import sympy as sp
from scipy.sparse.linalg import splu
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

k, c, R, C, V = sp.symbols("k c R C V", positive=True)
x, x1, x2, v1, v2 = dynamicsymbols("x x1 x2 v1 v2")
t = nsd.time


def chain(n, flow, extra=()):
    """n cells x' = -c x + sum of flows to and from their neighbours, the flows being reactions of their states."""
    cell = nsd.FirstOrderSystem("cell", [x], [-c * x])
    cells = cell.copies(n, initial={x: np.sin(1.0 + np.arange(n))})
    low, high = cells[0], cells[1]
    lam = nsd.multipliers("lam", 1)
    rate = flow(high.coordinate(x) - low.coordinate(x))
    link = nsd.FirstOrderRelation("link", lam, [lam[0]], {low: [rate], high: [-rate]}, nsd.Equality())
    links = link.copies([(i, i + 1) for i in range(n - 1)], like=(low, high))
    scheme = nsd.ThetaGamma(theta=0.5, gamma=0.5, relation_at="gamma")
    return nsd.Model(
        "chain",
        [cells],
        [links, *(make(cells) for make in extra)],
        scheme=scheme,
        step=0.05,
        end=1.0,
        parameters={k: 2.0, c: 0.1},
    )


def states(run, n):
    return np.column_stack([run[f"cell {i}.x"] for i in range(n)])


def laplacian(n):
    main = np.full(n, -2.0)
    main[[0, -1]] = -1.0
    return sparse.diags([np.ones(n - 1), main, np.ones(n - 1)], [-1, 0, 1], format="csc")


@pytest.mark.parametrize("n", [20, 300])  # a dense W, and a sparse one
def test_a_chain_of_linear_cells_is_the_midpoint_rule(n):
    """(I - h/2 A) x+ = (I + h/2 A) x with A = k Laplacian - c I, solved by SciPy."""
    A = 2.0 * laplacian(n) - 0.1 * sparse.identity(n)
    left, right = (sparse.identity(n) - 0.025 * A).tocsc(), sparse.identity(n) + 0.025 * A
    factors, expected = splu(left), [np.sin(1.0 + np.arange(n))]
    for _ in range(20):
        expected.append(factors.solve(right @ expected[-1]))
    run = chain(n, lambda d: k * d).run()
    np.testing.assert_allclose(states(run, n), expected, atol=1e-13)


def test_a_chain_of_nonlinear_cells_against_newtons_method():
    """Flows k (d + d^3) at the midpoint; SciPy's Newton iteration with its own derivatives."""
    n, h, stiffness, damping = 150, 0.05, 2.0, 0.1
    jump = sparse.diags([-np.ones(n - 1), np.ones(n - 1)], [0, 1], shape=(n - 1, n), format="csc")
    state, expected = np.sin(1.0 + np.arange(n)), []
    for _ in range(20):
        new = state.copy()
        for _ in range(30):
            middle = 0.5 * (state + new)
            d = jump @ middle
            residual = new - state + h * damping * 0.5 * (state + new) + h * stiffness * jump.T @ (d + d**3)
            slope = sparse.diags(1 + 3 * d**2)
            matrix = (1 + 0.5 * h * damping) * sparse.identity(n) + 0.5 * h * stiffness * jump.T @ slope @ jump
            move = splu(matrix.tocsc()).solve(residual)
            new = new - move
            if np.abs(move).max() < 1e-14:
                break
        state = new
        expected.append(state)
    run = chain(n, lambda d: k * (d + d**3)).run()
    np.testing.assert_allclose(states(run, n)[1:], expected, atol=1e-10)


def test_a_chain_with_contacts_is_one_complementarity_problem():
    """Three cells are kept above -1/4 by multipliers: W^-1 is full, and so is their problem."""
    n, held = 100, (5, 50, 95)
    mu = nsd.multipliers("mu", 1)

    def floor(cells):
        one = nsd.FirstOrderRelation(
            "floor", mu, [cells[0].coordinate(x) + sp.Rational(1, 4)], {cells[0]: [mu[0]]}, nsd.Complementarity()
        )
        return one.copies([(i,) for i in held], like=(cells[0],))

    run = chain(n, lambda d: k * d, extra=(floor,)).run()
    A = (2.0 * laplacian(n) - 0.1 * sparse.identity(n)).toarray()
    left, right = np.eye(n) - 0.025 * A, np.eye(n) + 0.025 * A
    inverse = np.linalg.inv(left)
    state = np.sin(1.0 + np.arange(n))
    for step in range(1, 21):
        # The output is taken at t_gamma, in the middle of the step: (x + x+)/2 + 1/4 >= 0.
        free = inverse @ (right @ state)
        M = 0.5 * 0.05 * inverse[np.ix_(held, held)]
        q = 0.5 * (state + free)[list(held)] + 0.25
        push = np.zeros(n)
        push[list(held)] = solve(M, q)
        state = free + 0.05 * inverse @ push
        np.testing.assert_allclose(states(run, n)[step], state, atol=1e-12)
    assert any(run[f"floor {j}.mu[0]"].max() > 0 for j in range(3))


def solve(M, q):
    """All active sets of a small complementarity problem."""
    for number in range(2 ** len(q)):
        active = [j for j in range(len(q)) if number >> j & 1]
        z = np.zeros(len(q))
        z[active] = np.linalg.solve(M[np.ix_(active, active)], -q[active])
        if z.min() >= 0 and (M @ z + q).min() >= -1e-14:
            return z
    raise AssertionError("no active set fits")


def bar(n, relations=(), end=0.02):
    """A free elastic bar of n nodes, lumped masses, given as one system."""
    q = dynamicsymbols(f"q:{n}")
    kinetic = sp.Add(*(f.diff() ** 2 / 2 for f in q))
    potential = sp.Add(*(k * (b - a) ** 2 / 2 for a, b in pairwise(q)))
    system = nsd.LagrangianSystem("bar", list(q), kinetic=kinetic, potential=potential)
    return nsd.Model(
        "bar",
        [system],
        relations(q) if relations else [],
        scheme=nsd.MoreauJean(theta=0.5),
        step=1e-3,
        end=end,
        parameters={k: 4e4},
        initial={f: np.cos(np.pi * (i + 0.5) / n) for i, f in enumerate(q)},
    )


def test_a_bar_swings_in_its_first_mode():
    """cos(pi (i + 1/2)/n) is an eigenvector with omega^2 = 4 k sin^2(pi/2n); the scheme turns by 2 atan(omega h/2)."""
    n, h = 60, 1e-3
    run = bar(n).run()
    shape, omega = np.cos(np.pi * (np.arange(n) + 0.5) / n), 2 * np.sqrt(4e4) * np.sin(np.pi / (2 * n))
    turn = 2 * np.arctan(omega * h / 2)
    expected = np.cos(turn * np.arange(len(run.time)))[:, np.newaxis] * shape
    found = np.column_stack([run[f"bar.q{i}"] for i in range(n)])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_bar_with_contacts_on_many_of_its_nodes_keeps_its_momentum_balance():
    """Twenty nodes meet walls: what the walls gave is the change of momentum, and no gap rate ends negative."""
    n = 40
    run = bar(
        n,
        lambda q: [nsd.Contact(f"wall {i}", q[i] + sp.Rational(6, 5), nsd.NewtonImpact(0)) for i in range(20, n)],
        end=0.1,
    ).run()
    momentum = sum(run[f"bar.q{i}_dot"] for i in range(n))
    impulses = sum(run[f"wall {i}.impulse"] for i in range(20, n))
    np.testing.assert_allclose(np.diff(momentum), impulses[1:], atol=1e-9 * (1 + np.abs(momentum).max()))


def rectifier():
    """A source V sin(t) behind a diode, feeding R: the node before the diode carries currents of relations only."""
    lam = nsd.multipliers("lam", 2)  # current of the source, of the diode
    node = nsd.FirstOrderSystem("node", [v1, v2], [0, -v2 / R], mass=[[0, 0], [0, C]])
    wires = nsd.FirstOrderRelation("source", [lam[0]], [v1 - V * sp.sin(t)], {node: [lam[0], 0]}, nsd.Equality())
    diode = nsd.FirstOrderRelation("diode", [lam[1]], [v2 - v1], {node: [-lam[1], lam[1]]}, nsd.Complementarity())
    return nsd.Model(
        "rectifier",
        [node],
        [wires, diode],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=1e-3,
        end=6.0,
        parameters={R: 10.0, C: 0.05, V: 1.0},
        initial={v1: 0.0, v2: 0.0},
    )


def test_a_node_that_only_relations_determine_is_solved_with_them():
    """W has a zero row and column; v1 = V sin t, and v2 follows it or decays by the implicit rule."""
    run = rectifier().run()
    h, rc, v = 1e-3, 10.0 * 0.05, 0.0
    for step in range(1, len(run.time)):
        source = np.sin(run.time[step])
        v = max(v / (1 + h / rc), source)  # conducting: v2 = v1, else C v2' = -v2/R
        assert run["node.v1"][step] == pytest.approx(source, abs=1e-12)
        assert run["node.v2"][step] == pytest.approx(v, abs=1e-10)
    assert 0.3 < run["node.v2"].max() <= 1.0


def test_twenty_such_nodes_go_through_the_graph():
    """More than sixteen rows: the borders are nodes of the interaction graph, the answer is the same."""
    alone = rectifier().run()
    lam, mu = nsd.multipliers("lam", 1), nsd.multipliers("mu", 1)
    node = nsd.FirstOrderSystem("node", [v1, v2], [0, -v2 / R], mass=[[0, 0], [0, C]])
    nodes = node.copies(20, initial={v1: 0.0, v2: 0.0})
    first = nodes[0]
    a, b = first.coordinate(v1), first.coordinate(v2)
    wire = nsd.FirstOrderRelation("source", lam, [a - V * sp.sin(t)], {first: [lam[0], 0]}, nsd.Equality())
    diode = nsd.FirstOrderRelation("diode", mu, [b - a], {first: [-mu[0], mu[0]]}, nsd.Complementarity())
    rows = [(i,) for i in range(20)]
    many = nsd.Model(
        "rectifiers",
        [nodes],
        [wire.copies(rows, like=(first,)), diode.copies(rows, like=(first,))],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=1e-3,
        end=6.0,
        parameters={R: 10.0, C: 0.05, V: 1.0},
    ).run()
    for i in (0, 19):
        np.testing.assert_allclose(many[f"node {i}.v2"], alone["node.v2"], atol=1e-9)


def test_what_nothing_determines_is_refused_by_name():
    """Without the source's relation the node before the diode floats whenever the diode blocks."""
    lam = nsd.multipliers("lam", 1)
    node = nsd.FirstOrderSystem("node", [v1, v2], [0, -v2 / R], mass=[[0, 0], [0, C]])
    model = nsd.Model(
        "floating",
        [node],
        [],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=1e-3,
        end=1.0,
        parameters={R: 10.0, C: 0.05},
        initial={v1: 0.0, v2: 1.0},
    )
    with pytest.raises(nsd.errors.SingularMatrix, match=r"'node\.v1'.*do not determine it") as caught:
        model.run()
    assert "system 'node'" in str(caught.value)
    idle = nsd.FirstOrderRelation("idle", lam, [v2], {node: [0, lam[0]]}, nsd.Complementarity())
    with pytest.raises(nsd.errors.SingularMatrix, match=r"'node\.v1'.*do not determine it"):
        nsd.Model(
            "floating",
            [node],
            [idle],
            scheme=nsd.ThetaGamma(theta=1.0),
            step=1e-3,
            end=1.0,
            parameters={R: 10.0, C: 0.05},
            initial={v1: 0.0, v2: 1.0},
        ).run()


def test_a_contradictory_algebraic_row_is_refused_by_name():
    """0 = 1: an algebraic equation that no unknown enters."""
    node = nsd.FirstOrderSystem("node", [x1, x2], [1, -x2], mass=[[0, 0], [0, 1]])
    with pytest.raises(nsd.errors.SingularMatrix, match=r"'node\.x1'"):
        nsd.Model(
            "contradiction", [node], scheme=nsd.ThetaGamma(theta=1.0), step=1e-3, end=1.0, initial={x1: 0.0, x2: 1.0}
        ).run()


@pytest.mark.parametrize("n", [4, 40])
def test_what_shares_a_load_moves_nothing_else(n):
    """Two contacts at one place, one with less friction than half of the load: with a sparse W what falls beside them
    fell twice as fast, for the move of all unknowns was made again with the new shares."""
    q = dynamicsymbols(f"q:{n}")
    block = nsd.LagrangianSystem(
        "block", q, kinetic=sum(p.diff() ** 2 for p in q) / 2, potential=10 * sum(q[1:]), forces=[2] + [0] * (n - 1)
    )
    held = [
        nsd.Contact(f"c{i}", gap=q[1], tangent=q[0], law=nsd.NewtonImpactFriction(0, friction))
        for i, friction in enumerate((0.5, 0.05))
    ]
    run = nsd.Model(
        "shares", [block], held, scheme=nsd.EventDriven(), step=0.1, end=1.0, initial=dict.fromkeys(q, 0)
    ).run()
    assert abs(run["block.q0"][-1]) < 1e-12 and abs(run["block.q1"][-1]) < 1e-12
    assert abs(run[f"block.q{n - 1}_dot"][-1] + 10) < 1e-12
