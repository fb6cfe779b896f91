"""Generalised speeds that are no rates of coordinates, from event to event, beside the same motion in coordinates."""

import pytest
import sympy as sp
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

import nsdgen as nsd

x, y, along, across = dynamicsymbols("x y along across")


def in_speeds():
    """A mass of 2 whose speeds are components in a frame that turns with x."""
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    weight = origin.locatenew("P", x * frame.x + y * frame.y)
    rates = sp.Matrix([[sp.cos(x), -sp.sin(x)], [sp.sin(x), sp.cos(x)]]) * sp.Matrix([along, across])
    weight.set_vel(frame, rates[0] * frame.x + rates[1] * frame.y)
    kinematics = [
        along - sp.cos(x) * x.diff() - sp.sin(x) * y.diff(),
        across + sp.sin(x) * x.diff() - sp.cos(x) * y.diff(),
    ]
    method = KanesMethod(frame, [x, y], [along, across], kd_eqs=kinematics)
    method.kanes_equations([Particle("P", weight, 2)], [(weight, -2 * 9.81 * frame.y)])
    return nsd.KaneSystem("mass", method), rates[0], {x: 0, y: 1, along: 1.5, across: 0.2}


def in_coordinates():
    mass = nsd.LagrangianSystem("mass", [x, y], kinetic=x.diff() ** 2 + y.diff() ** 2, potential=2 * 9.81 * y)
    return mass, x.diff(), {x: 0, y: 1, x.diff(): 1.5, y.diff(): 0.2}


RELATIONS = {
    "a hill": lambda slip: nsd.Contact("held", y + sp.sin(x) / 5, nsd.NewtonImpact(0.6)),
    "friction": lambda slip: nsd.Contact("held", y, nsd.NewtonImpactFriction(0.3, 0.2), tangent=slip),
    "a rod": lambda slip: nsd.Bilateral("held", (x - 1) ** 2 + y**2 - 2),
}


@pytest.mark.filterwarnings("ignore:.*gap_rate is -2.6 at the start")
@pytest.mark.parametrize("relation", RELATIONS)
def test_motions_are_those_in_coordinates(relation):
    """Such systems were refused: nothing says how their coordinates move along an exponential."""
    runs = []
    for mass, slip, start in (in_speeds(), in_coordinates()):
        held = RELATIONS[relation](slip)
        scheme = nsd.EventDriven(rtol=1e-12)
        runs.append(nsd.Model("both", [mass], [held], scheme=scheme, step=0.01, end=1, initial=start).run())
    speeds, rates = runs
    assert [e.kind for e in speeds.events] == [e.kind for e in rates.events]
    for column in ("x", "y", "held.gap"):
        assert speeds[column] == pytest.approx(rates[column], abs=1e-10)
