"""A user's own scheme is a few lines of SymPy and no compiled code (``docs/how-to/extend.md``)."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import DerivationError
from nsdgen.extend import STEP, T_NEXT, Law, Scheme


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


@pytest.mark.parametrize(
    ("cones", "pattern"),
    [
        (((9, 1),), "there is no cone 9.*EQUALITY = 0"),
        (((-1, 1),), "there is no cone -1"),
        ((("box", 1),), "there is no cone 'box'"),
        (((4, 1),), "the cone COULOMB_3D has 1 rows.*give it 3"),
        (((0, 2),), "2 rows for 1 multipliers"),
        (((2, 1),), "0 bounds for cones that take 2"),
    ],
)
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


@dataclass(frozen=True)
class Softplus(Law):
    """lambda = log(1 + exp(-y)), a law without a cone; its rows are those of the output, doubled."""

    def rows(self, rate, last_rate):
        return 2 * rate

    def natural_map(self, rows, multiplier):
        return sp.Matrix([m - sp.log(1 + sp.exp(-y)) for y, m in zip(rows, multiplier, strict=True)])


def test_laws_of_a_user_mix_with_others():
    """Each row has its own law's rows, natural map and cone; w = x - h (-x + lam_0 + lam_1) for an implicit step."""
    x, h = dynamicsymbols("x"), 0.1
    tank = nsd.FirstOrderSystem("tank", [x], [-x - 1])
    lam = nsd.multipliers("lam", 2)
    both = nsd.FirstOrderRelation(
        "both", lam, [x, x - 0.25], {tank: [lam[0] + lam[1]]}, nsd.Mixed([Softplus(), nsd.Complementarity()])
    )
    run = nsd.Model("m", [tank], [both], scheme=nsd.ThetaGamma(1.0), step=h, end=2.0, initial={x: 1.0}).run()
    state, soft, hard = run["tank.x"][1:], *run["lam"][1:].T
    np.testing.assert_allclose(soft, np.log(1 + np.exp(-2 * state)), rtol=1e-10)
    np.testing.assert_allclose(state - run["tank.x"][:-1], h * (-state - 1 + soft + hard), atol=1e-12)
    assert (state >= 0.25 - 1e-12).all() and (hard >= 0).all() and abs(hard * (state - 0.25)).max() < 1e-12
    assert hard[-1] > 0


def test_a_law_of_rates_wants_the_rate_before():
    @dataclass(frozen=True)
    class Forgetful(nsd.MoreauJean):
        def relation(self, step):
            step.multiplier("impulse", 1)
            step.output(step.rate(step.end))

    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2)
    floor = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.5))
    with pytest.raises(DerivationError, match="NewtonImpact joins a rate and the one before"):
        nsd.Model("m", [ball], [floor], scheme=Forgetful(), step=0.1, end=1, initial={z: 1}).derive()
