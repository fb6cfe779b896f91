"""Abstract matrices: a proof for all sizes by rewriting, or an exact instance of small size where the sides differ."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.matrices.expressions import Identity, MatMul, MatrixExpr

from nsdgen.verify.assumptions import Equation
from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.challenge.gate import ENOUGH
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.counterexample import written
from nsdgen.verify.entrywise import PROOF
from nsdgen.verify.instance import Instance, Instances, Singular, value_of
from nsdgen.verify.outcome import Difference, Outcome, of_whole
from nsdgen.verify.sampling import Sampler, evaluate, is_number_zero
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.statement import Equal

POINT, SAMPLES = "exact matrices of small size", "exact instances of small size"


def compare_abstract(
    left: Any, right: Any, setting: Setting, deadline: Deadline, instances_only: bool = False
) -> Outcome:
    """Decide left = right for abstract matrices of one shape; ``instances_only`` tries no proof."""
    sides = tuple(s if isinstance(s, MatrixExpr) else s * Identity(1) for s in (left, right))
    scalars = [c for e in (*sides, *setting.relations) for c in scalars_of(e)]
    cleaner = Cleaner([*scalars, *setting.conditions])
    facts = cleaner.facts(setting)
    clean = [cleaner(c) for c in scalars]
    sampler = Sampler(facts, clean, setting.seed, cleaner.values)
    instances = Instances(sides, setting, sampler, cleaner, setting.seed)
    _, agreeing, found = _search(sides, instances, deadline.share(0.3), stop=8)
    if found is not None:
        return found
    reason = ""
    if not instances_only and (proofs := _proofs(left, right, setting, deadline.share(0.6))):
        if not agreeing:
            reason = "no instance of the assumptions was found: the proof may be about an empty set"
        return of_whole("proved", PROOF, left, right, reason, left=left, right=right, proofs=proofs)
    seen, agreeing, found = _search(sides, instances, deadline, stop=2 * ENOUGH)
    if found is not None:
        return found
    if not instances_only:
        for c in dict.fromkeys(c for r in setting.relations for c in scalars_of(r) if c.free_symbols):
            smaller = setting.but(Equation(c, 0))  # where a factor is zero it says nothing of what it stands before
            at_zero = compare_abstract(left, right, smaller, deadline.share(0.3), instances_only=True)
            if at_zero.status == "refuted":
                return at_zero
    status: Any = "consistent" if agreeing >= ENOUGH else "undecided"
    if fixed := instances.never_moved(seen):
        status, reason = "undecided", f"{', '.join(fixed)} had one value in all {agreeing} instances that agree"
    reason = reason or f"no proof; {agreeing} instances agree"
    return of_whole(status, SAMPLES, left, right, reason, agreeing=agreeing, left=left, right=right)


def _search(
    sides: tuple[Any, Any], instances: Instances, deadline: Deadline, stop: int
) -> tuple[list[Instance], int, Outcome | None]:
    """Instances that were compared, how many agree, and the first that does not."""
    agreeing = 0
    seen: list[Instance] = []
    try:
        for at in instances.draw(deadline):
            try:
                a, b = (value_of(s, at, instances.scalar) for s in sides)
            except Singular:
                continue
            values = [evaluate(x, {}) for x in a - b]
            same = [None if v is None else is_number_zero(v) for v in values]
            if False in same and None not in same:
                return seen, agreeing, _refutation(sides, instances.setting, at, a, b)
            seen.append(at)
            agreeing += all(s is True for s in same)
            if agreeing >= stop:
                break
    except OutOfTime:
        pass
    return seen, agreeing, None


def _refutation(sides: tuple[Any, Any], setting: Setting, at: Instance, a: sp.Matrix, b: sp.Matrix) -> Outcome:
    used = set().union(*(e.free_symbols for e in (*sides, *setting.relations)))
    names = {s.name for s in used}
    point = [(s.name, str(n)) for s, n in at.sizes.items() if s.name in names]
    point += [(s.name, str(v)) for s, v in sorted(at.scalars.items(), key=lambda x: x[0].name) if s.name in names]
    point += [(str(m), _written(v)) for m, v in at.matrices.items() if str(m) in names]
    entry = Difference(
        0,
        0,
        sides[0],
        sides[1],
        "refuted",
        tuple(point),
        (_written(a), _written(b)),
        Witness(
            {s.name: v for s, v in at.scalars.items()},
            {m.name: v for m, v in at.matrices.items()},
            {s.name: n for s, n in at.sizes.items()},
        ),
    )
    return Outcome("refuted", POINT, entries=(entry,), left=sides[0], right=sides[1])


def _written(m: sp.Matrix) -> str:
    return "[" + "; ".join(" ".join(written(x) for x in m.row(i)) for i in range(m.rows)) + "]"


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
