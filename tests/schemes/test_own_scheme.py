"""A user's own scheme is a few lines of SymPy and no compiled code (``docs/extend.md``)."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import DerivationError
from nsdgen.extend import STEP, T_NEXT, Scheme


@dataclass(frozen=True)
class ImplicitEuler(Scheme):
    def system(self, step):
        x, x_k = step.unknown("x"), step.state("x_k")
        end = step.at(T_NEXT, x=x)
        step.residual(step.term("mass", end) * (x - x_k) - STEP * step.term("rhs", end))
        step.advance(x_k=x)


def test_an_own_scheme_runs_in_the_same_stepper():
    x = dynamicsymbols("x")
    system = nsd.FirstOrderSystem("s", [x], [-x * nsd.time])
    run = nsd.Model("own", [system], scheme=ImplicitEuler(), step=0.1, end=1.0, initial={x: 1.0}).run()
    exact = np.cumprod([1.0] + [1 / (1 + 0.1 * (0.1 * k)) for k in range(1, 11)])
    np.testing.assert_allclose(run["s.x"], exact, rtol=1e-14)


@pytest.mark.parametrize(("cones", "pattern"), [
    (((9, 1),), "there is no cone 9.*EQUALITY = 0"), (((-1, 1),), "there is no cone -1"),
    ((("box", 1),), "there is no cone 'box'"), (((4, 1),), "the cone COULOMB_3D has 1 rows.*give it 3"),
    (((0, 2),), "2 rows for 1 multipliers"), (((2, 1),), "0 bounds for cones that take 2"),
])
def test_cones_of_an_own_scheme_are_checked(cones, pattern):
    class Coned(nsd.ThetaGamma):
        def discretise_relation(self, cls, participants):
            found = super().discretise_relation(cls, participants)
            return replace(found, stages=(replace(found.stages[0], cones=cones),))

    x = dynamicsymbols("x")
    tank = nsd.FirstOrderSystem("s", [x], [-1])
    [lam] = nsd.multipliers("lam", 1)
    wall = nsd.FirstOrderRelation("wall", [lam], [x], {tank: [lam]}, nsd.Equality())
    with pytest.raises(DerivationError, match=f"(?s){pattern}"):
        nsd.Model("m", [tank], [wall], scheme=Coned(), step=0.1, end=1, initial={x: 1}).derive()
