"""Every law under every scheme of mechanical systems: the number it gives is right, or it is refused by name.

Pucks of mass and inertia 1 slide, roll and spin over a floor, each under a law of its own, all of one scheme in one
model. They hit the floor once without weight, and they rub on it under their weight; both have closed forms.
``python -m tests.schemes.test_laws_under_schemes`` prints the table of ``PAGE``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.schemes.scheme import Scheme
from nsdgen.study.compiled_model import CompiledModel

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "laws_under_schemes.md"
HEADING = "| law | "
G, H = 9.81, 1e-3
NAMES = ("x", "z", "y", "r1", "r2", "s")
START = {"x": 0.5, "z": -0.3, "y": -1.0, "r1": 0.4, "r2": 0.2, "s": 0.3}
e, e_t, mu, mu_r, mu_t, weight = sp.symbols("e e_t mu mu_r mu_t weight", nonnegative=True)
SLIDES = {"mu": 0.1, "mu_r": 0.07, "mu_t": 0.05}
STICKS = {"mu": 5.0, "mu_r": 5.0, "mu_t": 5.0}
E, E_T = 0.5, 0.4

SCHEMES: Mapping[str, Scheme] = {
    "MoreauJean": nsd.MoreauJean(),
    "Rattle": nsd.Rattle(),
    "Variational": nsd.Variational(),
    "D1Minus": nsd.D1Minus(),
    "SchatzmanPaoli": nsd.SchatzmanPaoli(velocity="backward"),
    "EventDriven": nsd.EventDriven(),
    "GeneralisedAlpha": nsd.GeneralisedAlpha(),
}


LONG = {"Rattle", "Variational", "EventDriven", "D1Minus"}
"""Schemes whose models of all laws take long to compile."""
each = pytest.mark.parametrize(
    ("scheme", "kind"),
    [
        pytest.param(scheme, kind, marks=pytest.mark.slow if scheme in LONG and kind == "plain" else [])
        for scheme in SCHEMES
        for kind in ("plain", "phases", "traced")
    ],
)


@dataclass(frozen=True)
class Puck:
    """A system of its own, and its coordinates by name."""

    system: nsd.LagrangianSystem
    of: Mapping[str, sp.Expr]


@dataclass(frozen=True)
class Case:
    """A relation of a puck with the floor: restitution, and groups of rates that share a bound, (rates, bound, e_T).

    A bound is a coefficient times the normal impulse, or, where the relation is ``bounded``, the force itself.
    """

    relation: Callable[[str, Puck], nsd.Relation]
    e: float = E
    groups: tuple[tuple[tuple[str, ...], str, float], ...] = ()
    contact: bool = True
    kind: str = "plain"
    driven: float | None = None


def contact(law: nsd.Law, tangents: str = "", rolling: tuple[str, ...] = ()) -> Callable[[str, Puck], nsd.Relation]:
    """A contact of the puck with the floor."""

    def made(name: str, puck: Puck) -> nsd.Relation:
        rates = {"tangent": [puck.of[c] for c in tangents]} if tangents else {}
        if rolling:
            rates["rolling"] = [puck.of[c].diff() for c in rolling]
        return nsd.Contact(name, gap=puck.of["y"], law=law, **rates)

    return made


def along(law: nsd.Law, *names: str) -> Callable[[str, Puck], nsd.Relation]:
    """A force against rates, by a law."""
    return lambda name, puck: nsd.RateForce(name, along=[puck.of[c] for c in names], law=law)


PLANE, SPACE = (("x",), "mu", 0.0), (("x", "z"), "mu", 0.0)
SPIN, ROLL = (("s",), "mu_t", 0.0), (("r1", "r2"), "mu_r", 0.0)
CASES: Mapping[str, Case] = {
    "Complementarity()": Case(contact(nsd.Complementarity()), 0.0),
    "NewtonImpact(e)": Case(contact(nsd.NewtonImpact(e))),
    "NewtonImpactFriction(e, mu, e_T), plane": Case(
        contact(nsd.NewtonImpactFriction(e, mu, e_t), "x"), groups=((("x",), "mu", E_T),)
    ),
    "NewtonImpactFriction(e, mu, e_T), space": Case(
        contact(nsd.NewtonImpactFriction(e, mu, e_t), "xz"), groups=((("x", "z"), "mu", E_T),)
    ),
    "FremondImpact(e, mu)": Case(contact(nsd.FremondImpact(e, mu), "x"), groups=((("x",), "mu", 1.0),)),
    "NewtonImpactPlanarRolling(e, mu, mu_r)": Case(
        contact(nsd.NewtonImpactPlanarRolling(e, mu, mu_r), "x", ("r1",)), groups=(PLANE, (("r1",), "mu_r", 0.0))
    ),
    "NewtonImpactRollingFriction(e, mu, mu_r)": Case(
        contact(nsd.NewtonImpactRollingFriction(e, mu, mu_r), "xz", ("r1", "r2")), groups=(SPACE, ROLL)
    ),
    "NewtonImpactTorsionalFriction(e, mu, mu_t)": Case(
        contact(nsd.NewtonImpactTorsionalFriction(e, mu, mu_t), "xz", ("s",)), groups=(SPACE, SPIN)
    ),
    "NewtonImpactTorsionalFriction(e, mu, mu_t, mu_r)": Case(
        contact(nsd.NewtonImpactTorsionalFriction(e, mu, mu_t, mu_r), "xz", ("r1", "r2", "s")),
        groups=(SPACE, ROLL, SPIN),
    ),
    "NewtonImpactContensouFriction(e, mu, r)": Case(
        contact(nsd.NewtonImpactContensouFriction(e, mu, 1), "xz", ("s",)), groups=((("x", "z", "s"), "mu", 0.0),)
    ),
    "PoissonImpact(e)": Case(contact(nsd.PoissonImpact(e)), kind="phases"),
    "PoissonImpactFriction(e, mu), plane": Case(
        contact(nsd.PoissonImpactFriction(e, mu), "x"), groups=(PLANE,), kind="phases"
    ),
    "PoissonImpactFriction(e, mu), space": Case(
        contact(nsd.PoissonImpactFriction(e, mu), "xz"), groups=(SPACE,), kind="phases"
    ),
    "MultipleImpact(e)": Case(contact(nsd.MultipleImpact(e)), kind="traced"),
    "Bilateral": Case(lambda name, p: nsd.Bilateral(name, p.of["z"] - 2 * p.of["x"]), contact=False),
    "VelocityConstraint": Case(
        lambda name, p: nsd.VelocityConstraint(name, p.of["x"].diff() - nsd.time), contact=False, driven=1.0
    ),
    "ForceElement": Case(lambda name, p: nsd.ForceElement(name, p.of["x"], -2), contact=False),
    "Relay(level)": Case(along(nsd.Relay(mu), "x"), contact=False, groups=(PLANE,)),
    "Box(lower, upper)": Case(
        along(nsd.Box([-mu, -mu_r], [mu, mu_r]), "x", "r1"), contact=False, groups=(PLANE, (("r1",), "mu_r", 0.0))
    ),
    "PiecewiseLinear(points)": Case(
        along(nsd.PiecewiseLinear([(0, mu), (0, -mu)], falling=True), "x"), contact=False, groups=(PLANE,)
    ),
    "NormalCone(H, K)": Case(
        along(nsd.NormalCone([[1, 0], [-1, 0], [0, 1], [0, -1]], [mu, mu, mu_r, mu_r]), "x", "r1"),
        contact=False,
        groups=(PLANE, (("r1",), "mu_r", 0.0)),
    ),
    "Mixed([...])": Case(
        along(nsd.Mixed([nsd.Relay(mu), nsd.Relay(mu_r)]), "x", "r1"),
        contact=False,
        groups=(PLANE, (("r1",), "mu_r", 0.0)),
    ),
}
"""The rows of the table."""


def puck(number: int) -> Puck:
    own = dict(zip(NAMES, dynamicsymbols(" ".join(f"{n}_{number}" for n in NAMES)), strict=True))
    kinetic = sum(c.diff() ** 2 for c in own.values()) / 2
    return Puck(
        nsd.LagrangianSystem(f"puck {number}", list(own.values()), kinetic=kinetic, potential=weight * own["y"]), own
    )


def model(scheme: Scheme, names: tuple[str, ...]) -> nsd.Model:
    """A puck for each of these cases."""
    pucks = [puck(i) for i in range(len(names))]
    relations = [CASES[name].relation(f"r{i}", p) for i, (name, p) in enumerate(zip(names, pucks, strict=True))]
    initial = {c: 0 for p in pucks for c in p.of.values()}
    return nsd.Model(
        "pucks",
        [p.system for p in pucks],
        relations,
        scheme=scheme,
        step=H,
        end=0.3,
        parameters={e: E, e_t: E_T, mu: 0.1, mu_r: 0.1, mu_t: 0.1, weight: 0},
        initial=initial,
    )


@cache
def taken(scheme: str) -> frozenset[str]:
    """The cases that a scheme takes; those that it refuses are refused with its name."""
    found = set()
    for name in CASES:
        try:
            model(SCHEMES[scheme], (name,)).derive()
        except nsd.errors.ModelError as error:
            refused = str(error)
        else:
            refused = ""
        if refused:
            assert scheme in refused, (name, refused)
        else:
            found.add(name)
    return frozenset(found)


@cache
def compiled(scheme: str, kind: str) -> tuple[CompiledModel | None, tuple[str, ...]]:
    """The model of all cases of a kind that a scheme takes."""
    names = tuple(name for name, case in CASES.items() if case.kind == kind and name in taken(scheme))
    return (model(SCHEMES[scheme], names).compile() if names else None), names


def slowed(
    before: Mapping[str, float], case: Case, bounds: Mapping[str, float], pushed: float, reversing: bool
) -> dict[str, float]:
    """The rates after friction has acted with the normal impulse ``pushed``, or for this time with its own level."""
    after = dict(before)
    for names, coefficient, back in case.groups:
        u = np.array([before[n] for n in names])
        size = np.linalg.norm(u)
        taken_away = min(bounds[coefficient] * pushed, (1 + (back if reversing else 0)) * size)
        after.update(zip(names, u * (1 - taken_away / size), strict=True))
    return after


def speeds(run: nsd.Trajectory, number: int, row: int) -> dict[str, float]:
    return {n: float(run[f"puck {number}.{n}_{number}_dot"][row]) for n in NAMES}


def started(names: tuple[str, ...], y: float) -> dict[str, float]:
    """Initial values: contacts at a height y with all rates, everything else with rates that fit."""
    values: dict[str, float] = {}
    for i, name in enumerate(names):
        case = CASES[name]
        rates = dict(START) if case.contact or case.groups else {"x": 0.5, "z": 1.0}
        if case.driven is not None:
            rates = {}
        if not (case.contact and y):
            rates["y"] = 0.0
        values |= {f"puck {i}.{n}_{i}_dot": v for n, v in rates.items()}
        if case.contact:
            values[f"puck {i}.y_{i}"] = y
    return values


@each
@pytest.mark.few(4)
def test_one_impact_and_forces_of_constant_size(scheme: str, kind: str) -> None:
    """Velocities after 0.3 s: an impact at speed 1, or a force that acts all the time."""
    built, names = compiled(scheme, kind)
    tolerance = 5e-3 if scheme == "SchatzmanPaoli" else 1e-6  # whose velocities are those half a step before
    for bounds in (SLIDES, STICKS) if built else ():
        run = built.run(parameters=bounds, initial=started(names, 0.1), end=0.3)
        for i, name in enumerate(names):
            case, before = CASES[name], {n: float(run[f"puck {i}.{n}_{i}_dot"][0]) for n in NAMES}
            if case.contact:
                expected = slowed(before, case, bounds, 1 + case.e, True) | {"y": case.e}
            elif case.groups:
                expected = slowed(before, case, bounds, 0.3, False)
            else:
                pushed = {"Bilateral": {}, "ForceElement": {"x": -0.1}, "VelocityConstraint": {"x": 0.3}}
                expected = before | pushed[name]
            assert speeds(run, i, -1) == pytest.approx(expected, abs=tolerance), name


@each
def test_contacts_under_their_weight(scheme: str, kind: str) -> None:
    """They rub with the coefficient times the weight until they stand, and stay on the floor."""
    built, names = compiled(scheme, kind)
    names = tuple(names)
    if not built or not any(CASES[name].contact for name in names):
        return
    run = built.run(parameters={**SLIDES, "weight": G}, initial=started(names, 0.0), end=0.8)
    for i, name in enumerate(names):
        if not CASES[name].contact:
            continue
        before = {**START, "y": 0.0}
        for row, slack in ((200, 3e-6 if scheme != "SchatzmanPaoli" else 5e-3), (800, 3e-3)):
            expected = slowed(before, CASES[name], SLIDES, G * row * H, False)
            assert speeds(run, i, row) == pytest.approx(expected, abs=slack), (name, row)
        start = G * H**2 if scheme == "SchatzmanPaoli" else 0  # whose first step knows no contact force before it
        assert abs(run[f"puck {i}.y_{i}"]).max() < 1e-9 + start


def table() -> str:
    """The table of the page."""
    lines = [HEADING + " | ".join(f"`{s}`" for s in SCHEMES) + " |", "|---" * (len(SCHEMES) + 1) + "|"]
    for name in CASES:
        law, comma, where = name.partition("), ")
        cells = ("yes" if name in taken(s) else "–" for s in SCHEMES)
        lines.append(f"| `{law}{')' if comma else ''}`{', ' if comma else ''}{where} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_page_has_this_table() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    print(table())
