"""The step of a sampled block: samples at the end of a step, then what it computes from them and holds.

Two stages of its own, which run at instants that are due only. No system takes part in them: samples are taken from the
state that the step has reached, and everything else is a function of samples and parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.schemes.newton import Newton
from nsdgen.schemes.program import StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import T_NEXT, DiscreteRelation, DiscreteSystem
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.sampled import SampledClass

__all__ = ["block_stages", "discretise_block"]


def block_stages(name: str) -> tuple[StageOptions, StageOptions]:
    """Sampling, then control."""
    return StageOptions(f"{name} samples", Newton()), StageOptions(name, Newton())


def discretise_block(cls: SampledClass, participants: Sequence[DiscreteSystem]) -> DiscreteRelation:
    """The two stages of a block; ``participants`` are renamed where there are several, and sit both out.

    What it holds starts from the values of its parameters at t_0.
    """
    step = RelationStep(cls, "nsd.Sampled", (), ("samples", "control"), participants)
    units = [unit for _, unit in cls.labels[len(cls.multipliers):]]
    names = [name for name, _ in cls.labels[len(cls.multipliers):]]
    n = len(cls.samples)
    taken = cls.terms["samples"].xreplace(step.ended)
    if n:
        known = step.memory("samples", n, units[:n], names[:n], names[:n])
        step.remember(samples=taken)
        step.initial_memory(samples=sp.zeros(n, 1))
    step.memory("held", len(cls.held), units[n:], names[n:], names[n:])
    now = {NOW: T_NEXT, **(dict(zip(cls.samples, known, strict=True)) if n else {})}
    control = step.stage("control")
    if cls.multipliers:
        control.multiplier()
        control.output(cls.terms["output"].xreplace(now))
    control.remember(held=sp.Matrix([*cls.terms["update"], *cls.terms["holds"]]).xreplace(now))
    control.initial_memory(held=cls.terms["given"])
    return step.finish()
