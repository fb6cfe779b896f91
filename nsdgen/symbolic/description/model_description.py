"""The record that leaves this stage: a model over fresh real symbols, classes and instances."""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from nsdgen.symbolic.expressions.parameter import Parameter
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass


@dataclass(frozen=True, slots=True)
class Argument:
    """What an instance puts into one parameter slot of its class, and the range allowed there.

    The value is an expression of parameters, or a plain float where it differs from copy to copy.
    """

    name: str
    value: sp.Expr | float
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True)
class SystemInstance:
    """A system of the model: its class, its parameter values and its initial values."""

    name: str
    cls: int
    arguments: tuple[Argument, ...]
    initial: tuple[float, ...]
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RelationInstance:
    """A relation of the model: its class, its participants (system indices) and values.

    ``initial`` are the multipliers given at t_0: position among the class's own ones, value. ``reads`` names what one
    that observes takes from the record, in the order of its class.
    """

    name: str
    cls: int
    participants: tuple[int, ...]
    arguments: tuple[Argument, ...]
    labels: tuple[tuple[str, str], ...] = ()
    initial: tuple[tuple[int, float], ...] = ()
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A relation that acts at instants: those of a clock, or where its conditions come true (and ``at_start``).

    ``holds`` are the parameters that it changes, in their order. ``computed``: by a Python function. ``resets`` are
    states that it sets: the number of the system, and of the variable among those of its class; ``reads`` are
    multipliers likewise, of relations.
    """

    relation: int
    period: sp.Symbol | None
    offset: sp.Symbol | None
    holds: tuple[sp.Symbol, ...]
    cut: bool
    resets: tuple[tuple[int, int], ...] = ()
    computed: bool = False
    at_start: bool = False
    reads: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ModelDescription:
    """A model as mathematics: everything later stages need and nothing a user's objects hold.

    ``parameters`` end with those that a run sets itself: what ``blocks`` hold, and ``step``, where it is used.
    """

    name: str
    parameters: Mapping[sp.Symbol, Parameter]
    system_classes: tuple[SystemClass, ...]
    relation_classes: tuple[RelationClass, ...]
    systems: tuple[SystemInstance, ...]
    relations: tuple[RelationInstance, ...]
    initial_names: tuple[tuple[str, ...], ...]
    blocks: tuple[Block, ...] = ()
    step: sp.Symbol | None = None
