"""Relations whose step no scheme states, since they look at systems under any schemes, which sit their stages out.

A block takes samples at the end of a step, then computes from them what it holds: two stages of its own, which run at
instants that are due only. Samples are taken from the state that the step has reached, and everything else is a
function of samples and parameters. Quantities of the state that are cut say when a block is due that has conditions;
one that ends runs is nothing else. What is observed is a function of the record of an instant.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import sympy as sp

from nsdgen.base.names import numbered
from nsdgen.schemes.program import Cut, Newton, StageOptions
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import T_NEXT, DiscreteRelation, DiscreteSystem, Labels
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.along import ObservedClass
from nsdgen.symbolic.relations.block import BlockClass
from nsdgen.symbolic.relations.relation_class import RelationClass
from nsdgen.symbolic.relations.stop import StopClass

ZERO = "zero"
"""What the zero of a quantity that ends runs is called."""


def block_stages(name: str) -> tuple[StageOptions, StageOptions]:
    """Sampling, then control."""
    return StageOptions(f"{name} samples", Newton()), StageOptions(name, Newton())


def own_step(
    cls: RelationClass, participants: Sequence[DiscreteSystem]
) -> tuple[DiscreteRelation, tuple[DiscreteSystem, ...]]:
    """The step of a class that states its own (:attr:`RelationClass.own_step`), and its systems, which sit it out.

    ``participants`` are renamed where there are several.
    """
    state, stages = _STEPS[cls.own_step]
    seen = tuple(dataclasses.replace(system, stages=(None,) * stages) for system in participants)
    return state(cls, seen), seen


def _block(cls: BlockClass, participants: Sequence[DiscreteSystem]) -> DiscreteRelation:
    """The two stages of a block. What it holds starts from the values of its parameters at t_0."""
    step = RelationStep(cls, "nsd.Sampled", (), ("samples", "control"), participants)
    units = [unit for _, unit in cls.labels[len(cls.multipliers) :]]
    names = [name for name, _ in cls.labels[len(cls.multipliers) :]]
    n = len(cls.samples)
    reads = step.memory("reads", len(cls.reads), names=numbered("read", len(cls.reads))) if cls.reads else ()
    reached = {NOW: T_NEXT, **step.ended, **dict(zip(cls.reads, reads, strict=True))}
    taken = cls.terms["samples"].xreplace(reached)
    if n:
        known = step.memory("samples", n, units[:n], names[:n], names[:n])
        step.remember(samples=taken)
        step.initial_memory(samples=sp.zeros(n, 1))
    control = step.stage("control")
    flags = step.memory("flags", len(cls.flags), names=cls.crossings) if cls.flags else ()
    now = {
        NOW: T_NEXT,
        **(dict(zip(cls.samples, known, strict=True)) if n else {}),
        **dict(zip(cls.flags, flags, strict=True)),
    }
    if cls.multipliers:
        control.multiplier()
        control.output(cls.terms["output"].xreplace(now))
    held = sp.Matrix([*cls.terms["update"], *cls.terms["holds"]])
    for name, values, first, labels in (
        ("reads", sp.Matrix(reads), None, ()),
        ("flags", sp.Matrix(flags), None, cls.crossings),
        ("acted", cls.terms["acted"], None, ("acted",)),
        ("resets", cls.terms["resets"], None, cls.reset),
        ("held", held, cls.terms["given"], names[n:]),
    ):  # the run reads them from the end of the memory
        if values.rows:
            step.memory(name, values.rows, units[n:] if name == "held" else (), labels, labels)
            control.remember(**{name: values.xreplace(now)})
            control.initial_memory(**{name: sp.zeros(values.rows, 1) if first is None else first})
    cuts = zip(cls.crossings, cls.terms["conditions"], strict=True)
    return dataclasses.replace(
        step.finish(), cuts=tuple(Cut(name, value.xreplace(reached), "rising") for name, value in cuts)
    )


def _stop(cls: StopClass, participants: Sequence[DiscreteSystem]) -> DiscreteRelation:
    """The cut at the state that a step has reached."""
    now = {NOW: T_NEXT, **{s: e for p in participants for s, e in p.at_state.items()}}
    value = cls.terms["value"][0].xreplace(now)
    return DiscreteRelation(cls, (), Labels(), (), cuts=(Cut(ZERO, value, cls.direction),))


def _observed(cls: ObservedClass, participants: Sequence[DiscreteSystem]) -> DiscreteRelation:
    """No step: values of what an instant has reached."""
    now = {NOW: T_NEXT, **{s: e for p in participants for s, e in p.at_state.items()}}
    return DiscreteRelation(cls, (), Labels(), (), observed=cls.terms["force"].xreplace(now), reads=cls.reads)


_STEPS: Mapping[str, tuple[Callable[..., DiscreteRelation], int]] = {
    "block": (_block, 2),
    "stop": (_stop, 0),
    "observed": (_observed, 0),
}
"""What states the step of a class, and how many stages it has."""
