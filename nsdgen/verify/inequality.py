"""Inequalities and definite matrices: refuted at a point, proved by a certificate."""

from __future__ import annotations

from typing import Any

import sympy as sp

from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.challenge.gate import refuted
from nsdgen.verify.challenge.judged import POINTS, JudgedStatement
from nsdgen.verify.entrywise import PROOF
from nsdgen.verify.outcome import Outcome, of_whole
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build, is_abstract
from nsdgen.verify.statement import Definite, Inequality


def judge_inequality(s: Inequality, setting: Setting, deadline: Deadline) -> Outcome:
    """left relation right on the assumption set, for scalars."""
    return _judged(s, build(s.left), build(s.right), setting, deadline)


def judge_definite(s: Definite, setting: Setting, deadline: Deadline) -> Outcome:
    """All eigenvalues of a symmetric matrix are positive (of semidefinite ones: nonnegative)."""
    matrix = build(s.matrix)
    if is_abstract(matrix):
        return Outcome("undecided", "none", "definiteness of an abstract matrix: give it in explicit form")
    return _judged(s, matrix, sp.S.Zero, setting, deadline)


def _judged(s: Any, left: Any, right: Any, setting: Setting, deadline: Deadline) -> Outcome:
    """Refuted where a point says so; proved where points say the contrary and a certificate does."""
    case = JudgedStatement(s, setting)
    found = of_whole("undecided", "none", left, right, case.bound or "no proof, and no counterexample")
    found = found.but(left=left, right=right, case=case)
    holding = 0
    for witness, truth in case.looked_at(POINTS, deadline.share(0.3)):
        if truth.holds is False and not truth.loose:
            return refuted(case, found, *case.simplest(witness, deadline)[::-1])
        holding += truth.holds is True
    if holding and (proofs := proofs_of(s, setting, deadline.share(0.5))):
        found = of_whole("proved", PROOF, left, right, left=left, right=right, proofs=proofs, case=case)
    return found.but(agreeing=holding)
