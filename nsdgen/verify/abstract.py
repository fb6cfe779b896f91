"""Abstract matrices: a proof for all sizes by rewriting, or an exact instance of small size where the sides differ."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.matrices.expressions import Identity, MatrixExpr

from nsdgen.verify.assumptions import Equation
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.counterexample import written
from nsdgen.verify.entrywise import ENOUGH
from nsdgen.verify.exact import Contradiction, Prover
from nsdgen.verify.instance import Instance, Instances, Singular, value_of
from nsdgen.verify.noncommutative import Polynomial, Rewriting, defined_letter
from nsdgen.verify.outcome import Difference, Outcome, of_whole
from nsdgen.verify.reading import CannotSplit, ExpressionReader, scalars_of
from nsdgen.verify.sampling import Sampler, evaluate, is_number_zero
from nsdgen.verify.setting import Deadline, OutOfTime, Setting

__all__ = ["compare_abstract"]

PROOF, POINT, SAMPLES = "noncommutative normal form", "exact matrices of small size", "exact instances of small size"


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
    if not instances_only:
        try:
            proved, divided = _proved(
                sides, setting, Prover(facts, clean, deadline), cleaner, clean, deadline.share(0.6)
            )
            if proved:
                open_cases = _degenerate(sides, setting, divided, deadline.share(0.5))
                if unknown := [d for d in open_cases if not d.free_symbols <= _said(sides, setting)]:
                    return _undecided(left, right, f"the proof divides by {unknown[0]}: assume that it is not zero")
                for d in open_cases:  # where the proof divided by zero only an instance can speak
                    at_zero = compare_abstract(
                        left, right, setting.but(Equation(d, 0)), deadline.share(0.3), instances_only=True
                    )
                    if at_zero.status == "refuted":
                        return at_zero
                if not agreeing:
                    reason = "no instance of the assumptions was found: the proof may be about an empty set"
                divisors = tuple(map(str, open_cases))
                return of_whole("proved", PROOF, left, right, reason, denominators=divisors, left=left, right=right)
        except CannotSplit:
            reason = "blocks of different partitions meet"
        except Contradiction:
            return _undecided(left, right, "the assumptions contradict each other")
        except (OutOfTime, ZeroDivisionError):
            reason = "rewriting ran out of its time or met a zero denominator"
    seen, agreeing, found = _search(sides, instances, deadline, stop=2 * ENOUGH)
    if found is not None:
        return found
    status: Any = "consistent" if agreeing >= ENOUGH else "undecided"
    if fixed := instances.never_moved(seen):
        status, reason = "undecided", f"{', '.join(fixed)} had one value in all {agreeing} instances that agree"
    reason = reason or f"no proof; {agreeing} instances agree"
    return of_whole(status, SAMPLES, left, right, reason, agreeing=agreeing, left=left, right=right)


def _undecided(left: Any, right: Any, reason: str) -> Outcome:
    return of_whole("undecided", PROOF, left, right, reason, left=left, right=right)


def _said(sides: tuple[Any, Any], setting: Setting) -> set[Any]:
    """The symbols that the sides and the relations hold, as they were cleaned: real ones of these names."""
    return {s for e in (*sides, *setting.relations) for s in e.free_symbols} | {
        sp.Symbol(s.name, real=True)
        for e in (*sides, *setting.relations)
        for s in e.free_symbols
        if isinstance(s, sp.Symbol)
    }


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


def _proved(
    sides: tuple[Any, Any], setting: Setting, prover: Prover, cleaner: Cleaner, clean: list[sp.Expr], deadline: Deadline
) -> tuple[bool, tuple[sp.Expr, ...]]:
    """Whether the difference rewrites to zero, and the coefficients that were divided by."""
    lower = prover.lower
    lowered = [lower(c) for c in clean]
    symbols = sorted(set().union(*(e.free_symbols for e in lowered)), key=lambda s: (s.name, str(s)))
    reader = ExpressionReader(symbols, lambda c: lower(cleaner(c)))
    simple = [e for e in setting.relations if not e.has(sp.Inverse, sp.MatPow)]
    reader.simplify = Rewriting(_polynomials(simple, reader), deadline).reduce
    first, second = (reader.read(s) for s in sides)
    relations = _polynomials(setting.relations, reader)
    defined: frozenset[str] = frozenset()
    for relation in relations:
        if (name := defined_letter(relation, defined)) is not None:
            defined |= {name}
    rules = Rewriting([*relations, *reader.relations], deadline, defined)
    rows = max(first.rows, second.rows, key=len)
    columns = max(first.columns, second.columns, key=len)
    first, second = reader.split(first, rows, columns), reader.split(second, rows, columns)
    for r, s in zip(first.cells, second.cells, strict=True):
        for a, b in zip(r, s, strict=True):
            if not _zero(reader.minus(a, b), reader, rules, prover):
                return False, ()
    divided = tuple(
        dict.fromkeys(
            sp.factor_list(c.numer.as_expr())[1][k][0]
            for c in rules.divided
            for k in range(len(sp.factor_list(c.numer.as_expr())[1]))
        )
    )
    divided = tuple(d for d in divided if not prover.never_zero(d))
    return not any(prover.vanishes_lowered(d) for d in divided), divided


def _degenerate(
    sides: tuple[Any, Any], setting: Setting, divided: tuple[sp.Expr, ...], deadline: Deadline
) -> tuple[sp.Expr, ...]:
    """The divisors whose zeros a proof does not cover: each one that is a symbol is set to zero and proved again."""
    open_cases = []
    for d in divided:
        if isinstance(d, sp.Symbol) and not isinstance(d, sp.Dummy):
            zero = {s: sp.S.Zero for e in (*sides, *setting.relations) for s in e.free_symbols if s.name == d.name}
            try:
                at_zero = Setting(tuple(_at(a, zero) for a in setting.assumptions), setting.seed)
                left, right = (s.xreplace(zero).doit() for s in sides)
                if compare_abstract(left, right, at_zero, deadline).status == "proved":
                    continue
            except (ValueError, TypeError, AttributeError):
                pass
        open_cases.append(d)
    return tuple(open_cases)


def _at(assumption: Any, values: dict[sp.Symbol, sp.Expr]) -> Any:
    """An equation between matrices with scalars replaced; other assumptions as they are."""
    if isinstance(assumption, Equation):
        return Equation(assumption.left.xreplace(values).doit(), assumption.right.xreplace(values).doit())
    return assumption


def _polynomials(relations: Any, reader: ExpressionReader) -> list[Polynomial]:
    """The cells of relations that vanish, and their transposes."""
    cells = [c for e in relations for row in reader.read(e).cells for c in row if c]
    return [p for c in cells for p in (c, reader.transpose(c))]


def _zero(p: Polynomial, reader: ExpressionReader, rules: Rewriting, prover: Prover) -> bool:
    for _ in range(3):
        p = reader.canonical(rules.reduce(p))
        if not p:
            return True
    return all(prover.vanishes_lowered(reader.expression(c)) for c in p.values())
