"""Points for challenges: anywhere on the assumption set, on kinks and poles, at special, equal, small and large values.

What an assumption can sample is taken as it is, everything else is drawn. Equations are met exactly where each is
linear in a name of its own, else by Newton's method in many digits.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from random import Random
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.nodes import Floor, Modulo, Sign
from nsdgen.verify.assumption import said
from nsdgen.verify.quantities import FACTS

from .witness import Witness
from .zeros import Values, common_zero, moved_onto, settled, zero_in

_SPECIAL = (0, 0, 1, -1, 2, -2, sp.Rational(1, 2), sp.pi / 2, -sp.pi / 2, sp.pi, sp.pi / 3, 3, 2 * sp.pi)
_EXPONENTS = (2, 2, sp.Rational(1, 2), sp.Rational(1, 2), -2, 3)  # where powers of negative numbers are real
_MOST_SWITCHES = 10  # times eight are looked at: so many, in turn, as the points of a challenge can visit
_MOST_VISITS = 8  # of each switch; then points are left where they were drawn
_MOST_FAILURES = 6  # in a row, of points moved onto the equations: then they are left alone
_MOST_BOUNDS = 6  # switches between which values are moved at once, each a search for a zero
_MOST_AT_ONCE = 8  # switches that a point is moved onto together
_MOST_BESIDE = 3  # switches whose sides are taken together: cases that more of them bound are rare
_TRIES = 2  # a switch that no value was found for so often is left alone: most of these have no zero
_ARITHMETICAL = frozenset(("rational", "irrational", "algebraic", "transcendental", "integer"))
_SAID = {*FACTS, "real", "imaginary", "finite"}
_ASIDE = sp.Rational(7, 5)  # in the place of 0, where squares have no slope: Newton's method would stay there


@dataclass(frozen=True)
class Named:
    """Symbols by name; a name that is written with several assumptions has several symbols.

    ``exponents`` are the names that exponents of symbols hold.
    """

    symbols: dict[str, tuple[sp.Symbol, ...]] = field(default_factory=dict)
    exponents: frozenset[str] = frozenset()

    def admits(self, name: str, value: Any) -> bool:
        """Whether a value is allowed by what the symbols of this name say of themselves."""
        return all(admissible(s, value) for s in self.symbols.get(name, ()))


def named(expressions: Sequence[Any]) -> Named:
    """The free symbols of expressions, by name, in the order of the names."""
    found: dict[str, dict[sp.Symbol, None]] = {}
    for e in expressions:
        for s in e.free_symbols:
            if isinstance(s, sp.Symbol):
                found.setdefault(s.name, {})[s] = None
    powers = (p for e in expressions for p in e.atoms(sp.Pow) if p.base.free_symbols)
    return Named(
        {name: tuple(found[name]) for name in sorted(found)},
        frozenset(s.name for p in powers for s in p.exp.free_symbols if isinstance(s, sp.Symbol)),
    )


def admissible(s: sp.Symbol, value: Any) -> bool:
    """Whether a number may stand for a symbol: everything that the symbol says of itself is known to hold of it.

    A value that an iteration found is what it is to within its rounding, and of no arithmetical kind that is known.
    """
    said = {fact: is_so for fact, is_so in s.assumptions0.items() if fact in _SAID}
    if isinstance(value, mpmath.mpf | mpmath.mpc):
        if any(is_so for fact, is_so in said.items() if fact in _ARITHMETICAL):
            return False
        value = settled(value)
    number = as_expression(value)
    return all(getattr(number, f"is_{fact}") == is_so for fact, is_so in said.items())


def challenges(
    names: Named,
    assumptions: Sequence[Any],
    kinks: Sequence[sp.Expr],
    rng: Random,
    count: int,
    read: Callable[[Any], sp.Expr] = as_expression,
    proposed: Iterable[Values] = (),
) -> Iterator[Witness]:
    """Witnesses on or near the assumption set; who uses them checks that they lie on it.

    ``read`` gives values of unknown functions in equations names. ``proposed`` are values to begin with.
    """
    equations = [read(e) for e in said(assumptions, "given")]
    if any(e.has(AppliedUndef) for e in equations):
        return  # no numbers for symbols meet an equation between functions
    for values in proposed:
        met = moved_onto(equations, signed(names, assumptions, values), rng)
        if met is not None and all(names.admits(n, v) for n, v in met.items()):
            yield Witness(met)
    failures = 0
    tries = dict.fromkeys(kinks, _TRIES)
    several = len(kinks) > 1 and not names.exponents
    turn = rng.randrange(len(tries) or 1)  # switches are visited in turn, so that none is left out
    for number in range(3 * count):
        if failures > _MOST_FAILURES:
            return
        values = _drawn(names, assumptions, rng, number)
        also = list[sp.Expr]()
        visited = number >= 2 * _MOST_VISITS * len(tries)
        if kinks and ((several and number % 8 == 0) or number % 16 == 4 or (visited and number % 4 == 1)):
            values = _at_several(kinks, values, names, rng, number == 0)
        elif number % 4 == 2:
            values = _beside(tries, values, names, rng) if number % 8 == 2 else _between(kinks, values, names, rng)
        elif number % 2 == 1 and not visited:
            also = [list(tries)[(turn + number // 2) % len(tries)]]
            values = _at(also[0], tries, values, names, rng) or values
        values = signed(names, assumptions, values)
        met = moved_onto([*equations, *also], values, rng) if equations and also else None
        met = met or moved_onto(equations, values, rng)
        if met is not None and all(names.admits(n, v) for n, v in met.items()):
            failures = 0
            yield Witness(met)
        else:
            failures += 1


def _at(switch: sp.Expr, tries: dict[sp.Expr, int], values: Values, names: Named, rng: Random) -> Values | None:
    """The values moved onto a switch, which is given up where that failed too often."""
    there = _onto(switch, values, names, rng, values)
    tries[switch] -= there is None
    if not tries[switch]:
        del tries[switch]
    return there


def _beside(tries: dict[sp.Expr, int], values: Values, names: Named, rng: Random) -> Values:
    """The values moved to a side of several switches: into a case that far or narrow conditions bound."""
    for switch in rng.sample(list(tries), min(len(tries), _MOST_BESIDE)):
        there = _at(switch, tries, values, names, rng)
        for name in (n for n in there or {} if there and there[n] is not values[n]):
            step = rng.choice((-1, 1)) * sp.Rational(rng.randint(1, 999), rng.choice((500, 5000, 500000)))
            on = there[name] if there else values[name]
            values = {**values, name: on + step if isinstance(on, sp.Expr) else on + mpmath.mpf(step.p) / step.q}
    return values


def _between(kinks: Sequence[sp.Expr], values: Values, names: Named, rng: Random) -> Values:
    """The values with two of them moved between neighbouring switches: into cases and sets that are narrow bands."""
    for name in rng.sample(sorted(values), min(len(values), 2)):
        own = [k for k in kinks if any(s.name == name for s in k.free_symbols)]
        found = [zero_in(_read(k), values, name) for k in rng.sample(own, min(len(own), _MOST_BOUNDS))]
        roots = sorted({r for r in found if r is not None and (r.is_Rational if isinstance(r, sp.Expr) else True)})
        if roots:
            places = [roots[0] - 1, *roots, roots[-1] + 1]
            gaps = sorted(pairwise(places), key=lambda ends: ends[1] - ends[0])
            ends = gaps[0] if rng.random() < 0.5 else rng.choice(gaps)
            exact = all(isinstance(e, sp.Expr) for e in ends)
            low, high = ends if exact else map(Witness({}).number, ends)
            share = rng.choice((1, 4, 7))
            place = low + (high - low) * (sp.Rational(share, 8) if exact else mpmath.mpf(share) / 8)
            values = {**values, name: place} if names.admits(name, place) else values
    return values


def _at_several(kinks: Sequence[sp.Expr], values: Values, names: Named, rng: Random, first: bool) -> Values:
    """The values moved onto as many switches at once as there are names to move, or to where one is stationary."""
    sums = [k for k in kinks if _even_parts(k)]
    if (first and sums) or rng.random() < 0.5:  # an isolated zero: of a norm, of a sum of squares
        switch = rng.choice(sums or list(kinks))
        slopes = (sp.diff(switch, s) for s in sorted(switch.free_symbols, key=str))
        vanishing = _even_parts(switch) or [d for d in slopes if d.free_symbols]
        aside = {name: v if v else _ASIDE for name, v in values.items()}
        return common_zero(vanishing, values) or common_zero(vanishing, aside) or values
    free = set(values)
    for switch in rng.sample(list(kinks), min(len(kinks), _MOST_AT_ONCE)):
        there = _onto(switch, values, names, rng, free)
        free -= {name for name, v in values.items() if there and there[name] is not v}
        values = there or values
    return values


def _onto(switch: sp.Expr, values: Values, names: Named, rng: Random, free: Collection[str]) -> Values | None:
    """The values with a free one changed so that the switch vanishes: exactly where it is linear in that one."""
    own = sorted({s.name for s in switch.free_symbols if isinstance(s, sp.Symbol)} & set(free))
    for name in rng.sample(own, len(own)):
        root = zero_in(switch, values, name)
        if root is not None and names.admits(name, root):
            return {**values, name: root}
    return None


def _even_parts(e: sp.Expr) -> list[sp.Expr]:
    """What vanishes where a sum of even powers and absolute values does; nothing where it is no such sum."""
    if not isinstance(e, sp.Add):
        return []
    terms = [term.as_coeff_Mul() for term in e.args]
    parts = [f for _, term in terms for f in sp.Mul.make_args(term)]
    even = (isinstance(f, sp.Abs) or (isinstance(f, sp.Pow) and f.exp.is_even and f.exp.is_positive) for f in parts)
    alike = len({c.is_positive for c, _ in terms}) == 1
    return [f.args[0] for f in parts] if alike and all(f.free_symbols for f in parts) and all(even) else []


def _drawn(names: Named, assumptions: Sequence[Any], rng: Random, number: int) -> Values:
    """Numbers of one flavour: generic reals, special values, all equal, tiny or large."""
    flavour = ("generic", "special", "generic", "mixed", "equal", "small", "generic", "large", "special")[number % 9]
    if names.exponents and number % 4 == 0:
        flavour = "special"
    values: Values = {}
    one = _number(rng, "generic")
    for name, symbols in names.symbols.items():
        kind = rng.choice(("generic", "special")) if flavour == "mixed" else flavour
        value = one if kind == "equal" else _number(rng, kind)
        if kind == "special" and names.exponents:
            value = as_expression(rng.choice(_EXPONENTS)) if name in names.exponents else -abs(value)
        values[name] = fitted(symbols, value, rng)
    for a in assumptions:
        if flavour != "equal" and (drawn := a.sample(rng, rng.choice((0, 1, 2, 3)))):
            values.update({s.name: v for s, v in drawn.items()})
    return values


def _number(rng: Random, kind: str) -> sp.Expr:
    if kind == "special":
        return as_expression(rng.choice(_SPECIAL))
    value = sp.Rational(rng.randint(-3000, 3000), 997)
    scale = {"small": sp.Rational(1, 10 ** rng.choice((3, 6, 9))), "large": sp.Integer(10) ** rng.choice((1, 2, 4))}
    return value * scale.get(kind, sp.S.One)


def fitted(symbols: Sequence[sp.Symbol], value: sp.Expr, rng: Random) -> sp.Expr:
    """A value near this one that the symbols admit."""
    if any(s.is_zero for s in symbols):
        return sp.S.Zero
    if any(s.is_integer for s in symbols):
        value = sp.Integer(rng.randint(-6, 9) if abs(value) < 100 else rng.randint(10, 200))
    if any(s.is_nonzero for s in symbols) and value == 0:
        value = sp.S.One
    if any(s.is_positive or s.is_nonnegative for s in symbols):
        value = abs(value)
    if any(s.is_negative or s.is_nonpositive for s in symbols):
        value = -abs(value)
    near = (value + k for k in range(40))
    others = (f(value) for f in (lambda v: v + sp.Rational(1, 3), lambda v: v * sp.sqrt(2), lambda v: v * sp.pi))
    return next((v for v in chain(near, others) if all(admissible(s, v) for s in symbols)), value)


def signed(names: Named, assumptions: Sequence[Any], values: Values) -> Values:
    """The values with the signs that assumptions about single symbols ask for."""
    changed = dict(values)
    for a in assumptions:
        for kind, e in a.said():
            if isinstance(e, sp.Symbol) and e.name in changed and kind != "given":
                value = changed[e.name]
                if value == 0 and kind != "nonnegative":
                    changed[e.name] = sp.Rational(3, 7)
                elif kind != "nonzero":
                    changed[e.name] = abs(value)
    return changed


# ---- kinks


def switches(expressions: Sequence[Any], poles: bool = True) -> list[sp.Expr]:
    """What vanishes where expressions change their formula or, unless these are left out, have a pole."""
    found: dict[sp.Expr, None] = {}
    for e in expressions:
        for node in sp.preorder_traversal(e):
            for s in (factor for e in _switches(node, poles) for factor in factors(e)):
                if s.free_symbols and not s.is_nonzero:
                    found[s] = None
        if len(found) > 8 * _MOST_SWITCHES:
            break
    return list(found)[: 8 * _MOST_SWITCHES]


def _read(switch: sp.Expr) -> sp.Expr:
    """Decimals as they are written: places between two of them are exact."""
    return switch.xreplace({f: sp.Rational(repr(float(f))) for f in switch.atoms(sp.Float) if f._prec <= 53})


def factors(e: sp.Expr) -> Iterator[sp.Expr]:
    """What vanishes where an expression does: its factors once each, of which a sign change tells a zero."""
    for f in sp.Mul.make_args(e):
        if isinstance(f, sp.Abs | sp.sign) or (isinstance(f, sp.Pow) and f.exp.is_positive):
            yield from factors(f.args[0])
        elif f.free_symbols:
            yield f


def _switches(node: Any, poles: bool) -> Iterator[sp.Expr]:
    if isinstance(node, sp.Abs | sp.sign | Sign | sp.Heaviside | sp.atan2) or (poles and isinstance(node, sp.log)):
        yield from node.args
    elif isinstance(node, sp.Max | sp.Min):
        yield from (a - b for k, a in enumerate(node.args) for b in node.args[:k])
    elif (
        isinstance(node, sp.Pow)
        and isinstance(node.base, sp.Expr)
        and ((poles and node.exp.is_negative) or not node.exp.is_integer)
    ):
        yield node.base
    elif isinstance(node, sp.floor | sp.ceiling | Floor | sp.Mod | Modulo):
        yield sp.sin(sp.pi * (node.args[0] if len(node.args) == 1 else node.args[0] / node.args[1]))
    elif isinstance(node, Relational):
        yield node.lhs - node.rhs
    elif poles and isinstance(node, sp.tan | sp.sec):
        yield sp.cos(node.args[0])
    elif poles and isinstance(node, sp.cot | sp.csc):
        yield sp.sin(node.args[0])
