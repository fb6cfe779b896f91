"""A user's own scheme is a few lines of SymPy and no compiled code (``docs/recipes.md``)."""

from dataclasses import dataclass

import numpy as np
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
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
