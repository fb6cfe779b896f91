"""Stages in which no force acts: impacts, and their second phase where they have phases (Poisson; Glocker, 1995).

compression   M (v_c - v_minus) = H^T p_c,   until nothing approaches: every law without restitution of its normal,
              tangential rates as the law wants them after the whole impact, as far as friction of p_c takes them
expansion     M (v - v_c) = H^T p_e,   a law by phases gives its share of p_c back and more where needed,
              constraints hold, and every other law holds between v and v_minus
"""

import sympy as sp

from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import T_NEXT
from nsdgen.schemes.system_step import Instant, SystemStep


def impact_stage(stage: SystemStep, at: Instant | None = None, before: str = "v-", after: str = "v_k+1") -> sp.Matrix:
    """A stage in which no force acts, M (v - v_k) = H^T p at an instant, by default the end of the step; gives M.

    ``before`` and ``after`` are what velocities are called in formulas.
    """
    v, v_k = stage.unknown("v"), stage.state("v_k")
    mass = stage.term("mass", stage.at(T_NEXT, q=stage.state("q_k")) if at is None else at)
    stage.residual(mass * (v - v_k))
    stage.advance(v_k=v)
    stage.formulas(residual=f"R = M (v - {before})", advance=f"{after} = v")
    return mass


def expand(
    stage: RelationStep,
    at: Instant,
    compression: sp.Matrix,
    impact: RelationStep,
    before: sp.Matrix,
    units: tuple[str, ...],
) -> None:
    """State a gap or a rate in its phase of expansion: multiplier, rows and reaction of ``stage``.

    ``compression`` is the impulse of the stage ``impact``, ``before`` are the rates before the whole impact, ``at`` is
    the instant with its configuration, ``units`` are those of the impulses.
    """
    law, rows = stage.law, compression.rows
    after = rate_after(stage, at)
    if law.expansion is None:
        impulse = stage.multiplier("expansion", rows, units)
        stage.output(after, before)
    else:
        stored = stage.memory("compression_k", rows, units=units)
        impact.remember(compression_k=compression)
        names = law.expansion_multipliers(rows)
        more = stage.multiplier("expansion", len(names), units[:1] * len(names), names)
        values, cones, impulse, bounds = law.expanded(after, more, stored)
        stage.impose(values, *cones, bounds=bounds)
    stage.react(impulse, at)
    stage.formulas(
        output="y = u(v), rho = H^T (p + e p_c)"
        if law.expansion is not None
        else "y = law(u(v), u(v_minus)), rho = H^T p"
    )


def compression_rate(stage: RelationStep, before: sp.Matrix) -> sp.Matrix:
    """The rates before the impact as the law reads them in its first stage: in compression none of the normal."""
    return sp.Matrix([0, *before[1:]]) if stage.gives_back and stage.law.unilateral else before


def rate_after(stage: RelationStep, at: Instant) -> sp.Matrix:
    """The rates that the velocities make which a stage of impacts solves for, at a configuration."""
    return stage.rate(
        {**at, **{s: w for p in stage.participants for s, w in zip(p.group("v"), p.unknown, strict=True)}}
    )
