"""A row of a law with a characteristic from event to event: its equation on each piece, and what is left of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from nsdgen.abi import NO_SLIP
from nsdgen.schemes.event_rates import OutputRates
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.laws.characteristic import ALONG, Characteristic

__all__ = ["RowCurve"]

_STILL = sp.Float(1e-6)
"""Of rest_rate: nearer to a jump a row is on it."""


class RowCurve:
    """A row on its curve: ``place`` is 2 j + 1 on jump j, - 2 j - 1 where it is held on it, 2 j left of it.

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
    ) -> None:
        self.step, self.curve, self.place, self.output, self.own, self.rates = step, curve, place, output, own, rates

    def smooth(self, moved: Callable[[int], sp.Expr]) -> sp.Expr:
        """y less the jump or a derivative of y where it is on a jump, else lambda less what the curve says.

        ``moved(k)`` is the k-th derivative as the rates of all states move it.
        """
        rows: list[tuple[sp.Expr, sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            if self.rates.order < 2:
                rows.append((moved(1) if self.rates.order else self.output - jump.at, self._on(j)))
            if self.rates.held is not None:
                rows.append((moved(self.rates.held), self._held(j)))
        return _branches(rows + [(self.own - e, self._left(j)) for j, e in self._between(self.output)])

    def cuts(self, name: str, last: Instant, free: sp.Basic, true: sp.Expr) -> None:
        """What is left of the piece: of the jump, by lambda, or of what lies between two, by y.

        ``last`` are state and multipliers now. A row is held where its lower derivatives are zero, ``free`` holds, and
        the first one is ``true`` by the equations of the relation alone.
        """
        y, force = self.output.xreplace(last), self.own.xreplace(last)
        limit, most = self.step.options.rest_rate, len(self.curve.jumps)
        inside: list[tuple[sp.Expr, sp.Basic]] = []
        ways: list[tuple[sp.Expr, sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            margin = _least(
                [
                    force - jump.low if jump.low != -sp.oo else None,
                    jump.high - force if jump.high != sp.oo else None,
                ]
            )
            near = sp.Abs(y - jump.at) <= limit
            if self.rates.order < 2:
                inside.append((margin, sp.And(self._on(j), near) if self.rates.order else self._on(j)))
            if self.rates.held is not None:
                lower = [e.xreplace(last) for e in self.rates.chain[1 : self.rates.held]]
                still = [sp.Abs(e) <= limit for e in (*lower, *(lower[:1] and [lower[0] - true]))]
                inside.append((margin, sp.And(self._held(j), near, free, *still)))
        for j, _ in self._between(y):
            way = [y - self.curve.jumps[j - 1].at if j else None, self.curve.jumps[j].at - y if j < most else None]
            ways.append((_least(way), self._left(j)))
        odd = sp.Or(*(part for j in range(most) for part in (self._on(j), self._held(j))))
        even = sp.Or(*(self._left(j) for j in range(most + 1)))
        for word, found, other in (("slips", inside, even), ("sticks", ways, odd)):
            value = _branches([*found, (sp.S.One, other), (-sp.S.One, sp.true)])
            self.step.cut(word + name, value, "falling")

    def bounds(self) -> list[sp.Expr]:
        """Of lambda, in the guess of places: those of the jump that it is near, or what the curve says elsewhere."""
        wide = {sp.oo: sp.Float(NO_SLIP), -sp.oo: -sp.Float(NO_SLIP)}
        choices = [((jump.low, jump.high), self._near(j)) for j, jump in enumerate(self.curve.jumps)]
        choices += [((e, e), self._before(j, self.output)) for j, e in self._between(self.output)]
        return [_branches([(wide.get(ends[side], ends[side]), where) for ends, where in choices]) for side in (0, 1)]

    def guessed(self, rate: sp.Expr) -> sp.Expr:
        """The place that the law chooses, of y or of its rate: on a jump where lambda is farther from its ends."""
        found: list[tuple[sp.Expr, sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            away = rate if self.rates.order else self.output - jump.at
            inside = [self.own - jump.low, jump.high - self.own]
            on = sp.And(*(value > sp.Abs(away) for value in inside if value.is_finite is not False), self._settles())
            where = self._near(j) if self.rates.order else sp.true
            found.append((sp.Integer(2 * j + 1), sp.And(where, on)))
            if self.rates.order:
                found.append((Branch(sp.Integer(2 * j + 2), rate > 0, sp.Integer(2 * j), sp.true), where))
        y = self.output.xreplace({self.own: sp.S.Zero}) if self.rates.order == 0 else self.output
        return _branches(found + [(sp.Integer(2 * j), self._before(j, y)) for j in range(len(self.curve.jumps) + 1)])

    @property
    def highest(self) -> int:
        """The highest place, negative where y goes on through a change of places."""
        return 2 * len(self.curve.jumps) * (-1 if self.rates.order else 1)

    def _on(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, 2 * j + 1)

    def _held(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, -(2 * j + 1))

    def _left(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, 2 * j)

    def _near(self, j: int) -> sp.Basic:
        """Whether y is on the jump: nearer than rest_rate where it was, to rounding where it comes."""
        limit = self.step.options.rest_rate
        was = sp.Or(self._on(j), self._held(j))
        return sp.Abs(self.output - self.curve.jumps[j].at) <= Branch(limit, was, _STILL * limit, sp.true)

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


def _least(values: Sequence[sp.Expr | None]) -> sp.Expr | None:
    """The lesser of those that are given."""
    given = [value for value in values if value is not None]
    if len(given) < 2:
        return given[0] if given else None
    return Branch(given[0], given[0] < given[1], given[1], sp.true)


def _branches(pairs: Sequence[tuple[sp.Expr, sp.Basic]]) -> sp.Expr:
    """The value of the first condition that holds; the last one holds."""
    return Branch(*(part for value, where in pairs[:-1] for part in (value, where)), pairs[-1][0], sp.true)
