"""Relative degrees: how often an output is differentiated in time until multipliers appear in it.

The first coefficients that do not vanish are the Markov parameters D, C B, C A B, ... of a linear system, and their
counterparts d (d^k y / dt^k) / d lambda of a nonlinear one, exact and symbolic; what vanishes for all values of the
symbols is decided by exact arithmetic modulo a prime.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
import sympy as sp

from nsdgen.analysis.equations import Equations, OutputRow
from nsdgen.errors import NsdgenError
from nsdgen.symbolic.expressions.generic_rank import generic_rank
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.graph.running_error import evaluate

_MOST = 6
"""Derivatives that are taken before an output is said not to depend on multipliers."""


@dataclass(frozen=True)
class RelativeDegree:
    """Of one output: the degree (``None``: none up to 6), y and its derivatives below it, the Markov parameters.

    ``level`` counts the leading derivatives, y first, that are not positive at the initial state: the output is in
    the index sets I_1, ..., I_level; ``None`` where they have no value there.
    """

    output: str
    degree: int | None
    derivatives: tuple[sp.Expr, ...]
    markov: sp.Matrix
    level: int | None


@dataclass(frozen=True)
class Degrees:
    """Of all outputs; ``rank`` is the generic rank of the Markov parameters, each output's at its own degree."""

    outputs: tuple[RelativeDegree, ...]
    rank: int

    @property
    def uniform(self) -> int | None:
        """The common degree; ``None`` where outputs differ or have none."""
        found = {o.degree for o in self.outputs}
        return found.pop() if len(found) == 1 else None

    @property
    def markov(self) -> sp.Matrix:
        """One row for each output that has a degree, one column for each multiplier."""
        return sp.Matrix.vstack(*(o.markov for o in self.outputs if o.degree is not None))


def relative_degrees(equations: Equations) -> Degrees:
    """The degree of every output, and whether they fit together."""
    found = tuple(_degree(equations, output) for output in equations.outputs)
    rows = [o.markov for o in found if o.degree is not None]
    return Degrees(found, generic_rank(sp.Matrix.vstack(*rows)) if rows else 0)


def _degree(equations: Equations, output: OutputRow) -> RelativeDegree:
    multipliers = equations.multipliers
    at_start = {**dict.fromkeys(multipliers, 0.0), **equations.values}
    y, below = output.value, list[sp.Expr]()
    for degree in range(_MOST + 1):
        own = FreeSymbols()(y)
        markov = sp.zeros(1, len(multipliers))
        reached = [j for j, m in enumerate(multipliers) if m in own]
        for j, e in zip(reached, jacobian(sp.Matrix([y]), [multipliers[j] for j in reached]), strict=True):
            markov[j] = e
        if generic_rank(markov):
            return RelativeDegree(output.name, degree, tuple(below), markov, _level(below, at_start))
        below.append(y)
        moving = {s: rate for s, rate in {**equations.rates, NOW: sp.S.One}.items() if s in own}
        y = sp.Add(*(d * rate for d, rate in zip(jacobian(sp.Matrix([y]), list(moving)), moving.values(), strict=True)))
    return RelativeDegree(output.name, None, tuple(below), sp.zeros(1, len(multipliers)), None)


def _level(derivatives: list[sp.Expr], values: Mapping[sp.Symbol, Any]) -> int | None:
    """How many of y, y', ... in a row are not positive at the initial state, up to rounding."""
    count = 0
    for value in derivatives:
        try:
            found = float(evaluate(value, values))
        except (NsdgenError, KeyError, TypeError, ValueError, mpmath.libmp.ComplexResult):
            return None
        if found > 1e-12:
            break
        count += 1
    return count
