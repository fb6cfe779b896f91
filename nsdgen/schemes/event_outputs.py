"""Relations by output and reaction from event to event: y = h(t, s, lambda) and a law, the reaction g(t, s, lambda).

Each row of a law with a characteristic moves on one piece of it, on a jump or between two of them:

on a jump       y = at, or the first of its derivatives that forces move, zero; lambda within the jump
between jumps   lambda = lambda(y), y within the piece

What is left of the piece is looked at; where it comes to an end, the run finds the pieces with which the motion goes on
(``_modes.pxi``), so that of several solutions a row keeps the one on which it is. A row that moves on a jump although
its first derivative does not hold the multiplier is held: where switchings accumulate, their limit moves so.

Rows that share a cone are solved wherever the motion is asked for its rate; they hold multipliers. Where a jump has no
end, impulses keep y on the side where the curve is. Rows of positions are constraints, ddy = 0.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.names import numbered
from nsdgen.schemes.event_curves import RowCurve
from nsdgen.schemes.event_index import RowPiece, hidden
from nsdgen.schemes.event_rates import OutputRates, derivative, plain
from nsdgen.schemes.event_sizes import MOMENT, Sizes, has_kink, jump_of
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.generic_rank import generic_rank
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.graph.term_sizes import magnitude
from nsdgen.symbolic.laws.characteristic import ALONG, Characteristic

_NO_PLACE = -2
"""The place of a row when a run starts."""


class OutputEvents:
    """The stages of a relation by output and reaction."""

    def __init__(self, step: RelationStep, now: Instant) -> None:
        step.law = step.cls.law  # row by row, on the pieces of its own curves
        self.step, self.now = step, now
        self.output = step.cls.terms["output"]
        self.order = [self._order(row) for row in self.output]
        self._check()
        curves = step.law.characteristics(step.cls.height, list(step.cls.bounds))
        self.functions = {i: c for i, c in enumerate(curves) if c is not None and not c.jumps}
        ends = [i for i, c in enumerate(curves) if _equality(c)]
        fixed = [i for i, order in enumerate(self.order) if order == 2 or (order == 1 and i in ends)]
        self.held = [i for i in fixed if i not in self.functions]
        moved = {i: c for i, c in enumerate(curves) if c is not None and c.jumps and i not in [*fixed, *ends]}
        for i, order in enumerate(self.order):
            if i not in self.functions and (
                (order == 1 and curves[i] is None) or (order == 2 and not _equality(curves[i]))
            ):
                raise self._refused(i)
            if i in self.functions and not order and not self._is_unique(i):
                raise self._refused(i, "its curve has no jump, and multipliers in it may leave several solutions")
        states = [s for p in step.participants for role in ("q", "v", "x") for s in p.group(role)]
        pieces = [self._pieces(i, c, i in moved) for i, c in enumerate(curves)]
        self.hidden = list(hidden(pieces, step.cls.multipliers, states, step.cls.parameters))
        self.curves = self._curves(moved)

    def _pieces(self, row: int, curve: Characteristic | None, moves: bool) -> list[RowPiece]:
        """Those of a row, and what is zero on them where the row itself is."""
        output, own = self.output[row], self.step.cls.multipliers[row]
        if row in self.functions:
            return [RowPiece(0, False, self._function(row))]
        of_state = curve is None or self.order[row] > 0
        if curve is None or not moves:
            return [RowPiece(0, True, None if of_state else output)]
        return [
            *(RowPiece(j, True, None if of_state else output - jump.at) for j, jump in enumerate(curve.jumps)),
            *(
                RowPiece(j, False, own - e.xreplace({ALONG: output}))
                for j, e in enumerate(curve.between)
                if e is not None
            ),
        ]

    def _function(self, row: int) -> sp.Expr:
        """lambda less what a curve without jumps says of it."""
        along = next(e for e in self.functions[row].between if e is not None)
        return self.step.cls.multipliers[row] - along.xreplace({ALONG: self.output[row]})

    def _is_unique(self, row: int) -> bool:
        """Whether only its own multiplier stands in it, which acts against the slope of its curve."""
        gain, own = self.output[row].diff(self.step.cls.multipliers[row]), self.step.cls.multipliers[row]
        alone = self.output[row].free_symbols & set(self.step.cls.multipliers) == {own}
        return alone and bool(gain.is_nonnegative if self.functions[row].falling else gain.is_nonpositive)

    def _curves(self, moved: dict[int, Characteristic]) -> dict[int, RowCurve]:
        """The rows that move on pieces of curves, with their places and what is remembered of their multipliers."""
        step, own = self.step, self.step.cls.multipliers
        if not moved:
            return {}
        places = step.memory("place_k", len(moved), names=numbered("place", len(moved)))
        self.last = step.memory("force_k", len(own), names=numbered("last_force", len(own)))
        self.rate = step.memory("rate_k", len(moved), names=numbered("last_rate", len(moved)))
        found, self.sizes = {}, Sizes(step)
        for k, (i, c) in enumerate(moved.items()):
            rates = OutputRates.of(step, self.output[i], c)
            if rates.order > 1 and _ends(c):
                raise self._refused(
                    i, f"its rate does not hold the multiplier, and {type(step.law).__name__} is not bounded"
                )
            output = self.output[i].xreplace(self.now)
            found[i] = RowCurve(step, c.replaced(self.now), places[k], output, own[i], rates, self.now, self.sizes)
        return found

    def state(self) -> None:
        """All stages, and the quantities whose zeros are events."""
        step = self.step
        for name in ("smooth", "forces"):
            self._motion(step.stage(name))
        for name in ("impact", "expansion", "rest"):
            self._jump(step.stage(name), name)
        if self.curves:
            last = {**self.now, **dict(zip(step.cls.multipliers, self.last, strict=True))}
            for k, (i, curve) in enumerate(self.curves.items()):
                name = f"[{k}]" if len(self.curves) > 1 else ""
                curve.cuts(name, last, self._free(i), self.rate[k], self._rests(curve))
            step.places("place_k", [curve.highest for curve in self.curves.values()])
        self._leaves()

    def _rests(self, curve: RowCurve) -> sp.Basic:
        """Whether rows are held where this one is zero, as a rate is where what it is the rate of is held."""
        others = [other for other in self.curves.values() if other is not curve and other.rates.held]
        alone = [other for other in others if self._says([other], curve)]
        if alone or not self._says(others, curve):
            return sp.Or(*(other.held for other in alone))
        return sp.And(*(o.held for o in others if not self._says([other for other in others if other is not o], curve)))

    def _says(self, held: list[RowCurve], curve: RowCurve) -> bool:
        """Whether rows that are held leave another one no motion: its slopes are combinations of theirs."""
        states = [s for p in self.step.participants for role in ("q", "v", "x") for s in p.group(role)]
        zero = jacobian(sp.Matrix([e for other in held for e in other.rates.chain[: other.rates.held]]), states)
        return generic_rank(zero.col_join(jacobian(sp.Matrix([curve.rates.chain[0]]), states))) == generic_rank(zero)

    def _leaves(self) -> None:
        """An event where an equality of states, or of velocities, is no longer met: what prescribes it has jumped."""
        rows = [self.output[i] for i in self.held] + [
            self._moved(self.output[i]) for i in self.held if self.order[i] == 2
        ]
        off = [self._off(row) for row in rows if has_kink(row)]
        if off:
            self.step.cut("jumps", Branch(-sp.S.One, sp.Or(*off), sp.S.One, sp.true), "falling")

    def _off(self, row: sp.Expr) -> sp.Basic:
        """Whether a row that is held at zero is beside it by no drift."""
        most = self._drift(row, self._moved(row))
        return sp.And(sp.Abs(row.xreplace(self.now)) > most, most > 0)

    def _drift(self, row: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """What the terms of a row, and those of its rate in a step, may leave of it where it is held at zero."""
        terms = magnitude(sp.Matrix([row, rate]).xreplace(self.now))
        return jump_of(self.step, terms[0] + STEP * terms[1])

    def _holds(self, said: sp.Expr) -> sp.Basic:
        """Whether what rows say of states alone is zero: to what these were, and to what the terms of its rate make."""
        rate, told = self._moved(said), sp.S.Zero
        if self.curves:
            told = self.sizes.told(said).xreplace(self.now)
            if plain(self.step):
                last = dict(zip(self.step.cls.multipliers, self.last, strict=True))
                rate = derivative(self.step, said, {}).xreplace(last)
        return sp.Abs(said.xreplace(self.now)) <= told + self._drift(said, rate)

    def _free(self, row: int) -> sp.Basic:
        """Whether the multipliers that a row holds stand still: those of rows between jumps, lambda constant there."""
        if self.order[row]:
            return sp.true
        found: list[sp.Basic] = []
        for i, own in enumerate(self.step.cls.multipliers):
            if own in self.output[row].free_symbols:
                if i not in self.curves or i == row:
                    return sp.false
                c = self.curves[i]
                found.append(sp.Or(*(sp.Eq(c.place, 2 * j) for j in range(abs(c.highest) // 2 + 1))))
        return sp.And(*found)

    def _motion(self, stage: RelationStep) -> None:
        """Rows and reactions while forces act; at events, a guess on which piece each row goes on."""
        multiplier = stage.multiplier()
        reactions = self.step.cls.reactions
        for curve in self.curves.values() if stage.name == "smooth" else ():
            reactions = tuple(curve.reaction(g) for g in reactions)
        stage.reaction(*(g.xreplace(self.now) for g in reactions))
        stage.formulas(output="y = h(t, s, lambda), or its derivative; rho = g(t, s, lambda)")
        if self.curves or self.hidden or any(self.order):
            self._impose(stage, multiplier)
        else:
            stage.output(self.output.xreplace(self.now))
            stage.bounds(self.now)
        if stage.name == "smooth":
            stage.observe_own("output", self.now)

    def _impose(self, stage: RelationStep, multiplier: sp.Matrix) -> None:
        """Row by row: the law of finite forces, a derivative, or what the curve says."""
        smooth, height = stage.name == "smooth", len(self.order)
        output = self.output if smooth else self._soon(stage)
        rows, found, limits = self._law(stage, multiplier, output)
        guessed: list[sp.Expr] = []
        states = [i for i in self.functions if self.order[i]]  # beside its multiplier the law may leave several
        said = len(self.held) + len(self.curves) + len(states)
        only = smooth and all(self.order) and not self.hidden and said == height  # no row has its law's cone
        for i, order in enumerate(self.order):
            if i in self.held:
                rows[i], found[i], limits[i] = self._rate(stage, self.output[i], order), (Cone.EQUALITY, 1), []
            elif i in states:
                rows[i], found[i], limits[i] = self._function(i).xreplace(self.now), (Cone.EQUALITY, 1), []
            elif i in self.curves:
                curve = self.curves[i]
                rate = self._rate(stage, self.output[i], 1)
                if smooth:
                    rows[i] = curve.smooth(self._moved_by(stage, i))
                    found[i], limits[i] = ((Cone.BOX, 1), curve.shares()) if only else ((Cone.EQUALITY, 1), [])
                elif order:
                    rows[i], found[i] = rate if curve.curve.falling else -rate, (Cone.BOX, 1)
                    limits[i] = curve.bounds()
                guessed.append(rate if smooth else curve.guessed(output[i].xreplace(self.now), rate))
        if smooth:
            rows = self._differentiated(stage, rows)
        stage.impose(sp.Matrix(rows), *found, bounds=[e for part in limits for e in part], held=only)
        if smooth and guessed:
            stage.remember(force_k=list(multiplier), rate_k=guessed)
            stage.initial_memory(force_k=[0] * height, rate_k=[0] * len(guessed))
            self.sizes.remember(stage, self.now)
        elif guessed:
            stage.remember(place_k=guessed)
            stage.initial_memory(place_k=[_NO_PLACE] * len(guessed))

    def _differentiated(self, stage: RelationStep, rows: list[sp.Expr]) -> list[sp.Expr]:
        """Rows, and where some say something of states alone its derivative in the place of one of them."""
        cases: dict[int, list[sp.Basic]] = {}
        for h in self.hidden:
            for i, said in h.said.items():
                on = [self.curves[k].on(p.number, p.on_jump) for k, p in h.pieces.items() if k in self.curves]
                ideal = [sp.Eq(e, 0) for e in sorted(h.zero, key=sp.default_sort_key)]
                if self._order(said) == 1:  # of positions the rate would have to be zero, too
                    where = sp.And(*on, *ideal, self._holds(said))
                    cases.setdefault(i, []).extend((self._rate(stage, said, 1), where))
        return [Branch(*cases[i], row, sp.true) if i in cases else row for i, row in enumerate(rows)]

    def _moved_by(self, stage: RelationStep, row: int) -> Callable[[int], sp.Expr]:
        """The derivatives of a row as the rates of all states move it."""
        rates = self.curves[row].rates

        def moved(number: int) -> sp.Expr:
            if number == 1:
                return self._rate(stage, self.output[row], 1)
            return rates.moved(self.step, stage, number).xreplace(self.now)

        return moved

    def _soon(self, stage: RelationStep) -> sp.Matrix:
        """Rows, those of multipliers as an implicit step of a moment ends: not zero in an instant alone."""
        moved = [0 if order else self._rate(stage, row, 1) for row, order in zip(self.output, self.order, strict=True)]
        return self.output + MOMENT * STEP * sp.Matrix(moved)

    def _law(
        self, stage: RelationStep, multiplier: sp.Matrix, output: sp.Matrix
    ) -> tuple[list[Any], list[tuple[Cone, int]], list[list[Any]]]:
        """What the law imposes, row by row: values, cones and bounds."""
        values, cones = stage.law.imposed(stage.law.rows(output, sp.zeros(*output.shape)), multiplier)
        bounds = list(stage.cls.bounds.xreplace(self.now)) if stage.cls.bounds.rows else []
        split = [(cone, 1) for cone, height in cones for _ in range(height)]
        parts = [[bounds.pop(0), bounds.pop(0)] if cone == Cone.BOX else [] for cone, _ in split]
        return list(sp.Matrix(values).xreplace(self.now)), split, parts

    def _jump(self, stage: RelationStep, name: str) -> None:
        """Impulses where nothing else keeps a row on its curve."""
        sides: list[tuple[int, tuple[sp.Expr, int, int] | None]] = [(i, None) for i in self.held]
        sides += [(i, side) for i, c in self.curves.items() if self.order[i] for side in _ends(c.curve)]
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
                if self.order[i] == 2 and has_kink(
                    self.output[i]
                ):  # no velocity brings back a position that has jumped
                    value = self.output[i].xreplace(self.now)
                    rows[-1] = Branch(value, self._off(self.output[i]), rows[-1], sp.true)
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
                "write bounds that depend on states into the reaction, the same law: w * lam with nsd.Relay(1) "
                "in place of lam with nsd.Relay(w), l + (u - l) * lam with nsd.Box(0, 1) in place of nsd.Box(l, u)"
            )
        if any(self.order) and len(step.law.own_multipliers(step.cls.height)) > 0:
            raise self._refused(next(i for i, order in enumerate(self.order) if order))

    def _refused(self, row: int, why: str = "") -> Exception:
        kind = type(self.step.law).__name__
        if why:
            return self.step.refused(
                f"row {row} of its output: {why}; put a small compliance into it, or use nsd.ThetaGamma or "
                "nsd.MoreauJean"
            )
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
