"""Contact frames: orthonormal, right-handed and finite wherever the normal points, and what contacts make of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import enter_matrix
from nsdgen.symbolic.relations.frame import moving, normal_of

N = sp.Matrix(sp.symbols("n_x n_y n_z", real=True))
FRAME = sp.Matrix.hstack(*moving(N)).T
AXES = [[s * int(i == k) for i in range(3)] for k in range(3) for s in (1, -1)]
QUADRUPLES = [(1, 2, 2, 3), (2, 3, 6, 7), (1, 4, 8, 9), (2, 6, 9, 11), (0, 3, 4, 5)]  # a^2 + b^2 + c^2 = d^2
EXACT = AXES + [
    [sp.Rational(s * v, d) for s, v in zip(signs, order, strict=True)]
    for *sides, d in QUADRUPLES
    for order in itertools.permutations(sides)
    for signs in itertools.product((1, -1), repeat=3)
]
RANDOM = np.random.default_rng(5).normal(size=(20, 3))
DIRECTIONS = AXES + [list(v / np.linalg.norm(v)) for v in RANDOM]


def test_the_moving_frame_is_exactly_orthonormal_and_right_handed():
    for n in EXACT:
        frame = FRAME.subs(dict(zip(N, n, strict=True)))
        assert frame * frame.T == sp.eye(3) and frame.det() == 1, n


def test_the_derivative_of_the_moving_frame_is_finite_and_right():
    """Against exact differences of the entries: they are rational in n on either side of the jump."""
    slopes = [FRAME.diff(s) for s in N]
    for n in DIRECTIONS:
        at = dict(zip(N, map(sp.Rational, n), strict=True))
        for s, slope in zip(N, slopes, strict=True):
            h = sp.Rational(1, 10**12)
            ahead, behind = (FRAME.subs({**at, s: at[s] + d}) for d in (h, -h))
            np.testing.assert_allclose(
                np.array(slope.subs(at), dtype=float), np.array((ahead - behind) / (2 * h), dtype=float), atol=1e-6
            )
            assert abs(np.array(slope.subs(at), dtype=float)).max() < 20


def test_the_vertical_normal_has_the_tangents_x_and_y():
    assert [list(v) for v in moving(sp.Matrix([0, 0, 1]))] == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]


def balls(names=("upper", "lower"), radius=1):
    return [nsd.RigidBody(name, 1, sp.eye(3) * sp.Rational(2, 5) * radius**2) for name in names]


def test_the_normal_follows_from_the_gap():
    one, two = balls()
    apart = sp.Matrix(one.position - two.position)
    found = normal_of(nsd.let("distance", sp.sqrt(apart.dot(apart))) - 2, (one, two), where="here")
    at = dict(zip([*one.position, *two.position], [1, 2, 2, 0, 0, 0], strict=True))
    assert list(found.subs(at)) == [sp.Rational(1, 3), sp.Rational(2, 3), sp.Rational(2, 3)]
    with pytest.raises(ModelError, match="the gap does not depend on the position of 'lower'"):
        normal_of(one.position[2] - 1, (two, one), where="here")


@pytest.mark.parametrize("frame", [None, lambda n: n, lambda n: list(3 * n), lambda n: moving(n)])
@pytest.mark.few(2)
def test_a_contact_takes_a_frame_a_normal_or_what_its_gap_gives(frame):
    one, two = balls()
    apart = sp.Matrix(one.position - two.position)
    distance = sp.sqrt(apart.dot(apart))
    n = apart / distance
    given = {} if frame is None else {"frame": frame(n)}
    touch = nsd.Contact(
        "touch",
        distance - 2,
        nsd.NewtonImpactFriction(0, 0.5),
        bodies=(one, two),
        point=(one.position + two.position) / 2,
        **given,
    )
    rng = np.random.default_rng(3)
    functions = [*one.functions, *two.functions]
    symbols = {f: sp.Symbol(f"s{i}", real=True) for i, f in enumerate(functions)}
    values = {s: sp.Float(v) for s, v in zip(symbols.values(), rng.normal(size=len(functions)), strict=True)}
    expected = sp.Matrix.hstack(*moving(n)[1:]).T
    rates = enter_matrix(touch.tangent, symbols, where="here").subs(values)
    relative = sp.zeros(3, 1)
    for sign, body in ((1, one), (-1, two)):
        arm = (one.position + two.position) / 2 - body.position
        relative += sign * (body.velocity + (body.rotation * body.angular_velocity).cross(arm))
    meant = enter_matrix(expected * sp.Matrix(relative), symbols, where="here").subs(values)
    np.testing.assert_allclose(np.array(rates, dtype=float), np.array(meant, dtype=float), rtol=1e-12)


def test_what_bodies_need():
    one, two = balls()
    law, gap = nsd.NewtonImpactFriction(0, 0.5), one.position[2] - two.position[2] - 2
    with pytest.raises(ModelError, match="bodies without a point"):
        nsd.Contact("touch", gap, law, bodies=(one, two))
    with pytest.raises(ModelError, match="a frame joins one or two rigid bodies"):
        nsd.Contact("touch", gap, law, point=[0, 0, 0])


def striking(r=0.5):
    """A ball of radius r at a fixed ball of radius 1 around the origin; every direction is a run of one model."""
    (ball,) = balls(["ball"], sp.Rational(1, 2))
    distance = sp.sqrt(ball.position.dot(ball.position))
    touch = nsd.Contact(
        "touch",
        distance - 1 - sp.Rational(1, 2),
        nsd.NewtonImpactFriction(0.5, 0.3),
        bodies=ball,
        point=ball.position / distance,
    )
    return nsd.Model(
        "striking",
        [ball],
        [touch],
        scheme=nsd.MoreauJean(),
        step=1e-9,
        end=1e-9,
        initial={ball.position: [0, 0, 1.5]},
        allow_penetration=True,
    ).compile()


@pytest.fixture(scope="module")
def struck():
    return striking()


@pytest.mark.parametrize("speed", [0.2, 3.0], ids=["sticks", "slides"])
@pytest.mark.parametrize("n", DIRECTIONS, ids=lambda n: f"{n[0]:.2f},{n[1]:.2f},{n[2]:.2f}")
def test_an_impact_is_the_same_in_every_direction(struck, n, speed):
    """A solid ball that strikes with spin: sticking takes 2/7 of its mass, sliding mu times the normal impulse."""
    rng = np.random.default_rng(int(1e6 * abs(n[0]) + speed))
    n, r, e, mu = np.array(n, dtype=float), 0.5, 0.5, 0.3
    v = -n + speed * np.cross(n, rng.normal(size=3))
    spin = speed * rng.normal(size=3)
    run = struck.run(initial={"ball.position": 1.5 * n, "ball.velocity": v, "ball.angular_velocity": spin})
    normal = (1 + e) * -(n @ v)
    surface = v + np.cross(spin, -r * n)
    slip = surface - (n @ surface) * n
    tangential = -2 / 7 * slip
    if np.linalg.norm(tangential) > mu * normal:
        tangential *= mu * normal / np.linalg.norm(tangential)
    np.testing.assert_allclose(run["ball.velocity"][-1], v + normal * n + tangential, atol=1e-6)
    np.testing.assert_allclose(
        run["ball.angular_velocity"][-1], spin + np.cross(-r * n, tangential) / (0.4 * r**2), atol=1e-6
    )


def test_two_balls_one_above_the_other_stay():
    """Their frame by hand, up x n, has no direction here: the sliding rates were not finite."""
    upper, lower = (b.apply_force([0, 0, -9.81]) for b in balls())
    apart = sp.Matrix(upper.position - lower.position)
    law = nsd.NewtonImpactFriction(0, 0.5)
    touch = nsd.Contact(
        "touch", sp.sqrt(apart.dot(apart)) - 2, law, bodies=(upper, lower), point=(upper.position + lower.position) / 2
    )
    floor = nsd.Contact("floor", lower.position[2] - 1, law, bodies=lower, point=lower.position - sp.Matrix([0, 0, 1]))
    run = nsd.Model(
        "stack",
        [upper, lower],
        [touch, floor],
        scheme=nsd.MoreauJean(),
        step=1e-2,
        end=0.5,
        initial={upper.position: [0, 0, 3], lower.position: [0, 0, 1]},
    ).run()
    np.testing.assert_allclose(run["upper.position"], np.tile([0, 0, 3], (51, 1)), atol=1e-10)
    np.testing.assert_allclose(run["floor.impulse[0]"][1:], 2 * 9.81e-2, rtol=1e-9)
