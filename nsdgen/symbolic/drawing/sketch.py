"""Sketches: points, lines, springs and circles as expressions, for systems that are no rigid bodies."""

from collections.abc import Sequence
from typing import Any, Self

import sympy as sp

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.drawing.figure import Circle, Curve, Figure, Ground
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import column


@named_arguments
class Sketch:
    """What an animation shows of a model besides its bodies: ``nsd.Model(..., sketch=sketch)``.

    Places are expressions of time, coordinates, their rates and parameters, (x, y) in the plane, y upwards, or
    (x, y, z) in space [m], z upwards, or downwards with ``z="down"``, as vehicles often have it, and y then, too; all
    of one sketch are of one kind. Each method returns the sketch. What a figure is called is shown where the pointer is
    on it. Raises ``ModelError`` for places of another kind.
    """

    def __init__(self, z: str = "up") -> None:
        if z not in ("up", "down"):
            raise ModelError(f"z points {z!r}", where="sketch", fix="give z='up' or z='down'")
        self.down = z == "down"
        self.figures: list[Figure] = []
        self.dimension: int | None = None

    def plane(self, normal: Any, offset: Any = 0, name: str = "") -> Self:
        """The plane normal . x = offset [m], a grid seen from the side to which its normal points."""
        self.figures.append(Ground(name or "plane", "", self._place(normal, name or "plane"), as_expression(offset)))
        return self

    def line(self, *points: Any, name: str = "") -> Self:
        """A line through two or more points."""
        return self._curve(points, "line", name or "line")

    def spring(self, first: Any, second: Any, name: str = "") -> Self:
        """A spring between two points."""
        return self._curve((first, second), "spring", name or "spring")

    def point(self, *points: Any, name: str = "") -> Self:
        """Points, drawn as dots."""
        return self._curve(points, "points", name or "point")

    def circle(self, centre: Any, radius: Any, angle: Any = 0, name: str = "") -> Self:
        """A circle in the plane, of a radius [m], with a spoke that turns by ``angle`` [rad]."""
        place = self._place(centre, name or "circle")
        if self.dimension == 3:
            raise ModelError("a circle stands in the plane", where=f"sketch, {name!r}", fix="give (x, y)")
        self.figures.append(Circle(name or "circle", "", place, as_expression(radius), as_expression(angle)))
        return self

    def _curve(self, points: Sequence[Any], style: str, name: str) -> Self:
        least = 1 if style == "points" else 2
        if len(points) < least:
            raise ModelError(
                f"{len(points)} points", where=f"sketch, {name!r}", fix=f"give at least {least}: .{style}((x, y), ...)"
            )
        self.figures.append(Curve(name, "", tuple(self._place(p, name) for p in points), style))
        return self

    def _place(self, point: Any, name: str) -> tuple[sp.Expr, ...]:
        where = f"sketch, {name!r}"
        found = tuple(column(point, where=where))
        if len(found) not in (2, 3) or self.dimension not in (None, len(found)):
            raise ModelError(
                f"a place has {len(found)} coordinates"
                + (f", others {self.dimension}" if self.dimension not in (None, len(found)) else ""),
                where=where,
                fix="give (x, y) for all, or (x, y, z) for all",
            )
        self.dimension = len(found)
        return found if len(found) == 3 else (found[0], sp.S.Zero, found[1])
