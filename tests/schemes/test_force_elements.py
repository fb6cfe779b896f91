"""Springs and dampers between two systems, under the schemes that part motion and impacts."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.schemes.scheme import Scheme

a, b = dynamicsymbols("a b")
STIFFNESS, DAMPING, G = 50, 0.4, 9.81


def two(weight: float = 0) -> list[nsd.LagrangianSystem]:
    return [
        nsd.LagrangianSystem(name, [q], kinetic=m * q.diff() ** 2 / 2, potential=m * weight * q)
        for name, q, m in (("A", a, 1), ("B", b, 2))
    ]


def spring() -> nsd.ForceElement:
    return nsd.ForceElement("spring", along=b - a, force=-STIFFNESS * (b - a - 1) - DAMPING * (b.diff() - a.diff()))


@pytest.mark.parametrize("scheme", [nsd.D1Minus(), nsd.SchatzmanPaoli()], ids=lambda s: type(s).__name__)
def test_two_masses_on_a_spring(scheme: Scheme) -> None:
    """The distance is a damped oscillation of the reduced mass 2/3, of order 2; the centre of mass stays."""
    decay = 3 * DAMPING / 4
    turn = np.sqrt(3 * STIFFNESS / 2 - decay**2)
    model = nsd.Model("two_masses", two(), [spring()], scheme=scheme, step=1e-3, end=1, initial={a: 0, b: 1.1})
    errors = []
    for step in (2e-3, 1e-3):
        run = model.run(step=step)
        t = run.time
        exact = 0.1 * np.exp(-decay * t) * (np.cos(turn * t) + decay / turn * np.sin(turn * t))
        errors.append(abs(run["b"] - run["a"] - 1 - exact).max())
        assert abs(run["a"] + 2 * run["b"] - 2.2).max() < 1e-10
        stretch, rate = run["b"] - run["a"] - 1, run["b_dot"] - run["a_dot"]
        assert abs(run["spring.force"] + STIFFNESS * stretch + DAMPING * rate).max() < 1e-10
    assert errors[1] < 3e-6 and errors[0] / errors[1] > 3.8


def test_between_events_it_is_the_same_force_as_within_one_system() -> None:
    """The lower of two masses on a spring bounces on a floor and rests there, until the spring lifts it."""
    settings = {"scheme": nsd.EventDriven(), "step": 0.01, "end": 2, "initial": {a: 0, b: 1.4, b.diff(): 0.5}}
    floor = nsd.Contact("floor", a, nsd.NewtonImpact(sp.Rational(1, 2)))
    merged = nsd.LagrangianSystem(
        "both",
        [a, b],
        kinetic=a.diff() ** 2 / 2 + b.diff() ** 2,
        dissipation=DAMPING * (b.diff() - a.diff()) ** 2 / 2,
        potential=G * a + 2 * G * b + STIFFNESS * (b - a - 1) ** 2 / 2,
    )
    runs = [
        nsd.Model("joined", systems, [floor, *more], **settings).run()
        for systems, more in (([merged], []), (two(G), [spring()]))
    ]
    assert [e.kind for e in runs[0].events] == [e.kind for e in runs[1].events]
    assert {"closes", "opens"} <= {e.kind for e in runs[0].events}
    for column in ("a", "b", "a_dot", "b_dot", "floor.force"):
        assert abs(runs[0][column] - runs[1][column]).max() < 1e-9


@pytest.mark.parametrize(
    "scheme",
    [nsd.MoreauJean(), nsd.Rattle(), nsd.Variational(), nsd.D1Minus(), nsd.GeneralisedAlpha(), nsd.EventDriven()],
    ids=lambda s: type(s).__name__,
)
def test_the_force_of_an_instant_is_that_of_its_velocities(scheme: Scheme) -> None:
    """Also behind an impact, where three schemes had recorded the damper's force before it."""
    floor = nsd.Contact("floor", a, nsd.NewtonImpact(sp.Rational(1, 2)))
    start = {a: 0.1, b: 1.2, a.diff(): -1, b.diff(): 0}
    run = nsd.Model("m", two(G), [spring(), floor], scheme=scheme, step=0.01, end=0.5, initial=start).run()
    stretch, rate = run["b"] - run["a"] - 1, run["b_dot"] - run["a_dot"]
    assert run["floor.impulse"].max() > 0.5
    assert abs(run["spring.force"] + STIFFNESS * stretch + DAMPING * rate).max() < 1e-10
