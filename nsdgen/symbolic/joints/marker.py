"""Markers: a place on a body, or on the ground, with axes. Joints and force elements join two of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from nsdgen.base.checks import named
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import vector
from nsdgen.symbolic.expressions.product import dot, product
from nsdgen.symbolic.relations.frame import Body, orthonormal


@named_arguments
@dataclass(frozen=True, eq=False)
class Marker:
    """A place with axes (e1, e2, e3), right-handed and orthonormal: fixed to a body, or to the ground.

    ``at`` are its body coordinates [m] (inertial ones for the ground, ``body=None``), ``axis`` the direction of e3
    there, of any length: that of a hinge, a slider, a shaft. e1 is ``reference`` made orthogonal to it, by default
    as in :attr:`nsdgen.Plane.frame`: the axis z has the references x and y. Angles are counted from e1. ``position``,
    ``axes``, ``velocity`` and ``angular_velocity`` may be keys of ``initial``.
    Raises ``ModelError`` for an axis of length 0 and a reference along it.
    """

    body: Any = None
    at: Any = (0, 0, 0)
    axis: Any = (0, 0, 1)
    reference: Any = None

    def __post_init__(self) -> None:
        if self.body is not None and not isinstance(self.body, Body):
            raise ModelError(
                f"{self.body!r} does not move like a rigid body",
                where="marker",
                fix="give a nsd.RigidBody, or body=None for the ground",
            )
        vector(self.at, where=f"{self._where}, at")
        self.local_axes  # noqa: B018  refuses what is no axis

    @property
    def _where(self) -> str:
        return f"marker on {self.body.name!r}" if self.body is not None else "marker on the ground"

    @cached_property
    def local_axes(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """e1, e2, e3 in the frame of the body."""
        axis = vector(self.axis, where=f"{self._where}, axis")
        if axis.dot(axis) == 0:
            raise ModelError("the axis is zero", where=self._where, fix="give its direction")
        if self.reference is None:
            n, first, second = orthonormal(axis)
            return first, second, n
        n = axis / sp.sqrt(axis.dot(axis))
        along = vector(self.reference, where=f"{self._where}, reference")
        first = along - n * n.dot(along)
        length = sp.sqrt(first.dot(first))
        if length.is_zero or (length.is_number and float(length) < 1e-9):
            raise ModelError(
                "the reference lies along the axis",
                where=self._where,
                fix="give another direction, from which angles are counted",
            )
        first = first / length
        return first, n.cross(first), n

    @cached_property
    def position(self) -> sp.ImmutableMatrix:
        """Of the place, in the inertial frame [m]."""
        at = vector(self.at, where=self._where)
        return sp.ImmutableMatrix(at if self.body is None else self.body.position + product(self.body.rotation, at))

    @cached_property
    def axes(self) -> tuple[sp.ImmutableMatrix, sp.ImmutableMatrix, sp.ImmutableMatrix]:
        """e1, e2, e3 in the inertial frame."""
        turned = (e if self.body is None else product(self.body.rotation, e) for e in self.local_axes)
        e1, e2, e3 = map(sp.ImmutableMatrix, turned)
        return e1, e2, e3

    @cached_property
    def angular_velocity(self) -> sp.ImmutableMatrix:
        """Of the axes, in the inertial frame [rad/s]."""
        still = self.body is None
        return sp.ImmutableMatrix(sp.zeros(3, 1) if still else product(self.body.rotation, self.body.angular_velocity))

    @cached_property
    def velocity(self) -> sp.ImmutableMatrix:
        """Of the place, in the inertial frame [m/s]."""
        if self.body is None:
            return sp.ImmutableMatrix.zeros(3, 1)
        at = vector(self.at, where=self._where)
        turning = product(self.body.rotation, self.body.angular_velocity.cross(at))
        return sp.ImmutableMatrix(self.body.velocity + turning)


def as_marker(given: Any, where: str) -> Marker:
    """A marker, or a place on the ground given by its coordinates; raises ``ModelError`` for anything else."""
    if isinstance(given, Marker):
        return given
    if hasattr(given, "body") and hasattr(given, "local"):
        return Marker(given.body, given.local)
    if isinstance(given, Sequence | sp.MatrixBase) and not isinstance(given, str):
        return Marker(None, vector(given, where=where))
    raise ModelError(
        f"{named(given)} is no marker",
        where=where,
        fix="give nsd.Marker(body, at, axis), a point of a body, or coordinates on the ground",
    )


def relative_displacements(first: Marker, second: Marker) -> list[sp.Expr]:
    """Coordinates of the place of the first marker along the axes of the second [m]."""
    apart = first.position - second.position
    return [dot(e, apart) for e in second.axes]


def speeds(first: Marker, second: Marker) -> list[sp.Expr]:
    """The rates of :func:`relative_displacements` [m/s]."""
    apart = first.position - second.position
    moving = first.velocity - second.velocity - second.angular_velocity.cross(apart)
    return [dot(e, moving) for e in second.axes]


def relative_rates_about(first: Marker, second: Marker) -> list[sp.Expr]:
    """The angular velocity of the first relative to the second, along the axes of the second [rad/s]."""
    turning = first.angular_velocity - second.angular_velocity
    return [dot(e, turning) for e in second.axes]
