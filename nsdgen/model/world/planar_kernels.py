"""The model behind a planar world: bodies of three coordinates, contacts of two rows.

Gaps and slidings are linear in coordinates, with data of a step: n . (x_a - x_b) + l_a phi_a - l_b phi_b + gap_0, with
the levers l of the normal and k of the tangent about the centres of both bodies. What stands has a velocity u of its
surface, and a time from which it counts. Contacts that resist rolling have the five rows of space, of
which piles take three: rolling stands there three times (``runtime/_pile.pxi``).
"""

from functools import cache
from typing import Any

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

from nsdgen.model.model import Model
from nsdgen.model.world.world_model import SCHEME, JointRow
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.lagrangian import LagrangianSystem
from nsdgen.symbolic.laws.friction import NewtonImpactFriction, NewtonImpactRollingFriction
from nsdgen.symbolic.relations.contact import Contact

BODY = ("mass", "i_z", "f_x", "f_y", "m_z")
"""Arguments of a body: force [N] and moment [N m]."""

PAIR = ("gap_0", "n_x", "n_y", "l_a", "k_a", "l_b", "k_b")
REST = ("gap_0", "n_x", "n_y", "l_a", "k_a", "u_x", "u_y", "since")
JOINT = ("lower", "upper", "n_x", "n_y", "l_a", "l_b", "rate")
"""Arguments of a row of a joint: bounds of its impulse, its direction n and levers l of it and of turns, its rate."""
_LAW = ("surface_restitution", "surface_friction", "surface_rolling_friction")


@cache
def planar_kernels(rolls: bool, joints: bool) -> Any:
    """The compiled kernels of planar worlds whose surfaces resist rolling or not, with joints or without; made once."""
    s = {name: sp.Symbol(name, real=True) for name in (*BODY, *PAIR, *REST, *(JOINT if joints else ()))}
    x, y, angle = coordinates = [dynamicsymbols(name) for name in ("x", "y", "angle")]
    body = LagrangianSystem(
        "body",
        coordinates,
        kinetic=(s["mass"] * (x.diff() ** 2 + y.diff() ** 2) + s["i_z"] * angle.diff() ** 2) / 2,
        forces=[s["f_x"], s["f_y"], s["m_z"]],
        units=["m", "m", "rad"],
    )
    bodies = body.copies(2, initial={x: [0, 0], y: [0, 1], angle: 0.0})
    a, b = ([one.coordinate(c) for c in coordinates] for one in bodies)
    n_x, n_y = s["n_x"], s["n_y"]
    first, second = (
        (n_x * q[0] + n_y * q[1] + s[f"l_{e}"] * q[2], n_x * q[1] - n_y * q[0] + s[f"k_{e}"] * q[2])
        for q, e in ((a, "a"), (b, "b"))
    )
    since = time - s["since"]
    driven = (n_x * s["u_x"] + n_y * s["u_y"]) * since, (n_x * s["u_y"] - n_y * s["u_x"]) * since
    coefficients = [sp.Symbol(name, nonnegative=True) for name in (_LAW if rolls else _LAW[:2])]
    touch, rest = (
        _contact(name, gap + s["gap_0"], slides, turns, coefficients)
        for name, gap, slides, turns in (
            ("touch", first[0] - second[0], first[1] - second[1], a[2] - b[2]),
            ("rest", first[0] - driven[0], first[1] - driven[1], a[2]),
        )
    )
    relations = [touch.copies([(0, 1)], like=(bodies[0], bodies[1])), rest.copies([0], like=(bodies[0],))]
    if joints:
        one, other = first[0].diff(time), second[0].diff(time)
        relations += [
            JointRow("joint", one - other - s["rate"]).copies([(0, 1)], like=(bodies[0], bodies[1])),
            JointRow("joint_to_ground", one - s["rate"]).copies([0], like=(bodies[0],)),
        ]
    defaults = {symbol: _DEFAULTS.get(name, 0.0) for name, symbol in s.items()}
    model = Model(
        "planar_world",
        systems=[bodies],
        relations=relations,
        scheme=SCHEME,
        step=1e-3,
        end=1.0,
        parameters={**defaults, **dict.fromkeys(coefficients, 0.0)},
    )
    compiled = model.compile()
    law_arguments = ("restitution", "friction", *(("rolling_friction",) if rolls else ()), "tangential_restitution")
    wanted = [(*law_arguments, *PAIR), (*law_arguments, *REST)]
    wanted += [JOINT, tuple(p for p in JOINT if p != "l_b")] if joints else []
    assert compiled.record.system_classes[0].parameters == BODY, "a body has these arguments"
    assert [c.parameters for c in compiled.record.relation_classes] == wanted, "arguments of the law come first"
    return compiled


def _contact(name: str, gap: sp.Expr, slides: sp.Expr, turns: sp.Expr, coefficients: list[sp.Symbol]) -> Contact:
    """With rolling friction where there are three coefficients; ``turns`` is the angle that rolls."""
    if len(coefficients) < 3:
        return Contact(name, gap, NewtonImpactFriction(*coefficients), tangent=slides)
    return Contact(name, gap, NewtonImpactRollingFriction(*coefficients), tangent=[slides, turns], rolling=[turns] * 2)


_DEFAULTS = {"mass": 1.0, "i_z": 1.0, "n_y": 1.0, "gap_0": 10.0, "upper": 1.0}
