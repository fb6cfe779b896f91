"""What a robot's file says of its joints as relations: stops, springs, friction, equations, motors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.base.suggest import nearest
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.joints.elements import Bushing
from nsdgen.symbolic.joints.joint import Joint
from nsdgen.symbolic.joints.kinds import Fixed, Spherical
from nsdgen.symbolic.joints.marker import Marker
from nsdgen.symbolic.relations.along import ForceElement
from nsdgen.symbolic.relations.contact import Bilateral, Contact
from nsdgen.symbolic.relations.relation import Relation
from nsdgen.symbolic.robots.description import Actuator, Closure, Description


@dataclass(frozen=True, eq=False)
class Acting:
    """Relations on the joints of a robot; ``controls`` are the inputs of the motors by name."""

    limits: list[Contact] = field(default_factory=list)
    springs: list[ForceElement] = field(default_factory=list)
    friction: list[Relation] = field(default_factory=list)
    couplings: list[Relation] = field(default_factory=list)
    motors: list[Relation] = field(default_factory=list)
    controls: dict[str, sp.Symbol] = field(default_factory=dict)


def acting_on(description: Description, joints: Mapping[str, Joint], marker: Callable[..., Marker]) -> Acting:
    """The relations of a description; raises ``ModelError`` for what acts on no joint."""
    found = Acting()
    for stated in description.joints.values():
        if stated.kind == "floating" and stated.damping:
            ends = marker(stated.child), marker(stated.parent)
            found.springs.append(
                Bushing(f"{stated.name} spring", *ends, damping=stated.damping, turning_damping=stated.damping)
            )
        if stated.name not in joints:
            continue
        joint = joints[stated.name]
        if stated.limits is not None:  # an angle of joint coordinates goes on counting: those beyond pi are reached
            bounds = dict(zip(("lower", "upper"), map(as_expression, stated.limits), strict=True))
            found.limits.extend(joint.stops(joint.freedom(), bounds))
        if stated.damping and not joint.freedoms:  # of a ball
            found.springs.append(
                Bushing(f"{joint.name} spring", joint.first, joint.second, turning_damping=stated.damping)
            )
        for of in joint.freedoms if stated.damping or stated.stiffness else ():
            found.springs.append(joint.spring(stated.stiffness, damping=stated.damping, rest=stated.rest, of=of))
        for of in joint.freedoms if stated.friction else ():
            found.friction.append(joint.friction(stated.friction, of=of))
    for closure in description.closures:
        found.couplings.append(_coupling(closure, description, joints, marker))
    for actuator in description.actuators:
        found.controls[actuator.name] = sp.Symbol(actuator.name, real=True)
        found.motors.append(_motor(actuator, _joint(actuator.joint, actuator.where, joints), found.controls))
    return found


def _joint(name: str, where: str, joints: Mapping[str, Joint]) -> Joint:
    if name not in joints:
        raise ModelError(
            f"there is no joint {name!r} that moves",
            where=where,
            fix=nearest(name, joints) or f"there are {', '.join(joints) or 'none'}",
        )
    return joints[name]


def _coupling(
    closure: Closure, description: Description, joints: Mapping[str, Joint], marker: Callable[..., Marker]
) -> Relation:
    if closure.kind != "joint":
        first, second = (
            marker(link, *(list(map(float, v)) for v in (p.origin, p.rotation[:, 2], p.rotation[:, 0])))
            for link, p in zip(closure.links, closure.frames, strict=True)
        )
        return (Fixed if closure.kind == "weld" else Spherical)(closure.name, first, second)
    (name, other), freedom = closure.joints, _joint(closure.joints[0], closure.where, joints).freedom()
    if other == name:
        raise ModelError(f"couples {name!r} with itself", where=closure.where, fix="name the joint that it follows")
    way = sp.S.Zero
    if other is not None:
        way = _joint(other, closure.where, joints).freedom().coordinate - description.joints[other].at
    path = sum((a * way**i for i, a in enumerate(closure.polynomial)), sp.S.Zero)
    return Bilateral(closure.name, freedom.coordinate - description.joints[name].at - path, units=freedom.units[1:])


def _motor(actuator: Actuator, joint: Joint, controls: Mapping[str, sp.Symbol]) -> ForceElement:
    """gear (gain u + b0 + b1 s + b2 s')."""
    freedom, gear, (b0, b1, b2) = joint.freedom(), actuator.gear, actuator.bias
    u: Any = _within(controls[actuator.name], actuator.range)
    force = actuator.gain * u + b0 + b1 * gear * freedom.coordinate + b2 * gear * freedom.rate
    found = ForceElement(
        actuator.name, freedom.rate, gear * _within(force, actuator.force_range), units=freedom.units[1:]
    )
    found.of, found.counted = joint, freedom
    return found


def _within(value: sp.Expr, bounds: tuple[float, float] | None) -> sp.Expr:
    return value if bounds is None else sp.Max(bounds[0], sp.Min(bounds[1], value))
