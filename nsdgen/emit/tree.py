"""The statement tree: what a kernel does, in the order in which it does it.

Lowering ends here, and every printer begins here: Cython and C (:mod:`nsdgen.emit.text`), C over vectors
(:mod:`nsdgen.emit.lane_text`), code of the register machine (:mod:`nsdgen.interpret`, whose reader makes the same tree
of a text). The tree decides order and grouping of all operations, so that bits agree wherever the arithmetic does.
Values are doubles; whole numbers stand in indices and in the order of ``nsd_stumpff``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

# -- expressions -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A double, not negative."""

    value: float


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number."""

    value: int


@dataclass(frozen=True, slots=True)
class Name:
    """A value with a name, or a constant of ``<math.h>``."""

    text: str


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """An entry of an array: ``in_[0][j]``."""

    array: str
    index: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of doubles."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The value with the other sign."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms from left to right; ``signs`` has one for each, the first a ``+``."""

    terms: tuple[Expression, ...]
    signs: str


@dataclass(frozen=True, slots=True)
class Product:
    """Factors from left to right; ``operators`` has a ``*`` or ``/`` for each, the first a ``*``."""

    factors: tuple[Expression, ...]
    operators: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """``<``, ``<=``, ``>``, ``>=``, ``==`` or ``!=`` of two values."""

    relation: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Logic:
    """``and`` or ``or`` of conditions, or ``not`` of one."""

    word: str
    parts: tuple[Expression, ...]


Expression: TypeAlias = Number | Integer | Name | ArrayEntry | Call | Negation | Sum | Product | Comparison | Logic
Place: TypeAlias = Name | ArrayEntry
"""What can be assigned to."""

_BELOW = {ArrayEntry: "index", Call: "arguments", Sum: "terms", Product: "factors", Logic: "parts"}
"""Where operands stand that are many."""


def operands(e: Expression) -> tuple[Expression, ...]:
    """What an operation works on."""
    if many := _BELOW.get(type(e)):
        found: tuple[Expression, ...] = getattr(e, many)
        return found
    match e:
        case Negation(operand):
            return (operand,)
        case Comparison(_, left, right):
            return left, right
    return ()


def walk(*roots: Expression) -> Iterator[Expression]:
    """Expressions and all that they are made of."""
    stack = list(roots)
    while stack:
        e = stack.pop()
        yield e
        stack += operands(e)


def changed(e: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with what ``change`` gives in place of parts; where it gives None, parts of these are asked."""
    if (other := change(e)) is not None:
        return other
    below = operands(e)
    made = tuple([changed(part, change) for part in below])
    if all(new is old for new, old in zip(made, below, strict=True)):
        return e
    if many := _BELOW.get(type(e)):
        return replace(e, **{many: made})  # type: ignore[arg-type]
    return Negation(*made) if isinstance(e, Negation) else Comparison(e.relation, *made)  # type: ignore[union-attr]


def changed_place(place: Place, change: Callable[[Expression], Expression | None]) -> Place:
    """The same for what is assigned to."""
    other = changed(place, change)
    assert isinstance(other, Name | ArrayEntry)
    return other


def negated(e: Expression) -> Expression:
    """The negative; a sign before a product is one of its first factor: the same value, exactly."""
    if isinstance(e, Product):
        return Product((negated(e.factors[0]), *e.factors[1:]), e.operators)
    return Negation(e)


def signed(value: float) -> Expression:
    """A double with its sign."""
    return Number(value) if value >= 0 else Negation(Number(-value))


def total(terms: Sequence[tuple[str, Expression]]) -> Expression:
    """A sum of terms with signs, from left to right."""
    (sign, first), *rest = terms
    first = negated(first) if sign == "-" else first
    if not rest:
        return first
    return Sum((first, *(term for _, term in rest)), "+" + "".join(sign for sign, _ in rest))


def product(factors: Iterable[tuple[str, Expression]]) -> Expression:
    """A product from left to right; one in the first place is no group of its own."""
    (_, first), *rest = factors
    if not rest:
        return first
    head, signs = (first.factors, first.operators) if isinstance(first, Product) else ((first,), "*")
    return Product((*head, *(factor for _, factor in rest)), signs + "".join(sign for sign, _ in rest))


def operations(*roots: Expression) -> int:
    """How many operations expressions perform; a function call is one, a sign of a number or before a sum none."""
    count, stack = 0, list(roots)
    while stack:
        e = stack.pop()
        stack += () if isinstance(e, ArrayEntry) else operands(e)  # indices are none
        match e:
            case Sum(terms, _):
                count += len(terms) - 1 - _begins_with_sign(terms[0])
            case Product(factors, _):
                count += len(factors) - 1
            case Negation(operand):
                count += not isinstance(operand, Number | Sum)
            case Call() | Comparison():
                count += 1
    return count


def _begins_with_sign(e: Expression) -> bool:
    return isinstance(e, Negation) or (isinstance(e, Product) and isinstance(e.factors[0], Negation))


# -- statements ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``, or with ``operator`` ``+=`` or ``-=``; ``declared``: the type, where the name begins here."""

    target: Place
    value: Expression
    group: str = ""
    operator: str = "="
    declared: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """A call for its effect: the completion of an output, or a word to the compiler."""

    call: Call
    group: str = ""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of an ``If``; ``condition`` is None for the last one."""

    condition: Expression | None
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """The first arm whose condition holds."""

    arms: tuple[Arm, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class For:
    """Once for each value of a counter, from ``first`` to the one before ``end``."""

    name: str
    first: Expression
    end: Expression
    statements: tuple[Statement, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Array:
    """Room for ``size`` doubles."""

    name: str
    size: int
    group: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """A name for the input array of a number."""

    name: str
    number: int
    group: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Constants of the text: places in arrays, or doubles."""

    name: str
    values: tuple[int, ...] | tuple[float, ...]
    group: str = ""

    @property
    def of_doubles(self) -> bool:
        """Whether it holds doubles."""
        return not all(isinstance(value, int) for value in self.values)


Statement: TypeAlias = Assign | Do | If | For | Array | View | Table


@dataclass(frozen=True, slots=True)
class KernelBody:
    """The body of a kernel: its statements, the doubles that it declares, and what it costs.

    ``operations`` counts every operation once where it stands, over all arms; a call of
    a function counts one.
    """

    statements: tuple[Statement, ...]
    temporaries: tuple[str, ...]
    operations: int


def blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statements inside one, block by block."""
    match statement:
        case If(arms=arms):
            return tuple(arm.statements for arm in arms)
        case For(statements=statements):
            return (statements,)
    return ()


def flat(statements: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, those inside others behind them."""
    for statement in statements:
        yield statement
        for block in blocks(statement):
            yield from flat(block)


def expressions(statement: Statement) -> tuple[Expression, ...]:
    """What a statement reads itself: values, conditions, and the indices of what it writes."""
    match statement:
        case Assign(target=target, value=value):
            return (value, *target.index) if isinstance(target, ArrayEntry) else (value,)
        case Do(call=call):
            return (call,)
        case If(arms=arms):
            return tuple(arm.condition for arm in arms if arm.condition is not None)
        case For(first=first, end=end):
            return first, end
    return ()


def read_names(*roots: Expression) -> Iterator[str]:
    """The names of values and arrays in expressions, in no order, some more than once."""
    for e in walk(*roots):
        if isinstance(e, Name):
            yield e.text
        elif isinstance(e, ArrayEntry):
            yield e.array


def calls(statements: Iterable[Statement]) -> set[str]:
    """The functions that statements call."""
    return {e.function for s in flat(statements) for e in walk(*expressions(s)) if isinstance(e, Call)}


def rewritten(
    statements: Sequence[Statement], change: Callable[[Expression], Expression | None]
) -> tuple[Statement, ...]:
    """Statements with all their expressions, targets too, changed by :func:`changed`."""
    found: list[Statement] = []
    for s in statements:
        match s:
            case Assign(target=target, value=value):
                found.append(replace(s, target=changed_place(target, change), value=changed(value, change)))
            case If(arms=arms):
                found.append(
                    replace(
                        s,
                        arms=tuple(
                            Arm(arm.condition and changed(arm.condition, change), rewritten(arm.statements, change))
                            for arm in arms
                        ),
                    )
                )
            case For(first=first, end=end, statements=inner):
                ends = changed(first, change), changed(end, change)
                found.append(replace(s, first=ends[0], end=ends[1], statements=rewritten(inner, change)))
            case _:
                found.append(s)
    return tuple(found)
