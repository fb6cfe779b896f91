"""Relations by output and reaction from event to event: y = h(t, s, lambda) and a law, the reaction g(t, s, lambda).

A row that holds multipliers is a law of finite forces: it is solved wherever the motion is asked for its rate. Of other
rows forces move a derivative only. Rows of velocities (or of first-order states) go along the jumps of their law's
characteristic, or between two of them:

on a jump       dy/dt = 0, lambda within the jump
between jumps   lambda = lambda(y)

and where a jump has no end, impulses keep y on the side where the curve is. Rows of positions are constraints, ddy = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.laws.characteristic import ALONG, Characteristic

__all__ = ["OutputEvents"]

_STILL = sp.Float(1e-6)
"""Of rest_rate: nearer to a jump a row is on it."""
_SAME = sp.Float(1e-12)
"""Of a jump: nearer to an end of it a force is that end."""


class _Curve:
    """A row of velocities: ``place`` is 2 j + 1 on jump j, 2 j left of it."""

    def __init__(self, step: RelationStep, curve: Characteristic, place: sp.Expr, y: sp.Expr, last: sp.Expr) -> None:
        self.step, self.curve, self.place, self.y, self.last = step, curve, place, y, last
        self.moving = [None if e is None else e.xreplace({ALONG: y}) for e in curve.between]

    def smooth(self, force: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """dy/dt where it is on a jump, else lambda less what the curve says."""
        return _branches(
            [(rate, self._on(j)) for j in range(len(self.curve.jumps))]
            + [(force - e, self._left(j)) for j, e in enumerate(self.moving) if e is not None]
        )

    def cuts(self, name: str) -> None:
        """It leaves a jump where lambda comes to an end of it; it comes to the next one."""
        inside = [
            (
                _least([self.last - low if low != -sp.oo else None, high - self.last if high != sp.oo else None]),
                self._on(j),
            )
            for j, (low, high) in enumerate((jump.low, jump.high) for jump in self.curve.jumps)
        ]
        ways = [
            (
                _least(
                    [
                        self.y - self.curve.jumps[j - 1].at if j else None,
                        self.curve.jumps[j].at - self.y if j < len(self.curve.jumps) else None,
                    ]
                ),
                self._left(j),
            )
            for j, e in enumerate(self.moving)
            if e is not None
        ]
        for word, found in (("slips", inside), ("sticks", ways)):
            values = [(value, where) for value, where in found if value is not None]
            if values:
                self.step.cut(word + name, _branches([*values, (sp.S.One, sp.true)]), "falling")

    def bounds(self) -> list[sp.Expr]:
        """Of lambda, in the choice of places: those of the jump it is on, or what the curve says where it moves."""
        wide = {sp.oo: sp.Float(NO_SLIP), -sp.oo: -sp.Float(NO_SLIP)}
        return [
            _branches([(wide.get(ends[side], ends[side]), place) for ends, place in self._choices()]) for side in (0, 1)
        ]

    def decided(self, force: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """The new place, from dy/dt with these forces."""
        limit, found = self.step.options.rest_rate, []
        for j, _ in enumerate(self.curve.jumps):
            starts = Branch(
                sp.Integer(2 * j + 2), rate > limit, sp.Integer(2 * j), rate < -limit, sp.Integer(2 * j + 1), sp.true
            )
            for place, up in ((2 * j + 2, True), (2 * j, False)):
                found += [(sp.Integer(place), where) for where in (self._leaves(j, up), self._waits(j, up, force))]
            found.append((starts, self._near(j)))
        return _branches(found + [(sp.Integer(2 * j), here) for j, here in self._between()])

    def _choices(self) -> list[tuple[tuple[sp.Expr, sp.Expr], sp.Basic]]:
        found: list[tuple[tuple[sp.Expr, sp.Expr], sp.Basic]] = []
        for j, jump in enumerate(self.curve.jumps):
            low, high = (jump.low, jump.high) if self.curve.falling else (jump.high, jump.low)
            found += [
                ((end, end), self._leaves(j, up=up))
                for up, end in ((True, low), (False, high))
                if end.is_finite is not False
            ]
            found.append(((jump.low, jump.high), self._near(j)))
        return found + [((e, e), here) for (j, here) in self._between() for e in (self.moving[j],) if e is not None]

    def _on(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, 2 * j + 1)

    def _left(self, j: int) -> sp.Basic:
        return sp.Eq(self.place, 2 * j)

    def _near(self, j: int) -> sp.Basic:
        """Whether y is on the jump: nearer than rest_rate where it was, to rounding where it comes."""
        limit = self.step.options.rest_rate
        return sp.Abs(self.y - self.curve.jumps[j].at) <= Branch(limit, self._on(j), _STILL * limit, sp.true)

    def _leaves(self, j: int, up: bool) -> sp.Basic:
        """Whether lambda has come to the end of the jump from which y goes on to larger values, or to smaller ones."""
        end, at_low = self._end(j, up), up == self.curve.falling
        if end in (sp.oo, -sp.oo):
            return sp.false
        passed = self.last <= end if at_low else self.last >= end
        return sp.And(self._on(j), self._near(j), passed)

    def _waits(self, j: int, up: bool, force: sp.Expr) -> sp.Basic:
        """Whether it has left the jump, is held at it by what shares its freedom, and has its end for a force still."""
        jump, end = self.curve.jumps[j], self._end(j, up)
        if sp.oo in (jump.high, -jump.low):
            return sp.false
        return sp.And(self._left(j + up), self._near(j), sp.Abs(force - end) < _SAME * (jump.high - jump.low))

    def _end(self, j: int, up: bool) -> sp.Expr:
        """The end of a jump from which y goes on to larger values, or to smaller ones."""
        jump = self.curve.jumps[j]
        return jump.low if up == self.curve.falling else jump.high

    def _between(self) -> list[tuple[int, sp.Basic]]:
        """By y: the place between jumps."""
        n = len(self.curve.jumps)
        return [(j, self.y < self.curve.jumps[j].at if j < n else sp.true) for j in range(n + 1)]


class OutputEvents:
    """The stages of a relation by output and reaction."""

    def __init__(self, step: RelationStep, now: Instant) -> None:
        self.step, self.now = step, now
        self.output = step.cls.terms["output"]
        self.order = [self._order(row) for row in self.output]
        self._check()
        curves = step.law.characteristics(step.cls.height, list(step.cls.bounds))
        self.held = [i for i, order in enumerate(self.order) if order == 2 or (order == 1 and _equality(curves[i]))]
        moved = [i for i, order in enumerate(self.order) if order == 1 and i not in self.held]
        for i, order in enumerate(self.order):
            if (order == 1 and curves[i] is None) or (order == 2 and not _equality(curves[i])):
                raise self._refused(i)
        self.curves = self._curves(moved, curves)

    def _curves(self, moved: Sequence[int], curves: Sequence[Characteristic | None]) -> dict[int, _Curve]:
        if not moved:
            return {}
        names = [f"place[{k}]" for k in range(len(moved))] if len(moved) > 1 else ["place"]
        places = self.step.memory("place_k", len(moved), names=names)
        last = self.step.memory("force_k", len(moved), names=[n.replace("place", "last_force") for n in names])
        return {
            i: _Curve(self.step, c.replaced(self.now), places[k], self.output[i].xreplace(self.now), last[k])
            for k, i in enumerate(moved)
            if (c := curves[i]) is not None
        }

    def state(self) -> None:
        """All stages, and the quantities whose zeros are events."""
        step = self.step
        for name in ("smooth", "forces"):
            self._motion(step.stage(name))
        for name in ("impact", "expansion", "rest"):
            self._jump(step.stage(name), name)
        for k, curve in enumerate(self.curves.values()):
            curve.cuts(f"[{k}]" if len(self.curves) > 1 else "")

    def _motion(self, stage: RelationStep) -> None:
        """Rows and reactions while forces act; what the stage decides is where each row goes on."""
        smooth = stage.name == "smooth"
        multiplier = stage.multiplier()
        stage.reaction(*(g.xreplace(self.now) for g in self.step.cls.reactions))
        stage.formulas(output="y = h(t, s, lambda), or its derivative; rho = g(t, s, lambda)")
        if any(self.order):
            self._impose(stage, multiplier)
        else:
            stage.output(self.output.xreplace(self.now))
            stage.bounds(self.now)
        if smooth:
            stage.observe_own("output", self.now)

    def _impose(self, stage: RelationStep, multiplier: sp.Matrix) -> None:
        """Row by row: the law of finite forces, a derivative, or what the curve says."""
        smooth = stage.name == "smooth"
        rows, found, limits = self._law(stage, multiplier)
        decided = []
        for i, order in enumerate(self.order):
            if order == 0:
                continue
            rate = self._rate(stage, self.output[i], order)
            found[i], limits[i] = (Cone.EQUALITY, 1), []
            if i in self.held:
                rows[i] = rate
            elif smooth:
                rows[i] = self.curves[i].smooth(multiplier[i], rate)
            else:
                rows[i] = rate if self.curves[i].curve.falling else -rate
                found[i], limits[i] = (Cone.BOX, 1), self.curves[i].bounds()
                decided.append(self.curves[i].decided(multiplier[i], rate))
        stage.impose(sp.Matrix(rows), *found, bounds=[e for part in limits for e in part])
        if decided:
            stage.remember(place_k=decided)
            stage.initial_memory(place_k=[0] * len(decided))
        if smooth and self.curves:
            stage.remember(force_k=[multiplier[i] for i in self.curves])
            stage.initial_memory(force_k=[0] * len(self.curves))

    def _law(
        self, stage: RelationStep, multiplier: sp.Matrix
    ) -> tuple[list[Any], list[tuple[Cone, int]], list[list[Any]]]:
        """What the law imposes, row by row: values, cones and bounds."""
        values, cones = stage.law.imposed(stage.law.rows(self.output, sp.zeros(*self.output.shape)), multiplier)
        bounds = list(stage.cls.bounds.xreplace(self.now)) if stage.cls.bounds.rows else []
        split = [(cone, 1) for cone, height in cones for _ in range(height)]
        parts = [[bounds.pop(0), bounds.pop(0)] if cone == Cone.BOX else [] for cone, _ in split]
        return list(sp.Matrix(values).xreplace(self.now)), split, parts

    def _jump(self, stage: RelationStep, name: str) -> None:
        """Impulses where nothing else keeps a row on its curve."""
        sides: list[tuple[int, tuple[sp.Expr, int, int] | None]] = [(i, None) for i in self.held]
        sides += [(i, side) for i, c in self.curves.items() for side in _ends(c.curve)]
        if not sides:
            return
        word = {"impact": "impulse", "expansion": "expansion", "rest": "settling"}[name]
        push = stage.multiplier(word, len(sides))
        after = {
            **self.now,
            **{
                s: w
                for p in stage.participants
                for role in ("v", "x")
                for s, w in zip(p.group(role), p.unknown, strict=False)
            },
        }
        rows, force = [], [sp.S.Zero] * len(self.order)
        for k, (i, side) in enumerate(sides):
            row = self.output[i] if self.order[i] == 1 else self._moved(self.output[i])
            if side is None:
                rows.append(row.xreplace(after))
                force[i] += push[k]
            else:
                at, way, sign = side
                rows.append(way * (row.xreplace(after) - at.xreplace(self.now)))
                force[i] += sign * push[k]
        stage.impose(
            sp.Matrix(rows), *((Cone.EQUALITY if side is None else Cone.COMPLEMENTARITY, 1) for _, side in sides)
        )
        own = self.step.cls.multipliers
        stage.reaction(*(jacobian(g, own).xreplace(self.now) * sp.Matrix(force) for g in self.step.cls.reactions))
        stage.formulas(output="y stays where its law has a value, rho = dg/dlambda p")

    def _order(self, row: sp.Expr) -> int:
        """How often a row is differentiated until forces move it: 0 where it holds multipliers."""
        free = row.free_symbols
        groups = {role: {s for p in self.step.participants for s in p.group(role)} for role in ("q", "v", "x")}
        if free & set(self.step.cls.multipliers):
            return 0
        return 1 if free & (groups["v"] | groups["x"]) else 2 if free & groups["q"] else -1

    def _moved(self, row: sp.Expr) -> sp.Expr:
        """dy/dt of a row of positions, a function of velocities."""
        found = row.diff(NOW)
        for p in self.step.cls.participants:
            if p.group("q"):
                found += p.moved(sp.Matrix([row]))[0]
        return found

    def _rate(self, stage: RelationStep, row: sp.Expr, order: int) -> sp.Expr:
        """The derivative that accelerations, or rates of first-order states, enter."""
        value = self._moved(row) if order == 2 else row
        total = self._moved(value).xreplace(self.now)
        for p in stage.participants:
            for role in ("v", "x"):
                if p.group(role):
                    total += (jacobian(sp.Matrix([value]), p.group(role)).xreplace(self.now) * p.unknown)[0]
        return total

    def _check(self) -> None:
        step = self.step
        if -1 in self.order:
            raise step.refused(f"row {self.order.index(-1)} of its output depends on no state and no multiplier")
        free = set().union(*(jacobian(g, step.cls.multipliers).free_symbols for g in step.cls.reactions))
        if any(self.order) and not free.isdisjoint(step.cls.multipliers):
            raise step.refused(
                "reactions that are not linear in the multipliers have no impulses: use nsd.MoreauJean, "
                "or an output that holds the multiplier"
            )
        if step.has("recorded") and any(
            not row.free_symbols & set(step.cls.multipliers) for row in step.cls.terms["recorded"]
        ):
            raise step.refused(
                "bounds that depend on states want an output that holds the multiplier, y + r lambda "
                "with a small r; or nsd.ThetaGamma and nsd.MoreauJean, which have them"
            )
        if any(self.order) and len(step.law.own_multipliers(step.cls.height)) > 0:
            raise self._refused(next(i for i, order in enumerate(self.order) if order))

    def _refused(self, row: int) -> Exception:
        kind = type(self.step.law).__name__
        if self.order[row] == 2:
            return self.step.refused(
                f"row {row} of its output is a position, which jumps its velocity where {kind} "
                "comes into play: what happens then only a law of impacts says, so write it as "
                "a nsd.Contact, or put a compliance into the output"
            )
        return self.step.refused(
            f"row {row} of its output does not hold the multiplier, and {kind} does not say its "
            "characteristic row by row: use nsd.MoreauJean, or put a small compliance into it"
        )


def _ends(curve: Characteristic) -> list[tuple[sp.Expr, int, int]]:
    """The jumps without an end: where, to which side of them y stays, and the sign of what keeps it there."""
    found = []
    for jump in curve.jumps:
        if jump.high == sp.oo:
            found.append((jump.at, 1 if curve.falling else -1, 1))
        if jump.low == -sp.oo:
            found.append((jump.at, -1 if curve.falling else 1, -1))
    return found


def _equality(curve: Characteristic | None) -> bool:
    """Whether the curve is one vertical line, at 0."""
    return (
        curve is not None
        and len(curve.jumps) == 1
        and curve.jumps[0].low == -sp.oo
        and curve.jumps[0].high == sp.oo
        and curve.jumps[0].at == 0
    )


def _least(values: Sequence[sp.Expr | None]) -> sp.Expr | None:
    """The lesser of those that are given."""
    given = [value for value in values if value is not None]
    if len(given) < 2:
        return given[0] if given else None
    return Branch(given[0], given[0] < given[1], given[1], sp.true)


def _branches(pairs: Sequence[tuple[sp.Expr, sp.Basic]]) -> sp.Expr:
    """The value of the first condition that holds; the last one holds."""
    return Branch(*(part for value, where in pairs[:-1] for part in (value, where)), pairs[-1][0], sp.true)
