"""The one-step problem over the graph of relations: many contacts, groups, cones and failures in one run."""

from __future__ import annotations

import gc
import resource
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import SolverError
from nsdgen.solvers import solve_lcp

z, x, y, p, q = dynamicsymbols("z x y p q")
e, mu, k, r, own, rest = sp.symbols("e mu k r own rest", nonnegative=True)
weight = sp.Symbol("weight", positive=True)
G = 9.81
N = 20  # relations: more rows than the dense solver takes


def bead_chain(n: int) -> Any:
    """n beads of different masses above a floor, radius 0.1, 0.05 between them."""
    masses = np.linspace(1.0, 2.0, n)
    bead = nsd.LagrangianSystem("bead", [z], kinetic=weight * z.diff() ** 2 / 2, potential=weight * G * z)
    beads = bead.copies(n, parameters={weight: masses}, initial={z: 0.15 + 0.25 * np.arange(n)})
    low, high = beads[0], beads[1]
    relations: Sequence[Any] = [
        nsd.Contact("floor", low.coordinate(z) - 0.1, nsd.NewtonImpact(e)),
        nsd.Contact("touch", high.coordinate(z) - low.coordinate(z) - 0.2, nsd.NewtonImpact(e)).copies(
            [(i, i + 1) for i in range(n - 1)], like=(low, high)
        ),
    ]
    return nsd.Model(f"chain{n}", [beads], relations, scheme=nsd.MoreauJean(), step=2e-3, end=0.6, parameters={e: 0.0})


@pytest.fixture(scope="module")
def chain() -> Any:
    return bead_chain(N).compile()


def lcp_steps(n: int, h: float, steps: int, restitution: float) -> tuple[np.ndarray, np.ndarray]:
    """The same scheme with NumPy and ``solve_lcp``: velocities (steps + 1, n) and impulses."""
    masses = np.linspace(1.0, 2.0, n)
    H = np.eye(n) - np.eye(n, k=-1)
    height, v = 0.15 + 0.25 * np.arange(n), np.zeros(n)
    clearance = np.where(np.arange(n) == 0, 0.1, 0.2)
    velocities, impulses = [v], [np.zeros(n)]
    for _ in range(steps):
        gap, rate = H @ height - clearance, H @ v
        active = np.flatnonzero(gap + h / 2 * rate <= 0)
        free, impulse = v - h * G, np.zeros(n)
        if len(active):
            rows = H[active]
            impulse[active] = solve_lcp((rows / masses) @ rows.T, rows @ free + restitution * rate[active]).z
        after = free + H.T @ impulse / masses
        height, v = height + h * (after + v) / 2, after
        velocities.append(v)
        impulses.append(impulse)
    return np.array(velocities), np.array(impulses)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_chain_of_beads_against_pivoting_in_numpy(chain: Any, restitution: float) -> None:
    """Contacts come and go; with restitution some hundred impacts run up and down the chain."""
    run = chain.run(parameters={"e": restitution})
    velocities, impulses = lcp_steps(N, 2e-3, 300, restitution)
    assert np.count_nonzero(np.diff(impulses > 0, axis=0)) >= (N if restitution == 0 else 100)
    found = np.column_stack([run[f"bead {i}.z_dot"] for i in range(N)])
    np.testing.assert_allclose(found, velocities, atol=1e-9)
    found = np.column_stack([run["floor.impulse"], *(run[f"touch {i}.impulse"] for i in range(N - 1))])
    np.testing.assert_allclose(found, impulses, atol=1e-9)


def test_the_same_bits_twice_and_in_two_models_at_once(chain: Any) -> None:
    options = {"parameters": {"e": 0.4}, "end": 0.3}
    first = chain.run(**options)
    other = bead_chain(6).compile()
    small = other.run(**options)
    again = chain.run(**options)
    assert first.table.tobytes() == again.table.tobytes()
    assert other.run(**options).table.tobytes() == small.table.tobytes()


@pytest.mark.slow
def test_nothing_is_left_behind_by_a_hundred_runs(chain: Any) -> None:
    def used() -> tuple[int, int]:
        gc.collect()
        return len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(20):
        chain.run(end=0.1)
    objects, memory = used()
    for _ in range(100):
        chain.run(end=0.1)
    later_objects, later_memory = used()
    assert later_objects - objects < 50
    assert later_memory - memory < 4000  # KiB; one run holds some 100 KiB of arrays


def carts(count: int) -> Any:
    """Independent cells: two carts, a wall left of the first, a bumper between them, a floor with friction."""
    cart = nsd.LagrangianSystem("cart", [x, z], mass=sp.diag(weight, weight), external=[-k * x, -G * weight])
    n = 2 * count
    numbers = np.arange(n)
    carts = cart.copies(
        n,
        parameters={weight: 1.0 + 0.4 * (numbers % 2)},
        initial={x: 0.3 + 0.5 * (numbers % 2), z: 0.0, x.diff(): 1.0 - 0.3 * (numbers % 2), z.diff(): 0},
    )
    a, b = carts[0], carts[1]
    first = range(0, n, 2)
    relations = [
        nsd.Contact("wall", a.coordinate(x), nsd.NewtonImpact(e)).copies(first, like=a),
        nsd.Contact("bumper", b.coordinate(x) - a.coordinate(x) - 0.2, nsd.NewtonImpact(e)).copies(
            [(i, i + 1) for i in first], like=(a, b)
        ),
        nsd.Contact("floor", a.coordinate(z), nsd.NewtonImpactFriction(0, mu), tangent=a.coordinate(x)).copies(
            range(n), like=a
        ),
    ]
    return nsd.Model(
        f"carts{count}",
        [carts],
        relations,
        scheme=nsd.MoreauJean(),
        step=5e-3,
        end=1.5,
        parameters={e: 0.5, mu: 0.05, k: 3.0},
    )


def test_cells_in_one_model_move_as_each_alone() -> None:
    """A cell alone against eight of the same in one problem of up to 48 rows."""
    alone, many = carts(1).run(), carts(8).run()
    assert (alone["wall 0.impulse"] > 0).any() and (alone["bumper 0.impulse"] > 0).any()
    for name in ("x", "z", "x_dot", "z_dot"):
        for i in range(16):
            np.testing.assert_allclose(many[f"cart {i}.{name}"], alone[f"cart {i % 2}.{name}"], atol=1e-10)


def test_frictionless_cells_by_the_graph_and_by_the_dense_solver() -> None:
    """Two beads and their contacts, twelve times: 24 rows over the graph, 2 rows dense."""
    bead = nsd.LagrangianSystem("bead", [z], kinetic=weight * z.diff() ** 2 / 2, potential=weight * G * z)

    def model(count: int) -> Any:
        beads = bead.copies(
            2 * count,
            parameters={weight: np.tile([1.0, 3.0], count)},
            initial={z: np.tile([0.2, 0.5], count), z.diff(): np.tile([0.0, -0.5], count)},
        )
        a, b = beads[0], beads[1]
        first = range(0, 2 * count, 2)
        return nsd.Model(
            f"cells{count}",
            [beads],
            [
                nsd.Contact("floor", a.coordinate(z), nsd.NewtonImpact(e)).copies(first, like=a),
                nsd.Contact("touch", b.coordinate(z) - a.coordinate(z) - 0.1, nsd.NewtonImpact(e)).copies(
                    [(i, i + 1) for i in first], like=(a, b)
                ),
            ],
            scheme=nsd.MoreauJean(),
            step=2e-3,
            end=1.0,
            parameters={e: 0.7},
        )

    dense, sparse = model(1).run(), model(12).run()
    for i in range(24):
        np.testing.assert_allclose(sparse[f"bead {i}.z"], dense[f"bead {i % 2}.z"], atol=1e-11)
    for i in range(12):
        np.testing.assert_allclose(sparse[f"touch {i}.impulse"], dense["touch 0.impulse"], atol=1e-10)


def test_a_plate_that_rests_on_many_bodies() -> None:
    """One system with 2 N contacts: a plate on N balls, these on the floor. Each ball bears its share."""
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    balls = ball.copies(N, initial={z: 0.1})
    plates = nsd.LagrangianSystem("plate", [y], kinetic=5 * y.diff() ** 2, potential=10 * G * y).copies(
        1, names=["plate"], initial={y: 0.2}
    )
    a, b = plates[0], balls[0]
    relations = [
        nsd.Contact("floor", b.coordinate(z) - 0.1, nsd.NewtonImpact(e)).copies(range(N), like=b),
        nsd.Contact("bears", a.coordinate(y) - b.coordinate(z) - 0.1, nsd.NewtonImpact(e)).copies(
            [(0, i) for i in range(N)], like=(a, b)
        ),
    ]
    scheme = nsd.MoreauJean(activation="hysteresis")  # rounding opens no contact at rest
    model = nsd.Model("plate", [balls, plates], relations, scheme=scheme, step=1e-2, end=0.5, parameters={e: 0.0})
    run = model.run()
    np.testing.assert_allclose(run["plate.y_dot"], 0.0, atol=1e-12)
    np.testing.assert_allclose(sum(run[f"bears {i}.impulse"][1:] for i in range(N)), 10 * G * 1e-2, rtol=1e-9)
    np.testing.assert_allclose(sum(run[f"floor {i}.impulse"][1:] for i in range(N)), (10 + N) * G * 1e-2, rtol=1e-9)


def test_reactions_that_couple_systems_over_the_graph() -> None:
    """Springs whose force is a multiplier join neighbours' iteration matrices: 19 relations, one group."""
    cell = nsd.FirstOrderSystem("cell", [x], [-x])
    cells = cell.copies(N, initial={x: np.cos(np.arange(N))})
    a, b = cells[0], cells[1]
    lam = nsd.multipliers("lam", 1)
    force = k * (b.coordinate(x) ** 3 - a.coordinate(x))
    spring = nsd.FirstOrderRelation("spring", lam, [lam[0]], {a: [force], b: [-force]}, nsd.Equality())
    scheme = nsd.ThetaGamma(theta=0.5, gamma=0.5, relation_at="gamma")
    run = nsd.Model(
        "springs",
        [cells],
        [spring.copies([(i, i + 1) for i in range(N - 1)], like=(a, b))],
        scheme=scheme,
        step=0.02,
        end=0.5,
        parameters={k: 2.0},
    ).run()
    state = np.cos(np.arange(N))

    def rates(s: np.ndarray) -> np.ndarray:
        f = 2.0 * (s[1:] ** 3 - s[:-1])
        return np.append(f, 0) - np.append(0, f)

    for i in range(25):  # -x by the trapezoidal rule, the springs by the midpoint rule
        new = state.copy()
        for _ in range(200):
            new = state + 0.02 * (-(state + new) / 2 + rates((state + new) / 2))
        state = new
        np.testing.assert_allclose([run[f"cell {j}.x"][i + 1] for j in range(N)], state, atol=1e-9)


def test_constraints_contacts_and_friction_in_one_model() -> None:
    """A chain of 12 masses on rods slides over a rough floor: equality, complementarity and friction rows together."""
    n = 12
    mass = nsd.LagrangianSystem("mass", [x, z], mass=sp.diag(1, 1), external=[0, -G])
    masses = mass.copies(n, initial={x: 0.3 * np.arange(n), z: 0.0, x.diff(): 1.0, z.diff(): 0.0})
    a, b = masses[0], masses[1]
    apart = b.coordinate(x) - a.coordinate(x)
    rod = nsd.Bilateral("rod", (apart**2 + (b.coordinate(z) - a.coordinate(z)) ** 2 - 0.09) / 2)
    floor = nsd.Contact("floor", a.coordinate(z), nsd.NewtonImpactFriction(0, mu), tangent=a.coordinate(x))
    wall = nsd.Contact("wall", 3.6 - masses[n - 1].coordinate(x), nsd.NewtonImpact(0))
    scheme = nsd.MoreauJean(activation="hysteresis")  # rounding opens no contact at rest
    run = nsd.Model(
        "train",
        [masses],
        [rod.copies([(i, i + 1) for i in range(n - 1)], like=(a, b)), floor.copies(range(n), like=a), wall],
        scheme=scheme,
        step=1e-2,
        end=1.0,
        parameters={mu: 0.1},
    ).run()
    # The train slides as one mass until it meets the wall, which stops it.
    v = np.column_stack([run[f"mass {i}.x_dot"] for i in range(n)])
    hit = int(np.flatnonzero(run["wall.impulse"] > 0)[0])
    free = np.abs(np.outer(1.0 - 0.1 * G * run.time, np.ones(n)))
    np.testing.assert_allclose(v[:hit], free[:hit], atol=1e-9)
    np.testing.assert_allclose(v[hit:], 0.0, atol=1e-9)
    # It stops all twelve; the floor helps in that step with mu m g h each, against the motion.
    assert run["wall.impulse"][hit] == pytest.approx(12 * (v[hit - 1, 0] - 0.1 * G * 1e-2), rel=1e-6)
    np.testing.assert_allclose(run["mass 0.z"], 0.0, atol=1e-10)


def test_redundant_constraints_are_counted_and_share_their_impulse() -> None:
    """Twenty constraints c_i z = 0 on one mass: the shortest multiplier is proportional to c."""
    system = nsd.LagrangianSystem("mass", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    constraints = [nsd.Bilateral(f"c{i}", own * z, arguments={own: 1 + i % 3}) for i in range(N)]
    run = nsd.Model("held", [system], constraints, scheme=nsd.MoreauJean(), step=1e-2, end=0.1, initial={z: 0.0}).run()
    c = 1.0 + np.arange(N) % 3
    np.testing.assert_array_equal(run["rank_deficiency"][1:], N - 1)
    found = np.column_stack([run[f"c{i}.impulse"] for i in range(N)])[1:]
    np.testing.assert_allclose(found, np.tile(c / (c @ c) * G * 1e-2, (10, 1)), rtol=1e-8)
    np.testing.assert_allclose(run["mass.z_dot"], 0.0, atol=1e-12)


def impossible(law: nsd.Complementarity | nsd.Equality, output: sp.Expr) -> nsd.Model:
    """Twenty cells with a sound relation each, and in the seventh one that can be met until t = 0.5 only."""
    cell = nsd.FirstOrderSystem("cell", [x], [0])
    cells = cell.copies(N, initial={x: np.linspace(1.0, 2.0, N)})
    lam = nsd.multipliers("lam", 1)
    c = cells[0]
    sound = nsd.FirstOrderRelation("sound", lam, [c.coordinate(x)], {c: lam}, nsd.Complementarity())
    odd = nsd.FirstOrderRelation("odd one", lam, [output.xreplace({x: cells[7].coordinate(x)})], {cells[7]: [0]}, law)
    return nsd.Model(
        "hopeless", [cells], [sound.copies(range(N), like=c), odd], scheme=nsd.ThetaGamma(), step=0.125, end=1.0
    )


@pytest.mark.parametrize(
    ("law", "output"),
    [(nsd.Complementarity(), sp.Rational(1, 2) - nsd.time), (nsd.Equality(), sp.Max(0, nsd.time - sp.Rational(1, 2)))],
)
def test_a_step_without_solution_names_the_relation_and_keeps_the_trajectory(law: Any, output: sp.Expr) -> None:
    with pytest.raises(SolverError, match="'hopeless', relation 'odd one'") as caught:
        impossible(law, output).run()
    assert caught.value.reason in ("infeasible", "inconsistent", "ray")
    run = caught.value.trajectory
    np.testing.assert_array_equal(run.time, np.arange(5) * 0.125)
    np.testing.assert_allclose([run[f"cell {i}.x"][-1] for i in range(N)], np.linspace(1.0, 2.0, N))


def test_a_contact_with_friction_that_nothing_can_keep_is_named() -> None:
    """Its gap closes in time whatever the body does: no impulse acts on the gap rate."""
    cart = nsd.LagrangianSystem("cart", [x], mass=[[1]])
    press = nsd.Contact("press", sp.Rational(1, 2) - nsd.time + 0 * x, nsd.NewtonImpactFriction(0, mu), tangent=x)
    with pytest.raises(SolverError, match="relation 'press'") as caught:
        nsd.Model(
            "press",
            [cart],
            [press],
            scheme=nsd.MoreauJean(),
            step=0.125,
            end=1.0,
            parameters={mu: 0.3},
            initial={x: 0.0},
        ).run()
    assert 0.25 < caught.value.trajectory.time[-1] < 0.75
