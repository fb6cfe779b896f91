"""Relations by output and reaction on first-order systems: gamma between the ends of a step, or in between.

Shared by the schemes for first-order systems, which differ in what a reaction g that lasts for a step adds to the
state: h g, or the exact integral of it (:data:`Spread`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from nsdgen.schemes.newton import Newton
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP, T_NEXT
from nsdgen.schemes.system_step import SystemStep, blend
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.time import NOW

__all__ = ["Spread", "output_relation", "output_stages", "stay_at_start"]

Spread = Callable[[int, sp.Matrix], sp.Matrix]
"""What a reaction on participant i, constant over the step, adds to its unknowns."""


def _over_step(participant: int, reaction: sp.Matrix) -> sp.Matrix:
    """h g."""
    return STEP * reaction


def output_stages(newton: Newton, relation_at: str, initial_multiplier: str) -> tuple[StageOptions, ...]:
    """The step, and before the first one the multipliers at t_0, where it remembers a reaction.

    The scheme has an option ``gamma``.
    """
    step = StageOptions("step", newton)
    if relation_at != "end" or initial_multiplier == "zero":
        return (step,)
    return step, StageOptions("start", newton, at="start", skip_if=sp.Eq(own_symbol("run", "gamma"), 1), unique=True)


def stay_at_start(step: SystemStep) -> None:
    """The stage at t_0: the state stays, multipliers are solved for."""
    start = step.stage("start")
    start.residual(start.unknown("x") - step.state("x_k"))
    start.formulas(residual="R = x - x_0")


def output_relation(step: RelationStep, relation_at: str, output_time: str, *, starts: bool,
                    spread: Spread = _over_step, of: str = "h ") -> None:
    """y = h(t, x, lambda), the reaction g(t, x, lambda) spread over the step; ``of`` is the spread in formulas."""
    step.multiplier()
    formula = _at_end(step, starts, spread, of) if relation_at == "end" else _at_gamma(step, output_time, spread, of)
    labels = step.cls.labels[len(step.cls.multipliers):]
    step.observe(step.term("output", step.ended), [name for name, _ in labels], [unit for _, unit in labels])
    step.formulas(output=formula, observe="y at t_next, g to remember",
                  bounds="lower and upper bound of each row in a box")


def _at_end(step: RelationStep, starts: bool, spread: Spread, of: str) -> str:
    """gamma g(t_next, x, lambda) + (1 - gamma) g_k, g_k remembered."""
    gamma = step.options.gamma
    now = step.reactions(step.end)
    rows = [g.rows for g in now]
    g_k = step.memory("reaction", sum(rows), symbols=_memory_symbols(rows))
    step.output(step.term("output", step.end))
    step.reaction(*(spread(i, gamma * g) + spread(i, (1 - gamma) * g_k[sum(rows[:i]):sum(rows[:i + 1]), :])
                    for i, g in enumerate(now)))
    step.remember(reaction=[e for g in step.reactions(step.ended) for e in g])
    if starts:
        start = step.stage("start")
        start.multiplier()
        start.output(start.term("output", start.end))
        start.reaction(*(sp.zeros(g.rows, 1) for g in now))
        start.formulas(output="y = h(t_0, x_0, lambda)")
    return f"y = h(t_next, x, lambda), rho = {of}gamma g(t_next, x, lambda) + {of}(1 - gamma) g_k"


def _at_gamma(step: RelationStep, output_time: str, spread: Spread, of: str) -> str:
    """g(t_gamma, x_gamma, lambda)."""
    between = blend(step.options.gamma, step.end, step.last)
    of_output = between if output_time == "gamma" else {**between, NOW: T_NEXT}
    step.output(step.term("output", of_output))
    step.bounds(of_output)
    step.reaction(*(spread(i, g) for i, g in enumerate(step.reactions(between))))
    instant = "t_gamma" if output_time == "gamma" else "t_next"
    return f"y = h({instant}, x_gamma, lambda), rho = {of}g(t_gamma, x_gamma, lambda)"


def _memory_symbols(rows: Sequence[int]) -> list[str]:
    """g0_k, g1_k, ...; g0_1_k for entry 1 on participant 0 of several."""
    return [f"g{i}_{j}_k" if len(rows) > 1 else f"g{j}_k" for i, count in enumerate(rows) for j in range(count)]
