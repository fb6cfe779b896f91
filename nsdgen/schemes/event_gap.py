"""A gap from event to event: what is remembered of it, and what counts as closed, sunk, parted, slow and at rest."""

import sympy as sp

from nsdgen.base.names import numbered
from nsdgen.schemes.event_friction import AT_ONCE
from nsdgen.schemes.event_sizes import has_kink, jump_of
from nsdgen.schemes.rate_labels import acceleration_units, gap_units, rate_names, rate_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.conditions import joined
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.graph.term_sizes import magnitude

_ROUNDING = 8e-15
"""Of a gap's terms, twice over: a flight that stays below cannot be told from contact. Of an acceleration's, too."""
_LEAVES = sp.Float(0.05)
"""Of that of a gap: what leaves has a place of its own, however soon after it struck another one strikes it again."""
_LIMIT = sp.Float(-1e300)
"""A remembered gap below that is none: the run says by it that impacts of the contact have come to their limit."""
_STILL = sp.Float(1e-9)
"""Of what counts as rest: an acceleration that comes in a step to no more is none."""


class Gap:
    """The gap and the rates of a relation: of a contact, of a constraint, or rates alone.

    ``sized`` says whether sizes of gap and rates are remembered: thresholds are shares of them.
    """

    def __init__(self, step: RelationStep, now: Instant, *, sized: bool) -> None:
        self.step, self.now = step, now
        self.gaps = step.cls.terms["gap"].rows
        names = rate_names(step.cls)
        self.gap_k = step.memory("gap_k", self.gaps, units=gap_units(step.cls)) if self.gaps else sp.zeros(0, 1)
        self.rate_k = step.memory(
            "rate_k",
            names=names,
            symbols=[f"{n.replace('[', '').replace(']', '')}_k" for n in names],
            units=rate_units(step.cls),
        )
        self.fall_k = (
            step.memory("fall_k", names=("free_gap_acceleration",), units=acceleration_units(step.cls)[:1])
            if step.law.unilateral
            else sp.zeros(1, 1)
        )
        self.force_k = step.memory(
            "force_k", step.cls.height, step.cls.force_units, numbered("last_force", step.cls.height)
        )
        self.sized = sized
        if sized:
            units = (*(gap_units(step.cls)[:1] or ("",)), rate_units(step.cls)[0])
            self.size_k = step.memory("size_k", 2, units, ("largest_gap", "largest_rate"))
            self.still = step.options.rest_rate * self.size_k[1]
        self.closed_k = step.memory("closed_k") if step.law.unilateral else sp.Matrix([1])

    @property
    def is_closed(self) -> sp.Basic:
        """Whether the contact was closed until now; a constraint always is."""
        return self.closed_k[0] > 0 if self.step.law.unilateral else sp.true

    @property
    def at_limit(self) -> sp.Basic:
        """Whether its impacts accumulate together with those of others, and this one is their limit."""
        return self.gap_k[0] < _LIMIT

    def no_acceleration(self) -> sp.Expr:
        """What is rounding of an acceleration: where others carry all, a contact presses and opens by nothing."""
        return _STILL * self.still / STEP + sp.Float(_ROUNDING) * sp.Abs(self.fall_k[0])

    def touches(self) -> sp.Basic:
        """Whether a contact takes part in impacts: closed so far, or its gap; one that leaves, to its last digits."""
        near = Branch(_LEAVES * self.grain(), self.rate_k[0] > self.still, self._near(), sp.true)
        near = self.step.term("gap", self.now)[0] <= near
        return sp.Or(sp.And(self.is_closed, sp.Not(self.has_parted)), self.at_limit, near)

    def sunk(self, i: int) -> sp.Basic:
        """Whether a gap has jumped below zero, or that of a constraint from zero: by no drift, where it has a kink."""
        if not (self.gaps and has_kink(self.step.term("gap", self.now)[i])):
            return sp.false
        gap = self.step.term("gap", self.now)
        if self.step.law.unilateral:
            return gap[0] < -self._leap
        most = jump_of(self.step, magnitude(gap)[i] + self._moves(i))
        return sp.And(sp.Abs(gap[i]) > most, most > 0)

    @property
    def has_parted(self) -> sp.Basic:
        """Whether the gap of a closed contact has jumped above zero."""
        if not (self.step.law.unilateral and self.gaps and has_kink(self.step.term("gap", self.now)[0])):
            return sp.false
        return self.step.term("gap", self.now)[0] > self._leap

    @property
    def _leap(self) -> sp.Expr:
        """A gap that is no drift."""
        return jump_of(self.step, self.size_k[0] + self._moves(0)) + self._near()

    def _moves(self, i: int) -> sp.Expr:
        """What a gap comes to in a step of the model at its rate now, each term of it."""
        return STEP * magnitude(self.step.rate(self.now))[i]

    def slow(self, rate: sp.Matrix) -> sp.Basic:
        """Whether a contact separates no faster than rest, or than takes it above the rounding of its gap.

        Not if it left before this event and gathers speed: it would never get away beside events that are dense.
        """
        seen = self.grain() * sp.Abs(self.fall_k[0])
        before = sp.And(sp.Not(self.is_closed), self.rate_k[0] > 0, self.fall_k[0] > self.no_acceleration())
        leaves = sp.And(before, 2 * rate[0] > self.rate_k[0])
        slow = sp.Or(rate[0] <= self.still, rate[0] ** 2 <= seen)
        return sp.Or(sp.And(slow, sp.Not(leaves)), self.at_limit)

    def left(self) -> sp.Expr:
        """The gap of an open contact: while it leaves, or rests, rounding of its terms or of time does not close it."""
        gap, rate, near = self.gap_k[0], self.rate_k[0], self._near()
        beside = Branch(near, 2 * sp.Abs(gap) > near, 2 * sp.Abs(gap), sp.true)
        still = Branch(  # no jump: the search for zeros wants none
            sp.S.One, rate >= 0, sp.S.Zero, rate <= -self.still, 1 + rate / self.still, sp.true
        )
        return gap + still * (self.grain() + beside)

    def _near(self) -> sp.Expr:
        """A gap that counts as closed."""
        return self.step.options.closed * self.size_k[0] + self.grain()

    def grain(self) -> sp.Expr:
        """The rounding of the terms of the gap."""
        return sp.Float(_ROUNDING) * self.terms()

    def terms(self) -> sp.Expr:
        """The sum of the terms of the gap."""
        terms = sp.Add.make_args(self.step.term("gap", self.now)[0]) if self.gaps else ()
        return sum((sp.Abs(term) for term in terms), sp.S.Zero)

    def rests(self, slow: sp.Basic) -> sp.Basic:
        """Whether a contact may stay closed: it touches, is slow, and its force has not fallen to zero."""
        lost = sp.And(self.is_closed, self.force_k[0] <= 0, AT_ONCE)
        return joined(sp.And, self.touches(), slow, sp.Not(lost))
