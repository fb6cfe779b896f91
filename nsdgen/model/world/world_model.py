"""The model behind a world: one class of bodies, one of contacts between two of them, one of contacts with what stands.

The gap of a contact is that of a feature: n . (x_a + R_a a - x_b - R_b b) + gap_0, with its normal n (inertial frame,
from b to a), the place where it acts in the frames of both bodies, and the gap there. All of these are data of a step,
found by the search; what stands has a place w, a velocity u of its surface, and a time from which it counts.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from nsdgen.model.model import Model
from nsdgen.schemes.moreau_jean import MoreauJean
from nsdgen.symbolic.expressions.product import dot, product
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.rigid_body import RigidBody
from nsdgen.symbolic.laws.drilling import NewtonImpactTorsionalFriction
from nsdgen.symbolic.laws.friction import NewtonImpactFriction, NewtonImpactRollingFriction
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.rows import Box
from nsdgen.symbolic.relations.along import VelocityConstraint
from nsdgen.symbolic.relations.contact import Contact
from nsdgen.symbolic.relations.frame import moving

_FORCE = ("f_x", "f_y", "f_z")
_MOMENT = ("m_x", "m_y", "m_z")
BODY_ARGUMENTS = ("mass", "i_x", "i_y", "i_z", *_FORCE, *_MOMENT, "dt")
"""Mass, principal moments, force [N, inertial frame], moment [N m, body frame], the step."""

GEOMETRY = (
    ("gap_0", "n_x", "n_y", "n_z", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z"),
    ("gap_0", "n_x", "n_y", "n_z", "a_x", "a_y", "a_z", "w_x", "w_y", "w_z", "u_x", "u_y", "u_z", "since"),
)
"""Arguments of a contact that the search fills in: of two bodies, and with what stands."""

JOINT = ("lower", "upper", "m_x", "m_y", "m_z", "n_x", "n_y", "n_z", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z", "rate")
"""Arguments of a row of a joint: bounds of its impulse, directions m of turns and n, places on bodies, its rate.

The rate is n . (velocity at a - velocity at b) + m . (turn of the first body - turn of the second); with the ground b
is left out."""


SCHEME = MoreauJean(
    theta=0.5,
    rotation="exponential",
    gradient_at="predicted",
    gap_at="predicted",
    gap_gamma=0.0,
    force_at="explicit",
    force_theta=0.0,
    activation="hysteresis",
)
"""What acts is what is closed now, whatever was remembered: how far the search looks decides nothing."""


@dataclass(frozen=True)
class WorldKernels:
    """Compiled kernels, and the order of arguments: of bodies, and those of the law of each pool."""

    compiled: Any
    law: tuple[tuple[str, ...], ...]


@cache
def world_kernels(rolls: bool, drills: bool, joints: bool) -> WorldKernels:
    """The kernels of worlds whose surfaces resist rolling and drilling or not, with joints or without; made once."""
    numbers = dict(zip(BODY_ARGUMENTS, sp.symbols(BODY_ARGUMENTS, real=True), strict=True))
    body = _body(numbers)
    bodies = body.copies(2, initial={body.position: [[0, 0, 0], [0, 0, 1]]})
    a, b = bodies[0].body, bodies[1].body
    features = {name: sp.Symbol(name, real=True) for pool in (*GEOMETRY, JOINT if joints else ()) for name in pool}
    n = _vector(features, "n")
    pair = _touching(a, b, n, features, rolls, drills)
    model = Model(
        "world",
        systems=[bodies],
        relations=[
            pair.copies([(0, 1)], like=(bodies[0], bodies[1])),
            _standing(a, n, features, rolls, drills).copies([0], like=(bodies[0],)),
            *(_joint_rows(bodies, features) if joints else ()),
        ],
        scheme=SCHEME,
        step=1e-3,
        end=1.0,
        parameters={
            s: _DEFAULTS.get(name, 0.0) for name, s in {**numbers, **features, **_coefficients(rolls, drills)}.items()
        },
    )
    compiled = model.compile()
    classes = compiled.record.relation_classes
    law = tuple(
        tuple(p for p in cls.parameters if p not in geometry)
        for cls, geometry in zip(classes[:2], GEOMETRY, strict=True)
    )
    for cls, own, geometry in zip(classes[:2], law, GEOMETRY, strict=True):
        assert cls.parameters == (*own, *geometry), "arguments of the law come first, then those of the geometry"
    if joints:
        with_ground = tuple(p for p in JOINT if p[0] != "b")
        assert [c.parameters for c in classes[2:]] == [JOINT, with_ground], "rows of joints have these arguments"
    return WorldKernels(compiled, law)


_DEFAULTS = {
    "mass": 1.0,
    "i_x": 1.0,
    "i_y": 1.0,
    "i_z": 1.0,
    "n_z": 1.0,
    "exchange": 1.0,
    "upper": 1.0,
    "gap_0": 10.0,
    "dt": 1e-3,
}


def _vector(symbols: dict[str, sp.Symbol], name: str) -> sp.Matrix:
    return sp.Matrix([symbols[f"{name}_{axis}"] for axis in "xyz"])


def _body(numbers: dict[str, sp.Symbol]) -> RigidBody:
    """A body about its principal axes whose gyroscopic moment is right to second order in the step.

    Forces are taken at the start of a step. The moment -Omega x L there would add energy in every one; half a step of
    its own rate makes it the moment of the middle.
    """
    inertia = sp.diag(numbers["i_x"], numbers["i_y"], numbers["i_z"])
    body = RigidBody("body", numbers["mass"], inertia)
    body.apply_force(_vector(numbers, "f"))
    body.apply_moment(_vector(numbers, "m"))
    omega = sp.Matrix(body.angular_velocity)
    spin = product(inertia, omega)
    turning = -omega.cross(spin)  # dL/dt
    faster = product(inertia.inv(), turning)
    return body.apply_moment(numbers["dt"] / 2 * (-faster.cross(spin) - omega.cross(turning)))


def _coefficients(rolls: bool, drills: bool) -> dict[str, sp.Symbol]:
    names = ["restitution", "friction"]
    names += ["torsional_friction", "exchange"] if drills else []
    names += ["rolling_friction"] if rolls else []
    return {name: sp.Symbol(f"surface_{name}", nonnegative=True) for name in names}


def _law(rolls: bool, drills: bool) -> Law:
    own = _coefficients(rolls, drills)
    if drills:
        return NewtonImpactTorsionalFriction(**own)
    return (NewtonImpactRollingFriction if rolls else NewtonImpactFriction)(**own)


def _touching(
    a: RigidBody, b: RigidBody, n: sp.Matrix, features: dict[str, sp.Symbol], rolls: bool, drills: bool
) -> Contact:
    """A contact of two bodies, each with a place of its own where it acts."""
    first, second = a.point(list(_vector(features, "a"))), b.point(list(_vector(features, "b")))
    slides = _velocity(a, first.local) - _velocity(b, second.local)
    return _contact("touch", n, first.position - second.position, slides, _turn(a) - _turn(b), features, rolls, drills)


def _standing(body: RigidBody, n: sp.Matrix, features: dict[str, sp.Symbol], rolls: bool, drills: bool) -> Contact:
    """A contact with what stands, or moves as it is told: its surface is where u has brought it since then."""
    point = body.point(list(_vector(features, "a")))
    u = _vector(features, "u")
    there = _vector(features, "w") + u * (time - features["since"])
    slides = _velocity(body, point.local) - u
    return _contact("rest", n, point.position - there, slides, _turn(body), features, rolls, drills)


def _contact(
    name: str,
    n: sp.Matrix,
    apart: sp.Matrix,
    slides: sp.Matrix,
    turn: sp.Matrix,
    features: dict[str, sp.Symbol],
    rolls: bool,
    drills: bool,
) -> Contact:
    """Along n, with friction along two tangents, and with moments about these or about n where surfaces have them."""
    tangents = moving(n)[1:]
    turning = [*(tangents if rolls else ()), *((n,) if drills else ())]
    return Contact(
        name,
        dot(n, apart) + features["gap_0"],
        _law(rolls, drills),
        tangent=[dot(t, slides) for t in tangents],
        rolling=[dot(t, turn) for t in turning] or None,
    )


class JointRow(VelocityConstraint):
    """A rate with an impulse within bounds: none for a constraint, those of a motor, 0 and none for a stop."""

    law = Box(sp.Symbol("lower", real=True), sp.Symbol("upper", real=True))


def _joint_rows(bodies: Any, features: dict[str, sp.Symbol]) -> list[Any]:
    """A row between two bodies, and one between a body and the ground."""
    n, m, rate = _vector(features, "n"), _vector(features, "m"), features["rate"]
    first, second = (
        dot(n, _velocity(body.body, _vector(features, at))) + dot(m, _turn(body.body))
        for body, at in zip(bodies, "ab", strict=True)
    )
    return [
        JointRow("joint", first - second - rate).copies([(0, 1)], like=(bodies[0], bodies[1])),
        JointRow("joint_to_ground", first - rate).copies([0], like=(bodies[0],)),
    ]


def _turn(body: RigidBody) -> sp.Matrix:
    """The angular velocity of a body, inertial frame."""
    return product(body.rotation, sp.Matrix(body.angular_velocity))


def _velocity(body: RigidBody, at: sp.Matrix) -> sp.Matrix:
    """Of a place on a body, inertial frame."""
    return sp.Matrix(body.velocity) + product(body.rotation, sp.Matrix(body.angular_velocity).cross(at))
