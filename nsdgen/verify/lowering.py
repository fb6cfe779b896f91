"""Lowering: an expression with roots, angles and exponentials becomes a rational function.

Every such part is replaced by a fresh symbol (a *generator*), and what is known about it is kept as a polynomial
relation: c^2 + s^2 = 1, w^2 = radicand, a^2 = x^2 for a = |x|. Multiple angles are expanded to one common base
angle per monomial, exponentials likewise. An expression that lowers to zero modulo the relations vanishes
wherever it is defined. The converse does not hold (a relation forgets the branch of its root), so lowering proves
and never refutes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.linear import follows, rows
from nsdgen.verify.setting import Facts

__all__ = ["Lowering", "prepared"]

_TO_SIN_COS = (sp.tan, sp.cot, sp.sec, sp.csc)


def prepared(expression: sp.Expr) -> sp.Expr:
    """Derivatives, sums and limits carried out; hyperbolic functions, tangents, Max and Min rewritten."""
    e = as_expression(expression)
    if e.has(sp.Derivative, sp.Subs, sp.Sum, sp.Product, sp.Integral, sp.Limit):
        e = e.doit()
    if e.has(HyperbolicFunction):
        e = e.replace(lambda x: isinstance(x, HyperbolicFunction), lambda x: x.rewrite(sp.exp))
    if e.has(*_TO_SIN_COS):
        e = e.replace(lambda x: isinstance(x, _TO_SIN_COS), _sin_cos)
    if e.has(sp.sinc):
        e = e.rewrite(sp.sin)
    if e.has(sp.Max, sp.Min):
        e = e.replace(lambda x: isinstance(x, (sp.Max, sp.Min)), _with_abs)
    if e.has(sp.Heaviside):
        e = e.replace(sp.Heaviside, _heaviside)
    return e


def _heaviside(x: sp.Expr, at_zero: sp.Expr = sp.S.Half) -> sp.Expr:
    if at_zero == sp.S.Half:
        return (1 + sp.sign(x)) / 2
    return sp.Piecewise((0, x < 0), (at_zero, sp.Eq(x, 0)), (1, True))


def _sin_cos(f: Any) -> sp.Expr:
    s, c = sp.sin(f.args[0]), sp.cos(f.args[0])
    return {sp.tan: s / c, sp.cot: c / s, sp.sec: 1 / c, sp.csc: 1 / s}[f.func]


def _with_abs(f: Any) -> sp.Expr:
    side = 1 if isinstance(f, sp.Max) else -1
    result, *others = f.args
    for other in others:
        result = (result + other + side * sp.Abs(result - other)) / 2
    return result


class Lowering:
    """Generators and relations met so far; one object serves all expressions that are compared.

    ``relations`` are polynomial expressions over symbols that vanish; ``order`` lists the generators, the latest
    first, so that they are larger than what they are made of in every monomial order used.
    """

    def __init__(self, facts: Facts) -> None:
        self.relations: list[sp.Expr] = []
        self.order: list[sp.Symbol] = []
        self._generator: dict[Any, sp.Symbol] = {}
        self._done: dict[sp.Expr, sp.Expr] = {}
        self._base: dict[tuple[str, sp.Expr], sp.Rational] = {}
        self._positive: dict[sp.Symbol, sp.Symbol] = {}
        signs = [*((e, True) for e in facts.positive), *((e, False) for e in facts.nonnegative)]
        for i, (e, strict) in enumerate(signs):
            if isinstance(e, sp.Symbol):
                self._positive.setdefault(e, sp.Dummy(f"p{i}", **{"positive" if strict else "nonnegative": True}))
            elif isinstance(-e, sp.Symbol):
                self._positive.setdefault(-e, sp.Dummy(f"p{i}", **{"negative" if strict else "nonpositive": True}))
        self._known = {sp.expand(e) for e in facts.positive}
        self._known_weakly = self._known | {sp.expand(e) for e in facts.nonnegative}
        self._rows = rows(facts.positive, facts.nonnegative, [e for e in facts.equations if _polynomial(e)])
        self._ideal = [sp.expand(e) for e in facts.equations if _polynomial(e)]

    def announce(self, expressions: Iterable[sp.Expr]) -> None:
        """Read all angles and exponents first: the largest part of which all are whole multiples is their base."""
        for e in expressions:
            for f in sorted(prepared(e).atoms(TrigonometricFunction, sp.exp), key=sp.default_sort_key):
                kind = "exp" if isinstance(f, sp.exp) else "angle"
                for fraction, rest in _monomials(f.args[0]):
                    key = (kind, rest)
                    self._base[key] = self._base.get(key, fraction).gcd(fraction)

    def __call__(self, expression: sp.Expr) -> sp.Expr:
        """The expression as a rational function of symbols and generators."""
        return self._lower(prepared(expression))

    # -- the walk ------------------------------------------------------------------------------------------------

    def _lower(self, e: sp.Expr) -> sp.Expr:
        found = self._done.get(e)
        if found is None:
            found = self._done[e] = self._lowered(e)
        return found

    def _lowered(self, e: sp.Expr) -> sp.Expr:
        if isinstance(e, (sp.Symbol, sp.Rational)):
            return e
        if isinstance(e, (sp.Add, sp.Mul)):
            return e.func(*(self._lower(a) for a in e.args))
        if isinstance(e, sp.Float):
            return sp.Rational(repr(float(e))) if e._prec <= 53 else sp.Rational(str(e))
        if e is sp.I:
            i = self._new("I", "I")
            self._relate(("I",), i**2 + 1)
            return i
        if isinstance(e, sp.exp):
            return self._exponential(e.args[0])
        if isinstance(e, sp.Pow):
            return self._power(e.base, e.exp)
        if isinstance(e, (sp.sin, sp.cos)):
            s, c = self._sine_cosine(e.args[0])
            return s if isinstance(e, sp.sin) else c
        if isinstance(e, sp.Abs):
            return self._absolute(self._lower(e.args[0]))
        if isinstance(e, sp.sign):
            return self._sign(self._lower(e.args[0]))
        return self._opaque(e)

    def _new(self, key: Any, label: str) -> sp.Symbol:
        """The generator of a key, made on first use."""
        if key not in self._generator:
            symbol = sp.Dummy(label)
            self._generator[key] = symbol
            self.order.insert(0, symbol)
        return self._generator[key]

    def _relate(self, key: Any, relation: sp.Expr) -> None:
        """Keep a relation once."""
        if ("relation", key) not in self._generator:
            self._generator["relation", key] = sp.S.Zero
            self.relations.append(relation)

    def _canonical(self, e: sp.Expr) -> sp.Expr:
        """A form that is the same for equal rational functions: numerator reduced by the assumptions, denominator."""
        num, den = sp.fraction(sp.cancel(sp.together(e)))
        ideal = [g for g in self._ideal if g.free_symbols & e.free_symbols]
        if ideal:
            num, den = _reduced(num, ideal), _reduced(den, ideal)
            if den == 0:
                raise ZeroDivisionError("a denominator vanishes under the assumptions")
            num, den = sp.fraction(sp.cancel(num / den))
        return sp.expand(num) / sp.expand(den)

    # -- angles and exponentials ---------------------------------------------------------------------------------

    def _sine_cosine(self, argument: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """sin and cos of a sum of rational multiples of base angles, as polynomials."""
        sine, cosine = sp.S.Zero, sp.S.One
        for fraction, rest in _monomials(argument):
            if rest is sp.pi and (value := _exact_angle(fraction)) is not None:
                s, c = self._lower(value[0]), self._lower(value[1])
            else:
                times = fraction / self._base.setdefault(("angle", rest), sp.Rational(1, fraction.q))
                if times.q != 1:  # an angle that nobody announced, finer than the base: its own pair
                    base_c = self._new(("cos", fraction, rest), "c")
                    base_s = self._new(("sin", fraction, rest), "s")
                    times = sp.Integer(1)
                else:
                    base_c, base_s = self._new(("cos", rest), "c"), self._new(("sin", rest), "s")
                self._relate((base_c, base_s), base_c**2 + base_s**2 - 1)
                s, c = _multiple(base_s, base_c, int(times))
            sine, cosine = sp.expand(sine * c + cosine * s), sp.expand(cosine * c - sine * s)
        return sine, cosine

    def _exponential(self, argument: sp.Expr) -> sp.Expr:
        result = sp.S.One
        for fraction, rest in _monomials(argument):
            if rest.has(sp.I) and (angle := sp.expand(rest / sp.I)) and not angle.has(sp.I):
                s, c = self._sine_cosine(fraction * angle)
                result *= c + self._lower(sp.I) * s
                continue
            times = fraction / self._base.setdefault(("exp", rest), sp.Rational(1, fraction.q))
            key = ("exp", rest) if times.q == 1 else ("exp", fraction, rest)
            result *= self._new(key, "e") ** (times if times.q == 1 else 1)
        return result

    # -- roots and absolute values -------------------------------------------------------------------------------

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        if isinstance(exponent, sp.Integer):
            return self._lower(base) ** exponent
        if isinstance(exponent, sp.Rational):
            if exponent.q == 2:
                return self._root(self._lower(base)) ** exponent.p
            canonical = self._canonical(self._lower(base))
            root = self._new(("root", exponent.q, canonical), "w")
            num, den = sp.fraction(sp.together(canonical))
            self._relate(("root", root), root**exponent.q * den - num)
            return root**exponent.p
        result = sp.S.One
        for fraction, rest in _monomials(exponent):
            if rest == 1:
                result *= self._power(base, fraction)
            else:
                key = ("power", self._canonical(self._lower(base)), rest / fraction.q)
                result *= self._new(key, "x") ** fraction.p
        return result

    def _root(self, radicand: sp.Expr) -> sp.Expr:
        """The square root with squares drawn out: of known sign as they are, others as absolute values."""
        num, den = sp.fraction(sp.together(self._canonical(radicand)))
        if den != 1 and not self.is_positive(den):
            num, outside = sp.expand(num * den), 1 / self._absolute(den)
        else:
            num, outside = sp.expand(num * den), 1 / den
        if num == 0:
            return sp.S.Zero
        content, factors = sp.factor_list(num) if num.free_symbols else (num, [])
        content = as_expression(content)
        inside = sp.S.One
        if not isinstance(content, sp.Rational):
            inside, content = content, sp.S.One
        elif content < 0:
            inside, content = sp.S.NegativeOne, -content
        for factor, power in factors:
            half, odd = divmod(power, 2)
            if half:
                outside *= factor**half if half % 2 == 0 or self.is_positive(factor) else self._absolute(factor) ** half
            if odd and self.is_positive(factor):
                outside *= self._square_root_of(factor)
            elif odd and self.is_positive(-factor):
                outside, inside = outside * self._square_root_of(sp.expand(-factor)), -inside
            elif odd:
                inside *= factor
        for prime, power in sp.factorint(content.p * content.q).items():
            outside *= sp.Integer(prime) ** (power // 2)
            if power % 2:
                outside *= self._square_root_of(sp.Integer(prime))
        outside /= content.q
        if inside != 1:
            outside *= self._square_root_of(sp.expand(inside))
        return outside

    def _square_root_of(self, radicand: sp.Expr) -> sp.Symbol:
        root = self._new(("sqrt", radicand), "w")
        self._relate(("sqrt", root), root**2 - radicand)
        return root

    def _absolute(self, inner: sp.Expr) -> sp.Expr:
        if self._generator.get("I") in inner.free_symbols:
            return self._new(("modulus", self._canonical(inner)), "a")
        num, den = sp.fraction(sp.together(self._canonical(inner)))
        if den != 1:
            return self._absolute(num) / self._absolute(den)
        content, factors = sp.factor_list(num) if num.free_symbols else (num, [])
        result = sp.Abs(content)
        for factor, power in factors:
            if self.is_positive(factor):
                result *= factor**power
            elif self.is_positive(-factor):
                result *= sp.expand(-factor) ** power
            elif power % 2 == 0:
                result *= factor**power
            else:
                size = self._new(("abs", factor), "a")
                self._relate(("abs", size), size**2 - sp.expand(factor**2))
                result *= size**power
        return result

    def _sign(self, inner: sp.Expr) -> sp.Expr:
        inner = self._canonical(inner)
        if inner == 0:
            return sp.S.Zero
        if self.is_positive(inner, strictly=True):
            return sp.S.One
        if self.is_positive(-inner, strictly=True):
            return sp.S.NegativeOne
        sign = self._new(("sign", inner), "g")
        size, num = self._absolute(inner), sp.together(inner)
        self._relate(("sign", sign), sign**3 - sign)
        for relation in (sign * size - num, sign * num - size):
            self._relate(("sign", sign, relation), sp.fraction(sp.together(relation))[0])
        return sign

    def is_positive(self, e: sp.Expr, strictly: bool = False) -> bool:
        """Whether a polynomial in symbols and generators is known to be >= 0 (> 0 with ``strictly``)."""
        if sp.expand(e) in (self._known if strictly else self._known_weakly):
            return True
        if self._rows and not isinstance(e, sp.Number) and follows(e, strictly, self._rows):
            return True
        seen = e.xreplace(self._positive).xreplace(self._seen_generators(e))
        return bool(seen.is_positive or (not strictly and seen.is_nonnegative))

    def _seen_generators(self, e: sp.Expr) -> dict[sp.Symbol, sp.Symbol]:
        """Generators of known sign (real roots, absolute values, exponentials) as symbols that carry it."""
        found = {}
        for key, g in self._generator.items():
            if g in e.free_symbols and isinstance(key, tuple) and key[0] in ("sqrt", "abs", "exp", "sin", "cos"):
                if key[0] == "abs" or (key[0] == "sqrt" and self.is_positive(key[1])):
                    found[g] = sp.Dummy(g.name, nonnegative=True)
                elif key[0] == "exp" and all(s.is_real for s in key[-1].free_symbols) and not key[-1].has(sp.I):
                    found[g] = sp.Dummy(g.name, positive=True)
                elif key[0] in ("sin", "cos") and key[-1].is_real:
                    found[g] = sp.Dummy(g.name, real=True)
        return found

    # -- everything else -----------------------------------------------------------------------------------------

    def _opaque(self, e: sp.Expr) -> sp.Expr:
        """A value about which only equality of the arguments is known: inverse functions, floor."""
        if isinstance(e, sp.Function) and e.args:
            key = (e.func, *(self._canonical(self._lower(a)) for a in e.args))
            return self._new(key, str(e.func))
        return self._new(("atom", e), "u")


def _polynomial(e: sp.Expr) -> bool:
    symbols = sorted(e.free_symbols, key=str)
    return (
        bool(symbols)
        and bool(e.is_polynomial(*symbols))
        and not e.has(sp.I, sp.pi)
        and all(n.is_Rational for n in e.atoms(sp.Number))
    )


def _reduced(e: sp.Expr, ideal: list[sp.Expr]) -> sp.Expr:
    symbols = sorted(e.free_symbols.union(*(g.free_symbols for g in ideal)), key=lambda s: (s.name, str(s)))
    if not e.free_symbols:
        return e
    return sp.reduced(e, ideal, *symbols, order="grevlex")[1]


def _monomials(argument: sp.Expr) -> list[tuple[sp.Rational, sp.Expr]]:
    """The argument as a sum of rational numbers times monomials, each monomial with a canonical sign."""
    expanded = sp.expand(argument)
    if not expanded.is_polynomial(*sorted(expanded.free_symbols, key=str)):
        num, den = sp.fraction(sp.cancel(sp.together(expanded)))
        expanded = sp.Add(*(sp.cancel(t / den) for t in sp.Add.make_args(sp.expand(num))))
    found = []
    for term in sp.Add.make_args(expanded):
        number, rest = term.as_coeff_Mul(rational=True)
        if number != 0:
            found.append((number, rest))
    return found


def _exact_angle(fraction: sp.Rational) -> tuple[sp.Expr, sp.Expr] | None:
    s, c = sp.sin(fraction * sp.pi), sp.cos(fraction * sp.pi)
    return None if s.has(sp.sin, sp.cos) or c.has(sp.sin, sp.cos) else (s, c)


def _multiple(s: sp.Symbol, c: sp.Symbol, times: int) -> tuple[sp.Expr, sp.Expr]:
    """sin and cos of ``times`` the angle of the pair (s, c)."""
    sine, cosine = sp.S.Zero, sp.S.One
    for _ in range(abs(times)):
        sine, cosine = sp.expand(sine * c + cosine * s), sp.expand(cosine * c - sine * s)
    return (sine if times >= 0 else -sine), cosine
