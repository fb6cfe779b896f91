"""Solids as shapes that meet: kinds and sizes for the search, volume, centre of mass and inertia of what is filled."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base import solids
from nsdgen.base.checks import finite_number, shown
from nsdgen.errors import ModelError
from nsdgen.model.world._shapes import HullForm, MeshForm, ShapeForm
from nsdgen.model.world.polyhedra import (
    around_edges,
    box_tree,
    check_closed,
    filled,
    flat_faces,
    is_convex,
    normals_of,
    together,
)

SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL, MESH, HALF_SPACE = range(9)  # as in _pair_points.pxd
_Numbers = NDArray[np.float64]
_LARGEST = 1e50
"""Lengths [m] from its inverse to this have moments of inertia that are numbers."""

_LEAST = 1e-9
"""Of the largest size of a shape: smaller ones are lost in the rounding of its places."""

_ROUND_ONCE = 1.001
"""Times its volume: the hull of a surface that turns outwards at each edge has as much, unless it winds twice."""

_THIN = 1e-3
"""Of the ball around a closed surface: half of how thick it is at least. What rests moves by less in a step."""


@dataclass(frozen=True)
class CollisionShape:
    """A shape about ``origin`` [m] in the frame of its solid: ``kind``, three ``sizes``, balls around and inside.

    ``inside`` of a surface is how far it may come into another one and is not looked at.

    ``volume`` [m^3], ``centre`` of mass [m] and ``inertia`` [m^2] (3, 3) about that, of unit mass, where it is filled.
    """

    kind: int
    sizes: tuple[float, float, float]
    around: float
    inside: float
    volume: float
    inertia: _Numbers
    centre: _Numbers = field(default_factory=lambda: np.zeros(3))
    origin: _Numbers = field(default_factory=lambda: np.zeros(3))
    form: ShapeForm | None = None


@dataclass(frozen=True)
class Part:
    """A shape on a solid: its place [m] and axes (3, 3, in columns) there."""

    shape: CollisionShape
    at: _Numbers = field(default_factory=lambda: np.zeros(3))
    axes: _Numbers = field(default_factory=lambda: np.eye(3))

    @property
    def middle(self) -> _Numbers:
        """What its shape is about, in the frame of the solid [m]."""
        found: _Numbers = self.at + self.axes @ self.shape.origin
        return found


def parts_of(solid: Any, where: str, shaped: Callable[[Any, str], CollisionShape]) -> list[Part]:
    """The shapes of a solid as ``shaped`` gives them, each with its place; raises ``ModelError`` as that does."""
    if not isinstance(solid, solids.Compound):
        return [Part(shaped(solid, where))]
    return [
        Part(
            shaped(own, f"{where}, part {k}"),
            numbers(at, 3, f"{where}, place of part {k}"),
            rotation(quaternion(turned, f"{where}, quaternion of part {k}")),
        )
        for k, (own, at, turned) in enumerate(solid.placed)
    ]


def movable(solid: Any, where: str, shaped: Callable[[Any, str], CollisionShape]) -> CollisionShape:
    """The shape of a solid that encloses a volume, of which a body can be made."""
    shape = shaped(solid, where)
    if shape.volume > 0.0:
        return shape
    why = check_closed(together(np.asarray(solid.vertices, dtype=float), np.asarray(solid.faces), where)[1])
    raise ModelError(
        f"is no closed surface: {why or 'its faces look inwards'}",
        where=where,
        fix="close it, let faces run counterclockwise seen from outside, or give nsd.solids.Hull(vertices); "
        "as it is it can only stand (world.stand)",
    )


def shape_of(solid: Any, where: str) -> CollisionShape:
    """The shape of a solid; raises ``ModelError`` for those that nothing meets yet and for sizes that are none."""
    if type(solid) not in _SHAPES:
        known = ", ".join(kind.__name__ for kind in _SHAPES)
        raise ModelError(
            f"{shown(solid)} is no shape that bodies meet", where=where, fix=f"use one of nsd.solids: {known}"
        )
    sizes = [finite_number(s, where=f"{where}, sizes") for s in solid.sizes]
    if isinstance(solid, solids.Mesh):
        return (_hull if isinstance(solid, solids.Hull) else _mesh)(solid, where)
    if not all(1.0 / _LARGEST <= s <= _LARGEST for s in sizes) or min(sizes) < _LEAST * max(sizes):
        raise ModelError(
            f"has sizes {sizes}",
            where=where,
            fix=f"give lengths of {1 / _LARGEST:g} to {_LARGEST:g} m, none below {_LEAST:g} of the largest",
        )
    volume, moments, along = solids.filled(solid.of(sizes))
    kind, own, around, inside = _SHAPES[type(solid)](*sizes)
    return CollisionShape(kind, own, around, inside, volume, np.diag(moments), np.array([0.0, 0.0, along]))


def planar_shape_of(solid: Any, where: str) -> CollisionShape:
    """The shape in the plane z = 0 of a solid that is the same above and below; raises ``ModelError`` for others."""
    shape = shape_of(solid, where)
    if type(solid) is solids.Cylinder:  # a disc
        r = shape.sizes[0]
        return replace(shape, kind=SPHERE, sizes=(r, 0.0, 0.0), around=r, inside=r)
    if type(solid) is solids.Sphere:
        return shape
    if type(solid) is solids.Cuboid:
        return replace(shape, inside=min(shape.sizes[:2]))
    if isinstance(solid, solids.Hull):
        from scipy.spatial import ConvexHull

        places = np.asarray(solid.vertices, dtype=float)
        half = np.abs(places[:, 2]).max()
        if (np.abs(places[:, 2]) == half).all() and {*map(tuple, places)} == {*map(tuple, places * [1, 1, -1])}:
            sides = ConvexHull(places[:, :2] - shape.centre[:2]).equations
            inside = float(-sides[:, 2].max())
            return replace(shape, centre=shape.centre * [1, 1, 0], origin=shape.origin * [1, 1, 0], inside=inside)
    raise ModelError(
        f"{shown(solid)} has no shape in the plane",
        where=where,
        fix="use nsd.solids.Cylinder (a disc), Sphere, Cuboid or Prism",
    )


def _hull(solid: solids.Mesh, where: str) -> CollisionShape:
    vertices = np.asarray(solid.vertices, dtype=float)
    volume, centre, inertia = filled(vertices, np.asarray(solid.faces))
    starts, loops, normals = flat_faces(vertices, np.asarray(solid.faces), where)
    own = vertices - centre
    around = float(np.sqrt((own**2).sum(axis=1)).max())
    inside = min(float(normals[k] @ own[loops[s]]) for k, s in enumerate(starts[:-1]))
    form = HullForm(own, starts, loops, normals)
    return CollisionShape(HULL, (around, 0.0, 0.0), around, inside, volume, inertia, centre, centre, form)


def _mesh(solid: solids.Mesh, where: str) -> CollisionShape:
    """A surface; what is inside, its volume, is only there where it is closed. One around a convex body is its hull."""
    vertices, faces = together(np.asarray(solid.vertices, dtype=float), np.asarray(solid.faces), where)
    normals = normals_of(vertices, faces, where)
    kinds, beyond = around_edges(vertices, faces, normals, where)
    if check_closed(faces) is None and (found := filled(vertices, faces))[0] > 0.0:
        volume, centre, inertia = found
        if is_convex(faces, normals, beyond):
            with suppress(ModelError):  # a face with more corners than hulls have room for
                hull = _hull(solids.Hull(vertices), where)
                if hull.volume < _ROUND_ONCE * volume:
                    return hull
    else:
        volume, centre, inertia = 0.0, (vertices.min(axis=0) + vertices.max(axis=0)) / 2, np.zeros((3, 3))
    own = vertices - centre
    form = MeshForm(own, faces, normals, kinds, beyond, *box_tree(own, faces))
    around = float(np.sqrt((own**2).sum(axis=1)).max())
    return CollisionShape(MESH, (around, 0.0, 0.0), around, _THIN * around, volume, inertia, centre, centre, form)


_SHAPES: dict[type[solids.Solid], Any] = {
    solids.Sphere: lambda r: (SPHERE, (r, 0.0, 0.0), r, r),
    solids.Cuboid: lambda a, b, c: (BOX, (a / 2, b / 2, c / 2), math.hypot(a / 2, b / 2, c / 2), min(a, b, c) / 2),
    solids.Capsule: lambda r, h: (CAPSULE, (r, h / 2, 0.0), r + h / 2, r),
    solids.Cylinder: lambda r, h: (CYLINDER, (r, h / 2, 0.0), math.hypot(r, h / 2), min(r, h / 2)),
    solids.RoundCone: lambda r, h: (CONE, (r, -h / 2, h / 2), math.hypot(r, h / 2), r * h / (r + math.hypot(r, h))),
    solids.Ellipsoid: lambda a, b, c: (ELLIPSOID, (a, b, c), max(a, b, c), min(a, b, c)),
    solids.Hull: _hull,
    solids.Prism: _hull,
    solids.Mesh: _mesh,
    solids.HeightField: _mesh,
}


def numbers(value: Any, count: int, where: str) -> _Numbers:
    """A vector of so many finite numbers; raises ``ModelError`` for anything else."""
    try:
        given = np.asarray(value)
        found = given.astype(float) if given.dtype.kind not in "USb" else np.zeros(0)  # text and truth are no numbers
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise ModelError(
            f"{shown(value)} is not {count} finite numbers", where=where, fix=f"give a list of {count} numbers"
        )
    return found


def quaternion(value: Any, where: str) -> _Numbers:
    """A unit quaternion, scalar first."""
    found = numbers(value, 4, where)
    size = float(np.linalg.norm(found))
    if abs(size - 1.0) > 1e-6:
        raise ModelError(
            f"has norm {size:g}", where=where, fix="give a unit quaternion (nsd.from_axis_angle makes one)"
        )
    return found / size


def rotation(p: _Numbers) -> _Numbers:
    """R(p) of a unit quaternion, 3x3."""
    w, x, y, z = p
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turned_after(turned: _Numbers, axes: _Numbers) -> _Numbers:
    """The quaternion of axes (3, 3) in a frame that is turned itself; the same where they are those of the frame."""
    return turned if np.array_equal(axes, np.eye(3)) else np.array(solids.quaternion_of(rotation(turned) @ axes))


def turn_to(n: _Numbers) -> _Numbers:
    """The quaternion that turns z into a unit vector."""
    if n[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    found = np.array([1.0 + n[2], -n[1], n[0], 0.0])
    return found / np.linalg.norm(found)
