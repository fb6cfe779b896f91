"""One disk of friction between events: whether it sticks or slides, and the quantities whose zeros change that.

sticks    a = 0 for its rows, |F| <= mu N
slides    F = -mu N u / |u|
leaves    F = -mu N e + what keeps a orthogonal to e zero, along a direction e that is kept: as slow as rest

Where a disk of several rows slides so slowly that u is about to turn round or is only just coming about,
F = -mu N u / |u| is stiff or singular. There it leaves along a line: u passes zero on it as it does in the plane, which
is an event to rounding. A disk of one row slides along its line always.
"""

from collections.abc import Sequence

import sympy as sp

from nsdgen.abi import NO_SLIP
from nsdgen.schemes.event_sizes import BEFORE, larger
from nsdgen.schemes.rate_labels import acceleration_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP, T_K, T_NEXT
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.conditions import joined
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.laws.disk import Disk, positive, rubbed

_STILL = sp.Float(1e-6)
"""Of what counts as rest: slower than that a disk has stopped."""
_SLOW, _SEEN, _LEAST, _WIDE, _TURNS = sp.Float(1e-3), 10, sp.Float(1e-6), 30, 10
"""It goes on along a line below the first of rest, or so many tolerances of its speed and the third of rest; it leaves
the line at the last times rest, or at so many times that speed. An acceleration is none that comes in a step to no more
than the first of rest. Rest is ``rest_rate`` of the largest rate, for lines no more than the default of it."""

_ON_A_LINE = sp.Float(1e-8)
"""Of the largest rate: the motion of several disks of a body is along lines no longer than its rates hardly turn."""


_ASIDE = sp.Float(1e-6)
"""Of its bound: a disk that rests there, held by something else, leaves it by no more before its line follows."""

_BESIDE = sp.Float(1e-6)
"""Of its bound: a disk that goes along a line takes of what others hold, aside of it, no more than its root."""

_LOST = sp.Float(1e-13)
"""Of its bound: where others bear more a disk keeps ten times as far from it; those that give way together do not."""

_HELD = sp.Float(1e-4)
"""Of rest: a rate that changes by no more in a step is held by something else."""

AT_ONCE = sp.Ge(T_K, T_NEXT)
"""Whether what goes on is decided at an instant by the forces there, and not by those of a moment later."""


class Slip:
    """The modes of one disk: ``side`` is 0 where it sticks, 1 where it slides, 2 along a direction that is kept.

    Of a disk of one row it is the sign of the rate.
    """

    def __init__(self, step: RelationStep, number: int, side: sp.Expr, now: Instant, fastest: sp.Expr) -> None:
        """``fastest`` is the largest rate of the relation so far."""
        self.step, self.number, self.side, self.now, self.fastest = step, number, side, now, fastest
        self.rows = self.at(sp.Matrix([sp.S.Zero] * step.cls.height)).rows
        self.single = len(self.rows) == 1
        self.group = "direction_k" if number == 0 else f"direction{number}_k"
        word = "" if number == 0 else str(number)
        self.change_group = f"change{word}_k"
        levered = self.at(sp.zeros(step.cls.height, 1)).levers  # rates of rotation count as speeds there
        units = ["m/s^2"] if levered else [acceleration_units(step.cls)[self.rows[0]]]
        (self.change,) = step.memory(self.change_group, 1, units, names=[f"sliding_acceleration{word}"])
        self.kept = [side] if self.single else list(step.memory(self.group, len(self.rows)))

    def at(self, multiplier: sp.Matrix) -> Disk:
        """The disk with its load, a function of these multipliers."""
        disks = self.step.law.disks(multiplier)
        assert disks is not None  # the scheme has refused the others
        return disks[self.number]

    def most(self, force: sp.Matrix) -> sp.Expr:
        """Friction per load where its rows say that it is at rest, or aside of a line; else they say what it is."""
        mu = self.at(force).coefficient
        aside = [] if self.single else [(1 + _BESIDE) * mu, sp.Eq(self.side, 2)]
        return Branch(sp.Float(NO_SLIP), mu <= 0, mu, sp.Eq(self.side, 0), *aside, sp.Float(NO_SLIP), sp.true)

    @property
    def words(self) -> tuple[str, str]:
        """What its events are called: it begins to slide, it ends."""
        disk = self.at(sp.Matrix([sp.S.Zero] * self.step.cls.height))
        return disk.begins, disk.ends

    # -- smooth motion ----------------------------------------------------------------------

    def length(self, values: sp.Matrix) -> sp.Expr:
        """The length of its rates, or of accelerations, at their levers."""
        return _length(self.at(sp.Matrix([sp.S.Zero] * self.step.cls.height)).rates(values))

    def smooth(self, force: sp.Matrix, acceleration: sp.Matrix, rate: sp.Matrix) -> dict[int, sp.Expr]:
        """Its rows, by number: F on its bound where it slides, else accelerations."""
        disk = self.at(force)
        f, a, d = disk.forces(force), disk.rates(acceleration), self.direction(rate)
        sticks = sp.Eq(self.side, 0)
        if self.single:
            rows = [Branch(f[0] + d[0] * disk.bound, sp.Ne(self.side, 0), a[0], sp.true)]
        else:
            along = sum(e * (x + e * disk.bound - y) for e, x, y in zip(self.kept, f, a, strict=True))
            rows = [
                Branch(y, sticks, x + e * disk.bound, sp.Eq(self.side, 1), y + e0 * along, sp.true)
                for x, y, e, e0 in zip(f, a, d, self.kept, strict=True)
            ]
        rows = [Branch(x, disk.coefficient <= 0, row, sp.true) for x, row in zip(f, rows, strict=True)]
        return dict(zip(self.rows, rows, strict=True))

    def direction(self, rate: sp.Matrix) -> list[sp.Expr]:
        """The direction in which it slides: that of its rates, or the one that is kept."""
        if self.single:
            return [self.side]
        u, speed = self._speed(rate)
        return [Branch(x / speed, sp.Eq(self.side, 1), e, sp.true) for x, e in zip(u, self.kept, strict=True)]

    def cuts(self, force: sp.Matrix, rate: sp.Matrix, closed: sp.Basic) -> None:
        """The events of the disk: friction no longer holds it, or it has stopped."""
        begins, ends = self.words
        sticking = sp.And(closed, sp.Eq(self.side, 0), self.at(force).coefficient > 0)
        self.step.cut(begins, Branch(self._margin(force), sticking, sp.S.One, sp.true), "falling")
        if self.single:
            u = self.at(force).rates(rate)[0]
            self.step.cut(ends, Branch(sp.S.One, sp.Eq(self.side, 0), self._moves(self.side * u), sp.true), "falling")
            return
        u, speed = self._speed(rate)
        along = sum(e * x for e, x in zip(self.kept, u, strict=True))
        self.step.cut(ends, Branch(self._moves(along), sp.Eq(self.side, 2), sp.S.One, sp.true), "falling")
        self.step.cut(
            f"{ends} next",
            Branch(speed - self._slow(), sp.Eq(self.side, 1), sp.S.One, sp.true),
            "falling",
            recorded=False,
        )
        self.step.cut(
            f"{begins} on",
            Branch(2 * self._limit(_ON_A_LINE) - speed, sp.Eq(self.side, 2), sp.S.One, sp.true),
            "falling",
            recorded=False,
        )
        turned = sp.And(sp.Eq(self.side, 2), self._held(along))
        self.step.cut(
            f"{begins} aside",
            Branch(self._margin(force) + _ASIDE * self.at(force).bound, turned, sp.S.One, sp.true),
            "falling",
            recorded=False,
        )

    def along(self, acceleration: sp.Matrix) -> sp.Expr:
        """Its acceleration along the line on which it slides."""
        a = self.at(sp.Matrix([sp.S.Zero] * self.step.cls.height)).rates(acceleration)
        return sum((e * x for e, x in zip(self.kept, a, strict=True)), sp.S.Zero)

    def _moves(self, along: sp.Expr) -> sp.Expr:
        """Its rate along a line; none falls to zero where something else holds it, and its friction is on its bound."""
        return Branch(sp.S.One, self._held(along), along, sp.true)

    def _held(self, along: sp.Expr) -> sp.Basic:
        """Whether its rate along a line is rest, and does not change."""
        rest = self._rest()
        return joined(sp.And, sp.Abs(along) <= rest, STEP * sp.Abs(self.change) <= _HELD * rest)

    # -- events -----------------------------------------------------------------------------

    def fast(self, rate: sp.Matrix) -> sp.Basic:
        """Whether it goes on sliding, whatever holds it: its rates are not brought to rest."""
        u, speed = self._speed(rate)
        along = sum(e * x for e, x in zip(self.kept, u, strict=True))
        slowly = along if self.single else Branch(speed, sp.Eq(self.side, 1), along, sp.true)
        moves = joined(sp.And, sp.Ne(self.side, 0), slowly > _STILL * self._limit(_ON_A_LINE), AT_ONCE)
        return joined(sp.Or, speed > self._limit(), moves)

    def lost(self, rate: sp.Matrix, force: sp.Matrix, closed: sp.Basic) -> sp.Basic:
        """Whether what held it has just come to its limit; where a moment later decides, forces say so."""
        size, margin = _length(self.at(force).forces(force)), self._margin(force)
        over = joined(sp.And, sp.Eq(self.side, 0), margin <= _LOST * self.at(force).bound)
        if not self.single:
            along = sum(e * x for e, x in zip(self.kept, self.at(rate).rates(rate), strict=True))
            aside = margin <= -_ASIDE / 2 * self.at(force).bound
            over = joined(sp.Or, over, joined(sp.And, sp.Eq(self.side, 2), self._held(along), aside))
        return joined(sp.And, closed, over, size > 0, AT_ONCE)

    def leaves(self, rate: sp.Matrix, force: sp.Matrix, closed: sp.Basic) -> tuple[sp.Basic, list[sp.Expr]]:
        """Whether it slides or is about to, and its direction then; zero where it may stick."""
        fast, lost = self.fast(rate), self.lost(rate, force, closed)
        u, speed = self._speed(rate)
        f = self.at(force).forces(force)
        size = _length(f)
        return joined(sp.Or, fast, lost), [
            Branch(x / speed, fast, -y / size, lost, sp.S.Zero, sp.true) for x, y in zip(u, f, strict=True)
        ]

    def choice(self, force: sp.Matrix, acceleration: sp.Matrix, leaves: sp.Basic) -> dict[int, sp.Expr]:
        """Rows without a cone: F is what its bound leaves of (F - rho a), zero beyond what slides already."""
        disk = self.at(force)
        f, a = disk.forces(force), disk.rates(acceleration)
        near = rubbed(f, [disk.exchange * y for y in a], self.bound(force), driven=True)
        return dict(
            zip(self.rows, [Branch(x, leaves, x - n, sp.true) for x, n in zip(f, near, strict=True)], strict=True)
        )

    def bound(self, force: sp.Matrix) -> sp.Expr:
        """mu N; none where a contact does not press."""
        disk = self.at(force)
        return disk.coefficient * (positive(disk.load) if self.step.law.unilateral else disk.load)

    def decided(
        self, rate: sp.Matrix, last: sp.Matrix, closed: sp.Basic, force: sp.Matrix, acceleration: sp.Matrix
    ) -> tuple[sp.Expr, list[sp.Expr]]:
        """The new side and, of several rows, the direction that is kept."""
        disk = self.at(force)
        leaves, d = self.leaves(rate, last, closed)
        f, a = disk.forces(force), disk.rates(acceleration)
        size = _length(a)
        starts = joined(
            sp.And,
            joined(sp.Or, sp.Not(AT_ONCE), _length(f) >= (1 - sp.Float(1e-9)) * self.bound(force)),
            STEP * size > _SLOW * self._rest(),
            disk.coefficient > 0,
        )
        if self.single:
            sign = Branch(sp.S.One, a[0] > 0, -sp.S.One, sp.true)
            leaving = Branch(sp.S.One, d[0] > 0, -sp.S.One, sp.true)
            return Branch(leaving, joined(sp.And, leaves, disk.coefficient > 0), sign, starts, sp.S.Zero, sp.true), []
        _, speed = self._speed(rate)
        slides = joined(sp.And, sp.Eq(self.side, 1), speed > sp.Float(1.5) * self._slow())
        quick = joined(sp.Or, speed > self._limit(_ON_A_LINE), slides)
        side = Branch(
            Branch(sp.S.One, quick, sp.Integer(2), sp.true),
            joined(sp.And, leaves, disk.coefficient > 0),
            sp.Integer(2),
            starts,
            sp.S.Zero,
            sp.true,
        )
        return side, [Branch(x, leaves, y / size, starts, e, sp.true) for x, y, e in zip(d, a, self.kept, strict=True)]

    # -- how ----------------------------------------------------------------------------------

    def _margin(self, force: sp.Matrix) -> sp.Expr:
        """What is left of the friction that would hold it."""
        disk = self.at(force)
        return disk.bound - _length(disk.forces(force))

    def _speed(self, rate: sp.Matrix) -> tuple[list[sp.Expr], sp.Expr]:
        """The rates, at their levers, and their length."""
        u = self.at(sp.Matrix([sp.S.Zero] * self.step.cls.height)).rates(rate)
        return u, _length(u) if self.single else let("slip_speed", _length(u))

    def _limit(self, most: sp.Expr = sp.S.One) -> sp.Expr:
        """The speed above which it slides in any case; with a rest of ``most`` of the largest rate."""
        rate = self._rest(most)
        if self.single:
            return rate
        return let("sliding_from" if most == 1 else "line_upto", larger(_TURNS * rate, _WIDE * self._slow()))

    def _rest(self, most: sp.Expr = sp.S.One) -> sp.Expr:
        """The speed that counts as rest."""
        share = self.step.options.rest_rate
        return Branch(share, share < most, most, sp.true) * self.fastest if most != 1 else share * self.fastest

    def _slow(self) -> sp.Expr:
        """The speed below which it goes on along a line: there the error of a step may turn its direction round."""
        options, terms = self.step.options, BEFORE * self.fastest
        for H, p in zip(self.step.gradients(self.now), self.step.participants, strict=True):
            v = sp.Matrix([self.now[s] for s in p.group("v")])
            terms += sum(
                self.at(sp.zeros(H.rows, 1)).rates(
                    H.multiply_elementwise(sp.ones(H.rows, 1) * v.T).applyfunc(sp.Abs) * sp.ones(v.rows, 1)
                ),
                sp.S.Zero,
            )
        seen = _SEEN * (options.rtol * terms + options.atol) + _LEAST * self._rest(_ON_A_LINE)
        return let("sliding_upto", larger(_SLOW * self._rest(_ON_A_LINE), seen))


def _length(values: Sequence[sp.Expr]) -> sp.Expr:
    return sp.Abs(values[0]) if len(values) == 1 else sp.sqrt(sum(value**2 for value in values))
