"""The parts under the decisions: cofactors of members of ideals, exact points of assumption sets, small rotations."""

from __future__ import annotations

from itertools import islice
from random import Random

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.verify import (
    Equation,
    Inequality,
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
from nsdgen.verify.assumption import said
from nsdgen.verify.certificate.membership import cofactors, polynomial_ring
from nsdgen.verify.challenge.judged import JudgedStatement
from nsdgen.verify.numbers import LEVELS, orthogonal, sphere
from nsdgen.verify.setting import Deadline, OutOfTime, Setting

x, y, z = sp.symbols("x y z", real=True)
RING = polynomial_ring(("x", "y", "z"))
polynomials = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=3
).map(lambda terms: RING.from_dict({m: RING.domain(c) for c, *powers in terms if (m := tuple(powers)) and c}))


@settings(max_examples=20, deadline=None)
@given(polynomials, polynomials, polynomials)
def test_membership_agrees_with_sympy(f, g, e):
    deadline, given_ = Deadline.after(20), [f, g]
    ideal = [p.as_expr() for p in given_ if p]
    expected = sp.groebner(ideal, *map(sp.Symbol, "xyz"), order="grevlex").contains(e.as_expr()) if ideal else not e
    found = cofactors(e, given_, deadline)
    assert (found is not None) == expected
    member = e * f - g * RING.gens[0]
    for target, rows in ((e, found), (member, cofactors(member, given_, deadline))):
        assert rows is None or target == rows[0] * f + rows[1] * g
    assert cofactors(member, given_, deadline) is not None


def test_a_deadline_stops_a_search_for_cofactors():
    a, b, c = RING.gens
    with pytest.raises(OutOfTime):
        cofactors(a, [a**2 * b - c, a * b**2 - c * a, c**2 - a * b], Deadline.after(-1))


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
@pytest.mark.few(3)
def test_points_lie_on_their_set(assumptions):
    equations = said(assumptions, "given")
    names = sorted(set().union(*(e.free_symbols for e in equations)), key=str)
    case = JudgedStatement(Inequality(sp.Add(*names), ">=", 0), Setting(assumptions))
    found = list(islice((w for w in case.witnesses() if case.meets(w)), 8))
    assert len(found) == 8
    for w in found:
        point = {s: w.scalars[s.name] for s in names}
        with mpmath.workdps(100):
            for e in equations:
                assert abs(sp.N(e.xreplace({s: sp.sympify(v) for s, v in point.items()}), 60)) < sp.Float("1e-40")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, LEVELS - 1), st.integers(2, 5))
def test_small_exact_points_and_rotations(seed, level, size):
    point = sphere(Random(seed), level, size)
    assert sum(c**2 for c in point) == 1
    assert all(c.is_Rational for c in point) or size > 4
    turn = orthogonal(Random(seed), level, size)
    assert turn.T * turn == sp.eye(size)
    assert turn.det() == 1
