"""One small model of every family and under every scheme, held against its closed form; part of `make quick`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest
import sympy as sp
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

import nsdgen as nsd
from nsdgen.extend import Scheme, System

x, v, z = dynamicsymbols("x v z")
G = 9.81


def kane() -> nsd.KaneSystem:
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    weight = origin.locatenew("P", x * frame.x)
    weight.set_vel(frame, v * frame.x)
    method = KanesMethod(frame, [x], [v], kd_eqs=[v - x.diff()])
    method.kanes_equations([Particle("P", weight, 1)], [(weight, -x * frame.x)])
    return nsd.KaneSystem("oscillator", method)


def body() -> nsd.RigidBody:
    mass = nsd.RigidBody("oscillator", 1, sp.eye(3))
    mass.apply_force(-mass.position)
    return mass


def slider() -> nsd.Mechanism:
    ahead = [1, 0, 0]
    rail = nsd.Prismatic("rail", nsd.Marker(body(), axis=ahead), nsd.Marker(axis=ahead))
    return nsd.Mechanism("oscillator", [rail])


# x'' = -x from x = 1 at rest, in the words of each family: how it is described, and the column of x.
OSCILLATORS: Mapping[str, tuple[Callable[[], System], str]] = {
    "FirstOrderSystem": (lambda: nsd.FirstOrderSystem("oscillator", [x, v], [v, -x]), "x"),
    "KaneSystem": (kane, "x"),
    "LagrangianSystem": (
        lambda: nsd.LagrangianSystem("oscillator", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2),
        "x",
    ),
    "LinearMechanicalSystem": (lambda: nsd.LinearMechanicalSystem("oscillator", [[1]], [[1]], coordinates=["x"]), "x"),
    "LinearSystem": (lambda: nsd.LinearSystem("oscillator", [[0, 1], [-1, 0]], states=["x", "v"]), "x"),
    "Mechanism": (slider, "rail displacement"),
    "RigidBody": (body, "oscillator.position[0]"),
}

STARTS = {
    "RigidBody": lambda system: {system.position: [1, 0, 0]},
    "Mechanism": lambda system: {system.joints[0].displacement: 1},
    "LinearSystem": lambda system: {system.x: [1, 0]},
    "LinearMechanicalSystem": lambda system: {system.q: [1]},
    "FirstOrderSystem": lambda system: {x: 1, v: 0},
}
FIRST_ORDER = {"FirstOrderSystem", "LinearSystem"}


@pytest.mark.parametrize("family", OSCILLATORS)
def test_every_family_oscillates(family: str) -> None:
    make, column = OSCILLATORS[family]
    system = make()
    scheme = nsd.ThetaGamma(theta=0.5) if family in FIRST_ORDER else nsd.GeneralisedAlpha()
    start = STARTS.get(family, lambda _: {x: 1})(system)
    run = nsd.Model("one", [system], scheme=scheme, step=0.01, end=1.0, initial=start).run()
    assert run[column][-1] == pytest.approx(math.cos(1.0), abs=1e-4)


# A ball let go at height 1 over a floor with e = 1/2, at 0.6 s: it hits at 0.4515 s with 4.429 m/s.
HIT = math.sqrt(2 / G)
BOUNCED = G * HIT / 2 * (0.6 - HIT) - G * (0.6 - HIT) ** 2 / 2
BALLS: Mapping[str, Scheme] = {
    "D1Minus": nsd.D1Minus(),
    "EventDriven": nsd.EventDriven(),
    "GeneralisedAlpha": nsd.GeneralisedAlpha(),
    "MoreauJean": nsd.MoreauJean(),
    "Rattle": nsd.Rattle(),
    "SchatzmanPaoli": nsd.SchatzmanPaoli(),
    "Variational": nsd.Variational(),
}
# x' = -x + lam with 0 <= lam, x >= 1/2 from x = 1: it falls as exp(-t) and stays at 1/2.
CELLS: Mapping[str, Scheme] = {"ThetaGamma": nsd.ThetaGamma(), "ZeroOrderHold": nsd.ZeroOrderHold()}


@pytest.mark.parametrize("name", BALLS)
def test_every_scheme_of_mechanical_systems_bounces(name: str) -> None:
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(sp.Rational(1, 2)))
    run = nsd.Model("one", [ball], [floor], scheme=BALLS[name], step=1e-3, end=0.6, initial={z: 1}).run()
    assert run["z"][-1] == pytest.approx(BOUNCED, abs=1e-2)


@pytest.mark.parametrize("name", CELLS)
def test_every_scheme_of_first_order_systems_stays_above_its_bound(name: str) -> None:
    lam = nsd.multipliers("lam", 1)
    cell = nsd.LinearSystem("cell", [[-1]], states=["x"])
    bound = nsd.FirstOrderRelation(
        "bound", lam, [cell.x[0] - sp.Rational(1, 2)], {cell: [lam[0]]}, nsd.Complementarity()
    )
    run = nsd.Model("one", [cell], [bound], scheme=CELLS[name], step=0.01, end=2.0, initial={cell.x: [1]}).run()
    assert run["x"][50] == pytest.approx(math.exp(-0.5), abs=1e-2)
    assert run["x"][-1] == pytest.approx(0.5, abs=1e-2)


def test_none_is_forgotten() -> None:
    public = {name: getattr(nsd, name) for name in nsd.__all__}
    kinds = {name: kind for name, kind in public.items() if isinstance(kind, type)}
    assert set(OSCILLATORS) == {name for name, kind in kinds.items() if issubclass(kind, System)}
    assert {*BALLS, *CELLS} == {name for name, kind in kinds.items() if issubclass(kind, Scheme)}
