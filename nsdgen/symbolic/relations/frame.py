"""Contact frames: a normal, tangents, and the rates of bodies along them.

A frame (n, t1, t2) is right-handed and orthonormal, in the inertial frame; n points from the second
body (or the fixed surroundings) to the first, and all rates are those of the first relative to the
second.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import vector
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.product import dot, product
from nsdgen.symbolic.families.rigid_body import BodyPoint


@runtime_checkable
class Body(Protocol):
    """What moves like a rigid body, whatever family it is of.

    Position and velocity [3] of its origin and its rotation matrix, body to inertial, are in the inertial frame,
    its angular velocity [3] in its own.
    """

    name: str

    @property
    def position(self) -> sp.Matrix:
        """The origin [m]."""

    @property
    def velocity(self) -> sp.Matrix:
        """Of the origin [m/s]."""

    @property
    def rotation(self) -> sp.Matrix:
        """3x3, body to inertial."""

    @property
    def angular_velocity(self) -> sp.Matrix:
        """[rad/s], body frame."""


def orthonormal(normal: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """A right-handed orthonormal frame (n, t1, t2) of a normal of any length, always the same for one normal.

    t1 is the projection of the axis that the normal is most nearly orthogonal to (the first such), t2 = n x t1: the
    normal z gives x and y. A normal whose entries all move or depend on parameters has the frame of :func:`moving`.
    """
    n = normal / sp.sqrt(normal.dot(normal))
    if all(c.is_number for c in n):
        sizes = [abs(float(c)) for c in n]
        axis = sizes.index(min(sizes))
    elif sp.S.Zero in list(n):
        axis = list(n).index(0)
    else:
        return moving(n)
    unit = sp.Matrix([int(i == axis) for i in range(3)])
    first = unit - n * n[axis]
    first = first / sp.sqrt(first.dot(first))
    return n, first, n.cross(first)


def moving(n: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """The frame (n, t1, t2) of a unit vector that may point anywhere: finite, and so are its derivatives.

    z is turned into n (into -n below) about the axis orthogonal to both, and the frame with it. No frame is
    continuous on the whole sphere: this one jumps where n_z = -3/4, away from the directions of contacts side by
    side and one above the other, and from those of close packings. (Duff et al., Building an orthonormal basis,
    revisited, 2017, with another place of the jump.)
    """
    x, y, z = n
    side = Branch(sp.S.One, z >= -sp.Rational(3, 4), -sp.S.One, sp.true)
    a = -1 / (side + z)
    return (
        n,
        sp.Matrix([1 + side * a * x**2, side * a * x * y, -side * x]),
        sp.Matrix([a * x * y, side + a * y**2, -y]),
    )


def normal_of(gap: sp.Expr, bodies: Any, *, where: str) -> sp.Matrix:
    """The gradient of a gap in the position of the first body: it points from what it is near to that body."""
    first = pair_of(bodies, where=where)[0]
    normal = sp.Matrix([gap.diff(c) for c in first.position])
    if normal.is_zero_matrix:
        raise ModelError(
            f"the gap does not depend on the position of {first.name!r}",
            where=where,
            fix="name the body that the gap moves with first, or give frame=...",
        )
    return normal


def frame_of(frame: Any, *, where: str) -> list[sp.Matrix]:
    """The vectors of a frame n, (n, t) or (n, t1, t2); raises ``ModelError`` where numbers are not orthonormal.

    A normal alone, of any length, has the tangents of :func:`orthonormal`.
    """
    if isinstance(frame, sp.MatrixBase) or (
        isinstance(frame, Sequence)
        and len(frame) == 3
        and not any(isinstance(v, Sequence | sp.MatrixBase) for v in frame)
    ):
        return list(orthonormal(vector(frame, where=f"{where}, frame")))
    if not isinstance(frame, Sequence) or len(frame) not in (2, 3):
        raise ModelError(
            f"the frame {frame!r} is not a normal with one or two tangents",
            where=where,
            fix="give a normal, or frame=(n, t1, t2), three vectors in the inertial frame",
        )
    vectors = [vector(v, where=f"{where}, frame") for v in frame]
    for i, a in enumerate(vectors):
        for j, b in enumerate(vectors[: i + 1]):
            of_both = dot(a, b)
            if of_both.is_number and abs(float(of_both) - (i == j)) > 1e-9:
                raise ModelError(
                    f"the vectors {j} and {i} of the frame have the product {float(of_both):g}",
                    where=where,
                    fix="give orthonormal vectors: normal, first tangent, second tangent",
                )
    if len(vectors) == 3:
        volume = dot(vectors[0].cross(vectors[1]), vectors[2])
        if volume.is_number and float(volume) < 0:
            raise ModelError("the frame is left-handed", where=where, fix="give t2 = n x t1")
    return vectors


def pair_of(bodies: Any, *, where: str) -> tuple[Body, ...]:
    """One or two bodies; raises ``ModelError`` for anything else."""
    pair = tuple(bodies) if isinstance(bodies, Sequence) else (bodies,)
    if len(pair) not in (1, 2) or not all(isinstance(b, Body) for b in pair):
        raise ModelError(
            "a frame joins one or two rigid bodies",
            where=where,
            fix="give bodies=(first, second), or bodies=(first,) against the surroundings; "
            "for generalised coordinates write tangent=...",
        )
    return pair


def relative_rates(
    frame: Sequence[sp.Matrix], point: BodyPoint | Any, bodies: Any, *, where: str
) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """Sliding rates t . (v_a(P) - v_b(P)) along each tangent, and t . (omega_a - omega_b); the last about the normal.

    ``frame`` is (n, t1, ...), ``bodies`` are one or two rigid bodies; ``point`` P is a body point or an inertial
    position [m].
    """
    pair = pair_of(bodies, where=where)
    if point is None:
        raise ModelError("bodies without a point", where=where, fix="give point=..., where the bodies touch")
    at = point.position if isinstance(point, BodyPoint) else vector(point, where=f"{where}, point")
    velocity, spin = sp.zeros(3, 1), sp.zeros(3, 1)
    for sign, body in zip((1, -1), pair, strict=False):
        omega = product(body.rotation, body.angular_velocity)
        if isinstance(point, BodyPoint) and point.body is body:
            arm = product(body.rotation, body.angular_velocity.cross(point.local))
        else:
            arm = omega.cross(at - body.position)
        velocity += sign * (body.velocity + arm)
        spin += sign * omega
    normal, *tangents = frame
    return [dot(t, velocity) for t in tangents], [dot(t, spin) for t in (*tangents, normal)]
