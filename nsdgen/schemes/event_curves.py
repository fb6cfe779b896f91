"""A row of a law with a characteristic from event to event: its equation on each piece, and what is left of that."""

from collections.abc import Callable, Sequence

import sympy as sp

from nsdgen.abi import NO_SLIP
from nsdgen.schemes.event_rates import OutputRates, derivative, on_surface
from nsdgen.schemes.event_sizes import Sizes
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.laws.characteristic import ALONG, Characteristic, Jump

_COMES = sp.Float(1e-4)
"""Of what a row on a jump is told from it by: one that comes there is on it to one tolerance of the integrator."""

_HEIGHTS = sp.Float(1e7)
"""Of the same: a value of y of which ``_modes.pxi`` takes its 1e-11 for nothing, so that this is one tolerance."""

_SEEN = sp.Float(5e-3)
"""Of the same, fifty tolerances: what swings by more is seen to, above what the integrator leaves of it."""

_ROOM = sp.Float(4)
"""What is left of a swing moves y by half its rate squared over what stops it: an eighth of what it may."""

_UNSEEN, _ENDLESS = sp.Float(0.5), sp.Float(0.25)
"""Beside the place where it is held: of what swings by less than is seen, and of what does without an end."""

_STAYS = sp.Float(1e-7)
"""Of the same, a thousandth of a tolerance: a row whose rate moves it by no more in a step is held by others. Where
switchings accumulate rates of true motions come down to ten times that (1e-6 ends Fuller's problem too early)."""

_MOVES = sp.Float(1e-3)
"""Of the same: ten tolerances, to which a gain is told from none; where states are known to 1e-2 a tenth of it."""


class RowCurve:
    """A row on its curve: ``place`` is 2 j + 1 on jump j, - 2 j - 1 where it is held on it, 2 j left of it.

    Where it swings about the jump by less than is seen it is stopped, - 2 j - 3/2, and then held; at - 2 j - 5/4 where
    it does without an end.

    ``output`` is a function of state and multipliers, ``own`` the multiplier of the row.
    """

    def __init__(
        self,
        step: RelationStep,
        curve: Characteristic,
        place: sp.Expr,
        output: sp.Expr,
        own: sp.Expr,
        rates: OutputRates,
        now: Instant,
        sizes: Sizes,
    ) -> None:
        self.step, self.curve, self.place, self.output, self.own, self.rates = step, curve, place, output, own, rates
        self.now, self.sizes = now, sizes

    def smooth(self, moved: Callable[[int], sp.Expr]) -> sp.Expr:
        """y less the jump or a derivative of y where it is on a jump, else lambda less what the curve says.

        ``moved(k)`` is the k-th derivative as the rates of all states move it.
        """
        rows: list[tuple[sp.Expr, sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            if self.rates.order < 2:
                rate = moved(1) if self.curve.falling else -moved(1)
                rows.append((rate if self.rates.order else self.output - jump.at, self._on(j)))
            if self.rates.held is not None:
                rows.append((self._back(moved(self.rates.held), jump.at), self._held(j)))
                if self._may_swing(jump):
                    rate = self.rates.still[1].xreplace(self.now)
                    rows.append((moved(2) + rate / STEP, self._stops(j)))
        return _branches(rows + [(self.own - e, self._left(j)) for j, e in self._between(self.output)])

    def _back(self, rate: sp.Expr, at: sp.Expr) -> sp.Expr:
        """(d/dt + 1/h)^n y of a row that is held: what was left of it where switchings came to a limit dies out."""
        number = self.rates.held or 0
        chain = [e.xreplace(self.now) - (0 if i else at) for i, e in enumerate(self.rates.still[:number])]
        return rate + sum(sp.binomial(number, i) * e / STEP ** (number - i) for i, e in enumerate(chain))

    def _may_swing(self, jump: Jump) -> bool:
        """Whether the row may cross the jump again and again, driven back from both sides."""
        return self.rates.held == 2 and jump.low != -sp.oo and jump.high != sp.oo

    def _gain(self, last: Instant) -> sp.Expr:
        """By what the multiplier of the row moves the second derivative."""
        chain = self.rates.chain
        second = chain[2] if len(chain) > 2 else derivative(self.step, self.rates.still[1], {})
        return sp.Abs(second.diff(self.own).xreplace(last))

    def reaction(self, given: sp.Matrix) -> sp.Matrix:
        """A reaction with the row where it is held: a row on its surface to rounding does not see what is across it."""
        if not self.rates.surface:
            return given
        along = on_surface(given, self.rates.surface)
        return sp.Matrix(
            [e if e == a else _branches([(a, self.held), (e, sp.true)]) for a, e in zip(along, given, strict=True)]
        )

    def cuts(self, name: str, last: Instant, free: sp.Basic, true: sp.Expr, rests: sp.Basic) -> None:
        """What is left of the piece: of the jump, by lambda, or of what lies between two, by y.

        ``last`` are state and multipliers now. A row is held where its lower derivatives are zero, ``free`` holds, and
        the first one is ``true`` by the equations of the relation alone. While another one is, which ``rests`` says,
        the sign of a row that is no longer told from a jump, as that of a rate at rest, is no event. Nor is it while
        another relation holds it there, so that its rate is rounding, as two brakes of one shaft hold each other's.
        """
        y, force = self.output.xreplace(last), self.own.xreplace(last)
        most = len(self.curve.jumps)
        inside: list[tuple[sp.Expr, sp.Basic]] = []
        ways: list[tuple[sp.Expr, sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            margin = _least(
                [force - jump.low if jump.low != -sp.oo else None, jump.high - force if jump.high != sp.oo else None]
            )
            near = self._known(j, last)[1]
            if self.rates.order < 2:
                moves = self._moves(last) if self.rates.held and self.rates.order else sp.true
                inside.append((margin, sp.And(self._on(j), near, moves) if self.rates.order else self._on(j)))
            if self.rates.held is not None:
                lower = [(self.rates.chain[i], self.sizes.told(self.rates.chain[i])) for i in range(1, self.rates.held)]
                lower = [(e.xreplace(last), limit.xreplace(last)) for e, limit in lower]
                beside = [sp.Abs(e - true) <= limit for e, limit in lower[:1]]
                unseen = _SEEN * self._known(j, last)[0] / STEP  # a rate that moves it by no more in a step
                still = [sp.Abs(e) <= limit + (unseen if i == 0 else 0) for i, (e, limit) in enumerate(lower)]
                inside.append((margin, sp.And(self._held(j), near, free, *still, *beside)))
                if margin is not None and self._may_swing(jump):
                    room = self._gain(last) * margin * self._known(j, last)[0]
                    room *= Branch(_SEEN, sp.Eq(self.place, -(2 * j + 1) - _UNSEEN), sp.S.One, sp.true)
                    little = _ROOM * lower[0][0] ** 2 <= room
                    inside.append((margin, sp.And(self._stops(j), near, free, *beside, little)))
        for j, _ in self._between(y):
            way = [y - self.curve.jumps[j - 1].at if j else None, self.curve.jumps[j].at - y if j < most else None]
            around = [self._known(i, last) for i in (j - 1, j) if 0 <= i < most]
            for limit, near in around if self.rates.order else ():
                stays = STEP * sp.Abs(true) <= _STAYS * limit if self.rates.order == 1 else sp.false
                ways.append((limit, sp.And(self._left(j), rests, near)))
                ways.append((sp.S.Zero, sp.And(self._left(j), stays, near)))  # it may come to the jump at an event
            ways.append((_least(way), self._left(j)))
        odd = sp.Or(*(part for j in range(most) for part in (self._on(j), self._held(j), self._stops(j))))
        even = sp.Or(*(self._left(j) for j in range(most + 1)))
        known = sum(self._known(j, last)[0] for j in range(most))
        for word, found, other, size in (("slips", inside, even, sp.S.One), ("sticks", ways, odd, _HEIGHTS * known)):
            value = _branches([*found, (size, other), (-sp.S.One, sp.true)])
            self.step.cut(word + name, value, "falling")

    def bounds(self) -> list[sp.Expr]:
        """Of lambda, in the guess of places: those of the jump that it is near, or what the curve says elsewhere."""
        choices = [((jump.low, jump.high), self._near(j)) for j, jump in enumerate(self.curve.jumps)]
        return _ends(choices + [((e, e), self._before(j, self.output)) for j, e in self._between(self.output)])

    def shares(self) -> list[sp.Expr]:
        """Of lambda where the row moves: those of the jump that it is on, none elsewhere."""
        choices = [((jump.low, jump.high), self._on(j)) for j, jump in enumerate(self.curve.jumps)]
        return _ends([*(choices if self.rates.order == 1 else ()), ((-sp.oo, sp.oo), sp.true)])

    def guessed(self, output: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """The place that the law chooses, of y or of its rate: on a jump where lambda is farther from its ends."""
        found: list[tuple[sp.Expr, sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            away = rate if self.rates.order else output - jump.at
            inside = [self.own - jump.low, jump.high - self.own]
            on = sp.And(*(value > sp.Abs(away) for value in inside if value.is_finite is not False), self._settles())
            where = self._near(j) if self.rates.order else sp.true
            found.append((sp.Integer(2 * j + 1), sp.And(where, on)))
            if self.rates.order:
                found.append((Branch(sp.Integer(2 * j + 2), self._above(j, rate), sp.Integer(2 * j), sp.true), where))
        y = self.output if self.rates.order else output.xreplace({self.own: sp.S.Zero})
        return _branches(found + [(sp.Integer(2 * j), self._before(j, y)) for j, _ in self._between(y)])

    def _above(self, j: int, rate: sp.Expr) -> sp.Basic:
        """Whether y goes on above jump j: by the end at which lambda is, where its rate is rounding."""
        jump = self.curve.jumps[j]
        if jump.low == -sp.oo or jump.high == sp.oo:
            return rate > 0
        beyond = (jump.high + jump.low) / 2 - self.own
        return rate + (beyond if self.curve.falling else -beyond) > 0

    @property
    def highest(self) -> int:
        """The highest place, negative where y goes on through a change of places."""
        return 2 * len(self.curve.jumps) * (-1 if self.rates.order else 1)

    def on(self, j: int, jump: bool) -> sp.Basic:
        """Whether the row moves on jump j, or left of it."""
        return self._on(j) if jump else self._left(j)

    def _on(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, 2 * j + 1)

    def _stops(self, j: int) -> sp.Basic:
        """Stopped at once, which moves y by so little that it is not told from the jump."""
        return sp.Or(*(sp.Eq(self.place, -(2 * j + 1) - part) for part in (_UNSEEN, _ENDLESS)))

    def _held(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, -(2 * j + 1))

    def _left(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, 2 * j)

    def _near(self, j: int) -> sp.Basic:
        """Whether y is on the jump: to many tolerances of the integrator where it was, to one where it comes."""
        limit = self._known(j, self.now)[0]
        was = sp.Or(self._on(j), self._held(j), self._stops(j))
        return sp.Abs(self.output - self.curve.jumps[j].at) <= Branch(limit, was, _COMES * limit, sp.true)

    def _known(self, j: int, last: Instant) -> tuple[sp.Expr, sp.Basic]:
        """To what y may be told from jump j, and whether it is nearer."""
        at = self.curve.jumps[j].at
        limit = self.sizes.told(self.rates.chain[0] - at).xreplace(last)
        return limit, sp.Abs(self.output.xreplace(last) - at) <= limit

    def _moves(self, last: Instant) -> sp.Basic:
        """Whether the multipliers move the rate: a row slides to where they no longer do, and comes to rest there."""
        gains = jacobian(sp.Matrix([self.rates.chain[1]]), self.step.cls.multipliers)
        limits = [_MOVES * self.sizes.told(gain) for gain in gains]
        return sp.Or(
            *(sp.Abs(g.xreplace(last)) > e.xreplace(last) for g, e in zip(gains, limits, strict=True) if g != 0)
        )

    @property
    def held(self) -> sp.Basic:
        """Whether the row is held on one of its jumps."""
        places = [place for j in range(len(self.curve.jumps)) for place in (self._held(j), self._stops(j))]
        return sp.Or(*places) if self.rates.held else sp.false

    def _settles(self) -> sp.Basic:
        """Whether its own multiplier does not drive it off a jump: with positive feedback a row starts beside it."""
        gain = self.output.diff(self.own)
        return gain >= 0 if self.curve.falling else gain <= 0

    def _before(self, j: int, y: sp.Expr) -> sp.Basic:
        """Whether y is left of jump j, and not left of those before: conditions in a row."""
        return y < self.curve.jumps[j].at if j < len(self.curve.jumps) else sp.true

    def _between(self, y: sp.Expr) -> list[tuple[int, sp.Expr]]:
        """The places between jumps where the curve goes, and lambda(y) there."""
        return [(j, e.xreplace({ALONG: y})) for j, e in enumerate(self.curve.between) if e is not None]


def _ends(choices: Sequence[tuple[tuple[sp.Expr, sp.Expr], sp.Basic]]) -> list[sp.Expr]:
    """The lower and the upper end of the first choice whose condition holds."""
    wide = {sp.oo: sp.Float(NO_SLIP), -sp.oo: -sp.Float(NO_SLIP)}
    return [_branches([(wide.get(ends[side], ends[side]), where) for ends, where in choices]) for side in (0, 1)]


def _least(values: Sequence[sp.Expr | None]) -> sp.Expr | None:
    """The lesser of those that are given."""
    given = [value for value in values if value is not None]
    if len(given) < 2:
        return given[0] if given else None
    return Branch(given[0], given[0] < given[1], given[1], sp.true)


def _branches(pairs: Sequence[tuple[sp.Expr, sp.Basic]]) -> sp.Expr:
    """The value of the first condition that holds; the last one holds."""
    return Branch(*(part for value, where in pairs[:-1] for part in (value, where)), pairs[-1][0], sp.true)
