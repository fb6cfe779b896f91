"""Entry: what a user wrote becomes an expression over fresh real symbols.

SymPy differentiates ``Abs`` and ``sqrt(x**2)`` of symbols that are not known to be
real into nonsense, and ``Mod`` into ``Subs``. So every coordinate, velocity,
multiplier and parameter is replaced by a real symbol of the same name (positive
where the user said so), and the functions with kinks by the nodes of
:mod:`nsdgen.symbolic.expressions.nodes`, before anything is differentiated.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from nsdgen.base.checks import shown
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conditions import compared, joined
from nsdgen.symbolic.expressions.conversion import as_expression, as_matrix
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.expressions.nodes_of import entries_of, holds, nodes_of
from nsdgen.symbolic.expressions.time import NOW, time


def fresh(name: str, like: sp.Basic | None = None) -> sp.Symbol:
    """A real symbol called ``name``; positive or nonnegative where ``like`` is."""
    if like is not None and like.is_positive:
        return sp.Symbol(name, positive=True)
    if like is not None and like.is_nonnegative:
        return sp.Symbol(name, nonnegative=True)
    return sp.Symbol(name, real=True)


def own_symbol(kind: str, label: str) -> sp.Symbol:
    """A real symbol of nsdgen's own, which no symbol of a user can equal.

    ``/`` is refused in users' names, so ``run/h`` never meets a parameter called ``h``;
    emitted code calls it by its label unless a user's name already has it.
    """
    return sp.Symbol(f"{kind}/{label}", real=True)


def label_of(symbol: sp.Symbol) -> str:
    """What a symbol is called where its kind does not matter: the part after the last ``/``."""
    return str(symbol.name).rpartition("/")[2]


def of_participant(symbol: sp.Symbol, position: int) -> sp.Symbol:
    """The symbol of one of several participants of a relation, numbered from 1.

    The whole name stays, kind included, so that no two symbols of a participant become one.
    """
    return sp.Symbol(f"system{position}/{symbol.name}_{position + 1}", real=True)


_PER_QUANTITY = "give one entry per coordinate, state or multiplier, in their order"


def matrix(
    value: Any, *, where: str, rows: int | None = None, cols: int | None = None, fix: str = _PER_QUANTITY
) -> sp.Matrix:
    """A nested list, matrix or scalar as a SymPy matrix of a checked shape; ``fix`` says what has it."""
    try:
        if value is None:
            raise TypeError
        result = as_matrix(value, where=where)
    except ModelError:
        raise
    except (ValueError, TypeError) as error:  # rows of different lengths
        raise ModelError(
            f"{value!r} is not a matrix of expressions",
            where=where,
            fix="give a SymPy matrix, a nested list or a scalar",
        ) from error
    if not all(isinstance(entry, sp.Expr) for entry in result):
        conditions = any(isinstance(entry, (Boolean, bool)) for entry in result)
        raise ModelError(
            f"{value!r} is not a matrix of expressions",
            where=where,
            fix="a condition is no number: write nsd.piecewise((1, condition), (0, True))"
            if conditions
            else "give a SymPy matrix, a nested list or a scalar",
        )
    expected = (rows if rows is not None else result.rows, cols if cols is not None else result.cols)
    if result.shape != expected:
        raise ModelError(
            f"has shape {result.shape[0]}x{result.shape[1]}, expected {expected[0]}x{expected[1]}", where=where, fix=fix
        )
    return result


def column(value: Any, *, where: str, rows: int | None = None, fix: str = _PER_QUANTITY) -> sp.Matrix:
    """A list, column, row or scalar as a column matrix of checked length."""
    result = matrix(value, where=where)
    if result.rows == 1 and result.cols > 1:
        result = result.T
    return matrix(result, where=where, rows=rows, cols=1, fix=fix)


def vector(value: Any, *, where: str) -> sp.Matrix:
    """A direction, a force, a point ... of space as a column of three components."""
    found = column(value, where=where, rows=3, fix="give three components, (x, y, z)")
    if wrong := [e for e in found if (e.is_number and e.is_finite is False) or e is sp.nan]:
        raise ModelError(f"a component is {wrong[0]}", where=where, fix="give three finite components, (x, y, z)")
    return found


def enter(expression: Any, symbols: Mapping[sp.Basic, sp.Expr], *, where: str) -> sp.Expr:
    """The expression over fresh symbols, with kinks as nsdgen's nodes.

    ``symbols`` maps the user's dynamicsymbols, their derivatives and parameters to
    fresh symbols. Raises ``ModelError`` naming every symbol that is nobody's.
    """
    expr = as_expression(expression, where=where)
    if not isinstance(expr, sp.Expr | Boolean):
        raise ModelError(f"{expression!r} is not an expression", where=where, fix="give a SymPy expression or a number")
    expr = _take_derivatives(expr)
    strangers = nobodys([expr], symbols)
    if strangers:
        names = ", ".join(sorted(str(s) for s in strangers))
        error = ModelError(
            f"{names}: nobody's symbol" if len(strangers) == 1 else f"{names}: nobody's symbols",
            where=where,
            fix=_advice(strangers, symbols),
        )
        error.strangers = tuple(strangers)
        raise error
    return _Entry(symbols, where)(expr)


def _advice(strangers: Sequence[sp.Basic], symbols: Mapping[sp.Basic, sp.Expr]) -> str:
    """What to do about symbols that are nobody's."""
    known = {str(s): s for s in symbols}
    samples = [str(s.name).partition("/")[2] for s in strangers if str(s).startswith("sample/")]
    if samples:
        return f"declare the sample: samples={{{samples[0]!r}: ...}}; it is known in the block that takes it"
    if any(isinstance(s, sp.Derivative) and "/" in str(s) for s in strangers):
        return (
            "velocities of a body are body.velocity and, along its own axes, body.angular_velocity; a contact finds "
            "those of its point and its tangents by bodies= and point="
        )
    bodies = sorted({str(s).partition("/")[0] for s in strangers if "/" in str(s)})
    if bodies:
        return f"list {', '.join(map(repr, bodies))} among the systems of the model"
    for stranger in strangers:
        if isinstance(stranger, sp.Symbol) and stranger.name == "t":
            return "time is nsd.time (dynamicsymbols._t), a symbol without assumptions"
        if str(stranger) in known:
            return (
                f"there is a {stranger} with other assumptions: create the symbol once, with its "
                "assumptions, and use it everywhere"
            )
        if isinstance(stranger, sp.Derivative):
            return (
                "only first derivatives of coordinates of this system can be used here; those of states and "
                "accelerations cannot"
            )
    return (
        "list it among the model's parameters, or as a coordinate, state or multiplier of a system or relation "
        "of this model; what a block holds, its block in blocks=[...]"
    )


def enter_matrix(m: sp.Matrix, symbols: Mapping[sp.Basic, sp.Expr], *, where: str) -> sp.Matrix:
    """:func:`enter` for every entry of a matrix that is not zero: as long as there are entries, not places."""
    single = m.shape == (1, 1)
    entered = {
        (i, j): enter(entry, symbols, where=where if single else f"{where}, entry ({i}, {j})")
        for (i, j), entry in sorted(m.todok().items())
    }
    return sp.Matrix(sp.SparseMatrix(m.rows, m.cols, entered))


_KINKS = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Piecewise, sp.Heaviside, sp.Mod, sp.floor, sp.ceiling)


def with_nodes(m: sp.Matrix) -> sp.Matrix:
    """A matrix over nsdgen's own symbols, functions with kinks as the nodes that state their derivatives."""
    if not holds(entries_of(m), _KINKS):
        return m
    entry = _Entry({}, "")
    return m.applyfunc(lambda e: entry(e) if holds([e], _KINKS) else e)


def nobodys(expressions: Iterable[sp.Expr], symbols: Mapping[sp.Basic, sp.Expr]) -> list[sp.Basic]:
    """The symbols and time-dependent functions that ``symbols`` does not explain."""
    found: list[sp.Basic] = []
    seen: set[sp.Basic] = set()

    def visit(node: sp.Basic) -> None:
        if node in seen or node in symbols or node == time:
            return
        seen.add(node)
        if isinstance(node, sp.Subs):
            bound = [s for s in nobodys([node.expr], symbols) if s not in node.variables]
            found.extend(s for s in bound if s not in found)
            for point in node.point:
                visit(point)
            return
        if isinstance(node, sp.Symbol | AppliedUndef) or (
            isinstance(node, sp.Derivative) and isinstance(node.expr, AppliedUndef)
        ):
            if node not in found:  # in a substitution, too
                found.append(node)
            return
        for arg in node.args:
            visit(arg)

    for expression in expressions:
        visit(expression)
    return found


def _take_derivatives(expr: sp.Expr) -> sp.Expr:
    pending = {
        node for node in nodes_of([expr]) if isinstance(node, sp.Derivative) and not isinstance(node.expr, AppliedUndef)
    }
    return expr.xreplace({node: node.doit() for node in pending}) if pending else expr


class _Entry:
    """Bottom-up replacement with a memo; a class only because the memo has a lifetime."""

    def __init__(self, symbols: Mapping[sp.Basic, sp.Expr], where: str) -> None:
        self.symbols = symbols
        self.where = where
        self.memo: dict[sp.Basic, sp.Basic] = {time: NOW}
        self.entered: set[sp.Basic] = set()

    def __call__(self, node: sp.Basic) -> sp.Basic:
        if node not in self.memo:
            try:
                self.memo[node] = self._translate(node)
                self.entered.add(self.memo[node])
            except TypeError as error:  # SymPy's way to refuse an order between complex numbers
                raise ModelError(
                    f"{node} has no meaning for real numbers: {error}",
                    where=self.where,
                    fix="expressions are real and finite; look for the root or logarithm of a negative number",
                ) from error
        return self.memo[node]

    def _translate(self, node: sp.Basic) -> sp.Basic:
        if node in self.symbols:
            return self.symbols[node]
        if node in (sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
            raise ModelError(
                f"the expression holds {node}, which is no real number",
                where=self.where,
                fix="expressions are real and finite; bounds and cases are written as laws or branches",
            )
        if not node.args:
            return node
        if isinstance(node, sp.DiracDelta | sp.SingularityFunction):
            raise ModelError(
                f"{node} is a distribution, which has no value at an instant",
                where=self.where,
                fix="an impact is written as a law; the derivative of a Heaviside, where it was made by "
                "diff(), is 0 away from its jump: leave it out, or write nsd.piecewise",
            )
        if isinstance(node, sp.Integral | sp.Sum | sp.Product):
            raise ModelError(
                f"{shown(node)} is not evaluated",
                where=self.where,
                fix="what is summed over time is a state of its own, with what is summed as its rate; "
                "anything else: write what it is equal to (.doit())",
            )
        if isinstance(node, sp.Piecewise):
            return self._piecewise(node)
        if isinstance(node, sp.Subs):
            return self._substitution(node)
        if isinstance(node, sp.Derivative):
            return self._derivative(node)
        args = [self(arg) for arg in node.args]
        if isinstance(node, sp.ITE):  # what SymPy makes of a condition on a Piecewise
            return sp.Or(sp.And(args[0], args[1]), sp.And(sp.Not(args[0]), args[2]))
        if isinstance(node, sp.Mod):
            return Modulo(*args)
        if isinstance(node, sp.floor):
            return Floor(*args)
        if isinstance(node, sp.ceiling):
            return -Floor(-args[0])
        if isinstance(node, sp.sign):
            return Sign(*args)
        if isinstance(node, sp.Heaviside):
            at_zero = args[1] if len(args) > 1 else sp.Rational(1, 2)
            zero, one = sp.S.Zero, sp.S.One
            return Branch(one, args[0] > 0, zero, args[0] < 0, at_zero, sp.true)
        if isinstance(node, sp.Abs):
            return self._magnitude(args[0])
        if isinstance(node, sp.Max):
            return _chain(args, lambda a, b: self._compared(sp.Ge, a, b))
        if isinstance(node, sp.Min):
            return _chain(args, lambda a, b: self._compared(sp.Le, a, b))
        if isinstance(node, Relational):
            return self._compared(node.func, *args)
        joins = isinstance(node, sp.And | sp.Or)
        if (joins or not self.symbols) and all(a is b for a, b in zip(args, node.args, strict=True)):
            return node  # SymPy would sort conditions by the size of their trees once more
        entered = joined(node.func, *args) if joins else node.func(*args)
        # SymPy makes Abs of roots of squares as soon as their symbols are real.
        made = any(isinstance(n, sp.Abs) for n in nodes_of([entered], outside=self.entered))
        return entered.replace(sp.Abs, self._magnitude) if made else entered

    def _compared(self, kind: type[Relational], left: sp.Expr, right: sp.Expr) -> Boolean:
        """A comparison: SymPy looks at it where symbols are new to it, and did before where there are none."""
        return kind(left, right) if self.symbols else compared(kind, left, right)

    def _magnitude(self, value: sp.Expr) -> sp.Expr:
        return Branch(value, self._compared(sp.Ge, value, sp.S.Zero), -value, sp.true)

    def _substitution(self, node: sp.Subs) -> sp.Expr:
        """SymPy leaves the derivative of a Mod as a substitution into a derivative."""
        dummies = {v: sp.Dummy(real=True) for v in node.variables}
        inner = _Entry({**self.symbols, **dummies}, self.where)(node.expr)
        return inner.xreplace({dummies[v]: self(p) for v, p in zip(node.variables, node.point, strict=True)})

    def _derivative(self, node: sp.Derivative) -> sp.Expr:
        """A derivative that SymPy could not take, taken in the sense of nsdgen's nodes."""
        result = self(node.expr)
        moving = {value for key, value in self.symbols.items() if not isinstance(key, sp.Symbol)}
        for variable, count in node.variable_count:
            if variable == time and result.free_symbols & moving:
                raise ModelError(
                    f"cannot differentiate {node.expr} with respect to time",
                    where=self.where,
                    fix="write the time derivative out",
                )
            for _ in range(int(count)):
                result = result.diff(self(variable))
        return result

    def _piecewise(self, node: sp.Piecewise) -> sp.Expr:
        parts: list[sp.Basic] = []
        for value, condition in node.args:
            parts += [self(value), self(condition)]
        if parts[-1] != sp.true:
            raise ModelError(
                f"{node} has no value when none of its conditions holds",
                where=self.where,
                fix="end the Piecewise with a branch whose condition is True",
            )
        return Branch(*parts)


def _chain(args: list[sp.Expr], first_wins: Any) -> sp.Expr:
    """Max or Min of several arguments as nested branches; ties take the first argument."""
    result = args[0]
    for other in args[1:]:
        result = Branch(result, first_wins(result, other), other, sp.true)
    return result
