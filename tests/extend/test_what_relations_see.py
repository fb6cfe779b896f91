"""What relations see of the end of a step that a scheme does not say: what the stage makes of the state."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.extend import STEP, T_K, T_NEXT, Scheme

x, y, z = dynamicsymbols("x y z")


@dataclass(frozen=True)
class OwnUnknown(Scheme):
    """Implicit Euler in an unknown of its own, and no view."""

    def system(self, step):
        new, x_k = step.unknown("new", like="x"), step.state("x_k")
        end = step.at(T_NEXT, x=new)
        step.residual(step.term("mass", end) * (new - x_k) - STEP * step.term("rhs", end))
        step.start(x_k)
        step.advance(x_k=new)

    def relation(self, step):
        step.multiplier()
        step.output(step.term("output", step.end))
        step.reaction(*(STEP * g for g in step.reactions(step.end)))


@dataclass(frozen=True)
class Increment(OwnUnknown):
    """The same in the increment of the state."""

    def system(self, step):
        rise, x_k = step.unknown("rise", like="x"), step.state("x_k")
        end = step.at(T_NEXT, x=x_k + rise)
        step.residual(step.term("mass", end) * rise - STEP * step.term("rhs", end))
        step.start([0] * rise.rows)
        step.advance(x_k=x_k + rise)


@pytest.mark.parametrize("scheme", [OwnUnknown(), Increment()])
@pytest.mark.parametrize("two", [False, True])
def test_an_own_unknown_is_seen_at_the_end_of_the_step(scheme, two):
    """x' = -1 + lambda, 0 <= x (- y) orthogonal to lambda >= 0: x never falls below the wall, at no instant."""
    tank = nsd.FirstOrderSystem("tank", [x], [-1])
    other = nsd.FirstOrderSystem("other", [y], [-0.25])
    lam = nsd.multipliers("lam", 1)
    gap, push = (x - y, {tank: lam, other: [-lam[0]]}) if two else (x, {tank: lam})
    wall = nsd.FirstOrderRelation("wall", lam, [gap], push, nsd.Complementarity())
    systems, initial = ([tank, other], {x: 0.45, y: 0.0}) if two else ([tank], {x: 0.45})
    found = nsd.Model("m", systems, [wall], scheme=scheme, step=0.1, end=1.0, initial=initial).run()
    known = nsd.Model("m", systems, [wall], scheme=nsd.ThetaGamma(1.0), step=0.1, end=1.0, initial=initial).run()
    np.testing.assert_allclose(found["tank.x"], known["tank.x"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(found["lam"][1:], known["lam"][1:], rtol=0, atol=1e-12)
    assert known["lam"][-1] > 0.3


def test_positions_are_those_the_velocities_lead_to():
    """A spring of stiffness 50 as an output, q = q_k + h v: the force is that of the end of the step."""

    @dataclass(frozen=True)
    class Velocities(Scheme):
        def system(self, step):
            q_k, v_k, v = step.state("q_k"), step.state("v_k"), step.unknown("v")
            step.residual(step.term("mass", step.at(T_K, q=q_k, v=v)) * (v - v_k))
            step.advance(q_k=q_k + STEP * v, v_k=v)

        def relation(self, step):
            step.multiplier()
            step.output(step.term("output", step.end))
            step.reaction(*(STEP * g for g in step.reactions(step.end)))

    mass = nsd.LagrangianSystem("mass", [z], kinetic=z.diff() ** 2 / 2)
    force = nsd.multipliers("force", 1)
    spring = nsd.OutputRelation("spring", force, [force[0] + 50 * z], {mass: force}, nsd.Equality())
    run = nsd.Model("m", [mass], [spring], scheme=Velocities(), step=0.01, end=1.0, initial={z: 0.1}).run()
    q, v = [0.1], 0.0
    for _ in range(100):  # v+ = v - h k (q + h v+)
        v = (v - 0.5 * q[-1]) / (1 + 0.01**2 * 50)
        q.append(q[-1] + 0.01 * v)
    np.testing.assert_allclose(run["mass.z"], q, rtol=0, atol=1e-13)
