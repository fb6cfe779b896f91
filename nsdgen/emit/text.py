"""The statement tree as text: lines of Cython, or of C."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from nsdgen.base.names import comment
from nsdgen.emit.tree import (
    Array,
    ArrayEntry,
    Assign,
    Call,
    Comparison,
    Do,
    Expression,
    For,
    If,
    Integer,
    KernelBody,
    Logic,
    Name,
    Negation,
    Number,
    Product,
    Statement,
    Sum,
    Table,
    View,
)
from nsdgen.errors import EmissionError

INDENT = "    "
WIDTH = 100  # characters of a formula on one line: longer ones, over several lines, are easier to read
_TABLE = 110  # characters after which a line of numbers ends, the last one and the indent within 120


class Level(IntEnum):
    """How tightly a text holds together; looser text is put in parentheses."""

    ANY = 0
    OR = 1
    AND = 2
    NOT = 3
    RELATION = 4
    SUM = 5
    PRODUCT = 6
    ATOM = 7


_LEVELS = {"or": Level.OR, "and": Level.AND, "not": Level.NOT}


@dataclass(frozen=True)
class Language:
    """How a tree looks: comments, ends of statements, the lines of a branch, the words of conditions, other names."""

    comment: str
    end: str
    first: str
    next: str
    otherwise: str
    close: str
    logic: tuple[str, str, str] = ("and", "or", "not ")
    names: Mapping[str, str] = field(default_factory=dict)

    # -- expressions -------------------------------------------------------------------------

    def text(self, e: Expression, needed: Level = Level.ANY) -> str:
        """An expression, in parentheses where it holds together less tightly than ``needed``."""
        match e:
            case Name(text):
                return self.names.get(text, text)
            case Number(value):
                return repr(value)
            case Product():
                text, level = self._product(e), Level.PRODUCT
            case Sum():
                text, level = self._sum(e), Level.SUM
            case Call():
                return self.call(e)
            case Negation(operand):
                text, level = f"-{self.text(operand, Level.PRODUCT)}", Level.PRODUCT
            case ArrayEntry(array, index):
                return array + "".join([f"[{_index(i)}]" for i in index])
            case Integer(value):
                return str(value)
            case Comparison(relation, left, right):
                text, level = f"{self.text(left, Level.SUM)} {relation} {self.text(right, Level.SUM)}", Level.RELATION
            case Logic():
                text, level = self._logic(e), _LEVELS[e.word]
        return text if level >= needed else f"({text})"

    def call(self, e: Call) -> str:
        """A function of values."""
        return f"{e.function}({', '.join([self.text(a) for a in e.arguments])})"

    def _sum(self, e: Sum) -> str:
        texts = [self.text(term, Level.PRODUCT) for term in e.terms]
        return "".join([texts[0], *[f" {sign} {text}" for sign, text in zip(e.signs[1:], texts[1:], strict=True)]])

    def _product(self, e: Product) -> str:
        texts = [self.text(e.factors[0], Level.PRODUCT)]
        for operator, factor in zip(e.operators[1:], e.factors[1:], strict=True):
            texts += operator, self.text(factor, Level.ATOM)
        return "".join(texts)

    def _logic(self, e: Logic) -> str:
        both, either, opposite = self.logic
        if e.word == "not":
            return f"{opposite}{self.text(e.parts[0], Level.ATOM)}"
        word = both if e.word == "and" else either
        return f" {word} ".join([self.text(part, Level.RELATION) for part in e.parts])

    # -- statements --------------------------------------------------------------------------

    def lines(self, s: Statement, depth: int) -> list[str]:
        """The lines of a statement, so many levels deep; raises ``EmissionError`` for what the language cannot say."""
        space = INDENT * depth
        match s:
            case Assign():
                declared = f"{s.declared} " if s.declared else ""
                return assignment(f"{space}{declared}{self.text(s.target)} {s.operator} ", self.text(s.value), self.end)
            case Do(call):
                return [f"{space}{self.call(call)}{self.end}"]
            case If():
                return self._branches(s, depth)
        if not self.close:
            raise EmissionError(f"a {type(s).__name__} has no text in Cython", fix="print it in C")
        match s:
            case For(name, first, end, statements):
                i = name
                return [
                    f"{space}for (int {i} = {_index(first)}; {i} < {_index(end)}; {i}++) {{",
                    *(line for inner in statements for line in self.lines(inner, depth + 1)),
                    f"{space}}}",
                ]
            case Array(name, size):
                return [f"{space}double {name}[{size}];"]
            case View(name, number):
                return [f"{space}const double *const {name} = in_[{number}];"]
            case Table():
                return _table(s, space)
        raise AssertionError(s)

    def _branches(self, s: If, depth: int) -> list[str]:
        space = INDENT * depth
        lines: list[str] = []
        for place, arm in enumerate(s.arms):
            word = self.otherwise if arm.condition is None else self.next if place else self.first
            lines.append(space + word.format("" if arm.condition is None else self.text(arm.condition)))
            lines += [line for inner in arm.statements for line in self.lines(inner, depth + 1)]
        return [*lines, space + self.close] if self.close else lines


CYTHON = Language("# {}", "", "if {}:", "elif {}:", "else:", "")
C = Language(
    "/* {} */",
    ";",
    "if ({}) {{",
    "}} else if ({}) {{",
    "}} else {{",
    "}",
    ("&&", "||", "!"),
    {"True": "1", "False": "0"},
)


def render(body: KernelBody, indent: int = 0, language: Language = CYTHON) -> list[str]:
    """The lines of a body, ``indent`` levels deep; a comment opens each group.

    Declarations are left to the caller (doubles for ``body.temporaries``): Cython allows them
    at the level of the function only.
    """
    lines: list[str] = []
    group = ""
    for statement in body.statements:
        if statement.group != group:
            group = statement.group
            lines += [INDENT * indent + language.comment.format(comment(group))] if group else []
        lines += language.lines(statement, indent)
    return lines


def assignment(start: str, text: str, end: str) -> list[str]:
    """An assignment, in parentheses over several lines if it is too long for one."""
    if len(start) + len(text) <= WIDTH:
        return [start + text + end]
    first, *terms = text.replace(" + ", "\n+ ").replace(" - ", "\n- ").split("\n")
    if not terms:
        return [start + text + end]
    lines = [f"{start}({first}"]
    for term in terms:
        if len(lines[-1]) + len(term) + 1 < WIDTH:
            lines[-1] += f" {term}"
        else:
            lines.append(" " * (len(start) + 1) + term)
    return [*lines[:-1], f"{lines[-1]}){end}"]


def _index(e: Expression) -> str:
    """The index of an array, without blanks: sums of multiples of counters, and entries of tables."""
    match e:
        case Integer(value):
            return str(value)
        case Name(text):
            return text
        case ArrayEntry(array, (inner,)):
            return f"{array}[{_index(inner)}]"
        case Sum(terms, signs):
            return "".join([_index(terms[0]), *(f"{s}{_index(t)}" for s, t in zip(signs[1:], terms[1:], strict=True))])
        case Product((factor, inner), _):
            return f"{_index(factor)}*{f'({_index(inner)})' if isinstance(inner, Sum) else _index(inner)}"
        case Negation(operand):
            return f"-{_index(operand)}"
    raise EmissionError(f"a {type(e).__name__} is no index", fix="print it as a value")


def _table(s: Table, space: str) -> list[str]:
    kind = "double" if s.of_doubles else "int"
    lines, row = [], f"{space}static const {kind} {s.name}[{len(s.values)}] = {{"
    for value in s.values:
        if len(row) - len(space) > _TABLE:
            lines.append(row)
            row = f"{space}   "
        row += f" {value!r},"
    return [*lines, f"{row.rstrip(',')} }};"]
