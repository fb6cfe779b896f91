"""Expression nodes of nsdgen that SymPy must neither evaluate nor regroup.

SymPy rewrites ``Mod``, ``Piecewise`` and relations when symbols are replaced, and
differentiates ``Mod`` and ``floor`` into unevaluated ``Subs`` objects. What a user
wrote inside a condition or a ``Mod`` decides ties in floating point, so nsdgen
replaces these functions on entry by the nodes of this file, which keep their
arguments as they are and state their derivative:

==============================  ============================================
node                            derivative
==============================  ============================================
``Modulo(a, b)``                a' - floor(a/b) b'   (1 in a, jumps ignored)
``Floor(a)``, ``Sign(a)``       0 away from jumps
``Branch(v1, c1, v2, c2, ...)`` branch by branch, conditions fixed
``Let(name, value)``            that of ``value``; keeps a name for emitted code
``Stumpff(k, s)``               (k c_{k+2} - c_{k+1}) / 2
==============================  ============================================

SymPy asks expressions what they are before it compares, inverts or sorts them. A node is
a real number wherever its operands are, commutes with all others, and has a value where
its operands are numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from mpmath.libmp import prec_to_dps
from sympy.core.symbol import Str
from sympy.logic.boolalg import Boolean

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.nodes_of import holds


class _NodeFunction(sp.Function):  # type: ignore[misc]
    """What SymPy may assume about every node, from the operands its value is computed from."""

    is_commutative = True

    @property
    def operands(self) -> tuple[sp.Expr, ...]:
        """The arguments that are numbers or stand for them: no names, no conditions."""
        return self.args

    def _eval_is_extended_real(self) -> bool | None:
        return all(operand.is_extended_real for operand in self.operands) or None

    def _eval_is_finite(self) -> bool | None:
        return all(operand.is_finite for operand in self.operands) or None

    def _eval_conjugate(self) -> sp.Expr:
        # Users' functions of time say nothing of themselves, and are real: |let(x)|^2 is no let(x) conjugate(let(x)).
        return self

    def _meaning(self) -> sp.Expr | None:
        """The value in SymPy's own functions, which can compute it; None where no number comes of it."""
        return None

    def _eval_evalf(self, prec: int) -> sp.Expr | None:
        meaning = self._meaning() if self.is_number else None
        return None if meaning is None else meaning.evalf(prec_to_dps(prec))


class Modulo(_NodeFunction):
    """a modulo b with the sign of b, as ``math`` and NumPy users expect (never regrouped)."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """1 by a, -floor(a/b) by b, jumps ignored."""
        a, b = self.args
        return sp.S.One if argindex == 1 else -Floor(a / b)

    def _eval_is_finite(self) -> bool | None:
        return super()._eval_is_finite() if self.args[1].is_zero is False else None

    def _meaning(self) -> sp.Expr:
        a, b = self.args
        return a - b * sp.floor(a / b)


class _JumpingNode(_NodeFunction):
    """What only jumps."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """0 away from jumps."""
        return sp.S.Zero


class Floor(_JumpingNode):
    """The largest integer not above the argument."""

    def _meaning(self) -> sp.Expr:
        return sp.floor(self.args[0])


class Sign(_JumpingNode):
    """-1, 0 or 1."""

    def _eval_is_finite(self) -> bool | None:
        return self.args[0].is_extended_real or None

    def _meaning(self) -> sp.Expr:
        return sp.sign(self.args[0])


class Branch(_NodeFunction):
    """``Branch(v1, c1, v2, c2, ...)``: the value whose condition is the first to hold.

    The last condition is ``true``. Equal values in all branches collapse to the value.
    """

    @classmethod
    def eval(cls, *args: Any) -> sp.Expr | None:
        """SymPy's hook of construction: a shorter form where conditions are decided, None where there is none.

        Raises ``TypeError`` unless values and conditions take turns.
        """
        if len(args) % 2 or not all(isinstance(c, Boolean) for c in args[1::2]):
            raise TypeError("Branch takes values and conditions in turn")
        if all(value == args[0] for value in args[0::2]):
            return args[0]
        if sp.false in args[1::2] or sp.true in args[1:-1:2]:
            kept: list[Any] = []
            for value, condition in zip(args[0::2], args[1::2], strict=True):
                if condition != sp.false:
                    kept += [value, condition]
                if condition == sp.true:
                    break
            return cls(*kept)
        return None

    @property
    def values(self) -> tuple[sp.Expr, ...]:
        """v1, v2, ..."""
        return self.args[0::2]

    @property
    def operands(self) -> tuple[sp.Expr, ...]:
        """The values of all branches: what holds for each of them holds for the one that is taken."""
        return self.values

    @property
    def conditions(self) -> tuple[Boolean, ...]:
        """c1, c2, ..., the last one ``true``."""
        return self.args[1::2]

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        pairs = zip(self.values, self.conditions, strict=True)
        return Branch(*(part for value, c in pairs for part in (value.diff(s), c)))


class Let(_NodeFunction):
    """``Let(Str(name), value)``: the value, which emitted code computes under this name."""

    nargs = 2

    def _eval_derivative(self, s: sp.Symbol) -> sp.Expr:
        return self.args[1].diff(s)

    @property
    def operands(self) -> tuple[sp.Expr, ...]:
        """The value; the name is none."""
        return self.args[1:]

    @property
    def is_number(self) -> bool:
        """Whether the value is a number."""
        return bool(self.args[1].is_number)

    def _meaning(self) -> sp.Expr:
        return self.args[1]

    def _numpycode(self, printer: Any) -> str:
        """The value alone, for ``sympy.lambdify`` of rates and coordinates of joints."""
        return f"({printer._print(self.args[1])})"

    _pythoncode = _lambdacode = _numpycode

    @property
    def free_symbols(self) -> set[sp.Basic]:
        """Those of the value; the name is no symbol."""
        return self.args[1].free_symbols


class Stumpff(_NodeFunction):
    """c_k(s) = sum_i (-s)^i / (k + 2 i)!, entire in s: cos(sqrt s) for k = 0, sinc(sqrt s) for k = 1.

    Written in s = x**2 these functions have no singularity at x = 0, which makes the
    exponential of a rotation vector differentiable everywhere without a guard.
    """

    nargs = 2

    def fdiff(self, argindex: int = 2) -> sp.Expr:
        """(k c_{k+2} - c_{k+1}) / 2 by s."""
        k, s = self.args
        return (k * Stumpff(k + 2, s) - Stumpff(k + 1, s)) / 2

    def _meaning(self) -> sp.Expr:
        k, argument = self.args
        return sp.hyper([1], [(k + 1) / 2, (k + 2) / 2], -argument / 4) / sp.factorial(k)


def plain(expression: sp.Expr) -> sp.Expr:
    """The expression with nsdgen's own nodes replaced by SymPy's."""
    said = expression.replace(Let, lambda name, value: value).replace(Sign, sp.sign).replace(Floor, sp.floor)
    said = said.replace(Modulo, lambda a, b: a - b * sp.floor(a / b))
    return said.replace(Branch, lambda *args: sp.Piecewise(*zip(args[0::2], args[1::2], strict=True)))


def mod(a: Any, b: Any) -> sp.Expr:
    """a modulo b with the sign of b, its arguments kept exactly as written (unlike ``sympy.Mod``)."""
    return Modulo(as_expression(a), as_expression(b))


def piecewise(*pairs: tuple[Any, Any]) -> sp.Expr:
    """``piecewise((value, condition), ..., (value, True))``: the value of the first condition that holds.

    Like ``sympy.Piecewise``, but conditions stay exactly as written, which decides ties in
    floating point, and values that are themselves piecewise are not folded into conditions.
    """
    if not all(isinstance(pair, Sequence) and len(pair) == 2 and not isinstance(pair, str) for pair in pairs):
        raise ModelError(
            "a branch is not a pair of value and condition",
            where="piecewise",
            fix="write piecewise((value, condition), ..., (value, True))",
        )
    if not pairs or as_expression(pairs[-1][1]) != sp.true:
        raise ModelError(
            "the last branch of a piecewise expression must have the condition True",
            where="piecewise",
            fix="end it with (value, True)",
        )
    return Branch(*(as_expression(part) for pair in pairs for part in pair))


def let(name: str, value: Any) -> sp.Expr:
    """Name a subexpression: emitted code computes it once, as ``name``.

    The name is display text; it is mangled into an identifier like all others.
    """
    expr = as_expression(value)
    # SymPy differentiates a Mod into a substitution that it then works on for long.
    return Let(Str(str(name)), expr.replace(sp.Mod, Modulo) if holds([expr], (sp.Mod,)) else expr)


def taken_at(m: sp.Matrix, replaced: Mapping[sp.Symbol, sp.Expr], instant: str) -> sp.Matrix:
    """The matrix with symbols replaced; what :func:`let` named and this changes is called ``name_instant``."""

    def moves(node: sp.Basic) -> bool:
        return isinstance(node, Let) and not node.free_symbols.isdisjoint(replaced)

    def dated(node: sp.Basic) -> sp.Expr:
        return Let(Str(f"{node.args[0].name}_{instant}"), node.args[1])

    return m.applyfunc(lambda e: (e.replace(moves, dated, simultaneous=False) if e.has(Let) else e).xreplace(replaced))
