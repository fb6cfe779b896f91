"""Poisson's law with friction and beside other laws: against calculations by hand, and its energy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

x, y, z, angle = dynamicsymbols("x y z angle")
e, mu, inertia, height, width = sp.symbols("e mu inertia height width", positive=True)
INCLINED, BEFORE = 0.8, np.array([0.3, -1.0, 0.2])
"""A rod of mass 1 and length 2 at this angle, and the velocities of its centre and its rotation."""


def phase(G: np.ndarray, u: np.ndarray, least: float, friction: float) -> np.ndarray:
    """The impulses of one phase: case by case, P_N = least or u_N = 0, sticking or sliding to one side."""
    for held in (True, False):
        for side in (0, 1, -1):
            A = np.array([[1.0, 0.0] if held else G[0], G[1] if side == 0 else [side * friction, 1.0]])
            p = np.linalg.solve(A, [least if held else -u[0], -u[1] if side == 0 else 0])
            after = u + G @ p
            if (
                after[0] >= -1e-12
                and p[0] >= least - 1e-12
                and (abs(p[1]) <= friction * p[0] + 1e-12 if side == 0 else side * after[1] >= -1e-12)
            ):
                return p
    raise AssertionError("no case holds")


def by_hand(restitution: float, friction: float) -> tuple[np.ndarray, np.ndarray]:
    """Impulses of compression and rates after the impact of the tip of the rod."""
    H = np.array([[0, 1, -np.cos(INCLINED)], [1, 0, np.sin(INCLINED)]])
    G, u = H @ np.diag([1, 1, 3]) @ H.T, H @ BEFORE
    compression = phase(G, u, 0, friction)
    expansion = phase(G, u + G @ compression, restitution * compression[0], friction)
    return compression, u + G @ (compression + expansion)


@cache
def rod(space: bool, scheme: type) -> CompiledModel:
    """The rod falls onto its tip; in space it may slide out of its plane, too."""
    more = [z] if space else []
    system = nsd.LagrangianSystem(
        "rod",
        [x, y, angle, *more],
        kinetic=(x.diff() ** 2 + y.diff() ** 2 + sum(c.diff() ** 2 for c in more) + angle.diff() ** 2 / 3) / 2,
    )
    tip = nsd.Contact(
        "tip", gap=y - sp.sin(angle), tangent=[x - sp.cos(angle), *more], law=nsd.PoissonImpactFriction(e, mu)
    )
    start = {x: 0, y: np.sin(INCLINED) + 1e-8, angle: INCLINED, **dict.fromkeys(more, 0)}
    rates = dict(zip((x.diff(), y.diff(), angle.diff()), BEFORE, strict=True))
    return nsd.Model(
        "rod",
        [system],
        [tip],
        scheme=scheme(),
        step=1e-7,
        end=4e-7,
        parameters={e: 0, mu: 0},
        initial={**start, **rates},
    ).compile()


@pytest.mark.parametrize(
    ("space", "scheme"),
    [(False, nsd.D1Minus), (True, nsd.D1Minus), (True, nsd.EventDriven)],
    ids=["plane", "space", "events"],
)
@pytest.mark.parametrize("case", [(0.5, 0.1), (0.5, 0.6), (1.0, 0.3), (0.8, 2.0), (0.0, 0.2)], ids=str)
@pytest.mark.few(4)
def test_a_falling_rod(space: bool, scheme: type, case: tuple[float, float]) -> None:
    """It slides through, sticks in both phases, or sticks in the first and slides back in the second."""
    run = rod(space, scheme).run(parameters=dict(zip(("e", "mu"), case, strict=True)))
    compression, rates = by_hand(*case)
    struck = int(np.flatnonzero(run["impulse[0]"] > 0)[0])
    found = np.array([run[f"impulse[{i}]"][struck] for i in (0, 1)])
    assert found == pytest.approx(compression, abs=1e-6)  # the rod has turned by 1e-8 before
    slid = run["sliding_rate"][-1]
    assert (run["gap_rate"][-1], slid[0] if space else slid) == pytest.approx(tuple(rates), abs=2e-6)


@cache
def two_feet(law: nsd.Law) -> CompiledModel:
    """A block that stands on two feet and is thrown at the floor."""
    block = nsd.LagrangianSystem(
        "block", [x, y, angle], kinetic=(x.diff() ** 2 + y.diff() ** 2 + inertia * angle.diff() ** 2) / 2
    )
    feet = [
        nsd.Contact(
            name,
            gap=y - height * (sp.cos(angle) - 1) + side * width * sp.sin(angle),
            law=law,
            tangent=x + height * sp.sin(angle) + side * width * sp.cos(angle),
        )
        for name, side in (("left", -1), ("right", 1))
    ]
    return nsd.Model(
        "block",
        [block],
        feet,
        scheme=nsd.D1Minus(),
        step=1e-9,
        end=2e-9,
        allow_penetration=True,
        initial={x: 0, y: 0, angle: 0},
        parameters={e: 1, mu: 0.5, inertia: 1, height: 1, width: 1},
    ).compile()


def gains(law: nsd.Law) -> np.ndarray:
    """The relative changes of the kinetic energy in random impacts, with one e for both feet."""
    model, rng, found = two_feet(law), np.random.default_rng(1), []
    for _ in range(200):
        weight = 10 ** rng.uniform(-2, 1)
        values = {
            "e": rng.uniform(),
            "mu": 10 ** rng.uniform(-2, 1),
            "inertia": weight,
            "height": rng.uniform(0.1, 3),
            "width": rng.uniform(0.1, 3),
        }
        rates = rng.normal(size=3)
        rates[1] = -abs(rates[1])
        run = model.run(parameters=values, initial=dict(zip(("x_dot", "y_dot", "angle_dot"), rates, strict=True)))
        kinetic = run["x_dot"] ** 2 + run["y_dot"] ** 2 + weight * run["angle_dot"] ** 2
        found.append(kinetic[-1] / kinetic[0] - 1)
    return np.array(found)


def test_newtons_law_adds_energy_where_poissons_does_not() -> None:
    """Kane's paradox: with friction Newton's law may give more than there was."""
    assert gains(nsd.NewtonImpactFriction(e, mu)).max() > 1e-2
    assert gains(nsd.PoissonImpactFriction(e, mu)).max() < 1e-9


def on_the_ground(law: nsd.Law, scheme: nsd.Scheme) -> tuple[float, float]:
    """A ball falls onto one that lies on the ground, whose contact gives back 0.8: their speeds."""
    balls = [nsd.LagrangianSystem(n, [c], kinetic=c.diff() ** 2 / 2) for n, c in (("low", x), ("high", y))]
    contacts = [nsd.Contact("ground", gap=x, law=nsd.PoissonImpact(0.8)), nsd.Contact("touch", gap=y - x - 1, law=law)]
    run = nsd.Model(
        "m", balls, contacts, scheme=scheme, step=1e-3, end=0.01, initial={x: 0, y: 1.0005, y.diff(): -1}
    ).run()
    return run["low.x_dot"][-1], run["high.y_dot"][-1]


@pytest.mark.parametrize(
    ("law", "expected"),
    [(nsd.NewtonImpact(0), (0.4, 0.4)), (nsd.Complementarity(), (0.4, 0.4)), (nsd.NewtonImpact(1), (0, 1))],
    ids=["plastic", "bare", "elastic"],
)
def test_other_laws_take_part_in_its_second_phase(law: nsd.Law, expected: tuple[float, float]) -> None:
    """First phase: both stop, impulses 1 and 1. The second gives 0.8 of the ground's back; a plastic touch shares it.

    Newton's law with e = 1 asks a rate of 1 of the touch: 0.8 would leave low with -0.1, so that the ground gives 1.
    """
    assert on_the_ground(law, nsd.D1Minus()) == pytest.approx(expected)


def test_other_laws_take_part_between_events() -> None:
    assert on_the_ground(nsd.NewtonImpact(0), nsd.EventDriven()) == pytest.approx((0.4, 0.4))


def test_couplings_take_part_in_its_second_phase() -> None:
    """Two balls on one rod are one ball of both masses."""
    balls = [nsd.LagrangianSystem(n, [c], kinetic=m * c.diff() ** 2 / 2) for n, c, m in (("a", x, 1), ("b", y, 3))]
    coupling = nsd.RateForce("rod", along=y.diff() - x.diff(), law=nsd.Equality())
    ground = nsd.Contact("ground", gap=x, law=nsd.PoissonImpact(0.5))
    run = nsd.Model(
        "m",
        balls,
        [ground, coupling],
        scheme=nsd.D1Minus(),
        step=1e-3,
        end=0.01,
        initial={x: 0.0005, y: 1, x.diff(): -1, y.diff(): -1},
    ).run()
    assert (run["a.x_dot"][-1], run["b.y_dot"][-1]) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("scheme", [nsd.D1Minus, nsd.EventDriven])
@pytest.mark.parametrize("case", [(0.0, 3.0, 1.0), (0.1, 1.5, 1.0), (0.0, 0.7, 0.5), (0.5, 0.4, 1.0)])
def test_a_law_of_another_contact_far_away_changes_no_impact(
    scheme: type[nsd.Scheme], case: tuple[float, float, float]
) -> None:
    """A point at (1, -1) m/s: p_N = 1 + e, p_T = -(1 + e_T) as far as mu p_N goes."""
    restitution, friction, tangential = case
    point = nsd.LagrangianSystem("point", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2)
    other = nsd.LagrangianSystem("other", [z], kinetic=z.diff() ** 2 / 2)
    law = nsd.NewtonImpactFriction(e, mu, inertia)
    contacts = [nsd.Contact("near", y, law, tangent=x), nsd.Contact("far", z, nsd.PoissonImpact(0.5))]
    run = nsd.Model(
        "m",
        [point, other],
        contacts,
        scheme=scheme(),
        step=0.01,
        end=0.2,
        parameters={e: restitution, mu: friction, inertia: tangential},
        initial={x: 0, y: 0.105, z: 5, x.diff(): 1, y.diff(): -1, z.diff(): 0},
    ).run()
    turned = min(1 + tangential, friction * (1 + restitution))
    assert run["x_dot"][-1] == pytest.approx(1 - turned, abs=1e-12)
    assert run["y_dot"][-1] == pytest.approx(restitution, abs=1e-12)
