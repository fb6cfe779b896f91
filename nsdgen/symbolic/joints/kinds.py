"""The lower pairs and their relatives, each by the rows that it imposes and the freedoms that it leaves.

d is the way from the place of the second marker to that of the first, a and b are the axes of the two; every row is a
product of two vectors at most, without a singularity where the joint is assembled.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import sympy as sp

from nsdgen.base.checks import whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.product import dot
from nsdgen.symbolic.joints.freedom import CROSSED, BallMotion, Freedom, JointMotion, angle_of, wound
from nsdgen.symbolic.joints.joint import Joint, negative
from nsdgen.symbolic.joints.marker import Marker, as_marker, relative_displacements, relative_rates_about, speeds
from nsdgen.symbolic.laws.bearing import Bearing, Rubbing
from nsdgen.symbolic.relations.contact import Bilateral


class _MarkerJoint(Joint):
    """A joint that is told by functions of its two markers, and by the rows that load its ``bearing``."""

    loads: ClassVar[Rubbing | None] = None
    lengths: ClassVar[int] = 3
    """How many of the rows are lengths; they come first, and angles follow."""
    same: ClassVar[tuple[int, ...]] = ()
    """Which axes of both markers are one; rows hold where they are opposite, too."""

    def __init__(self, name: str, first: Any, second: Any, bearing: Bearing | None = None) -> None:
        where = f"relation {name!r}"
        i, j = as_marker(first, where), as_marker(second, where)
        rubbing = () if bearing is None else self.rubbing(i, j)
        super().__init__(name, i, j, partial(self.rows, i, j), self.left(i, j), bearing, self.loads, rubbing)

    def units_of(self, rows: int) -> Sequence[str]:
        """Forces behind lengths, moments behind angles."""
        return ("N",) * self.lengths + ("N m",) * (rows - self.lengths)

    @cached_property
    def doubtful(self) -> Sequence[tuple[sp.Expr, str]]:  # type: ignore[override]
        """Axes that are opposite where they should be one."""
        return [
            (
                dot(self.first.axes[n], self.second.axes[n]),
                f"the axes e{n + 1} of its markers are opposite: turn one of them round",
            )
            for n in self.same
        ]

    @staticmethod
    @abstractmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """What is zero."""

    @staticmethod
    def left(i: Marker, j: Marker) -> list[Freedom]:
        """The freedoms that are left."""
        return []

    def rubbing(self, i: Marker, j: Marker) -> list[sp.Expr]:
        """The rates that rub: those of all freedoms, lengths first."""
        return [f.rate for f in sorted(self.left(i, j), key=lambda f: f.turns)]


@named_arguments
class Spherical(_MarkerJoint):
    """A ball joint: the places of both markers are one. Three rotations are left."""

    chain = (BallMotion(),)

    loads = Rubbing(held=3, forces=(0, 1, 2), turning=3)

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """d = 0."""
        return list(i.position - j.position)

    def rubbing(self, i: Marker, j: Marker) -> list[sp.Expr]:
        """The relative angular velocity."""
        return relative_rates_about(i, j)


@named_arguments
class Revolute(_MarkerJoint):
    """A hinge: places and axes of both markers are one. The freedom is ``angle``, from e1 of the second."""

    chain = (JointMotion("angle", turn=sp.S.One),)
    same = (2,)
    loads = Rubbing(held=5, forces=(0, 1, 2), moments=(3, 4), turning=1)

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """d = 0, b1 . a3 = 0, b2 . a3 = 0."""
        return [*(i.position - j.position), *_parallel(i, j)]

    @staticmethod
    def left(i: Marker, j: Marker) -> list[Freedom]:
        """The angle."""
        return [_angle(i, j)]


@named_arguments
class Prismatic(_MarkerJoint):
    """A slider along the axis, without turning. The freedom is ``displacement``."""

    chain = (JointMotion("displacement", slide=sp.S.One),)
    same = (0, 2)
    loads = Rubbing(held=5, forces=(0, 1), moments=(2, 3), sliding=1)
    lengths = 2

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """b1 . d = 0, b2 . d = 0, and no turning."""
        return [*relative_displacements(i, j)[:2], *_parallel(i, j), dot(j.axes[1], i.axes[0])]

    @staticmethod
    def left(i: Marker, j: Marker) -> list[Freedom]:
        """The displacement."""
        return [_displacement(i, j)]


@named_arguments
class Cylindrical(_MarkerJoint):
    """A shaft in a sleeve: ``displacement`` along the axis and ``angle`` about it."""

    chain = (JointMotion("displacement", slide=sp.S.One), JointMotion("angle", turn=sp.S.One))
    same = (2,)
    loads = Rubbing(held=4, forces=(0, 1), moments=(2, 3), sliding=1, turning=1)
    lengths = 2

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """b1 . d = 0, b2 . d = 0, axes parallel."""
        return [*relative_displacements(i, j)[:2], *_parallel(i, j)]

    @staticmethod
    def left(i: Marker, j: Marker) -> list[Freedom]:
        """The angle and the displacement."""
        return [_angle(i, j), _displacement(i, j)]


@named_arguments
class Planar(_MarkerJoint):
    """A body that slides on the plane through the second marker, normal to the axis: ``x``, ``y`` and ``angle``."""

    chain = (
        JointMotion("x", 0, slide=sp.S.One),
        JointMotion("y", 1, slide=sp.S.One),
        JointMotion("angle", turn=sp.S.One),
    )
    same = (2,)
    loads = Rubbing(held=3, forces=(0,), moments=(1, 2), sliding=2, turning=1)
    lengths = 1

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """b3 . d = 0, axes parallel."""
        return [relative_displacements(i, j)[2], *_parallel(i, j)]

    @staticmethod
    def left(i: Marker, j: Marker) -> list[Freedom]:
        """Two displacements along e1 and e2 of the second, and the angle."""
        along = zip("xy", relative_displacements(i, j), speeds(i, j), strict=False)
        return [*(Freedom(name, s, rate) for name, s, rate in along), _angle(i, j)]


@named_arguments
class Universal(_MarkerJoint):
    """A cardan joint: the axes of both markers meet at a right angle, and each body turns about its own one.

    Freedoms: ``first``, the angle about the axis of the first marker, and ``second``, about that of the second.
    """

    chain = (JointMotion("second", turn=sp.S.One), CROSSED, JointMotion("first", turn=sp.S.One))
    loads = Rubbing(held=4, forces=(0, 1, 2), turning=2, together=False)

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """d = 0, b3 . a3 = 0."""
        return [*(i.position - j.position), dot(j.axes[2], i.axes[2])]

    @staticmethod
    def left(i: Marker, j: Marker) -> list[Freedom]:
        """Where each axis stands in the frame of the other body."""
        turning = i.angular_velocity - j.angular_velocity
        own, other = i.axes, j.axes
        return [
            angle_of("first", dot(own[0], other[2]), -dot(own[1], other[2]), dot(own[2], turning)),
            angle_of("second", dot(other[0], own[2]), dot(other[1], own[2]), dot(other[2], turning)),
        ]


@named_arguments
class Fixed(_MarkerJoint):
    """Welded: places and axes of both markers are one."""

    chain = ()
    same = (0, 2)

    @staticmethod
    def rows(i: Marker, j: Marker) -> list[sp.Expr]:
        """d = 0, and no turning."""
        return [*(i.position - j.position), *_parallel(i, j), dot(j.axes[1], i.axes[0])]


@named_arguments
class Screw(Joint):
    """A nut on a screw: ``lead`` [m] along the axis for each turn about it, positive for a right-handed thread.

    Freedoms are ``angle`` and ``displacement``; the thread is kept over any number of turns. Where the run starts the
    markers are on it: displacement = lead angle / 2 pi, up to whole turns. A ``bearing`` is the thread, square, of this
    mean radius r, under its axial force; with mu >= lead / 2 pi r it holds by itself.
    """

    def __init__(self, name: str, first: Any, second: Any, lead: Any, bearing: Bearing | None = None) -> None:
        where = f"relation {name!r}"
        i, j = as_marker(first, where), as_marker(second, where)
        pitch = as_expression(lead, where=f"{where}, lead") / (2 * sp.pi)
        if pitch == 0:
            raise ModelError("the lead is zero", where=where, fix="use nsd.Revolute")
        angle, along = _angle(i, j), _displacement(i, j)
        self.chain = (JointMotion("angle", turn=sp.S.One, slide=pitch),)
        thread, ahead = _sum_of([(angle, sp.S.One), (along, -1 / pitch)], sp.S.Zero, where)
        slope = sp.S.One
        if isinstance(bearing, Bearing) and bearing.radius is not None:
            slope = sp.sqrt(1 + (pitch / as_expression(bearing.radius, where=f"{where}, radius")) ** 2)
        super().__init__(
            name,
            i,
            j,
            [*relative_displacements(i, j)[:2], *_parallel(i, j), pitch * thread],
            [angle, along],
            bearing,
            Rubbing(held=5, forces=(4,), sliding=1, turning=1),
            [along.rate, angle.rate],
            slope,
            ("N", "N", "N m", "N m", "N"),
        )
        self.doubtful = [(ahead, "the start is half a turn off the thread, and it stays so far off")]


@named_arguments
class Distance(Joint):
    """A massless rod of this ``length`` [m] between two places; nothing is said of axes."""

    def __init__(self, name: str, first: Any, second: Any, length: Any) -> None:
        where = f"relation {name!r}"
        i, j = as_marker(first, where), as_marker(second, where)
        rod = as_expression(length, where=f"{where}, length")
        if rod == 0:
            raise ModelError("the length is zero", where=where, fix="use nsd.Spherical")
        d = i.position - j.position
        super().__init__(name, i, j, [(dot(d, d) / rod - rod) / 2])
        self.doubtful = negative(length=rod)


@named_arguments
class Coupler(Bilateral):
    """sum of factor . freedom = ``offset``: gears, rack and pinion, a differential; kept over any number of turns.

    ``terms`` lists pairs (joint or freedom, factor). Factors of angles are whole numbers: gears of 20 and 30 teeth
    in mesh are ``[(one, 2), (other, 3)]``, a pinion of radius r on its rack ``[(pinion, 1), (rack, -1 / r)]``. Raises
    ``ModelError`` for other factors: couple rates then, ``nsd.VelocityConstraint``.
    """

    def __init__(self, name: str, terms: Sequence[tuple[Any, Any]], offset: Any = 0) -> None:
        where = f"relation {name!r}"
        pairs = [
            (item.freedom() if isinstance(item, Joint) else item, as_expression(factor, where=where))
            for item, factor in terms
        ]
        wrong = [f for f, _ in pairs if not isinstance(f, Freedom)]
        if wrong or not pairs:
            raise ModelError(
                f"couples {wrong[0] if wrong else 'nothing'!r}",
                where=where,
                fix="give pairs (joint, factor) or (joint.freedom('angle'), factor)",
            )
        row, ahead = _sum_of(pairs, as_expression(offset, where=f"{where}, offset"), where)
        super().__init__(
            name,
            row,
            units=("N m",) if any(freedom.turns for freedom, _ in pairs) else ("N",),
        )
        self.doubtful = [(ahead, f"the start is half a turn from the offset {offset}, and it stays so far off")]


def _sum_of(pairs: Sequence[tuple[Freedom, sp.Expr]], offset: sp.Expr, where: str) -> tuple[sp.Expr, sp.Expr]:
    """sum factor . freedom - offset, or its sine where there are angles; then what is negative half a turn off."""
    straight = sum((factor * f.coordinate for f, factor in pairs if not f.turns), -offset)
    if not any(f.turns for f, _ in pairs):
        return straight, sp.S.One
    c, s = sp.cos(straight), sp.sin(straight)
    for f, factor in pairs:
        if f.turns:
            if not factor.is_Integer:
                raise ModelError(
                    f"the factor {factor} of an angle is not a whole number",
                    where=where,
                    fix="multiply all factors; where that is not possible couple rates: "
                    "nsd.VelocityConstraint(name, a * one.rate + b * other.rate)",
                )
            cf, sf = wound(f, whole_number(int(factor), -256, 256, where=f"{where}, factor"))
            c, s = c * cf - s * sf, s * cf + c * sf
    return s, c


def _parallel(i: Marker, j: Marker) -> list[sp.Expr]:
    """b1 . a3, b2 . a3: zero where the axes are parallel."""
    return [dot(e, i.axes[2]) for e in j.axes[:2]]


def _angle(i: Marker, j: Marker) -> Freedom:
    """Of e1 of the first in the plane of the second, about its axis."""
    return angle_of("angle", dot(j.axes[0], i.axes[0]), dot(j.axes[1], i.axes[0]), relative_rates_about(i, j)[2])


def _displacement(i: Marker, j: Marker) -> Freedom:
    return Freedom("displacement", relative_displacements(i, j)[2], speeds(i, j)[2])
