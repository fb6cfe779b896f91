"""Long chains as loops over links: the same M, F and derivatives as operation by operation, and the same motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.core.symbol import Str

import nsdgen as nsd
from nsdgen.model.pipeline import emit_model
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.graph.computed import stated
from nsdgen.symbolic.graph.derivative import jacobian
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, leaf, mul
from nsdgen.symbolic.graph.sympy_graph import in_operations
from nsdgen.symbolic.graph.term_sizes import magnitudes
from nsdgen.symbolic.mechanisms import link_loops
from nsdgen.symbolic.mechanisms.node_vectors import IDENTITY, minus
from nsdgen.symbolic.mechanisms.recursion import NO_INERTIA, Frame, RateColumn, forces, mass_matrix, motions
from nsdgen.symbolic.mechanisms.slopes import ConstantForce
from tests.mechanisms.test_slopes import g, mass, mechanism

INERTIA = sp.diag(0.334, 0.334, 0.01)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops from two links on, whatever their kinds."""
    monkeypatch.setattr(link_loops, "_LEAST", 2)
    monkeypatch.setattr(link_loops, "_MEMBERS", 0)


def chain(links: int, scheme: nsd.schemes.scheme.Scheme) -> nsd.Model:
    """Links on hinges whose axes are in turn along y and x, turned and turning."""
    hinges: list[nsd.Revolute] = []
    bodies = [nsd.RigidBody(f"link {i}", 1, INERTIA).apply_force([0, 0, -9.81]) for i in range(links)]
    for i, body in enumerate(bodies):
        axis = [1, 0, 0] if i % 2 else [0, 1, 0]
        above = nsd.Marker(bodies[i - 1], [0, 0, -0.5], axis=axis) if i else nsd.Marker(axis=axis)
        hinges.append(nsd.Revolute(f"hinge {i}", nsd.Marker(body, [0, 0, 0.5], axis=axis), above))
    start = {h.angle: 0.4 - 0.2 * i for i, h in enumerate(hinges)} | {h.rate: 1 + 0.3 * i for i, h in enumerate(hinges)}
    tree = nsd.Mechanism("tree", hinges)
    return nsd.Model(
        "chain", [tree], [hinges[1].spring(2, damping=0.1)], scheme=scheme, step=1e-3, end=0.1, initial=start
    )


def motion(model: nsd.Model) -> np.ndarray:
    """All angles and rates at all times."""
    found = model.compile(interpret=True).run()
    return np.array([found[c.name] for c in found.columns if c.name.startswith("tree.hinge")])


def values(nodes: Sequence[Node], at: Mapping[sp.Symbol, float]) -> list[mpmath.mpf]:
    """What they are, operation by operation in the digits at work."""
    known: dict[Node, mpmath.mpf] = {}
    roots = in_operations(nodes)
    for node in below(roots, lambda n: n.args):
        parts = [known.get(a) for a in node.args]
        if node.leaf is not None:
            number = at.get(node.leaf, node.leaf)
            known[node] = (
                number if isinstance(number, Str) else mpmath.mpf(sp.sympify(number)._to_mpmath(mpmath.mp.prec))
            )
        elif node.func in (sp.Add, sp.Mul):
            known[node] = mpmath.fsum(parts) if node.func is sp.Add else mpmath.fprod(parts)
        elif node.func is sp.Pow:
            known[node] = parts[0] ** parts[1]
        else:
            known[node] = (
                parts[1]
                if node.func is Let
                else getattr(mpmath, {"Abs": "fabs"}.get(node.func.__name__, node.func.__name__))(*parts)
            )
    return [known[root] for root in roots]


def assert_same(found: Sequence[Node], wanted: Sequence[Node], at: Mapping[sp.Symbol, float]) -> None:
    """Equal up to what the axes of markers, which are doubles, are off from right angles."""
    with mpmath.workdps(40):
        pairs = list(zip(values(found, at), values(wanted, at), strict=True))
        assert max(abs(a - b) for a, b in pairs) <= mpmath.mpf("1e-15") * max(abs(b) for _, b in pairs)


def test_a_tree_of_all_joints(short: None) -> None:
    """M, M a - F and their derivatives; slides, screws, links without inertia and parameters among them."""
    own = mechanism(0.0)
    known = Scope.of([g, mass], model="m")
    tree = own._tree(known)
    moving = [column.rate.leaf for frame in tree.links.frames for column in frame.columns]
    q = [s for s in own.functions.values() if s not in set(moving)]
    a = [sp.Symbol(f"a_{i}", real=True) for i in range(len(q))]
    frames = [
        replace(frame, columns=(replace(frame.columns[0], acceleration=leaf(s)),))
        for frame, s in zip(tree.links.frames, a, strict=True)
    ]
    acting = own._acting(tree, {**known.parameters, **tree.functions, **own.functions})
    places = [tree.links.links[b.name] for b in own.bodies]
    pulls = [stated(list(b.applied[0].xreplace(known.parameters))) for b in own.bodies]
    loads = [ConstantForce(p.frame, f, stated(list(p.centre))) for p, f in zip(places, pulls, strict=True)]
    loops = link_loops.link_loops(frames, q, loads)
    assert loops is not None
    symbols = [*q, *moving, *a, *known.parameters.values()]
    draw = np.random.default_rng(5)
    at = dict(zip(symbols, map(float, draw.uniform(0.5, 2, len(symbols))), strict=True))
    Q, V, A = ([leaf(s) for s in group] for group in (q, moving, a))
    inertia, plain = loops.mass(Q), mass_matrix(frames)
    assert inertia.keys() >= plain.keys()
    assert_same([inertia[place] for place in plain], list(plain.values()), at)
    tau = loops.inverse_dynamics(Q, V, A)
    wanted = [minus(e) for e in forces(frames, motions(frames), acting)]
    assert_same(tau, wanted, at)
    assert_same(
        loops.inverse_dynamics(Q, a=A, loaded=False),
        [add(mul((inertia[i, j], A[j])) for j in range(len(q)) if (i, j) in inertia) for i in range(len(q))],
        at,
    )
    for mine, other in zip(jacobian(tau, symbols), jacobian(wanted, symbols), strict=True):
        columns = sorted(mine.keys() | other.keys())
        assert_same([mine.get(j, ZERO) for j in columns], [other.get(j, ZERO) for j in columns], at)
    with mpmath.workdps(20):
        sizes = values(magnitudes(tau), at)
        assert all(size >= abs(e) for size, e in zip(sizes, values(tau, at), strict=True))


FOUR = nsd.Newton(fixed_iterations=4)
SCHEMES = {
    "moreau": nsd.MoreauJean(newton=FOUR),
    "linear": nsd.MoreauJean(gradient_at="predicted", force_at="linear"),
    "damped": nsd.MoreauJean(gradient_at="predicted", force_at="damped"),
    "explicit": nsd.MoreauJean(gradient_at="predicted", force_at="explicit"),
    "rattle": nsd.Rattle(newton=FOUR),
    "implicit mass": nsd.MoreauJean(mass_at="implicit", newton=FOUR),
    "generalised alpha": nsd.GeneralisedAlpha(newton=FOUR),
    "schatzman paoli": nsd.SchatzmanPaoli(newton=FOUR),
}
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in list(SCHEMES)[5:]]


@pytest.mark.parametrize("name", [*list(SCHEMES)[:5], *SLOW])
@pytest.mark.few(2)
def test_motions_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch, short: None) -> None:
    """Four links in loops beside the same written out, both interpreted, with as many iterations."""
    found = motion(chain(4, SCHEMES[name]))
    monkeypatch.setattr(link_loops, "_LEAST", 100)
    wanted = motion(chain(4, SCHEMES[name]))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_poses(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places and quaternions of bodies have the signs of those written out; slides, screws and welds among them."""
    joints = mechanism(0.0).joints
    welded = nsd.RigidBody("welded", 1, INERTIA)
    turned = nsd.Marker(joints[0].first.body, [0, 1, 0], axis=[3, -1, 2])
    joints = [*joints, nsd.Fixed("weld", nsd.Marker(welded, axis=[-1, -2, 0.5]), turned)]
    q = np.random.default_rng(8).uniform(-4, 4, (3, 10))
    found = []
    for least in (2, 100):
        monkeypatch.setattr(link_loops, "_LEAST", least)
        tree = nsd.Mechanism("tree", joints)
        model = nsd.Model("m", [tree], parameters={g: 9.81, mass: 2}, scheme=nsd.MoreauJean(), step=1, end=1)
        found.append(model.compile(interpret=True).tree.poses(q))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-14 * np.abs(found[1]).max())


@pytest.mark.parametrize("links", [4, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_pendulums_of_points(links: int, short: None) -> None:
    """M and F of points on rods in a plane: with absolute angles phi, M_ij = m_ij l^2 cos(phi_i - phi_j)."""
    bodies = [
        nsd.RigidBody(f"point {i}", 1 + i, sp.zeros(3)).apply_force([0, 0, -9.81 * (1 + i)]) for i in range(links)
    ]
    hinges = []
    for i, body in enumerate(bodies):
        above = nsd.Marker(bodies[i - 1], axis=[0, 1, 0]) if i else nsd.Marker(axis=[0, 1, 0])
        hinges.append(nsd.Revolute(f"hinge {i}", nsd.Marker(body, [0, 0, 2], axis=[0, 1, 0]), above))
    compiled = nsd.Model("points", [nsd.Mechanism("tree", hinges)], scheme=nsd.MoreauJean(), step=1e-3, end=1).compile(
        interpret=False
    )
    draw = np.random.default_rng(3)
    q, v = draw.normal(size=(2, links))
    summed = np.tri(links)  # phi = summed q
    phi, omega = summed @ q, summed @ v
    loads = np.cumsum(np.arange(links, 0, -1))[::-1]  # the masses at and below each point
    shared = loads[np.maximum.outer(np.arange(links), np.arange(links))]
    apart = phi[:, None] - phi[None, :]
    M = summed.T @ (4 * shared * np.cos(apart)) @ summed
    F = summed.T @ (-(4 * shared * np.sin(apart)) @ omega**2 - 9.81 * 2 * loads * np.sin(phi))
    np.testing.assert_allclose(compiled.tree.mass(q), M, rtol=0, atol=1e-14 * links * np.abs(M).max())
    np.testing.assert_allclose(compiled.tree.force(0, q, v), F, rtol=0, atol=1e-13 * links * np.abs(F).max())


@pytest.mark.slow
def test_text_does_not_grow(short: None) -> None:
    """What is emitted of M, F, its derivatives and poses has as many lines for 24 links as for 12, but for tables."""

    def lines(links: int) -> list[int]:
        kernels = emit_model(chain(links, SCHEMES["explicit"])).text.split("[tag] chain / tree: ")
        own = {part.partition("\n")[0]: part for part in kernels}
        return [own[name].count(";\n") for name in ("freeze_step", "mass", "force", "force_q", "force_v", "poses")]

    assert lines(12) == lines(24)


def test_short_chains_and_balls_are_written_out() -> None:
    """The rule: many links, of few kinds, with one freedom each."""
    frames = [
        Frame(k - 1, [*map(list, IDENTITY)], [ZERO] * 3, (RateColumn(ONE, [ONE, ZERO, ZERO], [ZERO] * 3),), NO_INERTIA)
        for k in range(40)
    ]
    q = sp.symbols("q:40", real=True)
    assert link_loops.link_loops(frames, q, []) is not None
    assert link_loops.link_loops(frames[:20], q, []) is None
    assert link_loops.link_loops(frames, q, None) is None
