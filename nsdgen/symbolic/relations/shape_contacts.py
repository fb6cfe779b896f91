"""Contacts of smooth shapes in one call: spheres, capsules, boxes, ellipsoids, edges, surfaces f(x) = 0.

Each function gives contacts with gap, place and frame; where the law has friction they slide, and roll, along the
tangents there. Shapes are fixed to bodies at ``at``, body coordinates [m]; planes are :class:`nsdgen.Plane`. Gaps are
distances, exact for all shapes but surfaces, where f / |grad f| is the distance to first order. Frames are finite
wherever the normal points.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from nsdgen.base.solids import Cuboid, Ellipsoid, Sphere
from nsdgen.base.suggest import named_arguments
from nsdgen.symbolic.drawing.figure import BodyFigure, Figure
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import own_symbol, vector
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.expressions.product import dot, product
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.relations.contact import Contact, Plane, contacts_between, reaction_arrow
from nsdgen.symbolic.relations.frame import moving
from nsdgen.symbolic.relations.relation import checked_law
from nsdgen.symbolic.relations.segments import SegmentCrossing, nearest_on
from nsdgen.symbolic.relations.shape_checks import aside_of, length, pair, plane_of, rigid, surface_of, two_bodies

__all__ = [
    "box_plane",
    "capsule_capsule",
    "capsule_plane",
    "edge_edge",
    "ellipsoid_plane",
    "point_surface",
    "sphere_plane",
    "sphere_sphere",
    "sphere_surface",
]


def _contact(
    name: str,
    gap: sp.Expr,
    law: Law,
    bodies: Sequence[Any],
    point: sp.Matrix,
    frame: Any,
    arguments: dict[sp.Symbol, Any] | None = None,
    figures: Sequence[Figure] = (),
) -> Contact:
    """The contact; place and frame only where the law has friction. What ``figures`` show, it shows besides."""
    rubs = checked_law(law, f"contact {name!r}").tangents
    contact = (
        Contact(name, gap, law, arguments, bodies=tuple(bodies), point=point, frame=frame)
        if rubs
        else Contact(name, gap, law, arguments)
    )
    known = {s: as_expression(v) for s, v in (arguments or {}).items()}
    placed = replaced(sp.Matrix.hstack(point, *frame), known)  # shared parts once: as trees these are huge
    place, *axes = (placed[:, i] for i in range(placed.cols))
    contact.figures = [reaction_arrow(name, place, axes), *figures]
    return contact


def _ball(body: Any, radius: sp.Expr, at: Any) -> BodyFigure:
    """How a body looks that is a sphere about a place on it."""
    return BodyFigure(body.name, solids=((Sphere(radius), tuple(vector(at, where="at")), (1, 0, 0, 0)),))


def _place(body: Any, at: Any, where: str) -> sp.Matrix:
    """Of a body point, in the inertial frame."""
    return rigid(body, where).position + product(body.rotation, vector(at, where=where))


@named_arguments
def sphere_plane(name: str, body: Any, radius: Any, plane: Plane, law: Law, at: Any = (0, 0, 0)) -> Contact:
    """A sphere of this radius [m] about a point of a body, on a plane."""
    r, centre = length(radius, f"{name!r}, radius", zero=True), _place(body, at, f"{name!r}, at")
    n = plane_of(plane, f"contact {name!r}").frame[0]
    figures = [plane.figure, _ball(body, r, at)]
    return _contact(name, plane.gap(centre) - r, law, (body,), centre - r * n, plane.frame, figures=figures)


@named_arguments
def sphere_sphere(
    name: str,
    first: Any,
    first_radius: Any,
    second: Any,
    second_radius: Any,
    law: Law,
    first_at: Any = (0, 0, 0),
    second_at: Any = (0, 0, 0),
) -> Contact:
    """Two spheres about points of two bodies. Centres that meet have no normal."""
    two_bodies(first, second, f"contact {name!r}")
    r1, r2 = (length(r, f"{name!r}, radius", zero=True) for r in (first_radius, second_radius))
    c1, c2 = _place(first, first_at, f"{name!r}, at"), _place(second, second_at, f"{name!r}, at")
    balls = [_ball(first, r1, first_at), _ball(second, r2, second_at)]
    return _rounded(name, c1, r1, c2, r2, law, (first, second), figures=balls)


def _rounded(
    name: str,
    p: sp.Matrix,
    r1: sp.Expr,
    q: sp.Matrix,
    r2: sp.Expr,
    law: Law,
    bodies: tuple[Any, Any],
    arguments: dict[sp.Symbol, Any] | None = None,
    figures: Sequence[Figure] = (),
) -> Contact:
    """Two spheres about places in the inertial frame."""
    apart = p - q
    distance = let("distance", sp.sqrt(dot(apart, apart)))
    n = apart / distance
    return _contact(name, distance - r1 - r2, law, bodies, q + r2 * n, moving(n), arguments, figures)


@named_arguments
def capsule_plane(name: str, body: Any, radius: Any, ends: Sequence[Any], plane: Plane, law: Law) -> list[Contact]:
    """A capsule, the hull of two spheres about its two ``ends`` (body coordinates), on a plane: a contact for each."""
    return [
        sphere_plane(f"{name} {i}", body, radius, plane, law, at)
        for i, at in enumerate(pair(ends, f"contact {name!r}", "a capsule"))
    ]


@named_arguments
def box_plane(body: Any, size: Any, plane: Plane, law: Law, at: Any = (0, 0, 0)) -> list[Contact]:
    """A box with edges ``size`` [m] along the body axes, centred at ``at``, on a plane: a contact for each corner.

    An edge of length 0 makes a plate with four corners.
    """
    rigid(body, "box")
    plane_of(plane, "box")
    checked_law(law, "box")
    centre = vector(at, where="box, at")
    edges = [length(e, "box, size", zero=True) for e in vector(size, where="box, size")]
    signs = itertools.product(*((-1, 1) if e != 0 else (1,) for e in edges))
    corners = [centre + sp.Matrix([s * e for s, e in zip(corner, edges, strict=True)]) / 2 for corner in signs]
    found = contacts_between([body.point(list(c)) for c in corners], plane, law=law)
    found[0].figures = [
        *found[0].figures,
        BodyFigure(body.name, solids=((Cuboid(edges), tuple(centre), (1, 0, 0, 0)),)),
    ]
    return found


@named_arguments
def ellipsoid_plane(name: str, body: Any, semi_axes: Any, plane: Plane, law: Law, at: Any = (0, 0, 0)) -> Contact:
    """An ellipsoid with these semi-axes [m] along the body axes, on a plane; it touches where the normals agree.

    With the normal m in the body frame and D the semi-axes, the support is |D m| and the place -D^2 m / |D m|.
    """
    where = f"{name!r}, semi_axes"
    D = sp.diag(*(length(s, where) for s in vector(semi_axes, where=where)))
    n, centre = plane_of(plane, f"contact {name!r}").frame[0], _place(body, at, f"{name!r}, at")
    m = product(product(D, body.rotation.T), n)
    support = let("support", sp.sqrt(dot(m, m)))
    return _contact(
        name,
        plane.gap(centre) - support,
        law,
        (body,),
        centre - product(product(body.rotation, D), m) / support,
        plane.frame,
        figures=[
            plane.figure,
            BodyFigure(
                body.name, solids=((Ellipsoid(D.diagonal().tolist()[0]), tuple(vector(at, where="at")), (1, 0, 0, 0)),)
            ),
        ],
    )


@named_arguments
def capsule_capsule(
    name: str,
    first: Any,
    first_radius: Any,
    first_ends: Sequence[Any],
    second: Any,
    second_radius: Any,
    second_ends: Sequence[Any],
    law: Law,
) -> list[Contact]:
    """Two capsules, each the hull of two spheres about its ``ends`` (body coordinates): five contacts.

    Four are those of the end spheres with the other capsule, so that capsules lie on each other along a line; the last
    one acts where they cross. The smallest of the gaps is the distance; where they do not cross, the last is that of
    the axes, larger by both radii. Axes that meet have no normal.
    """
    where = f"contact {name!r}"
    two_bodies(first, second, where)
    r1, r2 = (length(r, f"{name!r}, radius") for r in (first_radius, second_radius))
    (a, ea, la), (b, eb, lb) = (
        _segment(body, ends, where, "a capsule") for body, ends in ((first, first_ends), (second, second_ends))
    )
    bodies, found = (first, second), list[Contact]()
    for body, ends, (start, along) in ((first, first_ends, (b, eb)), (second, second_ends, (a, ea))):
        end = _place(body, _END, where)
        near = nearest_on(end, start, along)
        p, q = (end, near) if body is first else (near, end)
        found += [
            _rounded(f"{name} {len(found) + i}", p, r1, q, r2, law, bodies, dict(zip(_END, at, strict=True)))
            for i, at in enumerate(pair(ends, where, "a capsule"))
        ]
    lines = SegmentCrossing(a, ea, b, eb, (la, lb))
    crossed = _contact(
        f"{name} 4",
        lines.distance - r1 - r2 + lines.opened(r1 + r2),
        law,
        bodies,
        lines.foot + r2 * lines.normal,
        lines.frame,
    )
    return [*found, crossed]


_END = [own_symbol("slot", f"end_{axis}") for axis in "xyz"]


@named_arguments
def edge_edge(
    name: str,
    first: Any,
    first_edge: Sequence[Any],
    second: Any,
    second_edge: Sequence[Any],
    law: Law,
    outward: Any,
    depth: Any = None,
) -> Contact:
    """Two straight edges of solids, each by two points in the frame of its body, where they cross.

    The gap is the distance of the lines, negative inside the second body: ``outward`` points out of it at its edge, in
    its frame. The contact acts where the feet lie on both edges and the first is no deeper than ``depth`` [m], by
    default a tenth of the shorter edge: deeper it is beyond, and the gap positive again. Beyond the ends of an edge the
    gap is that of the segments and ``depth`` more: add contacts of vertices, which are what touches there, and where
    edges lie on each other.
    """
    where = f"contact {name!r}"
    two_bodies(first, second, where)
    (a, ea, la), (b, eb, lb) = (
        _segment(body, edge, where, "an edge") for body, edge in ((first, first_edge), (second, second_edge))
    )
    out = aside_of(outward, second_edge, where)
    thick = length(sp.Min(la, lb) / 10 if depth is None else depth, f"{name!r}, depth")
    lines = SegmentCrossing(a, ea, b, eb, (la, lb), second.rotation * out)
    middle = let("from_middle", lines.distance + thick / 2)
    above = Branch(sp.S.One, middle >= 0, -sp.S.One, sp.true)
    n, t1, t2 = lines.frame
    return _contact(
        name,
        above * middle - thick / 2 + lines.opened(thick),
        law,
        (first, second),
        lines.foot,
        (above * n, t1, above * t2),
    )


def _segment(body: Any, ends: Sequence[Any], where: str, what: str) -> tuple[sp.Matrix, sp.Matrix, sp.Expr]:
    """A point and the direction of a segment, in the inertial frame, and its length."""
    start, end = pair(ends, where, what)
    along = end - start
    place = rigid(body, where).position + product(body.rotation, start)
    return place, product(body.rotation, along), sp.sqrt(dot(along, along))


@named_arguments
def point_surface(name: str, body: Any, at: Any, surface: Callable[..., Any], law: Law, on: Any = None) -> Contact:
    """A body point outside a surface f(x, y, z) = 0: ``surface`` is f as a function of three expressions.

    f grows away from the obstacle, and its gradient does not vanish near it. The surface is fixed to the body ``on``,
    then x, y, z are coordinates of that body, or stands on the ground; what moves there in time, f(x, y, z, t), moves
    along its normal and drags nothing along.
    """
    return sphere_surface(name, body, 0, surface, law, at, on)


@named_arguments
def sphere_surface(
    name: str, body: Any, radius: Any, surface: Callable[..., Any], law: Law, at: Any = (0, 0, 0), on: Any = None
) -> Contact:
    """A sphere about a body point outside a surface, as in :func:`point_surface`, small beside its curvature."""
    where = f"contact {name!r}"
    r, centre = length(radius, f"{name!r}, radius", zero=True), _place(body, at, f"{name!r}, at")
    place, turn = sp.zeros(3, 1), sp.eye(3)
    if on is not None:
        two_bodies(body, on, where)
        place, turn = on.position, on.rotation
    coordinates = sp.symbols("surface_x surface_y surface_z", real=True)
    f = surface_of(surface, coordinates, where)
    slopes = sp.Matrix([f.diff(s) for s in coordinates])
    here = dict(zip(coordinates, turn.T * (centre - place), strict=True))
    steep = let("steepness", sp.sqrt(dot(slopes, slopes)).xreplace(here))
    n = turn * slopes.xreplace(here) / steep
    return _contact(
        name, f.xreplace(here) / steep - r, law, (body,) if on is None else (body, on), centre - r * n, moving(n)
    )
