"""Relations by output and reaction on first-order systems: gamma between the ends of a step, or in between.

Shared by the schemes for first-order systems, which differ in what a reaction g that lasts for a step adds to the
state: h g, or the exact integral of it (:data:`Spread`).
"""

from collections.abc import Callable, Sequence

import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.schemes.algebraic import AlgebraicEquations, algebraic_equations
from nsdgen.schemes.program import Newton, StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP, T_NEXT
from nsdgen.schemes.system_step import SystemStep, blend
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.time import NOW

CONSISTENT = "consistent"
"""The stage that makes the state at t_0 consistent."""

Spread = Callable[[int, sp.Matrix], sp.Matrix]
"""What a reaction on participant i, constant over the step, adds to its unknowns."""


def check_output_time(scheme: str, output_time: str, relation_at: str) -> None:
    """Raise ``ParameterError`` for an instant of outputs that are taken at the end of the step in any case."""
    if output_time == "end" and relation_at == "end":
        raise ParameterError(
            "output_time='end' would change nothing beside relation_at='end', whose outputs are taken there",
            where=f"scheme {scheme}",
            fix="leave output_time out, or use relation_at='gamma'",
        )


def output_stages(
    newton: Newton, relation_at: str, initial_multiplier: str, initial_state: str = "given"
) -> tuple[StageOptions, ...]:
    """The step; before the first one a consistent state, and the multipliers at t_0 where it remembers a reaction.

    The scheme has an option ``gamma``.
    """
    stages = [StageOptions("step", newton)]
    if initial_state == "consistent":
        stages.append(StageOptions(CONSISTENT, newton, at="start"))
    if relation_at == "end" and initial_multiplier == "solved":
        stages.append(
            StageOptions("start", newton, at="start", skip_if=sp.Eq(own_symbol("run", "gamma"), 1), unique=True)
        )
    return tuple(stages)


def stay_at_start(step: SystemStep, name: str = "start") -> None:
    """A stage at t_0: the state stays, multipliers are solved for."""
    start = step.stage(name)
    start.residual(start.unknown("x") - step.state("x_k"))
    start.formulas(residual="R = x - x_0")


def own_unknowns(step: SystemStep, algebraic: AlgebraicEquations) -> sp.Matrix:
    """Those of combinations whose coefficients move: what balances weighed equations, and reactions received."""
    if not algebraic.moving:
        return sp.zeros(0, 1)
    balance = step.unknown("balance", count=len(algebraic.moving))
    return balance.col_join(step.unknown("received", count=len(algebraic.combined)))


def consistent_at_start(step: SystemStep, name: str, algebraic: AlgebraicEquations) -> None:
    """A stage at t_0: algebraic equations and laws hold, M x stays."""
    start = step.stage(name)
    x, x_k = start.unknown("x"), step.state("x_k")
    own = own_unknowns(start, algebraic)
    first, found = start.at(T_NEXT, x=x_k), start.at(T_NEXT, x=x)
    stays = start.term("mass", first) * (x - x_k) if algebraic else x - x_k
    if own:
        stays += algebraic.directions(first) * own[: len(algebraic.moving), :]
    start.residual(algebraic.imposed(stays, -start.term("rhs", found), found, own))
    start.start(x_k.col_join(sp.zeros(own.rows, 1)))
    start.advance(x_k=x)
    start.formulas(residual="R = M (x - x_0); algebraic equations: - f(t_0, x)", advance="x_0 = x")


def output_relation(
    step: RelationStep,
    relation_at: str,
    output_time: str,
    starts: Sequence[str],
    *,
    consistent: bool = False,
    spread: Spread = lambda _, reaction: STEP * reaction,
    of: str = "h ",
) -> None:
    """y = h(t, x, lambda), the reaction g(t, x, lambda) spread over the step; ``of`` is the spread in formulas.

    ``starts`` are the stages at t_0, in which the algebraic equations hold where they are to be ``consistent``.
    """
    step.multiplier()
    algebraic = [algebraic_equations(p.participant.system) for p in step.participants]
    formula = (
        _at_end(step, algebraic, spread, of)
        if relation_at == "end"
        else _at_gamma(step, output_time, algebraic, spread, of)
    )
    step.observe_own("output")
    step.formulas(
        output=formula, observe="y at t_next, g to remember", bounds="lower and upper bound of each row in a box"
    )
    for name in starts:
        _at_start(step.stage(name), algebraic, consistent)


def _at_start(start: RelationStep, algebraic: Sequence[AlgebraicEquations], consistent: bool) -> None:
    """y = h(t_0, x_0, lambda); reactions act on algebraic equations only, and those alone make a state consistent.

    A reaction that is all on algebraic equations is not remembered by the first step: where the state stays as it is
    given, its multipliers are not asked for.
    """
    now = list(zip(algebraic, start.reactions(start.end), strict=True))
    if start.name == CONSISTENT and not any(known.feel(g) for known, g in now):
        return
    if not consistent and all(known.hold_all(g) for known, g in now):
        return
    reactions = [known.reaction(sp.zeros(*g.shape), g) if consistent else sp.zeros(*g.shape) for known, g in now]
    start.multiplier()
    start.output(start.term("output", start.end))
    start.reaction(*reactions)
    start.formulas(output="y = h(t_0, x_0, lambda)")


def _at_end(step: RelationStep, algebraic: Sequence[AlgebraicEquations], spread: Spread, of: str) -> str:
    """gamma g(t_next, x, lambda) + (1 - gamma) g_k, g_k remembered."""
    gamma = step.options.gamma
    now = step.reactions(step.end)
    rows = [g.rows for g in now]
    g_k = step.memory("reaction", sum(rows), symbols=_memory_symbols(rows))
    step.output(step.term("output", step.end))
    weighed = [
        spread(i, gamma * g) + spread(i, (1 - gamma) * g_k[sum(rows[:i]) : sum(rows[: i + 1]), :])
        for i, g in enumerate(now)
    ]
    step.reaction(*(known.reaction(w, STEP * g) for known, w, g in zip(algebraic, weighed, now, strict=True)))
    step.remember(reaction=[e for g in step.reactions(step.ended) for e in g])
    return f"y = h(t_next, x, lambda), rho = {of}gamma g(t_next, x, lambda) + {of}(1 - gamma) g_k"


def _at_gamma(
    step: RelationStep, output_time: str, algebraic: Sequence[AlgebraicEquations], spread: Spread, of: str
) -> str:
    """g(t_gamma, x_gamma, lambda)."""
    between = blend(step.options.gamma, step.end, step.last)
    of_output = between if output_time == "gamma" else {**between, NOW: T_NEXT}
    step.output(step.term("output", of_output))
    step.bounds(of_output)
    now = step.reactions(between)
    step.reaction(
        *(known.reaction(spread(i, g), STEP * g) for i, (known, g) in enumerate(zip(algebraic, now, strict=True)))
    )
    instant = "t_gamma" if output_time == "gamma" else "t_next"
    return f"y = h({instant}, x_gamma, lambda), rho = {of}g(t_gamma, x_gamma, lambda)"


def _memory_symbols(rows: Sequence[int]) -> list[str]:
    """g0_k, g1_k, ...; g0_1_k for entry 1 on participant 0 of several."""
    return [f"g{i}_{j}_k" if len(rows) > 1 else f"g{j}_k" for i, count in enumerate(rows) for j in range(count)]
