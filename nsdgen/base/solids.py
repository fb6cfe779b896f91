"""Solids: what bodies look like. Sizes are numbers or expressions of parameters, in metres; axes are the body's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from nsdgen.base.checks import shown
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError

__all__ = [
    "Capsule",
    "Compound",
    "Cuboid",
    "Cylinder",
    "Ellipsoid",
    "HeightField",
    "Hull",
    "Mesh",
    "Prism",
    "RoundCone",
    "Solid",
    "Sphere",
]


@dataclass(frozen=True)
class Solid:
    """A form about its own centre; ``sizes`` are what its size is made of, in an order of its own."""

    @property
    def sizes(self) -> tuple[Any, ...]:
        """Its sizes [m]: the arguments of its constructor, or the entries of the only one."""
        given = tuple(getattr(self, f.name) for f in fields(self))
        return tuple(given[0]) if hasattr(given[0], "__iter__") and not isinstance(given[0], str) else given

    @property
    def kind(self) -> str:
        """As what it is drawn."""
        return type(self).__name__.lower()

    def of(self, sizes: Sequence[Any]) -> Solid:
        """A solid of this kind with other sizes, in the order of :attr:`sizes`."""
        made: Any = type(self)
        return made(*sizes) if len(fields(self)) == len(sizes) else made(sizes)  # type: ignore[no-any-return]


@named_arguments
@dataclass(frozen=True)
class Cuboid(Solid):
    """A box with these edges along x, y and z."""

    edges: Sequence[Any]

    def __post_init__(self) -> None:
        _three(self.edges, "the edges of a box")


@named_arguments
@dataclass(frozen=True)
class Ellipsoid(Solid):
    """An ellipsoid with these semi-axes along x, y and z."""

    semi_axes: Sequence[Any]

    def __post_init__(self) -> None:
        _three(self.semi_axes, "the semi-axes of an ellipsoid")


@named_arguments
@dataclass(frozen=True)
class Sphere(Solid):
    """A sphere."""

    radius: Any


@named_arguments
@dataclass(frozen=True)
class Cylinder(Solid):
    """A cylinder along z, from -length/2 to length/2."""

    radius: Any
    length: Any


@named_arguments
@dataclass(frozen=True)
class Capsule(Cylinder):
    """A cylinder along z with half a sphere on each end; ``length`` is that of the cylinder."""


@named_arguments
@dataclass(frozen=True)
class RoundCone(Cylinder):
    """A cone along z: the base of this radius at -length/2, the tip at length/2."""


@named_arguments
@dataclass(frozen=True)
class Mesh(Solid):
    """Triangles: ``vertices`` (n, 3) in body coordinates [m], ``faces`` (m, 3) their numbers, counterclockwise outside.

    Raises ``ModelError`` where a face names a vertex that is not there.
    """

    vertices: Sequence[Sequence[float]]
    faces: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        if not all(_is_row(row, 3) for row in (*self.vertices, *self.faces)):
            raise ModelError("has rows that are not three numbers", where="mesh", fix="give (n, 3) vertices and faces")
        n = len(self.vertices)
        if any(not 0 <= i < n for face in self.faces for i in face):
            raise ModelError(f"a face names a vertex outside 0 to {n - 1}", where="mesh", fix="count vertices from 0")

    @property
    def kind(self) -> str:
        """All that is made of triangles is drawn alike."""
        return "mesh"

    @property
    def sizes(self) -> tuple[Any, ...]:
        """All coordinates, vertex by vertex."""
        return tuple(c for v in self.vertices for c in v)

    def of(self, sizes: Sequence[Any]) -> Mesh:
        """The same faces over other vertices."""
        return Mesh([sizes[i : i + 3] for i in range(0, len(sizes), 3)], self.faces)


@named_arguments
class Hull(Mesh):
    """The convex hull of some places (n, 3) [m]: ``vertices`` are those of them that are corners, ``faces`` triangles.

    Raises ``ModelError`` for places that are not finite, and for those that lie in a plane.
    """

    def __init__(self, vertices: Any) -> None:
        from scipy.spatial import ConvexHull, QhullError

        places = _table(vertices)
        if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
            raise ModelError("has places that are not three finite numbers", where="hull", fix="give (n, 3) numbers")
        try:
            found = ConvexHull(places)
        except (QhullError, ValueError):
            raise ModelError(
                f"{len(places)} places enclose no volume",
                where="hull",
                fix="give at least four that are not in a plane",
            ) from None
        corners, faces = np.unique(found.simplices, return_inverse=True)
        own = places[corners]
        faces = faces.reshape(-1, 3)
        a, b, c = (own[faces[:, k]] for k in range(3))
        inside_out = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0
        faces[inside_out] = faces[inside_out][:, ::-1]
        super().__init__(tuple(map(tuple, own.tolist())), tuple(map(tuple, faces.tolist())))

    def of(self, sizes: Sequence[Any]) -> Hull:
        """The hull of other places."""
        return Hull([sizes[i : i + 3] for i in range(0, len(sizes), 3)])


@named_arguments
class Prism(Hull):
    """The convex hull of some places (n, 2) [m] in the plane, from -thickness/2 to thickness/2 along z."""

    def __init__(self, outline: Any, thickness: float) -> None:
        flat = _table(outline)
        if flat.ndim != 2 or flat.shape[1] != 2:
            raise ModelError("has an outline that is not (n, 2) numbers", where="prism", fix="give x and y of corners")
        ends = [np.column_stack([flat, np.full(len(flat), z)]) for z in (-thickness / 2, thickness / 2)]
        super().__init__(np.vstack(ends))


@named_arguments
class HeightField(Mesh):
    """Ground of these ``heights`` (n, m) [m] over a grid along x and y with this ``spacing`` [m], about the origin.

    Between four places it is two triangles, cut from low x and y to high. Raises ``ModelError`` for other heights.
    """

    def __init__(self, heights: Any, spacing: float | Sequence[float]) -> None:
        z, step = _table(heights), _table(spacing)
        step = np.broadcast_to(step if step.size in (1, 2) else np.nan, 2)
        if z.ndim != 2 or min(z.shape) < 2 or not np.isfinite(z).all():
            raise ModelError(f"has heights of shape {z.shape}", where="height field", fix="give (n, m) finite numbers")
        if not (np.isfinite(step).all() and step.min() > 0):
            raise ModelError(f"has the spacing {spacing!r}", where="height field", fix="give a length above 0 [m]")
        n, m = z.shape
        x, y = ((np.arange(k) - (k - 1) / 2) * s for k, s in zip((n, m), step, strict=True))
        vertices = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1).reshape(-1, 3)
        a = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).reshape(-1)
        faces = np.concatenate([np.stack([a, a + m, a + m + 1], axis=1), np.stack([a, a + m + 1, a + 1], axis=1)])
        super().__init__(tuple(map(tuple, vertices.tolist())), tuple(map(tuple, faces.tolist())))


_AS_IT_IS: tuple[Any, ...] = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
"""Place and quaternion of a part that has none."""


@named_arguments
@dataclass(frozen=True)
class Compound(Solid):
    """Several solids on one body: ``parts`` are (solid, position [m], quaternion), the last two may be left out."""

    parts: Sequence[Any]

    @property
    def placed(self) -> tuple[tuple[Solid, tuple[float, ...], tuple[float, ...]], ...]:
        """Solids with their places and quaternions; raises ``ModelError`` for what is none."""
        found = []
        for part in self.parts:
            given = tuple(part) if isinstance(part, (tuple, list)) else (part,)
            solid, at, turned, *more = (*given, *_AS_IT_IS[max(0, len(given) - 1) :])
            if not isinstance(solid, Solid) or isinstance(solid, Compound) or more:
                raise ModelError(
                    f"has the part {part!r}", where="compound", fix="give (solid, position, quaternion) of each part"
                )
            found.append((solid, tuple(at), tuple(turned)))
        if not found:
            raise ModelError("has no parts", where="compound", fix="give at least one solid")
        return tuple(found)

    @property
    def sizes(self) -> tuple[Any, ...]:
        """Those of all parts."""
        return tuple(size for solid, _, _ in self.placed for size in solid.sizes)


def filled(solid: Solid) -> tuple[float, tuple[float, float, float], float]:
    """Of a solid of one density: volume [m^3], principal moments of unit mass [m^2], the z of its centre of mass [m].

    Raises ``ModelError`` for solids of triangles and of parts.
    """
    match solid:
        case Sphere(r):
            return 4 / 3 * math.pi * r**3, (0.4 * r * r,) * 3, 0.0
        case Cuboid((a, b, c)):
            return a * b * c, ((b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12), 0.0
        case Ellipsoid((a, b, c)):
            return 4 / 3 * math.pi * a * b * c, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5), 0.0
        case RoundCone(r, length):
            across = 3 / 20 * r * r + 3 / 80 * length * length
            return math.pi * r * r * length / 3, (across, across, 3 / 10 * r * r), -length / 4
        case Capsule(r, length):
            cylinder, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
            c, b = cylinder / (cylinder + ball), ball / (cylinder + ball)
            # Two halves of a ball, each with its centre of mass 3 r / 8 beyond the end of the cylinder.
            beyond = b * (0.4 * r * r + length * length / 4 + 3 * length * r / 8)
            across = c * (r * r / 4 + length * length / 12) + beyond
            return cylinder + ball, (across, across, c * r * r / 2 + b * 0.4 * r * r), 0.0
        case Cylinder(r, length):
            across = r * r / 4 + length * length / 12
            return math.pi * r * r * length, (across, across, r * r / 2), 0.0
    raise ModelError(f"the mass of a {solid.kind} is not computed", where="solid", fix="give mass and inertia")


def quaternion_of(axes: Any) -> tuple[float, float, float, float]:
    """The unit quaternion, scalar first, of axes (3, 3) in columns."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(axes).as_quat().tolist()
    return w, x, y, z


def _three(values: Sequence[Any], what: str) -> None:
    if not _is_row(values, 3):
        given = f"{len(values)} values" if hasattr(values, "__len__") else shown(values)
        raise ModelError(f"{what} are {given}", where="solid", fix="give three lengths, along x, y and z")


def _is_row(values: Any, count: int) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str) and len(values) == count


def _table(values: Any) -> np.ndarray[Any, Any]:
    """Numbers that were given; none of what holds anything else."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return np.zeros(0)
