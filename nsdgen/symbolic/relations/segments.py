"""Two straight segments in space: where their lines are nearest to each other, and whether the segments reach that far.

With r = a - b and c = ea x eb the feet of the lines are a - ea (r x eb) . c / |c|^2 and b - eb (r x ea) . c / |c|^2:
no cancellation where the segments are nearly parallel. They cross where both feet lie on the segments.
"""

from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Floor, let

_PARALLEL = sp.Float(1e-24)
"""(sin of the angle)^2 below which segments are parallel: c is a rounding error there."""

_SMALLEST = sp.Float(1e-300)


def nearest_on(point: sp.Matrix, start: sp.Matrix, along: sp.Matrix) -> sp.Matrix:
    """The point of the segment start ... start + along that is nearest to a point."""
    share = (point - start).dot(along) / along.dot(along)
    return start + let("foot", Branch(sp.S.Zero, share <= 0, sp.S.One, share >= 1, share, sp.true)) * along


@dataclass(frozen=True, eq=False)
class SegmentCrossing:
    """The segments a ... a + ea and b ... b + eb.

    ``lengths`` are |ea| and |eb|. The normal does not turn against ``aside``; without one it points to the first, and
    the distance has no sign.
    """

    a: sp.Matrix
    ea: sp.Matrix
    b: sp.Matrix
    eb: sp.Matrix
    lengths: tuple[sp.Expr, sp.Expr]
    aside: sp.Matrix | None = None

    @cached_property
    def _across(self) -> sp.Matrix:
        return sp.Matrix([let(f"across_{axis}", c) for axis, c in zip("xyz", self.ea.cross(self.eb), strict=True)])

    @cached_property
    def _square(self) -> sp.Expr:
        return let("across", self._across.dot(self._across))

    @cached_property
    def _shares(self) -> list[sp.Expr]:
        """The place of each foot on its segment, times |c|^2."""
        r = self.a - self.b
        return [
            let(f"share_{name}", -r.cross(other).dot(self._across))
            for name, other in (("first", self.eb), ("second", self.ea))
        ]

    @cached_property
    def normal(self) -> sp.Matrix:
        """A unit vector orthogonal to both; of rounding errors, or zero, where they are parallel and have none."""
        aside = self._across.dot(self.a - self.b if self.aside is None else self.aside)
        size = sp.sqrt(Branch(self._square, self._square > _SMALLEST, _SMALLEST, sp.true))
        return let("turned", Branch(sp.S.One, aside >= 0, -sp.S.One, sp.true) / size) * self._across

    @cached_property
    def frame(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """The normal, the direction of the first, and what is orthogonal to both."""
        t1 = self.ea / self.lengths[0]
        return self.normal, t1, self.normal.cross(t1)

    @cached_property
    def distance(self) -> sp.Expr:
        """Of the lines, along the normal."""
        return let("lines", self.normal.dot(self.a - self.b))

    @cached_property
    def foot(self) -> sp.Matrix:
        """That on the line of the second; its first end where they are parallel."""
        return self.b + self._shares[1] / Branch(self._square, self._square > 0, sp.S.One, sp.true) * self.eb

    def opened(self, by: sp.Expr) -> sp.Expr:
        """What a gap is larger by: 0 where the segments cross, at least twice ``by`` where they do not.

        It is constant piece by piece, and the larger the further away the feet are: neither the gradient
        nor what a gap is predicted to be in a step changes its sense where the feet leave the segments.
        """
        first, second = self._shares
        parallel = self._square <= _PARALLEL * (self.lengths[0] * self.lengths[1]) ** 2
        inside = sp.And(first >= 0, second >= 0, first <= self._square, second <= self._square)
        far = sp.sqrt(first**2 + second**2) / self._square
        return by * Branch(2, parallel, 0, inside, 2 + Floor(far), sp.true)
