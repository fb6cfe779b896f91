"""The second phase of impacts by phases, for schemes with a stage in which no force acts (Poisson; Glocker, 1995).

compression   M (v_c - v_minus) = H^T p_c,   until nothing approaches: every law without restitution
expansion     M (v - v_c) = H^T p_e,   a law by phases gives its share of p_c back and more where needed,
              constraints hold, and every other law holds between v and v_minus
"""

from __future__ import annotations

import sympy as sp

from nsdgen.schemes.relation_step import RelationStep

__all__ = ["expand", "rate_after", "rate_before"]


def expand(stage: RelationStep, compression: sp.Matrix, before: RelationStep, impact: RelationStep) -> None:
    """State a gap or a rate in its phase of expansion: multiplier, rows and reaction of ``stage``.

    ``compression`` is the impulse of the stage ``impact``; ``before`` is the stage that leaves the velocities before
    the impact, or the one that remembers them.
    """
    law, rows = stage.law, compression.rows
    units = ["N s"] * rows
    if law.expansion is None:
        more = stage.multiplier("expansion", rows, units)
        kept = stage.memory("rate_before", rows, units=["m/s"] * rows)
        before.remember(rate_before=before.rate(before.ended))
        stage.output(rate_after(stage), kept)
        impulse = more
    else:
        stored = stage.memory("compression_k", rows, units=units)
        impact.remember(compression_k=compression)
        impact.initial_memory(compression_k=[0] * rows)
        names = law.expansion_multipliers(rows)
        more = stage.multiplier("expansion", len(names), ["N s"] * len(names), names)
        values, cones, impulse, bounds = law.expanded(rate_after(stage), more, stored)
        stage.impose(values, *cones, bounds=bounds)
    stage.reaction(*(H.T * impulse for H in stage.gradients(stage.ended)))
    stage.formulas(output="y = u(v), rho = H^T (p + e p_c)" if law.expansion is not None else
                   "y = law(u(v), u(v_minus)), rho = H^T p")


def rate_before(stage: RelationStep) -> sp.Matrix:
    """The rates before the impact as the law reads them in its first stage: none in a phase of compression."""
    rates = stage.rate(stage.ended)
    return sp.zeros(*rates.shape) if stage.gives_back and stage.law.unilateral else rates


def rate_after(stage: RelationStep) -> sp.Matrix:
    """The rates that the velocities make which a stage of impacts solves for, at the configuration that is reached."""
    return stage.rate({**stage.ended, **{s: w for p in stage.participants
                                         for s, w in zip(p.group("v"), p.unknown, strict=True)}})
