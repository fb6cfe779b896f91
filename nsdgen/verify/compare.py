"""One statement that is asked at points: refuted by one, proved by a certificate, or neither.

Few points come first: what is plainly false needs no search for a proof. A proof is challenged at more points of the
same source, kinks and poles included; one where the statement is false refutes it. Where there is no proof still more
are asked, in many digits: they refute the statement, or agree. See ``docs/how-to/verify.md``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.verify import statement as st
from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.challenge.judged import FIRST, LOOSE, POINTS, JudgedStatement
from nsdgen.verify.challenge.meaning import without_meaning
from nsdgen.verify.challenge.truth import Truth
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.outcome import Difference, Outcome, Status
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build, is_abstract
from nsdgen.verify.traces import with_named_traces

PROOF, POINT, SAMPLES = "certificate", "evaluation at a point", "matrices of small size"
CHALLENGES = 14  # points against a proof: half of them on switches, in turn, a quarter moved beside or between these
ENOUGH = 20  # points where a statement holds that nothing else decides
MOST_SIMPLIFIED = 6  # entries whose counterexample is made simple: as many as the report for a terminal shows
_INSTANCES = 8  # of abstract matrices, before a proof is tried: their sizes and simplest entries
_SECONDS = 0.5  # that challenges may add to a proof
_SECONDS_ALONE = 2.0  # and where there are points alone

Place = tuple[int, int]
"""Row and column of an entry, from 1; 0, 0 for a scalar and for a whole."""
Found = dict[Place, tuple[Witness, tuple[str, str]]]
"""Entries that are false, with the first point that shows it and both values there."""


def compare(statement: Any, setting: Setting, deadline: Deadline, first: bool = False) -> Outcome:
    """The outcome of an ``Equal`` of two sides of one shape, an ``Inequality`` or a ``Definite``.

    ``first`` stops at the first entry that is refuted, and challenges a proof at few points.
    """
    return _PointwiseDecision(statement, setting, deadline).outcome(first)


def confirmed(statement: Any, outcome: Outcome, setting: Setting) -> Outcome:
    """What was found without points (of a series, an integral, an order), unless points contradict it.

    A refutation stands where a point shows it, a proof where none is against it.
    """
    case = JudgedStatement(statement, setting)
    count = FIRST + (LOOSE if isinstance(statement, st.IntegralEqual) else CHALLENGES)
    looked = case.looked_at(count, Deadline.after(_SECONDS))
    if outcome.status != "proved":
        looked = ((w, case.finer(w, truth)) for w, truth in looked)
    found = next((f for f in looked if f[1].holds is False), None)
    if outcome.status == "refuted":
        reason = "the point that was found does not refute the claim as it is written"
        return outcome if found else outcome.but(status="undecided", method="evaluation of the claim", reason=reason)
    if found is None:
        return outcome
    witness, truth = found
    if truth.loose:
        return outcome if outcome.status == "undecided" else _contradicted(outcome)
    values = truth.false[0][2:] if truth.false else ("", "")
    entry = Difference(0, 0, outcome.left, outcome.right, "refuted", case.told(witness), values)
    return Outcome("refuted", POINT, entries=(entry,), left=outcome.left, right=outcome.right)


def _contradicted(outcome: Outcome) -> Outcome:
    reason = "numerical integration or summation contradicts the proof"
    return outcome.but(status="undecided", method="evaluation of the claim", entries=(), reason=reason)


@dataclass(frozen=True)
class _ComparedSides:
    """Both sides as wholes, and entry by entry."""

    left: Any
    right: Any
    entries: Mapping[Place, tuple[Any, Any]]


def entries_of(statement: Any) -> _ComparedSides:
    """The sides of a statement; of an inequality those it relates, of a definite matrix this and 0."""
    if isinstance(statement, st.Definite):
        left, right = build(statement.matrix), sp.S.Zero
    else:
        left, right = build(statement.left), build(statement.right)
    explicit = any(isinstance(s, sp.MatrixBase) for s in (left, right)) and not any(map(is_abstract, (left, right)))
    if not isinstance(statement, st.Equal) or not explicit:
        return _ComparedSides(left, right, {(0, 0): (left, right)})
    a, b = (s if isinstance(s, sp.MatrixBase) else sp.Matrix([[s]]) for s in (left, right))
    return _ComparedSides(
        left, right, {(i + 1, j + 1): (a[i, j], b[i, j]) for i in range(a.rows) for j in range(a.cols)}
    )


class _PointwiseDecision:
    """What is found of one statement; all points come from its ``case``."""

    def __init__(self, statement: Any, setting: Setting, deadline: Deadline) -> None:
        self.statement, self.setting, self.deadline = statement, setting, deadline
        self.sides = entries_of(statement)
        self.case = JudgedStatement(statement, setting)

    def outcome(self, first: bool) -> Outcome:
        """The outcome with all entries, under the worst status."""
        case = self.case
        few = _INSTANCES if case.abstract else FIRST if isinstance(self.statement, st.Equal) else POINTS
        more = few + FIRST if first else max(few, CHALLENGES) + FIRST
        if self._false(few, True):
            return self._refuted(self._false(more, first), first)
        same = self._same()
        proofs = () if same or not self._holds_anywhere(few) else self._proofs()
        if not (same or proofs):
            return self._examined()
        one_text = isinstance(self.statement, st.Equal) and self.sides.left == self.sides.right
        if not one_text and (name := without_meaning(case.said)):
            return self._said(
                "undecided", "none", f"the second evaluation has no values of {name}: nothing stands beside the proof"
            )
        against = [t for _, t in case.looked_at(more, Deadline.after(_SECONDS)) if t.holds is False]
        if any(not t.loose for t in against):
            return self._refuted(self._false(more, first), first)
        if against:
            return _contradicted(self._said("proved", PROOF))
        reason = ""
        if (self.setting.conditions or self.setting.relations) and not self._met():
            if any(proofs_of(st.Equal(e, 1), self.setting, self._share()) for e in self.setting.equations):
                return self._said("undecided", PROOF, "the assumptions contradict each other")
            reason = "no point of the assumption set was found: the proof may be about an empty set"
        return self._said("proved", PROOF, reason).but(proofs=proofs)

    def _share(self) -> Deadline:
        return self.deadline.share(0.4)

    def _said(self, status: Status, method: str, reason: str = "", agreeing: int = 0) -> Outcome:
        """One status for all entries."""
        entries = tuple(Difference(*place, a, b, status) for place, (a, b) in self.sides.entries.items())
        return Outcome(status, method, reason, entries, agreeing, self.sides.left, self.sides.right)

    # ---- proofs

    def _same(self) -> bool:
        """Whether both sides are one expression, but for derivatives and sums that are carried out."""
        if self.case.abstract or not isinstance(self.statement, st.Equal):
            return False
        cleaned = [tuple(map(self.case.carried_out, pair)) for pair in self.sides.entries.values()]
        return all(a == b and not a.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for a, b in cleaned)

    def _proofs(self) -> tuple[Any, ...]:
        """The parts of a certificate; traces and determinants of abstract matrices are scalars in it."""
        sides = self.sides.left, self.sides.right
        named = tuple(with_named_traces(*sides))
        statement = self.statement if named == sides else st.Equal(*named)
        return proofs_of(statement, self.setting, self._share())

    def _met(self) -> bool:
        """Whether a point of the assumption set is known."""
        looked = self.case.looked_at(POINTS, self._share())
        return any(truth.holds is not None or self.case.meets(w) for w, truth in looked)

    # ---- points

    def _holds_anywhere(self, count: int) -> bool:
        """Whether there is something to prove: an inequality between sides without values is none."""
        looked = self.case.looked_at(count, self._share())
        return isinstance(self.statement, st.Equal) or any(truth.holds for _, truth in looked)

    def _false(self, count: int, first: bool) -> Found:
        """The entries that are certainly false at a point; ``first``: at the first such point."""
        found: Found = {}
        for w, truth in self.case.looked_at(count, self._share()):
            if truth.holds is False and not truth.loose:
                _note(found, w, truth)
                if first:
                    break
        return found

    def _examined(self) -> Outcome:
        """What has no proof: points may refute it, or agree, for which they take longer where few do."""
        case = self.case
        if any(e.has(sp.DiracDelta) for e in case.said):
            return self._said("undecided", "none", "a distribution has no values that could be compared")
        agreeing: dict[Any, Witness] = {}
        enough = ENOUGH if case.varies else 1  # numbers alone have one point
        deadline, loose = Deadline.after(_SECONDS_ALONE), 0  # points with few digits: dear, and no agreement
        for w, coarse in case.looked_at(case.most, self.deadline.share(0.5)):
            truth = case.finer(w, coarse)
            if truth.holds is False and not truth.loose:
                found = self._false(POINTS, False)
                _note(found, w, truth)
                return self._refuted(found)
            loose += truth.loose
            if truth.holds is False or loose > LOOSE:
                break
            if truth.holds is True and not truth.loose:
                agreeing[tuple(sorted((name, str(value)) for name, value in w.scalars.items()))] = w
            if deadline.left() <= 0 and len(agreeing) >= enough:
                break
        reason = case.bound or "no proof, and no counterexample"
        if len(agreeing) < enough:
            reason += f"; it was seen to hold at {len(agreeing)} points of the {enough} that are asked for"
        elif fixed := self._never_moved(list(agreeing.values())):
            reason = f"{', '.join(fixed)} had one value in all {len(agreeing)} points that agree"
        else:
            method = "instances of small size" if case.abstract else "evaluation at points"
            return self._said("consistent", method, agreeing=len(agreeing))
        return self._said("undecided", "none", reason, len(agreeing))

    def _never_moved(self, seen: Sequence[Witness]) -> list[str]:
        """Names of scalars that no assumption fixes and that had one value at all points."""
        said = [*self.setting.equations, *self.setting.relations]
        fixed = {str(s) for e in said for s in e.free_symbols}
        names = {n for w in seen for n in w.scalars if n in self.case.names.symbols} - fixed
        return sorted(n for n in names if len({str(w.scalars.get(n)) for w in seen}) == 1 < len(seen))

    def _refuted(self, false: Found, first: bool = True) -> Outcome:
        """The refutation by points, the first entries' made simple; what is shown of the others unless ``first``."""
        entries = [self._entry(place, *found, number) for number, (place, found) in enumerate(false.items())]
        right = {k: sides for k, sides in self.sides.entries.items() if any(k) and k not in false}
        one, other = (sp.Matrix([pair[i] for pair in right.values()]) for i in (0, 1))
        proved = right and not first and proofs_of(st.Equal(one, other), self.setting, self._share())
        others = [Difference(*place, a, b, "proved" if proved else "consistent") for place, (a, b) in right.items()]
        return Outcome(
            "refuted",
            SAMPLES if self.case.abstract else POINT,
            entries=tuple(sorted([*entries, *others], key=lambda d: (d.row, d.column))),
            left=self.sides.left,
            right=self.sides.right,
        )

    def _entry(self, place: Place, witness: Witness, values: tuple[str, str], number: int) -> Difference:
        own, case = self.sides.entries.get(place), self.case
        if own is not None and any(place):
            case = JudgedStatement(st.Equal(*own), self.setting)
        if number < MOST_SIMPLIFIED and not case.abstract:
            witness, truth = case.simplest(witness, self.deadline)
            values = truth.false[0][2:] if truth.false else values
        a, b = own or (self.sides.left, self.sides.right)
        return Difference(*place, a, b, "refuted", case.told(witness), values)


def _note(found: Found, witness: Witness, truth: Truth) -> None:
    """Add the entries that are false at a point to those of points before."""
    for row, column, *values in truth.false or ((0, 0, "", ""),):
        found.setdefault((row, column), (witness, (values[0], values[1])))
