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
    control = step.stage("control")
    now = {NOW: T_NEXT, **(dict(zip(cls.samples, known, strict=True)) if n else {})}
    if cls.multipliers:
        control.multiplier()
        control.output(cls.terms["output"].xreplace(now))
    held = sp.Matrix([*cls.terms["update"], *cls.terms["holds"]])
    for name, values, first, labels in (
            ("acted", cls.terms["acted"], None, ("acted",)), ("resets", cls.terms["resets"], None, cls.reset),
            ("held", held, cls.terms["given"], names[n:])):  # the run reads them from the end of the memory
        if values.rows:
            step.memory(name, values.rows, units[n:] if name == "held" else (), labels, labels)
            control.remember(**{name: values.xreplace(now)})
            control.initial_memory(**{name: sp.zeros(values.rows, 1) if first is None else first})
    return step.finish()
