"""From SymPy to the expression graph: one short rule per type of node.

The arguments of ``Modulo``, ``Floor`` and ``Sign`` and the sides of relations decide
ties, so their arithmetic is *fixed*: evaluated as SymPy grouped it. An expression that
occurs both there and elsewhere is fixed everywhere, so that it is computed once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Self

import sympy as sp
from sympy.core.relational import Relational
from sympy.core.symbol import Str
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from nsdgen.emit.constants import constant_call
from nsdgen.emit.expression_graph import Graph, Kind
from nsdgen.errors import EmissionError
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign, Stumpff
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.computed import Computed
from nsdgen.symbolic.graph.node import Node

LARGEST_PRODUCT = 8
"""Integer powers beyond this are left to ``pow``."""

FUNCTIONS: dict[type, str] = {
    sp.exp: "exp", sp.log: "log", sp.Abs: "fabs", sp.erf: "erf", sp.erfc: "erfc",
    sp.sin: "sin", sp.cos: "cos", sp.tan: "tan",
    sp.asin: "asin", sp.acos: "acos", sp.atan: "atan", sp.atan2: "atan2",
    sp.sinh: "sinh", sp.cosh: "cosh", sp.tanh: "tanh",
    sp.asinh: "asinh", sp.acosh: "acosh", sp.atanh: "atanh",
    Modulo: "nsd_mod", Floor: "floor", Sign: "nsd_sign",
}  # fmt: skip
"""Functions and how C calls them."""

CONSTANTS: dict[type, str] = {type(sp.pi): "M_PI", type(sp.E): "M_E"}
HELPERS = ("nsd_mod", "nsd_sign", "nsd_stumpff")
"""What emitted code calls from ``nsdgen_math.h``; all else comes from ``<math.h>``."""

RELATIONS: dict[type, str] = {
    sp.StrictLessThan: "<", sp.LessThan: "<=", sp.StrictGreaterThan: ">",
    sp.GreaterThan: ">=", sp.Equality: "==", sp.Unequality: "!=",
}  # fmt: skip
LOGIC: dict[type, str] = {sp.And: "and", sp.Or: "or", sp.Not: "not"}
DECIDES_TIES = (Modulo, Floor, Sign, Relational)
ARITHMETIC = (sp.Add, sp.Mul, sp.Pow, Let)


class Translator:
    """Puts SymPy expressions into ``graph``; ``names`` says how symbols are printed.

    ``like`` is a translator that has read the same expressions for other names: what it found of them is used again.
    """

    def __init__(self, expressions: Iterable[sp.Basic], names: Mapping[Any, str], *, like: Self | None = None) -> None:
        self.graph = Graph()
        self._names = names
        self._done: list[int] = []  # node of each place in _interned
        self._interned: list[tuple[Any, tuple[int, ...]]] = []
        self._funcs: list[type] = []  # what computes each of them
        self._place: dict[int, int] = {}  # id of a SymPy object -> place in _interned
        self._keep = list(expressions)  # ids stay valid while the objects live
        self._fixed: set[int]
        if like is not None:
            self._interned, self._funcs, self._place = like._interned, like._funcs, like._place
            self._fixed = like._fixed
            return
        self._intern()
        self._fixed = self._find_fixed()

    def _children(self, expr: Any) -> tuple[Any, ...]:
        """The operands; those of a node of the expression graph are nodes, and atoms of SymPy."""
        if isinstance(expr, Node):
            return tuple(arg if arg.leaf is None else arg.leaf for arg in expr.args)
        if isinstance(expr, Computed):
            return (expr.node,)
        return () if expr in self._names else expr.args

    def _intern(self) -> None:
        """Give equal expressions one place.

        SymPy would compare equal but distinct trees path by path; comparing the places
        of their arguments costs one step per operation.
        """
        known: dict[Any, int] = {}
        operands: dict[int, tuple[Any, ...]] = {}

        def parts(expr: Any) -> tuple[Any, ...]:
            found = operands[id(expr)] = self._children(expr)
            return found

        for expr in below(self._keep, parts, key=id):
            children = tuple([self._place[id(arg)] for arg in operands[id(expr)]])
            if isinstance(expr, Computed):
                self._place[id(expr)] = children[0]
                continue
            func = expr.func if isinstance(expr, Node) else type(expr)
            place = known.setdefault((func, children or expr), len(self._interned))
            if place == len(self._interned):
                self._interned.append((expr, children))
                self._funcs.append(func)
            self._place[id(expr)] = place

    @property
    def content(self) -> tuple[Any, ...]:
        """What is computed: operations with the places of their operands, atoms, and the places of the expressions."""
        operations = zip(self._funcs, self._interned, strict=True)
        ends = [self._place[id(expr)] for expr in self._keep]
        return tuple((func, children or expr) for func, (expr, children) in operations), tuple(ends)

    @property
    def size(self) -> int:
        """How many different operations and atoms there are."""
        return len(self._interned)

    def forms(self, arrays: Mapping[Any, int]) -> int:
        """About how many forms (:mod:`nsdgen.emit.forms`) they have, before they are translated.

        ``arrays`` maps the symbols that are entries of long arrays to the number of their array.
        """
        uses = Counter(child for _, children in self._interned for child in children)
        uses.update(self._place[id(expr)] for expr in self._keep)
        known: dict[Any, int] = {}
        found: list[int] = []
        for place, (expr, children) in enumerate(self._interned):
            parts = [found[child] for child in children]
            form: tuple[Any, ...] = ("entry", arrays[expr]) if expr in arrays else ("atom", place)
            if children:
                func = self._funcs[place]
                form = (func, frozenset(parts) if issubclass(func, sp.Add) else tuple(sorted(parts)))
            number = known.setdefault(form, len(known))
            if isinstance(expr, Let) or (isinstance(expr, Node) and expr.func is Let):
                number = parts[-1]  # whatever it is called
            elif children and uses[place] > 1:
                number = known.setdefault(("shared", number), len(known))
            found.append(number)
        return len(known)

    def _find_fixed(self) -> set[int]:
        """Places of the arithmetic whose rounding may decide a tie; parents come last."""
        fixed: set[int] = set()
        if not any(issubclass(func, DECIDES_TIES) for func in set(self._funcs)):
            return fixed
        for place in range(len(self._interned) - 1, -1, -1):
            func = self._funcs[place]
            if issubclass(func, DECIDES_TIES) or (place in fixed and issubclass(func, ARITHMETIC)):
                fixed.update(self._interned[place][1])
        return fixed

    def translate(self, expr: sp.Basic, where: str = "") -> int:
        """The node of one of the expressions given, in their order; ``where`` is named by errors."""
        top = self._place[id(expr)]
        for place in range(len(self._done), top + 1):  # operands come first
            self._done.append(self._node(place, where))
        return self._done[top]

    def _node(self, place: int, where: str) -> int:
        expr, children = self._interned[place]
        if not children and expr in self._names:
            return self.graph.add(Kind.SYMBOL, self._names[expr])
        rule = _rule(self._funcs[place])
        if rule is None:
            raise EmissionError(f"{_shown(expr)} has no translation into code", where=where, fix=_advice(expr))
        try:
            return rule(self, place, [self._done[child] for child in children])
        except EmissionError as error:
            error.where = error.where or where
            raise

    # Rules: (translator, place, nodes of the arguments) -> node

    def _symbol(self, place: int, args: Sequence[int]) -> int:
        raise EmissionError(
            f"the symbol {_shown(self._interned[place][0])} is not known here",
            fix="declare it as a parameter, a coordinate or another quantity of the model",
        )

    def _constant(self, place: int, args: Sequence[int]) -> int:
        return self.graph.add(Kind.SYMBOL, CONSTANTS[self._funcs[place]])

    def _number(self, place: int, args: Sequence[int]) -> int:
        over, under = self._fraction(self._interned[place][0])
        return self.graph.product([over], [under] if under is not None else [])

    def _fraction(self, value: sp.Number) -> tuple[int, int | None]:
        """Numerator and denominator; one literal where that is exact or the parts are not."""
        if isinstance(value, sp.Rational):
            p, q = value.p, value.q
            if q & (q - 1) and max(abs(p), q) < 2**53:
                return self.graph.number(float(p)), self.graph.number(float(q))
        try:
            double = float(Fraction(value.p, value.q) if value.is_Rational else value)
        except OverflowError:
            double = float("inf")
        if double - double != 0.0:
            raise EmissionError(
                f"{_shown(value)} is not a finite double", fix="scale the quantity, or choose other units"
            )
        return self.graph.number(double), None

    def _add(self, place: int, args: Sequence[int]) -> int:
        return self.graph.sum(args, fixed=place in self._fixed)

    def _mul(self, place: int, args: Sequence[int]) -> int:
        over: list[int] = []
        under: list[int] = []
        fixed = place in self._fixed
        for child in self._interned[place][1]:
            self._put_factor(child, over, under, fixed)
        return self.graph.product(over, under, fixed=fixed)

    def _put_factor(self, child: int, over: list[int], under: list[int], fixed: bool) -> None:
        expr, parts = self._interned[child]
        exponent = self._exponent(child)
        if isinstance(expr, sp.Rational):
            p, q = self._fraction(expr)
            over.append(p)
            under += [] if q is None else [q]
        elif exponent is None:
            over.append(self._done[child])
        else:
            factors = self._power_factors(self._done[parts[0]], abs(exponent))
            (over if exponent > 0 else under).extend([self.graph.product(factors, fixed=True)] if fixed else factors)

    def _exponent(self, place: int) -> Fraction | None:
        """The exponent if this is a power that products and roots can express."""
        children = self._interned[place][1]
        if not issubclass(self._funcs[place], sp.Pow) or not children:
            return None
        base, exp = (self._interned[child][0] for child in children)
        if isinstance(base, type(sp.E)) or not isinstance(exp, sp.Rational | sp.Float):
            return None
        exact = isinstance(exp, sp.Rational)
        exponent = Fraction(exp.p, exp.q) if exact else Fraction(float(exp))
        small = 0 < abs(exponent) <= LARGEST_PRODUCT + Fraction(1, 2)
        return exponent if small and exponent.denominator <= 2 else None

    def _power_factors(self, base: int, exponent: Fraction) -> list[int]:
        whole, half = divmod(exponent, 1)
        root = [self.graph.add(Kind.CALL, "sqrt", (base,))] if half else []
        return self.graph.repeated(base, int(whole)) + root

    def _pow(self, place: int, args: Sequence[int]) -> int:
        exponent = self._exponent(place)
        if exponent is not None:
            factors = self._power_factors(args[0], abs(exponent))
            fixed = place in self._fixed
            return self.graph.product(*([factors] if exponent > 0 else [[], factors]), fixed=fixed)
        if isinstance(self._operand(place, 0), type(sp.E)):
            return self._function("exp", args[1:])
        return self._function("pow", args)

    def _operand(self, place: int, i: int) -> Any:
        """An operand as the atom that it is, or whatever it is made of."""
        return self._interned[self._interned[place][1][i]][0]

    def _call(self, place: int, args: Sequence[int]) -> int:
        name = next(FUNCTIONS[base] for base in self._funcs[place].__mro__ if base in FUNCTIONS)
        return self._function(name, args)

    def _function(self, name: str, args: Sequence[int]) -> int:
        """A call, or the number that it is."""
        value = constant_call(self.graph, name, tuple(args))
        return self.graph.add(Kind.CALL, name, args) if value is None else self.graph.number(value)

    def _stumpff(self, place: int, args: Sequence[int]) -> int:
        order = self._operand(place, 0)
        if not isinstance(order, sp.Integer) or order < 0:
            raise EmissionError(
                f"the order {_shown(order)} of Stumpff is not a natural number", fix="give 0, 1, 2, ..."
            )
        return self.graph.add(Kind.CALL, "nsd_stumpff", (self.graph.add(Kind.NUMBER, str(order)), args[1]))

    def _relation(self, place: int, args: Sequence[int]) -> int:
        return self.graph.add(Kind.RELATION, RELATIONS[self._funcs[place]], args)

    def _logic(self, place: int, args: Sequence[int]) -> int:
        word = LOGIC[self._funcs[place]]
        nodes, key = self.graph.nodes, self.graph.key
        ordered = sorted(args, key=lambda arg: (nodes[arg].kind is Kind.LOGIC, *key(arg)))
        return self.graph.add(Kind.LOGIC, word, ordered)

    def _truth(self, place: int, args: Sequence[int]) -> int:
        return self.graph.add(Kind.SYMBOL, str(bool(self._interned[place][0])))

    def _branch(self, place: int, args: Sequence[int]) -> int:
        if self._operand(place, -1) != sp.true:
            raise EmissionError(
                "a branch has no value for the case that none of its conditions holds",
                fix="give the last value the condition True",
            )
        return self.graph.add(Kind.BRANCH, args=args[:-1])

    def _let(self, place: int, args: Sequence[int]) -> int:
        if not self.graph.is_trivial(args[1]):
            self.graph.labels.setdefault(args[1], self._operand(place, 0).name)
        return args[1]

    def _text(self, place: int, args: Sequence[int]) -> int:
        return -1  # the name inside a Let: read from there, never a value


Rule = Callable[[Translator, int, Sequence[int]], int]
RULES: dict[type, Rule] = {
    sp.Symbol: Translator._symbol, sp.Rational: Translator._number, sp.Float: Translator._number,
    sp.Add: Translator._add, sp.Mul: Translator._mul, sp.Pow: Translator._pow,
    Stumpff: Translator._stumpff, Branch: Translator._branch, Let: Translator._let,
    Str: Translator._text, BooleanTrue: Translator._truth, BooleanFalse: Translator._truth,
    **dict.fromkeys(CONSTANTS, Translator._constant),
    **dict.fromkeys(FUNCTIONS, Translator._call),
    **dict.fromkeys(RELATIONS, Translator._relation),
    **dict.fromkeys(LOGIC, Translator._logic),
}  # fmt: skip


@cache
def _rule(func: type) -> Rule | None:
    """The rule for what computes a node, or for what that is a kind of."""
    return next((RULES[base] for base in func.__mro__ if base in RULES), None)


def _shown(expr: sp.Basic) -> str:
    """An expression for an error message: its type, and itself where that is short."""
    short = len(expr.args) < 6 and not any(arg.args for arg in expr.args)
    return f"{expr} ({type(expr).__name__})" if short else type(expr).__name__


def _advice(expr: sp.Basic) -> str:
    if expr.is_number and expr.is_real is False:
        return "emitted code computes with finite real numbers; look for a root of a negative value"
    return "write it in functions that nsdgen knows, or give it as a quantity of the model"
