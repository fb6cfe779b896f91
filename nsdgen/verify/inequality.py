"""Inequalities and definite matrices: exact where a sign can be read off, refuted by an exact point."""

from __future__ import annotations

from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_matrix
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.counterexample import Search, written, written_point
from nsdgen.verify.entrywise import ENOUGH
from nsdgen.verify.lowering import Lowering
from nsdgen.verify.outcome import Difference, Outcome, Status, joined, of_whole
from nsdgen.verify.sampling import Sampler, evaluate
from nsdgen.verify.setting import Deadline, Facts, Setting
from nsdgen.verify.shapes import is_abstract

__all__ = ["judge_definite", "judge_inequality"]

_HOLDS = {"<": lambda d: d < 0, "<=": lambda d: d <= 0, ">": lambda d: d > 0, ">=": lambda d: d >= 0}


def judge_inequality(left: Any, relation: str, right: Any, setting: Setting, deadline: Deadline) -> Outcome:
    """left relation right on the assumption set, for scalars."""
    cleaner = Cleaner([left, right, *setting.conditions])
    facts = cleaner.facts(setting)
    a, b = cleaner(left), cleaner(right)
    search = Search(lambda v: Sampler(facts, (a, b), setting.seed, cleaner.values, v), deadline)
    agreeing = 0
    bound = cleaner.why_not_free((a, b), facts.equations)
    for point in () if bound else search.points():
        x, y = evaluate(a, point), evaluate(b, point)
        if x is None or y is None or not (x.is_real and y.is_real):
            continue
        if abs(x - y) < sp.Float("1e-30") and x != y:
            continue
        if not _HOLDS[relation](x - y):
            return Outcome(
                "refuted",
                "exact point",
                entries=(
                    Difference(
                        0,
                        0,
                        left,
                        right,
                        "refuted",
                        written_point(point),
                        (written(x), written(y)),
                        Witness.of(point, cleaner.values),
                    ),
                ),
            )
        agreeing += 1
    difference = a - b if relation in (">", ">=") else b - a
    if _nonnegative(difference, facts, strictly=relation in ("<", ">")):
        return of_whole("proved", "sign of a sum of squares and positive terms", left, right, agreeing=agreeing)
    status: Status = "consistent" if agreeing >= ENOUGH else "undecided"
    reason = "" if agreeing >= ENOUGH else f"only {agreeing} points to compare at"
    return of_whole(status, "sampling", left, right, reason, agreeing=agreeing)


def judge_definite(matrix: Any, semi: bool, setting: Setting, deadline: Deadline) -> Outcome:
    """All leading principal minors are positive (``semi``: all principal minors are nonnegative)."""
    if is_abstract(matrix):
        return Outcome("undecided", "none", "definiteness of an abstract matrix: give it in explicit form")
    m = as_matrix(matrix)
    if semi:
        minors = [
            m.extract(list(rows), list(rows)).det(method="berkowitz")
            for k in range(1, m.rows + 1)
            for rows in sp.utilities.iterables.subsets(range(m.rows), k)
        ]
    else:
        minors = [m[:k, :k].det(method="berkowitz") for k in range(1, m.rows + 1)]
    relation = ">=" if semi else ">"
    return joined([judge_inequality(d, relation, sp.S.Zero, setting, deadline) for d in minors])


def _nonnegative(e: sp.Expr, facts: Facts, strictly: bool) -> bool:
    """Whether the sign can be proved: term by term, after factoring, or as a quadratic form."""
    lowering = Lowering(facts)
    lowering.announce([e])
    lowered = sp.factor(sp.together(lowering(e)))
    above, below = sp.fraction(lowered)
    if strictly and sp.expand(above) in {sp.expand(p) for p in facts.positive} and lowering.is_positive(below, True):
        return True
    if lowering.is_positive(lowered, strictly) or lowering.is_positive(sp.expand(lowered), strictly):
        return True
    num, den = sp.fraction(lowered)
    if den != 1 and not lowering.is_positive(den):
        num = sp.expand(num * den)
    return not strictly and _form_is_semidefinite(sp.expand(num))


def _form_is_semidefinite(e: sp.Expr) -> bool:
    """Whether a polynomial is a positive semidefinite quadratic form in monomials of half its degree.

    Only the Gram matrix with each cross term on one pair is tried: sufficient, not necessary.
    """
    symbols = sorted(e.free_symbols, key=str)
    if not symbols or not e.is_polynomial(*symbols):
        return False
    p = sp.Poly(e, *symbols)
    if p.total_degree() > 2 or not all(c.is_Rational for c in p.coeffs()):
        return False
    basis = [sp.S.One, *symbols]
    gram = sp.zeros(len(basis), len(basis))
    for i, a in enumerate(basis):
        for j, b in enumerate(basis):
            c = p.coeff_monomial(a * b)
            gram[i, j] = c if i == j else c / 2
    return bool(gram.is_positive_semidefinite)
