"""A user's own scheme is some thirty lines of SymPy and no compiled code (``docs/recipes.md``)."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import DerivationError
from nsdgen.schemes.stages import STEP, T_NEXT, Labels, Scheme, StageOptions, SystemScheme, SystemStage
from nsdgen.symbolic.entry import own_symbol
from nsdgen.symbolic.time import NOW


@dataclass(frozen=True)
class ImplicitEuler(Scheme):
    newton: nsd.Newton = field(default_factory=nsd.Newton)
    name = "ImplicitEuler"
    options = ()

    @property
    def stages(self):
        return (StageOptions("step", self.newton),)

    def system(self, cls):
        x = sp.Matrix(cls.state)
        last = sp.Matrix([own_symbol("state", f"{s.name}_k") for s in cls.state])
        residual = cls.mass * (x - last) - STEP * cls.rhs.xreplace({NOW: T_NEXT})
        stage = SystemStage(unknown=cls.state, residual=residual, start=last, advance=x, view={s: s for s in x})
        given = tuple(own_symbol("initial", s.name) for s in cls.state)
        labels = Labels(tuple(s.name for s in cls.state), ("",) * len(cls.state))
        return SystemScheme(cls, tuple(last), labels, given, sp.Matrix(given), dict(zip(x, last, strict=True)),
                            (stage,))

    def relation(self, cls, participants):
        raise self.refuse(cls, "this scheme is for systems without relations")


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
        def relation(self, cls, participants):
            found = super().relation(cls, participants)
            return replace(found, stages=(replace(found.stages[0], cones=cones),))

    x = dynamicsymbols("x")
    tank = nsd.FirstOrderSystem("s", [x], [-1])
    [lam] = nsd.multipliers("lam", 1)
    wall = nsd.FirstOrderRelation("wall", [lam], [x], {tank: [lam]}, nsd.Equality())
    with pytest.raises(DerivationError, match=f"(?s){pattern}"):
        nsd.Model("m", [tank], [wall], scheme=Coned(), step=0.1, end=1, initial={x: 1}).derive()
