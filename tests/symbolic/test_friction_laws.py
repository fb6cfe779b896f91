"""Laws with friction and boxes: what they refuse, what merges, and the frames of planes."""

import hypothesis.strategies as st
import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.errors import ModelError, ParameterError
from nsdgen.symbolic.relations.frame import orthonormal

m, mu, a = sp.symbols("m mu a", positive=True)
x, y, z = dynamicsymbols("x y z")
lam = nsd.multipliers("lam", 2)
FRICTION = nsd.NewtonImpactFriction(0.1, mu)


def block(name="block", coordinates=(x, y)):
    rates = [c.diff() ** 2 for c in coordinates]
    return nsd.LagrangianSystem(name, list(coordinates), kinetic=m * sum(rates) / 2)


def description(*relations, systems=None):
    systems = systems or [block()]
    initial = {c: 0 for s in systems for c in s.functions if isinstance(c, sp.core.function.AppliedUndef)}
    return nsd.Model(
        "model",
        systems,
        list(relations),
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1,
        parameters={m: 1, mu: 0.3, a: 1},
        initial=initial,
    ).description


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (lambda: nsd.NewtonImpactFriction(1.5, 0.1), r"restitution 1.5 lies outside \[0, 1\]"),
        (lambda: nsd.NewtonImpactFriction(0, -0.1), r"friction -0.1 lies outside \[0, infinity\]"),
        (lambda: nsd.NewtonImpactFriction(0, sp.zoo), "friction zoo lies outside"),
        (lambda: nsd.NewtonImpactFriction(0, 0, -1.5), r"tangential_restitution -1.5 lies outside \[-1, 1\]"),
        (lambda: nsd.NewtonImpactRollingFriction(0, 0.1, -1), "rolling_friction -1 lies outside"),
        (lambda: nsd.Box(1, -1), "the box .* of row 0 is empty"),
        (lambda: nsd.Box([0, 2], 1), "of row 1 is empty"),
        (lambda: nsd.Box(sp.oo, sp.oo), "is empty"),
        (lambda: nsd.Box([], 1), "empty list"),
        (lambda: nsd.Box(sp.I, 1), "no real number"),
        (lambda: nsd.Relay(-1), "the level -1 is negative"),
        (lambda: nsd.Mixed([nsd.NewtonImpact(0.5)]), "cannot be mixed"),
    ],
)
def test_laws_refuse(law, words):
    with pytest.raises(ModelError, match=words):
        law()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nsd.Contact("c", gap=y, law=FRICTION), "needs tangents"),
        (lambda: nsd.Contact("c", gap=y, law=nsd.NewtonImpact(0), tangent=x), "a law without friction"),
        (lambda: nsd.Contact("c", gap=y, law=FRICTION, tangent=[x, x, x]), "has 3 tangents"),
        (
            lambda: nsd.Contact("c", gap=y, law=nsd.NewtonImpactRollingFriction(0, mu, a), tangent=x, rolling=x),
            "has 1 tangents",
        ),
        (
            lambda: nsd.Contact("c", gap=y, law=nsd.NewtonImpactRollingFriction(0, mu, a), tangent=[x, z]),
            "has 0 rolling rates",
        ),
        (lambda: nsd.Contact("c", gap=y, law=FRICTION, tangent=x, rolling=x), "has 1 rolling rates"),
        (lambda: nsd.Contact("c", gap=y, law=nsd.Box(-1, 1)), "bounds of its multiplier"),
        (
            lambda: nsd.Contact("c", gap=y, law=FRICTION, tangent=x, frame=([0, 1, 0], [1, 0, 0])),
            "a frame and tangents",
        ),
        (lambda: nsd.Contact("c", gap=y, law=FRICTION, tangent=x, point=[0, 0, 0]), "a frame and tangents"),
        (lambda: nsd.Contact("c", gap=y, law=FRICTION, point=[0, 0, 0]), "a frame joins one or two rigid bodies"),
        (lambda: nsd.FirstOrderRelation("r", lam, lam, {}, nsd.Box([0, 1, 2], 3)), "3 bounds for 2 rows"),
        (lambda: nsd.FirstOrderRelation("r", lam, lam, {}, FRICTION), "a law for contacts"),
    ],
)
def test_relations_refuse(make, words):
    with pytest.raises(ModelError, match=words) as caught:
        make()
    assert caught.value.fix


@pytest.mark.parametrize(
    ("tangent", "words"),
    [
        (x.diff() * y.diff(), "not linear in the velocities"),
        (sp.floor(x.diff()), "not linear in the velocities"),  # though its derivative is 0 wherever it has one
        (nsd.mod(x.diff(), 1), "not linear in the velocities"),
        (nsd.piecewise((x.diff(), x.diff() > 0), (2 * x.diff(), True)), "not linear in the velocities"),
        (sp.sin(nsd.time), "does not move with the systems"),
        (x.diff().diff(), "nobody's symbol"),
    ],
)
def test_tangents_are_rates_or_coordinates(tangent, words):
    with pytest.raises(ModelError, match=words):
        description(nsd.Contact("c", gap=y, tangent=tangent, law=FRICTION))


def test_bounds_know_time_and_parameters_or_are_rewritten():
    plant = nsd.FirstOrderSystem("plant", [x], [0])

    def model(law):
        relation = nsd.FirstOrderRelation("relay", lam, [x, x], {plant: [lam[0] + lam[1]]}, law)
        return nsd.Model(
            "model", [plant], [relation], scheme=nsd.ThetaGamma(), step=1, end=2, parameters={a: 1}, initial={x: 0}
        )

    for law in (nsd.Box(-1, x), nsd.Box(-1, lam[0]), nsd.Box([-1, x * a], 1)):
        found = model(law).description.relation_classes[0]
        assert found.law.parts[-1] == nsd.Complementarity() and not found.bounds.has(x, lam[0])
    for stranger in (sp.Symbol("unknown"), sp.Function("stranger")(nsd.time)):
        with pytest.raises(ModelError, match="nobody's symbol"):
            model(nsd.Box(-1, stranger))
    cls = model(nsd.Box([-sp.oo, -a * (1 + sp.cos(nsd.time))], [2, sp.oo])).description.relation_classes[0]
    t, slot = sp.Symbol("time/t", real=True), sp.Symbol("law/upper0", real=True)
    assert list(cls.bounds) == [-sp.oo, slot, -a * (1 + sp.cos(t)), sp.oo]
    assert cls.law.cones(2) == ((Cone.BOX, 2),)


def test_coefficients_do_not_move():
    with pytest.raises(ModelError, match="depends on time"):
        description(nsd.Contact("c", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0, 1 + sp.sin(nsd.time))))


def test_what_merges():
    contacts = [
        nsd.Contact("one", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0.1, mu)),
        nsd.Contact("two", gap=y, tangent=x, law=nsd.NewtonImpactFriction(a / 2, 0.2, 0.3)),
        nsd.Contact("rate", gap=y, tangent=x.diff(), law=FRICTION),
        nsd.Contact("other", gap=y, tangent=-x, law=FRICTION),
    ]
    found = description(*contacts)
    assert [r.cls for r in found.relations] == [0, 0, 0, 1]  # a coordinate and its rate are the same
    symbols = {"mu": mu, "a": a}
    assert [
        [v.value.subs({s: symbols[s.name] for s in v.value.free_symbols}) for v in r.arguments[:3]]
        for r in found.relations[:2]
    ] == [[0.1, mu, 0], [a / 2, 0.2, 0.3]]


def test_bounds_of_a_mixed_law_have_slots_of_their_own():
    law = nsd.Mixed([nsd.Box(-1, 1), nsd.Complementarity(), nsd.Box(-2, a)])
    assert [s.symbol.name for s in law.slots] == ["law/lower_0", "law/upper_0", "law/lower_2", "law/upper_2"]
    assert law.cones(3) == ((Cone.BOX, 1), (Cone.COMPLEMENTARITY, 1), (Cone.BOX, 1))
    assert list(law.bounds(3)) == [s.symbol for s in law.slots]
    assert nsd.Relay(a) == nsd.Box(-a, a)


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=3))
def test_the_frame_of_a_plane_is_right_handed_and_orthonormal(normal):
    assume(any(normal))
    frame = np.array([[float(c) for c in v] for v in orthonormal(sp.Matrix(normal))])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_allclose(frame[0] * np.linalg.norm(normal), normal, atol=1e-12)


def test_frames_of_known_planes():
    assert [list(v) for v in nsd.Plane("p", [0, 0, 2]).frame] == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    incline = nsd.Plane("p", [-sp.sin(mu), 0, sp.cos(mu)]).frame
    assert list(incline[1]) == [0, 1, 0] and sp.simplify(incline[0].cross(incline[1]) - incline[2]) == sp.zeros(3, 1)
    frame = sp.Matrix.hstack(*nsd.Plane("p", [a, m, mu]).frame).subs({a: 1, m: 2, mu: 2})
    assert frame.T * frame == sp.eye(3) and frame.det() == 1


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (([0, 0, 1], [1, 0, 0], [1, 0, 0]), "product"),
        (([0, 0, 2], [1, 0, 0]), "product"),
        (([0, 0, 1], [0, 1, 0], [1, 0, 0]), "left-handed"),
        (([0, 0, 1],), "not a normal with"),
        ("z", "not a normal with"),
    ],
)
def test_frames_of_numbers_are_checked(frame, words):
    body = nsd.RigidBody("body", m, sp.eye(3))
    with pytest.raises(ModelError, match=words):
        nsd.Contact("c", gap=body.position[2], frame=frame, point=[0, 0, 0], bodies=(body,), law=FRICTION)


def test_the_range_of_a_friction_parameter_is_checked_when_a_run_starts():
    free = sp.Symbol("free", real=True)
    model = nsd.Model(
        "model",
        [block()],
        [nsd.Contact("c", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0, free))],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1,
        parameters={m: 1, free: 0.3},
        initial={x: 0, y: 1},
    )
    with pytest.raises(ParameterError, match=r"friction is -0\.1"):
        model.run(parameters={free: -0.1})
