"""The value of an expression at a point, read from the expression as it is written.

This evaluator is the second opinion of ``verify``: it shares no code with the search for proofs and points
(certificate, cleaning, sampling). A node becomes a number of the working precision by its own definition, with a bound
of its rounding error. A value that is nothing but rounding is zero, so that poles and kinks are seen where the point
lies on them. What is false at one precision is asked again at twice the digits by :mod:`.truth`. Decimals are known to
the digits they have.

A value that does not exist (a pole, the root of a negative number where nobody writes an imaginary unit) raises
``Undefined``; what cannot be evaluated raises ``Unsure``. Derivatives are differences, integrals are sums: such
values have fewer digits, which their errors say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from math import prod
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import Application, AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean
from sympy.matrices.expressions.matexpr import MatrixElement

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo

from .bounded_values import LOOSE, constant, exhausted, related, rounded
from .elementary import FUNCTIONS, Undefined, Unsure, absorbed
from .matrix_values import fractions_of
from .witness import Witness

_JUMPING = ("sign", "Sign", "atan2")
_ROUGH = 25  # digits that integrals and infinite sums are computed with
_MOST_TERMS = 4000  # of a finite sum, each evaluated by itself in many digits: a bound on time alone
_MOST_ORDER = 4  # of a numerical derivative
_MOST_POWER, _MOST_BITS = 64, 4000  # of exact fractions: bounds on time


class Evaluator:
    """Values at one witness, shared parts evaluated once, each with a bound of its rounding error.

    ``real`` says that no imaginary unit is written: then every root and logarithm must be real. What rests on
    numerical integration, and what was lost beside a larger value (1e-99 in 1 + 1e-99), is noted by all evaluators that
    were made from one (``_with``) together. Once something was lost, what is nothing but rounding need not be zero.
    """

    def __init__(self, witness: Witness, *, real: bool = True) -> None:
        self.witness, self.real = witness, real
        self._quadratures, self._absorbed = list[str](), list[sp.Basic]()
        self._known: dict[Any, tuple[Any, Any]] = {}
        self._local: dict[sp.Basic, tuple[Any, Any]] = {}
        self._fractions: dict[Any, Fraction | None] = {}

    @property
    def loose(self) -> bool:
        """Whether a value rests on numerical integration or on an infinite sum, its parts included."""
        return bool(self._quadratures)

    def __call__(self, node: Any) -> Any:
        """The value of a scalar expression or condition. Raises ``Undefined`` and ``Unsure``."""
        return self.pair(node)[0]

    def pair(self, node: Any) -> tuple[Any, Any]:
        """The value and a bound, to first order, of its error; truth values have none."""
        found = self._known.get(node)
        if found is None:
            exact = self.exact(node)
            found = self._value(node) if exact is None else rounded(exact)
            if not isinstance(found, tuple):
                found = (found, 0 if isinstance(found, bool) else abs(found) * mpmath.eps)
            found = self._known[node] = found if isinstance(found[0], bool) else self._settled(*found)
        return found

    def exact(self, node: Any) -> Fraction | None:
        """The value of what is made of exact rational numbers by sums, products and whole powers; else None."""
        if not isinstance(node, sp.Rational | sp.Symbol | sp.Add | sp.Mul | sp.Pow):
            return None
        if node not in self._fractions:
            self._fractions[node] = self._exact(node)
        return self._fractions[node]

    def _exact(self, node: Any) -> Fraction | None:
        if isinstance(node, sp.Symbol):
            if node in self._local:
                return None
            node = self.witness.scalars.get(node.name, self.witness.sizes.get(node.name))
            if isinstance(node, int):
                return Fraction(node)
        if isinstance(node, sp.Rational):
            return Fraction(int(node.p), int(node.q))
        if isinstance(node, sp.Pow) and isinstance(node.exp, sp.Integer) and abs(int(node.exp)) <= _MOST_POWER:
            base = self.exact(node.base)
            return None if base is None or (base == 0 and node.exp < 0) else base ** int(node.exp)
        if not isinstance(node, sp.Add | sp.Mul):
            return None
        parts = [self.exact(a) for a in node.args]
        known = [p for p in parts if p is not None]
        if len(known) < len(parts):
            return None
        found = sum(known, Fraction(0)) if isinstance(node, sp.Add) else prod(known, start=Fraction(1))
        return found if found.denominator.bit_length() < _MOST_BITS else None

    def tiny(self, size: Any = 1) -> Any:
        """What counts as zero beside a value of a size."""
        return mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps) * max(1, abs(size))

    def is_zero(self, value: Any) -> bool:
        """Whether a value counts as zero at the working precision."""
        return bool(abs(value) <= self.tiny())

    def _settled(self, value: Any, error: Any) -> tuple[Any, Any]:
        """The value checked: finite, real where it must be, zero where only rounding is left of it."""
        if not mpmath.isfinite(value) or not mpmath.isfinite(error):
            raise Undefined("the value is not finite")
        if error and abs(value) <= 1000 * error:
            value = mpmath.mpf(0)
            if error > self.tiny() or self._absorbed:
                raise Unsure("too many digits cancel")
        if isinstance(value, mpmath.mpc):
            if abs(value.imag) <= 1000 * error:
                return value.real, error
            if self.real:
                raise Undefined("the value is not real")
        return value, error

    # ---- nodes

    def _value(self, node: Any) -> Any:
        if isinstance(node, sp.Symbol):
            return self._symbol(node)
        if isinstance(node, sp.Number | sp.NumberSymbol | sp.core.numbers.ImaginaryUnit) or not node.args:
            return constant(node)
        special = _NODES.get(type(node))
        if special is not None:
            return special(self, node)
        if isinstance(node, AppliedUndef):
            places = Evaluator(self.witness, real=self.real)  # they stay where they are while an argument moves
            return self.witness.function(str(node.func), [self(a) for a in node.args], places)
        if isinstance(node, Relational):
            return self._relation(node)
        rule = FUNCTIONS.get(node.func.__name__) if isinstance(node, Application) else None
        if rule is None:
            raise Unsure(f"{type(node).__name__} has no numerical meaning here")
        pairs = [self.pair(a) for a in node.args]
        if node.func.__name__ in _JUMPING:  # what is nothing but rounding is zero: that is where they jump
            pairs = [(v, e if v else mpmath.mpf(0)) for v, e in pairs]
        found = self._applied(rule, pairs)
        if absorbed(node.func.__name__, [v for v, _ in pairs], found[0]):
            self._absorbed.append(node)
        return found

    def _applied(self, rule: Callable[..., Any], pairs: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
        """A function of values with errors: each argument is moved by its own error."""
        args = [v for v, _ in pairs]
        try:
            value = rule(*args)
            error = abs(value) * mpmath.eps * 4
        except (ZeroDivisionError, ValueError, OverflowError) as problem:
            raise Undefined(str(problem)) from problem
        for k, (v, e) in enumerate(pairs):
            if e:
                with suppress(Undefined, ZeroDivisionError, ValueError, OverflowError):
                    error += min(abs(rule(*args[:k], v + d, *args[k + 1 :]) - value) for d in (e, -e))
        return value, error

    def _symbol(self, s: sp.Symbol) -> Any:
        if s in self._local:
            return self._local[s]
        value = self.witness.scalar(s.name)
        if value is None:
            raise Unsure(f"{s.name} has no value")
        return value

    def _sum(self, node: sp.Add) -> tuple[Any, Any]:
        pairs = [self.pair(a) for a in node.args]
        largest = max(abs(v) for v, _ in pairs)
        error = sum(e for _, e in pairs) + largest * mpmath.eps
        if any(v and abs(v) < error for v, _ in pairs):
            self._absorbed.append(node)
        return mpmath.fsum(v for v, _ in pairs), error

    def _product(self, node: sp.Mul) -> tuple[Any, Any]:
        value, error = mpmath.mpf(1), mpmath.mpf(0)
        for a in node.args:
            v, e = self.pair(a)
            error = error * abs(v) + abs(value) * e
            value *= v
        return value, error + abs(value) * mpmath.eps * len(node.args)

    def _power(self, node: sp.Pow) -> tuple[Any, Any]:
        (base, wide), (exponent, loose) = self.pair(node.base), self.pair(node.exp)
        if base == 0:
            if isinstance(exponent, mpmath.mpc) or exponent < 0:
                raise Undefined("division by zero")
            if exponent == 0:
                return mpmath.mpf(1), mpmath.mpf(0)
            return mpmath.mpf(0), wide  # a root of it as well: a base that is nothing but rounding is zero
        integer = isinstance(node.exp, sp.Integer) and abs(int(node.exp)) < 10**6
        value = base ** int(node.exp) if integer else mpmath.power(base, exponent)
        if 0 < abs(exponent) < 1e-6 and base != 1 and abs(value - 1) <= 8 * mpmath.eps:
            self._absorbed.append(node)
        relative = abs(exponent) * wide / abs(base) + (0 if integer else loose * abs(mpmath.log(base)))
        return value, abs(value) * (relative + 4 * mpmath.eps)

    def _relation(self, node: Relational) -> bool:
        (left, e), (right, f) = self.pair(node.lhs), self.pair(node.rhs)
        if isinstance(left, bool) or isinstance(right, bool):
            raise Unsure("a condition compares truth values")
        return related(self._settled(left - right, e + f)[0], node.rel_op)

    def _piecewise(self, node: Any) -> Any:
        for value, condition in zip(node.values, node.conditions, strict=True) if type(node) is Branch else node.args:
            if self(condition):
                return self.pair(value)
        raise Undefined("no condition of a case distinction holds")

    def _heaviside(self, node: sp.Heaviside) -> Any:
        value = self(node.args[0])
        return self.pair(node.args[1]) if value == 0 else mpmath.mpf(value > 0)

    def _whole(self, value: Any, error: Any, down: bool = True) -> Any:
        """The integer below (or above) a value; the value itself where only rounding keeps it from an integer."""
        if isinstance(value, mpmath.mpc):
            raise Unsure("a complex number has no agreed integer below it")
        near = mpmath.nint(value)
        if abs(value - near) <= 1000 * error:
            if error and (self._absorbed or error > self.tiny()):
                raise Unsure("too many digits cancel")
            return near
        return mpmath.floor(value) if down else mpmath.ceil(value)

    def _floor(self, node: Any) -> tuple[Any, Any]:
        value, error = self.pair(node.args[0])
        whole = self._whole(value, error, not isinstance(node, sp.ceiling))
        return (value - whole, error) if isinstance(node, sp.frac) else (whole, mpmath.mpf(0))

    def _modulo(self, node: Any) -> tuple[Any, Any]:
        (a, e), (b, f) = self.pair(node.args[0]), self.pair(node.args[1])
        if b == 0:
            raise Undefined("modulo zero")
        whole = self._whole(a / b, (e + abs(a / b) * f) / abs(b) + (abs(a / b) * mpmath.eps if e or f else 0))
        return a - b * whole, e + abs(whole) * f + (abs(a) * mpmath.eps if e or f else 0)

    # ---- what other values are made into

    def _with(self, more: dict[sp.Basic, Any]) -> Evaluator:
        """An evaluator that gives some symbols other values."""
        child = Evaluator(self.witness, real=self.real)
        child._quadratures, child._absorbed = self._quadratures, self._absorbed
        child._local = {**self._local, **{s: (v, abs(v) * mpmath.eps) for s, v in more.items()}}
        return child

    def _at(self, node: sp.Expr, variable: sp.Symbol) -> Callable[[Any], Any]:
        return lambda x: self._with({variable: x})(node)

    def _derivative(self, node: sp.Derivative) -> Any:
        """By differences from below, around and above; where these disagree there is none."""
        counts = {v: int(n) for v, n in node.variable_count}
        if any(isinstance(v, sp.Symbol) and not node.expr.has(v) for v in counts):
            return mpmath.mpf(0)  # by what the expression does not hold, which need have no value
        if sum(counts.values()) > _MOST_ORDER:
            raise Unsure("a derivative of high order")
        names = {v: sp.Dummy() for v in counts}
        expression, before = node.expr.xreplace(names), len(self._quadratures)

        def value(*at: Any) -> Any:
            return self._with(dict(zip(names.values(), at, strict=True)))(expression)

        at, orders = tuple(map(self, counts)), tuple(counts.values())
        # by other steps in the middle, for what is alike at one step only is a jump
        sides = [mpmath.diff(value, at, orders, direction=way, addprec=30 - 20 * abs(way)) for way in (-1, 0, 1)]
        if len(self._quadratures) > before:
            raise Unsure("a derivative of what has few digits")
        wide = max(abs(side - sides[1]) for side in sides)
        if wide > mpmath.mpf(10) ** (-mpmath.mp.dps // 3) * (1 + abs(sides[1])):
            raise Undefined("the function is not differentiable there")
        return sides[1], wide + (1 + abs(sides[1])) * mpmath.mpf(10) ** (-0.7 * mpmath.mp.dps)

    def _element(self, node: MatrixElement) -> Any:
        i, j = (int(self(k)) for k in (node.i, node.j))
        return self._symbol(sp.Symbol(f"{node.parent}[{i}, {j}]"))

    def _series(self, node: Any) -> Any:
        """A finite sum or product term by term; an infinite sum by extrapolation."""
        variable, lower, upper = _only_limits(node)
        f = self._at(node.function, variable)
        low = self(lower)
        if upper is sp.oo:
            if not isinstance(node, sp.Sum):
                raise Unsure("an infinite product")
            self._quadratures.append("sum")
            with mpmath.workdps(_ROUGH):
                value = exhausted(f, low)
                if value is None:
                    value = mpmath.nsum(f, [low, mpmath.inf])
            return value, (1 + abs(value)) * mpmath.mpf(10) ** -LOOSE
        high = self(upper)
        if high < low - 1:
            raise Unsure("a sum that ends before it begins is zero to some and a difference to others")
        if high - low > _MOST_TERMS:
            raise Unsure("a sum of very many terms")
        terms = [f(low + k) for k in range(int(high - low) + 1)]
        return mpmath.fsum(terms) if isinstance(node, sp.Sum) else mpmath.fprod(terms)

    def _integral(self, node: sp.Integral) -> Any:
        variable, lower, upper = _only_limits(node)
        return self.integrate(node.function, variable, self(lower), self(upper))

    def integrate(self, integrand: sp.Expr, variable: sp.Symbol, low: Any, high: Any) -> tuple[Any, Any]:
        """The integral over an interval, trusted where two rules agree. Raises ``Unsure`` where they do not."""
        f = self._at(integrand, variable)
        self._quadratures.append("integral")
        with mpmath.workdps(_ROUGH):
            parts = [low + (high - low) * k / mpmath.mpf(7) for k in range(8)]
            fine = mpmath.quad(f, parts, method="gauss-legendre")
            whole = mpmath.quad(f, [low, low + (high - low) * mpmath.mpf("0.43219"), high])
        if not mpmath.isfinite(fine) or abs(fine - whole) > mpmath.mpf(10) ** -LOOSE * (1 + abs(fine)):
            raise Unsure("numerical integration does not settle")
        return fine, (1 + abs(fine)) * mpmath.mpf(10) ** -LOOSE

    def _norm_like(self, node: Any) -> Any:
        """Determinants and traces of matrix expressions."""
        pair = [fractions_of(node.args[0], self, moved) for moved in (False, True)]
        value, other = (self.witness.number(m.det() if isinstance(node, sp.Determinant) else m.trace()) for m in pair)
        return value, abs(other - value) + self.tiny(value) / 1000


def without_meaning(expressions: Iterable[Any]) -> str:
    """The name of a function in expressions that has no values here, "" where all have."""
    applied = {type(n) for e in expressions for n in sp.preorder_traversal(e) if isinstance(n, Application)}
    others = {t.__name__ for t in applied if not issubclass(t, AppliedUndef | Boolean) and t not in _NODES}
    return min(others - FUNCTIONS.keys(), default="")


def _only_limits(node: Any) -> Any:
    """The variable of a sum or an integral and its two bounds."""
    if len(node.limits) != 1 or len(node.limits[0]) != 3:
        raise Unsure(f"{type(node).__name__} not over one interval")
    return node.limits[0]


_NODES: dict[type, Callable[[Evaluator, Any], Any]] = {
    sp.Add: Evaluator._sum,
    sp.Mul: Evaluator._product,
    sp.Pow: Evaluator._power,
    sp.Piecewise: Evaluator._piecewise,
    Branch: Evaluator._piecewise,
    sp.Heaviside: Evaluator._heaviside,
    sp.Derivative: Evaluator._derivative,
    sp.Subs: lambda self, n: self._with(dict(zip(n.variables, map(self, n.point), strict=True))).pair(n.expr),
    Let: lambda self, n: self.pair(n.args[1]),
    MatrixElement: Evaluator._element,
    sp.Sum: Evaluator._series,
    sp.Product: Evaluator._series,
    sp.floor: Evaluator._floor,
    sp.ceiling: Evaluator._floor,
    sp.frac: Evaluator._floor,
    Floor: Evaluator._floor,
    sp.Mod: Evaluator._modulo,
    Modulo: Evaluator._modulo,
    sp.Integral: Evaluator._integral,
    sp.Determinant: Evaluator._norm_like,
    sp.Trace: Evaluator._norm_like,
    sp.And: lambda self, n: all(self(a) for a in n.args),
    sp.Or: lambda self, n: any(self(a) for a in n.args),
    sp.Not: lambda self, n: not self(n.args[0]),
    sp.Xor: lambda self, n: sum(map(self, n.args)) % 2 == 1,
    sp.Implies: lambda self, n: not self(n.args[0]) or self(n.args[1]),
    sp.Equivalent: lambda self, n: len({self(a) for a in n.args}) == 1,
    sp.ITE: lambda self, n: self.pair(n.args[1] if self(n.args[0]) else n.args[2]),
    sp.KroneckerDelta: lambda self, n: mpmath.mpf(self.is_zero(self(n.args[0] - n.args[1]))),
    sp.SingularityFunction: lambda self, n: self.pair(n.rewrite(sp.Piecewise)),
}
