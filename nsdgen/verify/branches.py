"""Case distinctions: every combination of branches, with what its conditions say as facts.

A condition becomes a disjunction of conjunctions of relations, each conjunction a case of its own. The cases of all
branches cover every point, so a proof of each is a proof; a counterexample lies in the case it was found in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import count, product

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from nsdgen.verify.linear import infeasible, rows
from nsdgen.verify.setting import Facts

__all__ = ["MOST", "NoCases", "branches"]

MOST = 600
"""More cases than this are not looked at one by one."""

_SAID = ("equations", "positive", "nonnegative", "nonzero")

Case = tuple[sp.Basic, ...]  # relations that hold together


class NoCases(Exception):
    """Conditions that are no relations, or too many cases; caught inside ``verify``."""


def branches(expressions: tuple[sp.Expr, ...], facts: Facts) -> Iterator[tuple[tuple[sp.Expr, ...], Facts]]:
    """Each case with the expressions that hold in it; impossible ones are left out where that is seen.

    Case distinctions in the facts are taken apart as well. Raises ``NoCases`` for conditions that cannot be.
    """
    groups = (expressions, facts.equations, facts.positive, facts.nonnegative, facts.nonzero)
    simple = [tuple(e for e in group if not e.has(sp.Piecewise)) for group in groups[1:]]
    plain = Facts(simple[0], simple[1], simple[2], simple[3], facts.samplers, facts.covered)
    together = tuple(e for group in groups for e in group)
    for chosen, seen in _branches(together, plain, (), count(1)):
        parts, at = [], 0
        for group in groups:
            parts.append(chosen[at : at + len(group)])
            at += len(group)
        distinguished = {
            name: tuple(e for e, was in zip(part, getattr(facts, name), strict=True) if was.has(sp.Piecewise))
            for name, part in zip(_SAID, parts[1:], strict=True)
        }
        whole = seen.but(**distinguished)
        whole = replace(whole, equations=tuple(e for e in whole.equations if e != 0))
        if not any(e.is_number and e != 0 and e.is_zero is False for e in whole.equations):
            yield parts[0], whole


def _branches(
    expressions: tuple[sp.Expr, ...], facts: Facts, held: Case, cases: Iterator[int]
) -> Iterator[tuple[tuple[sp.Expr, ...], Facts]]:
    parts = sorted(set().union(*(e.atoms(sp.Piecewise) for e in expressions)), key=sp.default_sort_key)
    parts = [p for p in parts if not any(q is not p and p.has(q) for q in parts)]  # the innermost first
    if not parts:
        if next(cases) > MOST:
            raise NoCases(f"more than {MOST} cases to distinguish")
        yield expressions, facts
        return
    part = parts[0]
    before: list[Case] = [()]
    for value, condition in part.args:
        own = _cases(condition)
        chosen = tuple(e.xreplace({part: value}) for e in expressions)
        for case in _both(before, own):
            known = _with(facts, case)
            if not _impossible((*held, *case)) and not _empty(known):
                yield from _branches(chosen, known, (*held, *case), cases)
        before = _both(before, _cases(sp.Not(condition)))


def _cases(condition: sp.Basic) -> list[Case]:
    """The condition as alternatives of relations."""
    condition = sp.to_nnf(condition, simplify=False)
    if isinstance(condition, BooleanTrue | BooleanFalse):
        return [()] if condition else []
    if isinstance(condition, sp.Or):
        return [c for a in condition.args for c in _cases(a)]
    if isinstance(condition, sp.And):
        return reduce(_both, map(_cases, condition.args))
    if isinstance(condition, Relational):
        return [(condition,)]
    raise NoCases(f"the condition {condition} is no relation")


def _both(first: list[Case], second: list[Case]) -> list[Case]:
    """All pairs of alternatives, those left out that hold a relation and its opposite."""
    found = [tuple(dict.fromkeys((*a, *b))) for a, b in product(first, second)]
    if len(found) > MOST:
        raise NoCases(f"more than {MOST} cases to distinguish")
    return [c for c in dict.fromkeys(found) if not _impossible(c)]


def _impossible(case: Case) -> bool:
    return any(r == False or sp.Not(r) in case for r in case)  # noqa: E712 - a SymPy truth value


def _empty(facts: Facts) -> bool:
    """Whether the facts exclude each other, as far as linear arithmetic sees; what is not zero has one of two signs."""
    known = rows(facts.positive, facts.nonnegative, facts.equations)
    return infeasible(known) or any(
        infeasible([*known, *rows((e,), ())]) and infeasible([*known, *rows((-e,), ())]) for e in facts.nonzero
    )


def _with(facts: Facts, case: Case) -> Facts:
    """The facts and what the relations of a case add to them."""
    for r in case:
        if isinstance(r, sp.Eq):
            facts = facts.but(equations=(r.lhs - r.rhs,))
        elif isinstance(r, sp.Ne):
            facts = facts.but(nonzero=(r.lhs - r.rhs,))
        elif isinstance(r, sp.StrictGreaterThan | sp.StrictLessThan):
            facts = facts.but(positive=(r.gts - r.lts,))
        elif isinstance(r, sp.GreaterThan | sp.LessThan):
            facts = facts.but(nonnegative=(r.gts - r.lts,))
    return facts
