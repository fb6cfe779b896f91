"""Inequalities and definite matrices: refuted by an exact point, proved by a certificate."""

from __future__ import annotations

from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_matrix
from nsdgen.verify.certificate.claim_text import deciding_minors
from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.counterexample import Search
from nsdgen.verify.entrywise import PROOF
from nsdgen.verify.outcome import Difference, Outcome, joined, of_whole
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build, is_abstract
from nsdgen.verify.statement import Definite, Inequality


def judge_inequality(s: Inequality, setting: Setting, deadline: Deadline) -> Outcome:
    """left relation right on the assumption set, for scalars."""
    return _proved(s, _searched(build(s.left), s.relation, build(s.right), setting, deadline), setting, deadline)


def judge_definite(s: Definite, setting: Setting, deadline: Deadline) -> Outcome:
    """All leading principal minors are positive (of semidefinite matrices: all principal minors are nonnegative)."""
    matrix, relation = build(s.matrix), ">=" if s.semi else ">"
    if is_abstract(matrix):
        return Outcome("undecided", "none", "definiteness of an abstract matrix: give it in explicit form")
    minors = deciding_minors(as_matrix(matrix), s.semi)
    found = joined([_searched(d, relation, sp.S.Zero, setting, deadline) for d in minors])
    return _proved(s, found, setting, deadline)


def _proved(statement: Any, found: Outcome, setting: Setting, deadline: Deadline) -> Outcome:
    """What points found of a statement, or its proof where there is one, about some point, and none refutes it."""
    if (
        found.status == "refuted"
        or not found.agreeing
        or not (proofs := proofs_of(statement, setting, deadline.share(0.5)))
    ):
        return found
    entries = tuple(Difference(d.row, d.column, d.left, d.right, "proved") for d in found.entries)
    return found.but(status="proved", method=PROOF, reason="", entries=entries, proofs=proofs)


def _searched(left: Any, relation: str, right: Any, setting: Setting, deadline: Deadline) -> Outcome:
    """What points of the assumption set say of left relation right."""
    search = Search((left, right), setting, deadline)
    sides = a, b = search.clean
    bound = search.cleaner.why_not_free(sides, search.facts.equations)
    found = None if bound else search.find(a, b, relation)
    if found is not None:
        return Outcome("refuted", "exact point", entries=(search.refuted(found, left, right),))
    reason = bound or "no proof, and no counterexample"
    defined = not bound and search.is_defined(a, b)
    return of_whole("undecided", "none", left, right, reason, agreeing=int(defined), left=left, right=right)
