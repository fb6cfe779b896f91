"""A statement under assumptions with the points at which it is asked, for who refutes it and for who challenges it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from random import Random
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify import statement as st
from nsdgen.verify.assumption import said
from nsdgen.verify.cleaning import CARRIED_OUT, Cleaner
from nsdgen.verify.quantities import expressions
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build, deciding_minors

from .challenge_points import Named, challenges, factors, named, switches
from .least import searched
from .matrix_points import matrices_of, matrix_challenges
from .truth import FINE, PRECISIONS, Truth, truth_of
from .witness import Witness
from .zeros import Values, linear_root, slope_of

MARKED = 3  # points where values are simple and a kink or a boundary lies: what is false there may be true beside
FIRST = MARKED + 4  # points before all others, few of them on kinks: what is plainly false is seen at them
POINTS = 48  # of a search for a counterexample
_WITHOUT_PROOF = 100  # where there is nothing but points
LOOSE = 5  # points for what is evaluated by quadrature: dear, and never more than a doubt
_SIMPLE = tuple(map(sp.Integer, (0, 1)))  # in the place of what a counterexample does not need


class JudgedStatement:
    """A statement under assumptions, with what is needed to evaluate it.

    Values of unknown functions are names like others; ``bound`` says why those in it may not be drawn, "" where they
    may.
    """

    def __init__(self, statement: Any, setting: Setting) -> None:
        self.statement, self.setting = statement, setting
        self.said = list(expressions(statement))
        assumed = [e for a in setting.assumptions for _, e in a.said()]
        self._cleaner = Cleaner([*self.said, *assumed])
        self.matrices = matrices_of([*self.said, *assumed])
        self.abstract = any(e.atoms(sp.MatrixSymbol) for e in self.said)
        self.real = not any(e.has(sp.I) for e in self.said)
        frozen = [[self._frozen(e) for e in given] for given in (self.said, assumed)]
        places = [a for v in self._cleaner.values for a in v.arguments]
        self.names: Named = named([*frozen[0], *frozen[1], *places])
        self._equations = [self._frozen(e) for e in setting.equations]
        self.bound = self._cleaner.why_not_free(frozen[0], self._equations) if self._equations else ""
        self._drawn: list[tuple[Witness, Truth]] = []
        self._source = self.witnesses()

    def _frozen(self, e: Any) -> Any:
        """An expression with symbols for values of unknown functions."""
        if not isinstance(e, sp.Expr) or isinstance(e, sp.MatrixExpr):
            return e.applyfunc(self._frozen) if isinstance(e, sp.MatrixBase) and e.has(AppliedUndef) else e
        return self.carried_out(e) if e.has(AppliedUndef) else e

    def carried_out(self, e: sp.Expr) -> sp.Expr:
        """A scalar with its derivatives and sums carried out, and symbols for values of unknown functions."""
        return self._cleaner.frozen(e.doit() if e.has(*CARRIED_OUT) else e)

    def truth(self, witness: Witness) -> Truth:
        """Whether the statement holds at a witness of the assumption set."""
        return truth_of(self.statement, witness, self.setting.assumptions, self.real, PRECISIONS)

    def finer(self, witness: Witness, coarse: Truth) -> Truth:
        """What is true in many more digits; a point that was found by iteration has no more to give."""
        if not witness.exact or coarse.holds is False or coarse.loose:
            return coarse
        found = truth_of(self.statement, witness, self.setting.assumptions, self.real, FINE)
        return coarse if found.holds is None else found

    def meets(self, witness: Witness) -> bool:
        """Whether a witness lies on the assumption set."""
        nothing = st.Equal(sp.S.Zero, sp.S.Zero)
        return bool(truth_of(nothing, witness, self.setting.assumptions, self.real, PRECISIONS[:1]).holds)

    # ---- points

    @property
    def varies(self) -> bool:
        """Whether there is more than one point."""
        return bool(self.names.symbols or self.matrices)

    @property
    def most(self) -> int:
        """How many points are asked at most."""
        return _WITHOUT_PROOF if self.varies else 1

    def looked_at(self, count: int, deadline: Deadline) -> Iterator[tuple[Witness, Truth]]:
        """Points on kinks and off with what is true there, evaluated when first asked for; few after a deadline."""
        yield from self._drawn[:count]
        while len(self._drawn) < count and deadline.left() > 0 and sum(t.loose for _, t in self._drawn) <= LOOSE:
            if (w := next(self._source, None)) is None:
                return
            self._drawn.append((w, self.truth(w)))
            yield self._drawn[-1]

    def witnesses(self) -> Iterator[Witness]:
        """Points of the assumption set: those that are marked, some without kinks, then those on kinks and off."""
        if self.bound:
            return
        rng, assumptions = Random(self.setting.seed), self.setting.assumptions
        if self.matrices:
            yield from matrix_challenges(self.names, self.matrices, assumptions, self.said, rng, self.most)
            return
        few = islice(challenges(self.names, assumptions, (), rng, FIRST, self._frozen, self._marked()), FIRST)
        more = challenges(self.names, assumptions, self.kinks, rng, self.most, self._frozen) if self.varies else ()
        below = self._below()
        for w in chain(few, more):
            lower = challenges(self.names, assumptions, (), rng, 0, self._frozen, below(w.scalars))
            yield from (replace(found, known=self._cleaner.values) for found in chain([w], lower))

    def _below(self) -> Callable[[Mapping[str, Any]], Iterator[Values]]:
        """From a point to those near and far where the difference of an inequality is least and seems too small."""
        signed = [self._frozen(e) for e in _signed(self.statement)]
        if not (signed and self.varies and self.real):
            return lambda values: iter(())
        bounds = said(self.setting.assumptions, "positive", "nonnegative")
        strict = getattr(self.statement, "relation", "<") in ("<", ">") and not getattr(self.statement, "semi", False)
        return searched(signed, [self._frozen(e) for e in bounds], self._equations, strict, Random(self.setting.seed))

    def _marked(self) -> Iterator[Values]:
        """The origin, then zeros on axes of what is linear and vanishes at a kink: isolated points that are marked."""
        origin: Values = dict.fromkeys(self.names.symbols, sp.S.Zero)
        axes = ((k, str(s)) for k in self.kinks for s in sorted(k.free_symbols, key=str) if str(s) in origin)
        zeros = ({**origin, name: root} for k, name in axes if (root := linear_root(k, origin, name)) is not None)
        yield from islice(chain([origin] if origin else [], (z for z in zeros if z != origin)), MARKED)

    @cached_property
    def kinks(self) -> list[sp.Expr]:
        """What vanishes where the statement or a bound changes its formula, is extreme or has a pole."""
        bounds = said(self.setting.assumptions, "positive", "nonnegative")
        kinks = list(dict.fromkeys((*switches([*self.said, *bounds]), *(e for e in bounds if e.free_symbols))))
        for difference in _signed(self.statement):  # its zeros and extreme values decide; of a factor and of the whole
            parts = list(factors(difference))
            whole = [] if parts == [difference] else [difference]
            kinks += [*parts, *(k for e in (*parts, *whole) for k in _stationary(e, self.setting.equations))]
        return [k for k in map(self._frozen, kinks) if k.free_symbols]

    def simplest(self, witness: Witness, deadline: Deadline) -> tuple[Witness, Truth]:
        """A point where the statement is false with as many numbers of it as possible at 0, else 1."""
        found = witness, self.truth(witness)
        fixed = {s.name for e in self._equations for s in e.free_symbols}
        free = [n for n in sorted(self.names.symbols) if n in witness.scalars and n not in fixed]
        for simple in _SIMPLE:
            for name in free:
                if found[0].scalars[name] in (0, simple) or deadline.left() <= 0:
                    continue
                moved = replace(found[0], scalars={**found[0].scalars, name: simple})
                if self.names.admits(name, simple) and (truth := self.truth(moved)).holds is False and not truth.loose:
                    found = moved, truth
        return found

    def told(self, witness: Witness) -> tuple[tuple[str, str], ...]:
        """What a counterexample says of the names of the statement and of equations between them."""
        frozen = [*map(self._frozen, self.said), *self._equations, *self.setting.relations]
        names = {str(s).partition("[")[0] for e in frozen for s in e.free_symbols} | set(witness.sizes)
        return tuple((name, value) for name, value in witness.written() if name.partition("[")[0] in names)


def _signed(statement: Any) -> list[sp.Expr]:
    """What is positive, or 0, where a statement holds: a difference of sides, the minors of a definite matrix."""
    if isinstance(statement, st.Inequality):
        left, right = map(as_expression, (statement.left, statement.right))
        return [left - right if statement.relation[0] == ">" else right - left]
    return list(deciding_minors(build(statement.matrix), statement.semi)) if isinstance(statement, st.Definite) else []


def _stationary(difference: sp.Expr, equations: Sequence[sp.Expr]) -> list[sp.Expr]:
    """What vanishes where a difference is extreme: its slopes; on one equation, those along it."""
    symbols = sorted(difference.free_symbols, key=str)
    slopes = [slope_of(difference, s) for s in symbols]
    for g in equations:
        along = [sp.diff(g, s) for s in symbols]
        slopes += [slopes[i] * along[j] - slopes[j] * along[i] for i in range(len(symbols)) for j in range(i)]
    whole = (
        sp.numer(sp.together(d)) if d.is_rational_function() else d for d in slopes
    )  # a tail has no zero but far off
    return list(dict.fromkeys(f for d in whole for f in factors(d)))
