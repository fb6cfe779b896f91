"""Abstract matrices: a proof for all sizes by rewriting, or an instance of small size where the sides differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.matrices.expressions import MatMul, MatrixExpr

from nsdgen.verify.assumptions import Equation
from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.challenge.gate import ENOUGH, refuted
from nsdgen.verify.challenge.judged import POINTS, JudgedStatement
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.entrywise import PROOF
from nsdgen.verify.outcome import Outcome, of_whole
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.statement import Equal

SAMPLES = "instances of small size"
_FIRST = 8  # instances that are asked before a proof is tried


def compare_abstract(
    left: Any, right: Any, setting: Setting, deadline: Deadline, instances_only: bool = False
) -> Outcome:
    """Decide left = right for abstract matrices of one shape; ``instances_only`` tries no proof."""
    case = JudgedStatement(Equal(left, right), setting)
    agreeing, found = _looked(case, _FIRST, deadline.share(0.3))
    if found is not None:
        return found
    reason = ""
    if not instances_only and (proofs := _proofs(left, right, setting, deadline.share(0.6))):
        if not agreeing:
            reason = "no instance of the assumptions was found: the proof may be about an empty set"
        return of_whole("proved", PROOF, left, right, reason, left=left, right=right, proofs=proofs, case=case)
    agreeing, found = _looked(case, POINTS, deadline)
    if found is not None:
        return found
    if not instances_only:
        for c in dict.fromkeys(c for r in setting.relations for c in scalars_of(r) if c.free_symbols):
            smaller = setting.but(Equation(c, 0))  # where a factor is zero it says nothing of what it stands before
            at_zero = compare_abstract(left, right, smaller, deadline.share(0.3), instances_only=True)
            if at_zero.status == "refuted":
                return at_zero
    status: Any = "consistent" if len(agreeing) >= ENOUGH else "undecided"
    if fixed := _never_moved(case, agreeing):
        status, reason = "undecided", f"{', '.join(fixed)} had one value in all {len(agreeing)} instances that agree"
    reason = reason or f"no proof; {len(agreeing)} instances agree"
    return of_whole(status, SAMPLES, left, right, reason, agreeing=len(agreeing), left=left, right=right, case=case)


def _looked(case: JudgedStatement, count: int, deadline: Deadline) -> tuple[list[Witness], Outcome | None]:
    """Instances at which both sides agree, and the refutation by the first at which they do not."""
    agreeing: list[Witness] = []
    left, right = case.statement.sides
    for witness, truth in case.looked_at(count, deadline):
        if truth.holds is False and not truth.loose:
            found = Outcome("undecided", SAMPLES, left=left, right=right)
            return agreeing, refuted(case, found, truth, witness, "matrices of small size")
        if truth.holds is True:
            agreeing.append(witness)
    return agreeing, None


def _never_moved(case: JudgedStatement, seen: Sequence[Witness]) -> list[str]:
    """Names of scalars that no assumption fixes and that had one value in all instances."""
    said = [*case.setting.equations, *case.setting.relations]
    fixed = {str(s) for e in said for s in e.free_symbols}
    names = {n for w in seen for n in w.scalars if n in case.names.symbols} - fixed
    return sorted(n for n in names if len({str(w.scalars.get(n)) for w in seen}) == 1)


def _proofs(left: Any, right: Any, setting: Setting, deadline: Deadline) -> tuple[Any, ...]:
    """Those of a certificate that the sides agree for all sizes; traces and determinants are scalars in it."""
    traces = sorted({t for e in (left, right) for t in e.atoms(sp.Trace, sp.Determinant)}, key=str)
    named = {t: sp.Dummy(f"t{k}", real=True) for k, t in enumerate(traces)}
    sides = (e.xreplace(named) if isinstance(e, sp.Basic) else e for e in (left, right))
    return proofs_of(Equal(*sides), setting, deadline)


def scalars_of(expression: Any) -> list[sp.Expr]:
    """The scalar factors of a matrix expression, in order of appearance."""
    found: list[sp.Expr] = []
    for part in sp.preorder_traversal(expression):
        if isinstance(part, MatMul):
            found += [a for a in part.args if not isinstance(a, MatrixExpr)]
    return found
