"""Jacobians, entry by entry, in the sense that the nodes of nsdgen state for kinks.

The rules of differentiation are SymPy's; the walk is our own. ``Expr.diff`` builds a
``Derivative`` for every subexpression it meets and walks its whole tree to do so, which
for a rigid body costs minutes where a memo over the shared graph costs milliseconds.
"""

from collections.abc import Callable, Mapping, Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Sign
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.graph.computed import Unsupported, graph_jacobian, is_for_graph


def jacobian(values: sp.MatrixBase, wrt: Sequence[sp.Symbol]) -> sp.Matrix:
    """d values[i] / d wrt[j] for a column of values.

    The cost is that of the entries which are not zero: each term of a value is differentiated by its own symbols.
    """
    if is_for_graph(values):
        try:
            return sp.Matrix(sp.SparseMatrix(len(values), len(wrt), graph_jacobian(list(values), wrt)))
        except Unsupported:
            pass  # by SymPy, whatever is in it
    free_symbols = FreeSymbols()
    columns = [_Derivative({symbol: sp.S.One}, free_symbols) for symbol in wrt]
    place = {symbol: j for j, symbol in enumerate(wrt)}
    result = sp.zeros(len(values), len(wrt))
    for i, value in enumerate(values):
        parts: dict[int, list[sp.Expr]] = {}
        for term in value.args if isinstance(value, sp.Add) else (value,):
            for j in sorted(place[s] for s in free_symbols(term) if s in place):
                parts.setdefault(j, []).append(columns[j](term))
        for j, terms in parts.items():
            result[i, j] = sp.Add(*terms)
    return result


def jacobian_along(values: sp.MatrixBase, wrt: Sequence[sp.Symbol], field: sp.MatrixBase) -> sp.Matrix:
    """(d values / d wrt) field: the derivatives of a column of values along the columns of ``field``.

    Small values are differentiated along each column and not first by every symbol: what is quadratic in a quaternion
    p, as the entries of R(p), then is so along T(p), d(R e_y) = R e_z for a turn about x, where a sum over four
    derivatives would hold every product twice.
    """
    if is_for_graph(values):
        return product(jacobian(values, wrt), field)
    free_symbols = FreeSymbols()
    columns = [
        _Derivative({s: e for s, e in zip(wrt, field.col(j), strict=True) if e != 0}, free_symbols)
        for j in range(field.cols)
    ]
    return sp.Matrix(len(values), field.cols, lambda i, j: columns[j](values[i]))


def gradient(value: sp.Expr, wrt: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """d value / d wrt[j]."""
    return list(jacobian(sp.Matrix([value]), wrt))


class _Derivative:
    """d / d direction, which says how fast each symbol moves, with a memo over shared subexpressions."""

    def __init__(self, direction: Mapping[sp.Symbol, sp.Expr], free_symbols: FreeSymbols) -> None:
        self.direction = direction
        self.free_symbols = free_symbols
        self.memo: dict[sp.Basic, sp.Expr] = dict(direction)

    def __call__(self, node: sp.Expr) -> sp.Expr:
        if self.free_symbols(node).isdisjoint(self.direction):
            return sp.S.Zero
        if node not in self.memo:
            rule = _RULES.get(node.func, _function)
            self.memo[node] = rule(self, node)
        return self.memo[node]


def _product(d: _Derivative, node: sp.Mul) -> sp.Expr:
    args = node.args
    terms = []
    for i, arg in enumerate(args):
        change = d(arg)
        if change != 0:
            terms.append(sp.Mul(*args[:i], change, *args[i + 1 :]))
    return sp.Add(*terms)


def _power(d: _Derivative, node: sp.Pow) -> sp.Expr:
    base, exponent = node.args
    change = d(exponent)
    if change == 0:  # one product: SymPy would multiply the number into a sum
        return sp.Mul(exponent, sp.Pow(base, exponent - 1), d(base))
    return node * (change * sp.log(base) + exponent * d(base) / base)


def _branch(d: _Derivative, node: Branch) -> sp.Expr:
    pairs = zip(node.values, node.conditions, strict=True)
    return Branch(*(part for value, condition in pairs for part in (d(value), condition)))


def _function(d: _Derivative, node: sp.Expr) -> sp.Expr:
    """The chain rule for functions, which state their derivatives; whatever else there is, SymPy differentiates."""
    if not isinstance(node, sp.Function):
        return sp.Add(*(node.diff(s) * e for s, e in d.direction.items()))
    return sp.Add(*(node.fdiff(i + 1) * d(arg) for i, arg in enumerate(node.args) if d(arg) != 0))


_RULES: dict[type, Callable[[_Derivative, sp.Expr], sp.Expr]] = {
    sp.Add: lambda d, node: sp.Add(*map(d, node.args)),
    sp.Mul: _product,
    sp.Pow: _power,
    Branch: _branch,
    Let: lambda d, node: d(node.args[1]),
    # What only jumps: SymPy asks whether the slope within, which it multiplies by zero, is finite.
    Sign: lambda d, node: sp.S.Zero,
    Floor: lambda d, node: sp.S.Zero,
}
