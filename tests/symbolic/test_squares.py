"""Forces of inertia by accelerations, against Lagrange's equations as they stand."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.squares import along_inertial
from nsdgen.symbolic.graph.computed import expanded, stated
from nsdgen.symbolic.graph.node import ONE, leaf

t = nsd.time
m1, m2, l1, l2, c, I3 = sp.symbols("m1 m2 l1 l2 c I3", positive=True)
q = list(dynamicsymbols("q1:3"))


def double(lift: sp.Expr = sp.S.Zero) -> sp.Expr:
    """A double pendulum by the velocities of its masses, hung on a support that moves."""
    x1, y1 = l1 * sp.sin(q[0]), lift - l1 * sp.cos(q[0])
    x2, y2 = x1 + l2 * sp.sin(q[1]), y1 - l2 * sp.cos(q[1])
    rates = [e.diff(t) for e in (x1, y1, x2, y2)]
    return (
        m1 * (rates[0] ** 2 + rates[1] ** 2) / 2
        + m2 * (rates[2] ** 2 + rates[3] ** 2) / 2
        + I3 * (q[0].diff() + q[1].diff()) ** 2 / 2
    )


INERTIAL = {
    "double pendulum": double(),
    "on a support that moves": double(c * sp.sin(3 * t)),
    "a point on a curve": m1 * q[0].diff() ** 2 * (1 + 4 * c**2 * q[0] ** 2) / 2 + m2 * q[1].diff() ** 2 / 2,
    "with names": m1 * nsd.let("rate", l1 * sp.cos(q[0]) * q[0].diff() + q[1].diff()) ** 2 / 2 + m2 * q[1].diff() ** 2,
}
OTHERS = {
    "a turntable": m1 * ((q[0].diff() - c * q[1]) ** 2 + (q[1].diff() + c * q[0]) ** 2) / 2,
    "polar coordinates": m1 * (q[0].diff() ** 2 + (q[0] * q[1].diff()) ** 2) / 2,
    "a body frame": m1 * (q[0].diff() * sp.sin(q[1])) ** 2 / 2
    + I3 * (q[0].diff() * sp.cos(q[1])) ** 2
    + q[1].diff() ** 2,
    "a product of rates": double().expand(),
    "a mass that changes": m1 * (1 + c * t) * q[0].diff() ** 2 / 2 + m2 * q[1].diff() ** 2 / 2,
    "a branch": Branch(m1, q[0] > 0, m2, sp.true) * q[0].diff() ** 2 + q[1].diff() ** 2,
}


def stated_forces(kinetic: sp.Expr) -> tuple[sp.Matrix, sp.Matrix]:
    """What the system states, and what Lagrange's equations say: dT/dq - (d2T/dv dq) v - d2T/dv dt."""
    system = nsd.LagrangianSystem("s", q, kinetic=kinetic)
    model = nsd.Model(
        "m",
        [system],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1,
        parameters=dict.fromkeys(sorted(kinetic.free_symbols - {t}, key=str), 1.0),
        initial={q[0]: 0.1, q[1]: 0.2},
    )
    cls = model.description.system_classes[0]
    at = {group.role: list(group.symbols) for group in cls.variables}
    parameters = {p: sp.Symbol(p.name, positive=True) for p in cls.parameters}
    plain = {
        **parameters,
        NOW: t,
        **dict(zip(at["q"], sp.symbols("q1:3"), strict=True)),
        **dict(zip(at["v"], sp.symbols("w1:3"), strict=True)),
    }
    found = expanded(sp.Matrix(cls.terms["force"].values)).xreplace(plain)
    coordinates, rates = sp.symbols("q1:3"), sp.symbols("w1:3")
    T = (
        nsd_free(kinetic)
        .subs(dict(zip([s.diff() for s in q], rates, strict=True)))
        .subs(dict(zip(q, coordinates, strict=True)))
    )
    truth = [
        T.diff(a) - sum(T.diff(w, b) * u for b, u in zip(coordinates, rates, strict=True)) - T.diff(w, t)
        for a, w in zip(coordinates, rates, strict=True)
    ]
    return nsd_free(found), sp.Matrix(truth)


def nsd_free(value: sp.Basic) -> sp.Basic:
    """Without the names of ``nsd.let``."""
    return value.replace(lambda e: type(e).__name__ == "Let", lambda e: e.args[1])


@pytest.mark.parametrize("name", [*INERTIAL, *(name for name in OTHERS if name != "a branch")])
def test_forces_are_those_of_lagrange(name: str) -> None:
    found, truth = stated_forces({**INERTIAL, **OTHERS}[name])
    point = {
        s: sp.Rational(3 + 2 * k, 7 + k)
        for k, s in enumerate(sorted((found - truth).free_symbols | truth.free_symbols, key=lambda s: s.name))
    }
    assert all(abs(e) < 1e-45 for e in (found - truth).subs(point).evalf(60))


@pytest.mark.parametrize("name", [*INERTIAL, *OTHERS])
def test_accelerations_tell_only_where_every_square_is_one_of_a_velocity(name: str) -> None:
    v = sp.symbols("w1:3", real=True)
    plain = sp.symbols("x1:3", real=True)
    kinetic = (
        {**INERTIAL, **OTHERS}[name]
        .subs(dict(zip([s.diff() for s in q], v, strict=True)))
        .subs(dict(zip(q, plain, strict=True)))
        .xreplace({t: NOW})
    )
    (T,) = stated([kinetic])
    moving = {a: leaf(b) for a, b in zip(plain, v, strict=True)} | {NOW: ONE}
    assert (along_inertial(T, plain, v, moving) is None) == (name in OTHERS)
