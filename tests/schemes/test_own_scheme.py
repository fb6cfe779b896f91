"""A user's own scheme is some thirty lines of SymPy and no compiled code (``docs/recipes.md``)."""

from dataclasses import dataclass, field

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
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
