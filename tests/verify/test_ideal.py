"""The parts under the decisions: Groebner bases, lowering, exact points, small rotations."""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.verify import (
    Equation,
    Orthogonal,
    Orthonormal,
    PositiveDefinite,
    Rotation,
    UnitQuaternion,
    UnitVector,
    matrix,
    quaternion,
    vector,
)
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.ideal import groebner, normal_form, polynomial_ring
from nsdgen.verify.lowering import Lowering
from nsdgen.verify.numbers import LEVELS, orthogonal, sphere
from nsdgen.verify.rational import to_fraction
from nsdgen.verify.sampling import Sampler, evaluate, is_number_zero, on_set
from nsdgen.verify.setting import Deadline, Facts, OutOfTime, Setting

x, y, z = sp.symbols("x y z", real=True)
polynomials = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=3
).map(lambda terms: sp.Add(*(c * x**i * y**j * z**k for c, i, j, k in terms)))


@settings(max_examples=20, deadline=None)
@given(polynomials, polynomials, polynomials)
def test_membership_agrees_with_sympy(f, g, e):
    deadline, ring = Deadline.after(20), polynomial_ring((x, y, z))
    basis = groebner([to_fraction(p, ring, deadline).numerator for p in (f, g)], deadline)
    rest = normal_form(to_fraction(sp.expand(e), ring, deadline).numerator, basis, deadline)
    ideal = [p for p in (f, g) if p != 0]
    expected = sp.groebner(ideal, x, y, z, order="grevlex").reduce(sp.expand(e))[1] if ideal else sp.expand(e)
    assert sp.expand(rest.as_expr() - expected) == 0
    inside = to_fraction(sp.expand(e * f - g * x), ring, deadline).numerator
    assert not normal_form(inside, basis, deadline)


def test_a_deadline_stops_a_basis():
    ring = polynomial_ring((x, y, z))
    given = [to_fraction(p, ring, Deadline.after(5)).numerator for p in (x**2 * y - z, x * y**2 - z * x, z**2 - x * y)]
    with pytest.raises(OutOfTime):
        groebner(given, Deadline.after(-1))


@pytest.mark.parametrize(
    "e",
    [
        sp.sin(2 * x + y / 3) + sp.cos(x / 2),
        sp.sqrt((x**2 + y**2) / 12) / sp.sqrt(2),
        sp.Abs(-3 * x * y**2),
        sp.exp(2 * x - y) / sp.exp(x / 3),
        sp.Max(x, y) * sp.sign(x),
        sp.tan(x) + sp.cosh(y),
        (1 + x**2) ** sp.Rational(3, 2),
        sp.sqrt(x**2 + sp.sqrt(1 + y**2)),
        sp.atan2(y, x) * sp.log(1 + x**2),
        2**x * 2 ** (x + 1),
        sp.sin(sp.pi / 12 + x),
    ],
)
def test_generators_satisfy_their_relations(e):
    # independent truth: the generators' own definitions, evaluated at a point
    lowering = Lowering(Facts())
    lowering.announce([e])
    lowered = lowering(e)
    meaning = {generator: _meaning(key) for key, generator in lowering._generator.items() if key[0] != "relation"}
    values = {x: sp.Rational(7, 5), y: sp.Rational(-3, 4)}
    for _ in range(4):
        lowered = lowered.xreplace(meaning)
        relations = [r.xreplace(meaning).xreplace(meaning).xreplace(meaning) for r in lowering.relations]
    assert abs(sp.N((lowered - e).subs(values), 30)) < 1e-25
    for relation in relations:
        assert abs(sp.N(relation.subs(values), 30)) < 1e-25


def _meaning(key):
    kind = key[0]
    if kind in ("cos", "sin"):
        f = sp.cos if kind == "cos" else sp.sin
        return f(sp.Mul(*key[1:])) if len(key) > 2 else f(key[1] * _base_of(key[1]))
    return {
        "sqrt": lambda: sp.sqrt(key[1]),
        "abs": lambda: sp.Abs(key[1]),
        "sign": lambda: sp.sign(key[1]),
        "exp": lambda: sp.exp(key[1] * _base_of(key[1])),
        "atom": lambda: key[1],
        "power": lambda: key[1] ** key[2],
    }.get(kind, lambda: kind(*key[1:]))()


def _base_of(rest):
    return _BASE.get(rest, 1)


_BASE: dict = {}


@pytest.fixture(autouse=True)
def _remember_the_base_angles(monkeypatch):
    _BASE.clear()
    announce = Lowering.announce

    def remembering(self, expressions):
        announce(self, expressions)
        _BASE.update({rest: part for (_, rest), part in self._base.items()})

    monkeypatch.setattr(Lowering, "announce", remembering)


SETS = [
    (UnitQuaternion(quaternion("p")),),
    (UnitVector(vector("n")),),
    (Orthonormal(vector("a"), vector("b"), vector("c")),),
    (Orthonormal(vector("a"), vector("b")),),
    (Rotation(matrix("R", 3, 3)),),
    (Rotation(matrix("R", 2, 2)),),
    (PositiveDefinite(matrix("S", 3, 3, symmetric=True)),),
    (UnitQuaternion(quaternion("q")), Orthogonal(quaternion("q"), quaternion("r"))),
    (Equation(z**2, x**2 + y**2),),
    (Equation(x * y, 1),),
]


@pytest.mark.parametrize("assumptions", SETS, ids=lambda s: s[0].text)
def test_points_lie_on_their_set(assumptions):
    setting = Setting(assumptions)
    cleaner = Cleaner([e for a in assumptions for e in (*a.equations(), *a.positive())])
    facts = cleaner.facts(setting)
    sampler = Sampler(facts, facts.equations)
    found = [p for level in range(LEVELS) for _ in range(4) if (p := sampler.point(level)) is not None]
    assert len(found) >= 8
    for point in found:
        assert on_set(point, facts)
        for e in facts.equations:
            assert is_number_zero(evaluate(e, point)) is True


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, LEVELS - 1), st.integers(2, 5))
def test_small_exact_points_and_rotations(seed, level, size):
    point = sphere(Random(seed), level, size)
    assert sum(c**2 for c in point) == 1
    assert all(c.is_Rational for c in point) or size > 4
    turn = orthogonal(Random(seed), level, size)
    assert turn.T * turn == sp.eye(size)
    assert turn.det() == 1
