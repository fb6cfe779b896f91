"""What a reading of a claim says, as texts: the parts that a certificate proves, hashed as they stand.

It is written from the claim as it was typed, before anything is reduced. A part is a statement (of an implication: one
direction; of an index: one value) with its assumptions and goals; an entry of a matrix is a goal of its own.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix
from nsdgen.verify.assumption import KINDS
from nsdgen.verify.assumptions import IndexRange
from nsdgen.verify.cleaning import squarefree
from nsdgen.verify.orders import has_order, order_of, refuse_orders
from nsdgen.verify.premises import paired, premise
from nsdgen.verify.quantities import expressions, substituted, with_entries
from nsdgen.verify.setting import Deadline
from nsdgen.verify.shapes import build, deciding_minors, is_abstract
from nsdgen.verify.statement import Definite, Equal, Iff, Implies, Inequality, IntegralEqual, SeriesEqual, Shape, Zero

from .calculus import constant_divisors, integral_goals, order_goals
from .formulas import numbers_in
from .syntax import needed
from .texts import Inexpressible, Texts, sizes_of, split

Goal = list[Any]
COMPOSITE = (Implies, Iff, Zero)
"""Statements that are no single ones, whatever they say."""

_SCALAR = ["1", "1"]
_NUMBERS_WITHIN = 10.0  # seconds: far more than texts need that are multiplied out at all


def single_statements(reading: Any) -> list[tuple[Any, tuple[Any, ...]]]:
    """What has a part of its own: statements without index ranges and implications, each with its assumptions."""
    reading = with_entries(reading)
    return [found for s in reading.statements for found in single(s, tuple(reading.assumptions))]


def single(statement: Any, assumptions: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The single statements of one, each with what is assumed there. Raises ``IllTyped`` and ``ModelError``."""
    ranges = [a for a in assumptions if isinstance(a, IndexRange)]
    if ranges:
        for values in ranges[0].values():
            chosen = tuple(substituted(a, values) for a in assumptions if a is not ranges[0])
            yield from single(substituted(statement, values), chosen)
    elif isinstance(statement, Implies):
        more = tuple(a for p in statement.premises for a in premise(p))
        for conclusion in statement.conclusions:
            yield from single(conclusion, (*assumptions, *more))
    elif isinstance(statement, Iff):
        for one, other in ((statement.left, statement.right), (statement.right, statement.left)):
            yield from single(Implies(one, other), assumptions)
    elif isinstance(statement, Equal) and not has_order(*(sides := [build(s) for s in statement.sides])):
        yield from ((Equal(*paired(a, b)), assumptions) for a, b in pairwise(sides))
    elif isinstance(statement, Zero):
        refuse_orders(e := build(statement.expression))
        yield Equal(*paired(e, sp.S.Zero)), assumptions
    else:
        yield statement, assumptions


def part_of(statement: Any, assumptions: tuple[Any, ...]) -> dict[str, Any]:
    """The part of a single statement. Raises ``Inexpressible`` where it has no text."""
    texts = Texts([*expressions(statement), *expressions(assumptions)])
    free = isinstance(statement, IntegralEqual) or has_order(*expressions(statement))
    if free and any(e.has(AppliedUndef) for e in expressions(assumptions)):
        raise Inexpressible("an assumption about an unknown function, which need not hold for all values")
    goals = _goals(statement, texts)
    words = any(s != _SCALAR for _, s, *_ in goals) or bool(texts.matrices)
    said: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for a in assumptions:
        for kind, e in a.said():
            if not is_abstract(e):
                said[kind].append(texts(squarefree(e) if kind == "given" else e))
            elif kind == "given":
                said[kind] += _vanishing(e, texts, words)
            elif kind == "nonzero" and words:
                said[kind].append(texts(e))
    for kind, own in texts.said.items():
        said[kind] += [t for t in own if t not in said[kind]]
    if free:
        said = _of_all_values(statement, said, texts)
    real = not texts.complex
    for kind, more in needed([t for found in said.values() for t in found], real).items():
        said[kind] += [t for t in more if t not in said[kind]]
    part = {**said, "goals": [[kind, a, b, needed((a, b), real)] for kind, _, a, b in goals]}
    part |= {"matrices": {n: list(s) for n, s in texts.matrices.items()}, "names": texts.names}
    part["complex"] = list(texts.complex)
    numbers = numbers_in(part, Deadline.after(_NUMBERS_WITHIN))
    return {**part, "given": [*said["given"], *(f"{n} - T({n})" for n in numbers)]}


def _of_all_values(s: Any, said: dict[str, list[str]], texts: Texts) -> dict[str, list[str]]:
    """What is assumed where a name has all values: not what the claim says of its one; between positive ones it is."""
    if isinstance(s, IntegralEqual):
        x, low, of = s.upper, as_expression(s.lower), [as_expression(s.left), as_expression(s.integrand)]
        between = (low.is_positive or texts(low) in said["positive"]) and texts(x) in said["positive"]
    else:
        of = [build(side) for side in s.sides]
        x, between = order_of(of)[0], False
    own = {texts(d) for e in of for d in constant_divisors(e, x)}
    said = {kind: [t for t in found if texts(x) not in re.findall(r"\w+", t)] for kind, found in said.items()}
    more = {"positive": [texts(x)] if between else [], "nonzero": sorted(own)}
    return {kind: [*found, *more.get(kind, ())] for kind, found in said.items()}


def _vanishing(relation: Any, texts: Texts, words: bool) -> list[str]:
    """A matrix that vanishes, as its blocks beside matrices without entries, else as its entries."""
    if words:
        return [c for row in texts.cells(relation) for c in row if c != "0"]
    return [texts(e) for e in relation.as_explicit()] if _sized(relation) else []


def _goals(s: Any, texts: Texts) -> list[Goal]:
    if isinstance(s, Equal):
        sides = [build(side) for side in s.sides]
        if has_order(*sides):
            x, at, n, alike = order_of(sides)
            if not alike:
                raise Inexpressible("different orders")
            bare = [side.removeO() for side in sides]
            said = [g for a, b in pairwise(bare) for g in order_goals(a - b, x, at, n)]
            return [[kind, _SCALAR, texts(a), texts(b)] for kind, a, b in said]
        return [g for a, b in pairwise(sides) for g in _pairs(a, b, texts)]
    if isinstance(s, Shape):
        shape = build(s.expression).shape
        return [["=", _SCALAR, texts(n), texts(m)] for n, m in zip(shape, s.shape, strict=True)]
    if isinstance(s, IntegralEqual):
        a, b = (list(e) if is_matrix(e) else [e] for e in paired(build(s.left), build(s.integrand)))
        bounds = s.variable, as_expression(s.lower), s.upper
        said = [g for x, y in zip(a, b, strict=True) for g in integral_goals(x, y, *bounds)]
        return [[kind, _SCALAR, texts(a), texts(b)] for kind, a, b in said]
    if isinstance(s, SeriesEqual) and s.index is None:
        return _pairs(as_expression(s.closed), as_expression(s.term), texts)
    if isinstance(s, Inequality):
        sides = [build(s.left), build(s.right)] if s.relation[0] == ">" else [build(s.right), build(s.left)]
        return [[s.relation.replace("<", ">"), _SCALAR, *map(texts, sides)]]
    if isinstance(s, Definite) and not is_abstract(m := build(s.matrix)):
        relation = ">=" if s.semi else ">"
        return [*_pairs(m, m.T, texts), *([relation, _SCALAR, texts(d), "0"] for d in deciding_minors(m, s.semi))]
    raise Inexpressible(type(s).__name__)


def _pairs(a: Any, b: Any, texts: Texts) -> list[Goal]:
    """The entries, or the blocks, of two sides; a scalar beside a matrix is one of one entry, or zero."""
    if is_abstract(a) or is_abstract(b):
        if not _has_entries(a, b):
            return _blocks(a, b, texts)
        if not _sized(a, b):
            raise Inexpressible("entries beside a matrix of any size")
        a, b = (e.as_explicit() if is_abstract(e) else e for e in (a, b))
    if not is_matrix(a) and not is_matrix(b):
        shape = ["n_", "n_"] if not (a.is_commutative and b.is_commutative) else _SCALAR
        return [["=", shape, texts(a), texts(b)]]
    shape = (a if is_matrix(a) else b).shape
    first, second = (
        list(e) if is_matrix(e) else [e] * (shape[0] * shape[1]) if e == 0 or shape == (1, 1) else [] for e in (a, b)
    )
    return [["=", _SCALAR, texts(x), texts(y)] for x, y in zip(first, second, strict=True)]


def _blocks(a: Any, b: Any, texts: Texts) -> list[Goal]:
    rows, columns = max((sizes_of(e) for e in (a, b) if is_matrix(e)), key=lambda s: len(s[0]) * len(s[1]))
    grids = [texts.cells(e) if is_matrix(e) else [[texts(e)]] for e in (a, b)]
    first, second = (split(g, len(rows), len(columns)) for g in grids)
    if not all((len(g), len(g[0])) == (len(rows), len(columns)) for g in (first, second)):
        raise Inexpressible("blocks of different partitions meet")
    return [["=", [m, n], first[i][j], second[i][j]] for i, m in enumerate(rows) for j, n in enumerate(columns)]


def _has_entries(*sides: Any) -> bool:
    """Whether a side has a matrix with entries in it, which are no blocks."""
    nodes = (m for e in sides for m in sp.preorder_traversal(e) if isinstance(m, sp.MatrixBase))
    return any(not any(is_matrix(b) for b in m) for m in nodes)


def _sized(*sides: Any) -> bool:
    """Whether all dimensions of matrices without entries are numbers."""
    return all(
        as_expression(d).is_Integer
        for e in sides
        for m in (e, *e.atoms(sp.MatrixSymbol))
        for d in getattr(m, "shape", ())
    )
