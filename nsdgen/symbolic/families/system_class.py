"""Classes of systems: what systems with the same equations share, whatever their family.

A class is data: variables in groups (q and v, or x), terms that are functions of them (mass, force, rhs, ...)
over fresh real symbols, and the space in which its configuration moves. A *family* is whoever makes such
classes from the user's words (:class:`nsdgen.symbolic.families.system.System`); schemes ask a class for the groups and
terms they need, the derivation makes an operator of every term, and nobody asks for the family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.configuration import Configuration

__all__ = ["Operator", "Requirement", "SystemClass", "Term", "Variables"]


@dataclass(frozen=True)
class Variables:
    """A group of variables of a class: the role that schemes know it by, its symbols, one column each.

    ``names`` are those of the columns, relative to the instance; ``units`` one for each, maybe empty.
    """

    role: str
    symbols: tuple[sp.Symbol, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def __post_init__(self) -> None:
        if not len(self.symbols) == len(self.names) == len(self.units):
            raise ValueError(f"group {self.role!r}: symbols, names and units differ in number")


@dataclass(frozen=True)
class Term:
    """A function of some groups of a class: ``values`` over its symbols, NOW and its parameters.

    ``of`` lists the operands of the operator made of it, ``"t"`` and roles; ``derivatives`` the roles with
    respect to which that operator has a Jacobian. ``notation`` is its symbol in formulas (F, M), ``meaning`` what the
    operator says of itself. ``normalise`` is off for functions of an unnormalised q.
    """

    values: sp.Matrix
    of: tuple[str, ...]
    notation: str = ""
    meaning: str = ""
    derivatives: tuple[str, ...] = ()
    normalise: bool = True


@dataclass(frozen=True)
class Operator:
    """A derived quantity as a function of its own operands: name, values, (operand, its symbols), formula."""

    name: str
    values: sp.Matrix
    operands: tuple[tuple[str, tuple[sp.Symbol, ...]], ...]
    meaning: str


@dataclass(frozen=True)
class Requirement:
    """What rows and columns ``first`` to ``end`` of a term must be where a run starts (:mod:`nsdgen.definiteness`)."""

    term: str
    kind: str
    first: int
    end: int


@dataclass(frozen=True)
class SystemClass:
    """A class of systems: name for display, parameters (slots first), groups of variables, terms, configuration.

    ``requirements`` on terms are checked at the start of every run.
    """

    name: str
    parameters: tuple[sp.Symbol, ...]
    variables: tuple[Variables, ...]
    terms: Mapping[str, Term]
    configuration: Configuration = field(default_factory=Configuration)
    requirements: tuple[Requirement, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the groups, in order."""
        return tuple(group.role for group in self.variables)

    def group(self, role: str) -> tuple[sp.Symbol, ...]:
        """The symbols of a group; empty where the class has none of this role."""
        return next((group.symbols for group in self.variables if group.role == role), ())

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of every recorded value; instances of one class may have their own."""
        return tuple(pair for group in self.variables for pair in zip(group.names, group.units, strict=True))

    @property
    def functions(self) -> tuple[sp.Symbol, ...]:
        """The symbols of all variables, in slot order."""
        return tuple(s for group in self.variables for s in group.symbols)

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All symbols of the class in slot order: variables, then parameters."""
        return self.functions + self.parameters

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Everything that decides whether two classes are the same, besides their symbols."""
        shape = sp.Tuple(*(sp.Symbol(name) for name in (*self.roles, *self.terms)),
                         *(sp.Tuple(*group) for group in self.configuration.unit_norm),
                         *(sp.Symbol(f"{r.term} {r.kind} {r.first} {r.end}") for r in self.requirements))
        return (*(sp.ImmutableMatrix(term.values) for term in self.terms.values()), shape)

    def operators(self) -> list[Operator]:
        """An operator for every term, followed by its Jacobians, exact through the normalisation of q."""
        unit, _ = self.configuration.normalisation(self.group("q"))
        found = []
        for name, term in self.terms.items():
            values = term.values.xreplace(unit) if term.normalise else term.values
            operands = tuple((role, _operand(self, role)) for role in term.of)
            found.append(Operator(name, values, operands, term.meaning))
            found += [Operator(f"{name}_{role}", jacobian(values, self.group(role)), operands,
                               f"d{term.notation}/d{role}") for role in term.derivatives]
        return found


def _operand(cls: SystemClass, role: str) -> tuple[sp.Symbol, ...]:
    """The symbols of an operand: of time, or of a group."""
    return (NOW,) if role == "t" else cls.group(role)
