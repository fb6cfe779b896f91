"""Contact frames: a normal, tangents, and the rates of bodies along them.

A frame (n, t1, t2) is right-handed and orthonormal, in the inertial frame; n points from the second
body (or the fixed surroundings) to the first, and all rates are those of the first relative to the
second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.entry import vector
from nsdgen.symbolic.rigid_body import BodyPoint, RigidBody

__all__ = ["orthonormal", "relative_rates", "tangents_of"]


def orthonormal(normal: sp.Matrix, *, where: str) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """A right-handed orthonormal frame (n, t1, t2) of a normal of any length, always the same for one normal.

    t1 is the projection of the axis that the normal is most nearly orthogonal to (the first such),
    t2 = n x t1: the normal z gives x and y. Raises ``ModelError`` for a normal of parameters without
    a zero entry, where the choice would depend on their values.
    """
    n = normal / sp.sqrt(normal.dot(normal))
    if all(c.is_number for c in n):
        sizes = [abs(float(c)) for c in n]
        axis = sizes.index(min(sizes))
    elif sp.S.Zero in list(n):
        axis = list(n).index(0)
    else:
        raise ModelError("no tangent can be chosen: the normal depends on parameters in all its entries", where=where,
                         fix="give frame=(n, t1, t2) yourself, with nsd.Contact(..., frame=..., point=..., bodies=...)")
    unit = sp.Matrix([int(i == axis) for i in range(3)])
    first = unit - n * n[axis]
    first = first / sp.sqrt(first.dot(first))
    return n, first, n.cross(first)


def tangents_of(frame: Any, *, where: str) -> list[sp.Matrix]:
    """The tangents of a frame (n, t) or (n, t1, t2); raises ``ModelError`` where numbers are not orthonormal."""
    if not isinstance(frame, Sequence) or len(frame) not in (2, 3):
        raise ModelError(f"the frame {frame!r} is not a normal with one or two tangents", where=where,
                         fix="give frame=(n, t1, t2), three vectors in the inertial frame")
    vectors = [vector(v, where=f"{where}, frame") for v in frame]
    for i, a in enumerate(vectors):
        for j, b in enumerate(vectors[:i + 1]):
            product = a.dot(b)
            if product.is_number and abs(float(product) - (i == j)) > 1e-9:
                raise ModelError(f"the vectors {j} and {i} of the frame have the product {float(product):g}",
                                 where=where, fix="give orthonormal vectors: normal, first tangent, second tangent")
    if len(vectors) == 3:
        volume = vectors[0].cross(vectors[1]).dot(vectors[2])
        if volume.is_number and float(volume) < 0:
            raise ModelError("the frame is left-handed", where=where, fix="give t2 = n x t1")
    return vectors[1:]


def relative_rates(tangents: Sequence[sp.Matrix], point: BodyPoint | Any, bodies: Any,
                   *, where: str) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """Sliding rates t . (v_a(P) - v_b(P)) and rolling rates t . (omega_a - omega_b) along each tangent.

    ``bodies`` are one or two rigid bodies; ``point`` P is a body point or an inertial position [m].
    """
    pair = tuple(bodies) if isinstance(bodies, Sequence) else (bodies,)
    if len(pair) not in (1, 2) or not all(isinstance(b, RigidBody) for b in pair):
        raise ModelError("a frame joins one or two rigid bodies", where=where,
                         fix="give bodies=(first, second), or bodies=(first,) against the surroundings; "
                             "for generalised coordinates write tangent=...")
    if point is None:
        raise ModelError("a frame without a point", where=where, fix="give point=..., where the bodies touch")
    at = point.position if isinstance(point, BodyPoint) else vector(point, where=f"{where}, point")
    velocity, spin = sp.zeros(3, 1), sp.zeros(3, 1)
    for sign, body in zip((1, -1), pair, strict=False):
        omega = body.rotation * body.angular_velocity
        if isinstance(point, BodyPoint) and point.body is body:
            arm = body.rotation * body.angular_velocity.cross(point.local)
        else:
            arm = omega.cross(at - body.position)
        velocity += sign * (body.velocity + arm)
        spin += sign * omega
    return [t.dot(velocity) for t in tangents], [t.dot(spin) for t in tangents]
