"""Classes that differ in numbers alone become one class, with these numbers as arguments of its instances.

Twenty bodies that were written one by one, each with a mass, an inertia and anchors of its own, have the same
equations but for their numbers. Expressions agree but for numbers where their *forms* do: the operations, with every
number left open that is no exponent, order or condition. They are walked side by side; where all hold the same number
it stays, where they differ stands a parameter, one for each tuple of numbers, so that a matrix that is symmetric in
all of them stays so. Numbers that simplify (0 and 1 as factors) have left another form behind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Any, TypeVar

import sympy as sp

from nsdgen.symbolic.description.model_description import Argument
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.generic_rank import generic_rank
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.graph.computed import Computed
from nsdgen.symbolic.relations.relation_class import RelationClass

Class = TypeVar("Class", SystemClass, RelationClass)
Numbers = tuple[sp.Number, ...]

_KIND = "number"
_MOST_LITERAL = 3
"""So many classes of one form keep their numbers, which compilers fold into fewer operations; more are one class."""
_NUMBERS = (sp.Float, sp.Rational)
_OPEN = (
    sp.Add,
    sp.Mul,
    sp.MatrixBase,
    sp.sin,
    sp.cos,
    sp.tan,
    sp.asin,
    sp.acos,
    sp.atan,
    sp.atan2,
    sp.exp,
    sp.log,
    sp.sinh,
    sp.cosh,
    sp.tanh,
    sp.Abs,
)
"""What may hold numbers that differ; within all else expressions must be equal."""


def with_numbers_as_arguments(classes: Sequence[Class]) -> tuple[list[Class], list[int], list[tuple[Argument, ...]]]:
    """The classes that are left, and for each given one which of them it is, and what its instances give besides."""
    forms: dict[tuple[Any, ...], list[int]] = {}
    for number, cls in enumerate(classes if len(classes) > _MOST_LITERAL else ()):
        forms.setdefault(_form(cls), []).append(number)
    general: dict[int, tuple[Class, int, tuple[Argument, ...]]] = {}  # with the first class of its kind
    for numbers in forms.values():
        members = [n for n in numbers if classes[numbers[0]].shape == classes[n].shape]
        found = _general([classes[n] for n in members]) if len(members) > _MOST_LITERAL else None
        if found is not None:
            cls, values = found
            for n, own in zip(members, values, strict=True):
                general[n] = cls, members[0], own
    left: list[Class] = []
    place: dict[int, int] = {}
    for n, cls in enumerate(classes):
        kept, first, _ = general.get(n, (cls, n, ()))
        if first == n:
            place[n] = len(left)
            left.append(kept)
        else:
            place[n] = place[first]
    return (
        left,
        [place[n] for n in range(len(classes))],
        [general[n][2] if n in general else () for n in range(len(classes))],
    )


def holds_number(symbol: sp.Symbol) -> bool:
    """Whether this parameter of a class stands for a number that its instances were written with."""
    return str(symbol.name).startswith(f"{_KIND}/")


def _form(cls: SystemClass | RelationClass) -> tuple[Any, ...]:
    """What classes have in common that differ in numbers: their symbols by slot, the forms of their expressions."""
    digests = _Digests({s: f"{i} {sorted(s.assumptions0.items())}" for i, s in enumerate(cls.symbols)})
    numbers = len(cls.matrices())
    expressions = cls.expressions()
    return (type(cls), len(cls.symbols), *(digests.of(e, open_=i < numbers) for i, e in enumerate(expressions)))


class _Digests:
    """Digests of forms; operands of sums and products in an order that does not depend on numbers."""

    def __init__(self, symbols: Mapping[sp.Symbol, str]) -> None:
        self.symbols = symbols
        self.known: dict[tuple[bool, Any], bytes] = {}

    def of(self, expr: Any, *, open_: bool = True) -> bytes:
        """The digest of a form, or of an expression as it is."""
        if (open_, expr) not in self.known:
            self.known[open_, expr] = blake2b(b"".join(self._parts(expr, open_)), digest_size=16).digest()
        return self.known[open_, expr]

    def _parts(self, expr: Any, open_: bool) -> list[bytes]:
        if expr in self.symbols:
            return [b"symbol", self.symbols[expr].encode()]
        if open_ and isinstance(expr, _NUMBERS):
            return [b"number"]
        if isinstance(expr, sp.MatrixBase):
            shape = f"matrix {expr.rows} {expr.cols}".encode()
            return [shape, *(b"zero" if e.is_Number and e.is_zero else self.of(e, open_=open_) for e in expr.flat())]
        if not expr.args:
            return [b"atom", sp.srepr(expr).encode()]
        if isinstance(expr, Computed):
            return [b"computed", expr.node.digest, *(self.of(s, open_=False) for s in expr.args)]
        inside = [self.of(a, open_=o) for a, o in zip(expr.args, _openness(expr, open_), strict=True)]
        return [type(expr).__name__.encode(), *(sorted(inside) if isinstance(expr, sp.Add | sp.Mul) else inside)]


def _openness(expr: Any, open_: bool) -> list[bool]:
    """Which operands of an open expression are open."""
    if not open_:
        return [False] * len(expr.args)
    if isinstance(expr, sp.Pow):
        return [not isinstance(expr.base, _NUMBERS), False]
    return [isinstance(expr, _OPEN)] * len(expr.args) if not isinstance(expr, Let) else [False, True]


@dataclass
class _Walk:
    """Expressions of one form side by side, over the symbols of the first; ``slots`` are made on the way.

    None of them has one of the labels in ``taken``.
    """

    digests: _Digests
    taken: set[str]
    slots: dict[Numbers, sp.Symbol]
    known: dict[tuple[Any, ...], Any]

    def matrix(self, matrices: Sequence[sp.MatrixBase]) -> sp.Matrix:
        """The matrix that all of them are."""
        entries = zip(*(m.flat() for m in matrices), strict=True)
        return sp.Matrix(*matrices[0].shape, [self.together(e) for e in entries])

    def together(self, expressions: tuple[Any, ...]) -> Any:
        """The expression that all of them are, once numbers are given."""
        first = expressions[0]
        if all(e is first or (e == first and type(e) is type(first)) for e in expressions):
            return first
        if expressions not in self.known:
            self.known[expressions] = self._together(expressions)
        return self.known[expressions]

    def _together(self, expressions: tuple[Any, ...]) -> Any:
        first = expressions[0]
        if isinstance(first, _NUMBERS):
            if expressions not in self.slots:
                label = next(label for k in count(1) if (label := f"n{k}") not in self.taken)
                self.taken.add(label)
                self.slots[expressions] = own_symbol(_KIND, label)
            return self.slots[expressions]
        open_ = _openness(first, True)
        operands = [list(zip(e.args, open_, strict=True)) for e in expressions]
        if isinstance(first, sp.Add | sp.Mul):
            operands = [sorted(own, key=lambda pair: self.digests.of(pair[0])) for own in operands]
        return first.func(*(self.together(tuple(own[i][0] for own in operands)) for i in range(len(first.args))))


def _general(classes: Sequence[Class]) -> tuple[Class, list[tuple[Argument, ...]]] | None:
    """The class of several that differ in numbers, and these; None where a matrix has its full rank for some only."""
    first = classes[0]
    symbols = {s: f"{i} {sorted(s.assumptions0.items())}" for i, s in enumerate(first.symbols)}
    walk = _Walk(_Digests(symbols), {label_of(s) for s in first.symbols}, {}, {})
    renamed = [
        [m.xreplace(dict(zip(cls.symbols, first.symbols, strict=True))) for m in cls.matrices()] for cls in classes
    ]
    found: list[sp.Matrix] = []
    for i, own in enumerate(first.matrices()):
        matrices: list[sp.MatrixBase] = [of_class[i] for of_class in renamed]
        found.append(walk.matrix(matrices))
        if own.rows == own.cols > 1 and found[-1] != sp.Matrix(own) and _some_singular([found[-1], *matrices]):
            return None
    rows = [
        tuple(Argument(label_of(slot), numbers[i]) for numbers, slot in walk.slots.items()) for i in range(len(classes))
    ]
    return first.with_matrices(found, tuple(walk.slots.values())), rows


def _some_singular(matrices: Sequence[sp.MatrixBase]) -> bool:
    """Whether a square matrix is singular whatever its symbols are: schemes then look for what makes it so."""
    return any(generic_rank(m) < m.rows for m in matrices)
