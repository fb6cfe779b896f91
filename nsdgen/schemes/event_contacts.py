"""Gaps and rates from event to event: contacts, constraints, joints; their rows in the stages of ``EventDriven``."""

from typing import Any

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.names import numbered
from nsdgen.schemes.event_friction import Slip
from nsdgen.schemes.event_gap import Gap
from nsdgen.schemes.event_sizes import has_kink, jump_of, larger
from nsdgen.schemes.expansion import compression_rate, expand, rate_after
from nsdgen.schemes.rate_labels import impulse_units, position_impulse_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.conditions import joined
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.graph.term_sizes import magnitude

_MOVED = 10
"""Steps of the model: what touches at the start has at least the rate that it would come to in so many if free."""
_PLACE = sp.Float(1e-9)
"""Of the terms of a gap in a step: a rate of a row that is held may be so large, besides, and no jump."""


class GapEvents:
    """The stages of a gap, of rates without one, of both; what they share is stated once.

    Row 0 of a unilateral law is its gap; rows of disks of friction follow; all others are equalities.
    """

    def __init__(self, step: RelationStep, now: Instant) -> None:
        self.step, self.now = step, now
        self.smooth, self.impact, self.expansion, self.rest, self.closing, self.forces = (
            step.stage(name) for name in ("smooth", "impact", "expansion", "rest", "closing", "forces")
        )
        self.rows, self.gaps = step.cls.height, step.cls.terms["gap"].rows
        disks = step.law.disks(sp.zeros(self.rows, 1))
        if disks is None or (step.law.unilateral and self.rows != 1 + sum(len(d.rows) for d in disks)):
            raise step.refused(
                f"{type(step.law).__name__} does not say what friction it bears while forces act: give "
                "the law disks(multiplier), or use nsd.MoreauJean"
            )
        self.force_units = step.cls.force_units
        self.gap = Gap(step, now, sized=step.law.unilateral or bool(disks))
        sides = step.memory("side_k", len(disks), names=numbered("side", len(disks))) if disks else sp.zeros(0, 1)
        self.slips = [Slip(step, i, side, now, self.gap.size_k[1]) for i, side in enumerate(sides)]

    def state(self) -> None:
        """All stages, and the quantities whose zeros are events."""
        step, rate = self.step, self.step.rate(self.now)
        self._smooth(rate)
        impulse = self._impact()
        if step.gives_back and step.law.unilateral:
            self._expand(impulse)
        elif step.gives_back:
            self._hold()
        self._rest(rate)
        self._close()
        self._forces(rate)
        if step.law.unilateral:
            force = self.gap.force_k[0]
            step.cut("closes", Branch(sp.S.One, self.gap.is_closed, self.gap.left(), sp.true), "falling")
            step.cut("opens", Branch(force, self.gap.is_closed, sp.S.One, sp.true), "falling")
        for slip in self.slips:
            slip.cuts(self.gap.force_k, self.gap.rate_k, self.gap.is_closed)
        if self.slips:
            step.places("side_k", [0] * len(self.slips))
            if step.law.unilateral:
                step.slips("rate_k", [i for slip in self.slips for i in slip.rows], "size_k")
        self._jumps(rate)
        if self.gaps:
            step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))

    def _jumps(self, rate: sp.Matrix) -> None:
        """An event where a held rate or gap jumps, by a kink of what prescribes it: a table, an edge, a belt."""
        place = _PLACE * self.gap.terms() / STEP
        seen = magnitude(rate)
        jumps = [has_kink(e) for e in rate]
        unilateral = self.step.law.unilateral
        held: list[tuple[sp.Expr, sp.Expr, sp.Basic]] = [
            (sp.Abs(self.gap.rate_k[i]), self.gap.size_k[1] if unilateral else seen[i], sp.true)
            for i in range(self.gaps or self.rows)
            if jumps[i] and not (i >= self.gaps and any(i in slip.rows for slip in self.slips))
        ]
        jumped = [sp.Or(self.gap.sunk(i), self.gap.has_parted) for i in range(self.gaps)]
        for slip in self.slips if unilateral else ():
            sticks = sp.And(sp.Eq(slip.side, 0), slip.at(self.gap.force_k).coefficient > 0)
            if any(jumps[i] for i in slip.rows):
                held.append((slip.length(self.gap.rate_k), self.gap.size_k[1], sticks))
        worst: sp.Expr = sp.S.Zero
        for speed, size, holds_now in held:
            most = jump_of(self.step, size) + place
            worst = larger(worst, Branch(speed / most, sp.And(holds_now, most > 0), sp.S.Zero, sp.true))
        for there in jumped:
            worst = Branch(sp.Integer(2), there, worst, sp.true) if there != sp.false else worst
        if worst != 0:
            self.step.cut("jumps", Branch(1 - worst, self.gap.is_closed, sp.S.One, sp.true), "falling")

    def _smooth(self, rate: sp.Matrix) -> None:
        """Closed contacts stay closed; what slides has the friction of its direction, all else sticks."""
        stage = self.smooth
        f = stage.multiplier("force", self.rows, self.force_units)
        rows = self._acceleration(stage)
        fall = rows[0]
        acceleration = sp.Matrix(rows)
        cones, count = self._cones()
        for slip in self.slips:
            for i, row in slip.smooth(f, rows, rate).items():
                rows[i] = row
        bounds = [slip.most(f) for slip in self.slips[:count]]
        stage.impose(rows, *cones, bounds=bounds, held=True)
        stage.least(self._sizes(f))
        stage.react(f, self.now)
        if stage.law.unilateral:
            stage.activation(Branch(sp.S.One, self.gap.is_closed, sp.S.Zero, sp.true))
            stage.remember(
                fall_k=[Branch(self.gap.fall_k[0], self.gap.is_closed, fall, sp.true)]
            )  # as it last was free
        if self.gap.sized:
            stage.remember(size_k=self._largest(rate, self.gap.size_k[1]))
            stage.initial_memory(size_k=self._first_sizes(acceleration, rate))
        if self.gaps:
            stage.remember(gap_k=stage.term("gap", self.now))
        stage.remember(rate_k=rate, force_k=f, **{slip.change_group: [slip.along(acceleration)] for slip in self.slips})
        stage.initial_memory(force_k=sp.zeros(self.rows, 1))
        stage.formulas(
            output="y = d/dt (H v + dh/dt), rho = H^T f", observe="gap, rates and forces now", activation="closed"
        )

    def _largest(self, rate: sp.Matrix, seen: sp.Expr) -> list[sp.Expr]:
        """The terms of gap and rates at their largest so far; ``seen`` is the largest rate but for what is now."""
        terms = magnitude(rate)
        for speed in (*(terms[:1] if self.step.law.unilateral else ()), *(slip.length(terms) for slip in self.slips)):
            seen = larger(seen, speed)
        return [larger(self.gap.size_k[0], self.gap.terms()), seen]

    def _first_sizes(self, acceleration: sp.Matrix, rate: sp.Matrix) -> list[sp.Expr]:
        """The same at t_0: what touches there has at least the sizes that it would come to in steps if it were free."""
        # Named, since SymPy looks into what it takes the absolute value of: for minutes, in absolute coordinates.
        acceleration = acceleration.applyfunc(lambda e: let("free_acceleration", e))
        none = dict.fromkeys(self.gap.size_k, sp.S.Zero)
        gap, fastest = (e.xreplace(none) for e in self._largest(rate, sp.S.Zero))
        free = sp.Abs(acceleration[0], evaluate=False) if self.step.law.unilateral else sp.S.Zero
        for slip in self.slips:
            free = larger(free, slip.length(acceleration))
        time = _MOVED * STEP
        moves = let("moves", larger(fastest, time * free))
        if not self.gaps:
            return [gap, moves]
        touches = self.step.term("gap", self.now)[0] <= self.step.options.closed * time * moves + self.gap.grain()
        return [Branch(larger(gap, STEP * moves), touches, gap, sp.true), Branch(moves, touches, fastest, sp.true)]

    def _sizes(self, f: sp.Matrix) -> sp.Matrix:
        """Rows of friction are compared with its bound."""
        sizes = sp.zeros(self.rows, 1)
        for slip in self.slips:
            for i in slip.rows:
                sizes[i] = slip.bound(f)
        return sizes

    def _impact(self) -> sp.Matrix:
        """The law joins the rates before and after; approaches as slow as rest, and departures, count as none.

        Gives the impulse.
        """
        stage = self.impact
        p = stage.multiplier("impulse", self.rows, impulse_units(self.step.cls))
        before = stage.rate(self.now)
        if stage.law.unilateral:
            before = self._approach(before)
            stage.activation(Branch(sp.S.One, self.gap.touches(), sp.S.Zero, sp.true))
        after = rate_after(stage, self.now)
        for i in range(self.gaps):  # no velocity closes a gap that has jumped: an impact has no solution then
            if (sunk := self.gap.sunk(i)) != sp.false:
                after[i] = Branch(self.step.term("gap", self.now)[i], sunk, after[i], sp.true)
        stage.output(after, compression_rate(stage, before))
        stage.react(p, self.now)
        stage.formulas(output="y = law(u(v), u(v_k)), rho = H^T p", activation="gap <= closed", bounds="as in the law")
        return p

    def _expand(self, compression: sp.Matrix) -> None:
        """The second phase: what has a share of the compression gives it back, every other law holds as a whole."""
        units = impulse_units(self.step.cls)
        compression = compression.applyfunc(lambda p: Branch(sp.S.Zero, self.gap.at_limit, p, sp.true))
        expand(self.expansion, self.now, compression, self.impact, self._approach(sp.Matrix(self.gap.rate_k)), units)
        self.expansion.activation(Branch(sp.S.One, self.gap.touches(), sp.S.Zero, sp.true))

    def _approach(self, before: sp.Matrix) -> sp.Matrix:
        """Rates before an impact, departures and what is as slow as rest counting as none, and all of a limit."""
        none = sp.Or(before[0] >= -self.gap.still, self.gap.at_limit, self.gap.sunk(0))
        before[0] = Branch(sp.S.Zero, none, before[0], sp.true)
        return before

    def _hold(self) -> None:
        """A constraint holds in the second phase, too; what rubs in it had its share in the first."""
        stage = self.expansion
        push = stage.multiplier("expansion", self.rows, impulse_units(self.step.cls))
        rows = rate_after(stage, self.now)
        for slip in self.slips:
            for i in slip.rows:
                rows[i] = push[i]
        stage.impose(rows, (Cone.EQUALITY, self.rows))
        stage.react(push, self.now)
        stage.formulas(output="y = H v + dh/dt, rho = H^T p")

    def _rest(self, rate: sp.Matrix) -> None:
        """A contact that touches and is as slow as rest stops: closed, it stays where it is."""
        stage = self.rest
        r = stage.multiplier("settling", self.rows, impulse_units(self.step.cls))
        rows = rate_after(stage, self.now)
        for slip in self.slips:
            coefficient = slip.at(r).coefficient
            goes = sp.Or(slip.fast(rate), coefficient <= 0)
            for i in slip.rows:
                rows[i] = Branch(r[i], goes, rows[i], sp.true)
        stage.impose(rows, (Cone.EQUALITY, self.rows))
        stage.react(r, self.now)
        if stage.law.unilateral:
            stage.activation(Branch(sp.S.One, self.gap.rests(self.gap.slow(rate)), sp.S.Zero, sp.true))
        stage.formulas(output="y = H v + dh/dt, rho = H^T r", activation="touches, and separates no faster than rest")

    def _close(self) -> None:
        """A gap at the limit of impacts is zero: what is left of it the impulses left out would do; others stay."""
        stage, rows = self.closing, self.gaps if self.step.law.unilateral else self.rows
        if not rows:
            return
        push = stage.multiplier("displacing", rows, position_impulse_units(self.step.cls)[:rows])
        gradients = [H[:rows, :] for H in stage.gradients(self.now)]
        moved = sum(map(product, gradients, (p.unknown for p in stage.participants)), sp.zeros(rows, 1))
        if stage.law.unilateral:
            moved += stage.term("gap", self.now)
            stage.activation(Branch(sp.S.One, self.gap.at_limit, sp.S.Zero, sp.true))
        stage.impose(moved, (Cone.EQUALITY, rows))
        stage.reaction(*(product(H.T, push) for H in gradients))
        stage.formulas(output="y = h + H xi, rho = H^T s", activation="at the limit of impacts")

    def _forces(self, rate: sp.Matrix) -> None:
        """Which of the contacts that rest stay closed, and what sticks in them."""
        stage, unilateral = self.forces, self.step.law.unilateral
        f = stage.multiplier("force", self.rows, self.force_units)
        rows = self._acceleration(stage)
        acceleration = sp.Matrix(rows)
        self._choose(f, rows, rate)
        force = sp.Matrix(f)
        for slip in self.slips:
            _, d = slip.leaves(rate, self.gap.force_k, self.gap.is_closed)
            for i, push in zip(slip.rows, slip.at(f).multipliers([-slip.at(f).bound * e for e in d]), strict=True):
                force[i] = f[i] + push
        stage.react(force, self.now)
        stopped = rate[0] <= sp.Float(1e-3) * self.gap.still if unilateral else sp.true  # brought to rest
        rests = self.gap.rests(stopped) if unilateral else sp.true
        decided: dict[str, Any] = {}
        stays = rests
        if unilateral:
            stage.activation(Branch(sp.S.One, rests, sp.S.Zero, sp.true))
            stays = joined(
                sp.And, rests, sp.Not(joined(sp.And, f[0] <= 0, acceleration[0] > -self.gap.no_acceleration()))
            )
            decided["closed_k"] = [Branch(sp.S.One, stays, sp.S.Zero, sp.true)]
        sides = []
        for slip in self.slips:
            side, kept = slip.decided(rate, self.gap.force_k, self.gap.is_closed, f, acceleration)
            sides.append(Branch(side, stays, sp.S.Zero, sp.true))
            if kept:
                decided[slip.group] = kept
        if sides:
            decided["side_k"] = sides
        if decided:
            stage.remember(**decided)
            stage.initial_memory(**{name: [0] * len(values) for name, values in decided.items()})
        stage.formulas(
            output="y = d/dt (H v + dh/dt), rho = H^T f",
            activation="closed, at rest, not opening",
            observe="closed or not, and how it slides",
            bounds="mu where it does not slide",
        )

    def _choose(self, f: sp.Matrix, rows: sp.Matrix, rate: sp.Matrix) -> None:
        """The rows of the choice in their cones: as many disks as a cone of friction takes, others by projection."""
        stage = self.forces
        leaves = [slip.leaves(rate, self.gap.force_k, self.gap.is_closed)[0] for slip in self.slips]
        cones, count = self._cones()
        least = sp.zeros(self.rows, 1)
        for slip, away in list(zip(self.slips, leaves, strict=True))[count:]:
            for i, row in slip.choice(f, rows, away).items():
                rows[i], least[i] = row, slip.bound(f)
        stage.impose(
            rows,
            *cones,
            bounds=[
                Branch(sp.S.Zero, away, slip.at(f).coefficient, sp.true)
                for slip, away in list(zip(self.slips, leaves, strict=True))[:count]
            ],
        )
        stage.least(least)

    def _cones(self) -> tuple[list[tuple[Cone, int]], int]:
        """The cones of forces, and how many disks they hold: all other rows are equalities."""
        sizes = [len(slip.rows) for slip in self.slips]
        cone, count = Cone.COMPLEMENTARITY, 0
        if self.step.law.unilateral and sizes[:1] in ([1], [2]):
            cone, count = (Cone.COULOMB_2D if sizes[0] == 1 else Cone.COULOMB_3D), 1
            if sizes[:2] == [2, 2]:
                cone, count = Cone.ROLLING, 2
        held = sum(sizes[:count]) + 1 if self.step.law.unilateral else 0
        blocks = [(cone, held), (Cone.EQUALITY, self.rows - held)]
        return [(cone, height) for cone, height in blocks if height], count

    def _acceleration(self, stage: RelationStep) -> sp.Matrix:
        """d/dt (H v + dh/dt), a function of the accelerations."""
        return stage.acceleration(self.now, [p.unknown for p in stage.participants])
