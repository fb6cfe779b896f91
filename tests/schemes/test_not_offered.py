"""What ``docs/explanation/names.md`` says of forms that are not offered, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.configuration import PositionAndQuaternion
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system_class import SystemClass

MOMENTS, SPIN, END = (1.0, 2.0, 2.6), (0.02, 3.0, 0.05), 5.0


@dataclass(frozen=True)
class TurnedInSpace(PositionAndQuaternion):
    """p' = (0, omega) o p / 2, omega in the inertial frame."""

    def _block(self, p: Sequence[sp.Expr]) -> sp.Matrix:
        a, b, c, d = p
        return sp.Matrix([[-b, -c, -d], [a, d, -c], [-d, a, b], [c, -b, a]]) / 2

    def twist_map(self, q: Sequence[sp.Expr]) -> sp.Matrix:
        return sp.diag(sp.eye(3), self._block(q[3:]))

    def rate(self, q: Sequence[sp.Expr], v: Sequence[sp.Expr]) -> list[sp.Expr]:
        return [*v[:3], *(self._block(q[3:]) * sp.Matrix(v[3:6]))]

    def moved(self, q: Sequence[sp.Expr], twist: Sequence[sp.Expr]) -> list[sp.Expr]:
        turned = quat.turned([sp.S.One, 0, 0, 0], sp.Matrix(twist[3:6]))
        return [*(a + b for a, b in zip(q[:3], twist[:3], strict=True)), *quat.compose(list(turned), list(q[3:]))]


class BodyInSpace(nsd.RigidBody):
    """R I R^T omega' = -omega x R I R^T omega: Euler's equation in the inertial frame, without forces."""

    def describe(self, scope: Scope) -> SystemClass:
        body = super().describe(scope)
        q, v = body.variables
        rotation, omega = quat.rotation(list(q.symbols[3:])), sp.Matrix(v.symbols[3:])
        inertia = rotation * sp.Matrix(self.inertia) * rotation.T
        force = sp.zeros(3, 1).col_join(-omega.cross(inertia * omega))
        mass = sp.diag(sp.eye(3), inertia)
        return mechanical_class(self.name, (), q, v, mass, force, configuration=TurnedInSpace())


def tumbled() -> np.ndarray:
    """The quaternion after END seconds, of Euler's equations."""

    def rate(t: float, y: np.ndarray) -> list[float]:
        p, w = y[:4], y[4:]
        momentum = np.array(MOMENTS) * w
        turning = [-p[1:] @ w, *(p[0] * w + np.cross(p[1:], w))]
        return [*(0.5 * e for e in turning), *(-np.cross(w, momentum) / MOMENTS)]

    found: np.ndarray = solve_ivp(rate, (0, END), [1, 0, 0, 0, *SPIN], rtol=1e-11, atol=1e-11).y[:4, -1]
    return found


@pytest.mark.parametrize(("scheme", "factor"), [(nsd.MoreauJean(), 3.2), (nsd.Rattle(), 2.2)], ids=["Moreau", "Rattle"])
def test_eulers_equation_in_the_inertial_frame_is_further_off(scheme: nsd.Scheme, factor: float) -> None:
    truth, off = tumbled(), []
    for family in (BodyInSpace, nsd.RigidBody):
        body = family("body", 1, sp.diag(*MOMENTS))
        start = {body.position: [0, 0, 0], body.angular_velocity: list(SPIN)}
        model = nsd.Model("tumbling", [body], scheme=scheme, step=1e-2, end=END, initial=start)
        found = model.compile(interpret=True).run()["body.quaternion"][-1]
        off.append(np.abs(found - np.sign(found @ truth) * truth).max())
    assert off[0] / off[1] == pytest.approx(factor, rel=0.1)


def test_an_open_gap_that_is_in_play_holds_a_plank_in_the_air() -> None:
    """A plank of 1 m stands on one edge, the other 0.1 m above the floor: it falls, or does not."""
    y, a = dynamicsymbols("y a")
    heights = []
    for together in (False, True):
        plank = nsd.LagrangianSystem("plank", [y, a], mass=[[1, 0], [0, sp.Rational(1, 12)]], external=[-9.81, 0])
        edges = [nsd.Contact(n, y + s * sp.sin(a) / 2, nsd.NewtonImpact(0)) for n, s in (("low", -1), ("high", 1))]
        scheme = nsd.MoreauJean(activation="hysteresis", activation_gap=0.2 if together else 0.0, deactivation_gap=0.2)
        start = {y: 0.05, a: float(np.arcsin(0.1))}
        run = nsd.Model("plank", [plank], edges, scheme=scheme, step=1e-3, end=1, initial=start).run()
        heights.append(run["high.gap"][-1])
        if together:
            np.testing.assert_allclose(run["high.impulse"][-1] / 1e-3, 9.81 / 2, rtol=1e-9)
    assert abs(heights[0]) < 2e-3 and heights[1] == pytest.approx(0.1, abs=1e-12)
