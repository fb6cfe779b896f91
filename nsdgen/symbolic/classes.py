"""Classes: what systems or relations with the same expressions share.

A class holds the mathematics over its own real symbols, an instance holds values.
Two prototypes become one class when their expressions agree after renaming the
symbols in *slot order* (coordinates, velocities, multipliers, constructor arguments,
then parameters in the model's order), confirmed by ``==``. Slot order is declared,
never read off a traversal of expressions, so merging cannot depend on hash seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import sympy as sp

from nsdgen.symbolic.entry import label_of
from nsdgen.symbolic.laws import Law

__all__ = [
    "FirstOrderClass",
    "GapClass",
    "MechanicalClass",
    "OutputClass",
    "Participant",
    "Quantity",
    "RelationClass",
    "SystemClass",
    "find_class",
]


@dataclass(frozen=True)
class Quantity:
    """A named group of symbols, one column each: ``names`` are relative to the instance."""

    names: tuple[str, ...]
    symbols: tuple[sp.Symbol, ...]
    units: tuple[str, ...] = ()


@dataclass(frozen=True)
class SystemClass:
    """The base of system classes: display name, parameters (slots first) and their symbols."""

    name: str
    parameters: tuple[sp.Symbol, ...]

    quantities: tuple[Quantity, ...] = field(default=(), kw_only=True)

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of every recorded value; instances of one class may have their own."""
        return tuple(pair for q in self.quantities for pair in zip(q.names, q.units, strict=True))

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All symbols of the class in slot order."""
        raise TypeError("SystemClass is abstract")

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Everything that decides whether two classes are the same."""
        raise TypeError("SystemClass is abstract")


@dataclass(frozen=True)
class FirstOrderClass(SystemClass):
    """M(x) x' = f(x, t) + r."""

    state: tuple[sp.Symbol, ...]
    mass: sp.Matrix
    rhs: sp.Matrix

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Slot order: state, parameters."""
        return self.state + self.parameters

    def expressions(self) -> tuple[sp.Basic, ...]:
        """M and f."""
        return (sp.ImmutableMatrix(self.mass), sp.ImmutableMatrix(self.rhs))


@dataclass(frozen=True)
class MechanicalClass(SystemClass):
    """M(q) v' = F(t, q, v) + p with q' = T(q) v.

    ``quaternion`` holds the positions in q of a unit quaternion (scalar first), empty
    for generalised coordinates, where T is the identity. Functions of q are written
    for a unit quaternion; whoever evaluates them elsewhere normalises first.
    """

    coordinates: tuple[sp.Symbol, ...]
    velocities: tuple[sp.Symbol, ...]
    mass: sp.Matrix
    force: sp.Matrix
    twist_map: sp.Matrix
    quaternion: tuple[int, ...] = ()
    energies: Mapping[str, sp.Expr] = field(default_factory=dict)
    operators: Mapping[str, sp.Matrix] = field(default_factory=dict)

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Slot order: coordinates, velocities, parameters."""
        return self.coordinates + self.velocities + self.parameters

    def expressions(self) -> tuple[sp.Basic, ...]:
        """M, F, T, the places of the quaternion, then energies and operators in their own order."""
        matrices = (self.mass, self.force, self.twist_map)
        extra = [*self.energies.values(), *self.operators.values()]
        return (*(sp.ImmutableMatrix(m) for m in matrices), sp.Tuple(*self.quaternion),
                *(sp.ImmutableMatrix(e) if isinstance(e, sp.MatrixBase) else e for e in extra))


@dataclass(frozen=True)
class Participant:
    """A system as one relation class sees it: its class's symbols, renamed where several take part."""

    system: SystemClass
    renamed: Mapping[sp.Symbol, sp.Symbol]

    def rename(self, expr: sp.Basic) -> sp.Basic:
        """``expr``, written in the class's symbols, in those of this participant."""
        return expr.xreplace(self.renamed) if self.renamed else expr


@dataclass(frozen=True)
class RelationClass:
    """The base of relation classes; parameters start with the slots of law and constructor."""

    name: str
    parameters: tuple[sp.Symbol, ...]
    participants: tuple[Participant, ...]
    law: Law
    bounds: sp.Matrix = field(default_factory=lambda: sp.zeros(0, 1), kw_only=True)
    """What the law's cones need besides: bounds, friction coefficients."""

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of the recorded values that are named by the user."""
        return ()

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All symbols of the class in slot order."""
        raise TypeError("RelationClass is abstract")

    @property
    def height(self) -> int:
        """The number of rows."""
        first = self.expressions()[0]
        assert isinstance(first, sp.MatrixBase)
        return int(first.rows)

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Everything that decides whether two classes are the same; ``height`` counts the rows of the first."""
        raise TypeError("RelationClass is abstract")

    def participant_symbols(self) -> tuple[sp.Symbol, ...]:
        """Slot order of the participants' variables (state, or coordinates and velocities); no parameters."""
        return tuple(p.rename(s) for p in self.participants for s in _variables(p.system))


@dataclass(frozen=True)
class GapClass(RelationClass):
    """A constraint or contact on configurations: gap(t, q) of one or more systems.

    ``sliding`` holds the tangential rates as functions of t, q and v, linear in v; the last
    ``law.rolling`` of them are rates of rotation.
    """

    gap: sp.Matrix
    sliding: sp.Matrix = field(default_factory=lambda: sp.zeros(0, 1))

    @property
    def height(self) -> int:
        """One row for each gap and each sliding rate."""
        return int(self.gap.rows + self.sliding.rows)

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Slot order: variables of the participants, parameters."""
        return self.participant_symbols() + self.parameters

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Gap, sliding rates, the law's rows as functions of any rates, bounds."""
        rates = (sp.Matrix([sp.Symbol(f"{kind}/rate{i}", real=True) for i in range(self.height)])
                 for kind in ("now", "last"))
        return tuple(sp.ImmutableMatrix(m) for m in (self.gap, self.sliding, self.law.rows(*rates), self.bounds))


@dataclass(frozen=True)
class OutputClass(RelationClass):
    """y = h(t, x, lambda), r_i = g_i(t, x, lambda) on first-order systems."""

    multipliers: tuple[sp.Symbol, ...]
    output: sp.Matrix
    reactions: tuple[sp.Matrix, ...]
    units: tuple[str, ...] = ()
    output_units: tuple[str, ...] = ()

    @property
    def multiplier_labels(self) -> tuple[tuple[str, str], ...]:
        """lam0, lam1, ... are called lam[0], lam[1], ..., so that the trajectory knows a vector, of one entry, too."""
        names = [label_of(s) for s in self.multipliers]
        stem = names[0].rstrip("0123456789")
        if stem and names == [f"{stem}{i}" for i in range(len(names))]:
            names = [f"{stem}[{i}]" for i in range(len(names))]
        return tuple(zip(names, self.units or ("",) * len(names), strict=True))

    @property
    def output_labels(self) -> tuple[tuple[str, str], ...]:
        """A single output is called ``output``, several ``output[0]``, ``output[1]``, ..."""
        count = self.output.rows
        names = ["output"] if count == 1 else [f"output[{i}]" for i in range(count)]
        return tuple(zip(names, self.output_units or ("",) * count, strict=True))

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Multipliers, then outputs."""
        return self.multiplier_labels + self.output_labels

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Slot order: variables of the participants, multipliers, parameters."""
        return self.participant_symbols() + self.multipliers + self.parameters

    def expressions(self) -> tuple[sp.Basic, ...]:
        """h, g of each participant, bounds."""
        return tuple(sp.ImmutableMatrix(m) for m in (self.output, *self.reactions, self.bounds))


def _variables(system: SystemClass) -> tuple[sp.Symbol, ...]:
    return system.symbols[: len(system.symbols) - len(system.parameters)]


Class = TypeVar("Class", SystemClass, RelationClass)


def find_class(candidate: Class, known: Iterable[Class]) -> Class | None:
    """The class among ``known`` with the same expressions as ``candidate``, if any.

    Parameter *symbols* are compared by slot, so that two balls whose masses are called
    m1 and m2 share kernels when m1 and m2 stand at the same slot.
    """
    for other in known:
        if type(other) is type(candidate) and _same(candidate, other):
            return other
    return None


def _same(a: Class, b: Class) -> bool:
    if len(a.symbols) != len(b.symbols) or any(
        s.assumptions0 != r.assumptions0 for s, r in zip(a.symbols, b.symbols, strict=True)
    ):
        return False
    if isinstance(a, RelationClass) and isinstance(b, RelationClass):
        systems = [p.system is q.system for p, q in zip(a.participants, b.participants, strict=False)]
        if len(a.participants) != len(b.participants) or not all(systems) or type(a.law) is not type(b.law):
            return False
        if a.law.cones(a.height) != b.law.cones(b.height):
            return False
    ours, theirs = a.expressions(), b.expressions()
    if len(ours) != len(theirs):
        return False
    slots = {s: sp.Symbol(f"slot{i}", **s.assumptions0) for i, s in enumerate(a.symbols)}
    others = {s: slots[r] for s, r in zip(b.symbols, a.symbols, strict=True)}
    return all(x.xreplace(slots) == y.xreplace(others) for x, y in zip(ours, theirs, strict=True))
