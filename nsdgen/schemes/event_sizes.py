"""To what functions of states are told from zero between events: by what the integrator leaves of the states."""

import sympy as sp

from nsdgen.base.names import numbered
from nsdgen.schemes.event_rates import derivative, plain
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.expressions.nodes_of import nodes_of
from nsdgen.symbolic.graph.computed import Computed
from nsdgen.symbolic.graph.term_sizes import magnitude

BEFORE = sp.Float(1e-2)
"""Of ``rtol``: of the largest that a state was, as the integrator takes it (``_flow.pxi``)."""

MOMENT = sp.Float(1e-2)
"""Of a step: so soon behind an event next to no other one is, and what it moves is far above rounding."""

_STEPS = sp.Float(1e4)
"""Tolerances of the integrator: so many steps a row may lie on a jump before it is told from it."""


_JUMP, _DRIFT = sp.Float(1e-6), 1000
"""Of the terms of a value that is held at zero, and tolerances of them."""


class Sizes:
    """How large the states of a relation were so far, or what the terms of their rates give in a step: no unit enters.

    Terms count by their size: the rate of what nothing moves, as a current that diodes block, is rounding of them.
    """

    def __init__(self, step: RelationStep) -> None:
        self.step = step
        self.states = [s for p in step.cls.participants for role in ("q", "v", "x") for s in p.group(role)]
        self.largest = step.memory("size_k", len(self.states), names=numbered("largest", len(self.states)))

    def told(self, value: sp.Expr) -> sp.Expr:
        """To what a function of states may be told from zero."""
        options = self.step.options
        slopes = jacobian(sp.Matrix([value]), self.states)
        left = [
            sp.Abs(slope) * (options.atol + options.rtol * (sp.Abs(state) + BEFORE * size))
            for slope, state, size in zip(slopes, self.states, self.largest, strict=True)
        ]
        return _STEPS * sp.Add(*left)

    def remember(self, stage: RelationStep, now: Instant) -> None:
        """The sizes with the states and rates of a stage."""
        found = []
        for largest, state, rate in zip(self.largest, self.states, self._rates(stage), strict=True):
            found.append(larger(largest, larger(sp.Abs(state), STEP * sp.Abs(rate))).xreplace(now))
        stage.remember(size_k=found)
        stage.initial_memory(size_k=[e.xreplace(dict.fromkeys(self.largest, sp.S.Zero)) for e in found])

    def _rates(self, stage: RelationStep) -> list[sp.Expr]:
        """The rate of each state, with its terms by their size where it is a formula that has one piece."""
        rates: list[sp.Expr] = []
        if plain(self.step):
            formulas = [derivative(self.step, s, {}) for s in self.states]
            if not any(map(has_kink, formulas)):
                return list(magnitude(sp.Matrix(formulas)))
        for p, now in zip(self.step.cls.participants, stage.participants, strict=True):
            rates += [p.moved(sp.Matrix([s]))[0] for s in p.group("q")]
            rates.extend(now.unknown if p.group("v") or p.group("x") else ())
        return rates


def jump_of(step: RelationStep, size: sp.Expr) -> sp.Expr:
    """What a value that is held at zero, of terms of this size, comes to by no drift of the integrator: by a jump."""
    return (_JUMP + _DRIFT * step.options.rtol) * size


def has_kink(value: sp.Expr) -> bool:
    """Whether cases, signs or floors stand in it."""
    return any(
        n.jumps_with(n.args) if isinstance(n, Computed) else isinstance(n, (Branch, Sign, Floor, Modulo))
        for n in nodes_of([value])
    )


def larger(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    """The larger of two values."""
    return Branch(a, a > b, b, sp.true)
