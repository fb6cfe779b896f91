"""The gate before every verdict: refutations are evaluated again, proofs are challenged.

A counterexample counts only if the statement as it is written is false there; a proof only if no challenge on the
assumption set, kinks and poles included, finds the statement false. See ``docs/how-to/verify.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice, pairwise
from random import Random
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify import statement as st
from nsdgen.verify.assumption import Assumption
from nsdgen.verify.outcome import Difference, Outcome
from nsdgen.verify.quantities import expressions
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build

from .challenge_points import Named, challenges, factors, named, switches
from .completion import FILLS, matrices_of, with_matrices
from .meaning import without_meaning
from .truth import FINE, PRECISIONS, Truth, is_real, truth_of
from .witness import Witness

CHALLENGES = 14  # points against a proof: half of them on switches, in turn, a quarter moved beside or between these
ENOUGH = 20  # points where a statement holds that nothing else decides
FEW = 4  # points: of a quick look, and those below which agreement says nothing
_WITHOUT_PROOF = 100  # points where there is nothing but points
_OF_INTEGRALS = 5  # points for what is evaluated by quadrature: dear, and never more than a doubt
_SECONDS = 0.5  # that a gate may add to a proof
_SECONDS_ALONE = 2.0  # and where there are points alone
_POINTWISE = (st.Equal, st.Zero, st.Implies, st.Iff, st.Inequality, st.Definite, st.SeriesEqual, st.IntegralEqual)


def gated(statement: Any, outcome: Outcome, setting: Setting, deadline: Deadline, quick: bool = False) -> Outcome:
    """The outcome, or what is left of it after it was confirmed or challenged; ``quick`` challenges at few points."""
    if not isinstance(statement, _POINTWISE) or outcome.method == "shape":
        return outcome
    case = _JudgedStatement(statement, setting)
    if outcome.status == "refuted":
        return _confirmed(case, outcome, deadline)
    if outcome.status in ("consistent", "undecided") and any(e.has(sp.DiracDelta) for e in case.said):
        return outcome.but(status="undecided", reason="a distribution has no values that could be compared")
    if outcome.status == "proved" and not _same_text(statement) and (name := without_meaning(case.said)):
        return outcome.but(
            status="undecided",
            entries=(),
            reason=(f"the second evaluation has no values of {name}: nothing stands beside the proof"),
        )
    if outcome.status in ("proved", "consistent"):
        count = _OF_INTEGRALS if isinstance(statement, st.IntegralEqual) else CHALLENGES
        return _challenged(case, outcome, FEW if quick else count)
    return _examined(case, outcome, deadline)


class _JudgedStatement:
    """A statement under assumptions, with what is needed to evaluate it."""

    def __init__(self, statement: Any, setting: Setting) -> None:
        self.statement, self.setting = statement, setting
        self.said = list(expressions(statement))
        assumed = [as_expression(e) for a in setting.assumptions for e in (*a.conditions(), *a.relations())]
        self.names: Named = named([*self.said, *assumed])
        kinds = [m for a in setting.assumptions if isinstance(m := getattr(a, "matrix", None), sp.MatrixExpr)]
        self.matrices = matrices_of([*self.said, *assumed, *kinds])
        self.abstract = any(e.atoms(sp.MatrixSymbol) for e in self.said)
        self.real = is_real(self.said)

    def truth(self, witness: Witness, fine: bool = False) -> Truth:
        """Whether the statement holds at a witness of the assumption set; ``fine``: in many more digits.

        A point that was found by iteration has no more digits to give.
        """
        coarse = truth_of(self.statement, witness, self.setting.assumptions, self.real, PRECISIONS)
        if not (fine and witness.exact) or coarse.holds is False or coarse.loose:
            return coarse
        found = truth_of(self.statement, witness, self.setting.assumptions, self.real, FINE)
        return coarse if found.holds is None else found

    def admits(self, witness: Witness) -> bool:
        """Whether every value is allowed by the assumptions that its symbol carries."""
        try:
            return all(self.names.admits(n, v) for n, v in witness.scalars.items() if n in self.names.symbols)
        except (TypeError, ValueError):
            return False

    def completed(self, witness: Witness) -> Iterator[Witness]:
        """The witness with a value for every name: what the point leaves out may be anything it may be."""
        missing = Named(
            {n: s for n, s in self.names.symbols.items() if n not in witness.scalars and n not in witness.sizes}
        )
        if missing.symbols and (drawn := next(challenges(missing, (), (), Random(1), 1), None)) is not None:
            witness = replace(witness, scalars={**drawn.scalars, **witness.scalars})
        for fill in FILLS:
            found = with_matrices(witness, self.matrices, self.setting.assumptions, Random(1), fill)
            yield found
            if found is witness:
                return

    def witnesses(self, count: int) -> Iterator[Witness]:
        """Points to challenge at; none for statements about abstract matrices, which the judge draws itself."""
        if not self.abstract:
            rng = Random(self.setting.seed + 977)
            bounds = [as_expression(e) for a in self.setting.assumptions for e in (*a.positive(), *a.nonnegative())]
            kinks = list(dict.fromkeys((*switches([*self.said, *bounds]), *(e for e in bounds if e.free_symbols))))
            if isinstance(self.statement, st.Inequality):  # its sign and the extreme values of the difference decide
                difference = as_expression(self.statement.left) - as_expression(self.statement.right)
                parts = list(factors(difference))
                whole = (
                    [] if parts == [difference] else [difference]
                )  # extreme, and zero as an isolated zero of a factor is
                kinks += [*parts, *(k for e in (*parts, *whole) for k in _stationary(e, self.setting.assumptions))]
            for number, more in _meant(self.statement, count):
                met = (*self.setting.assumptions, *more)
                found = islice(challenges(self.names, met, kinks, rng, number), number)
                yield from (with_matrices(w, self.matrices, self.setting.assumptions, rng) for w in found)


def _stationary(difference: sp.Expr, assumptions: Sequence[Any]) -> list[sp.Expr]:
    """What vanishes where a difference is extreme: its slopes; on one equation, those along it."""
    symbols = sorted(difference.free_symbols, key=str)
    slopes = [sp.diff(difference, s) for s in symbols]
    for g in (as_expression(e) for a in assumptions for e in a.equations()):
        along = [sp.diff(g, s) for s in symbols]
        slopes += [slopes[i] * along[j] - slopes[j] * along[i] for i in range(len(symbols)) for j in range(i)]
    whole = (
        sp.numer(sp.together(d)) if d.is_rational_function() else d for d in slopes
    )  # a tail has no zero but far off
    return list(dict.fromkeys(f for d in whole for f in factors(d)))


def _same_text(statement: Any) -> bool:
    """Whether the sides of an equality are one expression as they are written."""
    if not isinstance(statement, st.Equal):
        return False
    first, *others = map(build, statement.sides)
    return all(first == other for other in others)


@dataclass(frozen=True)
class _Premise(Assumption):
    """What a premise equates, in the form of an assumption, for points at which it says something."""

    sides: tuple[Any, ...]

    def equations(self) -> tuple[sp.Expr, ...]:
        """The differences of the entries."""
        entries = [list(s) if isinstance(s, sp.MatrixBase) else [as_expression(s)] for s in map(build, self.sides)]
        if any(isinstance(e, sp.MatrixExpr) for side in entries for e in side):
            return ()
        return tuple(a - b for one, other in pairwise(entries) for a, b in zip(one, cycle(other), strict=False))


def _meant(statement: Any, count: int) -> list[tuple[int, list[Any]]]:
    """How many points to draw, and what they should meet besides the assumptions: premises, where there are some."""

    def met(parts: tuple[Any, ...]) -> list[Any]:
        sides = {st.Zero: lambda p: (p.expression, sp.S.Zero), st.Equal: lambda p: p.sides}
        return [_Premise(sides[type(p)](p)) if type(p) in sides else p for p in parts]

    few = -(-count // 4)
    if isinstance(statement, st.Implies):
        return [(count - few, met(statement.premises)), (few, [])]
    if isinstance(statement, st.Iff):
        return [(count - 2 * few, met(statement.left)), (few, met(statement.right)), (few, [])]
    return [(count, [])]


# ---- refutations


def _confirmed(case: _JudgedStatement, outcome: Outcome, deadline: Deadline) -> Outcome:
    """The refutation with the entries that are certainly false; undecided where none is."""
    entries: list[Difference] = []
    confirmed = False
    for d in outcome.entries:
        if d.status == "refuted" and d.witness is not None:
            if not _stands(case, d):
                d = Difference(d.row, d.column, d.left, d.right, "undecided")
            else:
                confirmed = True
        entries.append(d)
    if confirmed:
        return outcome.but(entries=tuple(entries))
    found = _attack(case, Deadline.after(_SECONDS))
    if found is not None:
        shown = any(d.status == "refuted" and d.witness is None for d in entries)
        return outcome if shown else _refuted(case, outcome, *found)
    if any(e.has(sp.Float) for e in case.said) and (agreeing := _agreeing(case)) >= FEW:
        return outcome.but(
            status="consistent",
            method="evaluation to the digits of the decimals",
            agreeing=agreeing,
            entries=tuple(Difference(d.row, d.column, d.left, d.right, "consistent") for d in entries),
        )
    return outcome.but(
        status="undecided",
        method="evaluation of the claim",
        entries=tuple(
            Difference(d.row, d.column, d.left, d.right, "undecided" if d.status == "refuted" else d.status)
            for d in entries
        ),
        reason="the point that was found does not refute the claim as it is written",
    )


def _agreeing(case: _JudgedStatement) -> int:
    """At how many points the statement holds; none where it fails at one."""
    truths = [case.truth(w).holds for w in case.witnesses(CHALLENGES)]
    return 0 if False in truths else truths.count(True)


def _stands(case: _JudgedStatement, d: Difference) -> bool:
    """Whether a counterexample shows the entry false in the statement as it is written."""
    assert d.witness is not None
    truths = (case.truth(w, fine=True) for w in case.completed(d.witness) if case.admits(w))
    truth = next((t for t in truths if t.holds is not None), Truth(None))
    places = {f[:2] for f in truth.false}
    return truth.holds is False and (not places or (d.row, d.column) in places or (0, 0) in places or d.row == 0)


# ---- proofs


def _challenged(case: _JudgedStatement, outcome: Outcome, count: int) -> Outcome:
    found = _attack(case, Deadline.after(_SECONDS), count, 0 if outcome.status == "proved" else count)
    if found is None:
        return outcome
    truth, _ = found
    if truth.loose:
        return outcome.but(
            status="undecided",
            method="evaluation of the claim",
            entries=(),
            reason="numerical integration or summation contradicts the proof",
        )
    return _refuted(case, outcome, *found)


# ---- neither


def _examined(case: _JudgedStatement, outcome: Outcome, until: Deadline) -> Outcome:
    """What is neither proved nor refuted: points may refute it, or agree, for which they take longer where few do."""
    if isinstance(case.statement, st.IntegralEqual):
        return outcome  # quadrature neither refutes nor agrees
    agreeing: set[Any] = set()
    enough = ENOUGH if case.names.symbols else 1  # numbers alone have one point
    deadline, until = Deadline.after(_SECONDS_ALONE), until.share(0.5)
    loose = 0  # points at which few digits are all there are: dear, and no agreement
    for w in case.witnesses(_WITHOUT_PROOF if case.names.symbols else 1):
        truth = case.truth(w, fine=True)
        if truth.holds is False and not truth.loose:
            return _refuted(case, outcome, truth, w)
        loose += truth.loose
        if truth.holds is False or loose > _OF_INTEGRALS:
            return outcome
        if deadline.left() <= 0 and (len(agreeing) >= enough or until.left() <= 0):
            break
        if truth.holds is True and not truth.loose:
            agreeing.add(tuple(sorted((name, str(value)) for name, value in w.scalars.items())))
    vacuous = isinstance(case.statement, st.Implies | st.Iff)  # where the premises fail nothing agrees
    if vacuous or outcome.left is None:
        return outcome
    if len(agreeing) < enough:
        said = f"it was seen to hold at {len(agreeing)} points of the {enough} that are asked for"
        return outcome.but(reason="; ".join(filter(None, (outcome.reason, said))))
    return outcome.but(
        status="consistent",
        method="evaluation at points",
        agreeing=len(agreeing),
        entries=tuple(
            replace(d, status="consistent" if d.status == "undecided" else d.status) for d in outcome.entries
        ),
    )


def _attack(
    case: _JudgedStatement,
    deadline: Deadline,
    count: int = CHALLENGES,
    fine: int = 0,
) -> tuple[Truth, Witness] | None:
    """A point of the assumption set where the statement is false; the first ``fine`` are asked in many digits."""
    for k, w in enumerate(case.witnesses(count)):
        truth = case.truth(w, fine=k < fine)
        if truth.holds is False:
            return truth, w
        if deadline.left() <= 0:
            break
    return None


def _refuted(case: _JudgedStatement, outcome: Outcome, truth: Truth, witness: Witness) -> Outcome:
    """A refutation by a point that a challenge found."""
    point = tuple((n, _written(v)) for n, v in sorted(witness.scalars.items()))
    sides = _entries_of(outcome)
    entries = tuple(
        Difference(i, j, *sides.get((i, j), (outcome.left, outcome.right)), "refuted", point, (a, b), witness)
        for i, j, a, b in truth.false
    )
    others = tuple(d for d in outcome.entries if (d.row, d.column) not in {e[:2] for e in truth.false} and d.row)
    return Outcome(
        "refuted",
        "evaluation at a point",
        "",
        tuple(sorted((*entries, *others), key=lambda d: (d.row, d.column))),
        left=outcome.left,
        right=outcome.right,
    )


def _entries_of(outcome: Outcome) -> dict[tuple[int, int], tuple[Any, Any]]:
    return {(d.row, d.column): (d.left, d.right) for d in outcome.entries}


def _written(value: Any) -> str:
    return str(value) if isinstance(value, sp.Basic) else str(sp.Float(str(value), 30))
