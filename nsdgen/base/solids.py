"""Solids: what bodies look like. Sizes are numbers or expressions of parameters, in metres; axes are the body's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nsdgen.errors import ModelError

__all__ = ["Capsule", "Cuboid", "Cylinder", "Ellipsoid", "Mesh", "RoundCone", "Solid", "Sphere"]


@dataclass(frozen=True)
class Solid:
    """A form about its own centre; ``sizes`` are what its size is made of, in an order of its own."""

    @property
    def sizes(self) -> tuple[Any, ...]:
        """Its sizes [m]."""
        raise NotImplementedError

    def of(self, sizes: Sequence[Any]) -> Solid:
        """A solid of this kind with other sizes, in the order of :attr:`sizes`."""
        return type(self)(*sizes)


@dataclass(frozen=True)
class Cuboid(Solid):
    """A box with these edges along x, y and z."""

    edges: Sequence[Any]

    def __post_init__(self) -> None:
        _three(self.edges, "the edges of a box")

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The three edges."""
        return tuple(self.edges)

    def of(self, sizes: Sequence[Any]) -> Cuboid:
        """A box with these edges."""
        return Cuboid(sizes)


@dataclass(frozen=True)
class Ellipsoid(Solid):
    """An ellipsoid with these semi-axes along x, y and z."""

    semi_axes: Sequence[Any]

    def __post_init__(self) -> None:
        _three(self.semi_axes, "the semi-axes of an ellipsoid")

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The three semi-axes."""
        return tuple(self.semi_axes)

    def of(self, sizes: Sequence[Any]) -> Ellipsoid:
        """An ellipsoid with these semi-axes."""
        return Ellipsoid(sizes)


@dataclass(frozen=True)
class Sphere(Solid):
    """A sphere."""

    radius: Any

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The radius."""
        return (self.radius,)


@dataclass(frozen=True)
class Cylinder(Solid):
    """A cylinder along z, from -length/2 to length/2."""

    radius: Any
    length: Any

    @property
    def sizes(self) -> tuple[Any, ...]:
        """Radius and length."""
        return self.radius, self.length


@dataclass(frozen=True)
class Capsule(Cylinder):
    """A cylinder along z with half a sphere on each end; ``length`` is that of the cylinder."""


@dataclass(frozen=True)
class RoundCone(Cylinder):
    """A cone along z: the base of this radius at -length/2, the tip at length/2."""


@dataclass(frozen=True)
class Mesh(Solid):
    """Triangles: ``vertices`` (n, 3) in body coordinates [m], ``faces`` (m, 3) their numbers, counterclockwise outside.

    Raises ``ModelError`` where a face names a vertex that is not there.
    """

    vertices: Sequence[Sequence[float]]
    faces: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        if any(len(v) != 3 for v in self.vertices) or any(len(f) != 3 for f in self.faces):
            raise ModelError("has rows that are not three numbers", where="mesh", fix="give (n, 3) vertices and faces")
        n = len(self.vertices)
        if any(not 0 <= i < n for face in self.faces for i in face):
            raise ModelError(f"a face names a vertex outside 0 to {n - 1}", where="mesh", fix="count vertices from 0")

    @property
    def sizes(self) -> tuple[Any, ...]:
        """All coordinates, vertex by vertex."""
        return tuple(c for v in self.vertices for c in v)

    def of(self, sizes: Sequence[Any]) -> Mesh:
        """The same faces over other vertices."""
        return Mesh([sizes[i : i + 3] for i in range(0, len(sizes), 3)], self.faces)


def _three(values: Sequence[Any], what: str) -> None:
    if len(values) != 3:
        raise ModelError(f"{what} are {len(values)} values", where="solid", fix="give three, along x, y and z")
