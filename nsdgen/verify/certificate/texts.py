"""Expressions as texts that the checker reads: Python's syntax, names and whole numbers alone."""

import keyword
from collections.abc import Iterable
from functools import reduce
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.printing.str import StrPrinter

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.cleaning import CARRIED_OUT, Cleaner, at_exact_angles, decimal
from nsdgen.verify.quantities import unlike

_TAKEN = {"I", "T", "inv", "pow", "root", "choose", "pi"}  # names that are written here for something else
_WITHOUT_TEXT = (*CARRIED_OUT, sp.nan, sp.oo, sp.zoo, sp.Order, sp.conjugate, sp.re, sp.im, sp.arg, sp.Lambda)

_DEFINITIONS: dict[Any, Any] = {
    sp.tan: lambda x: sp.sin(x) / sp.cos(x),
    sp.cot: lambda x: sp.cos(x) / sp.sin(x),
    sp.sinh: lambda x: (sp.exp(x) - 1 / sp.exp(x)) / 2,
    sp.cosh: lambda x: (sp.exp(x) + 1 / sp.exp(x)) / 2,
    sp.tanh: lambda x: (sp.exp(2 * x) - 1) / (sp.exp(2 * x) + 1),
    sp.sec: lambda x: 1 / sp.cos(x),
    sp.csc: lambda x: 1 / sp.sin(x),
    sp.sech: lambda x: 2 / (sp.exp(x) + 1 / sp.exp(x)),
    sp.csch: lambda x: 2 / (sp.exp(x) - 1 / sp.exp(x)),
    sp.coth: lambda x: (sp.exp(2 * x) + 1) / (sp.exp(2 * x) - 1),
    sp.sinc: lambda x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(x) / x, True)),
    sp.exp: lambda x: sp.exp(x - sp.I * _over_i(x)) * (sp.cos(_over_i(x)) + sp.I * sp.sin(_over_i(x))),
}
"""Functions that the checker does not know, by those that it does; of a complex number the exponential is Euler's."""


def _over_i(x: sp.Expr) -> sp.Expr:
    """What stands behind the imaginary unit in a sum."""
    return sp.Add(*(sp.expand(t / sp.I) for t in sp.Add.make_args(sp.expand(x)) if t.has(sp.I)))


_TRUE = {"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}, "==": {0}, "!=": {-1, 1}}
"""The signs of left - right where a comparison is true."""


class Inexpressible(Exception):
    """An expression whose meaning a text of values does not carry (a bound variable, a distribution)."""


class Texts:
    """Writes expressions; a quantity has one identifier, and ``names`` says which are not its name.

    Values of unknown functions and of their derivatives become symbols, equal ones the same. ``matrices`` are the
    shapes of matrices without entries, ``said`` is what symbols say of themselves, ``complex`` are those not real.
    """

    def __init__(self, expressions: Iterable[Any]) -> None:
        given = [as_expression(e) for e in expressions]
        self._cleaner = Cleaner([e for e in given if isinstance(e, sp.Expr) and not isinstance(e, sp.MatrixExpr)])
        spelled: dict[str, list[sp.Symbol]] = {}
        for s in sorted({s for e in given for s in e.atoms(sp.Symbol)}, key=lambda s: (s.name, str(s.assumptions0))):
            spelled.setdefault(s.name, []).append(s)
        functions = {type(f).__name__ for e in given for f in e.atoms(sp.Function)}
        self._taken = {*_TAKEN, *functions, *(n for n in spelled if _plain(n))}
        self._spelled, self._identifiers = spelled, dict[Any, str]()
        self.names: dict[str, str] = {}
        self.matrices: dict[str, tuple[str, str]] = {}
        self.said: dict[str, dict[str, None]] = {"positive": {}, "nonnegative": {}, "nonzero": {}}
        self.complex: dict[str, None] = {}

    def __call__(self, expression: Any) -> str:
        """The text of a scalar or of a matrix without entries; raises ``Inexpressible``."""
        e = as_expression(expression)
        if isinstance(e, sp.MatrixExpr):
            ((text,),) = self.cells(e)
            return text
        if e.has(*CARRIED_OUT):
            e = e.doit()
        if e.has(AppliedUndef):
            e = self._cleaner.frozen(e)
        if e.has(*_WITHOUT_TEXT):
            raise Inexpressible(str(e)[:80])
        e = e.xreplace({f: decimal(f) for f in e.atoms(sp.Float)})
        for kind, meaning in _DEFINITIONS.items():
            if e.has(kind) and (kind is not sp.exp or e.has(sp.I)):
                e = e.replace(kind, meaning)
        e = at_exact_angles(e)
        if e.has(sp.I):
            self.complex["I"] = None
        elements = {m: sp.Symbol(unlike(str(m), self._spelled), real=True) for m in e.atoms(MatrixElement)}
        e = e.xreplace(elements) if elements else e
        symbols = sorted((s for s in e.atoms(sp.Symbol)), key=lambda s: (s.name, str(s.assumptions0)))
        e = e.xreplace({s: self._named(s) for s in symbols})  # in the same order in every run
        return written(e)

    def _named(self, symbol: sp.Symbol) -> sp.Symbol:
        name = self.identifier(symbol if isinstance(symbol, sp.Dummy) else symbol.name, symbol.name)
        if symbol.is_commutative is False:
            self.matrices[name] = ("n_", "n_")
            return sp.Symbol(name, commutative=False)
        spelled = [symbol] if isinstance(symbol, sp.Dummy) else self._spelled.get(symbol.name, [symbol])
        said = set.intersection(*({f for f, is_so in s.assumptions0.items() if is_so} for s in spelled))
        if any(s.is_extended_real is False or (s.is_complex and not s.is_extended_real) for s in spelled):
            self.complex[name] = None
        for fact, kind, text in (
            ("positive", "positive", name),
            ("negative", "positive", f"-{name}"),
            ("nonnegative", "nonnegative", name),
            ("nonpositive", "nonnegative", f"-{name}"),
            ("nonzero", "nonzero", name),
        ):
            if fact in said:
                self.said[kind][text] = None
                break
        return sp.Symbol(name)

    def identifier(self, key: Any, name: str) -> str:
        """The identifier of a quantity: its name, where that is one and nobody else's."""
        if key not in self._identifiers:
            of_function = name in self._taken and name not in self._spelled
            fits = isinstance(key, str) and _plain(name) and name not in _TAKEN and not of_function
            made = (f"symbol{k}" for k in range(1, 10**9))
            new = name if fits else next(n for n in made if n not in self._taken)
            self._taken.add(new)
            self._identifiers[key] = new
            if new != name:
                self.names[new] = name
        return self._identifiers[key]

    # ---- matrices without entries

    def cells(self, e: Any) -> list[list[str]]:
        """A matrix as a grid of the texts of its blocks. Raises ``Inexpressible``."""
        if isinstance(e, sp.MatAdd):
            grids = [self.cells(a) for a in e.args]
            size = max(grids, key=len)
            grids = [split(g, len(size), len(size[0])) for g in grids]
            if len({(len(g), len(g[0])) for g in grids}) > 1:
                raise Inexpressible("blocks of different partitions meet")
            return [[" + ".join(f"({g[i][j]})" for g in grids) for j in range(len(size[0]))] for i in range(len(size))]
        if isinstance(e, sp.MatMul):
            factors = [self(a) if not isinstance(a, sp.MatrixExpr) else self.cells(a) for a in e.args]
            numbers = [f"({f})" for f in factors if isinstance(f, str)]
            grid = reduce(_product, [f for f in factors if not isinstance(f, str)])
            return [["*".join([*numbers, f"({c})"]) for c in row] for row in grid]
        if isinstance(e, sp.Transpose):
            return [[f"T({c})" for c in column] for column in zip(*self.cells(e.arg), strict=True)]
        if isinstance(e, sp.BlockMatrix):
            blocks = e.blocks
            return [[self(blocks[i, j]) for j in range(blocks.shape[1])] for i in range(blocks.shape[0])]
        if isinstance(e, sp.ZeroMatrix):
            return [["0"]]
        if isinstance(e, sp.Identity):
            return [["1"]]
        if isinstance(e, sp.Inverse | sp.MatPow) and e.exp.is_Integer:
            base, n = self(e.args[0]), e.exp
            return [[f"inv({base})**{-n}" if n < 0 else f"({base})**{n}"]]
        if isinstance(e, sp.MatrixSymbol):
            name = self.identifier(("matrix", e.name) if e.name in self._spelled else e.name, e.name)
            self.matrices[name] = (size_of(e.shape[0]), size_of(e.shape[1]))
            return [[name]]
        raise Inexpressible(type(e).__name__)


def _plain(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def size_of(dimension: Any) -> str:
    """A number of rows or columns; equal ones have one text."""
    return str(sp.expand(as_expression(dimension))).replace(" ", "")


def split(grid: list[list[str]], rows: int, columns: int) -> list[list[str]]:
    """Zero and the identity in as many blocks; anything else as it is."""
    if grid == [["0"]] or (grid == [["1"]] and rows == columns):
        return [[grid[0][0] if i == j else "0" for j in range(columns)] for i in range(rows)]
    return grid


def sizes_of(e: Any) -> tuple[list[str], list[str]]:
    """The rows and the columns of the blocks of a matrix."""
    if isinstance(e, sp.BlockMatrix):
        return list(map(size_of, e.rowblocksizes)), list(map(size_of, e.colblocksizes))
    if isinstance(e, sp.MatMul):
        grids = [sizes_of(a) for a in e.args if isinstance(a, sp.MatrixExpr)]
        return grids[0][0], grids[-1][1]
    if isinstance(e, sp.MatAdd):
        return max(map(sizes_of, e.args), key=lambda s: len(s[0]) * len(s[1]))
    if isinstance(e, sp.Transpose):
        return sizes_of(e.arg)[::-1]
    return [size_of(e.shape[0])], [size_of(e.shape[1])]


def _product(a: list[list[str]], b: list[list[str]]) -> list[list[str]]:
    if len(a[0]) != len(b):
        raise Inexpressible("blocks of different partitions meet")
    columns = list(zip(*b, strict=True))
    return [[" + ".join(f"({x})*({y})" for x, y in zip(r, c, strict=True)) for c in columns] for r in a]


class _Printer(StrPrinter):
    """Only whole powers that are not negative, roots as roots, choices by the sign of one formula at a time."""

    def _print_Pow(self, expr: sp.Pow, rational: bool = False) -> str:
        b, n = expr.args
        if n.is_Rational and n < 0:
            inner = self._print(sp.Pow(b, -n, evaluate=False))
            return f"(1/{inner})" if b.is_commutative else f"inv({inner})"
        if not n.is_Rational:
            return f"pow({self._print(b)}, {self._print(n)})"
        base = f"({self._print(b)})" if n.is_Integer else f"root({self._print(b)}, {n.q})"
        return base if n.p == 1 else f"{base}**{n.p}"

    def _print_Function(self, expr: sp.Function) -> str:
        arguments = (a for given in expr.args for a in (given if isinstance(given, sp.Tuple) else (given,)))
        sizes = (f"_{len(a)}" for a in expr.args if isinstance(a, sp.Tuple))
        return f"{type(expr).__name__}{''.join(sizes)}({', '.join(map(self._print, arguments))})"

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_Piecewise(self, expr: Any) -> str:
        *cases, last = expr.args
        if last.cond != sp.true:
            raise Inexpressible("a case distinction that does not say what is true otherwise")
        text = self._print(last.expr)
        for v, c in reversed(cases):
            text = self._choice(c, self._print(v), text)
        return text

    def _choice(self, condition: Any, yes: str, no: str) -> str:
        """One of two texts, by comparisons alone."""
        if isinstance(condition, sp.Not):
            return self._choice(condition.args[0], no, yes)
        if isinstance(condition, sp.And | sp.Or):
            both = isinstance(condition, sp.And)
            for c in sp.ordered(condition.args):
                yes, no = (self._choice(c, yes, no), no) if both else (yes, self._choice(c, yes, no))
            return yes if both else no
        if not isinstance(condition, sp.core.relational.Relational):
            raise Inexpressible(type(condition).__name__)
        left, right = map(self._print, condition.args)
        chosen = (yes if s in _TRUE[condition.rel_op] else no for s in (-1, 0, 1))
        return f"choose(({left}) - ({right}), {', '.join(chosen)})"

    def _print_Heaviside(self, expr: Any) -> str:
        x, at_zero = map(self._print, expr.args)
        return f"choose({x}, 0, {at_zero}, 1)"

    def _print_sign(self, expr: Any) -> str:
        return f"choose({self._print(expr.args[0])}, -1, 0, 1)"

    def _print_Max(self, expr: Any) -> str:
        texts = map(self._print, sp.ordered(expr.args))
        return reduce(lambda a, b: f"choose(({a}) - ({b}), {b}, {a}, {a})", texts)

    def _print_Min(self, expr: Any) -> str:
        texts = map(self._print, sp.ordered(expr.args))
        return reduce(lambda a, b: f"choose(({a}) - ({b}), {a}, {a}, {b})", texts)

    def emptyPrinter(self, expr: Any) -> str:
        raise Inexpressible(type(expr).__name__)


def written(e: sp.Expr) -> str:
    """An expression in the syntax of the checker."""
    return str(_Printer().doprint(e))
